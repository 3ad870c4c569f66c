#include "core/session/start_barrier.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "core/job/job.hpp"
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

// The limit of a meeting, 0: none.
class Limit {
  public:
    explicit Limit(double seconds) : seconds_(seconds) {}
    void look() {
        if (seconds_ <= 0) return;
        waited_ += slices_.next();
        if (waited_ < seconds_) return;
        const std::vector<int> late = late_pes();
        if (late.empty()) return;  // all are on their way
        fail("shmem_init",
             Text(name_pes(late), late.size() == 1 ? " has" : " have", " not called it within ",
                  text_of_seconds(seconds_), " s (ISTHMUS_JOIN_SECONDS)"));
    }

  private:
    double seconds_;
    double waited_ = 0;
    Slices slices_;
};

void meet_on_host_within(double seconds) {
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
    Limit limit(seconds);
    while (header.generation.load(std::memory_order_acquire) == generation) {
        os::futex_wait(generation_word, generation, kSleep);
        if (header.generation.load(std::memory_order_acquire) != generation) break;
        waiter.step();
        limit.look();
    }
}

}  // namespace

void start_barrier() {
    const WatchedWait wait;
    meet_on_host();
    meet_other_hosts();
}

void first_barrier() {
    const WatchedWait wait;
    meet_on_host_within(job.launched && !job.managed ? seconds(Setting::join_seconds) : 0);
    meet_other_hosts();
}

void meet_again() {
    if (job.launched && !job.managed) meet_on_host_within(seconds(Setting::join_seconds));
}

void meet_on_host() {
    meet_on_host_within(0);
}

}  // namespace isthmus
