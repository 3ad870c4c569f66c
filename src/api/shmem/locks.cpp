// Distributed locks (9.13): a fair queue lock (Mellor-Crummey and Scott) in the lock's own `long`.
//
// The lock word at its home PE holds the tail of the queue; the lock word at each waiting PE holds
// that PE's place: who comes next, and whether it still waits. So a PE polls its own memory only,
// and the order is first come, first served. PEs are stored as number + 1, 0 is nobody.
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/job/heap.hpp"
#include "core/job/job.hpp"
#include "core/job/lock_word.hpp"
#include "core/job/program_data.hpp"
#include "core/job/road.hpp"
#include "core/reach/operation.hpp"
#include "core/session/session.hpp"
#include "core/wait/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

namespace {

constexpr std::uint16_t kIdle = LockWord::kIdle;
constexpr std::uint16_t kWaiting = LockWord::kWaiting;
constexpr std::uint16_t kHolding = LockWord::kHolding;

// Locks spread over the PEs by their address, alike at every PE: heap and static data each begin
// at corresponding places.
int home_of(const void* lock) {
    const std::uint64_t offset = job.heap.contains(lock)
                                     ? reinterpret_cast<std::uintptr_t>(lock) - job.heap.begin
                                     : static_offset(lock);
    return static_cast<int>(offset / sizeof(long) % static_cast<std::uintptr_t>(job.pes));
}

struct Lock {
    LockWord* mine;
    int home;
    std::uint32_t me;
};

// Numbers that no call leaves behind: the lock was never set to zero.
void require_initialised(const Lock& queue, std::uint32_t tail, const char* name) {
    const auto pes = static_cast<std::uint32_t>(job.pes);
    if (tail > pes || __atomic_load_n(&queue.mine->next, __ATOMIC_RELAXED) > pes ||
        __atomic_load_n(&queue.mine->state, __ATOMIC_RELAXED) > kHolding) [[unlikely]]
        refuse(name, "the lock at " + hexadecimal(queue.mine) +
                         " holds no lock's value; set it to 0 at every PE before its first use "
                         "(shmem_calloc does)");
}

// The fields of the lock at another PE: through the window, or by the transport.
std::uint32_t exchange_tail(const Lock& lock, std::uint32_t value, const char* routine) {
    std::uint32_t* const tail = &lock.mine->tail;
    // Publishes this PE's place to the successor; acquires what the last holder released (partner:
    // the exchange of clear_lock).
    return static_cast<std::uint32_t>(
        operation::fetch_atomic(operation::find(tail, lock.home), tail, lock.home,
                                {far::AtomicKind::swap, 4, value, 0}, routine));
}
// What the tail was: if `expected`, it is `value` now.
std::uint32_t replace_tail(const Lock& lock, std::uint32_t expected, std::uint32_t value,
                           const char* routine) {
    std::uint32_t* const tail = &lock.mine->tail;
    return static_cast<std::uint32_t>(
        operation::fetch_atomic(operation::find(tail, lock.home), tail, lock.home,
                                {far::AtomicKind::compare_swap, 4, value, expected}, routine));
}
// Release: partners are the acquires of the waits below.
void store_at(std::uint16_t* field, std::uint16_t value, int pe, const char* routine) {
    operation::post_atomic(operation::find(field, pe), field, pe,
                           {far::AtomicKind::set, 2, value, 0}, routine);
}

// A program may poll by any of these calls, also where all that they look at is near.
Lock open(long* lock, Routine routine) {
    const char* const name = begin(routine);
    far::serve_by_call();
    if (const Text why = why_not_usable(lock, sizeof(long)); !why.empty()) refuse(name, why);
    far::require_aligned(lock, sizeof(long), name);
    auto* const mine = reinterpret_cast<LockWord*>(lock);
    const Lock queue{mine, home_of(lock), static_cast<std::uint32_t>(job.me) + 1};
    const std::uint32_t tail =
        is_near(queue.home) ? __atomic_load_n(&translate(mine, queue.home)->tail, __ATOMIC_RELAXED)
                            : 0;  // seen when it is exchanged
    require_initialised(queue, tail, name);
    return queue;
}

// This PE's place in the queue, which its threads share, one after the other. Acquire: partner is
// leave_place.
bool take_place(const Lock& queue) {
    std::uint16_t idle = kIdle;
    return __atomic_compare_exchange_n(&queue.mine->state, &idle, kWaiting, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}
void leave_place(const Lock& queue) {
    __atomic_store_n(&queue.mine->state, kIdle, __ATOMIC_RELEASE);
}

// Checked mode: the locks that this PE holds.
struct HeldLocks {
    std::mutex guard;
    std::vector<const void*> locks;
};
Lasting<HeldLocks> held;

[[gnu::cold, gnu::noinline]] void note_held(const void* lock) {
    const std::lock_guard guarded(held->guard);
    held->locks.push_back(lock);
}
[[gnu::cold, gnu::noinline]] void forget_held(const void* lock) {
    const std::lock_guard guarded(held->guard);
    std::erase(held->locks, lock);
}
// "lock", or where in the heap it lies.
std::string place_text(const void* lock) {
    std::string name = job.data.contains(lock) ? program_variable(lock) : "";
    if (!name.empty()) return name;
    return hexadecimal(lock) +
           (job.heap.contains(lock) ? std::string(" ") + describe_in_heap(lock).c_str() : "");
}
// A loop of such tests is a wait for the stall report, which names the holder: by `tail`, the PE +
// 1 that stands last in the queue, where it sees no more. The holder may need this processor.
[[gnu::cold, gnu::noinline]] void note_failure(const Lock& queue, std::uint32_t tail) {
    constexpr std::uint32_t kTurn = 64;
    thread_local std::uint32_t failures = 0;
    if (job.spin == 0 || ++failures % kTurn == 0) os::yield();
    const bool is_pe = tail <= static_cast<std::uint32_t>(job.pes);
    note_failed_test({Routine::test_lock, is_pe ? static_cast<int>(tail) - 1 : -1, queue.mine});
}
// With several threads another one may be about to clear it. Once, as such a test may be meant.
[[gnu::cold, gnu::noinline]] void tell_test_of_held(const Lock& queue) {
    static std::atomic<bool> is_told = false;
    if (__atomic_load_n(&queue.mine->state, __ATOMIC_RELAXED) != kHolding ||
        session_thread_level() == SHMEM_THREAD_MULTIPLE ||
        is_told.exchange(true, std::memory_order_relaxed))
        return;
    say_from("shmem_test_lock", "this PE holds the lock " + place_text(queue.mine) +
                                    " itself; the test fails until it is cleared");
}
void now_holds(const Lock& queue) {
    if (job.checked) [[unlikely]]
        note_held(queue.mine);
}

}  // namespace

void isthmus::shmem::tell_held_locks(const char* routine) {
    const std::lock_guard guarded(held->guard);
    for (const void* const lock : held->locks)
        say_from(routine, "this PE still holds the lock " + place_text(lock) +
                              "; nobody else gets it any more: clear it first");
    held->locks.clear();
}

ISTHMUS_API void pshmem_set_lock(long* lock) {
    const Lock queue = open(lock, Routine::set_lock);
    if (!take_place(queue)) {
        // Another thread of this PE may hold the lock or wait for it. A PE alone with itself would
        // wait for ever.
        if (session_thread_level() != SHMEM_THREAD_MULTIPLE)
            refuse("shmem_set_lock", "this PE holds the lock already; locks are not reentrant");
        wait_for({Routine::set_lock, job.me, lock}, [&] { return take_place(queue); });
    }
    __atomic_store_n(&queue.mine->next, std::uint16_t{0}, __ATOMIC_RELAXED);
    const std::uint32_t before = exchange_tail(queue, queue.me, "shmem_set_lock");
    if (before != 0) {
        require_initialised(queue, before, "shmem_set_lock");
        const int predecessor = static_cast<int>(before) - 1;
        store_at(&queue.mine->next, static_cast<std::uint16_t>(queue.me), predecessor,
                 "shmem_set_lock");
        wait_for({Routine::set_lock, predecessor, lock},
                 [&] { return __atomic_load_n(&queue.mine->state, __ATOMIC_ACQUIRE) == kHolding; });
    } else {
        __atomic_store_n(&queue.mine->state, kHolding, __ATOMIC_RELAXED);
    }
    now_holds(queue);
}

ISTHMUS_API int pshmem_test_lock(long* lock) {
    const Lock queue = open(lock, Routine::test_lock);
    if (!take_place(queue)) {  // held or waited for by this PE already
        if (job.checked) [[unlikely]]
            tell_test_of_held(queue);
        note_failure(queue, 0);
        return 1;
    }
    // `next` must be clear before a successor can see this PE as the tail.
    __atomic_store_n(&queue.mine->next, std::uint16_t{0}, __ATOMIC_RELAXED);
    const std::uint32_t tail = replace_tail(queue, 0, queue.me, "shmem_test_lock");
    if (tail != 0) {
        leave_place(queue);
        note_failure(queue, tail);
        return 1;
    }
    lock_taken(queue.mine);
    __atomic_store_n(&queue.mine->state, kHolding, __ATOMIC_RELAXED);
    now_holds(queue);
    return 0;
}

ISTHMUS_API void pshmem_clear_lock(long* lock) {
    const Lock queue = open(lock, Routine::clear_lock);
    if (__atomic_load_n(&queue.mine->state, __ATOMIC_RELAXED) != kHolding)
        refuse("shmem_clear_lock", "the lock is not held by this PE");
    if (job.checked) [[unlikely]]
        forget_held(lock);
    pshmem_quiet();  // what was put under the lock is complete before the next one holds it
    if (replace_tail(queue, queue.me, 0, "shmem_clear_lock") == queue.me) {
        leave_place(queue);
        return;
    }
    std::uint16_t next = 0;
    wait_for({Routine::clear_lock, -1, lock}, [&] {
        next = __atomic_load_n(&queue.mine->next, __ATOMIC_ACQUIRE);
        return next != 0;
    });
    __atomic_store_n(&queue.mine->next, std::uint16_t{0}, __ATOMIC_RELAXED);
    store_at(&queue.mine->state, kHolding, static_cast<int>(next) - 1, "shmem_clear_lock");
    leave_place(queue);
}

SHMEM_TABLE_LOCKS(ISTHMUS_ALIAS)
