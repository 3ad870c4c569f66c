#include "launch/dry_run.hpp"

#include <cstdio>

#include "base/quote.hpp"

namespace isthmus::launch {
namespace {

constexpr const char* kEnv = "/usr/bin/env";

std::string seconds_of(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", seconds);
    return text;
}

}  // namespace

std::string describe_settings(const RunOptions& options) {
    std::vector<std::string> words;
    const auto add = [&](bool is_given, const char* option, const std::string& value = "") {
        if (!is_given) return;
        words.emplace_back(option);
        if (!value.empty()) words.push_back(value);
    };
    add(options.bind != BindMode::automatic, "--bind", bind_mode_name(options.bind));
    add(options.show_binding, "--show-binding");
    add(options.prefix, "--prefix");
    add(!options.split_directory.empty(), "--split", options.split_directory);
    add(!options.working_directory.empty(), "--wdir", options.working_directory);
    add(options.timeout_seconds > 0, "--timeout", seconds_of(options.timeout_seconds));
    add(options.grace_given, "--grace", seconds_of(options.grace_seconds));
    add(options.gdb_pe >= 0, "--gdb", std::to_string(options.gdb_pe));
    add(options.valgrind_pe >= 0, "--valgrind", std::to_string(options.valgrind_pe));
    add(options.stats, "--stats");
    add(!options.trace_file.empty(), "--trace", options.trace_file);
    std::string text;
    if (!words.empty()) text += "options: " + quote(words) + "\n";
    if (!options.environment.empty()) text += "variables: " + quote(options.environment) + "\n";
    return text;
}

std::vector<std::string> with_variables(const std::vector<std::string>& environment,
                                        const std::vector<std::string>& command) {
    if (environment.empty()) return command;
    std::vector<std::string> words{kEnv};
    words.insert(words.end(), environment.begin(), environment.end());
    const bool has_variables = !command.empty() && command.front() == kEnv;
    words.insert(words.end(), command.begin() + (has_variables ? 1 : 0), command.end());
    return words;
}

}  // namespace isthmus::launch
