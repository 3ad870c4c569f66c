// Says that this PE waits for others to come into a job between hosts, and ends the job when they
// do not: a process manager lets the others wait for ever for a process that has ended without a
// word, or that never calls shmem_init.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace isthmus {

// From its making to its end a thread looks at the clock.
class StartWatch {
  public:
    explicit StartWatch(int rank);
    StartWatch(const StartWatch&) = delete;
    StartWatch& operator=(const StartWatch&) = delete;
    ~StartWatch();

  private:
    void watch(int rank);
    // False: the others have come before the time was over.
    bool is_over_after(double seconds);

    std::mutex guard_;
    std::condition_variable came_;
    bool all_came_ = false;
    std::thread thread_;
};

}  // namespace isthmus
