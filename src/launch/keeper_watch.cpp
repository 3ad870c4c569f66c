// What the keeper sees of PEs that tell it nothing: programs behind wrappers, other programs in
// their place, PEs that are stopped, and those that have gone and are needed.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "launch/diagnosis.hpp"
#include "launch/keeper_process.hpp"
#include "launch/processes.hpp"

namespace isthmus::launch {
namespace {

constexpr std::uint64_t kLongWait = 1'000'000'000;  // ns

}  // namespace

pid_t Keeper::program_process(int pe) const {
    const pid_t process = status(pe).process.load(std::memory_order_relaxed);
    const pid_t child = pes_[static_cast<std::size_t>(pe)].child;
    // A number that the PE wrote: signals go to processes of this job only.
    return process > 0 && process != child ? find_by_own_number(process, getpid()) : 0;
}

void Keeper::watch_program(int pe) {
    Pe& watched = pes_[static_cast<std::size_t>(pe)];
    const pid_t process = status(pe).process.load(std::memory_order_relaxed);
    if (watched.program_judged || process == 0) return;
    watched.program_judged = true;
    if (process == watched.child) return;
    const pid_t program = program_process(pe);
    if (program == 0) {
        watched.program_gone = true;  // its wrapper may tell more before the next look
        return;
    }
    // A kernel before 5.3 has no pidfd; then the wrapper's own end must do.
    watched.program_watch = static_cast<int>(syscall(SYS_pidfd_open, program, 0));
}

void Keeper::look_where_one_waits(std::uint64_t now) {
    if (now < next_look_) return;
    next_look_ = now + kLongWait;
    // Relaxed, all: the look itself decides.
    const auto waits_for_long = [&](int pe) {
        const std::uint64_t since = status(pe).waiting_since.load(std::memory_order_relaxed);
        return since != 0 && since + kLongWait < now;
    };
    const std::vector<int> pes = alive();
    std::vector<int> waiting;
    std::copy_if(pes.begin(), pes.end(), std::back_inserter(waiting), waits_for_long);
    if (waiting.empty() || look_for_other_programs(pes, waiting.front())) return;
    look_for_stopped(pes, waiting);
}

// Stopped by a signal, not held by a debugger: it is told of, and left alone, since whoever has
// stopped it may mean to look at it. Who has stopped all, as by a terminal, is told nothing. Time
// is counted in looks, so that none counts for which this process was stopped itself.
void Keeper::look_for_stopped(const std::vector<int>& pes, const std::vector<int>& waiting) {
    if (detect_seconds_ <= 0) return;
    std::map<int, pid_t> stopped;
    for (const int pe : pes) {
        Pe& each = pes_[static_cast<std::size_t>(pe)];
        const pid_t behind_wrapper = program_process(pe);
        const pid_t process = behind_wrapper != 0 ? behind_wrapper : each.child;
        os::ProcessStat facts;
        if (os::read_process_stat(process, facts) && facts.state == 'T') {
            stopped.emplace(pe, process);
            continue;
        }
        each.stopped = 0;
        each.is_told_stopped = false;
    }
    const auto waits =
        std::find_if(waiting.begin(), waiting.end(), [&](int pe) { return !stopped.contains(pe); });
    if (waits == waiting.end()) return;
    for (const auto& [pe, process] : stopped) {
        Pe& each = pes_[static_cast<std::size_t>(pe)];
        each.stopped += static_cast<double>(kLongWait) * 1e-9;
        if (each.stopped < detect_seconds_ || each.is_told_stopped) continue;
        each.is_told_stopped = true;
        announce(describe_stopped(pe, host_, process, each.stopped, *waits));
    }
}

// A PE that executes another program lives on, under the same number, and comes to nothing any
// more. True, and the end begun, if one has.
bool Keeper::look_for_other_programs(const std::vector<int>& pes, int waiting) {
    for (const int pe : pes) {
        const PeState state = status(pe).state.load(std::memory_order_acquire);
        // Who has finalised may, unless another one has begun again.
        const int again = state == PeState::finalized ? who_needs(state) : -1;
        if (state != PeState::loaded && state != PeState::running && again < 0) continue;
        const pid_t behind_wrapper = program_process(pe);
        const std::string program = program_behind(
            behind_wrapper != 0 ? behind_wrapper : pes_[static_cast<std::size_t>(pe)].child,
            job_.file);
        if (program.empty()) continue;
        end(1,
            pe_prefix(pe, host_) + "has executed another program (" + program + ") " +
                (state == PeState::running
                     ? std::string("before ") + routine_name(call_to_leave(status(pe))) +
                           last_call(state, status(pe).routine.load(std::memory_order_relaxed))
                 : again >= 0
                     ? "after shmem_finalize, and PE " + std::to_string(again) +
                           " has called shmem_init again"
                     : "without shmem_init, which PE " + std::to_string(waiting) + " has called") +
                "; the job ends",
            SIGTERM);
        return true;
    }
    return false;
}

// A PE that one which has gone keeps from going on, or -1. A session begins when all have come; who
// has left the last one with the others may go.
int Keeper::who_needs(PeState gone) const {
    for (const int pe : alive()) {
        if (pes_[static_cast<std::size_t>(pe)].program_gone) continue;
        // acquire: `routine` is not older. Partner: the PE's release store of `state`.
        const PeState state = status(pe).state.load(std::memory_order_acquire);
        const bool begins = is_init(status(pe).routine.load(std::memory_order_relaxed));
        const bool needs = gone == PeState::finalized
                               ? begins && state != PeState::absent && state != PeState::loaded
                               : state == PeState::running || (begins && state == PeState::loaded);
        if (needs) return pe;
    }
    return -1;
}

// The line for a PE that has gone, with the wrapper around it or while that lives on, and that the
// others need; or nothing.
std::string Keeper::describe_missed() const {
    for (int pe = 0; pe < static_cast<int>(pes_.size()); ++pe) {
        const Pe& gone = pes_[static_cast<std::size_t>(pe)];
        if (!gone.has_left && !gone.program_gone) continue;
        const PeState state = status(pe).state.load(std::memory_order_acquire);
        const Routine routine = status(pe).routine.load(std::memory_order_relaxed);
        const std::string what =
            pe_prefix(pe, host_) + (gone.has_left
                                        ? "exited with status " + std::to_string(gone.left_with)
                                        : "its process ended");
        if (state == PeState::running)
            return what + " before " + routine_name(call_to_leave(status(pe))) +
                   last_call(state, routine) + "; the job ends";
        if (is_within_init(state, routine))
            return what + " in the middle of shmem_init; the job ends";
        const int waiting = state == PeState::failed ? -1 : who_needs(state);
        if (waiting < 0) continue;
        const std::string other = "PE " + std::to_string(waiting) + " has called";
        return what +
               (state == PeState::finalized
                    ? " after shmem_finalize, and " + other + " shmem_init again"
                    : " without shmem_init, which " + other) +
               "; the job ends";
    }
    return "";
}

void Keeper::look_for_foreign_program(std::uint64_t now) {
    const std::vector<int> pes = alive();
    // Relaxed: whether the library has been loaded, no more.
    if (pes.empty() || status(pes[0]).state.load(std::memory_order_relaxed) != PeState::absent)
        return foreign_.stop();
    const std::string line = foreign_.look(pes_[static_cast<std::size_t>(pes[0])].child, now);
    if (!line.empty()) announce("isthmus: " + line);
}

}  // namespace isthmus::launch
