#!/bin/sh
# Objects of one threading mode are linked with the library of that mode, and refused by the others.
#   modes.sh COMPILER INCLUDE LIBRARIES
set -eu
compiler=$1 include=$2 libraries=$3
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
# None and two are refused by the compiler, as is a segment of all memory.
for wrong in "" "-DGASNET_SEQ -DGASNET_PAR" "-DGASNET_SEQ -DGASNET_SEGMENT_EVERYTHING"; do
    if "$compiler" $wrong -I"$include" -c "$folder/main.c" -o "$folder/wrong.o" 2> "$folder/said"; then
        echo "compiled: $wrong"
        exit 1
    fi
    grep -q -e "define exactly one of GASNET_SEQ" -e "GASNET_SEGMENT_FAST alone" "$folder/said"
done
