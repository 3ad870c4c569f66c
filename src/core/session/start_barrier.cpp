#include "core/session/start_barrier.hpp"

#include "base/os.hpp"
#include "core/job/job.hpp"
#include "core/session/manager.hpp"
#include "core/session/start_watch.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {

void start_barrier() {
    const WatchedWait wait;
    meet_on_host();
    meet_other_hosts();
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
    while (header.generation.load(std::memory_order_acquire) == generation) {
        os::futex_wait(generation_word, generation, 1'000'000);
        if (header.generation.load(std::memory_order_acquire) == generation) waiter.step();
    }
}

}  // namespace isthmus
