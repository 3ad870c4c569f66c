#include "core/job/fetch_watch.hpp"

#include <algorithm>
#include <mutex>

#include "base/os.hpp"
#include "core/job/activity.hpp"
#include "core/job/job.hpp"
#include "core/job/shown_window.hpp"

namespace isthmus::fetch_watch {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // nanoseconds
constexpr std::uint32_t kEnough = 16;             // the same, one after the other
constexpr std::uint32_t kMost = 2048;             // of any

// Relaxed, all: several threads may note at once, and disturb each other's count at most.
std::atomic<const void*> last_address = nullptr;
std::atomic<int> last_pe = -1;
std::atomic<Answer> last_kind = Answer::none;
std::atomic<std::uint32_t> same = 0;
std::atomic<std::uint32_t> all = 0;
std::atomic<std::uint64_t> last_noted = 0;

// What is closed while this PE is watched. Not the checks, which one word of this PE's status
// closes and opens.
enum class Closed : std::uint8_t { nothing, far_ways, window_as_well };
std::mutex changing;
std::atomic<Closed> closed = Closed::nothing;
std::atomic<std::uint32_t> open_checks = 0;
std::atomic<std::uint64_t> since = 0;
// Where threads of the program call at once, one may have seen the window closed, and look at the
// far ways next: whenever these are opened then, it would take its near PE for a far one. So they
// stay closed, until the session ends. Guarded by `changing`.
bool stays_closed = false;

bool can_be_asked() {
    return unasked.load(std::memory_order_relaxed) != &nobody_asks;
}

// Under `changing`. Who calls the library opens the window first. The road's thread leaves that to
// it, for it may be between a test of the window and one of the far ways.
void open_ways(bool by_program) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const Closed was = closed.load(kRelaxed);
    if (was == Closed::nothing || (was == Closed::window_as_well && !by_program)) return;
    if (was == Closed::window_as_well) {
        open_own_window();
        stays_closed = stays_closed || job.status().multiple.load(kRelaxed) != 0;
    }
    const FarWays* const ways = far_ways.load(kRelaxed);
    if (ways && !stays_closed) ways->open();
    closed.store(Closed::nothing, kRelaxed);
}

void open(bool by_program) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::lock_guard lock(changing);
    same.store(0, kRelaxed);
    all.store(0, kRelaxed);
    if (!can_be_asked()) return;
    is_watched.store(false, kRelaxed);
    open_ways(by_program);
    job.status().unasked.store(open_checks.load(kRelaxed), kRelaxed);
}

void end(Answer answer) {
    job.status().fetches.store(static_cast<std::uint32_t>(answer), std::memory_order_release);
    open(true);
}

void publish(const void* address, int pe, int width, std::uint64_t value) {
    constexpr auto kRelaxed = std::memory_order_relaxed;  // published by the release in end()
    found.at.store(place_word(address), kRelaxed);
    found.value.store(value, kRelaxed);
    found.peer.store(static_cast<std::uint32_t>(pe), kRelaxed);
    found.width.store(static_cast<std::uint8_t>(width), kRelaxed);
    PeStatus& status = job.status();
    status.waiting_at.store(place_word(address), kRelaxed);
    status.waiting_for.store(pe, kRelaxed);
    status.waiting_width.store(static_cast<std::uint8_t>(width), kRelaxed);
    status.waiting_value.store(value, kRelaxed);
}

}  // namespace

void let_ask(std::uint32_t limit) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    open_checks.store(std::max(limit, 1u), kRelaxed);
    job.status().unasked.store(open_checks.load(kRelaxed), kRelaxed);
    unasked.store(&job.status().unasked, kRelaxed);
}

void watch_far(const FarWays& ways) {
    const std::lock_guard lock(changing);
    closed.store(Closed::nothing, std::memory_order_relaxed);
    stays_closed = false;
    far_ways.store(&ways, std::memory_order_relaxed);
}

void begin() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::lock_guard lock(changing);
    if (!can_be_asked() || is_watched.load(kRelaxed)) return;
    // What has just been found stands.
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (job.status().fetches.load(kRelaxed) != 0 && now - since.load(kRelaxed) < kSecond) return;
    job.status().fetches.store(0, kRelaxed);
    same.store(0, kRelaxed);
    all.store(0, kRelaxed);
    since.store(now, kRelaxed);
    is_watched.store(true, kRelaxed);
    if (closed.load(kRelaxed) == Closed::nothing) {
        if (const FarWays* const ways = far_ways.load(kRelaxed)) ways->close();
        closed.store(Closed::far_ways, kRelaxed);
    }
    job.status().unasked.store(0, kRelaxed);
}

// A moment after the far ways: no processor that sees the window closed has seen them open.
static void close_window_as_well() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kMoment = 5'000'000;  // nanoseconds
    const std::lock_guard lock(changing);
    if (is_watched.load(kRelaxed) && closed.load(kRelaxed) == Closed::far_ways &&
        os::monotonic_nanoseconds() - since.load(kRelaxed) > kMoment && close_own_window())
        closed.store(Closed::window_as_well, kRelaxed);
}

void look() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kLongest = 2 * kSecond;
    if (!is_watched.load(kRelaxed)) {
        if (is_on()) begin();
    } else if (os::monotonic_nanoseconds() - since.load(kRelaxed) > kLongest) {
        open(false);
    } else {
        close_window_as_well();
    }
}

void open_again() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    if (closed.load(kRelaxed) == Closed::nothing || is_on()) return;
    const std::lock_guard lock(changing);
    if (!is_watched.load(kRelaxed)) open_ways(true);
}

void open_at_once() {
    const std::lock_guard lock(changing);
    open_ways(true);
}

void note(Answer kind, const void* address, int pe, int width, std::uint64_t value) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kPause = kSecond;  // of another question
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (now - last_noted.exchange(now, kRelaxed) > kPause) all.store(0, kRelaxed);
    if (all.load(kRelaxed) == 0) same.store(0, kRelaxed);
    if (last_address.exchange(address, kRelaxed) != address ||
        last_pe.exchange(pe, kRelaxed) != pe || last_kind.exchange(kind, kRelaxed) != kind ||
        kind == Answer::varied)
        same.store(0, kRelaxed);
    // A wait of another thread keeps what it has published.
    const bool waits = job.status().waiting_since.load(kRelaxed) != 0;
    const bool is_last = all.fetch_add(1, kRelaxed) + 1 >= kMost;
    if (same.fetch_add(1, kRelaxed) + 1 >= kEnough && !waits) {
        publish(address, pe, width, value);
        return end(kind);
    }
    if (is_last) end(Answer::varied);
}

}  // namespace isthmus::fetch_watch
