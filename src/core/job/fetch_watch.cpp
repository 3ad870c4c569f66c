#include "core/job/fetch_watch.hpp"

#include <algorithm>
#include <mutex>

#include "base/os.hpp"
#include "core/job/activity.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"

// What is written here is read elsewhere without order, as it is by the program itself.
#define ISTHMUS_UNORDERED __attribute__((no_sanitize("thread")))

namespace isthmus::fetch_watch {
namespace {

constexpr std::uint32_t kEnough = 16;  // the same, one after the other
constexpr std::uint32_t kMost = 2048;  // of any

// Relaxed, all: several threads may note at once, and disturb each other's count at most.
std::atomic<const void*> last_address = nullptr;
std::atomic<int> last_pe = -1;
std::atomic<Answer> last_kind = Answer::none;
std::atomic<std::uint32_t> same = 0;
std::atomic<std::uint32_t> all = 0;
std::atomic<std::uint64_t> last_noted = 0;

// What is closed while this PE is watched, and how it was. Not for the checks, which one word of
// this PE's status closes and opens.
std::mutex changing;
std::uint32_t far_open = 0;
std::atomic<std::uint32_t> open_checks = 0;
std::atomic<std::uint64_t> since = 0;

ISTHMUS_UNORDERED void set(std::uint32_t* limit, std::uint32_t value) {
    if (limit) *limit = value;
}

bool can_be_asked() {
    return unasked.load(std::memory_order_relaxed) != &nobody_asks;
}

void open() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::lock_guard lock(changing);
    same.store(0, kRelaxed);
    all.store(0, kRelaxed);
    if (!can_be_asked()) return;
    is_watched.store(false, kRelaxed);
    set(far_limit.load(kRelaxed), far_open);
    job.status().unasked.store(open_checks.load(kRelaxed), kRelaxed);
}

void end(Answer answer) {
    job.status().fetches.store(static_cast<std::uint32_t>(answer), std::memory_order_release);
    open();
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

void watch_far(std::uint32_t* limit) {
    const std::lock_guard lock(changing);
    far_open = *limit;
    far_limit.store(limit, std::memory_order_relaxed);
}

void begin() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::lock_guard lock(changing);
    if (!can_be_asked() || is_watched.load(kRelaxed)) return;
    job.status().fetches.store(0, kRelaxed);
    same.store(0, kRelaxed);
    all.store(0, kRelaxed);
    since.store(os::monotonic_nanoseconds(), kRelaxed);
    is_watched.store(true, kRelaxed);
    set(far_limit.load(kRelaxed), 0);
    job.status().unasked.store(0, kRelaxed);
}

void look() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kLongest = 2'000'000'000;  // nanoseconds
    if (!is_watched.load(kRelaxed)) {
        if (is_on()) begin();
    } else if (os::monotonic_nanoseconds() - since.load(kRelaxed) > kLongest) {
        open();
    }
}

void note(Answer kind, const void* address, int pe, int width, std::uint64_t value) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kPause = 1'000'000'000;  // nanoseconds: of another question
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
