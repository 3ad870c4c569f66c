// Barriers in two halves, with names. A notify counts at the first PE of its group, those that are
// near each other; the last of a group counts at PE 0; the last of all tells every PE what has
// become of the barrier. All of it are atomics and puts, which need no call at their target: a
// barrier becomes complete whatever its PEs do after their notify.
//
// The gates are used in turns. Who comes last into barrier k has all others behind the wait of
// barrier k - 1, so it may clear that one's gates, which barrier k + 1 takes.
#include <atomic>

#include "api/gasnet/face.hpp"
#include "core/reach/operation.hpp"
#include "core/wait/event.hpp"
#include "core/wait/in_handler.hpp"

namespace isthmus::gasnet {

Control* control = nullptr;

namespace {

using transport::Atomic;
using transport::AtomicKind;

constexpr std::uint64_t kNamed = std::uint64_t{1} << 32;
constexpr std::uint64_t kMismatch = std::uint64_t{1} << 32;  // in a count

// The word `released`: a number of the barrier, and what it came to.
constexpr std::uint64_t kReleasedMismatch = std::uint64_t{1} << 33;
constexpr std::uint64_t kReleasedNamed = kNamed;
constexpr unsigned kNumberShift = 34;
constexpr std::uint64_t kNumbers = std::uint64_t{1} << (64 - kNumberShift);

struct State {
    int group_first = 0;
    int group_size = 1;
    int groups = 1;
    // Of the barrier that this PE has notified; atomic, since the wait may be another thread's.
    std::atomic<bool> notified = false;
    std::uint64_t number = 0;
    std::uint64_t result = 0;  // of the last one
};
State state;

std::uint64_t change(std::uint64_t& word, int pe, AtomicKind kind, std::uint64_t operand,
                     std::uint64_t compare = 0) {
    const Atomic atomic{kind, 8, operand, compare};
    return operation::fetch_atomic(operation::find(&word, pe), &word, pe, atomic,
                                   "gasnet_barrier_notify");
}

struct Arrival {
    std::uint64_t name = 0;  // 0: no caller so far has given one
    bool mismatch = false;
    bool is_last = false;
};

// Into the gate at `pe`, of so many; what they agree in, for the last one.
Arrival enter(Gate& gate, int pe, int callers, std::uint64_t name, bool mismatch) {
    if (name != 0) {
        const std::uint64_t first = change(gate.name, pe, AtomicKind::compare_swap, name, 0);
        mismatch |= first != 0 && first != name;
    }
    const std::uint64_t before =
        change(gate.count, pe, AtomicKind::add, mismatch ? kMismatch + 1 : 1);
    Arrival arrival;
    arrival.is_last = static_cast<std::uint32_t>(before) + 1 == static_cast<std::uint32_t>(callers);
    if (!arrival.is_last) return arrival;
    arrival.mismatch = mismatch || before >= kMismatch;
    arrival.name = change(gate.name, pe, AtomicKind::fetch, 0);
    return arrival;
}

void clear(Gate& gate, int pe) {
    change(gate.name, pe, AtomicKind::swap, 0);
    change(gate.count, pe, AtomicKind::swap, 0);
}

void release_all(std::uint64_t word) {
    auto& released = *reinterpret_cast<std::atomic<std::uint64_t>*>(&control->released);
    for (int step = 1; step <= job.pes; ++step) {
        const int pe = (job.me + step) % job.pes;
        // Release: partner is the acquire of has_come_out(). What was put before the notify is put.
        operation::tell(&released, nullptr, 0, released, word, pe, "gasnet_barrier_notify");
        if (is_near(pe) && pe != job.me) wake(pe);
    }
}

bool has_come_out(std::uint64_t number) {
    const std::uint64_t word = __atomic_load_n(&control->released, __ATOMIC_ACQUIRE);
    return word >> kNumberShift == number % kNumbers;
}

int come_out(int id, int flags) {
    const std::uint64_t word = __atomic_load_n(&control->released, __ATOMIC_RELAXED);
    state.result = word;
    // Either half may name the barrier and the other not; a name is the one that it came to have.
    const bool differs =
        flags == 0 && (word & kReleasedNamed) != 0 && id != static_cast<int>(word & 0xffffffff);
    state.notified.store(false, std::memory_order_release);
    return differs || (word & kReleasedMismatch) != 0 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

// IMAGES means the same to a node as no such flag.
constexpr int without_images(int flags) {
    return flags & ~GASNET_BARRIERFLAG_IMAGES;
}

void require_notified(const char* routine) {
    require_attached(routine);
    // Acquire: partner is the release of the notify.
    if (!state.notified.load(std::memory_order_acquire))
        fail(routine, "called without a gasnet_barrier_notify before it");
}

}  // namespace

void open_barriers(int group_first, int group_size, int groups) {
    state.group_first = group_first;
    state.group_size = group_size;
    state.groups = groups;
    state.notified.store(false, std::memory_order_relaxed);
    state.number = 0;
    state.result = 0;
}

}  // namespace isthmus::gasnet

using namespace isthmus;
using namespace isthmus::gasnet;

ISTHMUS_API void gasnet_barrier_notify(int id, int flags) {
    require_attached("gasnet_barrier_notify");
    if (is_wait_in_handler()) require_allowed("gasnet_barrier_notify");
    if (state.notified.load(std::memory_order_acquire))
        fail("gasnet_barrier_notify",
             "called again without a gasnet_barrier_wait for the one before");
    note(Routine::gasnet_barrier_notify);
    flags = without_images(flags);
    const std::uint64_t number = ++state.number;
    state.notified.store(true, std::memory_order_release);
    const std::size_t turn = number % 2;
    const std::uint64_t name =
        (flags & (GASNET_BARRIERFLAG_ANONYMOUS)) != 0 ? 0 : kNamed | static_cast<std::uint32_t>(id);
    Arrival arrival = enter(control->of_group[turn], state.group_first, state.group_size, name,
                            (flags & GASNET_BARRIERFLAG_MISMATCH) != 0);
    if (arrival.is_last && state.groups > 1) {
        clear(control->of_group[1 - turn], state.group_first);
        arrival = enter(control->of_job[turn], 0, state.groups, arrival.name, arrival.mismatch);
        if (arrival.is_last) clear(control->of_job[1 - turn], 0);
    } else if (arrival.is_last) {
        clear(control->of_group[1 - turn], state.group_first);
    }
    if (arrival.is_last)
        release_all(number % kNumbers << kNumberShift | (arrival.mismatch ? kReleasedMismatch : 0) |
                    arrival.name);
    poll("gasnet_barrier_notify");
}

ISTHMUS_API int gasnet_barrier_wait(int id, int flags) {
    require_notified("gasnet_barrier_wait");
    if (is_wait_in_handler()) refuse_wait_in_handler("gasnet_barrier_wait");
    note(Routine::gasnet_barrier_wait);
    poll("gasnet_barrier_wait");
    const std::uint64_t number = state.number;
    if (!has_come_out(number))
        wait_wakeable({Routine::gasnet_barrier_wait}, kNoDeadline, [number] {
            const int handled = poll_if_come();
            return look_of(has_come_out(number), handled);
        });
    return come_out(id, without_images(flags));
}

ISTHMUS_API int gasnet_barrier_try(int id, int flags) {
    require_notified("gasnet_barrier_try");
    poll("gasnet_barrier_try");
    if (far::present) far::progress();
    return has_come_out(state.number) ? come_out(id, without_images(flags)) : GASNET_ERR_NOT_READY;
}

ISTHMUS_API int gasnet_barrier(int id, int flags) {
    if (is_wait_in_handler()) refuse_wait_in_handler("gasnet_barrier");
    gasnet_barrier_notify(id, flags);
    return gasnet_barrier_wait(id, flags);
}

ISTHMUS_API int gasnet_barrier_result(int* id) {
    require_attached("gasnet_barrier_result");
    if ((state.result & kReleasedNamed) == 0) return 1;
    *id = static_cast<int>(static_cast<std::uint32_t>(state.result));
    return 0;
}
