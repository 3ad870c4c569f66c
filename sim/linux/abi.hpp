// Numbers and layouts of the RISC-V Linux interface (the generic 64-bit one).
#pragma once

#include <cstdint>

namespace isthmus::sim::linux_abi {

enum Call : std::uint64_t {
    kSysGetcwd = 17,
    kSysDup = 23,
    kSysDup3 = 24,
    kSysFcntl = 25,
    kSysIoctl = 29,
    kSysMkdirat = 34,
    kSysUnlinkat = 35,
    kSysFtruncate = 46,
    kSysFaccessat = 48,
    kSysChdir = 49,
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
    kSysReadlinkat = 78,
    kSysNewfstatat = 79,
    kSysFstat = 80,
    kSysFsync = 82,
    kSysExit = 93,
    kSysExitGroup = 94,
    kSysSetTidAddress = 96,
    kSysFutex = 98,
    kSysSetRobustList = 99,
    kSysNanosleep = 101,
    kSysClockGettime = 113,
    kSysClockGetres = 114,
    kSysClockNanosleep = 115,
    kSysSchedSetaffinity = 122,
    kSysSchedGetaffinity = 123,
    kSysSchedYield = 124,
    kSysKill = 129,
    kSysTkill = 130,
    kSysTgkill = 131,
    kSysSigaltstack = 132,
    kSysRtSigaction = 134,
    kSysRtSigprocmask = 135,
    kSysTimes = 153,
    kSysUname = 160,
    kSysGetrlimit = 163,
    kSysGetrusage = 165,
    kSysPrctl = 167,
    kSysGettimeofday = 169,
    kSysGetpid = 172,
    kSysGetppid = 173,
    kSysGetuid = 174,
    kSysGeteuid = 175,
    kSysGetgid = 176,
    kSysGetegid = 177,
    kSysGettid = 178,
    kSysSysinfo = 179,
    kSysBrk = 214,
    kSysMunmap = 215,
    kSysMremap = 216,
    kSysClone = 220,
    kSysMmap = 222,
    kSysMprotect = 226,
    kSysMadvise = 233,
    kSysFlushIcache = 259,
    kSysPrlimit64 = 261,
    kSysRenameat2 = 276,
    kSysGetrandom = 278,
    kSysMembarrier = 283,
    kSysStatx = 291,
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
struct Timeval {
    std::int64_t seconds, microseconds;
};
struct Iovec {
    std::uint64_t base, length;
};

enum MapFlag : std::uint64_t {
    kMapShared = 1,
    kMapFixed = 0x10,
    kMapAnonymous = 0x20,
    kMapFixedNoReplace = 0x100000
};
enum FutexOperation : std::uint64_t {
    kFutexWait = 0,
    kFutexWake = 1,
    kFutexRequeue = 3,
    kFutexCompareRequeue = 4,
    kFutexWaitBitset = 9,
    kFutexWakeBitset = 10,
    kFutexCommand = 0x7f,
    kFutexClockRealtime = 256
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
