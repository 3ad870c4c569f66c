#include "core/event.hpp"

#include <limits>

#include "base/settings.hpp"

namespace isthmus {
namespace {

template <typename T>
bool compare(T left, std::int32_t condition, T right) {
    switch (condition) {
        case ISTHMUS_EQ: return left == right;
        case ISTHMUS_NE: return left != right;
        case ISTHMUS_GT: return left > right;
        case ISTHMUS_GE: return left >= right;
        case ISTHMUS_LT: return left < right;
        default: return left <= right;
    }
}

}  // namespace

bool is_true(const Event& event) {
    if (!event.address) return true;
    if (event.width == 4) {
        const auto* word = reinterpret_cast<const std::int32_t*>(event.address);
        return compare<std::int32_t>(__atomic_load_n(word, __ATOMIC_ACQUIRE), event.condition,
                                     static_cast<std::int32_t>(event.value));
    }
    return compare<std::int64_t>(__atomic_load_n(event.address, __ATOMIC_ACQUIRE), event.condition,
                                 event.value);
}

std::uint64_t deadline_after(double timeout) {
    if (timeout < 0) return std::numeric_limits<std::uint64_t>::max();
    const double nanoseconds = timeout * 1e9;
    const std::uint64_t now = os::monotonic_nanoseconds();
    return nanoseconds > 1e18 ? std::numeric_limits<std::uint64_t>::max()
                              : now + static_cast<std::uint64_t>(nanoseconds);
}

std::uint64_t patience_before_sleep() {
    return number(Setting::sleep_milliseconds) * 1'000'000;
}

std::uint64_t longest_sleep() {
    const std::uint64_t milliseconds = number(Setting::wake_milliseconds);
    return (milliseconds == 0 ? 1 : milliseconds) * 1'000'000;
}

bool wait_for_event(const Event& event, std::uint64_t deadline, Routine routine) {
    return wait_wakeable({routine, -1, event.address}, deadline, [&] { return is_true(event); });
}

}  // namespace isthmus
