#include "core/session/start_barrier.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "core/job/job.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/manager.hpp"
#include "core/session/slices.hpp"
#include "core/session/stall_groups.hpp"
#include "core/session/start_watch.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kSleep = 1'000'000;

// Which PEs of this host have not called shmem_init, or not again.
std::vector<int> late_pes() {
    std::vector<int> late;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!job.host.test(static_cast<std::size_t>(pe))) continue;
        // Relaxed: plain information.
        const PeStatus& status = job.header->pe[pe];
        const PeState state = status.state.load(std::memory_order_relaxed);
        const bool is_before = state == PeState::loaded || state == PeState::finalized;
        if (state == PeState::absent ||
            (is_before && status.routine.load(std::memory_order_relaxed) != Routine::init))
            late.push_back(pe);
    }
    return late;
}

// Of a meeting in shmem_init. Where there is a process manager the watch of the start has it.
class Limit {
  public:
    void look() {
        if (join_ <= 0) return;
        const double slice = slices_.next();
        waited_ += slice;
        // Who is stopped may be under a debugger; the launcher tells of it. What time it takes, it
        // was not waited for.
        stuck_for_ += slice;
        since_look_ += slice;
        if (since_look_ >= kStoppedLook) {
            since_look_ = 0;
            const std::vector<int> stuck = stuck_pes();
            if (std::any_of(stuck.begin(), stuck.end(), is_stopped)) stuck_for_ = 0;
        }
        if (waited_ < join_) return;
        if (const std::vector<int> late = late_pes(); !late.empty()) fail_for(late);
        // Who has called it may be as slow as any PE may be silent.
        if (const double own = std::max(join_, 2 * seconds(Setting::detect_seconds));
            stuck_for_ >= own)
            fail_for_stuck(own);
    }

  private:
    [[noreturn]] void fail_for(const std::vector<int>& late) const {
        fail("shmem_init",
             Text(name_pes(late), late.size() == 1 ? " has" : " have", " not called it within ",
                  text_of_seconds(join_), " s (ISTHMUS_JOIN_SECONDS)"));
    }
    void fail_for_stuck(double limit) const {
        std::vector<int> stuck = stuck_pes();
        std::erase_if(stuck, is_stopped);
        if (stuck.empty()) return;
        fail("shmem_init", Text(name_pes(stuck), stuck.size() == 1 ? " has" : " have",
                                " called it, and not gone on in it for ", text_of_seconds(limit),
                                limit > join_ ? " s (twice ISTHMUS_DETECT_SECONDS)"
                                              : " s (ISTHMUS_JOIN_SECONDS)"));
    }
    static bool is_stopped(int pe) {
        const pid_t process = process_of_mate(pe);
        return process > 0 && os::state_of(process) == os::ProcessState::is_stopped;
    }

    const double join_ =
        job.launched && !job.managed &&
                job.status().routine.load(std::memory_order_relaxed) == Routine::init
            ? seconds(Setting::join_seconds)
            : 0;
    static constexpr double kStoppedLook = 0.1;
    double waited_ = 0;
    double stuck_for_ = 0;  // of that, since one that does not go on was stopped
    double since_look_ = 0;
    Slices slices_;
};

}  // namespace

std::vector<int> stuck_pes() {
    std::vector<int> stuck;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (pe == job.me || !job.host.test(static_cast<std::size_t>(pe))) continue;
        // Relaxed: plain information.
        const PeStatus& status = job.header->pe[pe];
        if (status.routine.load(std::memory_order_relaxed) == Routine::init &&
            status.waiting_since.load(std::memory_order_relaxed) == 0 &&
            status.waits_in_start.load(std::memory_order_relaxed) == 0)
            stuck.push_back(pe);
    }
    return stuck;
}

void meet_on_host() {
    JobHeader& header = *job.header;
    // acq_rel on arrivals: what each PE wrote before is visible to the last one, and through the
    // release of `generation` (partner: acquire below) to all.
    const std::uint32_t generation = header.generation.load(std::memory_order_acquire);
    const auto generation_word = reinterpret_cast<const std::uint32_t*>(&header.generation);
    if (header.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == job.host.count()) {
        header.arrived.store(0, std::memory_order_relaxed);
        header.generation.store(generation + 1, std::memory_order_release);
        os::futex_wake_all(generation_word);
        return;
    }
    const WaitTarget target{job.status().routine.load(std::memory_order_relaxed)};
    Waiter waiter(target);
    Limit limit;
    while (header.generation.load(std::memory_order_acquire) == generation) {
        os::futex_wait(generation_word, generation, kSleep);
        if (header.generation.load(std::memory_order_acquire) != generation) break;
        waiter.step();
        limit.look();
    }
}

void start_barrier() {
    const WatchedWait wait;
    meet_on_host();
    meet_other_hosts();
}

void meet_again() {
    if (job.launched && !job.managed) meet_on_host();
}

}  // namespace isthmus
