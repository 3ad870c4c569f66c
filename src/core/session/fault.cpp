#include "core/session/fault.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <string>

#include "base/alarm.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "core/job/crash_reporter.hpp"
#include "core/job/job.hpp"
#include "core/job/on_road.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/session/crash_report.hpp"
#include "core/session/farewell.hpp"
#include "core/session/fault_reading.hpp"
#include "core/session/manager.hpp"
#include "core/session/own_code.hpp"

namespace isthmus {
namespace {

// As if we had never been here: the same signal again, with what came along with it, once this
// handler has returned. To run the instruction again would not do for a signal that somebody sent,
// or that tells of other memory.
void give_back(int signal, siginfo_t* info) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info) != 0) raise(signal);
}

volatile std::sig_atomic_t crashed_by = SIGSEGV;  // written by the thread that reports

// Behind a report that has not come to its end in time: the process dies of what it has crashed of.
void end_crash(int) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(crashed_by, &standard, nullptr);
    raise(crashed_by);
    sigset_t deadly;
    sigemptyset(&deadly);
    sigaddset(&deadly, crashed_by);
    pthread_sigmask(SIG_UNBLOCK, &deadly, nullptr);
}

// Whatever goes wrong meanwhile.
void end_within(unsigned seconds, int signal) {
    crashed_by = signal;
    os::call_after(os::Limit::crash, seconds, end_crash, 0);
}

bool is_pe() {
    return !forked_child && job.status().process.load(std::memory_order_relaxed) == getpid();
}

// A child of vfork, which no handler of fork sees.
bool shares_memory_of_pe() {
    const pid_t process = job.status().process.load(std::memory_order_relaxed);
    return !forked_child && process != 0 && process != getpid();
}

// The process manager may end others for this one's end, and who is left looks for the cause.
void note_told_end(int signal) {
    if (!is_pe()) return;
    tell_own_death(signal);
}

Crash describe(int signal, const siginfo_t* info, void* context, const Fault& fault) {
    return {signal, info, context, fault.instruction,
            fault.access == Access::store  ? "write to"
            : fault.access == Access::load ? "read of"
                                           : nullptr};
}

// Of several PEs the first to begin counts: the launcher need not see it die first.
void begin_report() {
    // An end of this PE that was under way has come to this; its time is the report's now.
    os::call_no_more(os::Limit::output);
    os::call_no_more(os::Limit::meeting);
    const std::uint32_t word = report_word(os::monotonic_nanoseconds());
    job.status().has_told_end.store(word, std::memory_order_relaxed);
}

// One thread reports, and the process ends behind that: what others crash of meanwhile waits for
// that end, longer than any report may take. False: this one has nothing to say, which may be the
// report itself that has crashed. Nor has a child that shares this memory (vfork): its parent goes
// on.
bool may_report() {
    if (shares_memory_of_pe()) return false;
    pid_t other = 0;
    if (crash_reporter.compare_exchange_strong(other, gettid(), std::memory_order_relaxed)) {
        if (is_pe()) begin_report();
        return true;
    }
    os::await_end_by(other);
    return false;
}

// Somebody has sent it: then there is no address, and the registers tell nothing. Our own launcher
// tells what a PE has died of; a process manager may not, and ends the others at once.
void die_of_sent(int signal, siginfo_t* info) {
    if (is_pe()) {
        // This thread is about to end the process, behind what it has to say.
        if (crash_reporter.load(std::memory_order_relaxed) == gettid()) return;
        if (may_report() && job.managed) {
            // A manager that hears of this death first would take it for the cause.
            if (ends_behind_another()) end_job(128 + signal);
            if (!has_own_manager()) say_sent_signal(signal, info);
            note_told_end(signal);
            tell_manager_of_death(signal);
        }
    }
    give_back(signal, info);
}

void report_crash(const Crash& crash) {
    end_within(5, crash.signal);
    say_crash(crash);
    if (is_pe() && job.managed && ends_behind_another()) end_job(128 + crash.signal);  // as above
    note_told_end(crash.signal);
    tell_manager_of_death(crash.signal);
    os::give_alarm_back(os::Limit::crash);
}

// Of an own thread's fault, what the thread that waits for it is to tell: it knows which of its
// routines it is in, and from where.
std::atomic<const Fault*> handed_over = nullptr;

// Returns if nobody takes it: nobody is in a call on the road, or several are, of which nobody
// knows whose transfer it is.
void hand_over(const Fault& fault, int signal) {
    constexpr int kTurns = 100;  // of 10 milliseconds
    constexpr int kWhole = 1000;
    pthread_t waiting{};
    if (!far::find_only_thread_on_road(waiting) || pthread_equal(waiting, pthread_self())) return;
    // Release: the partner is the exchange in tell_handed_over.
    handed_over.store(&fault, std::memory_order_release);
    if (pthread_kill(waiting, signal) == 0) {
        for (int turn = 0; turn < kTurns && handed_over.load(std::memory_order_relaxed); ++turn)
            os::sleep_nanoseconds(10'000'000);
    }
    if (handed_over.exchange(nullptr, std::memory_order_relaxed)) return;
    for (int turn = 0; turn < kWhole; ++turn)  // until the process has ended
        os::sleep_nanoseconds(10'000'000);
}

// False if the signal was not sent for that. Who has left the road meanwhile goes on, and the other
// thread tells it by itself.
bool tell_handed_over(int signal, const siginfo_t* info, const void* context) {
    if (info->si_code != SI_TKILL || info->si_pid != getpid() ||
        !handed_over.load(std::memory_order_relaxed))
        return false;
    if (!far::is_marked()) return true;
    const Fault* const theirs = handed_over.exchange(nullptr, std::memory_order_acquire);
    if (!theirs) return true;
    crash_reporter.store(gettid(), std::memory_order_relaxed);  // from here on: the other one waits
    end_within(2, signal);
    Fault fault = *theirs;
    fault.instruction = read_fault(info, context).instruction;
    fail_in_handler(describe_place(fault), explain(fault));
}

void handle(int signal, siginfo_t* info, void* context) {
    if (info->si_code <= 0) {
        if (!tell_handed_over(signal, info, context)) die_of_sent(signal, info);
        return;
    }
    const Fault fault = read_fault(info, context);
    const bool address_is_known = info->si_code != SI_KERNEL;
    const Crash crash = describe(signal, info, context, fault);
    const bool is_ours = !has_stack_ended(crash) &&
                         ((window.pes > 1 && concerns_window(fault, address_is_known)) ||
                          (address_is_known && (is_low_in_routine(fault) || is_own_side(fault))));
    const bool in_network = is_in_network(fault);
    // From here on this process ends. Whatever goes wrong while the message is made must not stop
    // that.
    if (!may_report()) return give_back(signal, info);
    if (fault.in_own_thread && address_is_known && is_own_side(fault)) hand_over(fault, signal);
    if (is_ours || in_network) {
        end_within(2, signal);
        std::string what;
        if (is_ours) what = address_is_known ? explain(fault) : explain_without_address(fault);
        if (what.empty() && in_network) what = explain_in_network(signal, fault);
        if (!what.empty()) fail_in_handler(describe_place(fault), what);
    }
    if (address_is_known && is_given_back(fault.address)) {
        end_within(2, signal);
        if (const std::string place = gone_in_inlined(fault); !place.empty())
            fail_in_handler(place, explain_given_back(fault));
    }
    if (!forked_child) report_crash(crash);
    give_back(signal, info);
}

// What can have nothing to do with the window. abort() sends its signal to the calling thread.
void handle_other(int signal, siginfo_t* info, void* context) {
    const bool aborts = signal == SIGABRT && info->si_code == SI_TKILL && info->si_pid == getpid();
    if (info->si_code <= 0 && !aborts) return die_of_sent(signal, info);
    if (!forked_child && may_report())
        report_crash(describe(signal, info, context, read_fault(info, context)));
    give_back(signal, info);
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
    struct sigaction current {};
    sigaction(signal, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == handler) return;  // second init
    if (current.sa_handler != SIG_DFL || (current.sa_flags & SA_SIGINFO)) return;
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

// A child has the number of a thread that it has not.
void let_crash_end() {
    const pid_t other = crash_reporter.load(std::memory_order_relaxed);
    if (other != 0 && syscall(SYS_tgkill, getpid(), other, 0) == 0) os::await_end_by(other);
}

void catch_faults() {
    find_own_code();
    prepare_crash_report();
    install(SIGSEGV, handle);
    install(SIGBUS, handle);
    for (const int signal : {SIGFPE, SIGILL, SIGABRT})
        install(signal, handle_other);
}

}  // namespace isthmus
