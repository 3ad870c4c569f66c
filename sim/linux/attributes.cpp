// What files are: kind, mode, times, size, and the file systems that hold them.
#include <sys/statfs.h>
#include <unistd.h>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {

static_assert(sizeof(struct statfs) == 120, "the host's layout is the program's");

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

std::int64_t Process::attribute_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto status = [](std::int64_t result) {
        return result < 0 ? std::int64_t{-errno} : result;
    };
    const int host = host_file(a[0]);
    std::string path;
    switch (number) {
        case kSysTruncate:
        case kSysStatfs:
            if (!node_.memory.read_string(a[0], path)) return -EFAULT;
            path = host_path(path);
            break;
        case kSysFchmodat:
        case kSysNewfstatat:
        case kSysStatx:
        case kSysUtimensat:
            if ((number != kSysUtimensat || a[1] != 0) && !node_.memory.read_string(a[1], path))
                return -EFAULT;
            break;
        default:
            if (host < 0) return -EBADF;
    }
    switch (number) {
        case kSysFchmod: return status(fchmod(host, static_cast<mode_t>(a[1])));
        case kSysFchmodat:
            return status(fchmodat(directory(a[0]), path.c_str(), static_cast<mode_t>(a[2]), 0));
        case kSysTruncate: {
            const std::int64_t result = status(truncate(path.c_str(), static_cast<off_t>(a[1])));
            const int opened = result == 0 ? open(path.c_str(), O_PATH | O_CLOEXEC) : -1;
            if (opened >= 0) {
                file_resized(opened);
                close(opened);
            }
            return result;
        }
        case kSysFtruncate: {
            const std::int64_t result = status(ftruncate(host, static_cast<off_t>(a[1])));
            if (result == 0) file_resized(host);
            return result;
        }
        case kSysFallocate: {
            const std::int64_t result = status(fallocate(
                host, static_cast<int>(a[1]), static_cast<off_t>(a[2]), static_cast<off_t>(a[3])));
            if (result == 0) file_resized(host);
            return result;
        }
        case kSysUtimensat: {
            Timespec times[2];
            timespec wanted[2];
            if (a[2] != 0) {
                if (!get(a[2], times)) return -EFAULT;
                for (int i = 0; i < 2; ++i)
                    wanted[i] = {times[i].seconds, times[i].nanoseconds};
            }
            const timespec* const given = a[2] != 0 ? wanted : nullptr;
            if (a[1] == 0) {
                if (static_cast<int>(a[0]) == AT_FDCWD) return -EFAULT;
                return host < 0 ? -EBADF : status(futimens(host, given));
            }
            if ((a[3] & ~std::uint64_t{0x1100}) != 0) return -EINVAL;
            const int flags =
                ((a[3] & 0x100) ? AT_SYMLINK_NOFOLLOW : 0) | ((a[3] & 0x1000) ? AT_EMPTY_PATH : 0);
            return status(utimensat(directory(a[0]), path.c_str(), given, flags));
        }
        case kSysStatfs:
        case kSysFstatfs: {
            struct statfs st;
            if ((number == kSysStatfs ? statfs(path.c_str(), &st) : fstatfs(host, &st)) != 0)
                return -errno;
            return put(a[1], st) ? 0 : -EFAULT;
        }
        case kSysNewfstatat: {
            struct stat st;
            int flags = 0;
            if (a[3] & 0x100) flags |= AT_SYMLINK_NOFOLLOW;
            if (a[3] & 0x1000) flags |= AT_EMPTY_PATH;
            const int at = directory(a[0]);
            if (at == -1) return -EBADF;
            return fstatat(at, path.c_str(), &st, flags) != 0 ? -errno : put_stat(a[2], st);
        }
        case kSysStatx: {
            struct statx st;
            if (statx(directory(a[0]), path.c_str(), static_cast<int>(a[2]),
                      static_cast<unsigned>(a[3]), &st) != 0)
                return -errno;
            return put(a[4], st) ? 0 : -EFAULT;
        }
        case kSysFstat: {
            struct stat st;
            return fstat(host, &st) != 0 ? -errno : put_stat(a[1], st);
        }
        default: return -ENOSYS;
    }
}

}  // namespace isthmus::sim::linux_abi
