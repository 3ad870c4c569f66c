// oshcc and oshc++: the C and C++ compiler with what an OpenSHMEM program needs.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/quote.hpp"
#include "tools/place.hpp"
#include "tools/wrapper_arguments.hpp"

namespace isthmus::tools {
namespace {

namespace fs = std::filesystem;

int refuse(const std::string& name, const std::string& what) {
    std::fputs((name + ": " + what + "\n").c_str(), stderr);
    return 1;
}

// The compiler that the library was built with, if it is still there; else one of that name, or the
// system's, from PATH.
std::string standard_compiler(const char* built_with, const char* fallback) {
    std::error_code error;
    if (fs::exists(built_with, error)) return built_with;
    std::string name = fs::path(built_with).filename().string();
    const char* const path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        if (fs::exists(fs::path(rest.substr(0, colon)) / name, error)) return name;
        if (colon == std::string_view::npos) break;
        rest.remove_prefix(colon + 1);
    }
    return fallback;
}

int main_with(const std::string& name, const std::vector<std::string>& arguments) {
    const bool cxx = name == "oshc++" || name == "oshCC" || name == "oshcxx";
    const Place place = find_place();
    if (place.lib.empty() || place.include.empty())
        return refuse(name, std::string(place.lib.empty() ? "libisthmus.so" : "shmem.h") +
                                " was not found beside " + place.bin +
                                "; build it (make build) or install it again (cmake --install)");
    WrapperConfiguration configuration;
    configuration.is_cxx = cxx;
    const char* const chosen = std::getenv(cxx ? "OSHCC_CXX" : "OSHCC_CC");
    configuration.compiler = chosen && *chosen ? chosen
                             : cxx             ? standard_compiler(ISTHMUS_CXX_COMPILER, "c++")
                                               : standard_compiler(ISTHMUS_C_COMPILER, "cc");
    configuration.include = place.include;
    configuration.lib = place.lib;
    configuration.flags = ISTHMUS_PROGRAM_FLAGS;
    std::error_code error;
    configuration.runtime = ISTHMUS_STATIC_RUNTIME;
    configuration.has_musl_library = fs::exists(place.lib + "/libisthmus-musl.a", error);
    configuration.has_static_library = fs::exists(place.lib + "/libisthmus.a", error);
    configuration.has_profile_library = fs::exists(place.lib + "/libisthmus-profile.so", error);

    const WrapperCommand command = build_command(configuration, arguments);
    if (!command.error.empty()) return refuse(name, command.error);
    if (command.show == ShowMode::version) {
        std::printf("%s: Isthmus %s (Language: %s)\n", name.c_str(), ISTHMUS_VERSION,
                    cxx ? "C++" : "C");
        return 0;
    }
    if (command.show == ShowMode::help) {
        std::fputs(help_text(name).c_str(), stdout);
        return 0;
    }
    if (command.show != ShowMode::run) {
        std::puts(quote(command.words).c_str());
        return 0;
    }
    if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
        std::fputs(help_text(name).c_str(), stdout);
        std::fflush(stdout);  // the compiler takes this process
    }
    std::vector<char*> pointers;
    for (const std::string& word : command.words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    return refuse(name, "cannot run the compiler " + command.words[0] + ": " +
                            std::strerror(errno) + "; set " + (cxx ? "OSHCC_CXX" : "OSHCC_CC"));
}

}  // namespace
}  // namespace isthmus::tools

int main(int argc, char** argv) {
    const std::string_view path = argc > 0 ? argv[0] : "oshcc";
    return isthmus::tools::main_with(std::string(path.substr(path.rfind('/') + 1)),
                                     {argv + (argc > 0 ? 1 : 0), argv + argc});
}
