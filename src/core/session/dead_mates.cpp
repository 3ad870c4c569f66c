#include "core/session/dead_mates.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/process_stat.hpp"
#include "core/job/job.hpp"

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

DeadMates find_dead_mates() {
    DeadMates found;
    const auto relaxed = std::memory_order_relaxed;
    const std::uint64_t space = job.status().process_space.load(relaxed);
    int count = 0;
    for (int pe = 0; pe < job.pes && space != 0; ++pe) {
        if (pe == job.me || !job.host.test(static_cast<std::size_t>(pe))) continue;
        const PeStatus& mate = job.header->pe[pe];
        if (mate.process_space.load(relaxed) != space ||
            mate.departure.load(relaxed) != Departure::none ||
            !has_ended(mate.process.load(relaxed)))
            continue;
        found.only = ++count == 1 ? pe : -1;
        found.has_told |= mate.has_told_end.load(relaxed) != 0;
    }
    return found;
}

}  // namespace isthmus
