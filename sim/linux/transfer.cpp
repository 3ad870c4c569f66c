// Reading and writing: what moves between files and the program's memory, and who waits for it.
//
// A pipe that the program's own threads fill and empty never blocks the host, which would wait for
// ever: the thread sleeps and makes its call again. What others are at the other end of may.
#include <unistd.h>

#include <algorithm>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kMostParts = 1024, kMostBytes = ~std::uint64_t{0} >> 1;

ssize_t move(int file, const std::vector<iovec>& parts, bool to_file,
             std::optional<std::uint64_t> offset) {
    const int count = static_cast<int>(parts.size());
    if (!offset)
        return to_file ? writev(file, parts.data(), count) : readv(file, parts.data(), count);
    const auto at = static_cast<off_t>(*offset);
    return to_file ? pwritev(file, parts.data(), count, at) : preadv(file, parts.data(), count, at);
}

}  // namespace

/// The host's addresses of what the program may access; what lies behind a part that it may not is
/// left out.
std::vector<iovec> Process::host_parts(const std::vector<Iovec>& parts, std::uint64_t skipped,
                                       std::uint8_t rights) const {
    std::vector<iovec> found;
    for (Iovec part : parts) {
        const std::uint64_t before = std::min(skipped, part.length);
        skipped -= before;
        part.base += before;
        part.length -= before;
        while (part.length != 0) {
            const Region* region = node_.memory.find(part.base);
            if (region == nullptr || region->host == nullptr ||
                (region->rights & rights) != rights || found.size() == kMostParts)
                return found;
            const std::uint64_t n = std::min(part.length, region->end - part.base);
            found.push_back({region->host + (part.base - region->start), n});
            part.base += n;
            part.length -= n;
        }
    }
    return found;
}

void Process::wait_for_file(Hart& hart, const Descriptor& file, short events, std::uint64_t done) {
    Sleeper sleeper;
    sleeper.files = {{file.host, events, 0}};
    sleeper.outside = !file.file->own;
    sleeper.at_deadline = kCallAgain;
    sleeper.restarts = true;
    sleeper.done = done;
    block(hart, sleeper);
}

std::int64_t Process::transfer(Hart& hart, const Descriptor& file, const std::vector<Iovec>& parts,
                               bool to_file, std::optional<std::uint64_t> offset,
                               std::uint64_t done) {
    const auto partly = [&](std::int64_t otherwise) {
        return done != 0 ? static_cast<std::int64_t>(done) : otherwise;
    };
    std::uint64_t wanted = 0;
    for (const Iovec& part : parts) {
        if (part.length > kMostBytes - wanted) return -EINVAL;
        wanted += part.length;
    }
    if (file.file->signals) return read_signals(hart, file, parts);
    if (file.file->random && !to_file) {
        for (const Iovec& part : parts) {
            if (!put_random(part.base, part.length)) return -EFAULT;
        }
        return static_cast<std::int64_t>(wanted);
    }
    const short events = to_file ? POLLOUT : POLLIN;
    const std::optional<bool> blocks = file.file->blocks;
    pollfd polled{file.host, events, 0};
    // A file that is also others' keeps their flags. What is written there goes out while the
    // program stands still, so that it does not see how fast they take it.
    if (!blocks && !to_file && !offset && !alone() && poll(&polled, 1, 0) == 0 &&
        (fcntl(file.host, F_GETFL) & O_NONBLOCK) == 0) {
        wait_for_file(hart, file, events, 0);
        return 0;
    }
    for (;;) {
        const std::vector<iovec> host = host_parts(parts, done, to_file ? kRead : kWrite);
        if (host.empty() && wanted != done) return partly(-EFAULT);
        std::uint64_t there = 0;
        for (const iovec& part : host)
            there += part.iov_len;
        const ssize_t moved = move(file.host, host, to_file, offset);
        const int error = moved < 0 ? errno : 0;
        if (error == EPIPE) send_broken_pipe(hart);
        if (moved < 0 && (error != EAGAIN || !blocks.value_or(false))) return partly(-error);
        if (moved >= 0 && !to_file) {
            note_written(parts, static_cast<std::uint64_t>(moved));
            return moved;
        }
        if (moved > 0) {
            done += static_cast<std::uint64_t>(moved);
            file_resized(file.host);
        }
        if (moved >= 0 && (!blocks.value_or(false) || static_cast<std::uint64_t>(moved) == there))
            return static_cast<std::int64_t>(done);
        if (file.file->own || !alone()) {
            wait_for_file(hart, file, events, done);
            return 0;
        }
        poll(&polled, 1, -1);
    }
}

void Process::note_written(const std::vector<Iovec>& parts, std::uint64_t bytes) {
    for (const Iovec& part : parts) {
        const std::uint64_t n = std::min(bytes, part.length);
        if (n != 0) node_.memory.note_write(part.base, n);
        bytes -= n;
    }
}

void Process::send_broken_pipe(const Hart& hart) {
    SignalInfo info{};
    info.number = kSigPipe;
    info.sender.pid = static_cast<std::int32_t>(kProcessId);
    info.sender.uid = 1000;
    send(info, hart.id);
}

/// What the call has written already, before the thread slept.
std::uint64_t Process::take_unfinished(const Hart& hart) {
    const auto before = unfinished_.find(hart.id);
    if (before == unfinished_.end()) return 0;
    const std::uint64_t done = before->second;
    unfinished_.erase(before);
    return done;
}

std::int64_t Process::transfer_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    const std::uint64_t done = take_unfinished(hart);
    const auto found = files_.find(static_cast<int>(a[0]));
    if (found == files_.end()) return done != 0 ? static_cast<std::int64_t>(done) : -EBADF;
    const Descriptor file = found->second;
    const bool to_file = number == kSysWrite || number == kSysWritev || number == kSysPwrite64 ||
                         number == kSysPwritev;
    if (to_file && file.file->is_read_only()) return -EINVAL;
    std::optional<std::uint64_t> offset;
    if (number == kSysPread64 || number == kSysPwrite64 || number == kSysPreadv ||
        number == kSysPwritev) {
        if (static_cast<std::int64_t>(a[3]) < 0) return -EINVAL;
        offset = a[3];
    }
    if (offset && file.file->is_read_only()) return -ESPIPE;
    if (number == kSysRead || number == kSysWrite || number == kSysPread64 ||
        number == kSysPwrite64)
        return transfer(hart, file, {{a[1], a[2]}}, to_file, offset, done);
    if (a[2] > kMostParts) return -EINVAL;
    std::vector<Iovec> parts(a[2]);
    if (!parts.empty() && !node_.memory.read(a[1], parts.data(), a[2] * sizeof(Iovec)))
        return -EFAULT;
    return transfer(hart, file, parts, to_file, offset, done);
}

}  // namespace isthmus::sim::linux_abi
