#include "core/queues/far_ring.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "core/reach/far.hpp"

namespace isthmus {

FarRingProducer::FarRingProducer(char* ring, char* back, std::uint64_t capacity,
                                 std::uint64_t longest, std::uint64_t item, int owner)
    : ring_(ring),
      back_(back),
      capacity_(capacity),
      longest_(longest),
      item_(item),
      allowed_(allowed_bytes(capacity)),
      owner_(owner),
      frame_(frame_bytes(longest) / kCell) {}

// The consumer keeps back what it has released until it is `step`. So when it has emptied the ring,
// less than `step` counts as outstanding here, and the longest message, with the padding before it,
// must still find room: else both would wait. Where the allowance is too small for that, every
// release is told.
void FarRingProducer::announce(const char* routine) {
    const std::uint64_t needed = 2 * frame_bytes(longest_);
    const std::uint64_t step = allowed_ > needed ? std::min(allowed_ / 8, allowed_ - needed) : 1;
    far::put(&far_ring_words(ring_).step, &step, sizeof step, owner_, routine);
}

// Bytes that may be sent now; `wanted`, not above the capacity, always may when nothing is
// outstanding.
std::uint64_t FarRingProducer::free_bytes(std::uint64_t wanted) {
    if (tail_ + wanted - released_ > allowed_) {
        // Acquire: see FarRingWords.
        released_ = far_ring_words(back_).released.load(std::memory_order_acquire);
    }
    const std::uint64_t outstanding = tail_ - released_;
    if (outstanding == 0) return std::max(allowed_, wanted);
    return allowed_ > outstanding ? allowed_ - outstanding : 0;
}

// The rest of the frame, and then its mark, which makes it visible.
void FarRingProducer::send_frame(const FrameHead& head, const char* routine) {
    char* const place = ring_ + kRingOffset + (tail_ & (capacity_ - 1));
    auto* const there = reinterpret_cast<FrameHead*>(place);
    const std::uint64_t size = head.size == kPadding ? 0 : head.size;
    far::tell(&there->size, &head.size, sizeof(FrameHead) - offsetof(FrameHead, size) + size,
              reinterpret_cast<std::uint64_t*>(&there->mark), tail_ | kVisible, owner_, routine);
    tail_ += head.cells * kCell;
}

char* FarRingProducer::reserve(std::uint64_t& room, const char* routine) {
    const std::uint64_t longest = frame_bytes(longest_);
    const std::uint64_t shortest = std::max(frame_bytes(item_), longest / 8 & ~(kCell - 1));
    const std::uint64_t to_end = capacity_ - (tail_ & (capacity_ - 1));
    // What is left up to the end of the ring is used as far as items fit.
    const std::uint64_t padding = to_end < frame_bytes(item_) ? to_end : 0;
    std::uint64_t bytes = std::min(longest, padding != 0 ? longest : to_end);
    const std::uint64_t free = free_bytes(padding + bytes);
    if (free < padding + std::min(shortest, bytes)) return nullptr;
    bytes = std::min(bytes, (free - padding) & ~(kCell - 1));
    if (padding != 0) {
        FrameHead head{};
        head.size = kPadding;
        head.cells = static_cast<std::uint32_t>(padding / kCell);
        send_frame(head, routine);
    }
    room = std::min(longest_, (bytes - sizeof(FrameHead)) / item_ * item_);
    return frame_.data()->bytes + sizeof(FrameHead);
}

void FarRingProducer::commit(std::uint64_t size, const char* routine) {
    auto& head = *reinterpret_cast<FrameHead*>(frame_.data());
    head.size = static_cast<std::uint32_t>(size);
    head.cells = static_cast<std::uint32_t>(frame_bytes(size) / kCell);
    send_frame(head, routine);
}

void FarRingReturns::tell_released(const char* routine) {
    // Relaxed: this thread is the consumer.
    const std::uint64_t head =
        reinterpret_cast<RingControl*>(ring_)->head.load(std::memory_order_relaxed);
    // Acquire: it came before the first message.
    const std::uint64_t step = far_ring_words(ring_).step.load(std::memory_order_acquire);
    if (head - told_ < step || head == told_) return;
    told_ = head;
    auto* const word = reinterpret_cast<std::uint64_t*>(&far_ring_words(back_).released);
    far::tell(word, nullptr, 0, word, head, producer_, routine);
}

}  // namespace isthmus
