// What oshcc makes of its arguments: the command of the compiler.
#pragma once

#include <string>
#include <vector>

namespace isthmus::tools {

// Where things are and what the library was built with.
struct WrapperConfiguration {
    std::string compiler;  // of the language that the wrapper is for
    std::string include;   // directory of shmem.h
    std::string lib;       // directory of libisthmus
    std::string flags;     // that programs need as the library did (-fsanitize=...), or empty
    std::string runtime;   // files of the C++ runtime, for static programs above musl
    bool is_cxx = false;   // the wrapper is for C++
    bool has_static_library = false;
    bool has_musl_library = false;
    bool has_profile_library = false;
};

// Which part of the command is asked for.
enum class ShowMode : unsigned char {
    run,
    command,
    compile_flags,
    link_flags,
    compiler,
    include_folders,
    library_folders,
    libraries,
    version,
    help
};

struct WrapperCommand {
    ShowMode show = ShowMode::run;
    std::vector<std::string> words;
    std::string error;
};

WrapperCommand build_command(const WrapperConfiguration& configuration,
                             const std::vector<std::string>& arguments);

// What the wrapper itself takes, for --help, before what the compiler says.
std::string help_text(const std::string& name);

// True if the compiler, given these arguments, goes on to link: there is an input file, and no
// option ends its work earlier.
bool links(const std::vector<std::string>& arguments);

}  // namespace isthmus::tools
