// Files that only hold events: eventfd and epoll.
//
// The host has them; it never waits for them, threads of the program do. A set of files that others
// share is something that others can make ready.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kSemaphore = 1, kMostEvents = 4096;

}  // namespace

std::int64_t Process::event_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    switch (number) {
        case kSysEventfd2: {
            if ((a[1] & ~(kSemaphore | kOpenNonblock | kOpenCloexec)) != 0) return -EINVAL;
            const int flags = EFD_NONBLOCK | ((a[1] & kSemaphore) != 0 ? EFD_SEMAPHORE : 0);
            return add_file(eventfd(static_cast<unsigned>(a[0]), flags),
                            {.own = true, .blocks = (a[1] & kOpenNonblock) == 0}, a[1]);
        }
        case kSysEpollCreate1:
            if ((a[0] & ~std::uint64_t{kOpenCloexec}) != 0) return -EINVAL;
            return add_file(epoll_create1(0), {.own = true, .blocks = true}, a[0]);
        default: {  // epoll_ctl
            const auto set = files_.find(static_cast<int>(a[0]));
            const auto file = files_.find(static_cast<int>(a[2]));
            if (set == files_.end() || file == files_.end()) return -EBADF;
            EpollEvent event{};
            if (a[1] != EPOLL_CTL_DEL && !get(a[3], event)) return -EFAULT;
            epoll_event wanted{};
            wanted.events = event.events;
            if (file->second.file->is_read_only()) wanted.events &= ~std::uint32_t{EPOLLOUT};
            wanted.data.u64 = event.data;
            if (epoll_ctl(set->second.host, static_cast<int>(a[1]), file->second.host, &wanted) !=
                0)
                return -errno;
            if (a[1] == EPOLL_CTL_ADD && !file->second.file->own) set->second.file->own = false;
            return 0;
        }
    }
}

std::int64_t Process::epoll_wait_call(Hart& hart, std::uint64_t number,
                                      const std::uint64_t (&a)[6]) {
    const bool expired = std::erase(expired_, hart.id) != 0;
    const auto found = files_.find(static_cast<int>(a[0]));
    if (found == files_.end()) return -EBADF;
    const auto most = static_cast<std::int32_t>(a[2]);
    if (most <= 0) return -EINVAL;
    std::optional<std::uint64_t> wait;
    if (number == kSysEpollPwait) {
        const auto milliseconds = static_cast<std::int32_t>(a[3]);
        if (milliseconds >= 0) wait = static_cast<std::uint64_t>(milliseconds) * 1'000'000;
    } else if (a[3] != 0) {
        if (!get_duration(a[3], wait)) return -EFAULT;
        if (!wait) return -EINVAL;
    }
    epoll_event ready[kMostEvents];
    const int count = epoll_wait(found->second.host, ready,
                                 static_cast<int>(std::min<std::uint64_t>(a[2], kMostEvents)), 0);
    if (count < 0) return -errno;
    if (count == 0 && !expired && (!wait || *wait != 0)) {
        Sleeper sleeper;
        sleeper.files = {{found->second.host, POLLIN, 0}};
        sleeper.outside = !found->second.file->own;
        return wait_for_files(hart, sleeper, wait, a[4]);
    }
    for (int i = 0; i < count; ++i) {
        const EpollEvent event{ready[i].events, 0, ready[i].data.u64};
        if (!put(a[1] + static_cast<std::uint64_t>(i) * sizeof event, event)) return -EFAULT;
    }
    return count;
}

}  // namespace isthmus::sim::linux_abi
