// What polling, lanes and messages to other hosts share; below all of them.
#include "core/job/job.hpp"
#include "core/wait/wait.hpp"
#include "message/post.hpp"

namespace isthmus::messages {

constinit Post post = {.pes = 0,
                       .plain_pes = 0,
                       .targets = nullptr,
                       .head = 0,
                       .looks_further = true,
                       .beyond = kLooksFurther,
                       .due = kLooksFurther,
                       .far_limit = -1,
                       .far_post = nullptr,
                       .far_post_more = nullptr,
                       .far_road = nullptr,
                       .far_word = 0,
                       .traces = false,
                       .lanes = 0,
                       .requests = {},
                       .replies = {}};
constinit std::atomic<std::uint64_t> wanted_room = 0;
constinit thread_local ThreadState thread_state = {};

int wake_target(const Target& target) {
    wake(target.pe);
    return 0;
}

const void* address_in_thread() {
    return &thread_state;
}

bool is_in_handler() {
    const void* const thread = this_thread();
    return post.requests.runner.load(std::memory_order_relaxed) == thread ||
           post.replies.runner.load(std::memory_order_relaxed) == thread ||
           thread_state.own_handlers != 0;
}

bool holds_lock() {
    return thread_state.locks != 0;
}

void count_lock(int change) {
    if (job.checked) thread_state.locks += change;
}

}  // namespace isthmus::messages
