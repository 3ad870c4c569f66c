#!/bin/sh
# Objects of one threading mode are linked with the library of that mode, and refused by the others.
# And all headers compile without a warning, in C and C++, in each mode.
#   modes.sh C_COMPILER INCLUDE LIBRARIES CXX_COMPILER
set -eu
compiler=$1 include=$2 libraries=$3 cxx_compiler=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/main.c" <<'END'
#include <gasnet.h>
int other(void);
int main(int argc, char** argv) { return gasnet_init(&argc, &argv) + other(); }
END
cat > "$folder/other.c" <<'END'
#include <gasnet.h>
int other(void);
int other(void) { return GASNET_VERSION; }
END
for mode in SEQ PARSYNC PAR; do
    for file in main other; do
        "$compiler" -DGASNET_$mode -I"$include" -Wall -Wextra -Werror -c "$folder/$file.c" -o "$folder/$file.$mode.o"
    done
done
link() { # modes of main and of other, of the library
    library=$(echo "$3" | tr A-Z a-z)
    "$compiler" "$folder/main.$1.o" "$folder/other.$2.o" -L"$libraries" "-lgasnet-isthmus-$library" \
        -listhmus -Wl,-rpath,"$libraries" -o "$folder/program" > "$folder/said" 2>&1
}
for main in SEQ PARSYNC PAR; do
    for other in SEQ PARSYNC PAR; do
        for library in SEQ PARSYNC PAR; do
            expected=no
            [ $main = $other ] && [ $other = $library ] && expected=yes
            if link $main $other $library; then linked=yes; else linked=no; fi
            if [ $linked != $expected ]; then
                echo "$main and $other with the library of $library: linked: $linked"
                cat "$folder/said"
                exit 1
            fi
            [ $linked = yes ] || grep -q isthmus_gasnet_mode_is_ "$folder/said"
        done
    done
done
# Whether the program checks is one of two, each 1.
cat > "$folder/debug.c" <<'END'
#include <gasnet.h>
#if !GASNET_WANTED || defined(GASNET_DEBUG) + defined(GASNET_NDEBUG) != 1
#error wrong
#endif
END
for header in gasnet.h gasnetex.h; do
    sed "s/gasnet.h/$header/" "$folder/debug.c" > "$folder/debug_of.c"
    "$compiler" -DGASNET_SEQ -DGASNET_WANTED=GASNET_NDEBUG -I"$include" -c "$folder/debug_of.c" -o "$folder/debug.o"
    "$compiler" -DGASNET_SEQ -DGASNET_DEBUG -DGASNET_WANTED=GASNET_DEBUG -I"$include" -c "$folder/debug_of.c" -o "$folder/debug.o"
done
# Headers in any order.
for header in gasnet.h gasnetex.h; do
    printf '#include <gasnet_tools.h>\n#include <%s>\n#include <gasnet_tools.h>\n' $header > "$folder/order.c"
    "$compiler" -DGASNET_PAR -I"$include" -Wall -Wextra -Werror -c "$folder/order.c" -o "$folder/order.o"
done
# None and two are refused by the compiler, as is a segment of all memory.
for wrong in "" "-DGASNET_SEQ -DGASNET_PAR" "-DGASNET_SEQ -DGASNET_SEGMENT_EVERYTHING"; do
    if "$compiler" $wrong -I"$include" -c "$folder/main.c" -o "$folder/wrong.o" 2> "$folder/said"; then
        echo "compiled: $wrong"
        exit 1
    fi
    grep -q -e "define exactly one of GASNET_SEQ" -e "GASNET_SEGMENT_FAST alone" "$folder/said"
done

cat > "$folder/all.c" <<'END'
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_vis.h>
#include <gasnet_tools.h>
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static void handler(gasnet_token_t token, gasnet_handlerarg_t value) {
    (void)token;
    (void)value;
}
int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{0, (void (*)())handler}};
    GASNET_BEGIN_FUNCTION();
    gasnet_init(&argc, &argv);
    gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
    gasnet_hsl_lock(&lock);
    gasnet_hsl_unlock(&lock);
    gasnet_AMRequestShort2(0, table[0].index, argc, (gasnet_handlerarg_t)(sizeof table));
    gasnet_AMRequestMedium(0, 130, argv, sizeof *argv, 0);
    GASNET_BLOCKUNTIL(argc > 0);
    return (int)gasnet_get_val(0, argv, 4);
}
END
cat > "$folder/ex.c" <<'END'
#include <gasnetex.h>
#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <gasnet_tools.h>
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static void handler(gex_Token_t token, gex_AM_Arg_t value) {
    (void)token;
    (void)value;
}
int main(int argc, char** argv) {
    gex_Client_t client;
    gex_EP_t endpoint;
    gex_TM_t all;
    gex_Segment_t segment;
    gex_AM_Entry_t table[] = {
        {0, (void (*)())handler, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "handler"}};
    gex_Client_Init(&client, &endpoint, &all, "MODES", &argc, &argv, 0);
    gex_Segment_Attach(&segment, all, GASNET_PAGESIZE);
    gex_EP_RegisterHandlers(endpoint, table, 1);
    gex_HSL_Lock(&lock);
    gex_HSL_Unlock(&lock);
    gex_AM_RequestShort1(all, 0, table[0].gex_index, 0, argc);
    gex_AM_RequestShort(all, 0, table[0].gex_index, 0, (gex_AM_Arg_t)(sizeof table));
    gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
    GASNET_BLOCKUNTIL(argc > 0);
    return (int)gex_RMA_GetBlockingVal(all, 0, gex_Segment_QueryAddr(segment), 4, 0);
}
END
for mode in SEQ PARSYNC PAR; do
    for standard in c99 c17 "c17 -D_GNU_SOURCE"; do
        "$compiler" -std=$standard -O2 -DGASNET_$mode -I"$include" -Wall -Wextra -Wshadow \
            -pedantic -Werror -c "$folder/ex.c" -o "$folder/ex.$mode.o"
    done
    for standard in c++11 c++20; do
        sed 's/(void (\*)())handler/reinterpret_cast<void (*)()>(handler)/' "$folder/ex.c" > "$folder/ex.cpp"
        "$cxx_compiler" -std=$standard -O2 -DGASNET_$mode -I"$include" -Wall -Wextra -Wshadow \
            -pedantic -Werror -c "$folder/ex.cpp" -o "$folder/all.o"
    done
    for library in seq parsync par; do
        linked=no
        "$compiler" "$folder/ex.$mode.o" -L"$libraries" "-lgasnet-isthmus-$library" -listhmus \
            -Wl,-rpath,"$libraries" -o "$folder/program" > "$folder/said" 2>&1 && linked=yes
        expected=no
        [ $library != "$(echo $mode | tr A-Z a-z)" ] || expected=yes
        [ $linked = $expected ] || { echo "GASNet-EX, $mode with the library of $library: linked: $linked"; exit 1; }
    done
done
# By the name of a conduit that clients know.
for conduit in IBV OFI UCX MPI UDP ISTHMUS; do
    echo "#include <gasnetex.h>
name=GASNET_CONDUIT_NAME GASNET_CONDUIT_$conduit GASNET_MAXEPS GASNET_HIDDEN_AM_CONCURRENCY_LEVEL" > "$folder/probe.c"
    "$compiler" -E -DGASNET_SEQ -DGASNET_CONDUIT_$conduit -I"$include" "$folder/probe.c" | grep -q "^name=$conduit 1 33 0"
done
# What clients take without any other header: GASNet's own tests do.
echo '#include <gasnetex.h>
gex_Event_t come(gex_TM_t team);
gex_Event_t come(gex_TM_t team) { return gex_Coll_BarrierNB(team, INT_MAX & 0); }' > "$folder/bare.c"
"$compiler" -DGASNET_SEQ -I"$include" -Wall -Werror -c "$folder/bare.c" -o "$folder/bare.o"
# The compiler, of the header alone, in the preprocessor: UPC++'s build asks so.
echo '#include <gasnet_portable_platform.h>
#define V(test, major) PLATFORM_COMPILER_VERSION_##test(major, PART, 7)
#if defined(__clang__)
#define MAJOR __clang_major__
#define SAME PLATFORM_COMPILER_VERSION_EQ(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define MAJOR __GNUC__
#define SAME PLATFORM_COMPILER_VERSION_EQ(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#endif
#define PART 254
#if PLATFORM_COMPILER_GNU + PLATFORM_COMPILER_CLANG != 1 || !SAME || V(EQ, MAJOR) || \
    V(GT, MAJOR) || V(GE, MAJOR) || !V(LT, MAJOR) || !V(LE, MAJOR) || \
    !V(GT, MAJOR - 1) || !V(GE, MAJOR - 1) || V(LT, MAJOR - 1) || V(LE, MAJOR - 1)
#error "compared wrongly"
#endif' > "$folder/platform.c"
"$compiler" -I"$include" -Werror -fsyntax-only "$folder/platform.c"
# With the names that the mpi.h of Open MPI 4 has, in both orders: of a header that asks as it does, and of it.
mkdir "$folder/mpi"
echo '#ifndef PLATFORM_COMPILER_FAMILYID
#define PLATFORM_COMPILER_FAMILYID 1
#define PLATFORM_COMPILER_FAMILYNAME GNU
#define PLATFORM_COMPILER_GNU  1
#define PLATFORM_COMPILER_VERSION PLATFORM_COMPILER_VERSION_INT(__GNUC__,__GNUC_MINOR__,__GNUC_PATCHLEVEL__)
#define PLATFORM_COMPILER_VERSION_STR "others"
#endif
#ifndef PLATFORM_COMPILER_VERSION_INT
#define PLATFORM_COMPILER_VERSION_INT(a,b,c) (((a) << 16) | ((b) << 8) | (c))
#endif' > "$folder/mpi/mpi.h"
for mpi in "$folder/mpi" /usr/lib/*/openmpi/include; do
    [ -e "$mpi/mpi.h" ] || continue
    for first in gasnet.h mpi.h; do
        { printf '#include <%s>\n#include <gasnet.h>\n#include <mpi.h>\n' $first
          echo '#if !PLATFORM_COMPILER_FAMILYID || !PLATFORM_COMPILER_VERSION_GT(4, 0, 0)
#error "the names are not there"
#endif'; } > "$folder/mpi.c"
        "$compiler" -DGASNET_PAR -I"$include" -I"$mpi" -Werror -fsyntax-only "$folder/mpi.c"
    done
done
# Types without a mode, and the tools by themselves.
echo '#include <gasnet_fwd.h>
gex_OP_t op = GEX_OP_ADD;' > "$folder/fwd.c"
"$compiler" -I"$include" -Wall -Werror -c "$folder/fwd.c" -o "$folder/fwd.o"
echo '#include <gasnet_tools.h>
GASNETT_IDENT(ident, "$name: x $");
int main(void) { gasnett_local_mb(); return ident[0] != 36 || GASNETT_RELEASE_VERSION_MAJOR < 2020; }' > "$folder/lite.c"
"$compiler" -DGASNETT_LITE_MODE -I"$include" "$folder/lite.c" -o "$folder/lite"
"$folder/lite"
# The clock, where the system's headers do not declare it.
echo '#include <gasnet_tools.h>
int main(void) { gasnett_tick_t then = gasnett_ticks_now(); return gasnett_ticks_now() < then || then == 0; }' > "$folder/ticks.c"
"$compiler" -std=c11 -pedantic -Werror -I"$include" "$folder/ticks.c" -L"$libraries" -listhmus \
    -Wl,-rpath,"$libraries" -o "$folder/ticks"
"$folder/ticks"
for mode in SEQ PARSYNC PAR; do
    for level in 0 2; do
        for standard in c99 c11 c17 "c17 -D_GNU_SOURCE"; do
            "$compiler" -std=$standard -O$level -DGASNET_$mode -I"$include" -Wall -Wextra \
                -Wshadow -pedantic -Werror -c "$folder/all.c" -o "$folder/all.o"
        done
        for standard in c++11 c++14 c++20; do
            sed 's/(void (\*)())handler/reinterpret_cast<void (*)()>(handler)/' "$folder/all.c" > "$folder/all.cpp"
            "$cxx_compiler" -std=$standard -O$level -DGASNET_$mode -I"$include" -Wall -Wextra -Wshadow \
                -pedantic -Werror -c "$folder/all.cpp" -o "$folder/all.o"
        done
    done
done
# As clients say whose table is one of addresses.
sed 's/(void (\*)())handler/(void*)handler/' "$folder/all.c" > "$folder/all.cpp"
"$cxx_compiler" -DGASNET_SEQ -DGASNET_USE_STRICT_PROTOTYPES -I"$include" -c "$folder/all.cpp" -o "$folder/all.o"
