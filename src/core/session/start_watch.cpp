#include "core/session/start_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/blocked_signals.hpp"
#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "core/job/end_times.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/handshake.hpp"
#include "core/session/host_speaker.hpp"
#include "core/session/manager.hpp"
#include "core/session/slices.hpp"
#include "core/session/stall_groups.hpp"
#include "core/session/start_barrier.hpp"

namespace isthmus {
namespace {

using namespace end_times;

// How much later than the host of PE 0 one may speak whose first PE that is: one after the other,
// should PE 0's be what does not go on.
double turn_of_host(int first) {
    if (first == 0) return 0;
    return kOthersTurn + (is_manager_slow() ? kEachHostSlow * std::min(first, kMostHostsSlow)
                                            : kEachHost * std::min(first, kMostHosts));
}

[[noreturn]] void give_up(const char* routine, const std::string& text,
                          std::span<const pid_t> stopped = {}) {
    os::kill_self_after(kLast);  // a manager that is asked to end the job may hang as well
    fail_once_on_host(routine, text, stopped);
}

[[noreturn]] void end_as_told() {
    os::kill_self_after(kLast);
    end_managed_job(1);
    end_job(1);
}

bool contains(const std::vector<int>& pes, int pe) {
    return std::find(pes.begin(), pes.end(), pe) != pes.end();
}

// Who has not come, as far as this host knows.
struct Missing {
    bool is_ours_to_say;
    std::string awaited;
    std::string late;
    const char* or_else;
    double turn;  // how long others may speak first
};

// Of a host on which some are missing one PE says so. Else the hosts of the first and of the last
// PE speak: the one may be who is missing.
Missing find_missing(HostProcesses& processes, int rank) {
    const std::vector<int>& here = processes.ranks();
    const std::vector<int> late = processes.late();
    const char* const or_else = ", or one of them has stopped in it";
    const double turn =
        kNamersTurn +
        turn_of_host(here.empty() ? rank : *std::min_element(here.begin(), here.end()));
    const bool is_first_host = contains(here, 0) || contains(here, job.pes - 1);
    const bool speaks = here.empty() ? rank == 0 || rank == job.pes - 1
                                     : processes.is_chosen() && (is_first_host || !late.empty());
    std::vector<int> elsewhere;
    for (int pe = 0; pe < job.pes && late.empty() && !here.empty(); ++pe) {
        if (!contains(here, pe)) elsewhere.push_back(pe);
    }
    if (late.empty() && elsewhere.empty())
        return {speaks, "the other PEs of the job; has each process called it?",
                "not all PEs of the job have", or_else, turn};
    const std::vector<int>& those = late.empty() ? elsewhere : late;
    const bool is_one = those.size() == 1;
    const std::string who = name_pes(those) + (!late.empty() ? " of this host"
                                               : is_one      ? " of another host"
                                                             : " of other hosts");
    if (late.empty() && !is_one)
        return {speaks, who + ", of which not all have called it", "not all of " + who + " have",
                or_else, turn};
    const std::string has = is_one ? "has not" : "have not";
    return {speaks, who + ", which " + has + " called it", who + " " + has,
            late.empty() ? ", or has stopped in it" : "",
            late.empty() ? turn
            : speaks     ? 0
                         : kOthersTurn};
}

// With all others.
bool has_left(int pe) {
    return job.header->pe[pe].state.load(std::memory_order_relaxed) == PeState::finalized;
}

constinit Lasting<std::unique_ptr<StartWatch>> start_watch;

}  // namespace

std::string text_of_seconds(double time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", time);
    return text;
}

std::atomic<std::uint64_t>& WatchedWait::count() {
    static constinit std::atomic<std::uint64_t> made = 0;
    return made;
}

void WatchedWait::note(bool waits) {
    count().fetch_add(1, std::memory_order_relaxed);
    // For those of this host, who look for one that waits for nobody.
    if (job.header) job.status().waits_in_start.store(waits ? 1 : 0, std::memory_order_relaxed);
}

StartWatch::StartWatch(int rank, Phase phase, const char* routine, double allowance, bool is_again)
    : rank_(rank), routine_(routine), allowance_(allowance), phase_(phase), is_again_(is_again) {
    if (phase == Phase::sharing || phase == Phase::leaving) host_ranks_ = pes_of_host();
    const BlockedSignals blocked;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& problem) {
        if (rank <= 0)
            say_from(routine_, Text("a wait that does not end will not be noticed",
                                    os::advice_on_thread(problem.code().value())));
    }
}

StartWatch::~StartWatch() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(guard_);
        is_over_ = true;
    }
    ended_.notify_one();
    thread_.join();
}

bool StartWatch::rest() {
    std::unique_lock lock(guard_);
    return !ended_.wait_for(lock, std::chrono::duration<double>(kSlice),
                            [this] { return is_over_; });
}

void StartWatch::know_host_ranks(std::vector<int> ranks) {
    host_ranks_ = std::move(ranks);
    if (host_ranks_.size() > 1) came_ = HostProcesses::come(rank_, job_number());
}

// Where the PEs share a header it says whose process is whose. Who is not in there has not come as
// far; all others may have returned from shmem_init.
void StartWatch::learn_processes(Phase phase) {
    std::vector<int> in_it;
    for (const int rank : host_ranks_) {
        const bool is_known = shares_header(phase) && rank < job.pes &&
                              job.header->pe[rank].process.load(std::memory_order_relaxed) != 0;
        if (!is_known && phase != Phase::joining) in_it.push_back(rank);
        if (const pid_t process = is_known ? process_of_mate(rank) : 0; process > 0)
            processes_->know(rank, process);
    }
    processes_->expect(std::move(in_it));
}

void StartWatch::end_if_told() {
    if (!manager_) manager_ = HostProcesses::find_manager(rank_);
    if (HostProcesses::is_end_told(*manager_)) end_as_told();
}

void StartWatch::end_if_some_have(Phase phase) {
    std::vector<int> ended = processes_->ended(watched_);
    // Who has left with all others may end before the last of them knows.
    if (phase == Phase::leaving) std::erase_if(ended, [](int rank) { return !has_died(rank); });
    const bool has_one_told = std::any_of(ended.begin(), ended.end(), [&](int rank) {
        return shares_header(phase) && has_told_end(rank);
    });
    if (has_one_told) end_as_told();
    end_if_told();
    if (!ended.empty())
        give_up(routine_, "waits in vain for " + name_pes(ended) + ", whose " +
                              (ended.size() == 1 ? "process on this host has"
                                                 : "processes on this host have") +
                              " ended");
}

// Before all have come a wait may be long for other reasons, so the stop has to be.
void StartWatch::end_if_some_stopped(Phase phase, double waited, double detect) {
    if (detect <= 0) return;
    const bool joins = phase == Phase::joining;
    std::vector<int> stopped = processes_->stopped(watched_, joins ? detect : kStandsStill);
    if (phase == Phase::leaving) std::erase_if(stopped, has_left);
    if (stopped.empty() || (!joins && waited <= detect)) return;
    const bool is_one = stopped.size() == 1;
    const std::string whose = name_pes(stopped) + ", whose " + (is_one ? "process" : "processes") +
                              " on this host " +
                              (joins == is_one ? "has"
                               : is_one        ? "is"
                               : joins         ? "have"
                                               : "are");
    const std::string time = text_of_seconds(detect) + " s";
    give_up(
        routine_,
        joins ? "waits in vain for " + whose + " been stopped for " + time +
                    " (twice ISTHMUS_DETECT_SECONDS)"
              : "has waited " + time + " for " + whose + " stopped (twice ISTHMUS_DETECT_SECONDS)",
        processes_->found_stopped());
}

// Of the PEs of this host one does, and asks who has come as long as they do, since one that has
// ended does not answer.
void StartWatch::look_around(Phase phase, double waited, double detect) {
    const std::uint64_t number = job_number();
    if (!processes_) processes_ = std::make_unique<HostProcesses>(host_ranks_, rank_, number);
    if (host_ranks_.size() > 1 && came_.file() < 0) came_ = HostProcesses::come(rank_, number);
    // Who comes and ends at once is asked at once.
    const bool is_early = phase == Phase::joining && waited < kEarly;
    const bool is_time = waited > kFirstLook && watched_ >= next_look_;
    if ((!is_early && !is_time) || !processes_->is_chosen()) return;
    processes_->late();
    if (!is_time) return;
    next_look_ = watched_ + kBetweenLooks;
    learn_processes(phase);
    end_if_some_have(phase);
    end_if_some_stopped(phase, waited, detect);
}

void StartWatch::watch_joining(double waited) {
    const double stall = seconds(Setting::stall_seconds);
    const double join = seconds(Setting::join_seconds);
    const bool is_time_to_speak =
        !has_spoken_ && stall > 0 && waited > stall && (join <= 0 || stall < join);
    if (!is_time_to_speak && (join <= 0 || waited <= join)) return;
    const Missing missing = find_missing(*processes_, rank_);
    if (is_time_to_speak && missing.is_ours_to_say)
        say((speaker_prefix() + routine_ + ": has waited " + text_of_seconds(stall) + " s for " +
             missing.awaited + " (ISTHMUS_STALL_SECONDS)\n")
                .c_str());
    has_spoken_ = true;
    if (join > 0 && waited > join + missing.turn)
        give_up(routine_, missing.late + " called it within " + text_of_seconds(join) +
                              " s (ISTHMUS_JOIN_SECONDS)" + missing.or_else);
}

void StartWatch::run() {
    const double own_detect = seconds(Setting::detect_seconds);
    const double detect = own_detect > 0 ? 2 * own_detect + allowance_ : 0;
    double waited = 0;
    std::uint64_t of = 0;
    for (Slices slices; rest();) {
        const double slice = slices.next();
        watched_ += slice;
        // In this order: a wait that was over before a phase is not seen in that.
        const Phase phase = phase_.load(std::memory_order_acquire);
        const std::uint64_t wait = WatchedWait::count().load(std::memory_order_relaxed);
        if (wait != of) waited = 0;
        of = wait;
        if (wait % 2 == 0) continue;
        waited += slice;
        // Each for itself, whoever looks at the processes.
        if (waited > kFirstLook && watched_ >= next_hearing_) {
            next_hearing_ = watched_ + kBetweenLooks;
            end_if_told();
        }
        if (phase == Phase::asking) {
            if (detect > 0 && waited > detect)
                give_up(routine_, "the process manager has not answered for " +
                                      text_of_seconds(detect) +
                                      " s: it, or its part on this host, has stopped (twice "
                                      "ISTHMUS_DETECT_SECONDS)");
            continue;
        }
        look_around(phase, waited, detect);
        if (phase == Phase::joining)
            watch_joining(waited);
        else
            watch_on(phase, waited, detect);
    }
}

std::vector<int> StartWatch::known_here(Phase phase) const {
    return phase == Phase::all_here ? host_ranks_ : pes_of_host();
}

// Those of other hosts, if it is known that none of this one stands still.
std::string StartWatch::name_others(Phase phase) const {
    const std::vector<int> here = known_here(phase);
    std::vector<int> elsewhere;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!contains(here, pe)) elsewhere.push_back(pe);
    }
    const bool is_alone = elsewhere.size() + 1 == static_cast<std::size_t>(job.pes);
    const bool is_known = processes_ && (is_alone || processes_->sees_manager());
    const std::vector<int> stuck = shares_header(phase) ? stuck_pes() : std::vector<int>();
    if (!stuck.empty())
        return name_pes(stuck) + " of this host, which had come and " +
               (stuck.size() == 1 ? "does" : "do") + " not go on";
    if (elsewhere.empty() || !is_known)
        return "the other PEs, which had all come: one of them has stopped, or its host is cut off";
    // Their words go by it: if it stands still, so do all hosts.
    const std::string or_launcher =
        has_own_manager() ? ", or `isthmus run`, has stopped" : " has stopped";
    if (elsewhere.size() == 1)
        return name_pes(elsewhere) + " of another host, which had come: it" + or_launcher +
               ", or its host is cut off";
    return name_pes(elsewhere) + " of other hosts, which had all come: one of them" + or_launcher +
           ", or its host is cut off";
}

void StartWatch::watch_on(Phase phase, double waited, double detect) {
    const std::vector<int> here = known_here(phase);
    const int first = here.empty() ? rank_ : *std::min_element(here.begin(), here.end());
    const double limit = detect + kNamersTurn;
    if (detect <= 0 || waited <= limit + turn_of_host(first)) return;
    give_up(
        routine_,
        "has waited " + text_of_seconds(limit) + " s for " + name_others(phase) +
            " (twice ISTHMUS_DETECT_SECONDS, and 3 s more" +
            (allowance_ > 0 ? ", and a second for each GiB of memory that is given back)" : ")"));
}

void begin_start_watch(int rank, StartWatch::Phase phase, bool is_again) {
    hold_parents_entry();
    *start_watch = std::make_unique<StartWatch>(rank, phase, "shmem_init", 0, is_again);
}

void note_host_ranks(std::vector<int> ranks) {
    if (*start_watch) (*start_watch)->know_host_ranks(std::move(ranks));
}

void note_start_phase(StartWatch::Phase phase) {
    if (*start_watch) (*start_watch)->enter(phase);
}

void note_failed_exchange() {
    if (*start_watch) (*start_watch)->end_joining();
}

void end_start_watch() {
    start_watch->reset();
    let_parents_entry_go();
}

}  // namespace isthmus
