#include "launch/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace isthmus::launch {
namespace {

// How the child tells why it could not execute the program. Shared memory, because a sanitizer may
// turn vfork into fork.
struct Failure {
    int error;
    const char* step;
};

Failure* failure_report() {
    static auto* const report = static_cast<Failure*>(
        mmap(nullptr, sizeof(Failure), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    return report;
}

[[noreturn]] void give_up(Failure* failure, const char* step) {
    failure->error = errno;
    failure->step = step;
    _exit(127);
}

void replace_descriptor(int from, int to, Failure* failure) {
    if (from >= 0 && dup2(from, to) < 0) give_up(failure, "dup2");
}

// Only calls that are safe after vfork: system calls, no allocation.
[[noreturn]] void become_pe(const SpawnRequest& request, pid_t parent, char** shell_arguments,
                            Failure* failure) {
    const Inheritance& inheritance = *request.inheritance;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it died before the line above
    // Back to the foreground group of the terminal, so that PE 0 may read it. Fails if the group
    // is gone with the launcher; then the job is about to end.
    if (!request.in_background) setpgid(0, inheritance.process_group);
    replace_descriptor(request.input, STDIN_FILENO, failure);
    replace_descriptor(request.output, STDOUT_FILENO, failure);
    replace_descriptor(request.errors, STDERR_FILENO, failure);
    if (request.processors)
        sched_setaffinity(0, request.processors->bytes(),
                          reinterpret_cast<const cpu_set_t*>(request.processors->words()));
    if (request.working_directory && chdir(request.working_directory) != 0)
        give_up(failure, "chdir");
    setrlimit(RLIMIT_NOFILE, &inheritance.open_files);
    setrlimit(RLIMIT_FSIZE, &inheritance.file_size);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    if (!inheritance.pipe_signal_ignored) sigaction(SIGPIPE, &standard, nullptr);
    sigaction(SIGXFSZ, &standard, nullptr);
    sigprocmask(SIG_SETMASK, &inheritance.signal_mask, nullptr);
    execve(request.path, request.arguments->data(), request.environment->data());
    // A script without a first line is the shell's, as with execvp.
    if (errno == ENOEXEC) execve(shell_arguments[0], shell_arguments, request.environment->data());
    give_up(failure, "exec");
}

}  // namespace

Inheritance Inheritance::present() {
    Inheritance inheritance;
    inheritance.process_group = getpgrp();
    sigprocmask(SIG_SETMASK, nullptr, &inheritance.signal_mask);
    getrlimit(RLIMIT_NOFILE, &inheritance.open_files);
    getrlimit(RLIMIT_FSIZE, &inheritance.file_size);
    struct sigaction action {};
    sigaction(SIGPIPE, nullptr, &action);
    inheritance.pipe_signal_ignored = action.sa_handler == SIG_IGN;
    return inheritance;
}

SpawnResult spawn(const SpawnRequest& request) {
    SpawnResult result;
    Failure* const failure = failure_report();
    if (failure == MAP_FAILED) {
        result.error = errno;
        result.step = "mmap";
        return result;
    }
    *failure = {0, ""};
    std::vector<char*> shell_arguments{const_cast<char*>("/bin/sh"),
                                       const_cast<char*>(request.path)};
    shell_arguments.insert(shell_arguments.end(), request.arguments->begin() + 1,
                           request.arguments->end());
    const pid_t parent = getpid();
    // vfork, because the time and the memory of fork grow with the launcher, and posix_spawn cannot
    // do what become_pe does.
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    // NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it makes system calls only
    if (child == 0) become_pe(request, parent, shell_arguments.data(), failure);
    if (child < 0) {
        result.error = errno;
        result.step = "fork";
        return result;
    }
    if (failure->error != 0) {
        waitpid(child, nullptr, 0);
        result.error = failure->error;
        result.step = failure->step;
        return result;
    }
    result.process = child;
    return result;
}

}  // namespace isthmus::launch
