#include "launch/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/os.hpp"
#include "launch/diagnosis.hpp"
#include "launch/job_file.hpp"
#include "launch/output.hpp"
#include "launch/processes.hpp"
#include "launch/signals.hpp"

extern char** environ;

namespace isthmus::launch {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kTick = 250 * kMillisecond;
constexpr double kSweepSeconds = 5;

// One pipe from a PE: its standard output or its standard error.
struct Stream {
    int file = -1;
    LineCutter cutter;
    OutputQueue* queue;
};

struct Pe {
    pid_t child = 0;  // what the keeper started, 0 once it has ended
    // Behind a wrapper (a shell, a debugger) the program is another process, which the library has
    // put into the job file; watched through a pidfd.
    int program_watch = -1;
    bool program_judged = false;  // whether to watch it has been decided
    bool program_gone = false;
};

class Keeper {
  public:
    Keeper(const RunOptions& options, const Program& program, const Inheritance& inheritance,
           int control)
        : options_(options),
          program_(program),
          inheritance_(inheritance),
          control_(control),
          host_(host_name()),
          pes_(static_cast<std::size_t>(options.pes)) {}

    int run();

  private:
    // Set-up. Each says what is wrong and returns false.
    bool prepare();
    bool start_all();
    bool start(int pe);
    bool open_streams(int pe, SpawnRequest& request);
    std::vector<std::string> build_environment() const;

    // Events.
    void wait_for_event();
    void hear_control();
    void hear_signal();
    void act_on_signal(int signal, bool from_terminal);
    void reap();
    void pe_ended(int pe, int wait_status);
    void tick(std::uint64_t now);
    void watch_program(int pe);
    void read_stream(Stream& stream);

    // Ending.
    void end(int status, const std::string& line, int signal);
    bool job_ended_by_itself();
    void deliver(int pe, int signal);
    int finish();
    void flush_output();

    void announce(const std::string& line);
    PeStatus& status(int pe) const { return job_.header->pe[pe]; }
    std::vector<int> alive() const;
    pid_t program_process(int pe) const;

    const RunOptions& options_;
    const Program& program_;
    const Inheritance& inheritance_;
    int control_;
    std::string host_;

    JobFile job_;
    Binding binding_;
    std::vector<Pe> pes_;
    std::vector<std::string> environment_;
    std::vector<char*> environment_pointers_;
    std::vector<char*> argument_pointers_;
    int null_input_ = -1;
    int signals_ = -1;
    OutputQueue output_{STDOUT_FILENO};
    OutputQueue errors_{STDERR_FILENO};
    std::vector<Stream> streams_;  // two a PE with --prefix: 2p output, 2p+1 errors

    int running_ = 0;
    int status_ = 0;
    bool ending_ = false;
    bool ended_by_signal_ = false;
    bool abandoned_ = false;      // the launcher is dead, or has asked twice
    bool someone_failed_ = false;  // since the end began
    std::uint64_t deadline_ = 0;   // for the rest of the PEs, once ending
    std::uint64_t timeout_at_ = 0;
    std::uint64_t next_tick_ = 0;
    std::vector<int> left_early_;  // PEs that exited with 0 without shmem_init
    std::uint64_t memory_kills_before_ = 0;
};

std::uint64_t nanoseconds(double seconds) {
    return static_cast<std::uint64_t>(std::min(seconds, 1e9) * 1e9);
}

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

bool Keeper::prepare() {
    prctl(PR_SET_NAME, "isthmus-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setpgid(0, 0);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    // Blocked for good; those of interest are read from the descriptor.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t heard;
    sigemptyset(&heard);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&heard, signal);
    signals_ = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    // The job file is large beyond any limit and takes no disk; pipes take descriptors. Programs get
    // the limits that the launcher found.
    for (const auto resource : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
        rlimit limit{};
        getrlimit(resource, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(resource, &limit);
    }
    null_input_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (signals_ < 0 || null_input_ < 0) {
        announce(std::string("isthmus: cannot open a file: ") + std::strerror(errno) +
                 "; raise the limit of open files (ulimit -n)");
        return false;
    }
    job_ = create_job_file(options_.pes, getppid(), os::usable_processors());
    if (!job_.error.empty()) {
        announce("isthmus: " + job_.error);
        return false;
    }
    binding_ = choose_binding(options_.bind, options_.pes);
    if (!binding_.error.empty()) {
        announce("isthmus: " + binding_.error);
        return false;
    }
    if (options_.prefix) {
        rlimit limit{};
        getrlimit(RLIMIT_NOFILE, &limit);
        const auto needed = static_cast<rlim_t>(2 * options_.pes + 80);
        if (limit.rlim_cur < needed) {
            announce("isthmus: --prefix needs " + std::to_string(needed) +
                     " open files for " + std::to_string(options_.pes) + " PEs, the limit is " +
                     std::to_string(limit.rlim_cur) + "; raise it (ulimit -n) or use --split");
            return false;
        }
        streams_.reserve(2 * pes_.size());
    }
    memory_kills_before_ = out_of_memory_kills();
    environment_ = build_environment();
    for (const std::string& argument : options_.command)
        argument_pointers_.push_back(const_cast<char*>(argument.c_str()));
    argument_pointers_.push_back(nullptr);
    return true;
}

std::vector<std::string> Keeper::build_environment() const {
    std::vector<std::string> result;
    const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    const auto replaced = [&](std::string_view entry) {
        return std::any_of(options_.environment.begin(), options_.environment.end(),
                           [&](const std::string& own) { return name_of(own) == name_of(entry); });
    };
    for (char** entry = environ; *entry; ++entry)
        if (!replaced(*entry)) result.emplace_back(*entry);
    result.insert(result.end(), options_.environment.begin(), options_.environment.end());
    result.emplace_back();  // the bootstrap variable, another one for each PE
    return result;
}

bool Keeper::open_streams(int pe, SpawnRequest& request) {
    if (pe != 0) request.input = null_input_;
    const auto fail = [&](const std::string& what) {
        announce("isthmus: " + what + ": " + std::strerror(errno));
        return false;
    };
    if (!options_.split_directory.empty()) {
        const std::string path = options_.split_directory + "/pe-" + std::to_string(pe) + ".out";
        const int file =
            open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        if (file < 0) return fail("cannot write " + path);
        request.output = request.errors = file;
    } else if (options_.prefix) {
        const std::string prefix = std::string("[").append(std::to_string(pe)).append("] ");
        for (int* const end : {&request.output, &request.errors}) {
            int ends[2];
            if (pipe2(ends, O_CLOEXEC) != 0) return fail("cannot make a pipe");
            fcntl(ends[0], F_SETFL, O_NONBLOCK);
            streams_.push_back({ends[0], LineCutter(prefix),
                                end == &request.output ? &output_ : &errors_});
            *end = ends[1];
        }
    }
    return true;
}

bool Keeper::start(int pe) {
    SpawnRequest request;
    bool started = open_streams(pe, request);
    if (started) {
        environment_.back() = std::string(kBootstrapVariable) + "=local:" +
                              std::to_string(job_.file) + ":" + std::to_string(pe) + ":" +
                              std::to_string(options_.pes);
        environment_pointers_.back() = environment_.back().data();
        environment_pointers_.push_back(nullptr);
        request.path = program_.path.c_str();
        request.arguments = &argument_pointers_;
        request.environment = &environment_pointers_;
        if (!options_.working_directory.empty())
            request.working_directory = options_.working_directory.c_str();
        if (!binding_.sets.empty()) request.processors = &binding_.sets[static_cast<std::size_t>(pe)];
        request.inheritance = &inheritance_;
        const SpawnResult result = spawn(request);
        environment_pointers_.pop_back();
        if (result.error != 0) {
            started = false;
            if (std::strcmp(result.step, "exec") == 0) {
                status_ = result.error == ENOENT ? kStatusNotFound : kStatusNotExecutable;
                announce("isthmus: " + describe_exec_error(program_.path, result.error));
            } else {
                announce("isthmus: cannot start PE " + std::to_string(pe) + ": " + result.step +
                         ": " + std::strerror(result.error) +
                         (result.error == EAGAIN ? "; raise the limit of processes (ulimit -u)"
                                                 : ""));
            }
        } else {
            pes_[static_cast<std::size_t>(pe)].child = result.process;
            ++running_;
        }
    }
    if (request.output >= 0) close(request.output);
    if (request.errors >= 0 && request.errors != request.output) close(request.errors);
    return started;
}

bool Keeper::start_all() {
    for (std::string& entry : environment_) environment_pointers_.push_back(entry.data());
    if (options_.show_binding) {
        announce("isthmus: " + binding_.reason);
        for (std::size_t pe = 0; pe < binding_.sets.size(); ++pe)
            announce("isthmus: PE " + std::to_string(pe) + ": processors " +
                     binding_.sets[pe].text());
    }
    for (int pe = 0; pe < options_.pes; ++pe)
        if (!start(pe)) return false;
    // Standard input is PE 0's alone.
    dup2(null_input_, STDIN_FILENO);
    return true;
}

int Keeper::run() {
    if (!prepare()) return kStatusLauncher;
    status_ = kStatusLauncher;
    if (!start_all()) {
        ending_ = true;
        return finish();
    }
    status_ = 0;
    const std::uint64_t now = os::monotonic_nanoseconds();
    next_tick_ = now + kTick;
    if (options_.timeout_seconds > 0) timeout_at_ = now + nanoseconds(options_.timeout_seconds);
    while (running_ > 0) {
        wait_for_event();
        const std::uint64_t then = os::monotonic_nanoseconds();
        if (ending_ && (abandoned_ || then >= deadline_)) break;
        tick(then);
    }
    return finish();
}

void Keeper::wait_for_event() {
    std::vector<pollfd> polled{{control_, POLLIN, 0}, {signals_, POLLIN, 0}};
    for (const Stream& stream : streams_)
        if (stream.file >= 0 && !stream.queue->congested()) polled.push_back({stream.file, POLLIN, 0});
    const std::size_t stream_end = polled.size();
    for (const OutputQueue* queue : {&output_, &errors_})
        if (!queue->empty()) polled.push_back({queue->file(), POLLOUT, 0});
    for (const Pe& pe : pes_)
        if (pe.program_watch >= 0) polled.push_back({pe.program_watch, POLLIN, 0});

    const std::uint64_t now = os::monotonic_nanoseconds();
    std::uint64_t until = next_tick_;
    if (ending_) until = std::min(until, deadline_);
    if (timeout_at_ != 0 && !ending_) until = std::min(until, timeout_at_);
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
    output_.write_some();
    errors_.write_some();
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
        if (const std::string calls = describe_last_calls(*job_.header, alive()); !calls.empty())
            line += "; last calls: " + calls;
        if (!ending_) ended_by_signal_ = true;
        end(128 + signal, line, from_terminal ? 0 : signal);
        return;
    }
    if (signal == SIGWINCH && from_terminal) return;
    if (from_terminal) return;
    for (const int pe : alive()) deliver(pe, signal);
}

pid_t Keeper::program_process(int pe) const {
    const pid_t process = status(pe).process.load(std::memory_order_relaxed);
    const pid_t child = pes_[static_cast<std::size_t>(pe)].child;
    // A number that the PE wrote: signals go to processes of this job only.
    return process > 0 && process != child ? find_by_own_number(process, getpid()) : 0;
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
    // acquire: partner is the release store in end_job; 1 means that it is being written.
    std::uint32_t ended = header.ended.load(std::memory_order_acquire);
    for (int i = 0; ended == 1 && i < 10; ++i) {
        os::sleep_nanoseconds(kMillisecond);
        ended = header.ended.load(std::memory_order_acquire);
    }
    if (ended != 2) return false;
    end(header.exit_status.load(std::memory_order_relaxed) & 255, "", SIGTERM);
    return true;
}

void Keeper::pe_ended(int pe, int wait_status) {
    for (Stream& stream : streams_)
        if (&stream - streams_.data() >= 2 * pe && &stream - streams_.data() < 2 * pe + 2)
            read_stream(stream);
    PeEnd ended;
    ended.pe = pe;
    ended.wait_status = wait_status;
    // acquire: partner is the PE's release store of `state`.
    ended.state = status(pe).state.load(std::memory_order_acquire);
    ended.routine = status(pe).routine.load(std::memory_order_relaxed);
    if (ending_) {
        someone_failed_ |= wait_status != 0;
        return;
    }
    if (job_ended_by_itself()) return;
    if (WIFSIGNALED(wait_status)) {
        // Ctrl-C reaches the PEs and the launcher at the same time; let it be heard first.
        if (use_of(WTERMSIG(wait_status)) == SignalUse::end) {
            pollfd told{control_, POLLIN, 0};
            if (poll(&told, 1, 20) > 0) hear_control();
            if (ending_) {
                someone_failed_ = true;
                return;
            }
        }
        ended.out_of_memory = WTERMSIG(wait_status) == SIGKILL &&
                              out_of_memory_kills() > memory_kills_before_;
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
    if (ended.state == PeState::absent || ended.state == PeState::loaded) {
        left_early_.push_back(pe);
        next_tick_ = 0;
    }
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

void Keeper::watch_program(int pe) {
    Pe& watched = pes_[static_cast<std::size_t>(pe)];
    const pid_t process = status(pe).process.load(std::memory_order_relaxed);
    if (watched.program_judged || process == 0) return;
    watched.program_judged = true;
    if (process == watched.child) return;
    const pid_t program = program_process(pe);
    if (program == 0) {
        watched.program_gone = true;  // its wrapper may tell more before the next look
        return;
    }
    // A kernel before 5.3 has no pidfd; then the wrapper's own end must do.
    watched.program_watch = static_cast<int>(syscall(SYS_pidfd_open, program, 0));
}

void Keeper::tick(std::uint64_t now) {
    if (ending_) return;
    if (timeout_at_ != 0 && now >= timeout_at_) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", options_.timeout_seconds);
        std::string line = "isthmus: the time limit of " + std::string(seconds) +
                           " s (--timeout) is over; the job ends";
        if (const std::string calls = describe_last_calls(*job_.header, alive()); !calls.empty())
            line += "; last calls: " + calls;
        end(kStatusTimeout, line, SIGTERM);
        return;
    }
    if (now < next_tick_) return;
    next_tick_ = now + kTick;
    if (job_ended_by_itself()) return;
    for (const int pe : alive()) {
        const PeState state = status(pe).state.load(std::memory_order_acquire);
        const Routine routine = status(pe).routine.load(std::memory_order_relaxed);
        if (pes_[static_cast<std::size_t>(pe)].program_gone && state == PeState::running) {
            end(1, pe_prefix(pe, host_) + "its process ended before shmem_finalize" +
                       last_call(state, routine) + "; the job ends", SIGTERM);
            return;
        }
        const bool needs_all = state == PeState::running || routine == Routine::init ||
                               routine == Routine::init_thread;
        watch_program(pe);
        if (!left_early_.empty() && needs_all && state != PeState::finalized) {
            end(1, pe_prefix(left_early_[0], host_) +
                       "exited with status 0 without shmem_init, which PE " + std::to_string(pe) +
                       " has called; the job ends", SIGTERM);
            return;
        }
    }
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
        if (polled[0].revents != 0 &&
            (read(control_, &message, sizeof message) <= 0 ||
             use_of(message.signal) == SignalUse::end))
            return;
        signalfd_siginfo info{};
        if (polled[1].revents != 0 && read(signals_, &info, sizeof info) > 0 &&
            info.ssi_signo != SIGCHLD)
            return;
        output_.write_some();
        errors_.write_some();
    }
}

int Keeper::finish() {
    const SweepResult sweep = sweep_descendants({}, kSweepSeconds);
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
        for (const pid_t process : sweep.stuck) line += " " + std::to_string(process);
        announce(line + ": of another user, or waiting for a device");
    }
    flush_output();
    // Every PE dealt with the signal and exited with 0: then so does the job.
    if (ended_by_signal_ && running_ == 0 && !someone_failed_) return 0;
    return status_;
}

}  // namespace

int keep_job(const RunOptions& options, const Program& program, const Inheritance& inheritance,
             int control) {
    return std::make_unique<Keeper>(options, program, inheritance, control)->run();
}

}  // namespace isthmus::launch
