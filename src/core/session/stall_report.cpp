#include "core/session/stall_report.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/settings.hpp"
#include "core/job/called_as.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"
#include "core/queues/ring_text.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/stall_ask.hpp"
#include "core/session/stall_groups.hpp"
#include "core/session/stall_look.hpp"
#include "core/session/stall_words.hpp"

namespace isthmus {
namespace {

std::vector<Doing> look_at_all() {
    std::vector<Doing> all;
    all.reserve(static_cast<std::size_t>(job.pes));
    for (int pe = 0; pe < job.pes; ++pe)
        all.push_back(look_at(pe, os::monotonic_nanoseconds()));
    return all;
}

// Each PE was looked at in its turn: what it waited for may have come since, or it waits only for
// what another one has just done. So those in question are looked at once more.
std::string why_nobody_goes_on(const std::vector<Doing>& all) {
    constexpr std::uint64_t kMoment = 20'000'000;  // nanoseconds: more than the nap of a wait
    if (why_nobody_ends_this(all, job.checked).empty()) return "";
    const std::uint64_t begin = os::monotonic_nanoseconds();
    while (os::monotonic_nanoseconds() - begin < kMoment) {
        far::progress();
        os::sleep_nanoseconds(kMoment / 10);
    }
    const double half = seconds(Setting::stall_seconds) / 2;
    std::vector<Doing> sure = all;
    doubt_what_moves(sure, look_at_all(), static_cast<std::uint64_t>(std::min(half, 1.0) * 1e9));
    return why_nobody_ends_this(sure, job.checked);
}

// Our launcher on one host says so itself.
std::string how_stopped_go_on() {
    if (job.launched && !job.managed) return "";
    std::vector<int> pes;
    std::string processes;
    for (int pe = 0; pe < job.pes; ++pe) {
        const pid_t process = is_here(pe) ? process_of_mate(pe) : 0;
        os::ProcessStat facts;
        // Who is held by a debugger ('t') goes on by that.
        if (process == 0 || !os::read_process_stat(process, facts) || facts.state != 'T') continue;
        pes.push_back(pe);
        processes += " " + std::to_string(process);
    }
    return pes.empty() ? "" : "kill -CONT" + processes + " lets " + name_pes(pes) + " go on";
}

}  // namespace

void say_stall(const WaitTarget& target, std::uint64_t since, std::uint64_t now) {
    // By the name of the call that waits so.
    const char* const routine = called_as(target.routine);
    try {
        // Who exits without it has not called shmem_finalize.
        const bool exits =
            (target.routine == Routine::finalize || target.routine == Routine::native_finalize) &&
            job.status().departure.load(std::memory_order_relaxed) == Departure::exit;
        std::string report =
            speaker_prefix() + (exits ? exited_text(job.me) : routine) +
            (is_look(target.routine) ? ": no success for " : ": no progress for ") +
            seconds_text(now - since);
        if (target.peer >= 0 && !is_look(target.routine))
            report +=
                ", waiting for PE " + std::to_string(target.peer) + everybody_text(target.routine);
        report += awaited_text(target.routine, target.value);
        Telling telling = watched(target.address, job.me);
        tell_condition(target, telling);
        report += telling.text();
        if (target.routine == Routine::native_dequeue ||
            target.routine == Routine::extension_queue_dequeue)
            report += ring_text(*static_cast<const RingControl*>(target.address)).c_str();
        if (takes_lock(target.routine)) report += holder_text(target.address, target.peer, now);
        if (target.peer >= 0 && !is_allocation(target.routine) && !is_look(target.routine))
            report += allocations_text(target.peer).c_str();
        report += " (ISTHMUS_STALL_SECONDS)\n";
        std::vector<Doing> all = look_at_all();
        // That takes a moment: what is known already stays, whatever they do meanwhile.
        const bool is_unseen = ask_those_here(all);
        ask_those_far(all);
        if (const std::string why = why_nobody_goes_on(all); !why.empty())
            report += "isthmus:   " + why + "\n";
        for (const std::string& line : describe_groups(std::move(all), job.me))
            report += "isthmus:   " + line + "\n";
        if (const std::string advice = how_stopped_go_on(); !advice.empty())
            report += "isthmus:   " + advice + "\n";
        if (is_unseen) report += "isthmus:   ISTHMUS_CHECK=1 tells what PEs poll that compute\n";
        if (describe_room) describe_room(report);
        say(report.c_str());
    } catch (const std::bad_alloc&) {
        say_from(routine, "no progress; the system has no memory for a report that says more");
    }
}

}  // namespace isthmus
