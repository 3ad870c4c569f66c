// The wrappers of the library that `isthmus run --stats` and `--trace` put before a program that
// was compiled as usual. Its short operations are inlined: with the window closed to the program
// (core/session/session.cpp) they call pshmem_NAME, so that these are wrapped as well.
#include <dlfcn.h>
#include <shmem.h>

#include <cstdlib>

#include "api/profile/profiled.hpp"
#include "base/error.hpp"

// A job's shells, debuggers and interpreters have this library loaded, too, and not the one that
// has these; they call nothing of it. Functions are bound when they are called, variables at once.
#pragma weak isthmus_context_default
#pragma weak isthmus_team_world

namespace isthmus::profile {
namespace {

// The next one behind this library: libisthmus's own.
template <typename Routine>
Routine* next_of(const char* name) {
    void* routine = dlsym(RTLD_NEXT, name);
    // Python loads its modules, and the library with them, for nobody else to see.
    if (!routine && dlopen("libisthmus.so.0", RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL))
        routine = dlsym(RTLD_NEXT, name);
    if (!routine) {
        say_from(name, "is not there: libisthmus and the library that counts differ");
        std::abort();
    }
    return reinterpret_cast<Routine*>(routine);
}

}  // namespace
}  // namespace isthmus::profile

#define ISTHMUS_REAL(NAME)                                        \
    ([] {                                                         \
        static auto* const real = next_of<decltype(NAME)>(#NAME); \
        return real;                                              \
    }())
#include "api/profile/wrappers.inc"

// What shmem_inline.h calls.
#define ALIAS(R, NAME, PARAMETERS, ARGUMENTS) \
    ISTHMUS_API R pshmem_##NAME PARAMETERS __attribute__((alias("shmem_" #NAME)));
#define ALIAS_ELEMENT(T, N) SHMEM_TABLE_ELEMENT(ALIAS, T, N)
SHMEM_RMA_TYPES(ALIAS_ELEMENT)
#define ALIAS_BLOCK(T, N) SHMEM_TABLE_BLOCK(ALIAS, T, N)
SHMEM_RMA_TYPES(ALIAS_BLOCK)
#define ALIAS_BLOCK_SIZED(BITS) SHMEM_TABLE_BLOCK_SIZED(ALIAS, BITS)
SHMEM_ELEMENT_SIZES(ALIAS_BLOCK_SIZED)
SHMEM_TABLE_BLOCK_MEMORY(ALIAS)
#define ALIAS_EXTENDED(T, N) SHMEM_TABLE_AMO_EXTENDED(ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(ALIAS_EXTENDED)
SHMEM_FLOATING_AMO_TYPES(ALIAS_EXTENDED)
#define ALIAS_STANDARD(T, N) SHMEM_TABLE_AMO_STANDARD(ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(ALIAS_STANDARD)
#define ALIAS_BITWISE(T, N) SHMEM_TABLE_AMO_BITWISE(ALIAS, T, N)
SHMEM_BITWISE_AMO_TYPES(ALIAS_BITWISE)

// libisthmus looks whether this is there.
ISTHMUS_API const unsigned char isthmus_preloaded_library = 1;
