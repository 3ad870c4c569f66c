#include "core/session/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/exit_now.hpp"
#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/profiling.hpp"
#include "base/settings.hpp"
#include "base/this_thread.hpp"
#include "core/job/end_of_program.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/loaded_object.hpp"
#include "core/job/road.hpp"
#include "core/job/session_object.hpp"
#include "core/job/window.hpp"
#include "core/queues/ring_memory.hpp"
#include "core/segments/arena.hpp"
#include "core/segments/segment.hpp"
#include "core/session/attach.hpp"
#include "core/session/departure.hpp"
#include "core/session/fault.hpp"
#include "core/session/gather.hpp"
#include "core/session/kept_signals.hpp"
#include "core/session/manager.hpp"
#include "core/session/road_choice.hpp"
#include "core/session/roads.hpp"
#include "core/session/start_barrier.hpp"
#include "core/session/start_watch.hpp"
#include "core/teams/collective.hpp"

namespace isthmus {
namespace {

std::mutex setup;  // enter and leave may be called by several threads
// Written under `setup`; read without it, since who holds it may wait for other PEs.
std::atomic<int> count = 0;
// The thread that is between the barriers of enter or leave; 0: none.
std::atomic<pid_t> changing = 0;
// The thread that ends the process behind another one's enter or leave, or out of the middle of it.
std::atomic<pid_t> ending_thread = 0;
class Change {
  public:
    Change() : lock_(setup) { changing.store(gettid(), std::memory_order_relaxed); }
    ~Change() { changing.store(0, std::memory_order_relaxed); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

  private:
    const std::lock_guard<std::mutex> lock_;
};
int level = 0;
// The highest that any of the sessions was entered with: who leaves one may have threads in
// another.
int highest_level = 0;
int exit_status = 0;  // that the process ends with
volatile std::sig_atomic_t quick_exit_status = 0;

void close(Departure how) {
    // The others leave one session after the other, and who exits leaves all of them.
    for (int inner = count.load(std::memory_order_relaxed); inner > 1; --inner)
        leave_together(how);
    leave_together(how);
    SessionObject::end_all();
    release_segments();
    forget_retired_rings();
    end_arena();
    release_teams();
    detach_job();
    count.store(0, std::memory_order_release);
}

// A child that shares this memory (vfork) is no PE.
bool is_own_process() {
    return !forked_child && job.status().process.load(std::memory_order_relaxed) == getpid();
}
bool is_managed_pe() {
    return job.managed && is_own_process();
}

// Of an exit while another thread of this PE ends the job: our own launcher would see the exit
// alone.
void let_thread_end(int status, bool flushes) {
    if (!job.launched || !is_own_process() || !ends_behind_another()) return;
    // Acquire: partner is the release in claim_end.
    if (job.header->ended_by.load(std::memory_order_acquire) != job.me + 1) return;
    if (flushes) flush_output(status_of_end(status));
    await_other_end();
    exit_now(status_of_end(status));
}

// Our own launcher sees how a PE ends. Others end the job for an error in some cases only, and
// those who wait for this PE would learn nothing before it counts as lost; or they kill the other
// PEs of its host, which those of other hosts then take for the cause.
void end_job_of_leaver(const Text& how, int status, bool flushes) {
    if (!is_managed_pe()) return;
    await_reports();
    if (!claim_end(status) || ends_behind_another()) return await_other_end();
    const Routine last = job.status().routine.load(std::memory_order_relaxed);
    const bool is_inner = (last == Routine::finalize || last == Routine::native_finalize) &&
                          job.status().departure.load(std::memory_order_relaxed) == Departure::none;
    const bool speaks = is_first_reason();
    if (speaks && changing.load(std::memory_order_relaxed) != 0)
        say_from("", Text(how, " in the middle of ", routine_name(last), "; the job ends"));
    else if (speaks)
        say_from("", Text(how, " before ", routine_name(call_to_leave(job.status())),
                          "; last noted call ", routine_name(last),
                          is_inner ? " (shmem_init was called more often)" : "", "; the job ends"));
    if (flushes && speaks) flush_output(status);
    end_managed_job_of_leaver(status);
    // Release: partner is the Waiter of this host's others, acquire.
    job.header->ended.store(kEnded, std::memory_order_release);
}

// By a handler of a signal on top of enter or leave, or by another thread that waits for nobody:
// the others come to nothing, whatever the status. Nor has the process manager any farewell then:
// one of its own calls may be under way. Our own launcher sees that this PE has not left.
void end_midway(const Text& how, int status, bool flushes) {
    if (!is_managed_pe()) return;
    const int failed = status != 0 ? status : 1;
    ending_thread.store(gettid(), std::memory_order_relaxed);
    end_job_of_leaver(how, failed, flushes);
    exit_now(status_of_end(failed));
}

// Behind enter or leave: what another thread ends is ended with its status.
void let_other_end() {
    const pid_t other = ending_thread.load(std::memory_order_relaxed);
    if (other != 0) os::await_end_by(other);
}

bool is_in_session() {
    return count.load(std::memory_order_relaxed) != 0 && window.pes != 0 && attached();
}

// By a library that a road loads, or by its handler of a crash. Not behind the destructors, as
// other exits: libfabric's waits for a lock that this thread holds.
void end_exit_of_network() {
    if (changing.load(std::memory_order_relaxed) != gettid() ||
        !KeptSignals::are_libraries_loading())
        return;
    let_crash_end();
    fail_in_handler(
        "shmem_init",
        Text("a library that the transport between hosts loads has ended this process with status ",
             exit_status,
             ", by itself or in its handler of a crash, while it was loaded or looked for its "
             "network; name the network to use (ISTHMUS_FABRIC, FI_PROVIDER), remove that "
             "library, or avoid libfabric (ISTHMUS_TRANSPORT=packet)"));
}

// Not in a constructor: the dynamic linker's own handler, which runs the destructors, is installed
// behind those. What is told of a status is all of it, and who waits for the process sees 8 bits.
void note_exit_status() {
    static bool installed = false;
    if (!installed)
        on_exit(
            [](int status, void*) {
                exit_status = status & 0xff;
                end_exit_of_network();
            },
            nullptr);
    installed = true;
}

// Before the program installs any, so that it runs behind them: they may save what they have, and
// finalise.
__attribute__((constructor)) void watch_quick_exit() {
    at_quick_exit([] { leave_at_once(Text("has called quick_exit"), quick_exit_status); });
}

// As our own launcher says it, of the first one, and others do; unless the job ends for another
// reason.
void tell_failed_exit(int status) {
    if (status == 0 || !is_managed_pe() || !is_manager_silent()) return;
    if (job.status().state.load(std::memory_order_relaxed) == PeState::finalized &&
        job.header->ended.load(std::memory_order_relaxed) == 0 &&
        !job.header->status_told.exchange(true, std::memory_order_relaxed))
        say_from("", Text("exited with status ", status, " after ",
                          routine_name(call_to_leave(job.status()))));
}

// Where the session is closed by then. Else finalize_at_exit.
void leave_manager_at_exit() {
    static bool installed = false;
    if (!installed && job.managed)
        on_exit(
            [](int status, void*) {
                if (count.load(std::memory_order_relaxed) == 0 &&
                    changing.load(std::memory_order_relaxed) == 0) {
                    tell_failed_exit(status & 0xff);
                    leave_manager(status & 0xff);
                }
            },
            nullptr);
    installed = true;
}

// A program that exits without finalising: that finalises, and a clean exit waits for the others,
// and for another thread's enter or leave.
// The library's destructors run behind the exit handlers and the destructors of the program, which
// may still finalise or use symmetric memory. An exit with an error must not wait, nor one by a
// signal handler on top of enter or leave.
__attribute__((destructor)) void finalize_at_exit() {
    let_crash_end();
    if (is_in_session()) let_thread_end(exit_status, true);
    const Text how("exited with status ", exit_status);
    const pid_t by = changing.load(std::memory_order_relaxed);
    if (by == gettid() || (by != 0 && exit_status != 0)) {
        end_midway(how, exit_status, true);
    } else if (exit_status == 0) {
        // The others may end the job meanwhile.
        if (is_in_session()) write_standard_output();
        ending_thread.store(gettid(), std::memory_order_relaxed);
        const std::lock_guard lock(setup);
        if (is_in_session()) end_of_program.before_exit(0);
        if (is_in_session()) close(Departure::exit);
        let_crash_end();
    } else if (is_in_session()) {
        end_of_program.before_exit(exit_status);
        end_job_of_leaver(how, exit_status, true);
    }
    leave_manager(exit_status);
}

void print_settings() {
    for (int i = 0; i < static_cast<int>(Setting::count); ++i) {
        const auto setting = static_cast<Setting>(i);
        say((std::string("isthmus: ") + description(setting).name + "=" + value(setting).text +
             "  (" +
             (value(setting).origin == SettingOrigin::environment ? "environment" : "default") +
             ")  " + description(setting).help + "\n")
                .c_str());
    }
}

constexpr int kThreadSerialized = 2;
constexpr int kThreadMultiple = 3;

// Whether threads of some PE may call at once. Each host asks its own PEs, and the hosts each
// other: no PE connects to all.
bool is_multiple_anywhere() {
    job.status().multiple.store(level >= kThreadMultiple, std::memory_order_relaxed);
    start_barrier();
    bool here = false;
    for (int pe = 0; pe < job.pes; ++pe)
        here |= job.host.test(static_cast<std::size_t>(pe)) &&
                job.header->pe[pe].multiple.load(std::memory_order_relaxed) != 0;
    if (job.host.count() == static_cast<std::size_t>(job.pes)) return here;
    const auto mine = static_cast<char>(here);
    std::string all(first_pes().size(), '\0');
    gather_of_hosts(&mine, 1, all.data());
    return all.find('\1') != std::string::npos;
}

// Without the profiling library nobody reads these.
void mention_idle_settings() {
    if (&isthmus_profile_library != nullptr) return;
    for (const Setting setting : {Setting::stats, Setting::trace}) {
        const std::string& text = value(setting).text;
        if (!text.empty() && text != "0")
            say_from("shmem_init",
                     std::string(description(setting).name) + "=" + text + " has no effect: " +
                         (is_linked_into_program()
                              ? "the program is linked with libisthmus.a (-static), and the "
                                "library that counts is a shared one; link it without -static"
                              : "the program was neither compiled with `oshcc -profile` nor "
                                "started by `isthmus run --stats` or --trace"));
    }
}

void mention_refused_settings() {
    for (int i = 0; i < static_cast<int>(Setting::count); ++i) {
        const SettingValue& given = value(static_cast<Setting>(i));
        if (given.origin == SettingOrigin::refused)
            say_from("shmem_init", std::string(given.read_from) +
                                       " is ignored: the program has more rights than who started "
                                       "it, and writes and loads no files for that one");
    }
}

void print_start_information() {
    if (job.me != 0) return;
    mention_idle_settings();
    mention_refused_settings();
    if (flag(Setting::version)) say("isthmus: Isthmus " ISTHMUS_VERSION ", OpenSHMEM 1.6\n");
    if (flag(Setting::info)) print_settings();
    if (flag(Setting::debug))
        say(("isthmus: " + std::to_string(job.pes) + " PEs, heap " +
             format_size(job.heap.size - kInternalSize) + " each, static data " +
             format_size(job.data.size) + "\n")
                .c_str());
    if (flag(Setting::debug) && far::present)
        say((std::string("isthmus: between hosts: ") + road_description() +
             (host_table.road_reason.empty() || !setting_has_window()
                  ? ""
                  : "; auto: " + host_table.road_reason) +
             "\n")
                .c_str());
}

}  // namespace

std::atomic<std::uintptr_t> session_thread{};

void enter_session(int thread_level) {
    if (forked_child) fail("shmem_init", "called in a forked child, which is no PE");
    const Change change;
    if (const int before = count.load(std::memory_order_relaxed); before != 0) {
        count.store(before + 1, std::memory_order_relaxed);
        highest_level = std::max(highest_level, thread_level);
        return;
    }
    level = highest_level = thread_level;
    session_thread.store(level < kThreadSerialized ? this_thread() : 0, std::memory_order_relaxed);
    leave_manager_at_exit();
    note_exit_status();
    try {
        attach_job();
    } catch (const std::bad_alloc&) {
        fail("shmem_init", Text("there is no memory to start", os::advice_on_memory(1 << 20)));
    }
    // The inlined operations are to be counted as well: they call routines.
    if (&isthmus_preloaded_library != nullptr) {
        isthmus_window.limit = 0;
        close_checks();
    }
    create_first_teams(is_multiple_anywhere());
    end_start_watch();
    tell_manager_of_start(false);
    print_start_information();
    count.store(1, std::memory_order_release);  // partner: session_count
}

namespace {

void leave_one_session() {
    const Change change;
    const int before = count.load(std::memory_order_relaxed);
    if (before == 0) return;  // another thread's exit has closed it meanwhile
    if (before > 1) {
        leave_inner_session(highest_level >= kThreadMultiple);
        count.store(before - 1, std::memory_order_relaxed);
        return;
    }
    close(Departure::finalize);
    if (!forked_child) tell_manager_of_leave();
}

}  // namespace

void leave_session() {
    let_crash_end();
    leave_one_session();
    let_crash_end();
    let_other_end();
}

// Whoever calls may be a handler of a signal, on top of anything.
void leave_at_once(const Text& how, int status) {
    let_crash_end();
    let_thread_end(status, false);
    if (!is_managed_pe()) return;
    const bool is_leaver = changing.load(std::memory_order_relaxed) != 0 || is_in_session();
    if (job.header->ended.load(std::memory_order_relaxed) != 0) {
        if (!is_leaver || !ends_behind_another()) return;
        await_other_end();
        exit_now(status_of_end(status));
    }
    if (changing.load(std::memory_order_relaxed) != 0)
        end_midway(how, status, false);
    else if (count.load(std::memory_order_relaxed) == 0) {
        tell_failed_exit(status);
        leave_manager_at_once(status);
    } else if (is_in_session())
        end_job_of_leaver(how, status != 0 ? status : 1, false);
}

void note_quick_exit(int status) {
    quick_exit_status = status;
}

int session_count() {
    return count.load(std::memory_order_acquire);
}

int session_thread_level() {
    return level;
}
}  // namespace isthmus
