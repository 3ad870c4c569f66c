#include "launch/remote/head.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/os.hpp"
#include "base/quote.hpp"
#include "bootstrap/pmi1.hpp"
#include "core/job/end_times.hpp"
#include "launch/before_start.hpp"
#include "launch/program.hpp"
#include "launch/remote/frame.hpp"
#include "launch/remote/head_state.hpp"
#include "launch/remote/orders.hpp"
#include "launch/remote/shell.hpp"
#include "launch/signals.hpp"

namespace isthmus::launch {
namespace {

// From the start of the remote shell to the agent's greeting: the shell's own limit, and some more.
constexpr std::uint64_t kPatience = 30 * kSecond;

}  // namespace

bool Head::start(Far& host) {
    const RemoteShell shell = start_remote_shell(tool_, host.name, inheritance_);
    if (!shell.error.empty()) {
        announce("isthmus: " + shell.error);
        status_ = shell.status;
        return false;
    }
    host.shell = shell.process;
    host.from = shell.from;
    host.to = OutputQueue(shell.to);
    host.running = host.count;
    Orders orders;
    orders.first = host.first;
    orders.count = host.count;
    orders.pes = options_.pes;
    orders.host = host.name;
    orders.space = space_;
    orders.mapping = mapping_;
    orders.directory = directory_for_hosts(options_.working_directory);
    orders.bind = options_.bind;
    orders.show_binding = options_.show_binding;
    orders.command = options_.command;
    orders.environment = environment_for_hosts(options_.environment);
    host.to.append(frame_text(FrameKind::orders, -1, orders_text(orders)));
    return true;
}

int Head::run() {
    detect_seconds_ = detect_seconds(options_);
    pes_ = std::vector<FarPe>(static_cast<std::size_t>(options_.pes));
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);
    sigset_t heard = handled_signals();
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    signals_ = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    began_ = os::monotonic_nanoseconds();
    if (options_.timeout_seconds > 0) timeout_at_ = began_ + nanoseconds(options_.timeout_seconds);
    std::uint64_t number = began_;  // also where the system has no random ones
    os::fill_with_random(&number, sizeof number);
    space_ = std::string(bootstrap::kOwnSpaces) + std::to_string(getpid()) + "-" +
             std::to_string(number);
    int first = 0;
    std::vector<int> counts;
    for (const HostShare& share : options_.hosts) {
        counts.push_back(share.pes);
        Far& host = hosts_.emplace_back();
        host.name = share.name;
        host.first = first;
        host.count = share.pes;
        first += share.pes;
    }
    mapping_ = bootstrap::mapping_of(counts);
    if (const std::string error = output_.open_split_files(); !error.empty()) {
        announce("isthmus: " + error);
        status_ = kStatusLauncher;
    } else {
        for (Far& host : hosts_)
            if (!start(host)) {
                end(status_, "", SIGTERM);
                break;
            }
    }
    while (!over()) {
        wait_for_event();
        tick(os::monotonic_nanoseconds());
    }
    finish();
    // Every PE dealt with the signal and exited with 0: then so does the job.
    if (ended_by_signal_ && !someone_failed_) return 0;
    return status_;
}

void Head::wait_for_event() {
    const bool full = output_.congested();
    std::vector<pollfd> polled{{signals_, POLLIN, 0}};
    if (may_take_input()) polled.push_back({STDIN_FILENO, POLLIN, 0});
    output_.add_to(polled);
    for (const Far& host : hosts_) {
        if (host.from >= 0 && !full) polled.push_back({host.from, POLLIN, 0});
        if (host.from >= 0 && !host.to.empty()) polled.push_back({host.to.file(), POLLOUT, 0});
    }
    poll(polled.data(), polled.size(), 250);
    hear_signals();
    hear_input();
    for (Far& host : hosts_) {
        if (!full) hear(host);
        if (host.from >= 0) host.to.write_some();
    }
    output_.write_some();
}

void Head::hear_signals() {
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const auto signal = static_cast<int>(info.ssi_signo);
        const SignalUse use = use_of(signal);
        if (use == SignalUse::end) {
            if (ended_by_signal_) deadline_ = 0;  // asked again: no more patience
            if (!ending_) ended_by_signal_ = true;
            end_with_calls(128 + signal, "isthmus: " + describe_signal(signal) + "; the job ends",
                           signal);
            continue;
        }
        // Behind a remote shell nobody would take the terminal's own signal.
        send_signal(use == SignalUse::suspend ? SIGSTOP : signal);
        if (use == SignalUse::suspend) {
            for (Far& host : hosts_)
                if (host.from >= 0) host.to.write_some();
            raise(SIGSTOP);
            went_on_ = os::monotonic_nanoseconds();
        }
    }
}

void Head::hear_input() {
    if (!may_take_input()) return;
    Far& host = hosts_[0];
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (poll(&ready, 1, 0) <= 0) return;
    char buffer[65536];
    const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    // Nothing: its end, or a terminal that is not ours to read.
    const std::string_view bytes(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
    input_open_ = !bytes.empty();
    host.to.append(frame_text(FrameKind::input, 0, bytes));
}

void Head::hear(Far& host) {
    char buffer[65536];
    while (host.from >= 0) {
        const ssize_t count = read(host.from, buffer, sizeof buffer);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) return lost(host);
        const std::string_view bytes(buffer, static_cast<std::size_t>(count));
        host.silent = 0;
        if (host.refused && !host.greeted) continue;  // nothing that it says counts
        if (host.greeted) {
            host.frames.feed(bytes);
        } else {
            host.before += bytes;
            std::string heard;
            const int found = take_greeting(host.before, heard);
            if (found < 0) {
                host.refused = true;
                end(kStatusLauncher,
                    "isthmus: host " + host.name + ": " + tool_ + " there is " +
                        (heard.size() < 20
                             ? "of version " + heard + ", and here of " + ISTHMUS_VERSION
                             : "no `isthmus`: " + heard),
                    SIGTERM);
                return;
            }
            if (found == 0) continue;
            host.greeted = true;
            host.frames.feed(host.before);
        }
        for (Frame frame; host.frames.next(frame);)
            act_on(host, frame);
        if (host.frames.is_damaged()) return lost(host);
    }
}

void Head::act_on(Far& host, Frame& frame) {
    FarPe* const pe = pe_at(frame.pe);
    const bool own = frame.pe >= host.first && frame.pe < host.first + host.count;
    std::int32_t number = 0;
    switch (frame.kind) {
        case FrameKind::refused:
            host.refused = true;
            if (!frame.bytes.empty())
                end(static_cast<unsigned char>(frame.bytes[0]),
                    "isthmus: host " + host.name + ": " + frame.bytes.substr(1), SIGTERM);
            break;
        case FrameKind::note: output_.announce("isthmus: " + frame.bytes); break;
        case FrameKind::output:
        case FrameKind::errors:
            has_said_ |= frame.kind == FrameKind::errors &&
                         frame.bytes.find("isthmus: PE ") != std::string::npos;
            if (pe) output_.pass_on(frame.pe, frame.bytes, frame.kind == FrameKind::errors);
            break;
        case FrameKind::put: values_ += frame.bytes; break;
        case FrameKind::arrived:
            ++host.arrived;
            go_on_if_all_arrived();
            break;
        case FrameKind::began:
            if (own) pe->state = PeState::running;
            if (own) pe->began = os::monotonic_nanoseconds();
            judge_absent();
            break;
        case FrameKind::left:
            if (own) pe->state = PeState::finalized;
            if (own) pe->began = 0;
            break;
        case FrameKind::aborted:
            if (own) aborted(*pe, frame.bytes);
            break;
        case FrameKind::dies:
            if (own && read_number(frame.bytes, number)) dies(host, frame.pe, number);
            break;
        case FrameKind::ended:
            if (own && read_number(frame.bytes, number) && !pe->ended)
                pe_ended(host, frame.pe, number);
            break;
        case FrameKind::left_behind:
            if (read_number(frame.bytes, number)) left_behind_ += number;
            break;
        case FrameKind::heard: --host.unheard; break;
        case FrameKind::called:
            if (own && read_number(frame.bytes, number))
                pe->last_call = static_cast<Routine>(number);
            break;
        case FrameKind::stopped:
            if (own && read_number(frame.bytes, number)) judge_stopped(host, frame.pe, number);
            break;
        case FrameKind::gone:
            if (own && read_number(frame.bytes, number)) judge_gone(host, frame.pe, number);
            break;
        case FrameKind::input_full: input_held_ = true; break;
        case FrameKind::input_room: input_held_ = false; break;
        default: break;  // nothing that an agent says
    }
}

// All hosts wait: what was put is everybody's, and all go on.
void Head::go_on_if_all_arrived() {
    const bool all =
        std::all_of(hosts_.begin(), hosts_.end(), [](const Far& host) { return host.arrived > 0; });
    if (!all) return;
    for (Far& host : hosts_) {
        --host.arrived;
        host.to.append(frame_text(FrameKind::values, -1, values_));
        host.to.append(frame_text(FrameKind::go_on, -1, ""));
    }
    values_.clear();
}

// The agent has gone: as it should behind its last PE, or with the host or the connection.
void Head::lost(Far& host) {
    close(host.from);
    host.from = -1;
    close(host.to.file());
    host.to = OutputQueue(-1);
    int status = 0;
    const std::uint64_t until = os::monotonic_nanoseconds() + kSecond;
    pid_t gone = 0;
    while ((gone = waitpid(host.shell, &status, WNOHANG)) == 0 &&
           os::monotonic_nanoseconds() < until)
        os::sleep_nanoseconds(1'000'000);
    if (gone == 0) {
        kill(host.shell, SIGKILL);
        waitpid(host.shell, &status, 0);
    }
    if (host.running == 0 || host.refused) return;
    host.running = 0;
    someone_failed_ = true;
    const std::string shell =
        remote_shell()[0] + (WIFSIGNALED(status)
                                 ? " was killed by " + describe_signal(WTERMSIG(status))
                                 : " ended with status " + std::to_string(WEXITSTATUS(status)));
    end(kStatusLauncher,
        "isthmus: host " + host.name +
            (host.greeted ? ": the connection is lost" : ": nothing could be started there") +
            " (" + shell + "); the job ends",
        SIGTERM);
}

void Head::send_signal(int signal) {
    for (Far& host : hosts_) {
        if (host.from < 0) continue;
        host.to.append(
            frame_text(FrameKind::signal, -1, std::string(1, static_cast<char>(signal))));
        ++host.unheard;
    }
}

void Head::tick(std::uint64_t now) {
    if (!line_.empty() &&
        (now >= line_until_ || std::all_of(hosts_.begin(), hosts_.end(), [](const Far& host) {
             return host.from < 0 || !host.greeted || host.unheard <= 0;
         })))
        say_calls();
    // A reader who has gone wants no more, and the PEs learn of it as on one host.
    if (!ending_ && output_.failure() != 0) {
        const bool gone = output_.failure() == EPIPE;
        is_wanted_ = gone;
        end(gone ? 128 + SIGPIPE : kStatusLauncher,
            gone ? ""
                 : std::string(
                       "isthmus: output of the PEs is lost: cannot write standard output: ") +
                       std::strerror(output_.failure()),
            SIGPIPE);
    }
    if (!ending_ && timeout_at_ != 0 && now >= timeout_at_) {
        char limit[32];
        std::snprintf(limit, sizeof limit, "%g", options_.timeout_seconds);
        end_with_calls(kStatusTimeout,
                       std::string("isthmus: the time limit of ") + limit +
                           " s (--timeout) is over; the job ends",
                       SIGTERM);
    }
    for (Far& host : hosts_) {
        if (host.from < 0 || host.greeted || ending_ || now < began_ + kPatience) continue;
        end(kStatusLauncher,
            "isthmus: host " + host.name + " has not answered within " +
                std::to_string(kPatience / kSecond) + " s; the job ends",
            SIGTERM);
    }
    judge_silent(now);
    const bool all_ended = std::all_of(hosts_.begin(), hosts_.end(),
                                       [](const Far& host) { return host.running == 0; });
    if (ending_ && !killed_ && now >= deadline_) {
        killed_ = true;
        send_signal(SIGKILL);
        deadline_ = now + end_times::in_nanoseconds(end_times::kTidying);
        hearing_until_ = now + end_times::in_nanoseconds(end_times::kHearing);
    } else if (all_ended && !ending_ && !finishing_) {
        finishing_ = true;
        deadline_ = now + end_times::in_nanoseconds(end_times::kTidying);
    }
    // A reader who takes his time gets all of it.
    if (finishing_ && output_.congested())
        deadline_ = now + end_times::in_nanoseconds(end_times::kTidying);
    if ((killed_ || finishing_) && now >= deadline_) {
        for (Far& host : hosts_)
            if (host.from >= 0) {
                host.running = 0;
                lost(host);
            }
    }
    // Behind a reader who takes his time nobody's silence means anything, nor does that of one that
    // tidies up behind its last PE.
    if (killed_ && now >= hearing_until_ && !output_.congested()) {
        for (Far& host : hosts_)
            if (host.from >= 0 && host.greeted && host.running > 0 && host.unheard > 0)
                give_up(host);
    }
    // Whom nobody has heard yet has nothing to tidy up.
    if (killed_)
        for (Far& host : hosts_)
            if (host.from >= 0 && !host.greeted) {
                host.refused = true;
                kill(host.shell, SIGKILL);
            }
}

void Head::finish() {
    if (!line_.empty()) say_calls();
    output_.finish_lines();
    say_cause();
    if (!ending_ && left_behind_ > 0)
        announce("isthmus: the PEs have ended and left " + std::to_string(left_behind_) +
                 (left_behind_ == 1 ? " process" : " processes") + " behind; killed");
    while (!output_.empty()) {
        std::vector<pollfd> polled{{signals_, POLLIN, 0}};
        output_.add_to(polled);
        poll(polled.data(), polled.size(), -1);
        // Somebody who wants to end us does not wait for the reader.
        signalfd_siginfo info{};
        if (polled[0].revents != 0 && read(signals_, &info, sizeof info) > 0 &&
            use_of(static_cast<int>(info.ssi_signo)) == SignalUse::end)
            return;
        output_.write_some();
    }
}

int run_on_hosts(const RunOptions& options, const std::string& tool) {
    return std::make_unique<Head>(options, tool)->run();
}

}  // namespace isthmus::launch
