// The command line of `isthmus run`.
#pragma once

#include <string>
#include <vector>

#include "launch/binding.hpp"
#include "launch/hosts.hpp"

namespace isthmus::launch {

struct RunOptions {
    int pes = 0;                       // 0: what the allocation says
    std::vector<std::string> command;  // program and its arguments
    BindMode bind = BindMode::automatic;
    bool show_binding = false;
    bool prefix = false;
    std::string split_directory;
    double timeout_seconds = 0;  // 0: none
    double grace_seconds = 0.5;
    bool grace_given = false;
    std::string working_directory;
    std::vector<std::string> environment;  // NAME=VALUE
    // On other hosts, so that another launcher runs the job (launch/handover.hpp). `hosts` is empty
    // if an allocation names them.
    bool elsewhere = false;
    std::vector<HostShare> hosts;
    std::string cluster;  // what --dry-run says of the description that named hosts and PEs
    std::string launcher = "auto";
    bool dry_run = false;
    // The PE that runs under the debugger, under valgrind; -1: none.
    int gdb_pe = -1;
    int valgrind_pe = -1;
    // Counts and a trace of a program that was compiled as usual.
    bool stats = false;
    std::string trace_file;
    // Options that have no meaning on one host, and one for other launchers: as they were given.
    std::vector<std::string> foreign;
};

enum class ParseResult : unsigned char { run, help, error };

// Reads the arguments after `isthmus run` (or after `oshrun`, which `name` then is). Prints help or
// the error itself.
ParseResult parse_run_options(const std::string& name, const std::vector<std::string>& arguments,
                              RunOptions& options);

// The part before the program, with the spellings of other launchers replaced by ours; `command`
// takes the rest, `foreign` what is left out and was not said in vain on several hosts. Exposed for
// the tests.
std::vector<std::string> normalise_arguments(const std::vector<std::string>& arguments,
                                             std::vector<std::string>& command,
                                             std::vector<std::string>& foreign);

}  // namespace isthmus::launch
