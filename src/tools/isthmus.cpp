// The command `isthmus`, and `oshrun`, which is `isthmus run` under the name that users know.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/edit_distance.hpp"
#include "base/error.hpp"
#include "base/identity.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "launch/launcher.hpp"
#include "launch/program.hpp"
#include "launch/remote/agent.hpp"
#include "tools/doctor.hpp"
#include "tools/info.hpp"
#include "tools/place.hpp"
#include "tools/tune.hpp"

namespace isthmus::tools {
namespace {

using Arguments = std::vector<std::string>;

struct Command {
    const char* name;
    int (*run)(const Arguments& arguments);
    const char* help;
};

// Programs of their own, so that the launcher stays small.
int run_helper(const std::string& command, const Arguments& arguments) {
    const std::string name = "isthmus-" + command;
    const std::string path = find_helper(find_place(), name);
    if (path.empty()) {
        say(("isthmus " + command + ": " + name +
             " is not installed beside isthmus; it is built with the rest by `make build`\n")
                .c_str());
        return launch::kStatusNotFound;
    }
    std::vector<char*> pointers{const_cast<char*>(name.c_str())};
    for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    execv(path.c_str(), pointers.data());
    say(("isthmus " + command + ": cannot run " + path + ": " + std::strerror(errno) + "\n")
            .c_str());
    return launch::kStatusNotExecutable;
}

int run_jobs_as(const char* name, const Arguments& arguments) {
    const Place place = find_place();
    return launch::run_command(name, arguments, place.lib, place.bin + "/isthmus");
}
int run_jobs(const Arguments& arguments) {
    return run_jobs_as("isthmus run", arguments);
}
int run_bench(const Arguments& arguments) {
    return run_helper("bench", arguments);
}
int run_sim(const Arguments& arguments) {
    return run_helper("sim", arguments);
}
int run_rtl(const Arguments& arguments) {
    return run_helper("rtl", arguments);
}
int run_gasnet(const Arguments& arguments) {
    return run_helper("gasnet", arguments);
}
int print_help(const Arguments& arguments);
int print_version(const Arguments&) {
    std::puts("isthmus " ISTHMUS_VERSION);
    return 0;
}

constexpr Command kCommands[] = {
    {"run", run_jobs, "run a program on N PEs (oshrun is the same)"},
    {"info", info_command, "version, build, all settings, and what they lead to here"},
    {"doctor", doctor_command, "check this machine, and say what to do"},
    {"tune", tune_command, "measure again how copies are fastest on this processor"},
    {"bench", run_bench, "measure, and compare with what is claimed"},
    {"sim", run_sim, "the simulated xBGAS machine"},
    {"rtl", run_rtl, "the engines in gates, simulated"},
    {"gasnet", run_gasnet, "a folder that passes for GASNet where clients want one"},
    {"help", print_help, "this text"},
    {"version", print_version, "the version"},
};

void write_help(FILE* file) {
    std::fputs(
        "isthmus: one address space over many memories\n\n"
        "Usage: isthmus COMMAND [ARGUMENTS...]\n\n",
        file);
    for (const Command& command : kCommands)
        std::fprintf(file, "  %-9s %s\n", command.name, command.help);
    std::fputs(
        "\n`isthmus COMMAND --help` explains a command. Programs are compiled with oshcc or "
        "oshc++.\n",
        file);
}

int refuse_command(const std::string& name) {
    std::vector<std::string_view> known;
    for (const Command& command : kCommands)
        known.emplace_back(command.name);
    say(("isthmus: unknown command " + name + did_you_mean(name, known) +
         " (isthmus --help lists them)\n")
            .c_str());
    return launch::kStatusUsage;
}

// `isthmus help run` is `isthmus run --help`.
int print_help(const Arguments& arguments) {
    for (const Command& command : kCommands) {
        if (!arguments.empty() && arguments[0] == command.name && command.run != print_help &&
            command.run != print_version)
            return command.run({"--help"});
    }
    const bool is_of_another = !arguments.empty() && arguments[0] != "help" &&
                               arguments[0] != "version" && arguments[0] != "--help" &&
                               arguments[0] != "-h";
    if (is_of_another) return refuse_command(arguments[0]);
    write_help(stdout);
    return 0;
}

int main_with(std::string_view called_as, const Arguments& arguments) {
    if (called_as == "oshrun") {
        if (!arguments.empty() && (arguments[0] == "--version" || arguments[0] == "-V"))
            return print_version({});
        return run_jobs_as("oshrun", arguments);
    }
    if (arguments.empty()) {
        write_help(stderr);
        return launch::kStatusUsage;
    }
    std::string name = arguments[0];
    if (name == "--help" || name == "-h") name = "help";
    if (name == "--version" || name == "-V") name = "version";
    for (const Command& command : kCommands)
        if (name == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    if (name == "agent" && arguments.size() == 1) return launch::serve_as_agent();
    return refuse_command(name);
}

}  // namespace
}  // namespace isthmus::tools

int main(int argc, char** argv) {
    const std::string_view path = argc > 0 ? argv[0] : "isthmus";
    int status = isthmus::launch::kStatusLauncher;
    if (const int small = isthmus::os::kibibytes_of_small_stack(); small != 0) {
        isthmus::say(isthmus::Text("isthmus: stacks may have ", small, " KiB, and ",
                                   isthmus::os::kLeastStack,
                                   " are needed; raise the limit of stacks (ulimit -s)\n")
                         .c_str());
        return status;
    }
    if (const auto [call, error] = isthmus::os::refused_identity_call(); call) {
        isthmus::say(isthmus::Text("isthmus: ", call, ": ", std::strerror(error),
                                   isthmus::os::advice_on_call(error), "\n")
                         .c_str());
        return status;
    }
    try {
        status = isthmus::tools::main_with(path.substr(path.rfind('/') + 1),
                                           {argv + (argc > 0 ? 1 : 0), argv + argc});
    } catch (const std::bad_alloc&) {
        isthmus::say("isthmus: there is no memory");
        isthmus::say(isthmus::os::advice_on_memory(1 << 20));
        isthmus::say("\n");
    }
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    isthmus::say("isthmus: cannot write standard output\n");
    return status == 0 ? 1 : status;
}
