#include "tools/wrapper_arguments.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace isthmus::tools {
namespace {

// Options of gcc and clang whose value is the next word.
constexpr std::array<std::string_view, 41> kWithValue{"-o",
                                                      "-I",
                                                      "-L",
                                                      "-D",
                                                      "-U",
                                                      "-include",
                                                      "-imacros",
                                                      "-isystem",
                                                      "-iquote",
                                                      "-idirafter",
                                                      "-iprefix",
                                                      "-iwithprefix",
                                                      "-iwithprefixbefore",
                                                      "-isysroot",
                                                      "-x",
                                                      "-MF",
                                                      "-MT",
                                                      "-MQ",
                                                      "-Xlinker",
                                                      "-Xclang",
                                                      "-Xassembler",
                                                      "-Xpreprocessor",
                                                      "-T",
                                                      "-u",
                                                      "-z",
                                                      "-e",
                                                      "-l",
                                                      "-A",
                                                      "-B",
                                                      "-arch",
                                                      "-target",
                                                      "--param",
                                                      "-aux-info",
                                                      "-wrapper",
                                                      "-mllvm",
                                                      "-dumpbase",
                                                      "-dumpdir",
                                                      "-dumpbase-ext",
                                                      "--sysroot",
                                                      "-specs",
                                                      "-framework"};

// Options after which nothing is linked.
constexpr std::array<std::string_view, 17> kEndsBefore{"-c",
                                                       "-S",
                                                       "-E",
                                                       "-M",
                                                       "-MM",
                                                       "-fsyntax-only",
                                                       "-r",
                                                       "--help",
                                                       "--version",
                                                       "-dumpversion",
                                                       "-dumpmachine",
                                                       "-dumpspecs",
                                                       "-dumpfullversion",
                                                       "--precompile",
                                                       "-emit-ast",
                                                       "--analyze",
                                                       "--target-help"};

template <typename List>
bool contains(const List& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// The words of @file, as far as they matter here. Build systems quote file names in them, not
// options.
std::vector<std::string> expanded(const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    for (const std::string& argument : arguments) {
        std::ifstream file;
        if (argument.size() > 1 && argument[0] == '@') file.open(argument.substr(1));
        if (!file.is_open()) {
            words.push_back(argument);
            continue;
        }
        for (std::string word; file >> word;)
            words.push_back(word);
    }
    return words;
}

bool is_system_directory(std::string_view directory, std::string_view kind) {
    // Naming these again would change the order of the compiler's own search.
    const std::string usr = "/usr/" + std::string(kind);
    return directory == usr || directory == "/usr/local/" + std::string(kind) ||
           (kind == "lib" && directory.starts_with("/usr/lib/") &&
            directory.ends_with("-linux-gnu"));
}

void append_words(std::vector<std::string>& words, const std::string& text) {
    std::istringstream stream(text);
    for (std::string word; stream >> word;)
        words.push_back(word);
}

// Behind -showme: and --showme:, as Open MPI's wrappers have them.
struct Showme {
    std::string_view word;
    ShowMode mode;
};
constexpr std::array<Showme, 8> kShowme{{{"compile", ShowMode::compile_flags},
                                         {"link", ShowMode::link_flags},
                                         {"command", ShowMode::compiler},
                                         {"incdirs", ShowMode::include_folders},
                                         {"libdirs", ShowMode::library_folders},
                                         {"libs", ShowMode::libraries},
                                         {"version", ShowMode::version},
                                         {"help", ShowMode::help}}};

struct OwnOptions {
    ShowMode show = ShowMode::run;
    std::string error;
    bool profile = false;
    std::string compiler;
    std::vector<std::string> rest;
};

void take_showme(const std::string& word, OwnOptions& own) {
    const std::string_view asked = std::string_view(word).substr(word.find(':') + 1);
    const auto* const found = std::find_if(kShowme.begin(), kShowme.end(),
                                           [=](const Showme& each) { return each.word == asked; });
    if (found != kShowme.end()) {
        own.show = found->mode;
        return;
    }
    own.error = word + ": there is";
    for (const Showme& each : kShowme)
        own.error += (&each == kShowme.data() ? " " : ", ") + std::string(each.word);
}

OwnOptions take_own_options(const std::vector<std::string>& arguments) {
    OwnOptions own;
    for (const std::string& word : arguments) {
        if (word == "-show" || word == "--show" || word == "-showme" || word == "--showme")
            own.show = ShowMode::command;
        else if (word.starts_with("--showme:") || word.starts_with("-showme:"))
            take_showme(word, own);
        else if (word == "-profile")
            own.profile = true;
        else if (word.starts_with("-cc=") || word.starts_with("-cxx="))
            own.compiler = word.substr(word.find('=') + 1);
        else
            own.rest.push_back(word);
    }
    return own;
}

std::vector<std::string> compile_flags(const WrapperConfiguration& configuration, bool profile) {
    std::vector<std::string> flags;
    append_words(flags, configuration.flags);
    if (!is_system_directory(configuration.include, "include"))
        flags.push_back("-I" + configuration.include);
    if (profile) flags.emplace_back("-DISTHMUS_NO_INLINE");
    return flags;
}

std::vector<std::string> link_flags(const WrapperConfiguration& configuration, bool profile,
                                    bool is_static) {
    std::vector<std::string> flags;
    if (!is_system_directory(configuration.lib, "lib")) {
        flags.push_back("-L" + configuration.lib);
        if (!is_static) flags.push_back("-Wl,-rpath," + configuration.lib);
    }
    if (profile) flags.emplace_back("-listhmus-profile");
    flags.emplace_back("-listhmus");
    // The library is C++; a shared one brings its runtime itself, which wants the mathematical one.
    if (is_static) flags.insert(flags.end(), {"-lstdc++", "-lm"});
    flags.emplace_back("-pthread");
    return flags;
}

// "-listhmus -pthread", "-l": "isthmus"
std::vector<std::string> without_option(const std::vector<std::string>& flags,
                                        std::string_view option) {
    std::vector<std::string> values;
    for (const std::string& flag : flags)
        if (flag.starts_with(option)) values.push_back(flag.substr(option.size()));
    return values;
}

// musl-gcc, x86_64-linux-musl-gcc
bool names_musl(const std::string& word) {
    return word.substr(word.rfind('/') + 1).find("musl") != std::string::npos;
}

// What musl lacks, and what must be seen of what it has (base/musl/compatibility.c).
std::vector<std::string> musl_link_flags(const WrapperConfiguration& configuration) {
    std::vector<std::string> flags{
        "-L" + configuration.lib, "-Wl,--wrap=exit",   "-Wl,--wrap=pthread_create",
        "-Wl,--eh-frame-hdr",     "-Wl,--start-group", "-listhmus",
        "-listhmus-musl"};
    append_words(flags, configuration.runtime);
    flags.insert(flags.end(), {"-Wl,--end-group", "-pthread"});
    return flags;
}

}  // namespace

std::string help_text(const std::string& name) {
    return name +
           ": the compiler, with what an OpenSHMEM program needs. Options of its own:\n"
           "  -profile               link the library that counts and traces as well\n"
           "  -show, -showme         print the command instead of running it\n"
           "  --showme:compile       print what is added for compiling\n"
           "  --showme:link          print what is added for linking\n"
           "  --showme:WHAT          command, incdirs, libdirs, libs, version: print that alone\n"
           "  -cc=COMPILER           use this compiler, once; for C++ also -cxx=COMPILER\n"
           "  -cc=musl-gcc -static   link above musl, for jobs of one host\n"
           "  -static, -static-pie   link libisthmus.a, for jobs of one host\n"
           "The variables OSHCC_CC and OSHCC_CXX name the compilers. All other options are the "
           "compiler's:\n\n";
}

bool links(const std::vector<std::string>& arguments) {
    const std::vector<std::string> words = expanded(arguments);
    bool has_input = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (contains(kEndsBefore, word) || word.starts_with("-print-") ||
            word.starts_with("--print-"))
            return false;
        if (contains(kWithValue, word))
            ++i;
        else if (word == "-" || word.empty() || word[0] != '-')
            has_input = true;
    }
    return has_input;
}

WrapperCommand build_command(const WrapperConfiguration& configuration,
                             const std::vector<std::string>& arguments) {
    WrapperCommand command;
    OwnOptions own = take_own_options(arguments);
    command.show = own.show;
    if (!own.error.empty()) {
        command.error = own.error;
        return command;
    }
    const std::vector<std::string> words = expanded(own.rest);
    const bool is_static = contains(words, "-static") || contains(words, "-static-pie");
    const bool linking = links(own.rest);
    if (own.profile && !configuration.has_profile_library &&
        (linking || own.show == ShowMode::link_flags))
        command.error = "-profile: libisthmus-profile is not in " + configuration.lib;
    if (is_static && linking && !configuration.has_static_library)
        command.error = "-static: there is no libisthmus.a in " + configuration.lib +
                        "; link it as a shared library (-static-libgcc and -static-libstdc++ work)";

    std::vector<std::string> compiler;
    append_words(compiler, own.compiler.empty() ? configuration.compiler : own.compiler);
    const bool is_musl = std::any_of(compiler.begin(), compiler.end(), names_musl);
    if (own.compiler == "musl")
        command.error = "-cc=musl: that is no compiler; say -cc=musl-gcc (Debian: musl-tools)";
    else if (is_musl && linking && configuration.is_cxx)
        command.error =
            "above musl C programs are linked (oshcc -cc=musl-gcc -static), and C++ programs are "
            "not: the C++ runtime here is glibc's";
    else if (is_musl && linking && (!is_static || contains(words, "-static-pie") || own.profile))
        command.error = "above musl a program is linked with -static: libisthmus.so needs glibc";
    else if (is_musl && linking && !configuration.has_musl_library)
        command.error = "there is no libisthmus-musl.a in " + configuration.lib;

    const std::vector<std::string> compile = compile_flags(configuration, own.profile);
    const std::vector<std::string> link = is_musl
                                              ? musl_link_flags(configuration)
                                              : link_flags(configuration, own.profile, is_static);
    switch (own.show) {
        case ShowMode::compile_flags: command.words = compile; return command;
        case ShowMode::link_flags: command.words = link; return command;
        case ShowMode::compiler: command.words = compiler; return command;
        case ShowMode::include_folders: command.words = {configuration.include}; return command;
        case ShowMode::library_folders: command.words = {configuration.lib}; return command;
        case ShowMode::libraries: command.words = without_option(link, "-l"); return command;
        case ShowMode::version:
        case ShowMode::help: return command;
        case ShowMode::run:
        case ShowMode::command: break;
    }
    command.words = compiler;
    command.words.insert(command.words.end(), compile.begin(), compile.end());
    command.words.insert(command.words.end(), own.rest.begin(), own.rest.end());
    // Behind the user's objects, which is where a linker looks libraries up for them. `-show` alone
    // shows the whole line, as other wrappers do.
    const bool show_all = own.show == ShowMode::command && own.rest.empty();
    if (linking || show_all) command.words.insert(command.words.end(), link.begin(), link.end());
    return command;
}

}  // namespace isthmus::tools
