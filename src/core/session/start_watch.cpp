#include "core/session/start_watch.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/blocked_signals.hpp"
#include "base/error.hpp"
#include "base/fnv1a.hpp"
#include "base/lasting.hpp"
#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "core/job/job.hpp"
#include "core/session/handshake.hpp"
#include "core/session/manager.hpp"
#include "core/session/slices.hpp"
#include "core/session/stall_groups.hpp"

namespace isthmus {
namespace {

constexpr double kSlice = 0.05;
// The others give those who speak first so long to do so.
constexpr double kOthersTurn = 1.5;
constexpr double kBetweenLooks = 0.5;  // at the processes of this host
constexpr std::uint64_t kGivesTime = 1'000'000'000;
constexpr std::uint64_t kHeard = 3'000'000'000;  // some looks

// From the manager's name for the job; 0: not known yet.
constinit std::atomic<std::uint64_t> job_number = 0;

// The PEs of a host may not share anything yet by which one of them could be chosen, but they know
// the job's name, or, if the manager does not even tell that, whose children they are. Whoever of
// them has the name speaks for all. Everybody can take that name: if another user has, or nobody
// listens there, each speaks.
bool may_speak() {
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);  // kept to the end
    // Relaxed: stands for itself.
    const std::uint64_t number = job_number.load(std::memory_order_relaxed);
    if (number == 0 && getppid() <= 1) return true;  // so are those of other jobs
    const Text who("ends-", geteuid(), "-",
                   number != 0 ? number : static_cast<std::uint64_t>(getppid()));
    sockaddr_un address;
    const socklen_t bytes = name_socket(who.c_str(), address);
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    if (bind(file, name, bytes) == 0) {
        listen(file, 256);
        return true;
    }
    if (errno != EADDRINUSE) return true;
    // It may not listen yet, and on a busy machine that takes its time.
    constexpr int kTries = 200;
    for (int tries = 0; tries < kTries; ++tries) {
        const int asks = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        const bool reached = connect(asks, name, bytes) == 0;
        const bool is_ours = reached && peer_of(asks).is_of_this_user();
        close(asks);
        if (reached) return !is_ours;
        os::sleep_nanoseconds(5'000'000);
    }
    return true;
}

[[noreturn]] void give_up(const char* routine, const std::string& text,
                          std::span<const pid_t> stopped = {}) {
    os::kill_self_after(5);  // a manager that is asked to end the job may hang as well
    fail_once_on_host(routine, text, stopped);
}

// Who has not come, as far as this host knows.
struct Missing {
    bool is_ours_to_say;
    std::string awaited;
    std::string late;
    const char* or_else = ", or one of them has stopped in it";
};

// Of a host on which some are missing one PE says so. Else the host of PE 0 or 1 speaks: one of two
// is enough, and one of them may be who is missing.
Missing find_missing(HostProcesses& processes, int rank) {
    const std::vector<int>& here = processes.ranks();
    const auto is_here = [&](int pe) {
        return std::find(here.begin(), here.end(), pe) != here.end();
    };
    const std::vector<int> late = processes.late();
    const bool is_first_host = is_here(0) || is_here(1);
    const bool speaks =
        here.empty() ? rank < 2 : processes.is_chosen() && (is_first_host || !late.empty());
    std::vector<int> elsewhere;
    for (int pe = 0; pe < job.pes && late.empty() && !here.empty(); ++pe) {
        if (!is_here(pe)) elsewhere.push_back(pe);
    }
    if (late.empty() && elsewhere.empty())
        return {speaks, "the other PEs of the job; has each process called it?",
                "not all PEs of the job have"};
    const std::vector<int>& those = late.empty() ? elsewhere : late;
    const bool is_one = those.size() == 1;
    const std::string who = name_pes(those) + (!late.empty() ? " of this host"
                                               : is_one      ? " of another host"
                                                             : " of other hosts");
    if (late.empty() && !is_one)
        return {speaks, who + ", of which not all have called it", "not all of " + who + " have"};
    const std::string has = is_one ? "has not" : "have not";
    return {speaks, who + ", which " + has + " called it", who + " " + has,
            late.empty() ? ", or has stopped in it" : ""};
}

constinit Lasting<std::unique_ptr<StartWatch>> start_watch;

}  // namespace

std::string text_of_seconds(double time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", time);
    return text;
}

void fail_once_on_host(const char* routine, const std::string& text,
                       std::span<const pid_t> stopped) {
    // Who has spoken keeps the name for a while, and gives the manager time to end all.
    if (may_speak()) {
        say_from(routine, text);
        flush_output(1);
        end_managed_job(1, stopped);
    }
    // Who cannot tell the manager is heard by those of its host that have come, and ended by it.
    const Descriptor told = process_manager() ? Descriptor() : HostProcesses::tell_end(job.me);
    os::sleep_nanoseconds(told.file() >= 0 ? kHeard : kGivesTime);
    end_job(1);
}

std::atomic<std::uint64_t>& WatchedWait::count() {
    static constinit std::atomic<std::uint64_t> made = 0;
    return made;
}

StartWatch::StartWatch(int rank, Phase phase, double allowance)
    : rank_(rank), allowance_(allowance), phase_(phase) {
    const BlockedSignals blocked;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& problem) {
        if (rank <= 0)
            say_from("shmem_init", Text("a start that does not go on will not be noticed",
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

void StartWatch::end_if_some_have(double waited) {
    if (!processes_->is_chosen()) return;
    if (processes_->is_end_told()) {
        os::kill_self_after(5);
        end_managed_job(1);
        end_job(1);
    }
    const std::vector<int> ended = processes_->ended(waited);
    if (!ended.empty())
        give_up("shmem_init", "waits in vain for " + name_pes(ended) + ", whose " +
                                  (ended.size() == 1 ? "process on this host has"
                                                     : "processes on this host have") +
                                  " ended");
}

void StartWatch::end_if_some_stopped(double waited, double detect) {
    if (detect <= 0 || !processes_->is_chosen()) return;
    const std::vector<int> stopped = processes_->stopped(waited, detect);
    if (!stopped.empty())
        give_up(
            "shmem_init",
            "waits in vain for " + name_pes(stopped) + ", whose " +
                (stopped.size() == 1 ? "process on this host has" : "processes on this host have") +
                " been stopped for " + text_of_seconds(detect) +
                " s (twice ISTHMUS_DETECT_SECONDS)",
            processes_->found_stopped());
}

void StartWatch::watch_joining(double waited, double detect) {
    if (!processes_)
        processes_ = std::make_unique<HostProcesses>(host_ranks_, rank_,
                                                     job_number.load(std::memory_order_relaxed));
    processes_->come();
    if (waited > next_look_) {
        next_look_ = waited + kBetweenLooks;
        end_if_some_have(waited);
        end_if_some_stopped(waited, detect);
    }
    const double stall = seconds(Setting::stall_seconds);
    const double join = seconds(Setting::join_seconds);
    const bool is_time_to_speak =
        !has_spoken_ && stall > 0 && waited > stall && (join <= 0 || stall < join);
    if (!is_time_to_speak && (join <= 0 || waited <= join)) return;
    const Missing missing = find_missing(*processes_, rank_);
    if (is_time_to_speak && missing.is_ours_to_say)
        say((speaker_prefix() + "shmem_init: has waited " + text_of_seconds(stall) + " s for " +
             missing.awaited + " (ISTHMUS_STALL_SECONDS)\n")
                .c_str());
    has_spoken_ = true;
    if (join > 0 && waited > join + (missing.is_ours_to_say ? 0 : kOthersTurn))
        give_up("shmem_init", missing.late + " called it within " + text_of_seconds(join) +
                                  " s (ISTHMUS_JOIN_SECONDS)" + missing.or_else);
}

void StartWatch::run() {
    const double own_detect = seconds(Setting::detect_seconds);
    const double detect = own_detect > 0 ? 2 * own_detect + allowance_ : 0;
    double waited = 0;
    std::uint64_t of = 0;
    for (Slices slices; rest();) {
        const double slice = slices.next();
        // In this order: a wait that was over before a phase is not seen in that.
        const Phase phase = phase_.load(std::memory_order_acquire);
        const std::uint64_t wait = WatchedWait::count().load(std::memory_order_relaxed);
        if (wait != of) waited = 0;
        of = wait;
        if (wait % 2 == 0) continue;
        waited += slice;
        if (phase == Phase::asking) {
            if (detect > 0 && waited > detect)
                give_up("shmem_init", "the process manager has not answered for " +
                                          text_of_seconds(detect) +
                                          " s: it, or its part on this host, has stopped (twice "
                                          "ISTHMUS_DETECT_SECONDS)");
            continue;
        }
        if (phase == Phase::joining) {
            watch_joining(waited, detect);
            continue;
        }
        const bool speaks = phase == Phase::all_here
                                ? rank_ == 0 || std::find(host_ranks_.begin(), host_ranks_.end(),
                                                          0) != host_ranks_.end()
                                : job.host.test(0);
        if (detect > 0 && waited > detect + (speaks ? 0 : kOthersTurn))
            give_up(
                phase == Phase::leaving ? "shmem_finalize" : "shmem_init",
                "has waited " + text_of_seconds(detect) +
                    " s for the other PEs, which had all come: one of them has stopped, or its "
                    "host is cut off (twice ISTHMUS_DETECT_SECONDS" +
                    (allowance_ > 0 ? ", and a second for each GiB of memory that is given back)"
                                    : ")"));
    }
}

void begin_start_watch(int rank, StartWatch::Phase phase) {
    *start_watch = std::make_unique<StartWatch>(rank, phase);
}

void note_job_name(const std::string& name) {
    job_number.store(fnv1a(name.data(), name.size()), std::memory_order_relaxed);
}

void note_host_ranks(std::vector<int> ranks) {
    if (*start_watch) (*start_watch)->know_host_ranks(std::move(ranks));
}

void note_start_phase(StartWatch::Phase phase) {
    if (*start_watch) (*start_watch)->enter(phase);
}

void end_start_watch() {
    start_watch->reset();
}

}  // namespace isthmus
