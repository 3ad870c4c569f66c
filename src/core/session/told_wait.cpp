#include "core/session/told_wait.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "base/os.hpp"
#include "core/job/activity.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "core/session/last_thread.hpp"

namespace isthmus {
namespace {

// What the words hold that this PE waits for; false if they are none of the program's.
template <typename Word>
bool load_words(std::uintptr_t at, std::size_t words, ToldWait& told) {
    if (at % sizeof(Word) != 0) return false;
    auto* const now = reinterpret_cast<char*>(told.now);
    for (std::size_t i = 0; i < words; ++i) {
        const auto* const word = reinterpret_cast<const Word*>(at) + i;
        if (!job.heap.contains(word) && !in_static_data(word)) return false;
        const Word value = __atomic_load_n(word, __ATOMIC_RELAXED);
        std::memcpy(now + i * sizeof value, &value, sizeof value);
    }
    return true;
}
bool load_words(ToldWait& told) {
    const auto at = reinterpret_cast<std::uintptr_t>(address_at(told.at));
    const std::size_t size = told.words & ~kOwnValues;
    const std::size_t words = std::clamp<std::size_t>(size, 1, ToldWait::kMostNow);
    switch (std::abs(static_cast<std::int8_t>(told.width))) {
        case 2: return load_words<std::uint16_t>(at, words, told);
        case 4: return load_words<std::uint32_t>(at, words, told);
        case 8: return load_words<std::uint64_t>(at, words, told);
        default: return false;
    }
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
    ToldWait told;
    // Acquire: pairs with the release behind what it has published.
    const std::uint32_t fetches = status.fetches.load(std::memory_order_acquire);
    const PublishedWait wait = wait_of(status);
    told.since = wait.since;
    if (wait.since == 0) told.fetches = static_cast<std::uint8_t>(fetches);
    told.at = wait.at;
    told.value = wait.value;
    told.words = wait.words;
    told.peer = static_cast<std::uint32_t>(wait.peer);
    told.width = wait.width;
    told.condition = wait.condition;
    return told;
}

// What it fetches, though it waits for an answer at times.
static bool find_fetched(const PeStatus& status, bool for_report, ToldWait& told) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kLong = 1'000'000'000;  // nanoseconds
    if (told.since != 0 && os::monotonic_nanoseconds() > told.since + kLong) return false;
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
    if (for_report && status.departure.load(kRelaxed) == Departure::none) fetch_watch::begin();
    return told.fetches != 0;
}

// Whether it sleeps, as seen last: not for each of those that ask.
static bool has_slept(bool for_report) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kPause = 100'000'000;  // nanoseconds
    constexpr std::uint64_t kNew = 1'000'000'000;
    static std::atomic<std::uint64_t> looked = 0;
    static std::atomic<bool> slept = false;
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (for_report && now > looked.load(kRelaxed) + kPause) {
        slept.store(does_program_sleep(), kRelaxed);
        looked.store(now, kRelaxed);
    }
    return slept.load(kRelaxed) && now < looked.load(kRelaxed) + kNew;
}

void tell_own_wait(bool for_report) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const PeStatus& status = job.status();
    ToldWait told = told_wait_of(status);
    const std::uint64_t since = told.since;
    told.fetches = 0;
    if (!find_fetched(status, for_report, told)) {
        told.sleeps = since == 0 && has_slept(for_report) ? 1 : 0;
        if (since != 0 && load_words(told)) told.has_now = 1;
        // A wait that has changed meanwhile is told the next time.
        if (status.waiting_since.load(kRelaxed) != since) told = {};
    }
    // Word by word: who reads half of one and half of another sees two beginnings.
    std::uint64_t words[sizeof told / 8];
    std::memcpy(words, &told, sizeof told);
    auto* const place = internal_object<std::uint64_t>(kToldWaitOffset);
    for (std::size_t i = 0; i < std::size(words); ++i)
        __atomic_store_n(place + i, words[i], __ATOMIC_RELAXED);
}

ToldWaits read_told_waits(const std::vector<int>& pes) {
    constexpr std::uint64_t kPatience = 1'000'000'000;  // nanoseconds: only a stopped PE takes it
    const auto size = static_cast<std::size_t>(job.pes);
    ToldWaits all{std::vector<ToldWait>(size), std::vector<bool>(size)};
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
    for (const int pe : pes)
        all.is_silent[static_cast<std::size_t>(pe)] = !has_come(one_of(pe));
    for (const int pe : asked) {
        if (has_come(one_of(pe))) all.told[static_cast<std::size_t>(pe)] = one_of(pe).told;
    }
    return all;
}

}  // namespace isthmus
