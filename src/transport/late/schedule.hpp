// When what is kept back goes, though nobody calls: a thread looks after the backlogs of all
// channels. Its lock is that of the backlogs: operations may be slow here, they are late anyway.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "transport/late/backlog.hpp"

namespace isthmus::transport::late {

class Schedule {
  public:
    // Throws std::system_error if the system gives no thread.
    explicit Schedule(const Manner& manner);
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;
    ~Schedule();

    const Manner& manner() const { return manner_; }
    // Calls do(backlog) under the lock, and sees to what is due earlier then.
    template <typename Do>
    void with(Backlog& backlog, Do&& what) {
        const std::lock_guard lock(guard_);
        what(backlog);
        if (backlog.next_due() < looks_at_) changed_.notify_one();
    }
    template <typename Do>
    void with_all(Do&& what) {
        const std::lock_guard lock(guard_);
        for (Backlog* const backlog : backlogs_)
            what(*backlog);
    }
    // In front of a quiet: leaves time to what is due, some times.
    void pause(Backlog& backlog);
    // The number of the channel, for its draws.
    std::uint64_t next_number();
    void add(Backlog& backlog);
    void remove(Backlog& backlog);
    static std::uint64_t now();

  private:
    void run();

    const Manner manner_;
    std::mutex guard_;
    std::condition_variable changed_;
    std::vector<Backlog*> backlogs_;
    std::uint64_t numbers_ = 0;
    std::uint64_t looks_at_ = Backlog::kNever;  // when the thread does
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace isthmus::transport::late
