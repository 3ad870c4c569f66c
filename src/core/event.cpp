#include "core/event.hpp"

#include <limits>

#include "base/settings.hpp"

namespace isthmus {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// For conditions that nothing meets: this word is not 1.
constexpr std::int64_t never = 0;

std::uint64_t distance(std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

}  // namespace

bool is_true_narrow(const Event& event) {
    const auto* word = reinterpret_cast<const std::int32_t*>(event.address);
    return distance(event.first, __atomic_load_n(word, __ATOMIC_ACQUIRE)) <= event.span;
}

Event make_event(const std::int64_t* address, int condition, std::int64_t value, bool narrow) {
    const auto range = [&](std::int64_t first, std::int64_t last) {
        return Event{address, first, distance(first, last), narrow};
    };
    const Event nothing{&never, 1, 0, 0};
    switch (condition) {
        case ISTHMUS_EQ: return range(value, value);
        // All but one, going round: from the next one to the one before.
        case ISTHMUS_NE:
            return Event{address, static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + 1),
                         ~std::uint64_t{0} - 1, narrow};
        case ISTHMUS_GT: return value == kMost ? nothing : range(value + 1, kMost);
        case ISTHMUS_GE: return range(value, kMost);
        case ISTHMUS_LT: return value == kLeast ? nothing : range(kLeast, value - 1);
        default: return range(kLeast, value);
    }
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
