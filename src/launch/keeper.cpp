#include "launch/keeper.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "base/os.hpp"
#include "core/job/crash_reporter.hpp"
#include "core/job/end_times.hpp"
#include "launch/before_start.hpp"
#include "launch/diagnosis.hpp"
#include "launch/keeper_process.hpp"
#include "launch/processes.hpp"
#include "launch/signals.hpp"

namespace isthmus::launch {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kTick = 250 * kMillisecond;
// More than last words (core/job/last_words.hpp) and a report of a crash take on a loaded host.
constexpr std::uint64_t kOtherEnd = 2000 * kMillisecond;

std::uint64_t nanoseconds(double seconds) {
    return static_cast<std::uint64_t>(std::min(seconds, 1e9) * 1e9);
}

}  // namespace

void Keeper::announce(const std::string& line) {
    if (streams_.empty())
        say((line + "\n").c_str());
    else
        errors_.append(line + "\n");  // after what the PEs have written
}

std::vector<int> Keeper::alive() const {
    std::vector<int> result;
    for (std::size_t pe = 0; pe < pes_.size(); ++pe)
        if (pes_[pe].child != 0) result.push_back(static_cast<int>(pe));
    return result;
}

// Of all PEs: some may have died already of the signal that the launcher is told of.
std::string Keeper::last_calls() const {
    std::vector<int> all(pes_.size());
    std::iota(all.begin(), all.end(), 0);
    const std::string calls = describe_last_calls(*job_.header, all);
    return calls.empty() ? "" : "; last noted calls: " + calls;
}

int Keeper::run() {
    if (!prepare()) return kStatusLauncher;
    status_ = kStatusLauncher;
    const std::string warning =
        warn_of_foreign_program(program_.path, options_.command, options_.pes, Numbering::ours);
    if (!warning.empty()) announce("isthmus: " + warning);
    if (!start_all()) {
        ending_ = true;
        return finish();
    }
    status_ = 0;
    detect_seconds_ = detect_seconds(options_);
    const std::uint64_t now = os::monotonic_nanoseconds();
    next_tick_ = now + kTick;
    if (options_.pes > 1 && warning.empty()) foreign_ = ForeignWatch(Numbering::ours, now);
    if (options_.timeout_seconds > 0) timeout_at_ = now + nanoseconds(options_.timeout_seconds);
    while (running_ > 0) {
        wait_for_event();
        const std::uint64_t then = os::monotonic_nanoseconds();
        if (ending_ && (abandoned_ || then >= deadline_)) break;
        judge_later(then);
        tick(then);
    }
    return finish();
}

void Keeper::wait_for_event() {
    std::vector<pollfd> polled{{control_, POLLIN, 0}, {signals_, POLLIN, 0}};
    for (const Stream& stream : streams_)
        if (stream.file >= 0 && !stream.queue->congested())
            polled.push_back({stream.file, POLLIN, 0});
    const std::size_t stream_end = polled.size();
    for (const OutputQueue* queue : {&output_, &errors_})
        if (!queue->empty()) polled.push_back({queue->file(), POLLOUT, 0});
    for (const Pe& pe : pes_)
        if (pe.program_watch >= 0) polled.push_back({pe.program_watch, POLLIN, 0});

    const std::uint64_t now = os::monotonic_nanoseconds();
    std::uint64_t until = next_tick_;
    if (ending_) until = std::min(until, deadline_);
    if (timeout_at_ != 0 && !ending_) until = std::min(until, timeout_at_);
    if (later_ && !ending_) until = std::min(until, later_until_);
    if (foreign_.next() != 0 && !ending_) until = std::min(until, foreign_.next());
    const std::uint64_t wait = until > now ? until - now : 0;
    const int milliseconds = static_cast<int>((wait + kMillisecond - 1) / kMillisecond);
    if (poll(polled.data(), polled.size(), milliseconds) <= 0) return;

    if (polled[0].revents != 0) hear_control();
    std::size_t next = 2;
    for (Stream& stream : streams_) {
        if (next == stream_end) break;
        if (stream.file != polled[next].fd) continue;
        if (polled[next].revents != 0) read_stream(stream);
        ++next;
    }
    write_output();
    for (Pe& pe : pes_)
        for (const pollfd& entry : polled)
            if (entry.fd == pe.program_watch && entry.revents != 0) pe.program_gone = true;
    for (Pe& pe : pes_) {
        if (!pe.program_gone || pe.program_watch < 0) continue;
        close(pe.program_watch);
        pe.program_watch = -1;
        next_tick_ = os::monotonic_nanoseconds() + kTick;  // its wrapper may tell more by then
    }
    if (polled[1].revents != 0) hear_signal();
}

// A reader that has gone away wanted no more; a full disk is a failure of the job.
void Keeper::write_output() {
    output_.write_some();
    errors_.write_some();
    for (const OutputQueue* queue : {&output_, &errors_}) {
        if (output_lost_ || !queue->broken() || queue->failure() == EPIPE) continue;
        output_lost_ = true;
        say(std::string("isthmus: output of the PEs is lost: cannot write standard ")
                .append(queue == &output_ ? "output: " : "error: ")
                .append(std::strerror(queue->failure()))
                .append("\n")
                .c_str());
    }
}

void Keeper::read_stream(Stream& stream) {
    char buffer[65536];
    while (stream.file >= 0) {
        const ssize_t count = read(stream.file, buffer, sizeof buffer);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count > 0) {
            stream.cutter.feed({buffer, static_cast<std::size_t>(count)}, *stream.queue);
            // With nobody to read it, the PE learns of it as it would without the launcher.
            if (!stream.queue->broken()) {
                if (stream.queue->congested()) return;
                continue;
            }
        }
        stream.cutter.finish(*stream.queue);
        close(stream.file);
        stream.file = -1;
    }
}

void Keeper::hear_control() {
    ControlMessage message{};
    const ssize_t count = read(control_, &message, sizeof message);
    if (count == static_cast<ssize_t>(sizeof message)) {
        act_on_signal(message.signal, message.from_terminal != 0);
    } else if (count == 0) {
        abandoned_ = true;
        end(128 + SIGKILL, "isthmus: the launcher was killed; the job ends", SIGKILL);
    }
}

void Keeper::hear_signal() {
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const auto signal = static_cast<int>(info.ssi_signo);
        if (signal != SIGCHLD) act_on_signal(signal, false);
    }
    reap();
}

void Keeper::act_on_signal(int signal, bool from_terminal) {
    if (use_of(signal) == SignalUse::end) {
        if (ended_by_signal_) {  // asked again: no more patience
            abandoned_ = true;
            return;
        }
        std::string line = "isthmus: " + describe_signal(signal) + "; the job ends";
        line += last_calls();
        if (!ending_) ended_by_signal_ = true;
        end(128 + signal, line, from_terminal ? 0 : signal);
        return;
    }
    if (signal == SIGWINCH && from_terminal) return;
    if (from_terminal) return;
    for (const int pe : alive())
        deliver(pe, signal);
}

void Keeper::deliver(int pe, int signal) {
    const pid_t child = pes_[static_cast<std::size_t>(pe)].child;
    const pid_t behind_wrapper = program_process(pe);
    if (behind_wrapper != 0) kill(behind_wrapper, signal);
    // A shell would die of a signal that is meant for its command.
    const bool for_program = signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGWINCH;
    if (behind_wrapper == 0 || !for_program) kill(child, signal);
}

void Keeper::reap() {
    int wait_status = 0;
    for (pid_t child = 0; (child = waitpid(-1, &wait_status, WNOHANG)) > 0;) {
        for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
            if (pes_[pe].child != child) continue;
            pes_[pe].child = 0;
            --running_;
            pe_ended(static_cast<int>(pe), wait_status);
            break;
        }
        // Others are orphans of PEs; nobody asks for their status.
    }
}

// True, and the end begun, if a PE has called shmem_global_exit or has failed with its own message.
bool Keeper::job_ended_by_itself() {
    JobHeader& header = *job_.header;
    // Acquire: partner is the release store in claim_end.
    std::uint32_t ended = header.ended.load(std::memory_order_acquire);
    for (int i = 0; ended == kEnding && i < 10; ++i) {
        os::sleep_nanoseconds(kMillisecond);
        ended = header.ended.load(std::memory_order_acquire);
    }
    if (ended != kEnded) return false;
    end(header.exit_status.load(std::memory_order_relaxed) & 255, "", SIGTERM);
    return true;
}

void Keeper::pe_ended(int pe, int wait_status) {
    const auto first_stream = 2 * static_cast<std::size_t>(pe);
    for (std::size_t i = first_stream; i < std::min(first_stream + 2, streams_.size()); ++i)
        read_stream(streams_[i]);
    PeEnd ended;
    ended.pe = pe;
    ended.wait_status = wait_status;
    // acquire: partner is the PE's release store of `state`.
    ended.state = status(pe).state.load(std::memory_order_acquire);
    ended.routine = status(pe).routine.load(std::memory_order_relaxed);
    ended.leaves_by = call_to_leave(status(pe));
    if (ending_) {
        someone_failed_ |= wait_status != 0;
        return;
    }
    if (job_ended_by_itself()) return;
    if (ends_job(ended) && is_behind_another(pe)) {
        if (!later_) later_until_ = os::monotonic_nanoseconds() + kOtherEnd;
        if (!later_) later_ = ended;
        return;
    }
    judge(ended);
}

// Another PE that lives was the first to end: it lets the others write their last words, or reports
// its crash. Of two that report it is the first to begin.
bool Keeper::is_behind_another(int pe) const {
    // Acquire: partner is the release in claim_end.
    const int first = job_.header->ended_by.load(std::memory_order_acquire) - 1;
    if (first == pe) return false;
    const std::uint32_t own = status(pe).has_told_end.load(std::memory_order_relaxed);
    const std::vector<int> others = alive();
    return std::any_of(others.begin(), others.end(), [&](int other) {
        const std::uint32_t report = status(other).has_told_end.load(std::memory_order_relaxed);
        return other == first || began_before(report, own);
    });
}

// The first one should have come to its end; if it has not, this one is the cause after all.
void Keeper::judge_later(std::uint64_t now) {
    if (!later_ || ending_ || (now < later_until_ && is_behind_another(later_->pe))) return;
    const PeEnd ended = *later_;
    later_.reset();
    if (!job_ended_by_itself()) judge(ended);
}

void Keeper::judge(PeEnd ended) {
    const int pe = ended.pe;
    const int wait_status = ended.wait_status;
    if (WIFSIGNALED(wait_status)) {
        // Ctrl-C reaches the PEs and the launcher at the same time; let it be heard first.
        if (use_of(WTERMSIG(wait_status)) == SignalUse::end) {
            pollfd told{control_, POLLIN, 0};
            if (poll(&told, 1, 300) > 0) hear_control();
            if (ending_) {
                someone_failed_ = true;
                return;
            }
        }
        ended.out_of_memory =
            WTERMSIG(wait_status) == SIGKILL && out_of_memory_kills() > memory_kills_before_;
    }
    // It was ending the job, and has died of that, or another thread's exit has come in between. An
    // end that has failed itself is none without an error.
    // Acquire: partner is the release in claim_end.
    if (job_.header->ended_by.load(std::memory_order_acquire) == pe + 1) {
        const int claimed = job_.header->exit_status.load(std::memory_order_relaxed) & 255;
        const int own = job_status(ended);
        const bool is_told = !WIFSIGNALED(wait_status) && (claimed != 0 || own == 0);
        end(claimed != 0 ? claimed : own, is_told ? "" : describe_end(ended, host_), SIGTERM);
        return;
    }
    const int status_of_pe = job_status(ended);
    if (ends_job(ended)) {
        // A PE that failed has said why itself.
        const bool told = ended.state == PeState::failed && !WIFSIGNALED(wait_status);
        end(status_ != 0 ? status_ : status_of_pe, told ? "" : describe_end(ended, host_), SIGTERM);
        return;
    }
    if (status_of_pe != 0 && status_ == 0) {
        status_ = status_of_pe;
        announce(describe_end(ended, host_));
    }
    Pe& left = pes_[static_cast<std::size_t>(pe)];
    left.has_left = true;
    left.left_with = WEXITSTATUS(wait_status);
    next_tick_ = 0;
}

void Keeper::end(int status, const std::string& line, int signal) {
    if (ending_) return;
    ending_ = true;
    status_ = status;
    deadline_ = os::monotonic_nanoseconds() + nanoseconds(options_.grace_seconds);
    if (!line.empty()) announce(line);
    if (signal == 0) return;
    for (const int pe : alive()) {
        deliver(pe, signal);
        deliver(pe, SIGCONT);  // one that is stopped would not notice
    }
}

void Keeper::tick(std::uint64_t now) {
    if (ending_) return;
    if (timeout_at_ != 0 && now >= timeout_at_) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", options_.timeout_seconds);
        std::string line = "isthmus: the time limit of " + std::string(seconds) +
                           " s (--timeout) is over; the job ends";
        line += last_calls();
        end(kStatusTimeout, line, SIGTERM);
        return;
    }
    look_for_foreign_program(now);
    if (now < next_tick_) return;
    next_tick_ = now + kTick;
    if (job_ended_by_itself()) return;
    look_where_one_waits(now);
    if (ending_) return;
    const std::string missed = describe_missed();
    if (!missed.empty()) return end(status_ != 0 ? status_ : 1, missed, SIGTERM);
    for (const int pe : alive())
        watch_program(pe);
}

void Keeper::flush_output() {
    while (!output_.empty() || !errors_.empty()) {
        if (abandoned_) return;
        std::vector<pollfd> polled{{control_, POLLIN, 0}, {signals_, POLLIN, 0}};
        for (const OutputQueue* queue : {&output_, &errors_})
            if (!queue->empty()) polled.push_back({queue->file(), POLLOUT, 0});
        poll(polled.data(), polled.size(), -1);
        // Somebody who wants to end us does not wait for the reader.
        ControlMessage message{};
        if (polled[0].revents != 0 && (read(control_, &message, sizeof message) <= 0 ||
                                       use_of(message.signal) == SignalUse::end))
            return;
        signalfd_siginfo info{};
        if (polled[1].revents != 0 && read(signals_, &info, sizeof info) > 0 &&
            info.ssi_signo != SIGCHLD)
            return;
        write_output();
    }
}

int Keeper::finish() {
    const SweepResult sweep = sweep_descendants({}, end_times::kSweep);
    for (int pe = 0; pe < static_cast<int>(pes_.size()); ++pe) {
        // A number that the PE wrote: nobody's now.
        const pid_t process = status(pe).process.load(std::memory_order_relaxed);
        if (process > 0 && kill(process, 0) != 0 && errno == ESRCH)
            os::remove_provider_files(process);
    }
    for (Stream& stream : streams_) {
        while (stream.file >= 0) {
            read_stream(stream);
            if (stream.file >= 0 && !stream.queue->congested()) break;  // a stuck process holds it
            if (stream.queue->congested()) flush_output();
            if (abandoned_) break;
        }
        stream.cutter.finish(*stream.queue);
    }
    if (!ending_ && sweep.killed > 0)
        announce("isthmus: the PEs have ended and left " + std::to_string(sweep.killed) +
                 (sweep.killed == 1 ? " process" : " processes") + " behind; killed");
    if (!sweep.stuck.empty()) {
        std::string line = "isthmus: cannot kill";
        for (const pid_t process : sweep.stuck)
            line += " " + std::to_string(process);
        announce(line + ": of another user, or waiting for a device");
    }
    flush_output();
    // Every PE dealt with the signal and exited with 0: then so does the job.
    if (ended_by_signal_ && running_ == 0 && !someone_failed_) return 0;
    return status_ == 0 && output_lost_ ? 1 : status_;
}

int keep_job(const RunOptions& options, const Program& program, const Inheritance& inheritance,
             int control) {
    return std::make_unique<Keeper>(options, program, inheritance, control)->run();
}

}  // namespace isthmus::launch
