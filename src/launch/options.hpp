// The command line of `isthmus run`.
#pragma once

#include <string>
#include <vector>

#include "launch/binding.hpp"

namespace isthmus::launch {

struct RunOptions {
    int pes = 0;
    std::vector<std::string> command;  // program and its arguments
    BindMode bind = BindMode::automatic;
    bool show_binding = false;
    bool prefix = false;
    std::string split_directory;
    double timeout_seconds = 0;  // 0: none
    double grace_seconds = 0.5;
    std::string working_directory;
    std::vector<std::string> environment;  // NAME=VALUE
};

enum class ParseResult : unsigned char { run, help, error };

// Reads the arguments after `isthmus run` (or after `oshrun`, which `name` then is). Prints help or
// the error itself.
ParseResult parse_run_options(const std::string& name, const std::vector<std::string>& arguments,
                              RunOptions& options);

// The part before the program, with the spellings of other launchers replaced by ours; `command`
// takes the rest. Exposed for the tests.
std::vector<std::string> normalise_arguments(const std::vector<std::string>& arguments,
                                             std::vector<std::string>& command);

}  // namespace isthmus::launch
