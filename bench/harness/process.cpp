#include "harness/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace isthmus::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

[[noreturn]] void become(const Command& command, int output, int errors) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    for (const auto& [name, value] : command.environment)
        setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments;
    for (const auto& argument : command.arguments)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", arguments[0], std::strerror(errno));
    _exit(127);
}

struct Pipe {
    int ends[2] = {-1, -1};
    bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
};

// Reads both pipes until they are closed or time is up. False if time was up.
bool collect(int output, int errors, Finished& result, Clock::time_point limit) {
    pollfd files[2] = {{output, POLLIN, 0}, {errors, POLLIN, 0}};
    std::string* const texts[2] = {&result.output, &result.errors};
    while (files[0].fd >= 0 || files[1].fd >= 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now()).count();
        if (left <= 0) return false;
        if (poll(files, 2, static_cast<int>(left)) < 0 && errno != EINTR) return true;
        for (int i = 0; i < 2; ++i) {
            if (files[i].fd < 0 || files[i].revents == 0) continue;
            char bytes[65536];
            const ssize_t got = read(files[i].fd, bytes, sizeof bytes);
            if (got > 0)
                texts[i]->append(bytes, static_cast<std::size_t>(got));
            else if (got == 0 || errno != EINTR)
                files[i].fd = -1;
        }
    }
    return true;
}

}  // namespace

std::string Finished::last_words() const {
    std::istringstream lines(errors);
    std::string line, last;
    while (std::getline(lines, line)) {
        if (!line.empty()) last = line;
    }
    if (status == 124) return "ran past its limit of time";
    return last.empty() ? "exit status " + std::to_string(status) : last;
}

Finished run_command(const Command& command) {
    Finished result;
    Pipe output, errors;
    if (!output.open() || !errors.open()) {
        result.errors = std::string("pipe: ") + std::strerror(errno);
        return result;
    }
    // Orphans of the command become our children, so that their time is counted.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto start = Clock::now();
    const auto limit = start + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(command.limit_seconds));
    const pid_t child = fork();
    if (child == 0) become(command, output.ends[1], errors.ends[1]);
    close(output.ends[1]);
    close(errors.ends[1]);
    if (child > 0) {
        setpgid(child, child);
        const bool in_time = collect(output.ends[0], errors.ends[0], result, limit);
        if (!in_time) kill(-child, SIGKILL);
        // wait4 gives the time of a process and of the children that it waited for.
        int status = 0;
        rusage usage{};
        for (pid_t gone; (gone = wait4(-1, &status, WNOHANG, &usage)) >= 0 || errno == EINTR;) {
            if (gone <= 0) {
                if (Clock::now() > limit) kill(-child, SIGKILL);
                if (Clock::now() > limit + std::chrono::seconds(5)) break;
                usleep(1000);
                continue;
            }
            result.cpu_seconds += seconds(usage.ru_utime) + seconds(usage.ru_stime);
            if (gone == child)
                result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (!in_time) result.status = 124;
    }
    close(output.ends[0]);
    close(errors.ends[0]);
    result.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

std::string find_program(const std::string& program) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string candidate = folder + "/" + program;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return "";
}

}  // namespace isthmus::bench
