// The end of a job: by gasnet_exit, whoever calls it.
#include <algorithm>
#include <cstdlib>

#include "api/gasnet/face.hpp"
#include "base/os.hpp"
#include "core/reach/operation.hpp"
#include "message/traced.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

constexpr double kSecond = 1e9;

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

}  // namespace

// Two meetings: behind the first nobody calls any more, behind the second all output is written,
// and the first process to go takes nothing with it.
ISTHMUS_API void gasnet_exit(int exitcode) {
    if (!attached() || !face->begun) exit_job(exitcode);
    note(Routine::gasnet_exit);
    const std::uint64_t begun = os::monotonic_nanoseconds();
    const auto until = begun + static_cast<std::uint64_t>(patience(exitcode) * kSecond);
    meet(control->leaving[0], until);
    flush_output(exitcode);
    messages::end_tracing();
    meet(control->leaving[1],
         std::min(until, os::monotonic_nanoseconds() + static_cast<std::uint64_t>(kSecond)));
    exit_job(exitcode);
}
