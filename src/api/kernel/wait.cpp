// Counters, replies to what has gone to far kernels, waits and the barrier.
#include <algorithm>
#include <utility>
#include <vector>

#include "api/kernel/face.hpp"
#include "base/error.hpp"
#include "core/reach/far.hpp"
#include "core/reach/handle.hpp"
#include "core/reach/operation.hpp"
#include "core/wait/sleep.hpp"
#include "message/post.hpp"

namespace isthmus::kernel_face {
namespace {

// What has gone to a far kernel and needs nothing of its program is replied to by the road: with
// all that was issued before. One such question a kernel is under way at a time.
struct Expected {
    int pe = 0;
    std::uint64_t later = 0;  // replies that the question does not stand for
    std::uint64_t now = 0;    // that it does
    far::Handle* question = nullptr;
};
Lasting<std::vector<Expected>> expected;

void look_for_replies() {
    for (Expected& each : *expected) {
        if (each.question && far::test(*each.question)) {
            each.question = nullptr;
            // Relaxed: this thread waits for it.
            face->control->replies.fetch_add(each.now, std::memory_order_relaxed);
            each.now = 0;
        }
        if (!each.question && each.later != 0) {
            each.now = std::exchange(each.later, 0);
            each.question = &far::begin_quiet(each.pe, "isthmus_kernel_poll");
        }
    }
    std::erase_if(*expected, [](const Expected& each) { return !each.question; });
}

// Waits for done() with handlers running. `count`: for reports.
template <typename Done>
int wait(Routine noted, std::uint64_t count, double timeout, Done&& done) {
    const char* const routine = routine_name(noted);
    require_attached(routine);
    if (messages::is_in_handler())
        return refuse(ISTHMUS_ARGUMENT, routine, "called from a handler");
    note(noted);
    WaitTarget target{noted};
    target.value = count;
    if (wait_wakeable(target, deadline_after(timeout), [&] {
            const int handled = poll();
            return look_of(done(), handled);
        }))
        return ISTHMUS_OK;
    return refuse(ISTHMUS_TIMEOUT, routine, "not so many within ", seconds_text(timeout));
}

// Acquire: partners are the atomics of who counts, behind what they count.
std::uint64_t left(const std::atomic<std::uint64_t>& word, std::uint64_t taken) {
    return word.load(std::memory_order_acquire) - taken;
}

}  // namespace

int poll() {
    const int handled = messages::poll_both();
    if (!expected->empty()) look_for_replies();
    return handled;
}

void expect_reply(int pe) {
    const auto found = std::find_if(expected->begin(), expected->end(),
                                    [pe](const Expected& each) { return each.pe == pe; });
    if (found != expected->end())
        ++found->later;
    else
        expected->push_back({pe, 1});
}

void forget_expected() {
    for (const Expected& each : *expected) {
        if (!each.question) continue;
        far::await(*each.question);
        far::give_back(*each.question);
    }
    expected->clear();
}

void count_at(std::atomic<std::uint64_t>& word, int pe, std::uint64_t more, const char* routine) {
    operation::post_atomic(operation::find(&word, pe), &word, pe,
                           {transport::AtomicKind::add, 8, more, 0}, routine);
    if (is_near(pe)) wake(pe);
}

// In round r each kernel tells the one 2^r further on, and waits to be told.
void barrier(const char* routine) {
    ++face->barriers;
    if (far::present) far::quiet();
    for (int round = 0; 1 << round < job.pes; ++round) {
        std::atomic<std::uint64_t>& word = face->control->rounds[round];
        count_at(word, (job.me + (1 << round)) % job.pes, 1, routine);
        const int before = (job.me + job.pes - (1 << round)) % job.pes;
        wait_wakeable({Routine::native_kernel_barrier, before}, kNoDeadline, [&] {
            const int handled = poll();
            return look_of(left(word, face->barriers - 1) != 0, handled);
        });
    }
}

}  // namespace isthmus::kernel_face

using namespace isthmus;
using namespace isthmus::kernel_face;

ISTHMUS_API uint64_t isthmus_kernel_replies(void) {
    require_attached("isthmus_kernel_replies");
    return left(face->control->replies, face->replies_taken);
}
ISTHMUS_API uint64_t isthmus_kernel_arrivals(void) {
    require_attached("isthmus_kernel_arrivals");
    return left(face->control->arrivals, face->arrivals_taken);
}
ISTHMUS_API int64_t isthmus_kernel_counter(void) {
    require_attached("isthmus_kernel_counter");
    return static_cast<int64_t>(left(face->control->counter, face->counter_taken));
}

ISTHMUS_API int isthmus_kernel_wait_replies(uint64_t count, double timeout) {
    const int status = wait(Routine::native_kernel_wait_replies, count, timeout,
                            [count] { return isthmus_kernel_replies() >= count; });
    if (status == ISTHMUS_OK) face->replies_taken += count;
    return status;
}
ISTHMUS_API int isthmus_kernel_wait_arrivals(uint64_t count, double timeout) {
    const int status = wait(Routine::native_kernel_wait_arrivals, count, timeout,
                            [count] { return isthmus_kernel_arrivals() >= count; });
    if (status == ISTHMUS_OK) face->arrivals_taken += count;
    return status;
}
ISTHMUS_API int isthmus_kernel_wait_counter(int64_t value, double timeout) {
    const int status = wait(Routine::native_kernel_wait_counter, static_cast<std::uint64_t>(value),
                            timeout, [value] { return isthmus_kernel_counter() >= value; });
    if (status == ISTHMUS_OK) face->counter_taken += static_cast<std::uint64_t>(value);
    return status;
}

ISTHMUS_API int isthmus_kernel_barrier(void) {
    const char* routine = begin(Routine::native_kernel_barrier, "isthmus_kernel_barrier");
    if (messages::is_in_handler())
        return refuse(ISTHMUS_ARGUMENT, routine, "called from a handler");
    barrier(routine);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_kernel_poll(void) {
    require_attached("isthmus_kernel_poll");
    if (messages::is_in_handler()) {
        refuse_poll(ISTHMUS_ARGUMENT, "isthmus_kernel_poll", "called from a handler");
        return -1;
    }
    return poll();
}
