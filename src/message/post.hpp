// The two rings of this PE, of requests and of replies, in the internal part of its heap; the ends
// of everybody else's; and polling.
//
// Any number of threads poll. One at a time reads a ring and runs its handlers; who finds a ring
// being read goes on. So a message is handled once, and in the order of its ring.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/queues/queue.hpp"
#include "core/queues/ring_reader.hpp"
#include "message/handlers.hpp"

namespace isthmus::messages {

// Where a PE is.
enum class Where : std::uint8_t { near, self, far };

// What leads to a PE. Of this host: the ends of its rings.
struct alignas(128) Target {
    RingProducer requests;
    RingProducer replies;
    Where where = Where::far;
    int pe = 0;
    const std::atomic<std::uint32_t>* sleepers = nullptr;  // of PeStatus
};
static_assert(sizeof(Target) == 128);
// As wake(), behind the look at the sleepers.
// True.
[[gnu::noinline]] bool wake_target(const Target& target);

// A ring of this PE's.
struct Inbox {
    RingReader reader;
    // Who reads it and runs its handlers, as this_thread() says; null: nobody. Acquire by who
    // begins, release by who ends.
    std::atomic<const void*> runner;
};

struct Post {
    // Closed: there are no PEs, and polls look further and find what is wrong.
    std::uint32_t pes;
    // The same, and 0 in checked mode: below it there is nothing more to look at.
    std::uint32_t plain_pes;
    Target* targets;
    std::uint64_t head;  // of messages of this PE's: the source
    // A poll is to look further than at the rings: closed, in checked mode, and between hosts.
    bool looks_further;
    Inbox requests;
    Inbox replies;
    // Who runs a handler of a request to itself; null: nobody. A second thread is counted.
    std::atomic<const void*> own_runner;
};
extern Post post __attribute__((visibility("hidden")));

// Of a session; before others can send. Does nothing if it is open.
void open_post();

// Whether a poll has something to do. Two looks at memory.
inline bool has_come() {
    return post.requests.reader.has_come() || post.replies.reader.has_come() || post.looks_further;
}

// What has come into the rings of this host, replies first; how many handlers ran. Not from a
// handler, nor where poll_both() is to be asked.
int poll_rings();
// The requests among them.
int poll_requests();
// The same, and of other hosts.
int poll_both();
// What a handler may do that finds no room for its reply.
int poll_replies();

// Tells threads apart, without a call where that is possible.
const void* address_in_thread();
inline const void* this_thread() {
#if defined(__has_builtin) && __has_builtin(__builtin_thread_pointer)
    return __builtin_thread_pointer();
#else
    return address_in_thread();
#endif
}

// Whether this thread runs a handler; and holds a lock, which is known in checked mode.
bool is_in_handler();
bool holds_lock();

// Around the handler of a request to this PE itself, by a thread that is in no handler.
class OwnHandler {
  public:
    OwnHandler() {
        const void* nobody = nullptr;
        // Relaxed: only this thread asks whether it is this thread.
        is_runner_ = post.own_runner.compare_exchange_strong(
            nobody, this_thread(), std::memory_order_relaxed, std::memory_order_relaxed);
        if (!is_runner_) [[unlikely]]
            count(1);
    }
    OwnHandler(const OwnHandler&) = delete;
    OwnHandler& operator=(const OwnHandler&) = delete;
    ~OwnHandler() {
        if (is_runner_) [[likely]]
            post.own_runner.store(nullptr, std::memory_order_relaxed);
        else
            count(-1);
    }

  private:
    static void count(int change);
    bool is_runner_;
};
void count_lock(int change);

}  // namespace isthmus::messages
