// Numbers and layouts of the RISC-V Linux interface (the generic 64-bit one).
#pragma once

#include <cstdint>

namespace isthmus::sim::linux_abi {

enum Call : std::uint64_t {
    kSysGetcwd = 17,
    kSysEventfd2 = 19,
    kSysEpollCreate1 = 20,
    kSysEpollCtl = 21,
    kSysEpollPwait = 22,
    kSysDup = 23,
    kSysDup3 = 24,
    kSysFcntl = 25,
    kSysIoctl = 29,
    kSysFlock = 32,
    kSysMknodat = 33,
    kSysMkdirat = 34,
    kSysUnlinkat = 35,
    kSysSymlinkat = 36,
    kSysLinkat = 37,
    kSysStatfs = 43,
    kSysFstatfs = 44,
    kSysTruncate = 45,
    kSysFtruncate = 46,
    kSysFallocate = 47,
    kSysFaccessat = 48,
    kSysChdir = 49,
    kSysFchdir = 50,
    kSysFchmod = 52,
    kSysFchmodat = 53,
    kSysOpenat = 56,
    kSysClose = 57,
    kSysPipe2 = 59,
    kSysGetdents64 = 61,
    kSysLseek = 62,
    kSysRead = 63,
    kSysWrite = 64,
    kSysReadv = 65,
    kSysWritev = 66,
    kSysPread64 = 67,
    kSysPwrite64 = 68,
    kSysPreadv = 69,
    kSysPwritev = 70,
    kSysSendfile = 71,
    kSysPselect6 = 72,
    kSysPpoll = 73,
    kSysSignalfd4 = 74,
    kSysSplice = 76,
    kSysTee = 77,
    kSysReadlinkat = 78,
    kSysNewfstatat = 79,
    kSysFstat = 80,
    kSysSync = 81,
    kSysFsync = 82,
    kSysFdatasync = 83,
    kSysSyncFileRange = 84,
    kSysTimerfdCreate = 85,
    kSysTimerfdSettime = 86,
    kSysTimerfdGettime = 87,
    kSysUtimensat = 88,
    kSysPersonality = 92,
    kSysExit = 93,
    kSysExitGroup = 94,
    kSysWaitid = 95,
    kSysSetTidAddress = 96,
    kSysFutex = 98,
    kSysSetRobustList = 99,
    kSysGetRobustList = 100,
    kSysNanosleep = 101,
    kSysGetitimer = 102,
    kSysSetitimer = 103,
    kSysTimerCreate = 107,
    kSysTimerGettime = 108,
    kSysTimerGetoverrun = 109,
    kSysTimerSettime = 110,
    kSysTimerDelete = 111,
    kSysClockSettime = 112,
    kSysClockGettime = 113,
    kSysClockGetres = 114,
    kSysClockNanosleep = 115,
    kSysSchedSetparam = 118,
    kSysSchedSetscheduler = 119,
    kSysSchedGetscheduler = 120,
    kSysSchedGetparam = 121,
    kSysSchedSetaffinity = 122,
    kSysSchedGetaffinity = 123,
    kSysSchedYield = 124,
    kSysSchedGetPriorityMax = 125,
    kSysSchedGetPriorityMin = 126,
    kSysKill = 129,
    kSysTkill = 130,
    kSysTgkill = 131,
    kSysSigaltstack = 132,
    kSysRtSigsuspend = 133,
    kSysRtSigaction = 134,
    kSysRtSigprocmask = 135,
    kSysRtSigpending = 136,
    kSysRtSigtimedwait = 137,
    kSysRtSigqueueinfo = 138,
    kSysRtSigreturn = 139,
    kSysSetpriority = 140,
    kSysGetpriority = 141,
    kSysSetregid = 143,
    kSysSetgid = 144,
    kSysSetreuid = 145,
    kSysSetuid = 146,
    kSysSetresuid = 147,
    kSysGetresuid = 148,
    kSysSetresgid = 149,
    kSysGetresgid = 150,
    kSysTimes = 153,
    kSysSetpgid = 154,
    kSysGetpgid = 155,
    kSysGetsid = 156,
    kSysSetsid = 157,
    kSysGetgroups = 158,
    kSysUname = 160,
    kSysGetrlimit = 163,
    kSysSetrlimit = 164,
    kSysGetrusage = 165,
    kSysUmask = 166,
    kSysPrctl = 167,
    kSysGetcpu = 168,
    kSysGettimeofday = 169,
    kSysSettimeofday = 170,
    kSysGetpid = 172,
    kSysGetppid = 173,
    kSysGetuid = 174,
    kSysGeteuid = 175,
    kSysGetgid = 176,
    kSysGetegid = 177,
    kSysGettid = 178,
    kSysSysinfo = 179,
    kSysSocketpair = 199,
    kSysSendto = 206,
    kSysRecvfrom = 207,
    kSysShutdown = 210,
    kSysReadahead = 213,
    kSysBrk = 214,
    kSysMunmap = 215,
    kSysMremap = 216,
    kSysClone = 220,
    kSysMmap = 222,
    kSysFadvise64 = 223,
    kSysMprotect = 226,
    kSysMsync = 227,
    kSysMlock = 228,
    kSysMunlock = 229,
    kSysMlockall = 230,
    kSysMunlockall = 231,
    kSysMincore = 232,
    kSysMadvise = 233,
    kSysRtTgsigqueueinfo = 240,
    kSysFlushIcache = 259,
    kSysWait4 = 260,
    kSysPrlimit64 = 261,
    kSysSyncfs = 267,
    kSysRenameat2 = 276,
    kSysGetrandom = 278,
    kSysMemfdCreate = 279,
    kSysMembarrier = 283,
    kSysMlock2 = 284,
    kSysCopyFileRange = 285,
    kSysStatx = 291,
    kSysCloseRange = 436,
    kSysFaccessat2 = 439,
    kSysEpollPwait2 = 441,
    // Calls of the machine itself, for the runtime in sim/runtime/setup.c.
    kCallEndJob = 0x69730001,   // (status): ends every node
    kCallJoinJob = 0x69730002,  // (1): from now on this node's death ends every node; (0): no more
};

struct Stat {
    std::uint64_t dev, ino;
    std::uint32_t mode, nlink, uid, gid;
    std::uint64_t rdev, pad1;
    std::int64_t size;
    std::int32_t blksize, pad2;
    std::int64_t blocks;
    std::int64_t atime, atime_nsec, mtime, mtime_nsec, ctime, ctime_nsec;
    std::uint32_t unused[2];
};
static_assert(sizeof(Stat) == 128);

struct Timespec {
    std::int64_t seconds, nanoseconds;
};
struct EpollEvent {
    std::uint32_t events, pad;
    std::uint64_t data;
};
struct Timeval {
    std::int64_t seconds, microseconds;
};
struct Iovec {
    std::uint64_t base, length;
};

// Signals.
enum Signal : int {
    kSigQuit = 3,
    kSigIll = 4,
    kSigTrap = 5,
    kSigAbrt = 6,
    kSigBus = 7,
    kSigFpe = 8,
    kSigKill = 9,
    kSigSegv = 11,
    kSigPipe = 13,
    kSigAlrm = 14,
    kSigChld = 17,
    kSigCont = 18,
    kSigStop = 19,
    kSigTstp = 20,
    kSigTtin = 21,
    kSigTtou = 22,
    kSigUrg = 23,
    kSigXcpu = 24,
    kSigXfsz = 25,
    kSigVtalrm = 26,
    kSigProf = 27,
    kSigWinch = 28,
    kSigSys = 31,
    kSignals = 64
};
enum SignalCode : std::int32_t {
    kCodeUser = 0,
    kCodeKernel = 0x80,
    kCodeTimer = -2,
    kCodeTkill = -6
};
enum SignalFlag : std::uint64_t {
    kSaSiginfo = 4,
    kSaOnStack = 0x08000000,
    kSaRestart = 0x10000000,
    kSaNoDefer = 0x40000000,
    kSaResetHandler = 0x80000000
};
enum MaskHow : std::uint64_t { kMaskBlock, kMaskUnblock, kMaskSet };
enum StackFlag : std::int32_t { kStackInUse = 1, kStackDisabled = 2 };
inline constexpr std::uint64_t kSigDefault = 0, kSigIgnore = 1;

struct SignalAction {
    std::uint64_t handler, flags, mask;
};
struct SignalInfo {
    std::int32_t number, error, code, pad;
    union {
        struct {
            std::int32_t pid;   // or the timer
            std::uint32_t uid;  // or how often it has expired since
            std::uint64_t value;
        } sender;
        std::uint64_t address;
        std::uint64_t words[14];
    };
};
static_assert(sizeof(SignalInfo) == 128);
struct AlternateStack {
    std::uint64_t base;
    std::int32_t flags, pad;
    std::uint64_t size;
};
/// What a handler finds on its stack: siginfo, ucontext, and behind them, as nothing else saves
/// them, the e-registers.
struct SignalFrame {
    SignalInfo info;
    std::uint64_t context_flags, context_link;
    AlternateStack stack;
    std::uint64_t mask;
    std::uint8_t unused[120];
    std::uint64_t pad;
    std::uint64_t registers[32];  // the program counter in place of x0
    std::uint64_t f[32];
    std::uint32_t fcsr, reserved[3];
    std::uint8_t room_for_quad_precision[256];
    std::uint64_t e[32];
};
static_assert(sizeof(SignalFrame) == 128 + 176 + 256 + 528 + 256);
struct IntervalTimer {
    Timeval interval, value;
};
struct TimerSetting {
    Timespec interval, value;
};
/// What a timer does when it expires.
struct SignalEvent {
    std::uint64_t value;
    std::int32_t signal, notify, thread, pad[11];
};
static_assert(sizeof(SignalEvent) == 64);
enum SignalNotify : std::int32_t {
    kNotifySignal = 0,
    kNotifyNone = 1,
    kNotifyOther = 2,
    kNotifyThread = 4
};
enum Clock : std::int32_t {
    kClockRealtime = 0,
    kClockMonotonic = 1,
    kClockProcess = 2,
    kClockThread = 3,
    kClockRaw = 4,
    kClockRealtimeCoarse = 5,
    kClockMonotonicCoarse = 6,
    kClockBoottime = 7,
    kClockRealtimeAlarm = 8,
    kClockBoottimeAlarm = 9,
    kClockTai = 11
};

enum MapFlag : std::uint64_t {
    kMapShared = 1,
    kMapSharedValidate = 3,
    kMapType = 15,
    kMapFixed = 0x10,
    kMapAnonymous = 0x20,
    kMapFixedNoReplace = 0x100000
};
enum FutexOperation : std::uint64_t {
    kFutexWait = 0,
    kFutexWake = 1,
    kFutexRequeue = 3,
    kFutexCompareRequeue = 4,
    kFutexLock = 6,
    kFutexUnlock = 7,
    kFutexTryLock = 8,
    kFutexWaitBitset = 9,
    kFutexWakeBitset = 10,
    kFutexLockAnyClock = 13,
    kFutexCommand = 0x7f,
    kFutexClockRealtime = 256
};
/// In the word of a futex that is a lock.
enum FutexLockWord : std::uint32_t {
    kFutexOwner = 0x3fffffff,
    kFutexOwnerDied = 0x40000000,
    kFutexWaiters = 0x80000000
};
/// The head of a thread's list of locks: the first entry, from each to its word, and the entry that
/// the thread is just adding or taking out.
struct RobustList {
    std::uint64_t first, offset, pending;
};
enum CloneFlag : std::uint64_t {
    kCloneVm = 0x100,
    kCloneThread = 0x10000,
    kCloneSettls = 0x80000,
    kCloneParentSettid = 0x100000,
    kCloneChildCleartid = 0x200000,
    kCloneChildSettid = 0x1000000
};
enum OpenFlag : std::uint64_t {
    kOpenWriteOnly = 1,
    kOpenReadWrite = 2,
    kOpenCreate = 0100,
    kOpenExclusive = 0200,
    kOpenNoctty = 0400,
    kOpenTruncate = 01000,
    kOpenAppend = 02000,
    kOpenNonblock = 04000,
    kOpenDirectory = 0200000,
    kOpenNofollow = 0400000,
    kOpenCloexec = 02000000
};

}  // namespace isthmus::sim::linux_abi
