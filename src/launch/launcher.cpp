#include "launch/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/process_tree.hpp"
#include "base/quote.hpp"
#include "core/job/job_layout.hpp"
#include "launch/before_start.hpp"
#include "launch/dry_run.hpp"
#include "launch/handover.hpp"
#include "launch/keeper.hpp"
#include "launch/linked.hpp"
#include "launch/processes.hpp"
#include "launch/signals.hpp"

namespace isthmus::launch {
namespace {

int refuse(int status, const std::string& what) {
    say(("isthmus: " + what + "\n").c_str());
    return status;
}

// A job started by a PE of another job: that one's memory is none of ours.
void leave_outer_job() {
    const char* const bootstrap = std::getenv(kBootstrapVariable);
    int file = -1;
    if (bootstrap && std::sscanf(bootstrap, "local:%d:", &file) == 1)
        fcntl(file, F_SETFD, FD_CLOEXEC);
    unsetenv(kBootstrapVariable);
    unsetenv(kStartedVariable);
}

// Descriptors 0, 1 and 2 exist from here on: a pipe of ours that got one of these numbers would be
// taken for a standard stream.
void open_standard_streams() {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDWR);
}

bool is_forbidden(int error) {
    return os::is_call_forbidden(error);
}

// Blocks the signals, and tries by calls without effect what waiting for the keeper needs, before
// there is one. The name of what is forbidden here; null if nothing is.
const char* prepare_to_wait(const sigset_t& handled) {
    if (sigprocmask(SIG_BLOCK, &handled, nullptr) != 0 && is_forbidden(errno))
        return "rt_sigprocmask";
    sigset_t none;
    sigemptyset(&none);
    const timespec now{0, 0};
    if (sigtimedwait(&none, nullptr, &now) < 0 && is_forbidden(errno)) return "rt_sigtimedwait";
    if (poll(nullptr, 0, 0) < 0 && is_forbidden(errno)) return "poll";
    if (waitpid(getpid(), nullptr, WNOHANG) < 0 && is_forbidden(errno)) return "wait4";
    return nullptr;
}

// Passes signals to the keeper until it has ended; returns how it did.
int wait_for_keeper(pid_t keeper, int control, const sigset_t& handled, bool debugs,
                    bool& interrupted) {
    while (true) {
        siginfo_t info{};
        const int signal = sigwaitinfo(&handled, &info);
        if (signal < 0) continue;
        if (signal == SIGCHLD) {
            int status = 0;
            if (waitpid(keeper, &status, WNOHANG) == keeper) return status;
            continue;
        }
        const bool from_terminal = info.si_code == SI_KERNEL;
        if (signal == SIGINT && from_terminal && debugs) continue;  // it is the debugger's
        if (signal == SIGINT && from_terminal) interrupted = true;
        const ControlMessage message{static_cast<std::uint8_t>(signal),
                                     static_cast<std::uint8_t>(from_terminal)};
        // A keeper that is gone shows as SIGCHLD.
        [[maybe_unused]] const auto sent = write(control, &message, sizeof message);
        if (use_of(signal) == SignalUse::suspend) raise(SIGSTOP);
    }
}

int clean_up_after_keeper(int wait_status, const std::vector<pid_t>& strangers) {
    const int signal = WTERMSIG(wait_status);
    sweep_descendants(strangers, 5);
    return refuse(128 + signal, "the job's keeper process was killed by " +
                                    describe_signal(signal) + "; the job ends");
}

// What cannot be run here; 0: nothing.
int refuse_start(const RunOptions& options, const Program& program) {
    if (!options.working_directory.empty()) {
        struct stat info {};
        if (stat(options.working_directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
            return refuse(kStatusUsage,
                          "--wdir " + options.working_directory + ": there is no such directory");
    }
    if (!program.error.empty()) return refuse(program.status, program.error);
    if (options.split_directory.empty()) return 0;
    const std::string why = make_split_directory(options.split_directory, !options.dry_run);
    return why.empty() ? 0
                       : refuse(kStatusLauncher, "cannot make the directory " +
                                                     options.split_directory + ": " + why);
}

}  // namespace

int run_job(const RunOptions& options) {
    leave_outer_job();
    const Program program = find_program(options.command[0], options.working_directory);
    if (const int status = refuse_start(options, program); status != 0) return status;

    const Inheritance inheritance = Inheritance::present();
    sigset_t handled = handled_signals();
    sigaddset(&handled, SIGCHLD);
    if (const char* const call = prepare_to_wait(handled))
        return refuse(kStatusLauncher,
                      std::string(call) + ": " + std::strerror(errno) + os::advice_on_call(errno));
    // Whoever started us may ignore SIGCHLD; then nobody could be waited for.
    std::signal(SIGCHLD, SIG_DFL);

    // A shell that became this process by exec may have left children.
    const std::vector<pid_t> strangers = os::children_of(getpid());
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int control[2];
    if (pipe2(control, O_CLOEXEC) != 0)
        return refuse(kStatusLauncher, std::string("cannot make a pipe: ") + std::strerror(errno));
    const pid_t keeper = fork();
    if (keeper < 0)
        return refuse(kStatusLauncher,
                      std::string("cannot start a process: ") + std::strerror(errno) +
                          (errno == EAGAIN ? "; raise the limit of processes (ulimit -u)" : ""));
    if (keeper == 0) {
        close(control[1]);
        _exit(keep_job(options, program, inheritance, control[0]));
    }
    close(control[0]);
    std::signal(SIGPIPE, SIG_IGN);

    bool interrupted = false;
    const int wait_status =
        wait_for_keeper(keeper, control[1], handled, options.gdb_pe >= 0, interrupted);
    if (WIFSIGNALED(wait_status)) return clean_up_after_keeper(wait_status, strangers);
    const int status = WEXITSTATUS(wait_status);
    if (interrupted && status == 128 + SIGINT) {
        // A shell script that runs us stops as well only if it sees that SIGINT ended us.
        std::signal(SIGINT, SIG_DFL);
        sigset_t interrupt;
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        raise(SIGINT);
        sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);
    }
    return status;
}

namespace {

// Before the PEs' program comes the library that counts. False, with a message, if there is none.
bool load_counting_library(const std::string& name, const std::string& library_folder,
                           RunOptions& options) {
    if (!options.stats && options.trace_file.empty()) return true;
    const std::string library = library_folder + "/libisthmus-preload.so";
    if (access(library.c_str(), R_OK) != 0) {
        say((name + ": --stats and --trace need " + library + ": " + std::strerror(errno) + "\n")
                .c_str());
        return false;
    }
    if (library.find_first_of(" :") != std::string::npos) {
        say((name + ": --stats and --trace: " + library +
             " has a blank or a colon, at which the system divides what is to be loaded "
             "(LD_PRELOAD); install Isthmus in a folder without, or link the program with oshcc "
             "-profile\n")
                .c_str());
        return false;
    }
    const Program program = find_program(options.command[0], options.working_directory);
    if (program.error.empty() && is_static_program(program.path)) {
        say((name + ": --stats and --trace: " + program.path +
             " is linked with -static, and nothing that counts can be loaded into it; link it "
             "without -static\n")
                .c_str());
        return false;
    }
    const auto is_preload = [](const std::string& entry) {
        return entry.starts_with("LD_PRELOAD=");
    };
    std::vector<std::string>& variables = options.environment;
    const auto given = std::find_if(variables.rbegin(), variables.rend(), is_preload);
    const char* const inherited = std::getenv("LD_PRELOAD");
    const std::string others = given != variables.rend() ? given->substr(given->find('=') + 1)
                               : inherited               ? inherited
                                                         : "";
    std::erase_if(variables, is_preload);
    variables.push_back("LD_PRELOAD=" + library + (others.empty() ? "" : ":" + others));
    if (options.stats) variables.emplace_back("ISTHMUS_STATS=1");
    if (!options.trace_file.empty()) variables.push_back("ISTHMUS_TRACE=" + options.trace_file);
    return true;
}

}  // namespace

int run_command(const std::string& name, const std::vector<std::string>& arguments,
                const std::string& library_folder, const std::string& tool) {
    open_standard_streams();
    RunOptions options;
    switch (parse_run_options(name, arguments, options)) {
        case ParseResult::help: return 0;
        case ParseResult::error: return kStatusUsage;
        case ParseResult::run: break;
    }
    if (!load_counting_library(name, library_folder, options)) return kStatusUsage;
    if (options.dry_run) std::fputs(options.cluster.c_str(), stdout);
    if (options.dry_run && !options.elsewhere) {
        const Program program = find_program(options.command[0], options.working_directory);
        if (const int status = refuse_start(options, program); status != 0) return status;
        // In a run PE 0 tells it.
        if (const std::string problem = problem_of_settings(options); !problem.empty())
            return refuse(kStatusUsage, problem);
        if (const std::string problem = problem_of_roads(options, library_folder); !problem.empty())
            return refuse(kStatusUsage, problem);
        std::printf("%d %s on this host, by isthmus run itself: %s\n", options.pes,
                    options.pes == 1 ? "PE" : "PEs", quote(options.command).c_str());
        std::fputs(describe_settings(options).c_str(), stdout);
        return 0;
    }
    if (!options.elsewhere) return run_job(options);
    leave_outer_job();
    return hand_over(options, library_folder, tool);
}

}  // namespace isthmus::launch
