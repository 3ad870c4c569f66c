#include "transport/ofi/answer.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace isthmus::transport::ofi {
namespace {

static_assert((kAnswerSlots & (kAnswerSlots - 1)) == 0, "tokens are taken apart by a mask");

AnswerSlot slots[kAnswerSlots];
std::mutex guard;
std::size_t used = 0;
std::size_t returned[kAnswerSlots];
std::size_t returned_count = 0;

struct Holder {
    std::size_t index = kAnswerSlots;
    Holder() {
        const std::lock_guard lock(guard);
        if (returned_count != 0) {
            index = returned[--returned_count];
        } else if (used < kAnswerSlots) {
            index = used++;
        }
    }
    ~Holder() {
        const std::lock_guard lock(guard);
        if (index < kAnswerSlots) returned[returned_count++] = index;
    }
};

}  // namespace

__thread AnswerSlot* taken_slot = nullptr;

AnswerSlot* take_slot() {
    thread_local Holder holder;
    if (holder.index >= kAnswerSlots) return nullptr;
    taken_slot = &slots[holder.index];
    if (taken_slot->token.load(std::memory_order_relaxed) == 0)
        taken_slot->token.store(holder.index, std::memory_order_relaxed);
    return taken_slot;
}

namespace {

// Null if nobody waits for this answer.
AnswerSlot* waiting_for(std::uint64_t token) {
    AnswerSlot& slot = slots[token & (kAnswerSlots - 1)];
    const bool waits = slot.token.load(std::memory_order_acquire) == token &&
                       slot.left.load(std::memory_order_relaxed) > 0;
    return waits ? &slot : nullptr;
}

bool put_into(AnswerSlot* slot, std::uint64_t value) {
    if (!slot) return false;
    slot->value = value;
    // Release publishes the value. Partner: the wait of the thread that asked, acquire.
    slot->left.fetch_sub(1, std::memory_order_release);
    return true;
}

}  // namespace

bool deliver(std::uint64_t token, std::uint64_t value) {
    return put_into(waiting_for(token), value);
}

bool deliver(std::uint64_t token, const void* answer, std::size_t bytes) {
    AnswerSlot* const slot = waiting_for(token);
    if (slot && slot->into) std::memcpy(slot->into, answer, std::min(bytes, slot->room));
    return put_into(slot, bytes);
}

}  // namespace isthmus::transport::ofi
