// Timers. They go by the time of the node, and are looked at when its harts stand still.
#include <algorithm>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

std::uint64_t to_nanoseconds(const Timeval& time) {
    return static_cast<std::uint64_t>(time.seconds) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.microseconds) * 1000;
}
Timeval to_timeval(std::uint64_t nanoseconds) {
    return {static_cast<std::int64_t>(nanoseconds / 1'000'000'000),
            static_cast<std::int64_t>(nanoseconds % 1'000'000'000 / 1000)};
}

}  // namespace

void Process::set_timer(std::uint64_t deadline) {
    timer_ = deadline;
    node_.alarm = deadline != 0 ? deadline : ~std::uint64_t{0};
}

void Process::ring_timer() {
    if (timer_ == 0 || timer_ > node_.nanoseconds()) return;
    SignalInfo info{};
    info.number = kSigAlrm;
    info.code = kCodeKernel;
    send(info, {});
    // What was missed is not made up for.
    set_timer(timer_interval_ == 0 ? 0
                                   : std::max(timer_ + timer_interval_, node_.nanoseconds() + 1));
}

std::int64_t Process::timer_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    if (a[0] != 0) return -EINVAL;  // ITIMER_REAL alone: all of a program's time is real
    const std::uint64_t time = node_.nanoseconds();
    const IntervalTimer before = {to_timeval(timer_interval_),
                                  to_timeval(timer_ > time ? timer_ - time : 0)};
    const std::uint64_t to = a[number == kSysSetitimer ? 2 : 1];
    if (number == kSysSetitimer) {
        IntervalTimer next{};
        if (a[1] != 0 && !get(a[1], next)) return -EFAULT;
        for (const Timeval& one : {next.interval, next.value}) {
            if (one.seconds < 0 || one.microseconds < 0 || one.microseconds > 999'999)
                return -EINVAL;
        }
        const std::uint64_t value = to_nanoseconds(next.value);
        timer_interval_ = to_nanoseconds(next.interval);
        set_timer(value == 0 ? 0 : time + value);
    }
    return to == 0 || put(to, before) ? 0 : -EFAULT;
}

}  // namespace isthmus::sim::linux_abi
