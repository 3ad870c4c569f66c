// The end of a job: by gasnet_exit, whoever calls it, by an exit of the program, or by a signal.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/gasnet/face.hpp"
#include "base/alarm.hpp"
#include "base/exit_now.hpp"
#include "base/os.hpp"
#include "core/job/end_of_program.hpp"
#include "core/job/road.hpp"
#include "core/reach/far.hpp"
#include "core/reach/operation.hpp"
#include "core/session/session.hpp"
#include "message/handlers.hpp"
#include "message/traced.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

constexpr double kSecond = 1e9;
constexpr int kSignalled = 128;

// A variable that GASNet's users know: seconds; `otherwise` if it is not set or is no number.
double seconds_of(const char* name, double otherwise) {
    const char* const text = std::getenv(name);
    if (!text) return otherwise;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    return end != text && value >= 0 ? value : otherwise;
}

// How long one that exits waits for the others, which may be about to.
double patience(int code) {
    const double computed = std::min(seconds_of("GASNET_EXITTIMEOUT_MAX", 60),
                                     seconds_of("GASNET_EXITTIMEOUT_MIN", 2) +
                                         job.pes * seconds_of("GASNET_EXITTIMEOUT_FACTOR", 0.0625));
    const double given = seconds_of("GASNET_EXITTIMEOUT", computed);
    // With an error the others rather learn of it soon.
    return code == 0 ? given : std::min(given, 1.0);
}

// Whether the program knows of its end: it ends by itself, or has been told.
constinit std::atomic<bool> knows_end = false;
constinit std::atomic<bool> is_told = false;

// The others come to no meeting then.
bool has_job_ended() {
    // Acquire: partner is the release in end_job.
    return is_told.load(std::memory_order_relaxed) ||
           job.header->ended.load(std::memory_order_acquire) != 0;
}

// May be answered when nobody waits any more.
struct Question {
    transport::Pending reads;
    std::uint64_t come = 0;
};
std::array<Question, 2> questions;

// How many have come, as PE 0 has it. Waits for no PE, which may compute or stand still: a far one
// is asked, and its answer is looked for. Of the two words the one thread of who meets.
class Counter {
  public:
    explicit Counter(std::size_t which)
        : word_(control->leaving[which]), question_(questions[which]) {}

    std::uint64_t add(std::uint64_t more) {
        const auto there = operation::find(&word_, 0);
        if (there)
            return more + operation::fetch_atomic(
                              there, &word_, 0, {transport::AtomicKind::add, 8, more, 0}, kRoutine);
        far::count_up(&word_, 0);
        return 0;
    }
    std::uint64_t look() {
        if (is_near(0)) return add(0);
        far::progress();
        // Acquire: partner is Pending::finish.
        if (question_.reads.reached.load(std::memory_order_acquire) != question_.reads.number)
            return 0;
        const std::uint64_t come = question_.come;
        if (come >= static_cast<std::uint64_t>(job.pes)) return come;
        question_.reads.left.store(1, std::memory_order_relaxed);
        ++question_.reads.number;
        far::begin_get(&question_.come, &word_, sizeof word_, 0, question_.reads, kRoutine);
        question_.reads.finish(1);
        return 0;
    }

  private:
    static constexpr const char* kRoutine = "gasnet_exit";
    std::uint64_t& word_;
    Question& question_;
};

// Whoever hears of the end first in this PE; the others wait until it is told.
void tell_messages() {
    messages::tell_counts(messages::AtEnd::this_one);
}

// Counts this PE at PE 0, and waits until all have come to the same: true; or this time. Runs no
// handlers and may be called in one.
bool meet(std::size_t which, std::uint64_t until) {
    const auto all = static_cast<std::uint64_t>(job.pes);
    // On top of a call on the road, which this thread cannot end.
    if (!is_near(0) && far::is_marked()) return false;
    Counter counter(which);
    if (counter.add(1) == all) return true;
    while (os::monotonic_nanoseconds() < until && !has_job_ended()) {
        // Nor does node 0 help others along there: its thread for that does.
        if (far::present && !far::is_marked()) far::progress();
        os::sleep_nanoseconds(is_near(0) ? 100'000 : 1'000'000);
        if (counter.look() >= all) return true;
    }
    return false;
}

// Another thread meets, or this one, below a handler of a signal.
void await_meeting(std::uint64_t until) {
    while (os::monotonic_nanoseconds() < until && !has_job_ended())
        os::sleep_nanoseconds(1'000'000);
}

// Two meetings: behind the first nobody calls any more, behind the second all output is written,
// and the first process to go takes nothing with it. Output is written in front of them, too: the
// job may end for another reason meanwhile.
// Whatever this thread was at, which may hold a lock of the road, it comes to an end. Who has been
// told of the end meets nobody. True if all have come.
bool meet_to_end(int code) {
    constexpr double kBeyond = 0.3;  // seconds
    static constinit std::atomic<bool> meets = false;
    os::call_no_more(os::Limit::told);
    if (has_job_ended()) {
        tell_messages();
        return false;
    }
    const auto second = static_cast<std::uint64_t>(kSecond);
    const double patient = patience(code);
    const std::uint64_t begun = os::monotonic_nanoseconds();
    const auto until = begun + static_cast<std::uint64_t>(patient * kSecond);
    knows_end.store(true, std::memory_order_relaxed);
    if (meets.exchange(true, std::memory_order_relaxed)) {
        await_meeting(until);
        return false;
    }
    os::call_after(
        os::Limit::meeting, patient + kBeyond,
        [](int status) {
            is_end_wanted.store(true, std::memory_order_relaxed);
            end_job(status);
        },
        code);
    flush_output(code);
    const bool does_nobody_call = meet(0, until);
    flush_output(code);
    messages::end_tracing();
    messages::tell_counts(does_nobody_call ? messages::AtEnd::all : messages::AtEnd::this_one);
    const bool have_all_come = meet(1, std::min(until, os::monotonic_nanoseconds() + second));
    os::call_no_more(os::Limit::meeting);
    return have_all_come;
}

// Of nodes that all leave with an error those of one host say so, and have the time for it.
void leave_with_error(int status) {
    constexpr std::uint64_t kSaid = 300'000'000;
    if (!meet_to_end(status) || job.host.test(0)) return;
    is_first_reason();
    await_meeting(os::monotonic_nanoseconds() + kSaid);
}

// An exit within the session ends the job as gasnet_exit does. If all nodes come to one they leave
// together.
void leave_by_exit(int status) {
    if (!face->begun) return;
    if (status != 0) return leave_with_error(status);
    if (!meet_to_end(status)) exit_job(status);
}

[[noreturn]] void die_of(int signal) {
    std::signal(signal, SIG_DFL);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, signal);
    pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
    std::raise(signal);
    exit_now(kSignalled + signal);
}

// Of SIGQUIT and SIGTERM, in a program that has none of its own. What it has written before is the
// user's; it is written here, whatever the program was at. Within the C library's own writing a
// piece may come twice.
void hear_end(int signal);

// Of the program's, which may have the signal left alone.
constinit bool may_raise = true;
bool has_own_handler() {
    struct sigaction now {};
    return may_raise && sigaction(SIGQUIT, nullptr, &now) == 0 && now.sa_handler != SIG_DFL &&
           now.sa_handler != SIG_IGN && now.sa_handler != hear_end;
}

void hear_end(int signal) {
    if (forked_child) die_of(signal);
    // Who is on the way out goes on, for so long.
    os::call_after(os::Limit::told, 1, exit_now, kSignalled + signal);
    is_told.store(true, std::memory_order_relaxed);
    if (knows_end.exchange(true, std::memory_order_relaxed)) return;
    if (!messages::tell_counts(messages::AtEnd::this_one)) return;
    if (is_output_being_written()) return;
    if (signal == SIGTERM && has_own_handler()) std::raise(SIGQUIT);
    write_standard_output();
    // A core is nobody's wish.
    if (signal == SIGQUIT) exit_now(kSignalled + signal);
    die_of(signal);
}

// GASNET_NO_CATCH_SIGNAL: signals that stay as they are, "SIGQUIT,SIGTERM" or "*".
bool may_catch(std::string_view name) {
    const char* const text = std::getenv("GASNET_NO_CATCH_SIGNAL");
    const std::string_view kept = text ? text : "";
    return kept.find('*') == kept.npos && kept.find(name) == kept.npos;
}

// Another node ends the job.
void hear_in_wait() {
    is_told.store(true, std::memory_order_relaxed);
    if (knows_end.exchange(true, std::memory_order_relaxed)) return;
    tell_messages();
    if (has_own_handler()) std::raise(SIGQUIT);
}

void catch_signal(int signal, std::string_view name) {
    struct sigaction now {};
    if (!may_catch(name) || sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
        return;
    struct sigaction own {};
    own.sa_handler = hear_end;
    own.sa_flags = SA_ONSTACK;
    sigaction(signal, &own, nullptr);
}

}  // namespace

void gasnet::prepare_end() {
    job.status().leaves_by.store(Routine::gasnet_exit, std::memory_order_relaxed);
    catch_signal(SIGQUIT, "QUIT");
    catch_signal(SIGTERM, "TERM");
    may_raise = may_catch("QUIT");
    end_of_program = {hear_in_wait, tell_messages, leave_by_exit};
}

ISTHMUS_API void gasnet_exit(int exitcode) {
    if (!attached() || !face->begun) exit_job(exitcode);
    note(Routine::gasnet_exit);
    meet_to_end(exitcode);
    exit_job(exitcode);
}
