#include "base/error_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace isthmus {
namespace {

int kept = -1;
struct stat kept_file {};

// The program may have closed this one, too, and opened another under its number.
bool is_kept() {
    struct stat now {};
    return kept >= 0 && fstat(kept, &now) == 0 && now.st_dev == kept_file.st_dev &&
           now.st_ino == kept_file.st_ino;
}

// By the stream as well: what has been opened since under the number of a closed one is not for
// messages.
bool is_open() {
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fileno_unlocked(stderr) >= 0;
}

}  // namespace

void occupy_standard_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        const int access = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        // The lowest number that is free: of these three, in this order.
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) open("/dev/null", access | O_CLOEXEC);
    }
}

void keep_error_stream() {
    constexpr int kLowest = 64;  // not where programs expect their own next one
    if (is_kept() || !is_open() || fstat(STDERR_FILENO, &kept_file) != 0) return;
    kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, kLowest);
}

void drop_error_stream() {
    if (is_kept()) close(kept);
    kept = -1;
}

int error_stream() {
    return is_open() || !is_kept() ? STDERR_FILENO : kept;
}

}  // namespace isthmus
