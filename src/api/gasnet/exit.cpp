// The end of a job: by gasnet_exit, whoever calls it, by an exit of the program, or by a signal.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "api/gasnet/face.hpp"
#include "base/exit_now.hpp"
#include "base/os.hpp"
#include "core/reach/operation.hpp"
#include "core/session/session.hpp"
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

// Counts this PE at PE 0, and waits until all have come to the same, or this time. Runs no handlers
// and may be called in one.
void meet(std::uint64_t& word, std::uint64_t until) {
    constexpr const char* kRoutine = "gasnet_exit";
    const auto add = [&](std::uint64_t more) {
        return operation::fetch_atomic(operation::find(&word, 0), &word, 0,
                                       {transport::AtomicKind::add, 8, more, 0}, kRoutine);
    };
    if (add(1) + 1 == static_cast<std::uint64_t>(job.pes)) return;
    while (os::monotonic_nanoseconds() < until &&
           job.header->ended.load(std::memory_order_acquire) != kEnded) {
        if (far::present) far::progress();
        os::sleep_nanoseconds(is_near(0) ? 100'000 : 1'000'000);
        if (add(0) >= static_cast<std::uint64_t>(job.pes)) return;
    }
}

// Whether the program knows of its end: it ends by itself, or has been told.
constinit std::atomic<bool> knows_end = false;

// Two meetings: behind the first nobody calls any more, behind the second all output is written,
// and the first process to go takes nothing with it. Output is written in front of them, too: the
// job may end for another reason meanwhile.
void meet_to_end(int code) {
    const auto second = static_cast<std::uint64_t>(kSecond);
    const std::uint64_t begun = os::monotonic_nanoseconds();
    const auto until = begun + static_cast<std::uint64_t>(patience(code) * kSecond);
    knows_end.store(true, std::memory_order_relaxed);
    flush_output(code);
    meet(control->leaving[0], until);
    flush_output(code);
    messages::end_tracing();
    meet(control->leaving[1], std::min(until, os::monotonic_nanoseconds() + second));
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

bool has_own_handler() {
    struct sigaction now {};
    return sigaction(SIGQUIT, nullptr, &now) == 0 && now.sa_handler != SIG_DFL &&
           now.sa_handler != SIG_IGN && now.sa_handler != hear_end;
}

void hear_end(int signal) {
    if (forked_child) die_of(signal);
    // Who is on the way out goes on, for so long.
    exit_after(1, kSignalled + signal);
    if (knows_end.exchange(true, std::memory_order_relaxed) || is_output_being_written()) return;
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
    tell_program_of_end = [] {
        if (!knows_end.exchange(true, std::memory_order_relaxed) && has_own_handler())
            std::raise(SIGQUIT);
    };
    before_failed_end = [](int status) {
        if (face->begun) meet_to_end(status);
    };
}

ISTHMUS_API void gasnet_exit(int exitcode) {
    if (!attached() || !face->begun) exit_job(exitcode);
    note(Routine::gasnet_exit);
    meet_to_end(exitcode);
    exit_job(exitcode);
}
