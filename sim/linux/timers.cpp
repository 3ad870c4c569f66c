// Timers. They go by the time of the node, and are looked at when its harts stand still.
#include <sys/eventfd.h>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kTimerAbsolute = 1, kTimerCancelOnSet = 2;
/// Of ITIMER_REAL, ITIMER_VIRTUAL and ITIMER_PROF: all of a program's processor time is the user's.
constexpr int kIntervalSignals[] = {kSigAlrm, kSigVtalrm, kSigProf};

}  // namespace

std::uint64_t Timer::expire(std::uint64_t time) {
    if (deadline == 0 || deadline > time) return 0;
    if (interval == 0) {
        deadline = 0;
        return 1;
    }
    const std::uint64_t times = (time - deadline) / interval + 1;
    deadline += times * interval;
    return times;
}

void Process::ring_timers() {
    const std::uint64_t time = node_.nanoseconds();
    for (std::size_t i = 0; i < interval_timers_.size(); ++i) {
        // What was missed is not made up for.
        Timer& timer = interval_timers_[i];
        if (timer.deadline == 0 || timer.expire(deadline_time(timer.source)) == 0) continue;
        SignalInfo info{};
        info.number = kIntervalSignals[i];
        info.code = kCodeKernel;
        send(info, {});
    }
    for (auto& [id, one] : signal_timers_) {
        const std::uint64_t times = one.timer.expire(deadline_time(one.timer.source));
        if (times == 0 || !one.sends) continue;
        if (one.pending) {
            one.overrun += times;
            continue;
        }
        one.pending = true;
        one.overrun = times - 1;
        if (!one.thread)
            pending_.push_back(one.info);
        else if (thread(static_cast<std::int64_t>(kProcessId + *one.thread)) != nullptr)
            signals_[*one.thread].pending.push_back(one.info);
    }
    if (has_file_timers_) {
        for (const auto& [fd, descriptor] : files_) {
            const std::uint64_t times = descriptor.file->timer.expire(time);
            if (times != 0) eventfd_write(descriptor.host, times);
        }
    }
    const std::uint64_t next = next_alarm();
    node_.alarm = next != 0 ? next : ~std::uint64_t{0};
    raise_signal_files();
}

std::uint64_t Process::next_signal() const {
    std::uint64_t first = interval_timers_[0].deadline;
    for (const auto& [id, one] : signal_timers_) {
        if (one.sends && !one.timer.source.is_processor_time() && one.timer.deadline != 0 &&
            (first == 0 || one.timer.deadline < first))
            first = one.timer.deadline;
    }
    return first;
}

std::uint64_t Process::next_alarm() const {
    std::uint64_t first = next_signal();
    const auto consider = [&](const Timer& timer) {
        if (timer.deadline == 0 || !timer.source.is_processor_time()) return;
        const std::uint64_t ran = time_of(timer.source);
        const std::uint64_t at =
            node_.nanoseconds() + (timer.deadline > ran ? timer.deadline - ran : 0);
        if (first == 0 || at < first) first = at;
    };
    for (const Timer& timer : interval_timers_)
        consider(timer);
    for (const auto& [id, one] : signal_timers_) {
        if (one.sends) consider(one.timer);
    }
    return first;
}

std::uint64_t Process::next_file_timer() const {
    std::uint64_t first = 0;
    if (!has_file_timers_) return 0;
    for (const auto& [fd, descriptor] : files_) {
        const std::uint64_t deadline = descriptor.file->timer.deadline;
        if (deadline != 0 && (first == 0 || deadline < first)) first = deadline;
    }
    return first;
}

std::int64_t Process::set_timer(Timer& timer, const TimerSetting& setting, bool absolute) {
    const auto value = nanoseconds_of(setting.value), interval = nanoseconds_of(setting.interval);
    if (!value || !interval) return -EINVAL;
    timer.interval = *interval;
    timer.deadline = 0;
    if (*value != 0) timer.deadline = deadline_of(*value, absolute, timer.source);
    ring_timers();
    return 0;
}

TimerSetting Process::setting_of(const Timer& timer) const {
    const std::uint64_t time = deadline_time(timer.source);
    return {timespec_of(timer.interval),
            timespec_of(timer.deadline > time ? timer.deadline - time : 0)};
}

std::int64_t Process::interval_timer_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    if (a[0] >= interval_timers_.size()) return -EINVAL;
    Timer& timer = interval_timers_[a[0]];
    const TimerSetting now = setting_of(timer);
    const IntervalTimer before = {{now.interval.seconds, now.interval.nanoseconds / 1000},
                                  {now.value.seconds, now.value.nanoseconds / 1000}};
    const std::uint64_t to = a[number == kSysSetitimer ? 2 : 1];
    if (number == kSysSetitimer) {
        IntervalTimer next{};
        if (a[1] != 0 && !get(a[1], next)) return -EFAULT;
        for (const Timeval& one : {next.interval, next.value}) {
            if (one.microseconds < 0 || one.microseconds > 999'999) return -EINVAL;
        }
        const TimerSetting setting = {{next.interval.seconds, next.interval.microseconds * 1000},
                                      {next.value.seconds, next.value.microseconds * 1000}};
        if (set_timer(timer, setting, false) != 0) return -EINVAL;
    }
    return to == 0 || put(to, before) ? 0 : -EFAULT;
}

std::int64_t Process::create_signal_timer(const Hart& hart, const std::uint64_t (&a)[6]) {
    const auto clock = static_cast<std::int32_t>(a[0]);
    if (!has_clock(clock)) return -EINVAL;
    if (clock >= kClockRaw && clock <= kClockMonotonicCoarse) return -EOPNOTSUPP;
    std::int32_t id = 0;
    while (signal_timers_.contains(id))
        ++id;
    SignalEvent event{};
    event.signal = kSigAlrm;
    event.value = static_cast<std::uint64_t>(id);
    if (a[1] != 0 && !get(a[1], event)) return -EFAULT;
    SignalTimer timer;
    timer.timer.source = source_of(clock, hart);
    timer.sends = event.notify != kNotifyNone;
    if (event.notify == kNotifyThread) {
        const Hart* const receiver = thread(event.thread);
        if (receiver == nullptr) return -EINVAL;
        timer.thread = receiver->id;
    } else if (event.notify < kNotifySignal || event.notify > kNotifyOther) {
        return -EINVAL;
    }
    if (timer.sends && (event.signal < 1 || event.signal > kSignals)) return -EINVAL;
    timer.info.number = event.signal;
    timer.info.code = kCodeTimer;
    timer.info.sender.pid = id;
    timer.info.sender.value = event.value;
    if (!put(a[2], id)) return -EFAULT;
    signal_timers_[id] = timer;
    return 0;
}

std::int64_t Process::signal_timer_call(const Hart& hart, std::uint64_t number,
                                        const std::uint64_t (&a)[6]) {
    if (number == kSysTimerCreate) return create_signal_timer(hart, a);
    const auto found = signal_timers_.find(static_cast<std::int32_t>(a[0]));
    if (found == signal_timers_.end()) return -EINVAL;
    SignalTimer& timer = found->second;
    switch (number) {
        case kSysTimerDelete:
            signal_timers_.erase(found);
            ring_timers();  // the alarm may have been its
            return 0;
        case kSysTimerGetoverrun: return static_cast<std::int32_t>(timer.last_overrun);
        case kSysTimerGettime: return put(a[1], setting_of(timer.timer)) ? 0 : -EFAULT;
        default: {  // timer_settime
            const TimerSetting before = setting_of(timer.timer);
            TimerSetting next;
            if (a[2] == 0) return -EINVAL;
            if (!get(a[2], next)) return -EFAULT;
            if (timer.timer.source.thread == ClockSource::kNobody) return -ESRCH;
            const std::int64_t result = set_timer(timer.timer, next, (a[1] & kTimerAbsolute) != 0);
            if (result != 0 || a[3] == 0) return result;
            return put(a[3], before) ? 0 : -EFAULT;
        }
    }
}

std::int64_t Process::file_timer_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    if (number == kSysTimerfdCreate) {
        const auto clock = static_cast<std::int32_t>(a[0]);
        if (clock != kClockRealtime && clock != kClockMonotonic && clock != kClockBoottime)
            return -EINVAL;
        if ((a[1] & ~std::uint64_t{kOpenNonblock | kOpenCloexec}) != 0) return -EINVAL;
        OpenFile file{.own = true, .blocks = (a[1] & kOpenNonblock) == 0};
        file.is_timer = true;
        if (is_realtime(clock)) file.timer.source = {ClockSource::kRealtime};
        has_file_timers_ = true;
        return add_file(eventfd(0, EFD_NONBLOCK), file, a[1]);
    }
    const auto found = files_.find(static_cast<int>(a[0]));
    if (found == files_.end()) return -EBADF;
    OpenFile& file = *found->second.file;
    if (!file.is_timer) return -EINVAL;
    const TimerSetting before = setting_of(file.timer);
    if (number == kSysTimerfdGettime) return put(a[1], before) ? 0 : -EFAULT;
    TimerSetting next;
    if ((a[1] & ~(kTimerAbsolute | kTimerCancelOnSet)) != 0) return -EINVAL;
    if (!get(a[2], next)) return -EFAULT;
    if (!nanoseconds_of(next.value) || !nanoseconds_of(next.interval)) return -EINVAL;
    eventfd_t counted;
    eventfd_read(found->second.host, &counted);  // begins anew
    set_timer(file.timer, next, (a[1] & kTimerAbsolute) != 0);
    return a[3] == 0 || put(a[3], before) ? 0 : -EFAULT;
}

}  // namespace isthmus::sim::linux_abi
