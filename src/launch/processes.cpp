#include "launch/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/os.hpp"
#include "base/process_stat.hpp"

namespace isthmus::launch {
namespace {

std::map<pid_t, os::ProcessStat> all_processes() {
    std::map<pid_t, os::ProcessStat> processes;
    DIR* const directory = opendir("/proc");
    if (!directory) return processes;
    while (const dirent* entry = readdir(directory)) {
        if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) continue;
        const auto process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        os::ProcessStat relation;
        if (os::read_process_stat(process, relation)) processes[process] = relation;
    }
    closedir(directory);
    return processes;
}

std::vector<pid_t> tree_below(const std::map<pid_t, os::ProcessStat>& processes, pid_t ancestor,
                              const std::vector<pid_t>& except) {
    std::vector<pid_t> tree{ancestor};
    for (std::size_t next = 0; next < tree.size(); ++next) {
        for (const auto& [process, relation] : processes)
            if (relation.parent == tree[next] &&
                std::find(except.begin(), except.end(), process) == except.end())
                tree.push_back(process);
    }
    tree.erase(tree.begin());
    return tree;
}

}  // namespace

std::vector<pid_t> descendants(pid_t ancestor, const std::vector<pid_t>& except) {
    return tree_below(all_processes(), ancestor, except);
}

bool is_descendant(pid_t process, pid_t ancestor) {
    os::ProcessStat relation;
    for (int depth = 0; depth < 64 && process > 1; ++depth) {
        if (process == ancestor) return depth > 0;
        if (!os::read_process_stat(process, relation)) return false;
        process = relation.parent;
    }
    return false;
}

pid_t find_by_own_number(pid_t number, pid_t ancestor) {
    if (is_descendant(number, ancestor)) return number;
    for (const pid_t process : descendants(ancestor)) {
        std::ifstream status("/proc/" + std::to_string(process) + "/status");
        std::string line;
        while (std::getline(status, line) && !line.starts_with("NSpid:")) {
        }
        // NSpid: the numbers from the outermost namespace to its own.
        const auto last = line.find_last_of("\t ");
        if (last != std::string::npos && std::strtol(line.c_str() + last, nullptr, 10) == number)
            return process;
    }
    return 0;
}

std::string program_behind(pid_t process, int file) {
    const std::string folder = "/proc/" + std::to_string(process);
    struct stat own {};
    struct stat theirs {};
    if (fstat(file, &own) != 0) return "";
    if (stat((folder + "/fd/" + std::to_string(file)).c_str(), &theirs) == 0 &&
        theirs.st_dev == own.st_dev && theirs.st_ino == own.st_ino)
        return "";
    // It may have closed the file; what is mapped stays, and only another program has it not.
    std::ifstream maps(folder + "/maps");
    const std::string inode = " " + std::to_string(own.st_ino) + " ";
    bool is_told = false;
    for (std::string line; std::getline(maps, line); is_told = true) {
        if (line.find(inode) != std::string::npos) return "";
    }
    std::string name;
    std::getline(std::ifstream(folder + "/comm"), name);
    return is_told ? name : "";
}

SweepResult sweep_descendants(const std::vector<pid_t>& except, double seconds) {
    SweepResult result;
    std::set<pid_t> seen;
    const std::uint64_t deadline =
        os::monotonic_nanoseconds() + static_cast<std::uint64_t>(seconds * 1e9);
    for (std::uint64_t nap = 200'000;; nap = std::min<std::uint64_t>(2 * nap, 10'000'000)) {
        pid_t reaped = 0;
        do
            reaped = waitpid(-1, nullptr, WNOHANG);
        while (reaped > 0);
        // No child left means no descendant left: orphans become children of this process.
        result.stuck.clear();
        if (reaped < 0 && errno == ECHILD) return result;
        const auto processes = all_processes();
        const auto tree = tree_below(processes, getpid(), except);
        if (tree.empty()) return result;
        for (const pid_t process : tree) {
            if (processes.at(process).state == 'Z') continue;
            kill(process, SIGKILL);
            result.stuck.push_back(process);
            if (seen.insert(process).second) ++result.killed;
        }
        if (os::monotonic_nanoseconds() > deadline) return result;
        os::sleep_nanoseconds(nap);
    }
}

}  // namespace isthmus::launch
