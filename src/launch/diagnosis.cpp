#include "launch/diagnosis.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "launch/signals.hpp"

namespace isthmus::launch {

bool is_init(Routine routine) {
    return routine == Routine::init || routine == Routine::init_thread;
}

bool is_within_init(PeState state, Routine routine) {
    return (state == PeState::loaded || state == PeState::finalized) && is_init(routine);
}

std::string pe_prefix(int pe, const std::string& host) {
    return "isthmus: PE " + std::to_string(pe) + " (host " + host + "): ";
}

std::string last_call(PeState state, Routine routine) {
    if (state == PeState::absent) return "";
    return std::string("; last noted call ") + routine_name(routine);
}

std::string describe_end(const PeEnd& end, const std::string& host) {
    std::string text = pe_prefix(end.pe, host);
    if (WIFSIGNALED(end.wait_status)) {
        const int signal = WTERMSIG(end.wait_status);
        text += "killed by " + describe_signal(signal);
        if (WCOREDUMP(end.wait_status)) text += ", core dumped";
        if (signal == SIGKILL && end.out_of_memory)
            text += "; the system ran out of memory meanwhile";
    } else {
        const int status = WEXITSTATUS(end.wait_status);
        text += "exited with status " + std::to_string(status);
        // What a shell makes of a signal that killed its command.
        if (status > 128 && status <= 128 + 64)
            text += " (128 + " + describe_signal(status - 128) + ")";
        if (is_within_init(end.state, end.routine))
            return text + " in the middle of shmem_init; the job ends";
        if (end.state == PeState::running)
            text += std::string(" before ") + routine_name(end.leaves_by);
        if (end.state == PeState::loaded) text += " before shmem_init";
        if (end.state == PeState::finalized) return text + " after shmem_finalize";
    }
    if (!end.knows_call) return text + "; the job ends";
    // The session of an inner shmem_init ends without the PE's.
    const bool is_inner =
        WIFEXITED(end.wait_status) && end.state == PeState::running &&
        (end.routine == Routine::finalize || end.routine == Routine::native_finalize);
    return text + last_call(end.state, end.routine) +
           (is_inner ? " (if it has returned, shmem_init was called more often)" : "") +
           "; the job ends";
}

std::string describe_stopped(int pe, const std::string& host, long process, double seconds,
                             int waiting) {
    char time[32];
    std::snprintf(time, sizeof time, "%g", seconds);
    const std::string number = std::to_string(process);
    return pe_prefix(pe, host) + "its process " + number + " has been stopped, by a signal, for " +
           time + " s, and PE " + std::to_string(waiting) + " waits; kill -CONT " + number +
           " lets it go on";
}

bool ends_job(const PeEnd& end) {
    if (WIFSIGNALED(end.wait_status) || is_within_init(end.state, end.routine)) return true;
    if (end.state == PeState::finalized) return false;
    return WEXITSTATUS(end.wait_status) != 0 || end.state == PeState::running ||
           end.state == PeState::failed;
}

int job_status(const PeEnd& end) {
    if (WIFSIGNALED(end.wait_status)) return 128 + WTERMSIG(end.wait_status);
    const int status = WEXITSTATUS(end.wait_status);
    return status == 0 && ends_job(end) ? 1 : status;
}

std::string list_pes(const std::vector<int>& pes) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < pes.size();) {
        std::size_t last = i;
        while (last + 1 < pes.size() && pes[last + 1] == pes[last] + 1)
            ++last;
        if (last >= i + 2) {
            parts.push_back(std::to_string(pes[i]) + "-" + std::to_string(pes[last]));
        } else {
            last = i;
            parts.push_back(std::to_string(pes[i]));
        }
        i = last + 1;
    }
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
        text += parts[i];
    }
    return text;
}

std::string list_calls(const std::map<std::string_view, std::vector<int>>& by_call) {
    std::string text;
    for (const auto& [call, where] : by_call) {
        if (!text.empty()) text += "; ";
        text += std::string(call) + " at PE " + list_pes(where);
    }
    return text;
}

std::string describe_last_calls(const JobHeader& header, const std::vector<int>& pes) {
    std::map<std::string_view, std::vector<int>> by_call;
    for (const int pe : pes) {
        const PeStatus& status = header.pe[pe];
        // acquire: partner is the release store of `state` by the PE.
        const PeState state = status.state.load(std::memory_order_acquire);
        if (state == PeState::absent) continue;
        by_call[routine_name(status.routine.load(std::memory_order_relaxed))].push_back(pe);
    }
    return list_calls(by_call);
}

std::uint64_t out_of_memory_kills() {
    const int file = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    std::string text(32768, '\0');
    std::size_t length = 0;
    ssize_t count = 0;
    while (length < text.size() &&
           (count = read(file, text.data() + length, text.size() - length)) > 0)
        length += static_cast<std::size_t>(count);
    close(file);
    text.resize(length);
    const auto at = text.find("\noom_kill ");
    return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + 10, nullptr, 10);
}

}  // namespace isthmus::launch
