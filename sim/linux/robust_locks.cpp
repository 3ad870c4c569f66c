// Locks that tell of the death of their owner. Each thread has a list of those that it holds, in
// the program's memory, which the system walks when the thread ends.
#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr unsigned kMostLocks = 2048;   // the list may be a ring
constexpr std::uint64_t kInherits = 1;  // in the address of an entry

}  // namespace

std::int64_t Process::robust_list_call(const Hart& hart, std::uint64_t number,
                                       const std::uint64_t (&a)[6]) {
    if (number == kSysSetRobustList) {
        if (a[1] != sizeof(RobustList)) return -EINVAL;
        robust_lists_[hart.id] = a[0];
        return 0;
    }
    const auto tid = static_cast<std::int32_t>(a[0]);
    const Hart* const owner = tid == 0 ? &hart : thread(tid);
    if (owner == nullptr) return -ESRCH;
    const auto found = robust_lists_.find(owner->id);
    const std::uint64_t list = found == robust_lists_.end() ? 0 : found->second;
    return put(a[2], std::uint64_t{sizeof(RobustList)}) && put(a[1], list) ? 0 : -EFAULT;
}

void Process::leave_locks(unsigned id) {
    leave_listed_locks(id);
    // Who waits for one that inherits gets it, though it is in no list.
    std::vector<std::uint64_t> waited;
    for (const auto& [hart, sleeper] : sleepers_) {
        if (sleeper.futex != 0 && sleeper.bits == 0) waited.push_back(sleeper.futex);
    }
    for (const std::uint64_t address : waited)
        leave_lock(id, address, true, false);
}

void Process::leave_listed_locks(unsigned id) {
    const auto found = robust_lists_.find(id);
    if (found == robust_lists_.end()) return;
    const std::uint64_t list = found->second;
    robust_lists_.erase(found);
    RobustList head;
    if (!get(list, head)) return;
    // The lock that the thread was about to take or to give up may be in the list, too.
    const std::uint64_t pending = head.pending & ~kInherits;
    std::uint64_t entry = head.first;
    for (unsigned i = 0; i < kMostLocks && (entry & ~kInherits) != list; ++i) {
        const std::uint64_t at = entry & ~kInherits;
        std::uint64_t next;
        const bool more = get(at, next);
        if (at != pending && !leave_lock(id, at + head.offset, (entry & kInherits) != 0, false))
            return;
        if (!more) return;
        entry = next;
    }
    if (pending != 0) leave_lock(id, pending + head.offset, (head.pending & kInherits) != 0, true);
}

bool Process::leave_lock(unsigned id, std::uint64_t address, bool inherits, bool pending) {
    std::uint32_t value;
    if ((address & 3) != 0 || !get(address, value)) return false;
    // It had been given up, but nobody had been told yet.
    if (pending && !inherits && value == 0) {
        wake_futex(address, 1, ~0u);
        return true;
    }
    if ((value & kFutexOwner) != kProcessId + id) return true;
    if (inherits) return hand_over(address, kFutexOwnerDied);
    if (!put(address, (value & kFutexWaiters) | kFutexOwnerDied)) return false;
    if ((value & kFutexWaiters) != 0) wake_futex(address, 1, ~0u);
    return true;
}

}  // namespace isthmus::sim::linux_abi
