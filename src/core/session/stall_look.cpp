#include "core/session/stall_look.hpp"

#include <fstream>
#include <string>

#include "base/os.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/stall_words.hpp"
#include "core/teams/team_table.hpp"

namespace isthmus {
namespace {

constexpr const char* kStopped = "stopped, by a signal or a debugger";

// What is seen of a PE may be over where a road is between: another host's PE was asked half a
// second ago, and one of this host may wait for no more than the answer of an operation. So a wait
// that has only begun makes no circle of waits.
void tell(const Activity& activity, Doing& doing, const char* instead_of_waits = kComputing) {
    using Kind = Activity::Kind;
    constexpr std::uint64_t kSure = 1'000'000'000;  // nanoseconds
    const bool is_sure = !far::present || activity.waited >= kSure;
    const char* const routine = routine_name(activity.routine);
    doing.rank = Doing::Rank::computing;
    if (activity.kind == Kind::computes && activity.waited < kSure) {
        doing.what += std::string(activity.peer >= 0 ? "in operations that wait for their answers"
                                                     : instead_of_waits) +
                      "; last noted call " + routine;
        return;
    }
    const bool tests = activity.kind == Kind::tests;
    doing.waited = activity.waited;
    // Others that it waits for may wait for it in vain: no circle, but a cause.
    const bool leaves =
        activity.routine == Routine::finalize || activity.routine == Routine::native_finalize;
    if (leaves && !tests) {
        doing.rank = Doing::Rank::leaves;
        doing.what += std::string("has called ") + routine + ", and waits for the others";
        return;
    }
    // Who tests a lock may do something else in the end: no part of a circle either.
    doing.peer = is_sure && !tests ? activity.peer : -1;
    doing.rank = !is_sure            ? Doing::Rank::computing
                 : tests             ? Doing::Rank::tests
                 : activity.peer < 0 ? Doing::Rank::awaits_word
                                     : Doing::Rank::awaits_pe;
    const bool is_answer = activity.kind == Kind::computes;
    doing.what += std::string(tests       ? "calls "
                              : is_answer ? "in, or behind, "
                                          : "in ") +
                  routine + everybody_text(activity.routine) + (tests ? " in vain" : "");
    if (!is_answer) doing.rest = Telling(awaited_text(activity.routine, 0));
}

// What a process of this host does that waits for nothing of ours.
const char* outside_text(int process) {
    switch (os::state_of(process)) {
        case os::ProcessState::sleeps: return kAsleep;
        case os::ProcessState::is_stopped: return kStopped;
        default: return kComputing;
    }
}

bool is_init(Routine routine) {
    return routine == Routine::init || routine == Routine::init_thread;
}

// Of a process in another container the number is another's here.
bool is_number_known(const PeStatus& status) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::uint64_t space = status.process_space.load(kRelaxed);
    return space != 0 && space == job.status().process_space.load(kRelaxed);
}

// Whatever it was about to do.
bool is_stopped(const PeStatus& status) {
    return is_number_known(status) &&
           os::state_of(status.process.load(std::memory_order_relaxed)) ==
               os::ProcessState::is_stopped;
}

// The name of the program that a PE of this host has executed; empty if it has not, or nobody may
// know. It lives on under its number, and comes to nothing any more.
std::string program_in_place_of(const PeStatus& status) {
    if (!is_number_known(status)) return "";
    const std::string folder =
        "/proc/" + std::to_string(status.process.load(std::memory_order_relaxed));
    // What is mapped stays, whatever files a program closes; only another program has it not.
    std::ifstream maps(folder + "/maps");
    bool is_told = false;
    for (std::string line; std::getline(maps, line); is_told = true) {
        if (line.find("/memfd:isthmus") != std::string::npos) return "";
    }
    std::string name;
    std::getline(std::ifstream(folder + "/comm"), name);
    return is_told ? name : "";
}

// Of a PE of another host: as it has answered.
Doing look_far(int pe) {
    const std::uint64_t word = far::ask_state(pe);
    Doing doing;
    doing.pe = pe;
    doing.rank = Doing::Rank::gone;
    doing.what = "on host " + host_of(pe);
    if (is_activity(word)) {
        doing.what += ", ";
        tell(activity_in(word), doing);
    } else if (is_departure(word)) {
        doing.what += std::string(", has ") + departure_text(word).c_str();
        doing.rank = Doing::Rank::leaves;
    }
    return doing;
}

}  // namespace

std::string exited_text(int pe) {
    return std::string("has exited without ") + routine_name(call_to_leave(job.header->pe[pe])) +
           ", and waits for the others";
}

const char* everybody_text(Routine routine) {
    return is_allocation(routine) ? " (every PE must call it)" : "";
}

std::string awaited_text(Routine routine, std::uint64_t value) {
    const std::string number = value == 0 ? "" : std::to_string(value) + " ";
    switch (waits_as(routine)) {
        case Routine::native_segment_clone: {
            const Text id = value == 0 ? Text("an id") : Text("id ", InHex(value));
            return std::string(", waiting for ") + id.c_str() + " to be published";
        }
        case Routine::native_kernel_wait_replies: return ", waiting for " + number + "replies";
        case Routine::native_kernel_wait_arrivals: return ", waiting for " + number + "arrivals";
        case Routine::native_kernel_wait_counter:
            return ", waiting for a counter of " + (value == 0 ? "its own" : std::to_string(value));
        case Routine::native_kernel_receive: return ", waiting for a message";
        case Routine::native_get: return ", waiting for gets of its own";
        case Routine::gasnet_wait_syncnb:
        case Routine::gasnet_wait_syncnb_all:
        case Routine::gasnet_wait_syncnb_some: return ", waiting for puts and gets of its own";
        case Routine::gex_Event_Wait:
        case Routine::gex_Event_WaitSome:
        case Routine::gex_Event_WaitAll: return ", waiting for operations under way";
        case Routine::gex_Coll_BarrierBlocking: return ", waiting for all to call it";
        case Routine::gex_TM_Split:
        case Routine::gex_TM_Create:
        case Routine::gasnet_coll_team_split:
            return ", waiting for all of the parent team to call it";
        case Routine::gex_EP_PublishBoundSegment: return ", waiting for all of the team to call it";
        case Routine::gasnet_coll_barrier_wait:
            return ", waiting for all of the team to call gasnet_coll_barrier_notify";
        case Routine::gasnet_barrier_wait: return ", waiting for all to call gasnet_barrier_notify";
        case Routine::GASNET_BLOCKUNTIL: return ", waiting for what handlers do";
        case Routine::gasnet_coll_wait_sync: return ", waiting for collectives under way";
        default: return "";
    }
}

Doing look_at(int pe, std::uint64_t now) {
    Doing doing;
    doing.pe = pe;
    doing.rank = Doing::Rank::gone;
    const auto as = [&doing](const std::string& what) {
        doing.what = what;
        return doing;
    };
    if (!is_here(pe)) return look_far(pe);
    const PeStatus& status = job.header->pe[pe];
    const Routine routine = status.routine.load(std::memory_order_relaxed);
    const bool stands_still = pe != job.me && is_stopped(status);
    const std::string stopped =
        std::string(kStopped) + "; last noted call " + routine_name(routine);
    switch (status.state.load(std::memory_order_relaxed)) {
        case PeState::absent: return as("has not started");
        case PeState::loaded:
            if (stands_still) return as(stopped);
            if (status.waiting_since.load(std::memory_order_relaxed) != 0) break;  // within it
            return as(is_init(routine) ? "in shmem_init, where it waits for nobody"
                                       : "has not called shmem_init");
        case PeState::finalized:
            if (is_init(routine)) break;  // it begins again
            return as("has called shmem_finalize or exit");
        case PeState::failed: return as("has failed");
        case PeState::running: break;
    }
    if (status.departure.load(std::memory_order_relaxed) == Departure::exit) {
        doing.rank = Doing::Rank::leaves;
        return as(exited_text(pe));
    }
    if (has_died(pe)) return as("its process has ended");
    // It may be in a wait: what it waits for is not what keeps it there.
    if (stands_still) {
        doing.rank = Doing::Rank::computing;
        return as(stopped);
    }
    const PublishedWait wait = wait_of(status);
    const Activity activity = activity_of(status, wait, now);
    if (activity.kind == Activity::Kind::computes && activity.waited == 0) {
        if (const std::string program = program_in_place_of(status); !program.empty())
            return as("has executed another program (" + program + "); last noted call " +
                      routine_name(activity.routine));
        tell(activity, doing, outside_text(status.process.load(std::memory_order_relaxed)));
        return doing;
    }
    tell(activity, doing);
    const void* const address = address_at(wait.at);  // as this PE would write it
    const Team* members = nullptr;
    doing.team = team_waited_in(address, pe, members);
    Telling telling = watched(address, pe);
    telling.say(awaited_text(activity.routine, address ? 0 : wait.value));
    const bool is_lock = takes_lock(activity.routine);
    if (is_lock) telling.say(holder_text(address, activity.peer, now));
    tell_condition(pe, wait, telling);
    doing.rest = telling;
    return doing;
}

}  // namespace isthmus
