// Locks of files: whole ones (flock), parts of them by description, and parts of them by process.
//
// The host keeps those that belong to an open file, as it has one for each of the program's. Those
// that belong to a process it cannot keep: all nodes are one process there. They are checked and
// granted, as nobody else in the program could hold them.
#include <sys/file.h>
#include <unistd.h>

#include <limits>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

/// The host does not tell when a lock could be had; its holder may be another node.
constexpr std::uint64_t kNanosecondsBetweenTries = 1000;

struct RecordLock {
    std::int16_t type, whence;
    std::int32_t pad;
    std::int64_t start, length;
    std::int32_t process, pad2;
};
static_assert(sizeof(RecordLock) == sizeof(struct flock));

/// 0, or the error of a part of a file that cannot be.
int check_range(int file, const RecordLock& lock) {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    std::int64_t start = 0;
    struct stat st;
    switch (lock.whence) {
        case SEEK_SET: break;
        case SEEK_CUR: start = std::max<off_t>(lseek(file, 0, SEEK_CUR), 0); break;
        case SEEK_END: start = fstat(file, &st) == 0 ? st.st_size : 0; break;
        default: return EINVAL;
    }
    if (lock.start > kLast - start) return EOVERFLOW;
    start += lock.start;
    if (start < 0) return EINVAL;
    if (lock.length > 0 && lock.length - 1 > kLast - start) return EOVERFLOW;
    return lock.length < 0 && start + lock.length < 0 ? EINVAL : 0;
}

/// 0, or the error of a file that is not open for that.
int check_mode(int file, const RecordLock& lock) {
    const int mode = fcntl(file, F_GETFL) & O_ACCMODE;
    const bool wrong =
        (lock.type == F_RDLCK && mode == O_WRONLY) || (lock.type == F_WRLCK && mode == O_RDONLY);
    return wrong ? EBADF : 0;
}

}  // namespace

std::int64_t Process::wait_for_lock(Hart& hart) {
    Sleeper sleeper;
    sleeper.deadline = node_.nanoseconds() + kNanosecondsBetweenTries;
    sleeper.at_deadline = kCallAgain;
    sleeper.restarts = true;
    block(hart, sleeper);
    return 0;
}

std::int64_t Process::lock_file(Hart& hart, std::uint64_t fd, std::uint64_t operation) {
    std::erase(expired_, hart.id);
    const int host = host_file(fd);
    if (host < 0) return -EBADF;
    if (flock(host, static_cast<int>(operation) | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK || (operation & LOCK_NB) != 0) return -errno;
    return wait_for_lock(hart);
}

std::int64_t Process::lock_part(Hart& hart, int host, std::uint64_t command,
                                std::uint64_t address) {
    std::erase(expired_, hart.id);
    RecordLock lock;
    if (!get(address, lock)) return -EFAULT;
    const bool asks = command == F_GETLK || command == F_OFD_GETLK;
    if (command == F_GETLK || command == F_SETLK || command == F_SETLKW) {
        if (lock.type != F_RDLCK && lock.type != F_WRLCK && (asks || lock.type != F_UNLCK))
            return -EINVAL;
        if (const int error = check_range(host, lock); error != 0) return -error;
        if (!asks) return -check_mode(host, lock);
        lock.type = F_UNLCK;
    } else {
        struct flock wanted {};
        wanted.l_type = lock.type;
        wanted.l_whence = lock.whence;
        wanted.l_start = lock.start;
        wanted.l_len = lock.length;
        wanted.l_pid = lock.process;
        if (fcntl(host, asks ? F_OFD_GETLK : F_OFD_SETLK, &wanted) != 0)
            return errno == EAGAIN && command == F_OFD_SETLKW ? wait_for_lock(hart) : -errno;
        lock.type = wanted.l_type;
        lock.whence = wanted.l_whence;
        lock.start = wanted.l_start;
        lock.length = wanted.l_len;
        lock.process = wanted.l_pid;
    }
    return !asks || put(address, lock) ? 0 : -EFAULT;
}

}  // namespace isthmus::sim::linux_abi
