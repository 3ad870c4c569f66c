// Signals: what a thread blocks, what is pending, handlers and their frames.
//
// A signal is handed out when the node's harts stand still: after a system call and before a round.
// The thread then finds itself in the handler at its next instruction, as after an interrupt. A
// fault of the program's own is handed out at once.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kNeverBlocked = signal_bit(kSigKill) | signal_bit(kSigStop);
constexpr std::uint64_t kMaskBytes = 8, kSmallestStack = 2048;
constexpr int kFirstQueued = 32;  // of the signals that do not merge with a pending one

/// What happens to them without an action is nothing. Stopping is not modelled.
bool ignored_by_default(int number) {
    switch (number) {
        case kSigChld:
        case kSigCont:
        case kSigUrg:
        case kSigWinch:
        case kSigStop:
        case kSigTstp:
        case kSigTtin:
        case kSigTtou: return true;
        default: return false;
    }
}

/// The others are no faults: somebody wanted the program to end.
bool ends_by_fault(int number) {
    switch (number) {
        case kSigQuit:
        case kSigIll:
        case kSigTrap:
        case kSigAbrt:
        case kSigBus:
        case kSigFpe:
        case kSigSegv:
        case kSigXcpu:
        case kSigXfsz:
        case kSigSys: return true;
        default: return false;
    }
}

bool inside(const AlternateStack& stack, std::uint64_t address) {
    return (stack.flags & kStackDisabled) == 0 && address - stack.base <= stack.size &&
           address != stack.base;
}

/// Takes the first of `wanted` out of a list.
bool take(std::vector<SignalInfo>& list, std::uint64_t wanted, SignalInfo& info) {
    // The lowest number first, equal ones in order.
    auto best = list.end();
    for (auto it = list.begin(); it != list.end(); ++it) {
        if ((signal_bit(it->number) & wanted) != 0 &&
            (best == list.end() || it->number < best->number))
            best = it;
    }
    if (best == list.end()) return false;
    info = *best;
    list.erase(best);
    return true;
}

}  // namespace

int signal_of(Cause cause) {
    static constexpr int kSignalOf[12] = {kSigBus, kSigSegv, kSigIll, kSigTrap, kSigBus, kSigSegv,
                                          kSigBus, kSigSegv, 0,       0,        0,       0};
    return kSignalOf[static_cast<unsigned>(cause) % 12];
}

bool Process::ignored(int number) const {
    const std::uint64_t handler = actions_[static_cast<unsigned>(number)].handler;
    return handler == kSigIgnore || (handler == kSigDefault && ignored_by_default(number));
}

Hart* Process::thread(std::int64_t tid) const {
    const std::uint64_t id = static_cast<std::uint64_t>(tid) - kProcessId;
    if (id >= node_.harts.size() || std::ranges::count(gone_, id) != 0) return nullptr;
    return node_.harts[id].get();
}

void Process::send(const SignalInfo& info, std::optional<unsigned> thread) {
    std::vector<SignalInfo>& list = thread ? signals_[*thread].pending : pending_;
    if (info.number < kFirstQueued &&
        std::ranges::any_of(list, [&](const auto& one) { return one.number == info.number; }))
        return;
    list.push_back(info);
}

bool Process::send_signal(Hart& hart, int number) {
    SignalInfo info{};
    info.number = number;
    info.code = kCodeUser;
    send(info, hart.id);
    deliver();
    return true;
}

bool Process::take_pending(unsigned thread, std::uint64_t wanted, SignalInfo& info) {
    if (!take(signals_[thread].pending, wanted, info) && !take(pending_, wanted, info))
        return false;
    if (info.code == kCodeTimer) {
        if (const auto timer = signal_timers_.find(info.sender.pid);
            timer != signal_timers_.end()) {
            SignalTimer& from = timer->second;
            from.last_overrun = std::exchange(from.overrun, 0);
            from.pending = false;
            info.sender.uid = static_cast<std::uint32_t>(from.last_overrun);
        }
    }
    return true;
}

void Process::deliver() {
    if (pending_.empty() &&
        std::ranges::all_of(signals_, [](const auto& one) { return one.second.pending.empty(); }))
        return raise_signal_files();
    // Who waits for a signal takes it before anybody's handler does.
    for (auto it = sleepers_.begin(); it != sleepers_.end();) {
        SignalInfo info;
        if (it->second.signals == 0 || !take_pending(it->first, it->second.signals, info)) {
            ++it;
            continue;
        }
        if (it->second.info != 0) put(it->second.info, info);
        wake(it->first, info.number);
        it = sleepers_.erase(it);
    }
    for (unsigned id = 0; id < node_.harts.size(); ++id) {
        if (std::ranges::count(gone_, id) != 0) continue;
        SignalInfo info;
        while (!node_.exited && take_pending(id, ~signals_[id].blocked, info))
            handle(*node_.harts[id], info);
    }
    raise_signal_files();
}

void Process::handle(Hart& hart, const SignalInfo& info) {
    if (ignored(info.number)) return;
    const SignalAction& action = actions_[static_cast<unsigned>(info.number)];
    if (action.handler == kSigDefault) return end_by_signal(hart, info.number);
    interrupt(hart, action);
    enter_handler(hart, info);
}

/// A handler comes before a call that is about to be made again, and makes calls of its own.
void Process::finish_call(Hart& hart) {
    std::int64_t result;
    if (const auto found = unfinished_.find(hart.id); found != unfinished_.end()) {
        result = static_cast<std::int64_t>(found->second);
        unfinished_.erase(found);
    } else if (std::erase(expired_, hart.id) != 0) {
        result = -EINTR;
    } else {
        return;
    }
    hart.x[10] = static_cast<std::uint64_t>(result);
    hart.pc += 4;  // behind the ecall
}

/// Ends the wait of a thread that is to run a handler.
void Process::interrupt(Hart& hart, const SignalAction& action) {
    const auto found = sleepers_.find(hart.id);
    forget_opening(hart.id);
    if (found == sleepers_.end()) return finish_call(hart);
    const Sleeper& sleeper = found->second;
    if (sleeper.remaining != 0) {
        const std::uint64_t time = deadline_time(sleeper.source);
        const std::uint64_t left = sleeper.deadline > time ? sleeper.deadline - time : 0;
        put(sleeper.remaining, Timespec{static_cast<std::int64_t>(left / 1'000'000'000),
                                        static_cast<std::int64_t>(left % 1'000'000'000)});
    }
    if (sleeper.done != 0) {
        wake(hart.id, static_cast<std::int64_t>(sleeper.done));
    } else if (sleeper.always_restarts || (sleeper.restarts && (action.flags & kSaRestart) != 0)) {
        hart.pc -= 4;  // of the ecall; its arguments are still there
        resume(hart.id);
    } else {
        wake(hart.id, -EINTR);
    }
    sleepers_.erase(found);
}

void Process::enter_handler(Hart& hart, const SignalInfo& info) {
    SignalAction& action = actions_[static_cast<unsigned>(info.number)];
    ThreadSignals& signals = signals_[hart.id];
    std::uint64_t top = hart.x[2];
    const bool on_stack = inside(signals.stack, top);
    if ((action.flags & kSaOnStack) != 0 && (signals.stack.flags & kStackDisabled) == 0 &&
        !on_stack)
        top = signals.stack.base + signals.stack.size;

    SignalFrame frame{};
    frame.info = info;
    frame.stack = signals.stack;
    if (on_stack) frame.stack.flags |= kStackInUse;
    frame.mask =
        signals.after_waiting ? *std::exchange(signals.after_waiting, {}) : signals.blocked;
    frame.registers[0] = hart.pc;
    std::copy_n(hart.x.begin() + 1, 31, frame.registers + 1);
    std::copy_n(hart.f.begin(), 32, frame.f);
    frame.fcsr = hart.frm << 5 | hart.fflags;
    std::copy_n(hart.e.begin(), 32, frame.e);
    const std::uint64_t at = (top - sizeof frame) & ~std::uint64_t{15};
    if (!put(at, frame)) {
        machine_.complain("isthmus-sim: node " + std::to_string(node_.id) +
                          ": no room on the stack for the handler of signal " +
                          std::to_string(info.number) + "\n");
        return end_by_signal(hart, kSigSegv);
    }
    hart.x[1] = kSignalReturn;
    hart.x[2] = at;
    hart.x[10] = static_cast<std::uint64_t>(info.number);
    hart.x[11] = at + offsetof(SignalFrame, info);
    hart.x[12] = at + offsetof(SignalFrame, context_flags);
    hart.pc = action.handler;
    hart.reservation_size = hart.remote_reservation_size = 0;
    signals.blocked |= action.mask & ~kNeverBlocked;
    if ((action.flags & kSaNoDefer) == 0) signals.blocked |= signal_bit(info.number);
    if ((action.flags & kSaResetHandler) != 0) action.handler = kSigDefault;
}

std::int64_t Process::return_from_handler(Hart& hart) {
    SignalFrame frame;
    if (!get(hart.x[2], frame)) {
        end_by_signal(hart, kSigSegv);
        return 0;
    }
    hart.pc = frame.registers[0];
    std::copy_n(frame.registers + 1, 31, hart.x.begin() + 1);
    std::copy_n(frame.f, 32, hart.f.begin());
    hart.fflags = frame.fcsr & 31;
    hart.frm = frame.fcsr >> 5 & 7;
    std::copy_n(frame.e + 1, 31, hart.e.begin() + 1);
    hart.reservation_size = hart.remote_reservation_size = 0;
    ThreadSignals& signals = signals_[hart.id];
    signals.blocked = frame.mask & ~kNeverBlocked;
    signals.stack = frame.stack;
    signals.stack.flags &= ~kStackInUse;
    blocked_ = true;  // all registers are those of before
    return 0;
}

bool Process::holds_faults(const Hart& hart) const {
    const auto signals = signals_.find(hart.id);
    if (signals == signals_.end()) return false;
    return std::ranges::any_of(std::array{kSigSegv, kSigBus}, [&](int number) {
        const std::uint64_t handler = actions_[static_cast<unsigned>(number)].handler;
        return handler != kSigDefault && handler != kSigIgnore &&
               (signals->second.blocked & signal_bit(number)) != 0;
    });
}

int Process::signal_of_fault(const Hart& hart) {
    const int number = signal_of(hart.trap.cause);
    const bool local = hart.trap.name_space == 0;
    return number == kSigSegv && local && is_behind_file(hart.trap.value) ? int{kSigBus} : number;
}

bool Process::handle_fault(Hart& hart) {
    const int number = signal_of_fault(hart);
    if (number == 0) return false;
    const SignalAction& action = actions_[static_cast<unsigned>(number)];
    if (action.handler == kSigDefault || action.handler == kSigIgnore ||
        (signals_[hart.id].blocked & signal_bit(number)) != 0)
        return false;
    SignalInfo info{};
    info.number = number;
    const bool at_instruction = number == kSigIll || number == kSigTrap;
    info.address = at_instruction ? hart.pc : hart.trap.value;
    // SEGV_MAPERR or SEGV_ACCERR, BUS_ADRALN or BUS_ADRERR; of the others the first code:
    // ILL_ILLOPC, TRAP_BRKPT.
    const bool second = number == kSigBus
                            ? is_behind_file(hart.trap.value)
                            : number == kSigSegv && node_.memory.find(hart.trap.value) != nullptr;
    info.code = second ? 2 : 1;
    enter_handler(hart, info);
    return true;
}

void Process::end_by_signal(Hart& hart, int number) {
    // As in a shell, nobody is told of output that nobody wants.
    if (number != kSigPipe) {
        const std::string line = "isthmus-sim: node " + std::to_string(node_.id) + ": signal " +
                                 std::to_string(number) + " ends the program\n";
        machine_.complain(ends_by_fault(number) ? line + machine_.report(node_, hart) : line);
    }
    end(128 + number);
}

std::int64_t Process::send_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto to = static_cast<std::int32_t>(a[0]);
    const bool named = number == kSysTgkill || number == kSysRtTgsigqueueinfo;
    const bool to_thread = named || number == kSysTkill;
    const auto signal = static_cast<std::int32_t>(a[named ? 2 : 1]);
    if (signal < 0 || signal > kSignals) return -EINVAL;
    const Hart* receiver = nullptr;
    if (to_thread) {
        receiver = thread(static_cast<std::int32_t>(a[named ? 1 : 0]));
        if (receiver == nullptr || (named && to != static_cast<int>(kProcessId))) return -ESRCH;
    } else if (const auto own = static_cast<std::int32_t>(kProcessId);
               to != own && to != 0 && to != -own) {
        return -ESRCH;
    }
    if (signal == 0) return 0;
    SignalInfo info{};
    if (number == kSysRtSigqueueinfo || number == kSysRtTgsigqueueinfo) {
        if (!get(a[named ? 3 : 2], info)) return -EFAULT;
    } else {
        info.code = to_thread ? kCodeTkill : kCodeUser;
        info.sender.pid = static_cast<std::int32_t>(kProcessId);
        info.sender.uid = 1000;
    }
    info.number = signal;
    send(info, receiver != nullptr ? std::optional(receiver->id) : std::nullopt);
    return 0;
}

std::int64_t Process::alternate_stack(Hart& hart, std::uint64_t wanted, std::uint64_t old) {
    AlternateStack& stack = signals_[hart.id].stack;
    const bool in_use = inside(stack, hart.x[2]);
    AlternateStack before = stack;
    if (in_use) before.flags |= kStackInUse;
    if (wanted != 0) {
        AlternateStack next;
        if (!get(wanted, next)) return -EFAULT;
        if (in_use) return -EPERM;
        if ((next.flags & ~kStackDisabled) != 0) return -EINVAL;
        if ((next.flags & kStackDisabled) != 0)
            next.base = next.size = 0;
        else if (next.size < kSmallestStack)
            return -ENOMEM;
        stack = next;
    }
    return old == 0 || put(old, before) ? 0 : -EFAULT;
}

std::int64_t Process::signal_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    ThreadSignals& signals = signals_[hart.id];
    switch (number) {
        case kSysRtSigreturn: return return_from_handler(hart);
        case kSysSigaltstack: return alternate_stack(hart, a[0], a[1]);
        case kSysRtSigaction: {
            const auto signal = static_cast<std::int32_t>(a[0]);
            if (signal < 1 || signal > kSignals || a[3] != kMaskBytes) return -EINVAL;
            if (a[1] != 0 && (signal_bit(signal) & kNeverBlocked) != 0) return -EINVAL;
            SignalAction& action = actions_[static_cast<unsigned>(signal)];
            const SignalAction before = action;
            if (a[1] != 0 && !get(a[1], action)) return -EFAULT;
            if (a[2] != 0 && !put(a[2], before)) return -EFAULT;
            if (ignored(signal)) {
                const auto same = [&](const SignalInfo& one) { return one.number == signal; };
                std::erase_if(pending_, same);
                for (auto& [id, of_thread] : signals_)
                    std::erase_if(of_thread.pending, same);
            }
            return 0;
        }
        case kSysRtSigprocmask: {
            if (a[3] != kMaskBytes) return -EINVAL;
            const std::uint64_t before = signals.blocked;
            std::uint64_t set = 0;
            if (a[1] != 0) {
                if (!get(a[1], set)) return -EFAULT;
                switch (a[0]) {
                    case kMaskBlock: set |= before; break;
                    case kMaskUnblock: set = before & ~set; break;
                    case kMaskSet: break;
                    default: return -EINVAL;
                }
                signals.blocked = set & ~kNeverBlocked;
            }
            return a[2] == 0 || put(a[2], before) ? 0 : -EFAULT;
        }
        case kSysRtSigpending: {
            std::uint64_t set = 0;
            for (const auto* list : {&signals.pending, &pending_}) {
                for (const SignalInfo& one : *list)
                    set |= signal_bit(one.number);
            }
            return put(a[0], set) ? 0 : -EFAULT;
        }
        case kSysRtSigsuspend: {
            std::uint64_t set;
            if (a[1] != kMaskBytes) return -EINVAL;
            if (!get(a[0], set)) return -EFAULT;
            signals.after_waiting = std::exchange(signals.blocked, set & ~kNeverBlocked);
            block(hart, Sleeper{});
            return 0;
        }
        default: {  // rt_sigtimedwait
            std::uint64_t set;
            if (a[3] != kMaskBytes) return -EINVAL;
            if (!get(a[0], set)) return -EFAULT;
            SignalInfo info;
            if (take_pending(hart.id, set, info))
                return a[1] == 0 || put(a[1], info) ? info.number : -EFAULT;
            Sleeper sleeper;
            sleeper.signals = set & ~kNeverBlocked;
            sleeper.info = a[1];
            if (a[2] != 0) {
                Timespec time;
                if (!get(a[2], time)) return -EFAULT;
                const auto nanoseconds = nanoseconds_of(time);
                if (!nanoseconds) return -EINVAL;
                if (*nanoseconds == 0) return -EAGAIN;
                sleeper.deadline = deadline_of(*nanoseconds, false, {});
                sleeper.at_deadline = -EAGAIN;
            }
            block(hart, sleeper);
            return 0;
        }
    }
}

}  // namespace isthmus::sim::linux_abi
