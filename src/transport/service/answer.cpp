#include "transport/service/answer.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace isthmus::transport::service {
namespace {

static_assert((kAnswerSlots & (kAnswerSlots - 1)) == 0, "tokens are taken apart by a mask");

AnswerSlot slots[kAnswerSlots];
std::mutex guard;
std::size_t used = 0;
std::size_t returned[kAnswerSlots];
std::size_t returned_count = 0;

// At the end of the thread, behind the destructors of its thread_local objects. Destructors of the
// program's keys may come still and call: they take a slot again, and with it another round of
// destructors, of which the last leaves a slot that nobody has taken back.
void return_slot(void* slot) {
    taken_slot = nullptr;
    const std::lock_guard lock(guard);
    returned[returned_count++] = static_cast<std::size_t>(static_cast<AnswerSlot*>(slot) - slots);
}

// Without one, because the program has all the keys there are, slots do not come back.
struct ThreadEnd {
    pthread_key_t key{};
    bool exists = pthread_key_create(&key, return_slot) == 0;
};

}  // namespace

__thread AnswerSlot* taken_slot = nullptr;

AnswerSlot* take_slot() {
    static const ThreadEnd end;
    std::size_t index = 0;
    {
        const std::lock_guard lock(guard);
        if (returned_count != 0)
            index = returned[--returned_count];
        else if (used < kAnswerSlots)
            index = used++;
        else
            return nullptr;
    }
    taken_slot = &slots[index];
    if (end.exists) pthread_setspecific(end.key, taken_slot);
    if (taken_slot->token.load(std::memory_order_relaxed) == 0)
        taken_slot->token.store(index, std::memory_order_relaxed);
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

}  // namespace isthmus::transport::service
