// Which system call goes where.
#include <array>
#include <cerrno>
#include <initializer_list>
#include <type_traits>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {

/// One handler per call number; null: there is no such call.
struct Process::CallTable {
    using Arguments = const std::uint64_t (&)[6];
    using Handler = std::int64_t (*)(Process&, Hart&, std::uint64_t number, Arguments);

    /// A member function that takes any of the hart, the number and the arguments, in this order.
    template <auto kMember>
    static std::int64_t handle(Process& process, Hart& hart, std::uint64_t number, Arguments a) {
        using Member = decltype(kMember);
        if constexpr (std::is_invocable_v<Member, Process&, Hart&, std::uint64_t, Arguments>)
            return (process.*kMember)(hart, number, a);
        else if constexpr (std::is_invocable_v<Member, Process&, std::uint64_t, Arguments>)
            return (process.*kMember)(number, a);
        else if constexpr (std::is_invocable_v<Member, Process&, Hart&, Arguments>)
            return (process.*kMember)(hart, a);
        else
            return (process.*kMember)(a);
    }

    constexpr CallTable() {
        set(handle<&Process::path_call>,
            {kSysOpenat, kSysMknodat, kSysMkdirat, kSysUnlinkat, kSysRenameat2, kSysSymlinkat,
             kSysLinkat, kSysFaccessat, kSysFaccessat2, kSysReadlinkat, kSysChdir,
             kSysMemfdCreate});
        set(handle<&Process::descriptor_call>,
            {kSysClose, kSysDup, kSysDup3, kSysFchdir, kSysFcntl, kSysIoctl, kSysFadvise64,
             kSysFdatasync, kSysFsync, kSysSyncfs, kSysSyncFileRange, kSysReadahead, kSysLseek,
             kSysGetdents64});
        set(handle<&Process::process_files_call>,
            {kSysGetcwd, kSysPipe2, kSysSync, kSysCloseRange, kSysUmask});
        set(handle<&Process::attribute_call>,
            {kSysFchmod, kSysFchmodat, kSysTruncate, kSysFtruncate, kSysFallocate, kSysUtimensat,
             kSysStatfs, kSysFstatfs, kSysNewfstatat, kSysFstat, kSysStatx});
        set(handle<&Process::transfer_call>, {kSysRead, kSysWrite, kSysReadv, kSysWritev,
                                              kSysPread64, kSysPwrite64, kSysPreadv, kSysPwritev});
        set(handle<&Process::copy_call>, {kSysSendfile, kSysSplice, kSysTee, kSysCopyFileRange});
        set(handle<&Process::open_sockets>, {kSysSocketpair});
        set(handle<&Process::socket_call>, {kSysSendto, kSysRecvfrom, kSysShutdown});
        set([](Process& process, Hart& hart, std::uint64_t,
               Arguments a) { return process.lock_file(hart, a[0], a[1]); },
            {kSysFlock});
        set(handle<&Process::open_signal_file>, {kSysSignalfd4});
        set(handle<&Process::memory_call>,
            {kSysBrk, kSysMmap, kSysMunmap, kSysMremap, kSysMprotect, kSysMsync, kSysMincore,
             kSysMadvise, kSysMlock, kSysMlock2, kSysMunlock, kSysMlockall, kSysMunlockall});
        set(handle<&Process::time_call>,
            {kSysClockGettime, kSysClockSettime, kSysClockGetres, kSysGettimeofday,
             kSysSettimeofday, kSysTimes, kSysGetrusage, kSysNanosleep, kSysClockNanosleep});
        set(handle<&Process::thread_call>,
            {kSysExit, kSysExitGroup, kCallEndJob, kCallJoinJob, kSysSetTidAddress, kSysSchedYield,
             kSysGettid, kSysFlushIcache});
        set(handle<&Process::futex>, {kSysFutex});
        set(handle<&Process::clone>, {kSysClone});
        set(handle<&Process::schedule_call>,
            {kSysSchedGetaffinity, kSysSchedSetaffinity, kSysSchedGetscheduler,
             kSysSchedSetscheduler, kSysSchedGetparam, kSysSchedSetparam, kSysSchedGetPriorityMax,
             kSysSchedGetPriorityMin, kSysGetpriority, kSysSetpriority, kSysGetcpu});
        set(handle<&Process::send_call>,
            {kSysKill, kSysTkill, kSysTgkill, kSysRtSigqueueinfo, kSysRtTgsigqueueinfo});
        set(handle<&Process::signal_call>,
            {kSysSigaltstack, kSysRtSigsuspend, kSysRtSigaction, kSysRtSigprocmask,
             kSysRtSigpending, kSysRtSigtimedwait, kSysRtSigreturn});
        set(handle<&Process::interval_timer_call>, {kSysGetitimer, kSysSetitimer});
        set(handle<&Process::signal_timer_call>,
            {kSysTimerCreate, kSysTimerGettime, kSysTimerGetoverrun, kSysTimerSettime,
             kSysTimerDelete});
        set(handle<&Process::file_timer_call>,
            {kSysTimerfdCreate, kSysTimerfdSettime, kSysTimerfdGettime});
        set(handle<&Process::event_call>, {kSysEventfd2, kSysEpollCreate1, kSysEpollCtl});
        set(handle<&Process::epoll_wait_call>, {kSysEpollPwait, kSysEpollPwait2});
        set(handle<&Process::poll_call>, {kSysPselect6, kSysPpoll});
        set(handle<&Process::identity_call>,
            {kSysGetpid,    kSysGetppid,   kSysGetuid,    kSysGeteuid,   kSysGetgid,
             kSysGetegid,   kSysSetuid,    kSysSetgid,    kSysSetreuid,  kSysSetregid,
             kSysSetresuid, kSysSetresgid, kSysGetresuid, kSysGetresgid, kSysGetgroups,
             kSysGetpgid,   kSysSetpgid,   kSysGetsid,    kSysSetsid,    kSysWaitid,
             kSysWait4});
        set(handle<&Process::system_call>,
            {kSysUname, kSysPrlimit64, kSysGetrlimit, kSysSetrlimit, kSysSysinfo, kSysGetrandom,
             kSysPrctl, kSysMembarrier, kSysPersonality});
        set(handle<&Process::robust_list_call>, {kSysSetRobustList, kSysGetRobustList});
    }

    constexpr Handler operator[](std::uint64_t number) const {
        const std::uint64_t slot = slot_of(number);
        return slot < kSlots ? handlers_[slot] : nullptr;
    }

  private:
    static constexpr std::uint64_t kLinuxCalls = 512, kSlots = kLinuxCalls + 2;
    /// Our own calls stand behind those of Linux.
    static constexpr std::uint64_t slot_of(std::uint64_t number) {
        if (number < kLinuxCalls) return number;
        return number == kCallEndJob    ? kLinuxCalls
               : number == kCallJoinJob ? kLinuxCalls + 1
                                        : kSlots;
    }
    constexpr void set(Handler handler, std::initializer_list<Call> calls) {
        for (const Call number : calls)
            handlers_.at(slot_of(number)) = handler;
    }
    std::array<Handler, kSlots> handlers_{};
};

std::int64_t Process::call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    static constexpr CallTable kCalls;
    const CallTable::Handler handler = kCalls[number];
    return handler == nullptr ? -ENOSYS : handler(*this, hart, number, a);
}

std::int64_t Process::thread_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    const int code = static_cast<int>(a[0] & 0xff);
    switch (number) {
        case kSysExit: exit_thread(hart, code); break;
        case kSysExitGroup: end(code); break;
        case kCallEndJob: machine_.end_job(node_, code); break;
        case kCallJoinJob: node_.in_job = a[0] != 0; break;
        case kSysSchedYield: node_.current = (node_.current + 1) % node_.harts.size(); break;
        case kSysFlushIcache:
            for (const auto& other : node_.harts) {
                if (other) other->flush_code();
            }
            break;
        case kSysSetTidAddress: clear_tid_[hart.id] = a[0]; [[fallthrough]];
        case kSysGettid: return static_cast<std::int64_t>(kProcessId + hart.id);
        default: return -ENOSYS;
    }
    return 0;
}

}  // namespace isthmus::sim::linux_abi
