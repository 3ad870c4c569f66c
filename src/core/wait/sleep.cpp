#include "core/wait/sleep.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace isthmus {

void register_for_wakeups() {
    // Without it (kernel before 4.16) a wake-up can come late, by ISTHMUS_WAKE_MILLISECONDS at
    // most.
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

bool fence_writers() {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

Sleeper::Sleeper() {
    job.status().sleepers.fetch_add(1, std::memory_order_seq_cst);
    fence_writers();
}

Sleeper::Sleeper(FencedWriters) {
    job.status().sleepers.fetch_add(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

Sleeper::~Sleeper() {
    job.status().sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace isthmus
