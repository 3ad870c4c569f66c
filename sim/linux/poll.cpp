// Waiting for files: ppoll and pselect6.
//
// The host is asked what is ready now. If nothing is, the thread sleeps and the call is made again
// when something is, when its time is over, or never, when a handler interrupts it.
#include <algorithm>
#include <utility>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

struct GuestPoll {
    std::int32_t file;
    std::int16_t events, revents;
};
static_assert(sizeof(GuestPoll) == 8);

constexpr unsigned kMostFiles = 1024;
/// What select calls readable, writable and exceptional.
constexpr short kSelectEvents[3] = {POLLIN, POLLOUT, POLLPRI};
constexpr short kSelectReady[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};

}  // namespace

bool Process::get_duration(std::uint64_t address, std::optional<std::uint64_t>& nanoseconds) const {
    Timespec time;
    if (!get(address, time)) return false;
    nanoseconds = nanoseconds_of(time);
    return true;
}

std::int64_t Process::wait_for_files(Hart& hart, const Sleeper& sleeper,
                                     std::optional<std::uint64_t> wait, std::uint64_t mask_at) {
    if (mask_at != 0) {
        std::uint64_t mask;
        if (!get(mask_at, mask)) return -EFAULT;
        ThreadSignals& signals = signals_[hart.id];
        const std::uint64_t never = signal_bit(kSigKill) | signal_bit(kSigStop);
        signals.after_waiting = std::exchange(signals.blocked, mask & ~never);
    }
    Sleeper waiting = sleeper;
    if (wait) waiting.deadline = node_.nanoseconds() + *wait;
    waiting.at_deadline = kCallAgain;
    block(hart, waiting);
    return 0;
}

std::int64_t Process::poll_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    const bool expired = std::erase(expired_, hart.id) != 0;
    const bool select = number == kSysPselect6;
    const std::uint64_t count = a[select ? 0 : 1];
    if (count > kMostFiles) return -EINVAL;

    std::vector<pollfd> files;
    std::vector<GuestPoll> polled;
    bool outside = false;
    const auto add = [&](int fd, short events) {
        const auto found = files_.find(fd);
        if (found == files_.end()) {
            files.push_back({-1, 0, 0});
            return false;
        }
        const OpenFile& file = *found->second.file;
        outside |= !file.own;
        // Nothing is written to a timer or to signals, whatever the host says of their file.
        const int never = file.is_read_only() ? POLLOUT : 0;
        files.push_back({found->second.host, static_cast<short>(events & ~never), 0});
        return true;
    };
    // A set has a bit a descriptor, in words of 64.
    std::uint64_t sets[3][kMostFiles / 64] = {};
    const std::uint64_t set_bytes = (count + 63) / 64 * 8;
    int unknown = 0;
    if (select) {
        for (unsigned s = 0; s < 3; ++s) {
            if (a[1 + s] != 0 && !node_.memory.read(a[1 + s], sets[s], set_bytes)) return -EFAULT;
        }
        for (unsigned fd = 0; fd < count; ++fd) {
            int events = 0;
            for (unsigned s = 0; s < 3; ++s) {
                if (sets[s][fd / 64] >> fd % 64 & 1) events |= kSelectEvents[s];
            }
            if (events == 0) {
                files.push_back({-1, 0, 0});
            } else if (!add(static_cast<int>(fd), static_cast<short>(events))) {
                return -EBADF;
            }
        }
    } else {
        polled.resize(count);
        if (count != 0 && !node_.memory.read(a[0], polled.data(), count * sizeof(GuestPoll)))
            return -EFAULT;
        for (GuestPoll& one : polled) {
            one.revents = add(one.file, one.events) || one.file < 0 ? 0 : POLLNVAL;
            unknown += one.revents != 0;
        }
    }

    std::optional<std::uint64_t> wait;
    if (const std::uint64_t at = a[select ? 4 : 2]; at != 0) {
        if (!get_duration(at, wait)) return -EFAULT;
        if (!wait) return -EINVAL;
    }
    std::uint64_t mask_at = a[3];
    if (select && a[5] != 0 && !get(a[5], mask_at)) return -EFAULT;
    if (select && a[5] == 0) mask_at = 0;
    const int ready = poll(files.data(), files.size(), 0);
    if (ready < 0) return -errno;
    if (ready == 0 && unknown == 0 && !expired && (!wait || *wait != 0)) {
        Sleeper sleeper;
        std::erase_if(files, [](const pollfd& file) { return file.fd < 0; });
        sleeper.files = std::move(files);
        sleeper.outside = outside;
        return wait_for_files(hart, sleeper, wait, mask_at);
    }

    if (!select) {
        for (std::size_t i = 0; i < polled.size(); ++i) {
            if (polled[i].revents == 0) polled[i].revents = files[i].revents;
        }
        return polled.empty() || node_.memory.write(a[0], polled.data(), count * sizeof(GuestPoll))
                   ? ready + unknown
                   : -EFAULT;
    }
    std::int64_t bits = 0;
    for (unsigned s = 0; s < 3; ++s) {
        for (unsigned fd = 0; fd < count; ++fd) {
            const std::uint64_t bit = std::uint64_t{1} << fd % 64;
            if ((sets[s][fd / 64] & bit) == 0) continue;
            if ((files[fd].revents & kSelectReady[s]) != 0)
                ++bits;
            else
                sets[s][fd / 64] &= ~bit;
        }
        if (a[1 + s] != 0 && !node_.memory.write(a[1 + s], sets[s], set_bytes)) return -EFAULT;
    }
    return bits;
}

}  // namespace isthmus::sim::linux_abi
