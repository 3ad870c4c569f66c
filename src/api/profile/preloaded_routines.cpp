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
void* real_of(const char* name) {
    void* routine = dlsym(RTLD_NEXT, name);
    // Python loads its modules, and the library with them, for nobody else to see.
    if (!routine && dlopen("libisthmus.so.0", RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL))
        routine = dlsym(RTLD_NEXT, name);
    if (!routine) {
        say_from(name, "is not there: libisthmus and the library that counts differ");
        std::abort();
    }
    return routine;
}

const void* module_of(const void* routine) {
    Dl_info place{};
    return dladdr(routine, &place) != 0 ? place.dli_fbase : nullptr;
}

// The program's tools come before libisthmus: a library of its own that defines shmem_NAME, and
// calls pshmem_NAME. Where that is a wrapper, too, the call is counted there.
template <typename Routine>
Next<Routine> next_of(const char* name) {
    void* const real = real_of(name);
    void* const tool = dlsym(RTLD_NEXT, name + 1);
    if (!tool || module_of(tool) == module_of(real)) return {reinterpret_cast<Routine*>(real)};
    const void* const own = module_of(reinterpret_cast<const void*>(&real_of));
    const bool is_wrapped = module_of(dlsym(RTLD_DEFAULT, name)) == own;
    return {reinterpret_cast<Routine*>(tool),
            is_wrapped ? reinterpret_cast<Routine*>(tool) : nullptr};
}

}  // namespace
}  // namespace isthmus::profile

#define ISTHMUS_NEXT(NAME)                                        \
    ([]() -> const Next<decltype(NAME)>& {                        \
        static const auto found = next_of<decltype(NAME)>(#NAME); \
        return found;                                             \
    }())
#include "api/profile/wrappers.inc"

// What shmem_inline.h calls, and tools.
#define WRAPPED(R, SYMBOL, REAL, PARAMETERS, ARGUMENTS)                                \
    ISTHMUS_API R REAL PARAMETERS {                                                    \
        static auto* const real = reinterpret_cast<decltype(REAL)*>(real_of(#REAL));   \
        return profiled<describe(#SYMBOL, #ARGUMENTS)>(Index::SYMBOL,                  \
                                                       real COMMA_AND_LIST ARGUMENTS); \
    }
#define WRAP(R, NAME, PARAMETERS, ARGUMENTS) \
    WRAPPED(R, shmem_##NAME, pshmem_##NAME, PARAMETERS, ARGUMENTS)
#define WRAP_ELEMENT(T, N) SHMEM_TABLE_ELEMENT(WRAP, T, N)
SHMEM_RMA_TYPES(WRAP_ELEMENT)
#define WRAP_BLOCK(T, N) SHMEM_TABLE_BLOCK(WRAP, T, N)
SHMEM_RMA_TYPES(WRAP_BLOCK)
#define WRAP_BLOCK_SIZED(BITS) SHMEM_TABLE_BLOCK_SIZED(WRAP, BITS)
SHMEM_ELEMENT_SIZES(WRAP_BLOCK_SIZED)
SHMEM_TABLE_BLOCK_MEMORY(WRAP)
#define WRAP_EXTENDED(T, N) SHMEM_TABLE_AMO_EXTENDED(WRAP, T, N)
SHMEM_STANDARD_AMO_TYPES(WRAP_EXTENDED)
SHMEM_FLOATING_AMO_TYPES(WRAP_EXTENDED)
#define WRAP_STANDARD(T, N) SHMEM_TABLE_AMO_STANDARD(WRAP, T, N)
SHMEM_STANDARD_AMO_TYPES(WRAP_STANDARD)
#define WRAP_BITWISE(T, N) SHMEM_TABLE_AMO_BITWISE(WRAP, T, N)
SHMEM_BITWISE_AMO_TYPES(WRAP_BITWISE)
// Where a program begins and ends that defines these two itself.
WRAP(void, init, (void), ())
WRAP(int, init_thread, (int requested, int* provided), (requested, provided))
WRAP(void, finalize, (void), ())

// libisthmus looks whether this is there.
ISTHMUS_API const unsigned char isthmus_preloaded_library = 1;
