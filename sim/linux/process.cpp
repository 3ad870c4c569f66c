#include "sim/linux/process.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <vector>

#include "sim/hart/rdma_nic.hpp"
#include "sim/linux/abi.hpp"

namespace isthmus::sim {
namespace {

using namespace linux_abi;

constexpr std::uint64_t kStackSize = 8u << 20;
constexpr std::uint64_t kProcessId = 1000;
constexpr std::size_t kMaxThreads = 1024;
/// The virtual clock starts at 2024-01-01 00:00:00 UTC, so that a run repeats.
constexpr std::uint64_t kEpoch = 1'704'067'200;

constexpr std::uint64_t up(std::uint64_t value) {
    return (value + kPageSize - 1) & kPageMask;
}

int host_open_flags(std::uint64_t flags) {
    static constexpr std::pair<std::uint64_t, int> kPairs[] = {
        {kOpenWriteOnly, O_WRONLY},  {kOpenReadWrite, O_RDWR},    {kOpenCreate, O_CREAT},
        {kOpenExclusive, O_EXCL},    {kOpenNoctty, O_NOCTTY},     {kOpenTruncate, O_TRUNC},
        {kOpenAppend, O_APPEND},     {kOpenNonblock, O_NONBLOCK}, {kOpenDirectory, O_DIRECTORY},
        {kOpenNofollow, O_NOFOLLOW}, {kOpenCloexec, O_CLOEXEC}};
    int host = 0;
    for (const auto& [guest, flag] : kPairs) {
        if (flags & guest) host |= flag;
    }
    return host;
}

struct Sleeper {
    std::uint64_t futex = 0;     // address, 0 for a plain sleep
    std::uint64_t deadline = 0;  // nanoseconds of the node, 0: none
    std::uint32_t bits = ~0u;
    bool timeout_is_error = true;  // a futex wait that times out returns ETIMEDOUT
};

/// One Linux process; its threads are the harts of its node.
class Process final : public Environment {
  public:
    Process(Machine& machine, Node& node) : machine_(machine), node_(node) {
        trace_ = std::getenv("ISTHMUS_SIM_STRACE") != nullptr;
        for (int fd = 0; fd < 3; ++fd)
            files_[fd] = fd;
    }
    ~Process() override {
        for (const auto& [guest, host] : files_) {
            if (host > 2) close(host);
        }
    }

    void boot();

    void before_round(Node&) override {
        if (!sleepers_.empty()) wake_due();
    }
    bool wake_sleepers(Node& node) override {
        std::uint64_t first = 0;
        for (const auto& [hart, sleeper] : sleepers_) {
            if (sleeper.deadline && (first == 0 || sleeper.deadline < first))
                first = sleeper.deadline;
        }
        if (first == 0) return false;
        const std::uint64_t now = node.nanoseconds();
        if (first > now) node.idle_time += first - now;
        wake_due();
        return true;
    }

    void serve(Node& node, Hart& hart) override {
        if (hart.stop == Stop::kSystemCall) {
            const std::uint64_t number = hart.x[17];
            const std::uint64_t before[6] = {hart.x[10], hart.x[11], hart.x[12],
                                             hart.x[13], hart.x[14], hart.x[15]};
            blocked_ = false;
            const std::int64_t result = call(hart, number, before);
            if (!blocked_) hart.x[10] = static_cast<std::uint64_t>(result);
            if (trace_) {
                char line[200];
                std::snprintf(
                    line, sizeof line,
                    "[node %u hart %u] call %lu (0x%lx, 0x%lx, 0x%lx, 0x%lx) = %ld%s\n", node.id,
                    hart.id, static_cast<unsigned long>(number),
                    static_cast<unsigned long>(before[0]), static_cast<unsigned long>(before[1]),
                    static_cast<unsigned long>(before[2]), static_cast<unsigned long>(before[3]),
                    static_cast<long>(result), blocked_ ? " (waits)" : "");
                machine_.complain(line);
            }
            return;
        }
        if (hart.stop == Stop::kHostCall) return nic_.ring(machine_, node_, hart);
        crash(hart);
    }
    RdmaNic* rdma_nic() override { return &nic_; }

  private:
    std::int64_t call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t file_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t memory_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t time_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t futex(Hart& hart, const std::uint64_t (&a)[6]);
    std::int64_t clone(Hart& hart, const std::uint64_t (&a)[6]);
    std::int64_t transfer(int host, std::uint64_t address, std::uint64_t size, bool to_file,
                          std::int64_t offset = -1);

    void crash(Hart& hart) {
        static constexpr int kSignals[12] = {7, 11, 4, 5, 7, 11, 7, 11, 0, 0, 0, 0};
        const unsigned cause = static_cast<unsigned>(hart.trap.cause);
        char line[160];
        std::snprintf(line, sizeof line, "isthmus-sim: node %u: %s (cause %u, value 0x%lx)\n",
                      node_.id, std::string(cause_name(hart.trap.cause)).c_str(), cause,
                      static_cast<unsigned long>(hart.trap.value));
        machine_.complain(line + machine_.report(node_, hart));
        machine_.exit_node(node_, 128 + kSignals[cause % 12]);
    }

    template <class T>
    bool put(std::uint64_t address, const T& value) {
        return node_.memory.write(address, &value, sizeof value);
    }
    template <class T>
    bool get(std::uint64_t address, T& value) const {
        return node_.memory.read(address, &value, sizeof value);
    }
    int host_file(std::uint64_t fd) const {
        const auto found = files_.find(static_cast<int>(fd));
        return found == files_.end() ? -1 : found->second;
    }
    int directory(std::uint64_t fd) const {
        return static_cast<int>(fd) == AT_FDCWD ? AT_FDCWD : host_file(fd);
    }
    std::int64_t add_file(int host, int from = 0) {
        if (host < 0) return -errno;
        int guest = from;
        while (files_.count(guest))
            ++guest;
        files_[guest] = host;
        return guest;
    }
    std::int64_t put_stat(std::uint64_t address, const struct stat& st);

    std::uint64_t now(bool realtime) const {
        using namespace std::chrono;
        if (machine_.options().host_clock) {
            const auto value = realtime ? system_clock::now().time_since_epoch().count()
                                        : steady_clock::now().time_since_epoch().count();
            return static_cast<std::uint64_t>(value);
        }
        return node_.nanoseconds() + (realtime ? kEpoch * 1'000'000'000 : 0);
    }

    void block(Hart& hart, const Sleeper& sleeper) {
        blocked_ = true;
        sleepers_[hart.id] = sleeper;
        node_.runnable[hart.id] = false;
        node_.current = (node_.current + 1) % node_.harts.size();
    }
    void wake(unsigned id, std::int64_t result) {
        node_.harts[id]->x[10] = static_cast<std::uint64_t>(result);
        node_.runnable[id] = true;
    }
    void wake_due() {
        const std::uint64_t time = node_.nanoseconds();
        for (auto it = sleepers_.begin(); it != sleepers_.end();) {
            if (it->second.deadline && it->second.deadline <= time) {
                wake(it->first, it->second.timeout_is_error ? -ETIMEDOUT : 0);
                it = sleepers_.erase(it);
            } else {
                ++it;
            }
        }
    }
    int wake_futex(std::uint64_t address, std::uint64_t most, std::uint32_t bits) {
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
    void exit_thread(Hart& hart, int code);

    Machine& machine_;
    Node& node_;
    RdmaNic nic_;
    std::map<int, int> files_;
    std::uint64_t break_start_ = 0, break_ = 0;
    std::map<unsigned, Sleeper> sleepers_;
    std::map<unsigned, std::uint64_t> clear_tid_;
    std::vector<unsigned> gone_;  // harts whose threads have ended
    bool blocked_ = false;
    bool trace_ = false;
};

void Process::boot() {
    Program program = machine_.program();
    if (program.xlen != Xlen::k64)
        throw std::runtime_error(
            program.path + ": is a 32-bit Linux program; only bare-metal programs may be RV32");
    AddressSpace& memory = node_.memory;
    std::uint64_t end = 0;
    for (const Segment& segment : program.segments) {
        const std::uint64_t start = segment.address & kPageMask;
        const std::uint64_t stop = up(segment.address + segment.memory_size);
        if (stop > kLinuxSharedBase || stop <= start)
            throw std::runtime_error(program.path + ": has a segment outside the lower 64 GiB");
        if (memory.is_free(start, stop - start)) {
            memory.map(start, stop - start, kRead | kWrite, program.path);
        } else {
            // Two segments may share a page.
            for (std::uint64_t page = start; page < stop; page += kPageSize) {
                if (memory.is_free(page, kPageSize))
                    memory.map(page, kPageSize, kRead | kWrite, program.path);
            }
        }
        memory.write(segment.address, segment.data.data(), segment.data.size(), 0);
        end = std::max(end, stop);
    }
    for (const Segment& segment : program.segments) {
        const std::uint64_t start = segment.address & kPageMask;
        std::uint8_t rights = (segment.readable ? kRead : 0) | (segment.writable ? kWrite : 0) |
                              (segment.executable ? kExecute : 0);
        memory.protect(start, up(segment.address + segment.memory_size) - start, rights);
    }
    break_start_ = break_ = end + kPageSize;
    const std::uint64_t shared = std::max(up(machine_.options().shared_bytes), kPageSize);
    memory.map(kLinuxSharedBase, shared + kPageSize, kRead | kWrite, "shared");
    machine_.set_shared_region(kLinuxSharedBase, shared);
    memory.map(kLinuxStackTop - kStackSize, kStackSize, kRead | kWrite, "stack");

    // Strings from the top, then the vectors below, 16-byte aligned, as the ABI wants them at
    // entry.
    std::uint64_t top = kLinuxStackTop;
    const auto push_string = [&](const std::string& text) {
        top -= text.size() + 1;
        memory.write(top, text.c_str(), text.size() + 1);
        return top;
    };
    std::vector<std::uint64_t> words;
    const auto& arguments = machine_.options().arguments;
    words.push_back(arguments.size());
    for (const std::string& argument : arguments)
        words.push_back(push_string(argument));
    words.push_back(0);
    for (const std::string& variable : machine_.options().environment)
        words.push_back(push_string(variable));
    words.push_back(0);
    const std::uint64_t name = push_string(program.path);
    top = (top - 16) & ~std::uint64_t{15};
    const std::uint64_t random[2] = {0x9e3779b97f4a7c15ull ^ machine_.options().seed,
                                     0xbf58476d1ce4e5b9ull};
    memory.write(top, random, sizeof random);
    const std::pair<std::uint64_t, std::uint64_t> auxiliary[] = {
        {AT_PHDR, program.header_address},
        {AT_PHENT, program.header_size},
        {AT_PHNUM, program.header_count},
        {AT_PAGESZ, kPageSize},
        {AT_ENTRY, program.entry},
        {AT_UID, 1000},
        {AT_EUID, 1000},
        {AT_GID, 1000},
        {AT_EGID, 1000},
        {AT_HWCAP, 0x112d},  // the letters I M A F D C
        {AT_CLKTCK, 100},
        {AT_SECURE, 0},
        {AT_RANDOM, top},
        {AT_EXECFN, name},
        {AT_NULL, 0}};
    for (const auto& [key, value] : auxiliary) {
        words.push_back(key);
        words.push_back(value);
    }
    top = (top - 8 * words.size()) & ~std::uint64_t{15};
    memory.write(top, words.data(), 8 * words.size());

    RdmaNic::map(node_, machine_.options().nodes, kLinuxSharedBase, shared);

    Hart& hart = machine_.add_hart(node_, true);
    RdmaNic::watch(hart);
    hart.pc = program.entry;
    hart.x[2] = top;
    hart.clock = [this] { return now(false); };
}

std::int64_t Process::transfer(int host, std::uint64_t address, std::uint64_t size, bool to_file,
                               std::int64_t offset) {
    std::int64_t total = 0;
    std::byte buffer[65536];
    while (size != 0) {
        const std::size_t n = std::min<std::uint64_t>(size, sizeof buffer);
        ssize_t moved;
        if (to_file) {
            if (!node_.memory.read(address, buffer, n)) return total ? total : -EFAULT;
            moved = offset < 0 ? ::write(host, buffer, n) : ::pwrite(host, buffer, n, offset);
        } else {
            if (!node_.memory.host(address, kWrite)) return total ? total : -EFAULT;
            moved = offset < 0 ? ::read(host, buffer, n) : ::pread(host, buffer, n, offset);
        }
        if (moved < 0) return total ? total : -errno;
        if (!to_file && !node_.memory.write(address, buffer, static_cast<std::size_t>(moved)))
            return total ? total : -EFAULT;
        total += moved;
        if (static_cast<std::size_t>(moved) < n) break;
        address += n;
        size -= n;
        if (offset >= 0) offset += moved;
    }
    return total;
}

std::int64_t Process::put_stat(std::uint64_t address, const struct stat& st) {
    Stat out{};
    out.dev = st.st_dev;
    out.ino = st.st_ino;
    out.mode = st.st_mode;
    out.nlink = static_cast<std::uint32_t>(st.st_nlink);
    out.uid = st.st_uid;
    out.gid = st.st_gid;
    out.rdev = st.st_rdev;
    out.size = st.st_size;
    out.blksize = static_cast<std::int32_t>(st.st_blksize);
    out.blocks = st.st_blocks;
    out.atime = st.st_atim.tv_sec;
    out.atime_nsec = st.st_atim.tv_nsec;
    out.mtime = st.st_mtim.tv_sec;
    out.mtime_nsec = st.st_mtim.tv_nsec;
    out.ctime = st.st_ctim.tv_sec;
    out.ctime_nsec = st.st_ctim.tv_nsec;
    return put(address, out) ? 0 : -EFAULT;
}

std::int64_t Process::file_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto status = [](std::int64_t result) {
        return result < 0 ? std::int64_t{-errno} : result;
    };
    const int host = host_file(a[0]);
    std::string path, other;
    switch (number) {
        case kSysGetcwd: {
            char buffer[4096];
            if (!getcwd(buffer, sizeof buffer)) return -errno;
            const std::size_t size = std::strlen(buffer) + 1;
            if (size > a[1]) return -ERANGE;
            return node_.memory.write(a[0], buffer, size) ? static_cast<std::int64_t>(size)
                                                          : -EFAULT;
        }
        case kSysOpenat:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            return add_file(openat(directory(a[0]), path.c_str(), host_open_flags(a[2]),
                                   static_cast<mode_t>(a[3])));
        case kSysMkdirat:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            return status(mkdirat(directory(a[0]), path.c_str(), static_cast<mode_t>(a[2])));
        case kSysUnlinkat:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            return status(
                unlinkat(directory(a[0]), path.c_str(), (a[2] & 0x200) ? AT_REMOVEDIR : 0));
        case kSysRenameat2:
            if (!node_.memory.read_string(a[1], path) || !node_.memory.read_string(a[3], other))
                return -EFAULT;
            if (a[4] != 0) return -EINVAL;
            return status(renameat(directory(a[0]), path.c_str(), directory(a[2]), other.c_str()));
        case kSysFaccessat:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            return status(faccessat(directory(a[0]), path.c_str(), static_cast<int>(a[2]), 0));
        case kSysReadlinkat: {
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            char buffer[4096];
            ssize_t size;
            if (path == "/proc/self/exe") {
                // The C library insists on an absolute path.
                std::error_code ignored;
                const std::string own = std::filesystem::absolute(machine_.program().path, ignored);
                size = static_cast<ssize_t>(std::min(own.size(), sizeof buffer));
                std::memcpy(buffer, own.data(), static_cast<std::size_t>(size));
            } else {
                size = readlinkat(directory(a[0]), path.c_str(), buffer, sizeof buffer);
            }
            if (size < 0) return -errno;
            size = std::min<ssize_t>(size, static_cast<ssize_t>(a[3]));
            return node_.memory.write(a[2], buffer, static_cast<std::size_t>(size)) ? size
                                                                                    : -EFAULT;
        }
        case kSysNewfstatat: {
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            struct stat st;
            int flags = 0;
            if (a[3] & 0x100) flags |= AT_SYMLINK_NOFOLLOW;
            if (a[3] & 0x1000) flags |= AT_EMPTY_PATH;
            const int at = directory(a[0]);
            if (at == -1) return -EBADF;
            return fstatat(at, path.c_str(), &st, flags) != 0 ? -errno : put_stat(a[2], st);
        }
        case kSysStatx: {
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            struct statx st;
            if (statx(directory(a[0]), path.c_str(), static_cast<int>(a[2]),
                      static_cast<unsigned>(a[3]), &st) != 0)
                return -errno;
            return put(a[4], st) ? 0 : -EFAULT;
        }
        case kSysPipe2: {
            int ends[2];
            if (pipe2(ends, host_open_flags(a[1])) != 0) return -errno;
            const std::int32_t guest[2] = {static_cast<std::int32_t>(add_file(ends[0])),
                                           static_cast<std::int32_t>(add_file(ends[1]))};
            return put(a[0], guest) ? 0 : -EFAULT;
        }
        case kSysChdir: return -EACCES;  // nodes share the host's working directory
        default: break;
    }
    if (host < 0) return -EBADF;
    switch (number) {
        case kSysClose:
            files_.erase(static_cast<int>(a[0]));
            return host > 2 ? status(close(host)) : 0;
        case kSysDup: return add_file(dup(host));
        case kSysDup3: {
            const int copy = dup(host);
            if (copy < 0) return -errno;
            if (const int old = host_file(a[1]); old > 2) close(old);
            files_[static_cast<int>(a[1])] = copy;
            return static_cast<std::int64_t>(a[1]);
        }
        case kSysFcntl:
            switch (a[1]) {
                case F_DUPFD:
                case F_DUPFD_CLOEXEC: return add_file(dup(host), static_cast<int>(a[2]));
                case F_GETFD:
                case F_SETFD: return 0;
                case F_GETFL: return status(fcntl(host, F_GETFL));
                case F_SETFL: return status(fcntl(host, F_SETFL, host_open_flags(a[2])));
                default: return -EINVAL;
            }
        case kSysIoctl: {
            if (a[1] == 0x5413) {  // TIOCGWINSZ
                struct winsize size;
                if (ioctl(host, TIOCGWINSZ, &size) != 0) return -errno;
                return put(a[2], size) ? 0 : -EFAULT;
            }
            return -ENOTTY;
        }
        case kSysFtruncate: return status(ftruncate(host, static_cast<off_t>(a[1])));
        case kSysFsync: return status(fsync(host));
        case kSysLseek:
            return status(lseek(host, static_cast<off_t>(a[1]), static_cast<int>(a[2])));
        case kSysRead: return transfer(host, a[1], a[2], false);
        case kSysWrite: return transfer(host, a[1], a[2], true);
        case kSysPread64: return transfer(host, a[1], a[2], false, static_cast<std::int64_t>(a[3]));
        case kSysPwrite64: return transfer(host, a[1], a[2], true, static_cast<std::int64_t>(a[3]));
        case kSysReadv:
        case kSysWritev: {
            std::int64_t total = 0;
            if (a[2] > 1024) return -EINVAL;
            for (std::uint64_t i = 0; i < a[2]; ++i) {
                Iovec part;
                if (!get(a[1] + i * sizeof part, part)) return total ? total : -EFAULT;
                const std::int64_t moved =
                    transfer(host, part.base, part.length, number == kSysWritev);
                if (moved < 0) return total ? total : moved;
                total += moved;
                if (static_cast<std::uint64_t>(moved) < part.length) break;
            }
            return total;
        }
        case kSysFstat: {
            struct stat st;
            return fstat(host, &st) != 0 ? -errno : put_stat(a[1], st);
        }
        case kSysGetdents64: {
            std::vector<char> buffer(std::min<std::uint64_t>(a[2], 65536));
            const long size = syscall(SYS_getdents64, host, buffer.data(), buffer.size());
            if (size < 0) return -errno;
            return node_.memory.write(a[1], buffer.data(), static_cast<std::size_t>(size))
                       ? size
                       : -EFAULT;
        }
        default: return -ENOSYS;
    }
}

std::int64_t Process::memory_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    AddressSpace& memory = node_.memory;
    switch (number) {
        case kSysBrk: {
            const std::uint64_t wanted = a[0];
            if (wanted < break_start_ || wanted > kLinuxSharedBase)
                return static_cast<std::int64_t>(break_);
            const std::uint64_t have = up(break_), need = up(wanted);
            if (need > have) memory.map(have, need - have, kRead | kWrite, "heap");
            if (need < have) memory.unmap(need, have - need);
            break_ = wanted;
            return static_cast<std::int64_t>(break_);
        }
        case kSysMmap: {
            const std::uint64_t size = up(a[1]);
            if (size == 0 || size < a[1]) return -EINVAL;
            std::uint64_t start = a[0] & kPageMask;
            const bool fixed = a[3] & (kMapFixed | kMapFixedNoReplace);
            if ((a[3] & kMapFixedNoReplace) && !memory.is_free(start, size)) return -EEXIST;
            if (!fixed) {
                start = memory.find_free(kLinuxMapBase, size, kLinuxStackTop - 2 * kStackSize);
                if (start == 0) return -ENOMEM;
            } else if (start < kPageSize || start + size > kLinuxStackTop || start + size < start) {
                return -ENOMEM;
            }
            const bool anonymous = a[3] & kMapAnonymous;
            const int host = anonymous ? -1 : host_file(a[4]);
            if (!anonymous && host < 0) return -EBADF;
            if (!anonymous && (a[3] & kMapShared) && (a[2] & kWrite)) return -ENODEV;
            try {
                memory.map(start, size, static_cast<std::uint8_t>(a[2] & 7),
                           anonymous ? "anonymous" : "file");
            } catch (const std::runtime_error&) {
                return -ENOMEM;
            }
            if (!anonymous) {
                std::byte* to = memory.host(start, 0);
                std::uint64_t done = 0;
                while (done < a[1]) {
                    const ssize_t got =
                        pread(host, to + done, a[1] - done, static_cast<off_t>(a[5] + done));
                    if (got <= 0) break;
                    done += static_cast<std::uint64_t>(got);
                }
            }
            return static_cast<std::int64_t>(start);
        }
        case kSysMunmap:
            if ((a[0] & ~kPageMask) || a[1] == 0) return -EINVAL;
            memory.unmap(a[0], up(a[1]));
            return 0;
        case kSysMremap: {
            const std::uint64_t old_size = up(a[1]), size = up(a[2]);
            const Region* region = memory.find(a[0]);
            if (!region || size == 0) return -EINVAL;
            if (size <= old_size) {
                if (size < old_size) memory.unmap(a[0] + size, old_size - size);
                return static_cast<std::int64_t>(a[0]);
            }
            const std::uint8_t rights = region->rights;
            if (memory.is_free(a[0] + old_size, size - old_size) &&
                a[0] + size < kLinuxStackTop - 2 * kStackSize) {
                memory.map(a[0] + old_size, size - old_size, rights, "anonymous");
                return static_cast<std::int64_t>(a[0]);
            }
            if (!(a[3] & 1)) return -ENOMEM;
            const std::uint64_t start =
                memory.find_free(kLinuxMapBase, size, kLinuxStackTop - 2 * kStackSize);
            if (start == 0) return -ENOMEM;
            memory.map(start, size, rights, "anonymous");
            for (std::uint64_t at = 0; at < old_size; at += kPageSize) {
                std::byte page[kPageSize];
                if (memory.read(a[0] + at, page, kPageSize, 0))
                    memory.write(start + at, page, kPageSize, 0);
            }
            memory.unmap(a[0], old_size);
            return static_cast<std::int64_t>(start);
        }
        case kSysMprotect:
            if (a[0] & ~kPageMask) return -EINVAL;
            if (a[1] == 0) return 0;
            return memory.protect(a[0], up(a[1]), static_cast<std::uint8_t>(a[2] & 7)) ? 0
                                                                                       : -ENOMEM;
        case kSysMadvise: {
            if (a[2] != 4) return 0;  // only MADV_DONTNEED has an effect a program can see
            const std::byte zeros[kPageSize] = {};
            for (std::uint64_t at = a[0]; at < a[0] + up(a[1]); at += kPageSize) {
                if (!memory.write(at, zeros, kPageSize, 0)) return -ENOMEM;
            }
            return 0;
        }
        default: return -ENOSYS;
    }
}

std::int64_t Process::time_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto split = [](std::uint64_t ns) {
        return Timespec{static_cast<std::int64_t>(ns / 1'000'000'000),
                        static_cast<std::int64_t>(ns % 1'000'000'000)};
    };
    switch (number) {
        case kSysClockGettime: return put(a[1], split(now(a[0] == 0 || a[0] == 5))) ? 0 : -EFAULT;
        case kSysClockGetres: return a[1] == 0 || put(a[1], Timespec{0, 1}) ? 0 : -EFAULT;
        case kSysGettimeofday: {
            const Timespec time = split(now(true));
            return put(a[0], Timeval{time.seconds, time.nanoseconds / 1000}) ? 0 : -EFAULT;
        }
        case kSysTimes: {
            const std::int64_t ticks = static_cast<std::int64_t>(now(false) / 10'000'000);
            const std::int64_t values[4] = {ticks, 0, 0, 0};
            return a[0] == 0 || put(a[0], values) ? ticks : -EFAULT;
        }
        case kSysGetrusage: {
            std::int64_t values[18] = {};
            const Timespec time = split(now(false));
            values[0] = time.seconds;
            values[1] = time.nanoseconds / 1000;
            return put(a[1], values) ? 0 : -EFAULT;
        }
        default: {  // nanosleep, clock_nanosleep
            Timespec time;
            const bool simple = number == kSysNanosleep;
            if (!get(a[simple ? 0 : 2], time)) return -EFAULT;
            if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds > 999'999'999)
                return -EINVAL;
            std::uint64_t deadline = static_cast<std::uint64_t>(time.seconds) * 1'000'000'000 +
                                     static_cast<std::uint64_t>(time.nanoseconds);
            const bool absolute = !simple && (a[1] & 1);
            if (absolute && a[0] == 0) deadline -= std::min(deadline, kEpoch * 1'000'000'000);
            if (!absolute) deadline += node_.nanoseconds();
            block(hart, Sleeper{0, std::max<std::uint64_t>(deadline, 1), 0, false});
            return 0;
        }
    }
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
                std::uint64_t deadline = static_cast<std::uint64_t>(time.seconds) * 1'000'000'000 +
                                         static_cast<std::uint64_t>(time.nanoseconds);
                // WAIT takes a duration, WAIT_BITSET a point in time of one of the clocks.
                if (operation == kFutexWait)
                    deadline += node_.nanoseconds();
                else if (a[1] & kFutexClockRealtime)
                    deadline -= std::min(deadline, kEpoch * 1'000'000'000);
                sleeper.deadline = std::max<std::uint64_t>(deadline, 1);
            }
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
                if (sleeper.futex != a[0]) continue;
                sleeper.futex = a[4];
                ++moved;
            }
            return count + static_cast<std::int64_t>(moved);
        }
        default: return -ENOSYS;
    }
}

std::int64_t Process::clone(Hart& hart, const std::uint64_t (&a)[6]) {
    const std::uint64_t flags = a[0];
    if (!(flags & kCloneVm) || !(flags & kCloneThread)) return -ENOSYS;  // no processes
    if (gone_.empty() && node_.harts.size() >= kMaxThreads) return -EAGAIN;
    // The hart of a thread that has ended serves again, its counter goes on.
    Hart* reused = nullptr;
    if (!gone_.empty()) {
        reused = node_.harts[gone_.back()].get();
        node_.runnable[gone_.back()] = true;
        gone_.pop_back();
    }
    Hart& child = reused ? *reused : machine_.add_hart(node_, true);
    RdmaNic::watch(child);
    child.x = hart.x;
    child.f = hart.f;
    child.e = hart.e;
    child.fflags = hart.fflags;
    child.frm = hart.frm;
    child.reservation_size = child.remote_reservation_size = 0;
    child.pc = hart.pc;
    child.clock = hart.clock;
    child.x[10] = 0;
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
    if (const auto found = clear_tid_.find(id); found != clear_tid_.end()) {
        const std::uint32_t zero = 0;
        put(found->second, zero);
        wake_futex(found->second, 1, ~0u);
        clear_tid_.erase(found);
    }
    node_.runnable[id] = false;
    blocked_ = true;
    hart.blocks.flush();
    gone_.push_back(id);
    if (gone_.size() == node_.harts.size()) machine_.exit_node(node_, code);
}

std::int64_t Process::call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    switch (number) {
        case kSysGetcwd:
        case kSysDup:
        case kSysDup3:
        case kSysFcntl:
        case kSysIoctl:
        case kSysMkdirat:
        case kSysUnlinkat:
        case kSysFtruncate:
        case kSysFaccessat:
        case kSysChdir:
        case kSysOpenat:
        case kSysClose:
        case kSysPipe2:
        case kSysGetdents64:
        case kSysLseek:
        case kSysRead:
        case kSysWrite:
        case kSysReadv:
        case kSysWritev:
        case kSysPread64:
        case kSysPwrite64:
        case kSysReadlinkat:
        case kSysNewfstatat:
        case kSysFstat:
        case kSysFsync:
        case kSysRenameat2:
        case kSysStatx: return file_call(number, a);
        case kSysBrk:
        case kSysMmap:
        case kSysMunmap:
        case kSysMremap:
        case kSysMprotect:
        case kSysMadvise: return memory_call(number, a);
        case kSysClockGettime:
        case kSysClockGetres:
        case kSysGettimeofday:
        case kSysTimes:
        case kSysGetrusage:
        case kSysNanosleep:
        case kSysClockNanosleep: return time_call(hart, number, a);
        case kSysExit: exit_thread(hart, static_cast<int>(a[0] & 0xff)); return 0;
        case kSysExitGroup: machine_.exit_node(node_, static_cast<int>(a[0] & 0xff)); return 0;
        case kCallEndJob: machine_.end_job(node_, static_cast<int>(a[0] & 0xff)); return 0;
        case kCallJoinJob: node_.in_job = a[0] != 0; return 0;
        case kSysSetTidAddress:
            clear_tid_[hart.id] = a[0];
            return static_cast<std::int64_t>(kProcessId + hart.id);
        case kSysFutex: return futex(hart, a);
        case kSysClone: return clone(hart, a);
        case kSysSchedYield: node_.current = (node_.current + 1) % node_.harts.size(); return 0;
        case kSysSchedGetaffinity: {
            if (a[1] < 8) return -EINVAL;
            const std::uint64_t mask = 1;
            return put(a[2], mask) ? 8 : -EFAULT;
        }
        case kSysKill:
        case kSysTkill:
        case kSysTgkill: {
            const auto signal = static_cast<int>(a[number == kSysTgkill ? 2 : 1]);
            if (signal == 0) return 0;
            machine_.complain("isthmus-sim: node " + std::to_string(node_.id) +
                              ": the program sent itself signal " + std::to_string(signal) + "\n" +
                              machine_.report(node_, hart));
            machine_.exit_node(node_, 128 + signal);
            return 0;
        }
        case kSysRtSigaction:
            if (a[2]) {
                const std::uint64_t none[4] = {};
                if (!put(a[2], none)) return -EFAULT;
            }
            return 0;
        case kSysRtSigprocmask:
            if (a[2]) {
                const std::uint64_t none = 0;
                if (!put(a[2], none)) return -EFAULT;
            }
            return 0;
        case kSysUname: {
            char names[6][65] = {"Linux",         "isthmus", "5.15.0",
                                 "xBGAS machine", "riscv64", "(none)"};
            return node_.memory.write(a[0], names, sizeof names) ? 0 : -EFAULT;
        }
        case kSysPrlimit64:
        case kSysGetrlimit: {
            const std::uint64_t to = number == kSysPrlimit64 ? a[3] : a[1];
            const bool stack = (number == kSysPrlimit64 ? a[1] : a[0]) == 3;
            const std::uint64_t limits[2] = {stack ? kStackSize : ~std::uint64_t{0},
                                             ~std::uint64_t{0}};
            return to == 0 || put(to, limits) ? 0 : -EFAULT;
        }
        case kSysGetpid: return static_cast<std::int64_t>(kProcessId);
        case kSysGettid: return static_cast<std::int64_t>(kProcessId + hart.id);
        case kSysGetppid: return 1;
        case kSysGetuid:
        case kSysGeteuid:
        case kSysGetgid:
        case kSysGetegid: return 1000;
        case kSysSysinfo: {
            std::uint64_t values[14] = {};
            values[0] = now(false) / 1'000'000'000;
            values[4] = values[5] = machine_.options().memory_bytes;
            values[13] = 1;  // bytes per unit
            return put(a[0], values) ? 0 : -EFAULT;
        }
        case kSysGetrandom: {
            // Repeatable: from the seed, the node and the time.
            std::uint64_t state =
                machine_.options().seed * 0x9e3779b97f4a7c15ull + node_.id + node_.nanoseconds();
            for (std::uint64_t i = 0; i < a[1]; ++i) {
                state = state * 6364136223846793005ull + 1442695040888963407ull;
                const auto byte = static_cast<std::uint8_t>(state >> 56);
                if (!put(a[0] + i, byte)) return -EFAULT;
            }
            return static_cast<std::int64_t>(a[1]);
        }
        case kSysFlushIcache:
            for (const auto& other : node_.harts) {
                if (other) other->flush_code();
            }
            return 0;
        case kSysSetRobustList:
        case kSysSigaltstack:
        case kSysSchedSetaffinity:
        case kSysPrctl:
        case kSysMembarrier: return 0;
        default: return -ENOSYS;
    }
}

}  // namespace

void boot_linux(Machine& machine, Node& node) {
    auto process = std::make_unique<Process>(machine, node);
    process->boot();
    node.environment = std::move(process);
}

}  // namespace isthmus::sim
