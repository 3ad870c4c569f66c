#include "core/job/fetch_watch.hpp"

#include <csignal>

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

ISTHMUS_UNORDERED void close_one(std::uint32_t& limit, std::uint32_t& kept) {
    kept = limit;
    limit = 0;
}
// False if somebody has set it meanwhile.
ISTHMUS_UNORDERED void open_one(std::uint32_t& limit, std::uint32_t& kept) {
    if (limit == 0) limit = kept;
    kept = 0;
}

ISTHMUS_UNORDERED void end(Answer answer) {
    if (!is_on.exchange(false, std::memory_order_relaxed)) return;  // another thread does
    job.status().fetches.store(static_cast<std::uint32_t>(answer), std::memory_order_release);
    open_one(window.limit, closed.window);
    open_one(isthmus_window.limit, closed.of_program);
    open_one(checked_window.limit, closed.checked);
    open_one(isthmus_checks.limit, closed.checked_of_program);
    if (far_limit) open_one(*far_limit, closed.far);
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

std::uint32_t* far_limit = nullptr;

ISTHMUS_UNORDERED void begin() {
    if (!job.header || window.pes == 0 || is_on.load(std::memory_order_relaxed)) return;
    job.status().fetches.store(0, std::memory_order_relaxed);
    all.store(0, std::memory_order_relaxed);
    same.store(0, std::memory_order_relaxed);
    // Where there is a road, operations on near PEs would take it while the window is closed.
    if (!far_limit) {
        close_one(isthmus_window.limit, closed.of_program);
        close_one(window.limit, closed.window);
    } else {
        close_one(*far_limit, closed.far);
    }
    close_one(isthmus_checks.limit, closed.checked_of_program);
    close_one(checked_window.limit, closed.checked);
    is_on.store(true, std::memory_order_relaxed);
}

void note(Answer kind, const void* address, int pe, int width, std::uint64_t value) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    if (last_address.exchange(address, kRelaxed) != address ||
        last_pe.exchange(pe, kRelaxed) != pe || last_kind.exchange(kind, kRelaxed) != kind ||
        kind == Answer::varied)
        same.store(0, kRelaxed);
    // A wait of another thread keeps what it has published.
    const bool waits = job.status().waiting_since.load(kRelaxed) != 0;
    if (same.fetch_add(1, kRelaxed) + 1 >= kEnough && !waits) {
        publish(address, pe, width, value);
        return end(kind);
    }
    if (all.fetch_add(1, kRelaxed) + 1 >= kMost) end(Answer::varied);
}

int signal_to_begin() {
    return SIGURG;
}

void catch_signal() {
    struct sigaction action {};
    sigaction(signal_to_begin(), nullptr, &action);
    const bool is_free = (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
    const auto handler = [](int) { begin(); };
    if (is_free) {
        action = {};
        action.sa_handler = handler;
        action.sa_flags = SA_RESTART | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        sigaction(signal_to_begin(), &action, nullptr);
    }
    // Of a second session it is there already.
    static bool is_caught = false;
    is_caught |= is_free;
    job.status().can_be_watched.store(is_caught ? 1 : 0, std::memory_order_relaxed);
}

}  // namespace isthmus::fetch_watch
