// Bytes that move between files without passing through the program's memory.
//
// The host moves them. Where one of the files is a pipe that only the program's own threads fill or
// empty, the host does not wait: the thread sleeps and makes its call again, as in transfer.cpp.
#include <sys/sendfile.h>
#include <unistd.h>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

/// What the four calls have in common. An offset is the address of one, 0: the file's own.
struct Copy {
    std::uint64_t from, to, from_offset, to_offset, length, flags;
};

Copy copy_of(std::uint64_t number, const std::uint64_t (&a)[6]) {
    switch (number) {
        case kSysSendfile: return {a[1], a[0], a[2], 0, a[3], 0};
        case kSysTee: return {a[0], a[1], 0, 0, a[2], a[3]};
        default: return {a[0], a[2], a[1], a[3], a[4], a[5]};
    }
}

ssize_t move(std::uint64_t number, int from, off_t* from_offset, int to, off_t* to_offset,
             std::size_t length, unsigned flags) {
    switch (number) {
        case kSysSendfile: return sendfile(to, from, from_offset, length);
        case kSysTee: return tee(from, to, length, flags);
        case kSysSplice: return splice(from, from_offset, to, to_offset, length, flags);
        default: return copy_file_range(from, from_offset, to, to_offset, length, flags);
    }
}

bool is_blocking(const Descriptor& file) {
    return file.file->blocks.value_or((fcntl(file.host, F_GETFL) & O_NONBLOCK) == 0);
}

}  // namespace

std::int64_t Process::copy_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    const Copy copy = copy_of(number, a);
    const auto from = files_.find(static_cast<int>(copy.from));
    const auto to = files_.find(static_cast<int>(copy.to));
    if (from == files_.end() || to == files_.end()) return -EBADF;
    const bool splices = number == kSysSplice || number == kSysTee;
    auto flags = static_cast<unsigned>(copy.flags);
    if (splices && (from->second.file->blocks || to->second.file->blocks))
        flags |= SPLICE_F_NONBLOCK;
    off_t from_offset = 0, to_offset = 0;
    if (copy.from_offset != 0 && !get(copy.from_offset, from_offset)) return -EFAULT;
    if (copy.to_offset != 0 && !get(copy.to_offset, to_offset)) return -EFAULT;
    for (;;) {
        const ssize_t moved =
            move(number, from->second.host, copy.from_offset != 0 ? &from_offset : nullptr,
                 to->second.host, copy.to_offset != 0 ? &to_offset : nullptr, copy.length, flags);
        if (moved >= 0) {
            if (moved > 0) file_resized(to->second.host);
            if (copy.from_offset != 0 && !put(copy.from_offset, from_offset)) return -EFAULT;
            if (copy.to_offset != 0 && !put(copy.to_offset, to_offset)) return -EFAULT;
            return moved;
        }
        const int error = errno;
        if (error == EPIPE) send_broken_pipe(hart);
        if (error != EAGAIN) return -error;
        pollfd polled{from->second.host, POLLIN, 0};
        const bool empty = poll(&polled, 1, 0) == 0;
        const Descriptor& late = empty ? from->second : to->second;
        if ((splices && (copy.flags & SPLICE_F_NONBLOCK) != 0) || !is_blocking(late))
            return -EAGAIN;
        const short events = empty ? POLLIN : POLLOUT;
        if (late.file->own || !alone()) {
            wait_for_file(hart, late, events, 0);
            return 0;
        }
        polled = {late.host, events, 0};
        poll(&polled, 1, -1);
    }
}

}  // namespace isthmus::sim::linux_abi
