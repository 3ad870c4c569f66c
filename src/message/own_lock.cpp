#include "message/own_lock.hpp"

#include <atomic>

#include "base/error.hpp"
#include "core/job/job.hpp"
#include "message/post.hpp"

namespace isthmus::messages {
namespace {

// A number of this thread's, which no other has; not 1, which says nothing.
std::uint32_t mark_of_thread() {
    static std::atomic<std::uint32_t> last = 1;
    // Relaxed: only the number counts.
    thread_local const std::uint32_t mark = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return mark;
}

}  // namespace

void note_taken(std::uint32_t& word) {
    if (!job.checked) return;
    count_lock(1);
    // Relaxed, as all of it: only this thread looks for its own mark.
    __atomic_store_n(&word, mark_of_thread(), __ATOMIC_RELAXED);
}

void refuse_own_lock(const std::uint32_t& word, const char* routine) {
    if (job.checked && __atomic_load_n(&word, __ATOMIC_RELAXED) == mark_of_thread())
        fail(routine, "this thread holds the lock already, and would wait for itself");
}

void note_given_back(const std::uint32_t& word, const char* routine) {
    if (!job.checked) return;
    if (__atomic_load_n(&word, __ATOMIC_RELAXED) == 0) fail(routine, "nobody holds the lock");
    count_lock(-1);
}

}  // namespace isthmus::messages
