#include "transport/late/schedule.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>

#include "base/blocked_signals.hpp"
#include "base/os.hpp"

namespace isthmus::transport::late {

Schedule::Schedule(const Manner& manner) : manner_(manner) {
    const BlockedSignals blocked;
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "isthmus-late");
}

Schedule::~Schedule() {
    {
        const std::lock_guard lock(guard_);
        ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

std::uint64_t Schedule::now() {
    return os::monotonic_nanoseconds();
}

std::uint64_t Schedule::next_number() {
    const std::lock_guard lock(guard_);
    return ++numbers_;
}

void Schedule::add(Backlog& backlog) {
    const std::lock_guard lock(guard_);
    backlogs_.push_back(&backlog);
}

void Schedule::remove(Backlog& backlog) {
    const std::lock_guard lock(guard_);
    std::erase(backlogs_, &backlog);
}

void Schedule::pause(Backlog& backlog) {
    std::uint64_t until = 0;
    with(backlog, [&until](Backlog& paused) { until = paused.pause_until(now()); });
    for (std::uint64_t since = now(); since < until; since = now())
        os::sleep_nanoseconds(until - since);
}

void Schedule::run() {
    if (manner_.begin_thread) manner_.begin_thread();
    std::unique_lock lock(guard_);
    while (!ends_) {
        std::uint64_t next = Backlog::kNever;
        const std::uint64_t since = now();
        for (Backlog* const backlog : backlogs_)
            next = std::min(next, backlog->release_due(since));
        looks_at_ = next;
        if (next == Backlog::kNever)
            changed_.wait(lock);
        else
            changed_.wait_for(lock, std::chrono::nanoseconds(next > now() ? next - now() : 0));
    }
}

}  // namespace isthmus::transport::late
