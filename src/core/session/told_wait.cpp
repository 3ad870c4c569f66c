#include "core/session/told_wait.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/activity.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"

namespace isthmus {
namespace {

// What lies at `address` of this PE; false if that is no word of the program's.
bool load_word(const void* address, std::size_t width, std::uint64_t& value) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (width == 0 || width > 8 || at % width != 0 ||
        !(job.heap.contains(address) || in_static_data(address)))
        return false;
    value = 0;
    switch (width) {
        case 2:
            value = __atomic_load_n(reinterpret_cast<const std::uint16_t*>(at), __ATOMIC_RELAXED);
            break;
        case 4:
            value = __atomic_load_n(reinterpret_cast<const std::uint32_t*>(at), __ATOMIC_RELAXED);
            break;
        case 8:
            value = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), __ATOMIC_RELAXED);
            break;
        default: return false;
    }
    return true;
}

// One reading at a time, of a place that lasts: an answer may come when nobody waits for it.
struct Reading {
    ToldWait told;
    far::Pending pending;
    bool is_under_way = false;
};
std::mutex reading;
Reading* readings = nullptr;  // one a PE

bool has_come(const Reading& one) {
    // Acquire: partner is Pending::finish.
    return one.pending.reached.load(std::memory_order_acquire) == one.pending.number;
}

}  // namespace

ToldWait told_wait_of(const PeStatus& status) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    ToldWait told;
    told.since = status.waiting_since.load(kRelaxed);
    // Acquire: pairs with the release behind what it has published.
    if (told.since == 0)
        told.fetches = static_cast<std::uint8_t>(status.fetches.load(std::memory_order_acquire));
    told.at = status.waiting_at.load(kRelaxed);
    told.value = status.waiting_value.load(kRelaxed);
    told.words = status.waiting_words.load(kRelaxed);
    told.peer = static_cast<std::uint32_t>(status.waiting_for.load(kRelaxed));
    told.width = status.waiting_width.load(kRelaxed);
    told.condition = status.waiting_condition.load(kRelaxed);
    return told;
}

// Whether it has been at the same for half of the time after which waits are reported: who only
// computes between two calls is left in peace. Relaxed: several threads may answer at once.
static bool is_long_at_it(const PeStatus& status, std::uint64_t now) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    static std::atomic<std::uint64_t> began = 0;
    static std::atomic<Routine> last = Routine::none;
    const double limit = seconds(Setting::stall_seconds);
    const Routine routine = status.routine.load(kRelaxed);
    if (last.exchange(routine, kRelaxed) != routine || began.load(kRelaxed) == 0)
        began.store(now, kRelaxed);
    const std::uint64_t since = began.load(kRelaxed);
    return limit > 0 && now > since && static_cast<double>(now - since) >= limit / 2 * 1e9;
}

// What it fetches, though it waits for an answer at times.
static bool find_fetched(const PeStatus& status, ToldWait& told) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kLong = 1'000'000'000;  // nanoseconds
    const std::uint64_t now = os::monotonic_nanoseconds();
    const bool is_long = is_long_at_it(status, now);
    if (told.since != 0 && now > told.since + kLong) return false;
    // Acquire: pairs with the release behind what it has published.
    const std::uint32_t answer = status.fetches.load(std::memory_order_acquire);
    const fetch_watch::Found& found = fetch_watch::found;
    if (answer > static_cast<std::uint32_t>(fetch_watch::Answer::varied)) {
        told = {};
        told.fetches = static_cast<std::uint8_t>(answer);
        told.at = found.at.load(kRelaxed);
        told.value = found.value.load(kRelaxed);
        told.peer = found.peer.load(kRelaxed);
        told.width = found.width.load(kRelaxed);
    }
    // What comes out of the next look is told with the next answer.
    if (is_long && status.departure.load(kRelaxed) == Departure::none) fetch_watch::begin();
    return told.fetches != 0;
}

void tell_own_wait() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const PeStatus& status = job.status();
    ToldWait told = told_wait_of(status);
    const std::uint64_t since = told.since;
    told.fetches = 0;
    const auto width = static_cast<std::size_t>(std::abs(static_cast<std::int8_t>(told.width)));
    const bool fetches = find_fetched(status, told);
    if (!fetches && since != 0 && load_word(address_at(told.at), width, told.now)) told.has_now = 1;
    // A wait that has changed meanwhile is told the next time.
    if (!fetches && status.waiting_since.load(kRelaxed) != since) told = {};
    // Word by word: who reads half of one and half of another sees two beginnings.
    std::uint64_t words[sizeof told / 8];
    std::memcpy(words, &told, sizeof told);
    auto* const place = internal_object<std::uint64_t>(kToldWaitOffset);
    for (std::size_t i = 0; i < std::size(words); ++i)
        __atomic_store_n(place + i, words[i], __ATOMIC_RELAXED);
}

std::vector<ToldWait> read_told_waits(const std::vector<int>& pes) {
    constexpr std::uint64_t kPatience = 300'000'000;  // nanoseconds
    std::vector<ToldWait> all(static_cast<std::size_t>(job.pes));
    const std::unique_lock lock(reading, std::try_to_lock);
    if (!lock || pes.empty()) return all;
    if (!readings) readings = new Reading[kMaxPes];
    const auto one_of = [](int pe) -> Reading& { return readings[static_cast<std::size_t>(pe)]; };
    std::vector<int> asked;
    for (const int pe : pes) {
        Reading& one = one_of(pe);
        if (one.is_under_way && !has_come(one)) continue;  // of an earlier report
        one.pending.left.store(1, std::memory_order_relaxed);
        ++one.pending.number;
        one.is_under_way = true;
        far::begin_get(&one.told, internal_object<char>(kToldWaitOffset), sizeof one.told, pe,
                       one.pending, "a stall report");
        one.pending.finish(1);
        asked.push_back(pe);
    }
    const std::uint64_t begin = os::monotonic_nanoseconds();
    const auto all_have_come = [&] {
        return std::all_of(asked.begin(), asked.end(),
                           [&](int pe) { return has_come(one_of(pe)); });
    };
    while (!all_have_come() && os::monotonic_nanoseconds() - begin < kPatience) {
        far::progress();
        os::sleep_nanoseconds(100'000);
    }
    for (const int pe : asked) {
        if (has_come(one_of(pe))) all[static_cast<std::size_t>(pe)] = one_of(pe).told;
    }
    return all;
}

}  // namespace isthmus
