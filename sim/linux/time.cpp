// Clocks and sleeping. Time is that of the node, unless the host's is asked for.
#include <algorithm>
#include <chrono>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {

std::uint64_t Process::now(bool realtime) const {
    using namespace std::chrono;
    if (machine_.options().host_clock) {
        const auto value = realtime ? system_clock::now().time_since_epoch().count()
                                    : steady_clock::now().time_since_epoch().count();
        return static_cast<std::uint64_t>(value);
    }
    return node_.nanoseconds() + (realtime ? kEpoch * 1'000'000'000 : 0);
}

std::uint64_t Process::deadline_of(std::uint64_t value, bool absolute, bool realtime) const {
    const std::uint64_t own = node_.nanoseconds();
    if (!absolute) return own + value;
    const std::uint64_t shown = now(realtime);
    if (value >= shown) return own + (value - shown);
    return own > shown - value ? own - (shown - value) : 1;
}

std::int64_t Process::time_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto split = [](std::uint64_t ns) {
        return Timespec{static_cast<std::int64_t>(ns / 1'000'000'000),
                        static_cast<std::int64_t>(ns % 1'000'000'000)};
    };
    switch (number) {
        case kSysClockGettime: return put(a[1], split(now(a[0] == 0 || a[0] == 5))) ? 0 : -EFAULT;
        case kSysClockGetres: return a[1] == 0 || put(a[1], Timespec{0, 1}) ? 0 : -EFAULT;
        case kSysGettimeofday: {
            const Timespec time = split(now(true));
            return put(a[0], Timeval{time.seconds, time.nanoseconds / 1000}) ? 0 : -EFAULT;
        }
        case kSysTimes: {
            const std::int64_t ticks = static_cast<std::int64_t>(now(false) / 10'000'000);
            const std::int64_t values[4] = {ticks, 0, 0, 0};
            return a[0] == 0 || put(a[0], values) ? ticks : -EFAULT;
        }
        case kSysGetrusage: {
            std::int64_t values[18] = {};
            const Timespec time = split(now(false));
            values[0] = time.seconds;
            values[1] = time.nanoseconds / 1000;
            return put(a[1], values) ? 0 : -EFAULT;
        }
        default: {  // nanosleep, clock_nanosleep
            Timespec time;
            const bool simple = number == kSysNanosleep;
            if (!get(a[simple ? 0 : 2], time)) return -EFAULT;
            if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds > 999'999'999)
                return -EINVAL;
            std::uint64_t deadline = static_cast<std::uint64_t>(time.seconds) * 1'000'000'000 +
                                     static_cast<std::uint64_t>(time.nanoseconds);
            const bool absolute = !simple && (a[1] & 1);
            if (absolute && a[0] == 0) deadline -= std::min(deadline, kEpoch * 1'000'000'000);
            if (!absolute) deadline += node_.nanoseconds();
            Sleeper sleeper;
            sleeper.deadline = std::max<std::uint64_t>(deadline, 1);
            if (!absolute) sleeper.remaining = a[simple ? 1 : 3];
            block(hart, sleeper);
            return 0;
        }
    }
}

}  // namespace isthmus::sim::linux_abi
