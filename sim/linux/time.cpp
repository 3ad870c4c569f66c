// Clocks and sleeping. Time is that of the node, which is the host's if that is asked for.
#include <algorithm>
#include <chrono>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

/// In the number of a clock of a process or thread, which is less than 0.
constexpr std::int32_t kClockOfThread = 4;
constexpr std::uint64_t kTick = 10'000'000;  // nanoseconds
constexpr std::int32_t kUsageOfChildren = -1, kUsageOfThread = 1;

}  // namespace

std::uint64_t Process::now(bool realtime) const {
    using namespace std::chrono;
    if (!realtime) return node_.nanoseconds();
    if (!machine_.options().host_clock) return node_.nanoseconds() + kEpoch * 1'000'000'000;
    return static_cast<std::uint64_t>(nanoseconds(system_clock::now().time_since_epoch()).count());
}

bool Process::has_clock(std::int32_t clock) const {
    if (clock >= 0) return clock <= kClockBoottimeAlarm || clock == kClockTai;
    const std::int64_t owner = ~(clock >> 3);  // 0: who asks
    if ((clock & 3) == 3) return false;
    if ((clock & kClockOfThread) != 0) return owner == 0 || thread(owner) != nullptr;
    return owner == 0 || owner == static_cast<std::int64_t>(kProcessId);
}

ClockSource Process::source_of(std::int32_t clock, const Hart& hart) const {
    if (clock == kClockThread) return {ClockSource::kThreadRan, hart.id};
    if (clock == kClockProcess) return {ClockSource::kProcessRan};
    if (clock >= 0) return {is_realtime(clock) ? ClockSource::kRealtime : ClockSource::kElapsed};
    if ((clock & kClockOfThread) == 0) return {ClockSource::kProcessRan};
    const Hart* const owner = thread(~(clock >> 3));
    return {ClockSource::kThreadRan, owner != nullptr ? owner->id : hart.id};
}

std::uint64_t Process::time_of(const ClockSource& source) const {
    switch (source.kind) {
        case ClockSource::kProcessRan: return processor_time();
        case ClockSource::kThreadRan: return processor_time(source.thread);
        default: return now(source.kind == ClockSource::kRealtime);
    }
}

std::uint64_t Process::processor_time(unsigned id) const {
    const auto found = runs_.find(id);
    if (found == runs_.end()) return 0;
    const Run& run = found->second;
    return run.before + (node_.runnable[id] ? progress(*node_.harts[id]) - run.since : 0);
}

std::uint64_t Process::processor_time() const {
    std::uint64_t total = ended_ran_;
    for (const auto& [id, run] : runs_)
        total += processor_time(id);
    return total;
}

std::uint64_t Process::deadline_of(std::uint64_t value, bool absolute,
                                   const ClockSource& source) const {
    if (source.is_processor_time())
        return std::max<std::uint64_t>(absolute ? value : time_of(source) + value, 1);
    if (!absolute) return node_.nanoseconds() + value;
    // In this order: a clock that goes on in between makes it late, never early.
    const std::uint64_t shown = time_of(source);
    const std::uint64_t own = node_.nanoseconds();
    if (value >= shown) return own + (value - shown);
    return own > shown - value ? own - (shown - value) : 1;
}

std::int64_t Process::time_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    const auto clock = static_cast<std::int32_t>(a[0]);
    const bool takes_clock = number == kSysClockGettime || number == kSysClockGetres ||
                             number == kSysClockNanosleep || number == kSysClockSettime;
    if (takes_clock && !has_clock(clock)) return -EINVAL;
    switch (number) {
        case kSysClockGettime:
            return put(a[1], timespec_of(time_of(source_of(clock, hart)))) ? 0 : -EFAULT;
        case kSysClockGetres: return a[1] == 0 || put(a[1], Timespec{0, 1}) ? 0 : -EFAULT;
        case kSysGettimeofday: {
            const Timespec time = timespec_of(now(true));
            return put(a[0], Timeval{time.seconds, time.nanoseconds / 1000}) ? 0 : -EFAULT;
        }
        // What could be set, only the system's owner may set.
        case kSysClockSettime: {
            Timespec time;
            if (clock > kClockThread || clock == kClockMonotonic) return -EINVAL;
            if (!get(a[1], time)) return -EFAULT;
            return nanoseconds_of(time) ? -EPERM : -EINVAL;
        }
        case kSysSettimeofday: {
            Timeval time;
            if (a[0] == 0) return -EPERM;
            if (!get(a[0], time)) return -EFAULT;
            return time.seconds < 0 || time.microseconds < 0 || time.microseconds > 999'999
                       ? -EINVAL
                       : -EPERM;
        }
        case kSysTimes: {
            const auto ticks = static_cast<std::int64_t>(now(false) / kTick);
            const std::uint64_t values[4] = {processor_time() / kTick, 0, 0, 0};
            return a[0] == 0 || put(a[0], values) ? ticks : -EFAULT;
        }
        case kSysGetrusage: {
            std::int64_t values[18] = {};
            const auto whose = static_cast<std::int32_t>(a[0]);
            if (whose < kUsageOfChildren || whose > kUsageOfThread) return -EINVAL;
            const Timespec time =
                timespec_of(whose == kUsageOfThread ? processor_time(hart.id) : processor_time());
            if (whose != kUsageOfChildren) {
                values[0] = time.seconds;
                values[1] = time.nanoseconds / 1000;
            }
            return put(a[1], values) ? 0 : -EFAULT;
        }
        default: {  // nanosleep, clock_nanosleep
            const bool simple = number == kSysNanosleep;
            if (!simple && ((clock >= kClockThread && clock <= kClockMonotonicCoarse) ||
                            (clock < 0 && (clock & kClockOfThread) != 0)))
                return -EOPNOTSUPP;
            Timespec time;
            if (!get(a[simple ? 0 : 2], time)) return -EFAULT;
            const auto nanoseconds = nanoseconds_of(time);
            if (!nanoseconds) return -EINVAL;
            const bool absolute = !simple && (a[1] & 1);
            Sleeper sleeper;
            if (!simple) sleeper.source = source_of(clock, hart);
            sleeper.deadline = deadline_of(*nanoseconds, absolute, sleeper.source);
            if (!absolute) sleeper.remaining = a[simple ? 1 : 3];
            block(hart, sleeper);
            return 0;
        }
    }
}

}  // namespace isthmus::sim::linux_abi
