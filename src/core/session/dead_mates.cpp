#include "core/session/dead_mates.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/process_stat.hpp"
#include "base/text.hpp"
#include "core/job/called_as.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"
#include "core/session/manager.hpp"
#include "core/session/manager_watch.hpp"

namespace isthmus {
namespace {

bool has_ended(pid_t process) {
    os::ProcessStat facts;
    return !os::read_process_stat(process, facts) || !os::is_alive(facts);
}

}  // namespace

// 0: not known, and then nobody concludes anything from that number. /proc may number processes as
// another namespace does.
std::uint64_t own_process_space() {
    char self[32] = "";
    struct stat space {};
    if (readlink("/proc/self", self, sizeof self - 1) <= 0 || std::atoi(self) != getpid() ||
        stat(os::own_proc("ns/pid").c_str(), &space) != 0)
        return 0;
    return space.st_ino;
}

pid_t process_of_mate(int pe) {
    const auto relaxed = std::memory_order_relaxed;
    const PeStatus& mate = job.header->pe[pe];
    const std::uint64_t space = job.status().process_space.load(relaxed);
    const bool is_known = space != 0 && mate.process_space.load(relaxed) == space;
    return is_known ? static_cast<pid_t>(mate.process.load(relaxed)) : 0;
}

// One that has finalised may end; in the middle of it, it may not. What it has said is looked at
// behind its process, which may end at once.
bool has_died(int pe) {
    const auto relaxed = std::memory_order_relaxed;
    const PeStatus& mate = job.header->pe[pe];
    const pid_t process = process_of_mate(pe);
    if (process == 0 || !has_ended(process)) return false;
    return mate.departure.load(relaxed) == Departure::none ||
           mate.state.load(relaxed) == PeState::running;
}

bool has_told_end(int pe) {
    return job.header->pe[pe].has_told_end.load(std::memory_order_relaxed) != 0;
}

DeadMates find_dead_mates() {
    DeadMates found;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (pe == job.me || !job.host.test(static_cast<std::size_t>(pe)) || !has_died(pe)) continue;
        found.only = ++found.count == 1 ? pe : -1;
        found.has_told |= has_told_end(pe);
    }
    return found;
}

void end_if_told(const DeadMates& dead) {
    if (!dead.has_told) return;
    claim_end(1);
    end_job(1);
}

void end_if_mates_have_died(Routine routine, std::uint64_t now) {
    constexpr std::uint64_t kInterval = 1'000'000'000;
    // Relaxed: several threads of this PE may wait, and one of them looks.
    constexpr auto kRelaxed = std::memory_order_relaxed;
    static std::atomic<std::uint64_t> looked_at = 0;
    static std::atomic<bool> is_suspected = false;
    std::uint64_t last = looked_at.load(kRelaxed);
    if (now < last + kInterval || !looked_at.compare_exchange_strong(last, now, kRelaxed)) return;
    // A start has its own watch, and so has a road, whose thread would say the same of that PE. But
    // one that has said why it dies may have had no connection by which to tell other hosts, and
    // they would take it for lost. Our own launcher has heard of it.
    if (job.status().state.load(kRelaxed) != PeState::running) return;
    if (far::present) {
        if (!has_own_manager()) end_if_told(find_dead_mates());
        return;
    }
    end_if_manager_has_gone();
    const DeadMates dead = find_dead_mates();
    if (!is_suspected.exchange(dead.count != 0, kRelaxed) || dead.count == 0) return;
    end_if_told(dead);
    await_reports();
    fail(called_as(routine),
         dead.only >= 0
             ? Text("waits in vain for PE ", dead.only, ", whose process on this host has ended")
             : Text("waits in vain for ", dead.count,
                    " PEs, whose processes on this host have ended"));
}

}  // namespace isthmus
