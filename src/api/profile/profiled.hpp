// One call of a routine by its wrapper: counted and traced, if that is asked for.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "api/profile/description.hpp"
#include "api/profile/recorder.hpp"
#include "base/os.hpp"

namespace isthmus::profile {

// Behind a wrapper: what it counts and calls; or, if that is there, what it only calls, because the
// call is counted further on.
template <typename Routine>
struct Next {
    Routine* counted;
    Routine* uncounted = nullptr;
};

// Notes the call when it is over, whatever it returns.
template <Description kDescription, typename... Arguments>
class Call {
  public:
    explicit Call(Index routine, const Arguments&... arguments)
        : routine_(routine), begin_(os::monotonic_nanoseconds()) {
        if constexpr (kDescription.word >= 0 && kDescription.target >= 0) {
            if (recording.load(std::memory_order_relaxed) & kTracing)
                before_write(pick<kDescription.word>(arguments...),
                             target_of<kDescription>(arguments...), begin_);
        }
    }
    void over(const Arguments&... arguments) const {
        if constexpr (kDescription.waits >= 0) {
            if (recording.load(std::memory_order_relaxed) & kTracing) note_wait(arguments...);
        }
        record(routine_, begin_, bytes_of<kDescription>(arguments...),
               target_of<kDescription>(arguments...));
    }

  private:
    template <int kPosition>
    static auto pick(const Arguments&... arguments) {
        return std::get<static_cast<std::size_t>(kPosition)>(std::tie(arguments...));
    }
    static void note_wait(const Arguments&... arguments) {
        const auto words = pick<kDescription.waits>(arguments...);
        std::size_t count = 1;
        if constexpr (kDescription.wait_count >= 0)
            count = pick<kDescription.wait_count>(arguments...);
        after_wait(const_cast<const void*>(static_cast<const volatile void*>(words)), count,
                   sizeof *words);
    }

    Index routine_;
    std::uint64_t begin_;
};

template <Description kDescription, typename Result, typename... Arguments>
inline Result profiled(Index routine, Result (*real)(Arguments...),
                       std::type_identity_t<Arguments>... arguments) {
    if (recording.load(std::memory_order_relaxed) == 0) [[likely]]
        return real(arguments...);
    const Call<kDescription, Arguments...> call(routine, arguments...);
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

}  // namespace isthmus::profile
