// Files from which signals are read (signalfd).
//
// The signals are the program's, so that the host's file is only a flag: an eventfd with a count of
// 1 while one of the file's signals is pending.
#include <sys/eventfd.h>

#include <algorithm>
#include <cstring>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kMaskBytes = 8;

/// What a read gives of a signal.
struct SignalRecord {
    std::uint32_t number;
    std::int32_t error, code;
    std::uint32_t process, user;
    std::int32_t file;
    std::uint32_t timer, band, overrun, trap;
    std::int32_t status, value;
    std::uint64_t pointer, user_time, system_time, address;
    std::uint8_t unused[48];
};
static_assert(sizeof(SignalRecord) == 128);

SignalRecord record_of(const SignalInfo& info) {
    SignalRecord record{};
    record.number = static_cast<std::uint32_t>(info.number);
    record.error = info.error;
    record.code = info.code;
    if (info.code == kCodeTimer) {
        record.timer = static_cast<std::uint32_t>(info.sender.pid);
        record.overrun = info.sender.uid;
    } else {
        record.process = static_cast<std::uint32_t>(info.sender.pid);
        record.user = info.sender.uid;
    }
    if (info.code < 0 && info.code != kCodeTkill) {
        record.value = static_cast<std::int32_t>(info.sender.value);
        record.pointer = info.sender.value;
    }
    return record;
}

}  // namespace

std::int64_t Process::open_signal_file(const std::uint64_t (&a)[6]) {
    std::uint64_t wanted;
    if (a[2] != kMaskBytes || (a[3] & ~std::uint64_t{kOpenNonblock | kOpenCloexec}) != 0)
        return -EINVAL;
    if (!get(a[1], wanted)) return -EFAULT;
    wanted &= ~(signal_bit(kSigKill) | signal_bit(kSigStop));
    if (static_cast<std::int32_t>(a[0]) != -1) {
        const auto found = files_.find(static_cast<int>(a[0]));
        if (found == files_.end()) return -EBADF;
        if (!found->second.file->signals) return -EINVAL;
        found->second.file->signals = wanted;
        return static_cast<std::int64_t>(a[0]);
    }
    has_signal_files_ = true;
    OpenFile file{.own = true, .blocks = (a[3] & kOpenNonblock) == 0};
    file.signals = wanted;
    return add_file(eventfd(0, EFD_NONBLOCK), file, a[3]);
}

// Signals to one thread count, too, though only that thread can read them.
void Process::raise_signal_files() {
    if (!has_signal_files_) return;
    std::uint64_t pending = 0;
    for (const SignalInfo& one : pending_)
        pending |= signal_bit(one.number);
    for (const auto& [id, thread] : signals_) {
        for (const SignalInfo& one : thread.pending)
            pending |= signal_bit(one.number);
    }
    for (const auto& [fd, descriptor] : files_) {
        OpenFile& file = *descriptor.file;
        const bool raised = file.signals && (*file.signals & pending) != 0;
        if (raised == file.raised) continue;
        file.raised = raised;
        eventfd_t count;
        if (raised)
            eventfd_write(descriptor.host, 1);
        else
            eventfd_read(descriptor.host, &count);
    }
}

std::int64_t Process::read_signals(Hart& hart, const Descriptor& file,
                                   const std::vector<Iovec>& parts) {
    std::uint64_t room = 0;
    for (const Iovec& part : parts)
        room += part.length;
    if (room < sizeof(SignalRecord)) return -EINVAL;
    std::vector<std::byte> bytes;
    SignalInfo info;
    while (room - bytes.size() >= sizeof(SignalRecord) &&
           take_pending(hart.id, *file.file->signals, info)) {
        const SignalRecord record = record_of(info);
        const auto* const first = reinterpret_cast<const std::byte*>(&record);
        bytes.insert(bytes.end(), first, first + sizeof record);
    }
    if (bytes.empty()) {
        if (!file.file->blocks.value_or(false)) return -EAGAIN;
        wait_for_file(hart, file, POLLIN, 0);
        return 0;
    }
    std::uint64_t done = 0;
    for (const Iovec& part : parts) {
        const std::uint64_t n = std::min<std::uint64_t>(part.length, bytes.size() - done);
        if (!node_.memory.write(part.base, bytes.data() + done, n)) return -EFAULT;
        done += n;
    }
    return static_cast<std::int64_t>(done);
}

}  // namespace isthmus::sim::linux_abi
