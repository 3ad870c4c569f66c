// What a process asks about itself, its rights, its limits and the system it runs on: one user, one
// processor, no other process.
#include <algorithm>
#include <filesystem>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kUser = 1000, kSession = 1;
constexpr std::uint64_t kSetName = 15, kGetName = 16;
constexpr std::size_t kNameBytes = 16;
constexpr std::uint64_t kWaitEvents = 2 | 4 | 8;  // exited, stopped, continued
/// Of membarrier: for all, and for one's own process after a registration.
constexpr std::uint64_t kBarrierGlobal = 1, kBarrierOwn = 8, kBarrierRegister = 16;
enum Policy : std::uint64_t { kPolicyOther = 0, kPolicyFifo = 1, kPolicyRoundRobin = 2 };

bool is_realtime_policy(std::uint64_t policy) {
    return policy == kPolicyFifo || policy == kPolicyRoundRobin;
}

}  // namespace

// Only the number of files is held to.
std::int64_t Process::limit_call(std::uint64_t resource, std::uint64_t next, std::uint64_t old) {
    if (resource >= limits_.size()) return -EINVAL;
    Limit& limit = limits_[resource];
    const Limit before = limit;
    if (next != 0) {
        Limit wanted;
        if (!get(next, wanted)) return -EFAULT;
        if (wanted.now > wanted.most) return -EINVAL;
        if (wanted.most > before.most) return -EPERM;
        limit = wanted;
    }
    return old == 0 || put(old, before) ? 0 : -EFAULT;
}

std::int64_t Process::identity_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto id = static_cast<std::int32_t>(a[0]);
    const bool own = id == 0 || id == static_cast<std::int32_t>(kProcessId);
    // As what it was or is.
    const auto may_become = [&](unsigned ids) {
        return std::all_of(a, a + ids, [](std::uint64_t one) {
            return static_cast<std::int32_t>(one) == -1 || one == kUser;
        });
    };
    switch (number) {
        case kSysGetpid: return static_cast<std::int64_t>(kProcessId);
        case kSysGetppid: return 1;
        case kSysGetuid:
        case kSysGeteuid:
        case kSysGetgid:
        case kSysGetegid: return static_cast<std::int64_t>(kUser);
        case kSysSetuid:
        case kSysSetgid: return a[0] == kUser ? 0 : -EPERM;
        case kSysSetreuid:
        case kSysSetregid: return may_become(2) ? 0 : -EPERM;
        case kSysSetresuid:
        case kSysSetresgid: return may_become(3) ? 0 : -EPERM;
        case kSysGetresuid:
        case kSysGetresgid: {
            const auto user = static_cast<std::uint32_t>(kUser);
            return put(a[0], user) && put(a[1], user) && put(a[2], user) ? 0 : -EFAULT;
        }
        case kSysGetgroups: return id < 0 ? -EINVAL : 0;
        case kSysGetpgid: return own ? static_cast<std::int64_t>(kProcessId) : -ESRCH;
        case kSysGetsid: return own ? static_cast<std::int64_t>(kSession) : -ESRCH;
        case kSysSetpgid:
            if (static_cast<std::int32_t>(a[1]) < 0) return -EINVAL;
            if (!own) return -ESRCH;
            return a[1] == 0 || a[1] == kProcessId ? 0 : -EPERM;
        case kSysSetsid: return -EPERM;  // it leads its group
        case kSysWaitid:
            if (a[0] > 3 || (a[3] & kWaitEvents) == 0) return -EINVAL;
            return -ECHILD;
        default: return -ECHILD;  // wait4
    }
}

std::int64_t Process::schedule_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto id = static_cast<std::int32_t>(a[0]);
    const bool of_thread = number == kSysSchedSetscheduler || number == kSysSchedGetscheduler ||
                           number == kSysSchedGetparam || number == kSysSchedSetparam ||
                           number == kSysSchedGetaffinity || number == kSysSchedSetaffinity;
    if (of_thread && id < 0) return -EINVAL;
    if (of_thread && id != 0 && thread(id) == nullptr) return -ESRCH;
    switch (number) {
        case kSysSchedGetaffinity: {
            if (a[1] < 8 || a[1] % 8 != 0) return -EINVAL;
            const std::uint64_t mask = 1;
            return put(a[2], mask) ? 8 : -EFAULT;
        }
        case kSysSchedSetaffinity: {
            std::uint8_t mask;
            if (a[1] == 0) return -EINVAL;
            if (!get(a[2], mask)) return -EFAULT;
            return (mask & 1) != 0 ? 0 : -EINVAL;
        }
        case kSysSchedGetscheduler: return kPolicyOther;
        case kSysSchedGetparam: {
            const std::int32_t priority = 0;
            if (a[1] == 0) return -EINVAL;
            return put(a[1], priority) ? 0 : -EFAULT;
        }
        case kSysSchedSetparam:
        case kSysSchedSetscheduler: {
            const bool sets_policy = number == kSysSchedSetscheduler;
            const std::uint64_t policy = sets_policy ? a[1] : std::uint64_t{kPolicyOther};
            const std::uint64_t at = a[sets_policy ? 2 : 1];
            std::int32_t priority;
            if (at == 0) return -EINVAL;
            if (!get(at, priority)) return -EFAULT;
            if (policy == kPolicyOther) return priority == 0 ? 0 : -EINVAL;
            if (!is_realtime_policy(policy)) return -EINVAL;
            return priority >= 1 && priority <= 99 ? -EPERM : -EINVAL;
        }
        case kSysSchedGetPriorityMax:
        case kSysSchedGetPriorityMin:
            if (is_realtime_policy(a[0])) return number == kSysSchedGetPriorityMax ? 99 : 1;
            return a[0] == kPolicyOther || a[0] == 3 || a[0] == 5 ? 0 : -EINVAL;
        case kSysGetpriority:
        case kSysSetpriority:
            if (a[0] > 2) return -EINVAL;
            if (a[1] != 0 && a[1] != (a[0] == 2 ? kUser : kProcessId)) return -ESRCH;
            if (number == kSysGetpriority) return 20 - nice_;
            if (const int wanted = std::clamp(static_cast<std::int32_t>(a[2]), -20, 19);
                wanted < nice_)
                return -EACCES;
            else
                nice_ = wanted;
            return 0;
        default: {  // getcpu
            const std::uint32_t first = 0;
            return (a[0] == 0 || put(a[0], first)) && (a[1] == 0 || put(a[1], first)) ? 0 : -EFAULT;
        }
    }
}

std::int64_t Process::name_call(const Hart& hart, const std::uint64_t (&a)[6]) {
    std::string& name = names_[hart.id];
    if (name.empty()) name = std::filesystem::path(machine_.program().path).filename().string();
    char bytes[kNameBytes] = {};
    if (a[0] == kSetName) {
        if (!node_.memory.read_string(a[1], name)) return -EFAULT;
    }
    name.resize(std::min(name.size(), kNameBytes - 1));
    name.copy(bytes, kNameBytes - 1);
    return a[0] == kSetName || put(a[1], bytes) ? 0 : -EFAULT;
}

bool Process::put_random(std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t state =
        machine_.options().seed * 0x9e3779b97f4a7c15ull + node_.id + node_.nanoseconds();
    for (std::uint64_t i = 0; i < bytes; ++i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const auto byte = static_cast<std::uint8_t>(state >> 56);
        if (!put(address + i, byte)) return false;
    }
    return true;
}

std::int64_t Process::system_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    switch (number) {
        case kSysUname: {
            char names[6][65] = {"Linux",         "isthmus", "5.15.0",
                                 "xBGAS machine", "riscv64", "(none)"};
            return node_.memory.write(a[0], names, sizeof names) ? 0 : -EFAULT;
        }
        case kSysPrlimit64:
            if (a[0] != 0 && a[0] != kProcessId) return -ESRCH;
            return limit_call(a[1], a[2], a[3]);
        case kSysGetrlimit: return limit_call(a[0], 0, a[1]);
        case kSysSetrlimit: return a[1] != 0 ? limit_call(a[0], a[1], 0) : -EFAULT;
        case kSysSysinfo: {
            std::uint64_t values[14] = {};
            values[0] = now(false) / 1'000'000'000;
            values[4] = values[5] = machine_.options().memory_bytes;
            values[10] = node_.harts.size() - gone_.size();
            values[13] = 1;  // bytes per unit
            return put(a[0], values) ? 0 : -EFAULT;
        }
        case kSysGetrandom:
            return put_random(a[0], a[1]) ? static_cast<std::int64_t>(a[1]) : -EFAULT;
        case kSysPrctl: return a[0] == kSetName || a[0] == kGetName ? name_call(hart, a) : 0;
        case kSysMembarrier:
            // Every instruction is one: a node's threads take turns.
            if (a[0] == 0) return kBarrierGlobal | kBarrierOwn | kBarrierRegister;
            return a[0] == kBarrierGlobal || a[0] == kBarrierOwn || a[0] == kBarrierRegister
                       ? 0
                       : -EINVAL;
        default: return 0;  // personality: the only one
    }
}

}  // namespace isthmus::sim::linux_abi
