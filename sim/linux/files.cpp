// File calls: the host does them, on descriptors of the process's own numbering.
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {

namespace {

constexpr std::uint64_t kSetPipeSize = 1031, kGetPipeSize = 1032;

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

}  // namespace

std::int64_t Process::add_file(int host, const OpenFile& file) {
    if (host < 0) return -errno;
    int guest = 0;
    while (files_.count(guest))
        ++guest;
    files_[guest] = {host, std::make_shared<OpenFile>(file)};
    return guest;
}

std::int64_t Process::duplicate(const Descriptor& descriptor, int from) {
    const int host = dup(descriptor.host);
    if (host < 0) return -errno;
    while (files_.count(from))
        ++from;
    files_[from] = {host, descriptor.file};
    return from;
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
            {
                const int opened = openat(directory(a[0]), path.c_str(), host_open_flags(a[2]),
                                          static_cast<mode_t>(a[3]));
                if (opened >= 0 && (a[2] & kOpenTruncate)) file_resized(opened);
                OpenFile file;
                struct stat st;
                // Another thread may be at its other end.
                if (opened >= 0 && fstat(opened, &st) == 0 && S_ISFIFO(st.st_mode)) {
                    file.blocks = (a[2] & kOpenNonblock) == 0;
                    fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) | O_NONBLOCK);
                }
                return add_file(opened, file);
            }
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
            if (a[3] == 0) return -EINVAL;
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
            if (pipe2(ends, host_open_flags(a[1]) | O_NONBLOCK) != 0) return -errno;
            const OpenFile file{true, (a[1] & kOpenNonblock) == 0};
            const std::int32_t guest[2] = {static_cast<std::int32_t>(add_file(ends[0], file)),
                                           static_cast<std::int32_t>(add_file(ends[1], file))};
            return put(a[0], guest) ? 0 : -EFAULT;
        }
        case kSysChdir: return -EACCES;  // nodes share the host's working directory
        default: break;
    }
    if (host < 0) return -EBADF;
    const Descriptor descriptor = files_[static_cast<int>(a[0])];
    switch (number) {
        case kSysClose:
            files_.erase(static_cast<int>(a[0]));
            return host > 2 ? status(close(host)) : 0;
        case kSysDup: return duplicate(descriptor, 0);
        case kSysDup3: {
            const int copy = dup(host);
            if (copy < 0) return -errno;
            if (const int old = host_file(a[1]); old > 2) close(old);
            files_[static_cast<int>(a[1])] = {copy, descriptor.file};
            return static_cast<std::int64_t>(a[1]);
        }
        case kSysFcntl:
            switch (a[1]) {
                case F_DUPFD:
                case F_DUPFD_CLOEXEC: return duplicate(descriptor, static_cast<int>(a[2]));
                case F_GETFD:
                case F_SETFD: return 0;
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
                    return status(fcntl(host, F_SETFL, flags));
                }
                case kGetPipeSize:
                case kSetPipeSize:
                    return status(fcntl(host, static_cast<int>(a[1]), static_cast<int>(a[2])));
                default: return -EINVAL;
            }
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
        case kSysFtruncate: {
            const std::int64_t result = status(ftruncate(host, static_cast<off_t>(a[1])));
            if (result == 0) file_resized(host);
            return result;
        }
        case kSysFdatasync: return status(fdatasync(host));
        case kSysFsync: return status(fsync(host));
        case kSysLseek:
            return status(lseek(host, static_cast<off_t>(a[1]), static_cast<int>(a[2])));
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

}  // namespace isthmus::sim::linux_abi
