// The wrappers: shmem_NAME for every routine of the table, counting and then calling pshmem_NAME.
// The library comes before libisthmus on the link line, so its symbols are the ones a program gets.
#include <shmem.h>

#include <cstdlib>
#include <type_traits>

#include "api/profile/description.hpp"
#include "api/profile/recorder.hpp"
#include "base/os.hpp"

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

namespace isthmus::profile {
namespace {

// Notes the call when it is over, whatever it returns.
template <Description kDescription, typename... Arguments>
class Call {
  public:
    explicit Call(Index routine) : routine_(routine), begin_(os::monotonic_nanoseconds()) {}
    void over(const Arguments&... arguments) const {
        record(routine_, begin_, bytes_of<kDescription>(arguments...),
               target_of<kDescription>(arguments...));
    }

  private:
    Index routine_;
    std::uint64_t begin_;
};

template <Description kDescription, typename Result, typename... Arguments>
inline Result profiled(Index routine, Result (*real)(Arguments...),
                       std::type_identity_t<Arguments>... arguments) {
    if (recording.load(std::memory_order_relaxed) == 0) [[likely]]
        return real(arguments...);
    const Call<kDescription, Arguments...> call(routine);
    if constexpr (std::is_void_v<Result>) {
        real(arguments...);
        call.over(arguments...);
    } else {
        const Result result = real(arguments...);
        call.over(arguments...);
        return result;
    }
}

template <Description kDescription, typename Result, typename... Arguments>
requires(kDescription.role == Role::initialise) inline Result
    profiled(Index routine, Result (*real)(Arguments...),
             std::type_identity_t<Arguments>... arguments) {
    const std::uint64_t begin = os::monotonic_nanoseconds();
    if constexpr (std::is_void_v<Result>) {
        real(arguments...);
        opened(routine, begin);
    } else {
        const Result result = real(arguments...);
        opened(routine, begin);
        return result;
    }
}

// The counts are gathered before the job is left, so the call itself is not among them.
template <Description kDescription, typename Result, typename... Arguments>
requires(kDescription.role == Role::finalise) inline Result
    profiled(Index, Result (*real)(Arguments...), std::type_identity_t<Arguments>... arguments) {
    closing();
    return real(arguments...);
}

}  // namespace
}  // namespace isthmus::profile

using namespace isthmus::profile;

#define PROFILED(R, SYMBOL, REAL, PARAMETERS, ARGUMENTS)                               \
    ISTHMUS_API R SYMBOL PARAMETERS {                                                  \
        return profiled<describe(#SYMBOL, #ARGUMENTS)>(Index::SYMBOL,                  \
                                                       REAL COMMA_AND_LIST ARGUMENTS); \
    }
#define COMMA_AND_LIST(...) __VA_OPT__(, ) __VA_ARGS__
#define SHMEM_ROUTINE(R, NAME, PARAMETERS, ARGUMENTS) \
    PROFILED(R, shmem_##NAME, pshmem_##NAME, PARAMETERS, ARGUMENTS)
#include <isthmus/shmem_routines.inc>

// libisthmus looks whether this is there.
ISTHMUS_API const unsigned char isthmus_profile_library = 1;

// The two routines that the table cannot hold.
ISTHMUS_API void shmem_global_exit(int status) {
    control(2);
    pshmem_global_exit(status);
}
ISTHMUS_API void shmem_pcontrol(int level, ...) {
    control(level);
}

// Names from before 1.2 count under the names of today.
ISTHMUS_API void start_pes(int) {
    int initialized = 0;
    pshmem_query_initialized(&initialized);
    if (!initialized) shmem_init();
}
ISTHMUS_API int _my_pe(void) {
    return shmem_my_pe();
}
ISTHMUS_API int _num_pes(void) {
    return shmem_n_pes();
}
ISTHMUS_API void* shmalloc(size_t size) {
    return shmem_malloc(size);
}
ISTHMUS_API void shfree(void* ptr) {
    shmem_free(ptr);
}
ISTHMUS_API void* shrealloc(void* ptr, size_t size) {
    return shmem_realloc(ptr, size);
}
ISTHMUS_API void* shmemalign(size_t alignment, size_t size) {
    return shmem_align(alignment, size);
}
