#include "core/wait/event.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/settings.hpp"

namespace isthmus {
namespace {

// A range of values that goes round: `first` and the `span` values after it. Unsigned.
template <typename Word>
struct Values {
    Word first;
    Word span;
};

// What meets "<condition> value"; false if nothing does.
template <typename Word, typename Signed = std::make_signed_t<Word>>
bool range_of(int condition, Signed value, Values<Word>& values) {
    constexpr auto kLeast = static_cast<Word>(std::numeric_limits<Signed>::min());
    constexpr auto kMost = static_cast<Word>(std::numeric_limits<Signed>::max());
    const auto bits = static_cast<Word>(value);
    switch (condition) {
        case ISTHMUS_EQ: values = {bits, 0}; return true;
        // All but one: from the next one to the one before.
        case ISTHMUS_NE: values = {bits + 1, ~Word{0} - 1}; return true;
        case ISTHMUS_GT: values = {bits + 1, kMost - bits - 1}; return bits != kMost;
        case ISTHMUS_GE: values = {bits, kMost - bits}; return true;
        case ISTHMUS_LT: values = {kLeast, bits - kLeast - 1}; return bits != kLeast;
        default: values = {kLeast, bits - kLeast}; return true;
    }
}

// The second of these is far from every range of 4-byte values, so that the test of such an event
// looks at its own word.
constexpr std::int64_t kTrue = 0;
constexpr std::int64_t kNeverNarrow = std::numeric_limits<std::int64_t>::min();

// For reports: the condition that an event stands for. That of a get stands for none of a word.
template <typename Word>
void tell_condition(const Event& event, WaitTarget& target) {
    constexpr auto kLeast = static_cast<Word>(std::numeric_limits<std::make_signed_t<Word>>::min());
    constexpr auto kMost = static_cast<Word>(kLeast - 1);
    const auto first = static_cast<Word>(event.first);
    const auto span = static_cast<Word>(event.span);
    const auto last = static_cast<Word>(first + span);
    target.width = -static_cast<std::int8_t>(sizeof(Word));
    if (span == 0) {
        target.condition = Condition::equal;
        target.value = first;
    } else if (span == static_cast<Word>(~Word{0} - 1)) {
        target.condition = Condition::not_equal;
        target.value = static_cast<Word>(first - 1);
    } else if (first == kLeast) {
        target.condition = Condition::less_equal;
        target.value = last;
    } else if (last == kMost) {
        target.condition = Condition::greater_equal;
        target.value = first;
    }
}

}  // namespace

WaitTarget target_of(const Event& event, Routine routine) {
    WaitTarget target{routine};
    if (event.narrow && !is_flight(event)) {
        target.address = event.narrow;
        tell_condition<std::uint32_t>(event, target);
    } else if (!event.narrow) {
        target.address = event.address;
        tell_condition<std::uint64_t>(event, target);
    }
    return target;
}

namespace {

// For reports: several events as a set of words (WaitSet), if they are of one width and comparison
// and lie near each other, as those of one array do.
class EventSet {
  public:
    // The target of a wait for any of them; of nothing but the call if they are no such set. It
    // refers to this object.
    WaitTarget target_of_any(const Event* events, std::size_t count, Routine routine) {
        const WaitTarget first = target_of(events[0], routine);
        if (count == 1) return first;
        std::uintptr_t lowest = ~std::uintptr_t{0};
        std::uintptr_t highest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const WaitTarget each = target_of(events[i], routine);
            if (each.condition == Condition::none || each.condition != first.condition ||
                each.width != first.width)
                return {routine};
            const auto at = reinterpret_cast<std::uintptr_t>(each.address);
            lowest = std::min(lowest, at);
            highest = std::max(highest, at);
        }
        const auto width = static_cast<std::size_t>(-first.width);
        const std::size_t words = (highest - lowest) / width + 1;
        if (words > kMost) return {routine};
        std::fill_n(left_out_, words, 1);
        bool differ = false;
        for (std::size_t i = 0; i < count; ++i) {
            const WaitTarget each = target_of(events[i], routine);
            const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(each.address) - lowest;
            const std::size_t place = from / width;
            if (left_out_[place] == 0) return {routine};  // several conditions of one word
            left_out_[place] = 0;
            std::memcpy(values_ + from, &each.value, width);
            differ |= each.value != first.value;
        }
        set_ = {words, left_out_, first.condition, first.value, differ ? values_ : nullptr};
        WaitTarget target = first;
        target.address = reinterpret_cast<const void*>(lowest);
        target.condition = Condition::any;
        target.value = reinterpret_cast<std::uintptr_t>(&set_);
        return target;
    }

  private:
    static constexpr std::size_t kMost = 64;
    WaitSet set_{};
    int left_out_[kMost];
    char values_[kMost * sizeof(std::uint64_t)];
};

constexpr Event kNever{isthmus_event_words, 1, 0, nullptr};  // 0 is not 1

}  // namespace

}  // namespace isthmus

const std::int64_t isthmus_event_words[2] = {isthmus::kTrue, isthmus::kNeverNarrow};

namespace isthmus {

bool is_true_narrow(const Event& event) {
    if (is_flight(event)) return has_landed(event);
    const auto word = static_cast<std::uint32_t>(__atomic_load_n(event.narrow, __ATOMIC_ACQUIRE));
    return word - static_cast<std::uint32_t>(event.first) <= event.span;
}

Event make_event(const std::int64_t* address, int condition, std::int64_t value) {
    Values<std::uint64_t> values{};
    if (!range_of(condition, value, values)) return kNever;
    return {address, static_cast<std::int64_t>(values.first), values.span, nullptr};
}

Event make_event(const std::int32_t* address, int condition, std::int32_t value) {
    Values<std::uint32_t> values{};
    if (!range_of(condition, value, values)) return kNever;
    return {isthmus_event_words + 1, static_cast<std::int64_t>(values.first), values.span, address};
}

std::uint64_t deadline_after(double timeout) {
    if (!(timeout >= 0)) return kNoDeadline;  // NaN, too
    const double nanoseconds = timeout * 1e9;
    const std::uint64_t now = os::monotonic_nanoseconds();
    return nanoseconds > 1e18 ? kNoDeadline : now + static_cast<std::uint64_t>(nanoseconds);
}

std::uint64_t patience_before_sleep() {
    return number(Setting::sleep_milliseconds) * 1'000'000;
}

std::uint64_t longest_sleep() {
    const std::uint64_t milliseconds = number(Setting::wake_milliseconds);
    return (milliseconds == 0 ? 1 : milliseconds) * 1'000'000;
}

bool wait_for_event(const Event& event, std::uint64_t deadline, Routine routine) {
    return wait_wakeable(target_of(event, routine), deadline, [&] { return is_true(event); });
}

bool wait_for_any_event(const Event* events, std::size_t count, std::size_t& index,
                        std::uint64_t deadline, Routine routine) {
    const auto find = [&] {
        for (std::size_t i = 0; i < count; ++i) {
            if (!is_true(events[i])) continue;
            index = i;
            return true;
        }
        return false;
    };
    if (find()) return true;
    EventSet set;
    return wait_wakeable(set.target_of_any(events, count, routine), deadline, find);
}

}  // namespace isthmus
