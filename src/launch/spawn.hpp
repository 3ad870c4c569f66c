// Starting one PE: everything between fork and exec.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <csignal>
#include <string>

#include <vector>

#include "launch/binding.hpp"

namespace isthmus::launch {

// What a PE finds as the launcher found it, whatever the launcher changed for itself.
struct Inheritance {
    pid_t process_group = 0;
    sigset_t signal_mask{};
    rlimit open_files{};
    rlimit file_size{};
    bool pipe_signal_ignored = false;

    // Of this process, now.
    static Inheritance present();
};

struct SpawnRequest {
    const char* path = nullptr;
    const std::vector<char*>* arguments = nullptr;    // ends with a null pointer
    const std::vector<char*>* environment = nullptr;  // likewise
    const char* working_directory = nullptr;          // or null
    const ProcessorSet* processors = nullptr;         // or null
    const Inheritance* inheritance = nullptr;
    bool in_background = false;  // not in the terminal's foreground group: a debugger has that
    int input = -1;              // what becomes descriptors 0, 1 and 2; -1: inherit
    int output = -1;
    int errors = -1;
};

struct SpawnResult {
    pid_t process = -1;
    int error = 0;          // errno, 0 if the program runs
    const char* step = "";  // what failed: "fork", "chdir", "exec"
};

// The PE is killed by the kernel if this process dies. All signals must be blocked: the child runs
// in this process's memory until it executes the program.
SpawnResult spawn(const SpawnRequest& request);

}  // namespace isthmus::launch
