#include "core/queues/queue_producer.hpp"

#include "core/copy/copy.hpp"

namespace isthmus {

QueueProducer::QueueProducer(char* memory, std::uint32_t generation, int owner,
                             std::uint64_t capacity)
    : near_(RingProducer::closed_ring(capacity)),
      far_(std::make_unique<FarQueueProducer>(memory, generation, owner, capacity)) {}

QueueProducer::Outcome QueueProducer::try_send(const void* message, std::uint64_t size) {
    if (far_) return far_->send(message, size);
    if (near_.closed()) return near_.destroyed() ? Outcome::destroyed : Outcome::closed;
    return Outcome::full;
}

void QueueProducer::fill(void* place, const void* message, std::uint64_t size) {
    copy(place, message, size);
    near_.commit(place, size);
}

QueueProducer::Commit QueueProducer::commit_far(void* message, std::uint64_t size, Routine routine,
                                                std::uint64_t& reserved) {
    if (!far_ || !far_->is_reserved(message, reserved)) return Commit::not_reserved;
    if (size > reserved) return Commit::too_large;
    far_->commit(message, size, routine);
    return Commit::done;
}

QueueProducer::Outcome QueueProducer::close(RingControl* control, int owner) {
    if (far_) return far_->close();
    if (near_.destroyed()) return Outcome::destroyed;
    close_ring(*control, owner);
    return Outcome::done;
}

}  // namespace isthmus
