#include "transport/ofi/answer.hpp"

#include <mutex>
#include <vector>

namespace isthmus::transport::ofi {
namespace {

constexpr unsigned kSlotBits = 12;
static_assert(kAnswerSlots == std::size_t{1} << kSlotBits);

AnswerSlot slots[kAnswerSlots];
std::mutex guard;
std::size_t used = 0;
std::vector<std::size_t> returned;

struct Holder {
    std::size_t index = kAnswerSlots;
    Holder() {
        const std::lock_guard lock(guard);
        if (!returned.empty()) {
            index = returned.back();
            returned.pop_back();
        } else if (used < kAnswerSlots) {
            index = used++;
        }
    }
    ~Holder() {
        const std::lock_guard lock(guard);
        if (index < kAnswerSlots) returned.push_back(index);
    }
};

}  // namespace

AnswerSlot* own_slot() {
    thread_local Holder holder;
    return holder.index < kAnswerSlots ? &slots[holder.index] : nullptr;
}

std::uint64_t arm(AnswerSlot& slot, int answers) {
    const auto index = static_cast<std::uint64_t>(&slot - slots);
    const std::uint64_t last = slot.token.load(std::memory_order_relaxed) >> kSlotBits;
    const std::uint64_t token = (last + 1) << kSlotBits | index;
    slot.left.store(answers, std::memory_order_relaxed);
    slot.token.store(token, std::memory_order_release);  // partner: deliver(), acquire
    return token;
}

bool deliver(std::uint64_t token, std::uint64_t value) {
    AnswerSlot& slot = slots[token & (kAnswerSlots - 1)];
    if (slot.token.load(std::memory_order_acquire) != token ||
        slot.left.load(std::memory_order_relaxed) <= 0)
        return false;
    slot.value = value;
    // Release publishes the value. Partner: the wait of the thread that asked, acquire.
    slot.left.fetch_sub(1, std::memory_order_release);
    return true;
}

}  // namespace isthmus::transport::ofi
