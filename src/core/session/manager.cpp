#include "core/session/manager.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <memory>
#include <utility>

#include "base/alarm.hpp"
#include "base/error.hpp"
#include "base/error_stream.hpp"
#include "base/exit_now.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "bootstrap/find.hpp"
#include "bootstrap/pmi1.hpp"
#include "core/job/end_times.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/farewell.hpp"
#include "core/session/last_thread.hpp"
#include "core/session/manager_watch.hpp"

namespace isthmus {
namespace {

// Asked already by the library's constructor.
constinit Lasting<std::unique_ptr<Exchange>> lasting_exchange;
constinit std::unique_ptr<Exchange>& exchange = *lasting_exchange;
bool is_own = false;  // asked also by handlers of signals
constinit std::atomic<bool> is_left = false;
constinit std::atomic<bool> is_in_start = false;

using namespace end_times;

// A manager that is told to end the job may throw away what it has not read yet of the output.
// Waits until it has read it, so many seconds at most in which it reads nothing, and some times as
// many in all. False: it has stopped, or gone.
bool await_reader(int file, double seconds) {
    constexpr std::uint64_t kTurn = 5'000'000;
    constexpr int kSlow = 4;
    const auto turns = static_cast<int>(in_nanoseconds(seconds) / kTurn);
    struct stat facts {};
    if (fstat(file, &facts) != 0 || !(S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode)))
        return true;
    pollfd reader{file, 0, 0};
    if (poll(&reader, 1, 0) == 1 && (reader.revents & (POLLERR | POLLHUP)) != 0) return false;
    int before = 0;
    for (int all = 0, idle = 0; all < kSlow * turns; ++all, ++idle) {
        int unread = 0;
        if (ioctl(file, FIONREAD, &unread) != 0 || unread == 0) return true;
        if (unread < before) idle = 0;
        if (idle == turns) return false;
        before = unread;
        os::sleep_nanoseconds(kTurn);
    }
    return true;
}

// By the program, whose status is no failure of this library's.
constinit std::atomic<bool> is_left_by_program = false;

// While there is time: the process manager kills them, too, and the PEs of other hosts, which have
// just heard. Twice the interval of pass_on_end().
void have_mates_tell(int farewell) {
    const bool is_wanted = is_end_wanted.load(std::memory_order_relaxed) ||
                           is_left_by_program.load(std::memory_order_relaxed);
    if (is_wanted)
        give_last_words(farewell, kLastWords);
    else if (far::road)
        give_last_words(farewell, in_nanoseconds(kPassedOn));
}

}  // namespace

void pass_on_end(int farewell) {
    static std::atomic<bool> is_told = false;
    if (far::road && !is_told.exchange(true, std::memory_order_relaxed))
        far::road->say_end(farewell);
}

void pass_on_end() {
    const JobHeader& header = *job.header;
    // Acquire: what is to be told. Partner: give_last_words().
    if (header.ended.load(std::memory_order_acquire) == kTold)
        pass_on_end(header.exit_status.load(std::memory_order_relaxed));
}

void tell_own_death(int signal) {
    constexpr int kSignalled = 128;
    const int status = kSignalled + signal;
    if (!far::road || !job.managed || !claim_end(status)) return;
    const int farewell = await_reader(error_stream(), kReaderOfOutput) ? status : unheard(status);
    far::road->say_end(farewell);
    have_mates_tell(farewell);
}

void tell_manager_of_death(int signal) {
    if (forked_child || !exchange) return;
    const bool ends_start = exchange->ends_at_once() && is_in_start.load(std::memory_order_relaxed);
    if (!is_own && !ends_start) return;
    await_reader(error_stream(), kReaderOfOutput);
    if (!exchange->note_death(signal) && ends_start) exchange->end(128 + signal);
}

bool find_manager(std::string& why) {
    const HelperThreads found_meanwhile;
    exchange = find_exchange(why);
    end_at_manager = end_managed_job;
    if (!exchange) return false;
    exchange->begin();
    is_own = exchange->job_name().starts_with(bootstrap::kOwnSpaces);
    exchange->note_start(true);
    is_in_start.store(true, std::memory_order_relaxed);
    return true;
}

void tell_manager_of_start(bool is_in_it) {
    if (!exchange) return;
    is_in_start.store(is_in_it, std::memory_order_relaxed);
    try {
        exchange->note_start(is_in_it);
    } catch (const std::exception& problem) {
        fail(exchange->name(), problem.what());
    }
}

void tell_manager_of_leave() {
    if (exchange) exchange->note_leave();
}

// A manager closes the connection of a PE that has taken its leave, which another library of the
// program may have done: so it counts for as long as it runs. Its other half sees it go as well,
// says so and ends the PEs of other hosts: that comes first.
void end_if_manager_has_gone() {
    constexpr std::uint64_t kInterval = 250'000'000;
    // Relaxed: several threads may look, and one of them does.
    constexpr auto kRelaxed = std::memory_order_relaxed;
    static std::atomic<std::uint64_t> looked_at = 0;
    const std::uint64_t now = os::monotonic_nanoseconds();
    std::uint64_t last = looked_at.load(kRelaxed);
    if (is_left.load(kRelaxed) || now < last + kInterval ||
        !looked_at.compare_exchange_strong(last, now, kRelaxed))
        return;
    const pid_t manager = exchange ? exchange->who_hung_up() : 0;
    os::ProcessStat facts;
    const bool has_gone = manager > 0 && own_process_space() != 0 &&
                          (!os::read_process_stat(manager, facts) || !os::is_alive(facts));
    if (!has_gone || is_left.load(kRelaxed)) return;
    static std::atomic<std::uint64_t> gone_since = 0;
    std::uint64_t since = 0;
    if (!gone_since.compare_exchange_strong(since, now, kRelaxed) &&
        now >= since + in_nanoseconds(kManagersOtherHalf))
        fail(routine_name(job.status().routine.load(kRelaxed)),
             "the process manager's part on this host has ended");
}

bool is_manager_slow() {
    return exchange && !exchange->ends_at_once();
}

bool is_manager_silent() {
    return exchange && !exchange->tells_status();
}

void await_managers_end() {
    os::sleep_nanoseconds(in_nanoseconds(is_manager_slow() ? kSlowManagersEnd : kManagersEnd));
}

Exchange* process_manager() {
    return exchange.get();
}

bool has_own_manager() {
    return exchange && is_own;
}

void meet_other_hosts() {
    if (!exchange || job.host.count() == static_cast<std::size_t>(job.pes)) return;
    try {
        exchange->meet();
    } catch (const std::exception& problem) {
        await_managers_end();
        fail(exchange->name(), problem.what());
    }
}

// PMIx has no limit of its own, and a program may have closed the files that it waits for.
void leave_manager_at_once(int status) {
    if (!exchange) return;
    is_left.store(true, std::memory_order_relaxed);
    exit_after(kFarewellTime, status);
    exchange->leave();
}

// What the program wrote must not end with a process that waits in vain.
void leave_manager(int status) {
    if (forked_child) return;
    if (exchange) {
        write_standard_output();
        leave_manager_at_once(status);
        exit_no_more();
    }
    // Its destructor has nothing to add, and leak checkers look for who still knows it.
    static constinit Lasting<std::unique_ptr<Exchange>> left;
    *left = std::move(exchange);
}

void end_managed_job(int status) {
    end_managed_job(status, {});
}

void end_managed_job_of_leaver(int status) {
    is_left_by_program.store(true, std::memory_order_relaxed);
    end_managed_job(status);
}

void end_managed_job(int status, std::span<const pid_t> stopped) {
    if (exchange && is_end_wanted.load(std::memory_order_relaxed)) exchange->take_last_words("");
    // Before anybody else is told: they keep silent if they need not speak in its place.
    // Where hosts have more to do than they have processors a reader takes its time, and has not
    // stopped.
    // Nor is it waited for once more by whoever comes here again.
    static constinit std::atomic<bool> has_stopped = false;
    const bool is_heard = !exchange || (!has_stopped.load(std::memory_order_relaxed) &&
                                        await_reader(error_stream(), kReader));
    has_stopped.store(!is_heard, std::memory_order_relaxed);
    const int farewell = is_heard ? status : unheard(status);
    if (far::road) far::road->say_end(farewell);
    if (job.host.count() > 1 || far::road) have_mates_tell(farewell);
    is_left.store(true, std::memory_order_relaxed);
    if (!exchange) return;
    // A manager's call may allocate (PMIx), and a handler of a signal that came within malloc waits
    // for itself there; or nobody answers. The manager sees the process go either way.
    // Nor is its time begun anew by another thread that comes here.
    static constinit std::atomic<bool> is_timed = false;
    if (!is_timed.exchange(true, std::memory_order_relaxed))
        os::call_after(os::Limit::manager, kManagersTime, exit_now, status);
    await_reader(STDOUT_FILENO, kReaderOfOutput);
    os::sleep_nanoseconds(20'000'000);  // what was read is passed on
    // Other managers do not reach one that has left its group of processes (setsid). Ours kills all
    // that is left, and would take a death that comes first for the cause. So does Hydra that of a
    // shell, and tells no other host: it is told of the end first, which takes it no time.
    const bool is_told_at_once = exchange->ends_at_once();
    const auto kill_stopped = [&] {
        if (is_own) return;
        for (const pid_t process : stopped)
            kill(process, SIGKILL);
    };
    if (!is_told_at_once) kill_stopped();
    // Likewise while there is time.
    for (int pe = 0; far::present && pe < job.pes; ++pe) {
        if (job.host.test(static_cast<std::size_t>(pe)))
            os::remove_provider_files(job.header->pe[pe].process.load(std::memory_order_relaxed));
    }
    exchange->end(status);
    if (is_told_at_once) kill_stopped();
}

}  // namespace isthmus
