// The two rings of this PE, of requests and of replies, in the internal part of its heap; the ends
// of everybody else's; and polling.
//
// Any number of threads poll. One at a time reads a ring and runs its handlers; who finds a ring
// being read goes on. So a message is handled once, and in the order of its ring.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/is_zero.hpp"
#include "core/queues/queue.hpp"
#include "core/queues/ring_reader.hpp"
#include "message/credit.hpp"
#include "message/handlers.hpp"
#include "transport/transport.hpp"

namespace isthmus::messages {

// Where a PE is.
enum class Where : std::uint8_t { near, self, far };

// Of a PE of another host: credit of requests to it, and of those from it.
struct FarPair {
    CreditTaken taken;
    CreditOwed owed;
};

// What leads to a PE. Of this host: the ends of its rings.
struct alignas(128) Target {
    RingProducer requests;
    RingProducer replies;
    Where where = Where::far;
    int pe = 0;
    union {
        const std::atomic<std::uint32_t>* sleepers = nullptr;  // of PeStatus
        FarPair* pair;                                         // of one that is far
    };
};
static_assert(sizeof(Target) == 128);
// As wake(), behind the look at the sleepers. 0, so that it may be the last thing that a call does.
[[gnu::noinline]] int wake_target(const Target& target);

// A ring of this PE's.
struct Inbox {
    RingReader reader;
    // Who reads it and runs its handlers, as this_thread() says; null: nobody. Acquire by who
    // begins, release by who ends.
    std::atomic<const void*> runner;
};

// Why a poll is to do more than look at the rings: looks_further; threads of this PE may sleep for
// what a handler does, and whoever has run one wakes them; a face has work under way; there are
// lanes to look at.
enum Beyond : std::uint16_t { kLooksFurther = 1, kHasSleepers = 2, kFaceWorks = 4, kHasLanes = 8 };

struct Post {
    // Closed: there are no PEs, and polls look further and find what is wrong.
    std::uint32_t pes;
    // The same, and 0 in checked mode: below it there is nothing more to look at.
    std::uint32_t plain_pes;
    Target* targets;
    std::uint64_t head;  // of messages of this PE's: the source
    // A poll is to look further than at the rings: closed, in checked mode, and between hosts.
    bool looks_further;
    // The same, and what else keeps a face's polls from being plain, in bits of Beyond: one look.
    std::atomic<std::uint16_t> beyond;
    // What a call may find that need not look at the network, beside what is in the rings: messages
    // of other hosts that lie here, kOneCome each, and in bits of Beyond: closed, checked mode, no
    // thread looks at the network; a face has work under way; lanes. Relaxed: who finds some takes
    // a lock.
    std::atomic<std::uint32_t> due;
    // Messages to other hosts, the shortest way: with this much credit under way before, those of
    // the least cost may go there; -1: that way is closed. Relaxed: a number.
    std::atomic<std::int64_t> far_limit;
    transport::ShortCalls::Post* far_post;
    transport::ShortCalls::PostMore* far_post_more;
    void* far_road;
    std::uint64_t far_word;  // of frames
    bool traces;             // messages go by the ways that note them
    // Lanes that are looked at, a bit each (message/lanes.hpp). Relaxed: who finds some takes a
    // lock.
    std::atomic<std::uint32_t> lanes;
    Inbox requests;
    Inbox replies;
};
extern Post post __attribute__((visibility("hidden")));

// Of a session; before others can send. Does nothing if it is open.
void open_post();

// What a thread waits for room for, for who asks why it waits; 0: none does. Relaxed: plain
// information.
extern std::atomic<std::uint64_t> wanted_room __attribute__((visibility("hidden")));

// As long as this thread waits for room for a message of so many bytes, at this PE. Of several such
// threads the last one is told of.
class WantsRoom {
  public:
    WantsRoom(int pe, bool is_reply, std::size_t bytes)
        : before_(wanted_room.exchange(word_of(pe, is_reply) | bytes, std::memory_order_relaxed)) {}
    WantsRoom(const WantsRoom&) = delete;
    WantsRoom& operator=(const WantsRoom&) = delete;
    ~WantsRoom() { wanted_room.store(before_, std::memory_order_relaxed); }

    // Bytes that are waited for there; `otherwise` if none are.
    static std::size_t at(int pe, bool is_reply, std::size_t otherwise) {
        const std::uint64_t wanted = wanted_room.load(std::memory_order_relaxed);
        return (wanted & ~kBytes) == word_of(pe, is_reply) ? wanted & kBytes : otherwise;
    }

  private:
    static constexpr std::uint64_t kBytes = ~std::uint32_t{0};
    static std::uint64_t word_of(int pe, bool is_reply) {
        return static_cast<std::uint64_t>(2 * (pe + 1) + (is_reply ? 1 : 0)) << 32;
    }
    const std::uint64_t before_;
};

inline constexpr std::uint32_t kOneCome = 256;

// A face has work under way, or none any more.
inline void note_face_works(bool works) {
    // Relaxed: its own thread looks at it.
    if (works) {
        post.beyond.fetch_or(kFaceWorks, std::memory_order_relaxed);
        post.due.fetch_or(kFaceWorks, std::memory_order_relaxed);
    } else {
        post.beyond.fetch_and(static_cast<std::uint16_t>(~kFaceWorks), std::memory_order_relaxed);
        post.due.fetch_and(~std::uint32_t{kFaceWorks}, std::memory_order_relaxed);
    }
}

// Whether there is something to do now that is known without a look at the network; for calls that
// may leave that to the thread that makes progress.
[[gnu::always_inline]] inline bool is_due() {
    return !is_zero(post.due) || post.replies.reader.has_come() || post.requests.reader.has_come();
}

// Whether there is something in lanes.
bool has_come_to_lanes();
// Whether a poll has something to do. Three looks at memory.
inline bool has_come() {
    return post.requests.reader.has_come() || post.replies.reader.has_come() ||
           post.looks_further || (!is_zero(post.lanes) && has_come_to_lanes());
}

// What has come into the rings of this host, replies first; how many handlers ran. Not from a
// handler, nor where poll_both() is to be asked: where there is something beyond.
int poll_rings();
// The requests among them.
int poll_requests();
// The same two for who need not know how many: 0.
int poll_rings_uncounted();
int poll_requests_uncounted();
// The same, and in lanes, and of other hosts.
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

// Of this thread. Known without a call: the library is there when a program starts.
struct ThreadState {
    int own_handlers;  // of requests to this PE itself, which it runs
    int locks;
};
extern constinit thread_local ThreadState thread_state
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// Around the handler of a request to this PE itself, by a thread that is in no handler.
class OwnHandler {
  public:
    OwnHandler() { ++thread_state.own_handlers; }
    OwnHandler(const OwnHandler&) = delete;
    OwnHandler& operator=(const OwnHandler&) = delete;
    ~OwnHandler() { --thread_state.own_handlers; }
};
void count_lock(int change);

}  // namespace isthmus::messages
