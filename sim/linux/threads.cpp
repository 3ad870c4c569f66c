// Threads: harts that start, sleep, wake each other and end.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {

void Process::block(Hart& hart, const Sleeper& sleeper) {
    blocked_ = true;
    Sleeper& kept = sleepers_[hart.id] = sleeper;
    kept.turn = ++turns_;
    runs_[hart.id].before = processor_time(hart.id);
    node_.runnable[hart.id] = false;
    node_.current = (node_.current + 1) % node_.harts.size();
}

void Process::resume(unsigned id) {
    runs_[id].since = progress(*node_.harts[id]);
    node_.runnable[id] = true;
}

void Process::wake(unsigned id, std::int64_t result) {
    node_.harts[id]->x[10] = static_cast<std::uint64_t>(result);
    resume(id);
}

void Process::call_again(unsigned id, const Sleeper& sleeper) {
    if (sleeper.done != 0) unfinished_[id] = sleeper.done;
    ThreadSignals& signals = signals_[id];
    if (signals.after_waiting) signals.blocked = *std::exchange(signals.after_waiting, {});
    Hart& hart = *node_.harts[id];
    hart.pc -= 4;  // of the ecall
    resume(id);
}

void Process::wake_due() {
    ring_timers();
    for (auto it = sleepers_.begin(); it != sleepers_.end();) {
        Sleeper& sleeper = it->second;
        const bool due = sleeper.deadline && sleeper.deadline <= deadline_time(sleeper.source);
        const bool ready = is_ready(it->first, sleeper);
        if (!due && !ready) {
            ++it;
            continue;
        }
        if (sleeper.at_deadline == kCallAgain) {
            if (!ready) expired_.push_back(it->first);
            call_again(it->first, sleeper);
        } else {
            wake(it->first, sleeper.at_deadline);
        }
        it = sleepers_.erase(it);
    }
    deliver();
}

bool Process::is_ready(unsigned id, Sleeper& sleeper) {
    if (sleeper.opens) return opens_now(id);
    return !sleeper.files.empty() && poll(sleeper.files.data(), sleeper.files.size(), 0) > 0;
}

bool Process::somebody_waits_for_others() const {
    return std::ranges::any_of(sleepers_, [](const auto& one) { return one.second.outside; });
}

// With nothing else to do and no time to wait for: as long as it takes.
void Process::wait_for_others() {
    std::vector<pollfd> files;
    for (const auto& [id, sleeper] : sleepers_)
        files.insert(files.end(), sleeper.files.begin(), sleeper.files.end());
    // The host does not tell when a named pipe could be opened.
    const auto opens = [&] {
        return std::ranges::any_of(openings_,
                                   [&](const auto& one) { return opens_now(one.first); });
    };
    while (poll(files.data(), files.size(), openings_.empty() ? -1 : 1) == 0 && !opens()) {
    }
}

bool Process::wake_sleepers(Node& node) {
    std::uint64_t first = 0;
    const bool time_passes = machine_.options().host_clock;
    const auto consider = [&first](std::uint64_t deadline) {
        if (deadline != 0 && (first == 0 || deadline < first)) first = deadline;
    };
    consider(next_signal());
    bool ready = false;
    for (auto& [hart, sleeper] : sleepers_) {
        if (!sleeper.source.is_processor_time()) consider(sleeper.deadline);
        if (!sleeper.files.empty()) consider(next_file_timer());
        ready |= is_ready(hart, sleeper);
    }
    node.wakes_at = first;
    if (!ready) {
        const std::uint64_t now = node.nanoseconds();
        if (first == 0 && !somebody_waits_for_others()) return false;
        if (time_passes && (first == 0 || first > now)) return true;
        // Time passes at once.
        if (first > now)
            node.slept += first - now;
        else if (first == 0)
            wait_for_others();
    }
    wake_due();
    return true;
}

int Process::wake_futex(std::uint64_t address, std::uint64_t most, std::uint32_t bits) {
    int woken = 0;
    for (auto it = sleepers_.begin();
         it != sleepers_.end() && static_cast<std::uint64_t>(woken) < most;) {
        if (it->second.futex == address && (it->second.bits & bits)) {
            wake(it->first, 0);
            it = sleepers_.erase(it);
            ++woken;
        } else {
            ++it;
        }
    }
    return woken;
}

std::int64_t Process::futex(Hart& hart, const std::uint64_t (&a)[6]) {
    const std::uint64_t operation = a[1] & kFutexCommand;
    switch (operation) {
        case kFutexWait:
        case kFutexWaitBitset: {
            std::uint32_t value;
            if (!get(a[0], value)) return -EFAULT;
            if (value != static_cast<std::uint32_t>(a[2])) return -EAGAIN;
            Sleeper sleeper;
            sleeper.futex = a[0];
            if (operation == kFutexWaitBitset) sleeper.bits = static_cast<std::uint32_t>(a[5]);
            if (a[3] != 0) {
                Timespec time;
                if (!get(a[3], time)) return -EFAULT;
                const auto nanoseconds = nanoseconds_of(time);
                if (!nanoseconds) return -EINVAL;
                // WAIT takes a duration, WAIT_BITSET a point in time of one of the clocks.
                if (a[1] & kFutexClockRealtime) sleeper.source = {ClockSource::kRealtime};
                sleeper.deadline =
                    deadline_of(*nanoseconds, operation == kFutexWaitBitset, sleeper.source);
                sleeper.at_deadline = -ETIMEDOUT;
            }
            sleeper.restarts = sleeper.deadline == 0;
            block(hart, sleeper);
            return 0;
        }
        case kFutexWake: return wake_futex(a[0], a[2], ~0u);
        case kFutexWakeBitset: return wake_futex(a[0], a[2], static_cast<std::uint32_t>(a[5]));
        case kFutexRequeue:
        case kFutexCompareRequeue: {
            if (operation == kFutexCompareRequeue) {
                std::uint32_t value;
                if (!get(a[0], value)) return -EFAULT;
                if (value != static_cast<std::uint32_t>(a[5])) return -EAGAIN;
            }
            std::int64_t count = wake_futex(a[0], a[2], ~0u);
            std::uint64_t moved = 0;
            for (auto& [id, sleeper] : sleepers_) {
                if (moved == a[3]) break;
                if (sleeper.futex != a[0] || sleeper.bits == 0) continue;
                sleeper.futex = a[4];
                ++moved;
            }
            return count + static_cast<std::int64_t>(moved);
        }
        case kFutexLock:
        case kFutexLockAnyClock:
        case kFutexTryLock: return lock_futex(hart, a);
        case kFutexUnlock: return unlock_futex(hart, a[0]);
        default: return -ENOSYS;
    }
}

// Locks whose owner's number is in the word. There are no priorities that a waiter could lend it,
// so that what is left is the order: who has waited longest gets the lock from who gives it up.
std::int64_t Process::lock_futex(Hart& hart, const std::uint64_t (&a)[6]) {
    const std::uint64_t operation = a[1] & kFutexCommand;
    std::uint32_t value;
    if ((a[0] & 3) != 0) return -EINVAL;
    if (!get(a[0], value)) return -EFAULT;
    const std::uint32_t owner = value & kFutexOwner;
    const auto own = static_cast<std::uint32_t>(kProcessId + hart.id);
    if (owner == own) return -EDEADLK;
    if (owner == 0) return put(a[0], (value & ~kFutexOwner) | own) ? 0 : -EFAULT;
    if (operation == kFutexTryLock) return -EAGAIN;
    if (thread(owner) == nullptr) return -ESRCH;
    Sleeper sleeper;
    sleeper.futex = a[0];
    sleeper.bits = 0;
    sleeper.always_restarts = true;
    if (a[3] != 0) {
        Timespec time;
        if (!get(a[3], time)) return -EFAULT;
        const auto nanoseconds = nanoseconds_of(time);
        if (!nanoseconds) return -EINVAL;
        if (operation == kFutexLock || (a[1] & kFutexClockRealtime) != 0)
            sleeper.source = {ClockSource::kRealtime};
        sleeper.deadline = deadline_of(*nanoseconds, true, sleeper.source);
        sleeper.at_deadline = -ETIMEDOUT;
    }
    if (!put(a[0], value | kFutexWaiters)) return -EFAULT;
    block(hart, sleeper);
    return 0;
}

std::int64_t Process::unlock_futex(const Hart& hart, std::uint64_t address) {
    std::uint32_t value;
    if ((address & 3) != 0) return -EINVAL;
    if (!get(address, value)) return -EFAULT;
    if ((value & kFutexOwner) != kProcessId + hart.id) return -EPERM;
    return hand_over(address, 0) ? 0 : -EFAULT;
}

bool Process::hand_over(std::uint64_t address, std::uint32_t died) {
    auto next = sleepers_.end();
    unsigned waiters = 0;
    for (auto it = sleepers_.begin(); it != sleepers_.end(); ++it) {
        if (it->second.futex != address || it->second.bits != 0) continue;
        ++waiters;
        if (next == sleepers_.end() || it->second.turn < next->second.turn) next = it;
    }
    std::uint32_t value = died | (waiters > 1 ? std::uint32_t{kFutexWaiters} : 0);
    if (waiters != 0) value |= static_cast<std::uint32_t>(kProcessId + next->first);
    if (!put(address, value)) return false;
    if (waiters != 0) {
        wake(next->first, 0);
        sleepers_.erase(next);
    }
    return true;
}

std::int64_t Process::clone(Hart& hart, const std::uint64_t (&a)[6]) {
    const std::uint64_t flags = a[0];
    if (!(flags & kCloneVm) || !(flags & kCloneThread)) return -ENOSYS;  // no processes
    if (gone_.empty() && node_.harts.size() >= kMaxThreads) return -EAGAIN;
    // The hart of a thread that has ended serves again, its counter goes on.
    Hart* reused = nullptr;
    if (!gone_.empty()) {
        reused = node_.harts[gone_.back()].get();
        gone_.pop_back();
    }
    Hart& child = reused ? *reused : machine_.add_hart(node_, true);
    RdmaNic::watch(child);
    resume(child.id);
    child.x = hart.x;
    child.f = hart.f;
    child.e = hart.e;
    child.fflags = hart.fflags;
    child.frm = hart.frm;
    child.reservation_size = child.remote_reservation_size = 0;
    child.pc = hart.pc;
    child.clock = hart.clock;
    child.x[10] = 0;
    signals_[child.id].blocked = signals_[hart.id].blocked;
    names_[child.id] = names_[hart.id];
    if (a[1]) child.x[2] = a[1];
    if (flags & kCloneSettls) child.x[4] = a[3];
    const auto tid = static_cast<std::int32_t>(kProcessId + child.id);
    if (flags & kCloneParentSettid) put(a[2], tid);
    if (flags & kCloneChildSettid) put(a[4], tid);
    if (flags & kCloneChildCleartid) clear_tid_[child.id] = a[4];
    return tid;
}

void Process::exit_thread(Hart& hart, int code) {
    const unsigned id = hart.id;
    leave_locks(id);
    if (const auto found = clear_tid_.find(id); found != clear_tid_.end()) {
        const std::uint32_t zero = 0;
        put(found->second, zero);
        wake_futex(found->second, 1, ~0u);
        clear_tid_.erase(found);
    }
    ended_ran_ += processor_time(id);
    runs_.erase(id);
    for (auto& [number, one] : signal_timers_) {
        const ClockSource& source = one.timer.source;
        if (source.kind == ClockSource::kThreadRan && source.thread == id) {
            one.timer.deadline = 0;
            one.timer.source.thread = ClockSource::kNobody;
        }
    }
    node_.runnable[id] = false;
    blocked_ = true;
    signals_.erase(id);
    hart.blocks.flush();
    gone_.push_back(id);
    if (gone_.size() == node_.harts.size()) end(code);
}

}  // namespace isthmus::sim::linux_abi
