// A ring between two PEs of different hosts, with one producer. The ring and its consumer's end are
// those of one host (core/queues/queue.hpp); the producer gathers a message in memory of its own,
// and the message goes into the ring in one piece, with the frame's mark as the signal behind the
// data. So nothing is asked of the consumer to send. What it has released it tells, now and then,
// to a word at the producer, which sends no more than there is room for.
//
// Rings come in pairs, one each way, at places that are the same at both PEs: `ring` is the one
// that is written into, `back` the one of the other direction.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/queues/queue.hpp"

namespace isthmus {

// In the first page of a ring, behind its control block.
struct FarRingWords {
    // In the page of `back`, at the producer: how far its consumer has released. Release by the
    // transport, acquire by the producer: the cells are free and cleared.
    std::atomic<std::uint64_t> released;
    // In the page of `ring`, at the consumer: it tells when so many bytes more are free. Written
    // before the ring is used.
    std::atomic<std::uint64_t> step;
};
inline constexpr std::uint64_t kFarRingWords = 2048;
static_assert(sizeof(RingControl) <= kFarRingWords);
static_assert(kFarRingWords + sizeof(FarRingWords) <= kRingOffset);

inline FarRingWords& far_ring_words(char* ring) {
    return *reinterpret_cast<FarRingWords*>(ring + kFarRingWords);
}

// The producer's end. One message at a time, of whole items.
class FarRingProducer {
  public:
    // Messages of up to `longest` bytes, at most a quarter of the ring with their head.
    FarRingProducer(char* ring, char* back, std::uint64_t capacity, std::uint64_t longest,
                    std::uint64_t item, int owner);
    // Tells the consumer how often to speak. It has it when this PE's next quiet is over.
    void announce(const char* routine);
    // Where the next message is gathered, and how many bytes it may have: fewer than the longest
    // where the ring ends, or has not room for more. Null if it has none for a message that pays.
    char* reserve(std::uint64_t& room, const char* routine);
    // Sends what has been gathered, at least one item.
    void commit(std::uint64_t size, const char* routine);

  private:
    std::uint64_t free_bytes(std::uint64_t wanted);
    void send_frame(const FrameHead& head, const char* routine);
    struct alignas(kCell) Cell {
        char bytes[kCell];
    };
    char* ring_;
    char* back_;
    std::uint64_t capacity_;
    std::uint64_t longest_;
    std::uint64_t item_;
    std::uint64_t allowed_;  // bytes that may be outstanding; one message always may
    int owner_;
    std::uint64_t tail_ = 0;
    std::uint64_t released_ = 0;  // the consumer has released at least so far
    std::vector<Cell> frame_;     // the message, behind its head
};

// What the consumer's end has beside RingConsumer.
class FarRingReturns {
  public:
    FarRingReturns(char* ring, char* back, int producer)
        : ring_(ring), back_(back), producer_(producer) {}
    // Behind a release.
    void tell_released(const char* routine);

  private:
    char* ring_;
    char* back_;
    int producer_;
    std::uint64_t told_ = 0;
};

}  // namespace isthmus
