#include "launch/program_run.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace isthmus::launch {

ProgramRun run_program(const std::vector<std::string>& command) {
    ProgramRun run;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return run;
    const pid_t child = fork();
    if (child == 0) {
        std::vector<char*> pointers;
        pointers.reserve(command.size() + 1);
        for (const std::string& word : command)
            pointers.push_back(const_cast<char*>(word.c_str()));
        pointers.push_back(nullptr);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    close(ends[1]);
    char buffer[4096];
    for (ssize_t count = 0; child > 0 && (count = read(ends[0], buffer, sizeof buffer)) != 0;) {
        if (count > 0)
            run.output.append(buffer, static_cast<std::size_t>(count));
        else if (errno != EINTR)
            break;
    }
    close(ends[0]);
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child)
        run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run;
}

std::string first_line_of(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace isthmus::launch
