// Queues between hosts. A producer asks the owner of the ring, whose progress thread enqueues for
// it: on the ring itself, as a producer of that host. So there is one ring, with one bound, one
// order and one end, however many hosts send to it; nothing is kept for a producer that is silent;
// and an enqueue that has returned is in the ring. The price is a round trip for each message.
//
// Short messages travel in the request. For a longer one the request takes room in the ring, the
// message is put there, and a second request, which nobody waits for, makes it visible.
//
// A producer that finds no room leaves a mark at the ring, as one of the same host does, and waits
// for a word of its own memory to change: whoever makes room takes the mark and changes the word.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "core/queues/queue.hpp"
#include "core/reach/far.hpp"
#include "core/reach/request.hpp"

namespace isthmus {

// ---- the owner's side

// PEs of other hosts may use the ring at `memory`, of this PE. The generation, which is not 0,
// tells it from others that are there earlier or later. It is known when others can find the ring:
// who comes between the two is to wait.
void open_to_far(char* memory);
void name_to_far(const char* memory, std::uint32_t generation);
// And may no more: when it returns no request uses the ring.
void close_to_far(const char* memory);
// At the end of a session.
void forget_far_rings();

// Tells PEs that wait for room, of whatever host.
void nudge(const PeSet& pes);

// ---- the producer's

// One thread at a time.
class FarQueueProducer {
  public:
    // Not named: ask again; the functions here do.
    enum class Outcome : std::uint32_t { done, full, closed, destroyed, not_named };

    // Of the ring that is at `memory` at its owner, as an address of this PE.
    FarQueueProducer(char* memory, std::uint32_t generation, int owner, std::uint64_t capacity)
        : memory_(memory), generation_(generation), owner_(owner), capacity_(capacity) {}

    // A message not above the limit. Does not wait for room.
    Outcome send(const void* message, std::uint64_t size) { return append(message, size, false); }
    // Waits for room as long as it takes: never `full`.
    Outcome send_wait(const void* message, std::uint64_t size, Routine routine);
    // Room in the ring, and memory here to fill; null unless done. It has a FrameHead before it,
    // which is visible, unlike one that is reserved in a near ring.
    void* reserve_wait(std::uint64_t size, Routine routine, Outcome& outcome);
    // Whether this end has reserved it, and how much.
    bool is_reserved(void* message, std::uint64_t& size) const;
    // Of a reserved message, no more than that.
    void commit(void* message, std::uint64_t size, Routine routine);
    // The owner has said so.
    bool destroyed() const { return destroyed_; }
    // Done or destroyed.
    Outcome close();

  private:
    struct alignas(kCell) Cell {
        char bytes[kCell];
    };
    Outcome append(const void* message, std::uint64_t size, bool waits);
    Outcome take_room(std::uint64_t size, bool waits, std::uint64_t& position);
    void make_visible(std::uint64_t position, const void* message, std::uint64_t size,
                      const char* routine);
    // Asks until the ring has its name.
    template <typename Answer, typename Question>
    Answer ask_named(RequestId id, const Question& question, std::size_t bytes = sizeof(Question));
    template <typename Attempt>
    Outcome insist(Routine routine, Attempt&& attempt);

    char* memory_;
    std::uint32_t generation_;
    int owner_;
    std::uint64_t capacity_;
    bool destroyed_ = false;
    std::map<void*, std::unique_ptr<Cell[]>> reserved_;  // by message
};

}  // namespace isthmus
