#include "message/handler_lock.hpp"

#include <array>
#include <atomic>
#include <mutex>

#include "base/error.hpp"
#include "base/os.hpp"
#include "message/post.hpp"

namespace isthmus::messages {
namespace {

// Of a lock's word: threads are queued, so who gives it back is to wake one. The rest says whose it
// is.
constexpr std::uint32_t kQueued = 0x8000'0000;
constexpr std::uint32_t kOwner = ~kQueued;

constexpr int kLooks = 100;  // before a thread sleeps: some microseconds
// Who has been in the queue for so long is given the lock. Before, whoever comes first has it: a
// lock that is handed to a sleeping thread is nobody's until that one runs.
constexpr std::uint64_t kPatience = 1'000'000;  // nanoseconds

// A number of this thread's, which no other has; not that of a lock which says nothing.
std::uint32_t mark_of_thread() {
    static std::atomic<std::uint32_t> last = kTakenLock;
    // Relaxed: only the number counts.
    thread_local const std::uint32_t mark = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return mark;
}

// What the word of a lock of this thread's says.
std::uint32_t own_word() {
    return job.checked ? mark_of_thread() : kTakenLock;
}

// A thread in a queue, on its stack.
enum : std::uint32_t { kSleeps, kIsToLook, kIsGiven };
struct Queued {
    const std::uint32_t* lock;
    std::uint32_t owner;  // the word of its own lock
    std::uint64_t since;
    std::uint32_t state = kSleeps;
    Queued* next = nullptr;
};

// Locks are shared out among some queues: each is that of a few.
struct alignas(64) Queue {
    std::mutex guard;
    Queued* first = nullptr;

    // Behind those that have waited longer: who is back again has its place.
    void add(Queued& one) {
        Queued** at = &first;
        while (*at && (*at)->since <= one.since)
            at = &(*at)->next;
        one.next = *at;
        *at = &one;
    }
    // The first for this lock, which leaves the queue; null: none. And whether another one stays.
    Queued* remove(const std::uint32_t& lock, bool& is_another) {
        Queued** at = &first;
        while (*at && (*at)->lock != &lock)
            at = &(*at)->next;
        Queued* const found = *at;
        is_another = false;
        if (!found) return nullptr;
        *at = found->next;
        for (const Queued* other = found->next; other && !is_another; other = other->next)
            is_another = other->lock == &lock;
        return found;
    }
};
constinit std::array<Queue, 64> queues;

Queue& queue_of(const std::uint32_t& lock) {
    const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(&lock) / sizeof lock;
    return queues[(number ^ number / queues.size()) % queues.size()];
}

// Whether it was free, whoever is queued, and is this thread's now.
bool take_free(std::uint32_t& word, std::uint32_t owner) {
    // Relaxed: a look; what counts is the exchange.
    std::uint32_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
    while ((seen & kOwner) == kFreeLock)
        // Acquire: partner is the release of who gave it back.
        if (__atomic_compare_exchange_n(&word, &seen, seen | owner, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

bool take_soon(std::uint32_t& word, std::uint32_t owner) {
    for (int look = 0; look < kLooks; ++look) {
        if (take_free(word, owner)) return true;
        os::pause();
    }
    return false;
}

// With the queue's guard. Whether it is taken, and who gives it back will look at the queue.
bool announce(std::uint32_t& word) {
    std::uint32_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);  // a look, as in take_free()
    while ((seen & kOwner) != kFreeLock)
        // Relaxed: the guard orders what is in the queue.
        if (__atomic_compare_exchange_n(&word, &seen, seen | kQueued, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

void take_when_free(std::uint32_t& word, std::uint32_t owner) {
    Queued self{&word, owner, 0};
    while (!take_soon(word, owner)) {
        Queue& queue = queue_of(word);
        {
            const std::lock_guard lock(queue.guard);
            if (!announce(word)) continue;
            if (self.since == 0) self.since = os::monotonic_nanoseconds();
            self.state = kSleeps;
            queue.add(self);
        }
        // Acquire: partner is the release of pass_on().
        while (__atomic_load_n(&self.state, __ATOMIC_ACQUIRE) == kSleeps)
            os::thread_wait(&self.state, kSleeps);
        if (self.state == kIsGiven) return;
    }
}

// The lock of a thread that gives it back and may have others queued.
void pass_on(std::uint32_t& word) {
    Queue& queue = queue_of(word);
    const std::lock_guard lock(queue.guard);
    bool is_another = false;
    Queued* const first = queue.remove(word, is_another);
    const bool is_given = first && os::monotonic_nanoseconds() - first->since >= kPatience;
    // Release: partner is the acquire of who takes it. Whoever announces itself has the guard.
    __atomic_store_n(&word, (is_given ? first->owner : kFreeLock) | (is_another ? kQueued : 0),
                     __ATOMIC_RELEASE);
    if (!first) return;
    // Release: partner is the acquire of take_when_free(), which may go on at once. A wake that
    // finds something else in its place then is one for nothing, as every wait of that kind bears.
    __atomic_store_n(&first->state, is_given ? kIsGiven : kIsToLook, __ATOMIC_RELEASE);
    os::thread_wake(&first->state);
}

}  // namespace

void take_lock_otherwise(std::uint32_t& word, const char* routine) {
    const std::uint32_t owner = own_word();
    // Relaxed: only this thread writes its own mark.
    if (job.checked && (__atomic_load_n(&word, __ATOMIC_RELAXED) & kOwner) == owner)
        fail(routine, "this thread holds the lock already, and would wait for itself");
    take_when_free(word, owner);
    if (job.checked) count_lock(1);
}

bool try_lock_otherwise(std::uint32_t& word) {
    if (!take_free(word, own_word())) return false;
    if (job.checked) count_lock(1);
    return true;
}

void give_back_lock_otherwise(std::uint32_t& word, const char* routine) {
    if (job.checked) {
        // Relaxed: whoever holds it has it.
        std::uint32_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
        if ((seen & kOwner) == kFreeLock) fail(routine, "nobody holds the lock");
        count_lock(-1);
        // Release: partner is the acquire of who takes it.
        if ((seen & kQueued) == 0 &&
            __atomic_compare_exchange_n(&word, &seen, kFreeLock, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
    pass_on(word);
}

}  // namespace isthmus::messages
