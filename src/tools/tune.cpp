#include "tools/tune.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "tools/info.hpp"
#include "tools/place.hpp"
#include "tools/refuse.hpp"

namespace isthmus::tools {
namespace {

using nlohmann::ordered_json;

// The library measures: its loops are the ones that count. Empty, and why on standard error, if it
// cannot be asked.
std::string measure() {
    const Place place = find_place();
    const std::string path = place.lib + "/libisthmus.so";
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    using GetChoice = const char*(const char*);
    auto* const choice =
        library ? reinterpret_cast<GetChoice*>(dlsym(library, "isthmus_choice")) : nullptr;
    const char* const text = choice ? choice("tune") : nullptr;
    if (text) return text;
    say(("isthmus tune: " + path +
         " cannot be used: " + (library ? "it is of another version" : dlerror()) + "\n")
            .c_str());
    return {};
}

// The first line is what was chosen, the others "where bytes way GB/s".
ordered_json report_of(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    ordered_json report{{"copy", line}, {"figures", ordered_json::array()}};
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string where, way;
        std::size_t bytes = 0;
        double gigabytes = 0;
        words >> where >> bytes >> way >> gigabytes;
        report["figures"].push_back(
            {{"blocks", where}, {"bytes", bytes}, {"way", way}, {"gigabytes_a_second", gigabytes}});
    }
    return report;
}

void print_report(const ordered_json& report) {
    std::printf("copy: %s\n", report["copy"].get<std::string>().c_str());
    if (report["figures"].empty()) return;
    std::printf("\n%-8s %9s  %-20s %s\n", "blocks", "bytes", "way", "GB/s");
    for (const auto& figure : report["figures"])
        std::printf("%-8s %9zu  %-20s %5.1f\n", figure["blocks"].get<std::string>().c_str(),
                    figure["bytes"].get<std::size_t>(), figure["way"].get<std::string>().c_str(),
                    figure["gigabytes_a_second"].get<double>());
}

}  // namespace

int tune_command(const std::vector<std::string>& arguments) {
    bool json = false;
    CLI::App app(
        "Measures again how blocks are copied fastest on this processor, and keeps it for all\n"
        "later jobs of this user on processors of this model. The library does so by itself at\n"
        "the first long copy: this is for a machine that was busy then, or has changed.");
    app.name("isthmus tune");
    app.add_flag("--json", json, "Print JSON");
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError& error) {
        return refuse_arguments(app, error);
    }
    const bool shows_progress = !json && isatty(STDERR_FILENO) != 0;
    if (shows_progress) std::fputs("measuring copies...", stderr);
    const std::string text = measure();
    if (shows_progress) std::fputs("\r                   \r", stderr);
    if (text.empty()) return 1;
    const ordered_json report = report_of(text);
    if (json)
        std::puts(json_text(report, 2).c_str());
    else
        print_report(report);
    return 0;
}

}  // namespace isthmus::tools
