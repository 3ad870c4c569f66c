#include "base/process_tree.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

namespace isthmus::os {
namespace {

std::string task_of(pid_t process, pid_t thread, const char* what) {
    return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/" + what;
}

std::vector<pid_t> threads_in(const std::string& tasks) {
    std::vector<pid_t> threads;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(tasks.c_str()), closedir);
    while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
        if (const pid_t thread = std::atoi(entry->d_name); thread > 0) threads.push_back(thread);
    }
    std::sort(threads.begin(), threads.end());
    return threads;
}

}  // namespace

ProcessStat facts_of(pid_t process) {
    ProcessStat facts;
    if (!read_process_stat(process, facts)) facts.state = 'X';
    return facts;
}

std::vector<pid_t> threads_of(pid_t process) {
    return threads_in("/proc/" + std::to_string(process) + "/task");
}

std::vector<pid_t> own_threads() {
    return threads_in("/proc/self/task");
}

std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> children;
    for (const pid_t thread : threads_of(process)) {
        std::ifstream file(task_of(process, thread, "children"));
        children.insert(children.end(), std::istream_iterator<pid_t>(file), {});
    }
    return children;
}

std::string in_proc(pid_t process, const char* what) {
    const ProcessStat facts = facts_of(process);
    if (has_ended(facts.state) && is_alive(facts)) {
        for (const pid_t thread : threads_of(process)) {
            ProcessStat of_thread;
            if (read_process_stat(task_of(process, thread, "stat").c_str(), of_thread) &&
                !has_ended(of_thread.state))
                return task_of(process, thread, what);
        }
    }
    return "/proc/" + std::to_string(process) + "/" + what;
}

bool has_library(pid_t process) {
    std::ifstream maps(in_proc(process, "maps"));
    for (std::string line; std::getline(maps, line);)
        if (line.find("/libisthmus") != std::string::npos) return true;
    return false;
}

}  // namespace isthmus::os
