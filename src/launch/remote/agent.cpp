#include "launch/remote/agent.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/process_tree.hpp"
#include "core/job/end_times.hpp"
#include "launch/foreign_watch.hpp"
#include "launch/linked.hpp"
#include "launch/output.hpp"
#include "launch/processes.hpp"
#include "launch/program.hpp"
#include "launch/remote/frame.hpp"
#include "launch/remote/last_calls.hpp"
#include "launch/remote/manager.hpp"
#include "launch/remote/orders.hpp"
#include "launch/signals.hpp"
#include "launch/spawn.hpp"

namespace isthmus::launch {
namespace {

// Of a line to the process manager; longer ones are nobody's.
constexpr std::size_t kLongestLine = 65536;

void close_file(int& file) {
    if (file >= 0) close(file);
    file = -1;
}

struct Member {
    pid_t process = -1;  // -1 once it has ended
    pid_t started = -1;
    int manager = -1;  // our end of its PMI_FD
    int output = -1, errors = -1;
    std::string line;     // from it, not whole yet
    bool starts = false;  // is in shmem_init
    // Who has begun to speak, and may be a process that `process` has started; 0: not known.
    pid_t program = 0;
    std::uint64_t program_began = 0;
    // Found so, and not again since; nanoseconds.
    std::optional<std::uint64_t> stopped, gone;
};

// Shells and tools around a program, as far as each has one child; what a program of ours has
// started is its own affair.
pid_t innermost(pid_t process) {
    for (;;) {
        const std::vector<pid_t> within = os::children_of(process);
        if (within.size() != 1 || os::has_library(process)) return process;
        process = within.front();
    }
}

// Of the last bytes that came.
pid_t sender_of(const msghdr& message) {
    const cmsghdr* const part = CMSG_FIRSTHDR(&message);
    if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) return 0;
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
    return sender.pid;
}

class Agent {
  public:
    int serve();

  private:
    bool read_orders();
    bool start_all();
    bool start(int pe, const char* path, const std::vector<char*>& arguments,
               const Binding& binding);
    void wait_for_event();
    void hear_launcher();
    void act_on_all();
    void act_on(const Frame& frame);
    void hear_manager_line(Member& member, int pe);
    void act_on_line(Member& member, int pe, std::string_view line, pid_t sender);
    void pass_on(int& file, FrameKind kind, int pe);
    void drain(int& file, FrameKind kind, int pe);
    void write_input();
    void flush();
    void reap();
    void look_for_foreign_program();
    void look_for_lost();
    void tell_of(std::optional<std::uint64_t>& since, bool is_so, std::uint64_t passed,
                 FrameKind kind, int pe);
    void tell_who_has_gone();
    bool may_lose_some() const;
    int milliseconds_to_look() const;
    void finish();

    void send(FrameKind kind, int pe, std::string_view bytes) {
        up_.append(frame_text(kind, pe, bytes));
    }
    void refuse(int status, const std::string& why) {
        send(FrameKind::refused, -1, static_cast<char>(status) + why);
    }
    int pe_of(const Member& member) const {
        return orders_.first + static_cast<int>(&member - members_.data());
    }

    OutputQueue up_{STDOUT_FILENO};
    FrameReader down_;
    Orders orders_;
    std::vector<Member> members_;
    HostManager manager_{0, 0, 0, "", ""};
    Inheritance inheritance_ = Inheritance::present();
    int signals_ = -1;
    int input_ = -1;  // where PE 0 reads from, our end
    OutputQueue input_queue_{-1};
    bool input_ended_ = false;
    bool input_held_ = false;  // the launcher has been asked to wait
    bool connected_ = true;
    int running_ = 0;
    ForeignWatch foreign_;  // at the host of PE 0
    bool has_met_ = false;  // all PEs of the job have come to the first barrier
    std::uint64_t next_look_ = 0;
    std::uint64_t last_look_ = 0;
};

int Agent::serve() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t heard;
    sigemptyset(&heard);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP})
        sigaddset(&heard, signal);
    signals_ = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    up_.append(greeting());
    up_.write_some();
    if (read_orders() && start_all()) {
        act_on_all();  // what came with the orders
        while (running_ > 0 && connected_)
            wait_for_event();
    }
    finish();
    return 0;
}

// Nothing else can happen before they are here.
bool Agent::read_orders() {
    Frame frame;
    for (;;) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        poll(&input, 1, -1);
        char buffer[65536];
        const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (count <= 0) return false;
        down_.feed({buffer, static_cast<std::size_t>(count)});
        if (down_.is_damaged()) break;
        if (down_.next(frame)) break;
    }
    auto orders = frame.kind == FrameKind::orders ? parse_orders(frame.bytes) : std::nullopt;
    if (!orders) {
        refuse(kStatusLauncher, "what the launcher sent is damaged");
        return false;
    }
    orders_ = std::move(*orders);
    return true;
}

bool Agent::start_all() {
    struct stat info {};
    if (stat(orders_.directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        chdir(orders_.directory.c_str()) != 0) {
        refuse(kStatusUsage,
               "there is no directory " + orders_.directory + " there; --wdir names another");
        return false;
    }
    // What a program is called is looked up as its user would.
    for (const std::string& entry : orders_.environment)
        if (entry.starts_with("PATH=")) setenv("PATH", entry.c_str() + 5, 1);
    const Program program = find_program(orders_.command[0], orders_.directory);
    if (!program.error.empty()) {
        refuse(program.status, program.error);
        return false;
    }
    const Binding binding = choose_binding(orders_.bind, orders_.count);
    if (!binding.error.empty()) {
        refuse(kStatusUsage, binding.error);
        return false;
    }
    if (orders_.show_binding) {
        send(FrameKind::note, -1, "host " + orders_.host + ": " + binding.reason);
        for (std::size_t i = 0; i < binding.sets.size(); ++i)
            send(FrameKind::note, -1,
                 "PE " + std::to_string(orders_.first + static_cast<int>(i)) + ": processors " +
                     binding.sets[i].text());
    }
    members_.resize(static_cast<std::size_t>(orders_.count));
    manager_ =
        HostManager(orders_.first, orders_.count, orders_.pes, orders_.space, orders_.mapping);
    std::vector<char*> arguments;
    for (std::string& argument : orders_.command)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    if (orders_.first == 0) {
        const std::string warning =
            warn_of_foreign_program(program.path, orders_.command, orders_.pes, Numbering::pmi1);
        if (!warning.empty())
            send(FrameKind::note, -1, warning);
        else if (orders_.pes > 1)
            foreign_ = ForeignWatch(Numbering::pmi1, os::monotonic_nanoseconds());
    }
    for (const Member& member : members_)
        if (!start(pe_of(member), program.path.c_str(), arguments, binding)) return false;
    return true;
}

bool Agent::start(int pe, const char* path, const std::vector<char*>& arguments,
                  const Binding& binding) {
    Member& member = members_[static_cast<std::size_t>(pe - orders_.first)];
    int manager[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1}, input[2] = {-1, -1};
    const bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, manager) == 0 &&
                      pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0 &&
                      (pe != 0 || pipe2(input, O_CLOEXEC) == 0);
    if (pe != 0) input[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    SpawnResult result;
    result.error = errno;
    result.step = "a pipe";
    if (made && input[0] >= 0) {
        fcntl(manager[1], F_SETFD, 0);  // this one alone is inherited, by this PE alone
        const int says_who = 1;
        setsockopt(manager[0], SOL_SOCKET, SO_PASSCRED, &says_who, sizeof says_who);
        std::vector<std::string> words = orders_.environment;
        words.push_back("PMI_FD=" + std::to_string(manager[1]));
        words.push_back("PMI_RANK=" + std::to_string(pe));
        words.push_back("PMI_SIZE=" + std::to_string(orders_.pes));
        std::vector<char*> environment;
        environment.reserve(words.size() + 1);
        for (std::string& word : words)
            environment.push_back(word.data());
        environment.push_back(nullptr);
        SpawnRequest request;
        request.path = path;
        request.arguments = &arguments;
        request.environment = &environment;
        if (!binding.sets.empty())
            request.processors = &binding.sets[static_cast<std::size_t>(pe - orders_.first)];
        request.inheritance = &inheritance_;
        request.in_background = true;
        request.input = input[0];
        request.output = output[1];
        request.errors = errors[1];
        result = spawn(request);
    }
    for (int* const theirs : {&manager[1], &output[1], &errors[1], &input[0]})
        close_file(*theirs);
    if (result.error != 0) {
        for (int* const ours : {&manager[0], &output[0], &errors[0], &input[1]})
            close_file(*ours);
        const bool exec = std::strcmp(result.step, "exec") == 0;
        refuse(exec ? kStatusNotExecutable : kStatusLauncher,
               exec ? describe_exec_error(path, result.error)
                    : "cannot start PE " + std::to_string(pe) + ": " + result.step + ": " +
                          std::strerror(result.error) +
                          (result.error == EAGAIN ? "; raise the limit of processes (ulimit -u)"
                                                  : os::advice_on_call(result.error)));
        return false;
    }
    for (const int ours : {manager[0], output[0], errors[0], input[1]})
        if (ours >= 0) fcntl(ours, F_SETFL, O_NONBLOCK);
    member.process = member.started = result.process;
    member.manager = manager[0];
    member.output = output[0];
    member.errors = errors[0];
    if (pe == 0) {
        input_ = input[1];
        input_queue_ = OutputQueue(input_);
    }
    ++running_;
    return true;
}

void Agent::wait_for_event() {
    // The launcher's reader may be slow; then the PEs are, as they would be on a pipe of their own.
    const bool full = up_.congested();
    std::vector<pollfd> polled{{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (!up_.empty()) polled.push_back({STDOUT_FILENO, POLLOUT, 0});
    if (!input_queue_.empty()) polled.push_back({input_, POLLOUT, 0});
    for (const Member& member : members_) {
        for (const int file : {member.output, member.errors})
            if (file >= 0 && !full) polled.push_back({file, POLLIN, 0});
        if (member.manager >= 0) polled.push_back({member.manager, POLLIN, 0});
    }
    poll(polled.data(), polled.size(), milliseconds_to_look());
    look_for_foreign_program();
    look_for_lost();
    hear_launcher();
    for (Member& member : members_) {
        const int pe = pe_of(member);
        if (!full) {
            pass_on(member.output, FrameKind::output, pe);
            pass_on(member.errors, FrameKind::errors, pe);
        }
        hear_manager_line(member, pe);
    }
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo != SIGCHLD) connected_ = false;  // somebody wants this host left
    }
    reap();
    write_input();
    up_.write_some();
    if (up_.broken()) connected_ = false;
}

void Agent::hear_launcher() {
    char buffer[65536];
    const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        connected_ = false;
        return;
    }
    down_.feed({buffer, static_cast<std::size_t>(count)});
    act_on_all();
}

void Agent::act_on_all() {
    for (Frame frame; down_.next(frame);)
        act_on(frame);
    if (down_.is_damaged()) connected_ = false;
    write_input();
}

void Agent::write_input() {
    input_queue_.write_some();
    if (input_ >= 0 && ((input_ended_ && input_queue_.empty()) || input_queue_.broken())) {
        close_file(input_);
        input_queue_ = OutputQueue(-1);
    }
    if (input_queue_.congested() == input_held_) return;
    input_held_ = !input_held_;
    send(input_held_ ? FrameKind::input_full : FrameKind::input_room, -1, "");
}

void Agent::act_on(const Frame& frame) {
    switch (frame.kind) {
        case FrameKind::input:
            if (input_ < 0) break;
            if (frame.bytes.empty())
                input_ended_ = true;
            else
                input_queue_.append(frame.bytes);
            break;
        case FrameKind::signal:
            // Before they hear of it: then they would be on their way out.
            if (frame.bytes.size() == 1 && use_of(frame.bytes[0]) == SignalUse::end) {
                tell_who_has_gone();
                for (const auto& [pe, routine] : find_last_calls(orders_.first, orders_.count))
                    send(FrameKind::called, pe, number_bytes(static_cast<std::int32_t>(routine)));
            }
            for (const Member& member : members_)
                if (member.process > 0 && frame.bytes.size() == 1)
                    kill(member.process, frame.bytes[0]);
            send(FrameKind::heard, -1, "");
            break;
        case FrameKind::values: {
            std::string_view left = frame.bytes;
            while (!left.empty()) {
                const auto key = left.substr(0, left.find('\0'));
                left.remove_prefix(std::min(key.size() + 1, left.size()));
                const auto value = left.substr(0, left.find('\0'));
                left.remove_prefix(std::min(value.size() + 1, left.size()));
                manager_.learn(std::string(key), std::string(value));
            }
            break;
        }
        case FrameKind::go_on: {
            has_met_ = true;
            std::vector<int> waiting;
            for (const Member& member : members_)
                if (manager_.is_waiting(pe_of(member))) waiting.push_back(member.manager);
            const std::string answer = manager_.go_on();
            for (const int file : waiting)
                if (file >= 0) [[maybe_unused]]
                    const auto sent = ::send(file, answer.data(), answer.size(), MSG_NOSIGNAL);
            break;
        }
        case FrameKind::ask: send(FrameKind::here, -1, ""); break;
        default: connected_ = false;  // nothing that a launcher says
    }
}

void Agent::hear_manager_line(Member& member, int pe) {
    char buffer[4096];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
    while (member.manager >= 0) {
        iovec place{buffer, sizeof buffer};
        msghdr message{};
        message.msg_iov = &place;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        const ssize_t count = recvmsg(member.manager, &message, MSG_CMSG_CLOEXEC);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) {
            close_file(member.manager);
            return;
        }
        member.line.append(buffer, static_cast<std::size_t>(count));
        for (std::size_t end = 0; (end = member.line.find('\n')) != std::string::npos;) {
            const std::string line = member.line.substr(0, end);
            member.line.erase(0, end + 1);
            act_on_line(member, pe, line, sender_of(message));
        }
        if (member.line.size() > kLongestLine) act_on_line(member, pe, member.line, 0);
    }
}

void Agent::act_on_line(Member& member, int pe, std::string_view line, pid_t sender) {
    if (member.manager < 0) return;
    const HostManager::Outcome outcome = manager_.take_line(pe, line);
    if (!outcome.problem.empty()) {
        send(FrameKind::note, pe, "PE " + std::to_string(pe) + " " + outcome.problem);
        close_file(member.manager);
        return;
    }
    if (outcome.began) send(FrameKind::began, pe, "");
    if (outcome.left) send(FrameKind::left, pe, "");
    if (!outcome.key.empty()) {
        std::string pair = outcome.key;
        pair.push_back('\0');
        pair.append(outcome.value).push_back('\0');
        send(FrameKind::put, pe, pair);
    }
    if (outcome.all_arrived) send(FrameKind::arrived, -1, "");
    if (outcome.aborts)
        send(FrameKind::aborted, pe,
             number_bytes(outcome.status) +
                 (outcome.has_words ? std::string(1, '\0') + outcome.words : ""));
    if (outcome.signal > 0) send(FrameKind::dies, pe, number_bytes(outcome.signal));
    if (outcome.has_started) member.starts = false;
    if (outcome.starts) member.starts = true;
    if (outcome.starts || outcome.began) {
        // It may have ended before this one came to hear it.
        os::ProcessStat facts;
        const bool is_known = sender > 0 && (os::read_process_stat(sender, facts) ||
                                             (kill(sender, 0) != 0 && errno == ESRCH));
        member.program = is_known ? sender : 0;
        member.program_began = facts.began;
    }
    // An answer is short and a question is out: there is room.
    if (!outcome.answer.empty() &&
        ::send(member.manager, outcome.answer.data(), outcome.answer.size(), MSG_NOSIGNAL) < 0)
        close_file(member.manager);
}

void Agent::pass_on(int& file, FrameKind kind, int pe) {
    char buffer[65536];
    while (file >= 0 && !up_.congested()) {
        const ssize_t count = read(file, buffer, sizeof buffer);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) return close_file(file);
        send(kind, pe, {buffer, static_cast<std::size_t>(count)});
    }
}

void Agent::reap() {
    int status = 0;
    for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
        for (Member& member : members_) {
            if (member.process != child) continue;
            // What it said last comes before its end.
            hear_manager_line(member, pe_of(member));
            pass_on(member.output, FrameKind::output, pe_of(member));
            pass_on(member.errors, FrameKind::errors, pe_of(member));
            member.process = -1;
            --running_;
            send(FrameKind::ended, pe_of(member), number_bytes(status));
        }
    }
}

void Agent::look_for_foreign_program() {
    const auto running = std::find_if(members_.begin(), members_.end(),
                                      [](const Member& member) { return member.process > 0; });
    if (running == members_.end() || manager_.has_begun(pe_of(*running))) return foreign_.stop();
    const std::string line = foreign_.look(running->process, os::monotonic_nanoseconds());
    if (!line.empty()) send(FrameKind::note, -1, line);
}

int Agent::milliseconds_to_look() const {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    const std::uint64_t now = os::monotonic_nanoseconds();
    const int foreign = foreign_.milliseconds_from(now);
    if (!may_lose_some()) return foreign;
    const auto own = next_look_ > now ? static_cast<int>((next_look_ - now) / kMillisecond) + 1 : 0;
    return foreign < 0 ? own : std::min(foreign, own);
}

// At the end of the job, which may be why: nobody else sees who has died in a shell.
void Agent::tell_who_has_gone() {
    for (const Member& member : members_) {
        os::ProcessStat facts;
        const bool is_alive = os::read_process_stat(member.program, facts) &&
                              facts.began == member.program_began && os::is_alive(facts);
        if (member.process > 0 && member.program > 0 && !is_alive &&
            !manager_.has_left(pe_of(member)))
            send(FrameKind::gone, pe_of(member), number_bytes(0));
    }
}

bool Agent::may_lose_some() const {
    return !has_met_ || std::any_of(members_.begin(), members_.end(),
                                    [](const Member& member) { return member.starts; });
}

void Agent::tell_of(std::optional<std::uint64_t>& since, bool is_so, std::uint64_t passed,
                    FrameKind kind, int pe) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    if (!is_so) return since.reset();
    since = since ? *since + passed : 0;
    send(kind, pe, number_bytes(static_cast<std::int32_t>(*since / kSecond)));
}

// By a signal, or its process has ended within another one, until it returns from shmem_init: from
// then on the PEs watch each other. Of a PE that has not come there it is not known when it has
// ended. Time in which this process did not look does not count.
void Agent::look_for_lost() {
    constexpr std::uint64_t kInterval = end_times::in_nanoseconds(end_times::kBetweenLooks);
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (!may_lose_some() || now < next_look_) return;
    next_look_ = now + kInterval;
    const std::uint64_t passed = std::min(now - last_look_, 2 * kInterval);
    last_look_ = now;
    for (Member& member : members_) {
        const int pe = pe_of(member);
        const bool is_watched = (member.starts || !has_met_) && member.process > 0;
        if (!is_watched) continue;
        const bool is_known = member.program > 0;
        const pid_t process = is_known ? member.program : innermost(member.process);
        os::ProcessStat facts;
        const bool is_there = process > 0 && os::read_process_stat(process, facts) &&
                              (!is_known || facts.began == member.program_began);
        tell_of(member.stopped, is_there && facts.state == 'T', passed, FrameKind::stopped, pe);
        tell_of(member.gone, is_known && !(is_there && os::is_alive(facts)), passed,
                FrameKind::gone, pe);
    }
}

void Agent::finish() {
    const SweepResult sweep = sweep_descendants({}, end_times::kSweep);
    for (Member& member : members_) {
        drain(member.output, FrameKind::output, pe_of(member));
        drain(member.errors, FrameKind::errors, pe_of(member));
        if (member.started > 0 && kill(member.started, 0) != 0 && errno == ESRCH)
            os::remove_provider_files(member.started);
    }
    if (sweep.killed > 0) send(FrameKind::left_behind, -1, number_bytes(sweep.killed));
    while (!up_.empty())
        flush();
}

// Until the launcher has taken some, or is gone.
void Agent::flush() {
    pollfd ready{STDOUT_FILENO, POLLOUT, 0};
    poll(&ready, 1, -1);
    up_.write_some();
}

// Nobody writes into it any more, but for a process that cannot be killed.
void Agent::drain(int& file, FrameKind kind, int pe) {
    for (;;) {
        pass_on(file, kind, pe);
        if (file < 0 || !up_.congested()) return;
        flush();
    }
}

}  // namespace

int serve_as_agent() {
    return Agent().serve();
}

}  // namespace isthmus::launch
