// Opening named pipes: who opens one end waits until somebody has the other.
//
// The host must not wait, as the other one may be a thread of the program: it opens without
// blocking and the thread sleeps.
#include <unistd.h>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

/// Of an end to read from. The host has no question for it, but an attempt to copy a byte would
/// have to wait only if there is a writer.
bool has_writer(int host) {
    pollfd polled{host, POLLIN, 0};
    if (poll(&polled, 1, 0) != 0) return true;  // bytes, or a writer that has come and gone
    int scratch[2];
    if (pipe2(scratch, O_CLOEXEC) != 0) return true;
    const bool waits = tee(host, scratch[1], 1, SPLICE_F_NONBLOCK) < 0 && errno == EAGAIN;
    close(scratch[0]);
    close(scratch[1]);
    return waits;
}

bool is_named_pipe(int directory, const std::string& path) {
    struct stat st;
    return fstatat(directory, path.c_str(), &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

}  // namespace

std::optional<int> Process::open_host(Hart& hart, const std::string& path, int directory, int flags,
                                      mode_t mode) {
    const auto wait = [&](int host) {
        openings_[hart.id] = {directory, path, flags, host};
        Sleeper sleeper;
        sleeper.opens = sleeper.outside = true;
        sleeper.at_deadline = kCallAgain;
        sleeper.restarts = true;
        block(hart, sleeper);
        return std::optional<int>();
    };
    if (const auto found = openings_.find(hart.id); found != openings_.end()) {
        const int host = found->second.host;
        openings_.erase(found);
        if (host >= 0) return host;
    }
    const int host = openat(directory, path.c_str(), flags | O_NONBLOCK, mode);
    if ((flags & O_NONBLOCK) != 0) return host;
    if (host < 0) {
        const int error = errno;
        if (error == ENXIO && is_named_pipe(directory, path)) return wait(-1);
        errno = error;
        return host;
    }
    struct stat st;
    if ((flags & O_ACCMODE) != O_RDONLY || fstat(host, &st) != 0 || !S_ISFIFO(st.st_mode) ||
        has_writer(host))
        return host;
    return wait(host);
}

/// What it finds out stays so until the call is made again.
bool Process::opens_now(unsigned id) {
    Opening& opening = openings_.at(id);
    if (opening.host >= 0)
        return (opening.flags & O_ACCMODE) != O_RDONLY || has_writer(opening.host);
    opening.host = openat(opening.directory, opening.path.c_str(), opening.flags | O_NONBLOCK);
    return opening.host >= 0 || errno != ENXIO;
}

void Process::forget_opening(unsigned id) {
    const auto found = openings_.find(id);
    if (found == openings_.end()) return;
    if (found->second.host >= 0) close(found->second.host);
    openings_.erase(found);
}

}  // namespace isthmus::sim::linux_abi
