// File calls: the host does them, on descriptors of the process's own numbering.
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {

namespace {

/// Of a call to the host: its result, or the error.
std::int64_t status(std::int64_t result) {
    return result < 0 ? std::int64_t{-errno} : result;
}

constexpr std::uint64_t kCloseUnshare = 2, kCloseOnExec = 4;
constexpr std::uint64_t kRenameNoReplace = 1, kRenameExchange = 2;

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

/// While files are made for a program that has a mask of its own. The host's is for all nodes.
class CreationMask {
  public:
    explicit CreationMask(const std::optional<mode_t>& mask) {
        if (mask) before_ = umask(*mask);
    }
    ~CreationMask() {
        if (before_) umask(*before_);
    }
    CreationMask(const CreationMask&) = delete;
    CreationMask& operator=(const CreationMask&) = delete;

    static mode_t of_host() {
        const mode_t mask = umask(0);
        umask(mask);
        return mask;
    }

  private:
    std::optional<mode_t> before_;
};

}  // namespace

std::int64_t Process::add_file(int host, const OpenFile& file, std::uint64_t flags) {
    if (host < 0) return -errno;
    int guest = 0;
    while (files_.count(guest))
        ++guest;
    if (static_cast<std::uint64_t>(guest) >= limits_[kLimitOfFiles].now) {
        close(host);
        return -EMFILE;
    }
    files_[guest] = {host, std::make_shared<OpenFile>(file), (flags & kOpenCloexec) != 0};
    return guest;
}

/// Both or none.
std::int64_t Process::put_pair(std::uint64_t address, const int (&ends)[2], const OpenFile& file,
                               std::uint64_t flags) {
    const std::int64_t first = add_file(ends[0], file, flags);
    const std::int64_t second = add_file(ends[1], file, flags);
    const std::int32_t guest[2] = {static_cast<std::int32_t>(first),
                                   static_cast<std::int32_t>(second)};
    if (second >= 0 && put(address, guest)) return 0;
    for (const std::int32_t one : guest) {
        if (one >= 0)
            close_files(static_cast<std::uint64_t>(one), static_cast<std::uint64_t>(one), 0);
    }
    return second < 0 ? second : -EFAULT;
}

std::int64_t Process::open_file(Hart& hart, const std::string& path, const std::uint64_t (&a)[6]) {
    OpenFile file;
    file.random = path == "/dev/urandom" || path == "/dev/random";
    // What is said there is said of the host, or of the simulator.
    if (path == "/proc/self/exe") return open_file(hart, machine_.program().path, a);
    if (path.starts_with("/proc/") || path.starts_with("/sys/")) return -ENOENT;
    std::optional<int> opened;
    {
        const CreationMask mask(mask_);
        opened = open_host(hart, path, directory(a[0]), host_open_flags(a[2]),
                           static_cast<mode_t>(a[3]));
    }
    if (!opened) return 0;
    if (*opened < 0) return -errno;
    if (a[2] & kOpenTruncate) file_resized(*opened);
    struct stat st;
    // Another thread may be at its other end.
    if (fstat(*opened, &st) == 0 && S_ISFIFO(st.st_mode)) {
        file.blocks = (a[2] & kOpenNonblock) == 0;
    } else if ((a[2] & kOpenNonblock) == 0) {
        fcntl(*opened, F_SETFL, fcntl(*opened, F_GETFL) & ~O_NONBLOCK);
    }
    return add_file(*opened, file, a[2]);
}

std::int64_t Process::duplicate(const Descriptor& descriptor, int from, bool close_on_exec) {
    const int host = dup(descriptor.host);
    if (host < 0) return -errno;
    while (files_.count(from))
        ++from;
    if (static_cast<std::uint64_t>(from) >= limits_[kLimitOfFiles].now) {
        close(host);
        return -EMFILE;
    }
    files_[from] = {host, descriptor.file, close_on_exec};
    return from;
}

std::int64_t Process::control_file(Hart& hart, Descriptor& descriptor,
                                   const std::uint64_t (&a)[6]) {
    const int host = descriptor.host;
    switch (a[1]) {
        case F_DUPFD:
        case F_DUPFD_CLOEXEC:
            if (static_cast<std::int32_t>(a[2]) < 0 || a[2] >= limits_[kLimitOfFiles].now)
                return -EINVAL;
            return duplicate(descriptor, static_cast<int>(a[2]), a[1] == F_DUPFD_CLOEXEC);
        case F_GETFD: return descriptor.close_on_exec ? FD_CLOEXEC : 0;
        case F_SETFD: descriptor.close_on_exec = (a[2] & FD_CLOEXEC) != 0; return 0;
        case F_GETFL: {
            const int flags = fcntl(host, F_GETFL);
            if (flags < 0) return -errno;
            return descriptor.file->blocks.value_or(false) ? flags & ~O_NONBLOCK : flags;
        }
        case F_SETFL: {
            int flags = host_open_flags(a[2]);
            std::optional<bool>& blocks = descriptor.file->blocks;
            if (blocks) {
                blocks = (flags & O_NONBLOCK) == 0;
                flags |= O_NONBLOCK;
            }
            return fcntl(host, F_SETFL, flags) != 0 ? -errno : 0;
        }
        case F_GETLK:
        case F_SETLK:
        case F_SETLKW:
        case F_OFD_GETLK:
        case F_OFD_SETLK:
        case F_OFD_SETLKW: return lock_part(hart, host, a[1], a[2]);
        case F_GETPIPE_SZ:
        case F_SETPIPE_SZ:
        case F_GET_SEALS:
        case F_ADD_SEALS: {
            const int result = fcntl(host, static_cast<int>(a[1]), static_cast<int>(a[2]));
            return result < 0 ? -errno : result;
        }
        default: return -EINVAL;
    }
}

std::int64_t Process::close_files(std::uint64_t first, std::uint64_t last, std::uint64_t flags) {
    const auto from = static_cast<std::uint32_t>(first), to = static_cast<std::uint32_t>(last);
    if ((flags & ~(kCloseUnshare | kCloseOnExec)) != 0 || from > to) return -EINVAL;
    for (auto it = files_.begin(); it != files_.end();) {
        const auto fd = static_cast<std::uint32_t>(it->first);
        if (fd < from || fd > to) {
            ++it;
        } else if ((flags & kCloseOnExec) != 0) {
            it->second.close_on_exec = true;
            ++it;
        } else {
            if (it->second.host > 2) close(it->second.host);
            it = files_.erase(it);
        }
    }
    return 0;
}

std::int64_t Process::change_directory(int directory, const char* path) {
    const int next = openat(directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (next < 0) return -errno;
    if (faccessat(next, ".", X_OK, AT_EACCESS) != 0) {
        const int error = errno;
        close(next);
        return -error;
    }
    if (working_directory_ != AT_FDCWD) close(working_directory_);
    working_directory_ = next;
    return 0;
}

std::string Process::host_path(const std::string& path) const {
    if (working_directory_ == AT_FDCWD || path.empty() || path[0] == '/') return path;
    return "/proc/self/fd/" + std::to_string(working_directory_) + "/" + path;
}

/// Of the whole process, without a descriptor or a path.
std::int64_t Process::process_files_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    switch (number) {
        case kSysGetcwd: {
            char buffer[4096] = {};
            const std::string own = "/proc/self/fd/" + std::to_string(working_directory_);
            if (working_directory_ == AT_FDCWD
                    ? getcwd(buffer, sizeof buffer) == nullptr
                    : readlink(own.c_str(), buffer, sizeof buffer - 1) < 0)
                return -errno;
            const std::size_t size = std::strlen(buffer) + 1;
            if (size > a[1]) return -ERANGE;
            return node_.memory.write(a[0], buffer, size) ? static_cast<std::int64_t>(size)
                                                          : -EFAULT;
        }
        case kSysPipe2: {
            int ends[2];
            if (pipe2(ends, host_open_flags(a[1]) | O_NONBLOCK) != 0) return -errno;
            const OpenFile file{.own = true, .blocks = (a[1] & kOpenNonblock) == 0};
            return put_pair(a[0], ends, file, a[1]);
        }
        case kSysSync: sync(); return 0;
        case kSysCloseRange: return close_files(a[0], a[1], a[2]);
        case kSysUmask: {
            const mode_t before = mask_ ? *mask_ : CreationMask::of_host();
            mask_ = static_cast<mode_t>(a[0] & 0777);
            return before;
        }
        default: return -ENOSYS;
    }
}

std::int64_t Process::path_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    std::string path, other;
    switch (number) {
        case kSysOpenat:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            return open_file(hart, path, a);
        case kSysMknodat: {
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            const auto mode = static_cast<mode_t>(a[2]);
            if (!S_ISFIFO(mode) && !S_ISREG(mode) && (mode & S_IFMT) != 0) return -EPERM;
            const CreationMask mask(mask_);
            return status(mknodat(directory(a[0]), path.c_str(), mode, 0));
        }
        case kSysMkdirat:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            {
                const CreationMask mask(mask_);
                return status(mkdirat(directory(a[0]), path.c_str(), static_cast<mode_t>(a[2])));
            }
        case kSysUnlinkat:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            return status(
                unlinkat(directory(a[0]), path.c_str(), (a[2] & 0x200) ? AT_REMOVEDIR : 0));
        case kSysRenameat2:
            if (!node_.memory.read_string(a[1], path) || !node_.memory.read_string(a[3], other))
                return -EFAULT;
            if ((a[4] & ~(kRenameNoReplace | kRenameExchange)) != 0) return -EINVAL;
            return status(renameat2(directory(a[0]), path.c_str(), directory(a[2]), other.c_str(),
                                    static_cast<unsigned>(a[4])));
        case kSysSymlinkat:
            if (!node_.memory.read_string(a[0], path) || !node_.memory.read_string(a[2], other))
                return -EFAULT;
            return status(symlinkat(path.c_str(), directory(a[1]), other.c_str()));
        case kSysLinkat:
            if (!node_.memory.read_string(a[1], path) || !node_.memory.read_string(a[3], other))
                return -EFAULT;
            return status(linkat(directory(a[0]), path.c_str(), directory(a[2]), other.c_str(),
                                 (a[4] & 0x400) ? AT_SYMLINK_FOLLOW : 0));
        case kSysFaccessat:
        case kSysFaccessat2:
            if (!node_.memory.read_string(a[1], path)) return -EFAULT;
            return status(faccessat(directory(a[0]), path.c_str(), static_cast<int>(a[2]),
                                    number == kSysFaccessat2 ? static_cast<int>(a[3]) : 0));
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
            if (a[3] == 0) return -EINVAL;
            size = std::min<ssize_t>(size, static_cast<ssize_t>(a[3]));
            return node_.memory.write(a[2], buffer, static_cast<std::size_t>(size)) ? size
                                                                                    : -EFAULT;
        }
        case kSysChdir:
            if (!node_.memory.read_string(a[0], path)) return -EFAULT;
            return change_directory(working_directory_, path.c_str());
        case kSysMemfdCreate:
            if (!node_.memory.read_string(a[0], path)) return -EFAULT;
            return add_file(memfd_create(path.c_str(), static_cast<unsigned>(a[1])), {},
                            (a[1] & MFD_CLOEXEC) != 0 ? std::uint64_t{kOpenCloexec} : 0);
        default: return -ENOSYS;
    }
}

std::int64_t Process::descriptor_call(Hart& hart, std::uint64_t number,
                                      const std::uint64_t (&a)[6]) {
    const int host = host_file(a[0]);
    if (host < 0) return -EBADF;
    const Descriptor descriptor = files_[static_cast<int>(a[0])];
    switch (number) {
        case kSysClose:
            files_.erase(static_cast<int>(a[0]));
            return host > 2 ? status(close(host)) : 0;
        case kSysDup: return duplicate(descriptor, 0, false);
        case kSysFchdir: return change_directory(host, ".");
        case kSysDup3: {
            if (a[0] == a[1] || (a[2] & ~std::uint64_t{kOpenCloexec}) != 0) return -EINVAL;
            if (static_cast<std::int32_t>(a[1]) < 0 || a[1] >= limits_[kLimitOfFiles].now)
                return -EBADF;
            const int copy = dup(host);
            if (copy < 0) return -errno;
            if (const int old = host_file(a[1]); old > 2) close(old);
            files_[static_cast<int>(a[1])] = {copy, descriptor.file, (a[2] & kOpenCloexec) != 0};
            return static_cast<std::int64_t>(a[1]);
        }
        case kSysFcntl: return control_file(hart, files_[static_cast<int>(a[0])], a);
        case kSysIoctl: {
            if (a[1] == 0x5413) {  // TIOCGWINSZ
                struct winsize size;
                if (ioctl(host, TIOCGWINSZ, &size) != 0) return -errno;
                return put(a[2], size) ? 0 : -EFAULT;
            }
            if (a[1] == 0x541b) {  // FIONREAD
                int waiting;
                if (ioctl(host, FIONREAD, &waiting) != 0) return -errno;
                return put(a[2], waiting) ? 0 : -EFAULT;
            }
            return -ENOTTY;
        }
        case kSysFadvise64:
            return -posix_fadvise(host, static_cast<off_t>(a[1]), static_cast<off_t>(a[2]),
                                  static_cast<int>(a[3]));
        case kSysFdatasync: return status(fdatasync(host));
        case kSysFsync: return status(fsync(host));
        case kSysSyncfs: return status(syncfs(host));
        case kSysSyncFileRange:
            return status(sync_file_range(host, static_cast<off_t>(a[1]), static_cast<off_t>(a[2]),
                                          static_cast<unsigned>(a[3])));
        case kSysReadahead: return status(readahead(host, static_cast<off_t>(a[1]), a[2]));
        case kSysLseek:
            return status(lseek(host, static_cast<off_t>(a[1]), static_cast<int>(a[2])));
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

}  // namespace isthmus::sim::linux_abi
