#include "core/session/frame_names.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/exit_now.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "core/job/job.hpp"
#include "core/session/own_code.hpp"
#include "core/session/own_names.hpp"

namespace isthmus {
namespace {

constexpr int kMostFramesOfCall = 24;  // of the library's own before the program's
constexpr int kPatience = 3000;        // milliseconds that addr2line may take
constexpr std::size_t kAnswer = 8192;

char program[PATH_MAX];
std::uintptr_t program_base;
Range program_code;
bool may_run_others;

// Whether a handler of a signal returns to there: code of the C library or the kernel that no name
// is of, so that the function before it would be told. `at`: the byte before it.
bool is_return_from_handler(const void* at) {
#if defined(__x86_64__)
    constexpr unsigned char kCode[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#elif defined(__aarch64__)
    constexpr unsigned char kCode[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};
#endif
    const auto begin = reinterpret_cast<std::uintptr_t>(at) + 1;
    const bool is_in_page = begin % 4096 <= 4096 - sizeof kCode;  // the next one may be missing
    return is_in_page && std::memcmp(static_cast<const char*>(at) + 1, kCode, sizeof kCode) == 0;
}

// "step+0x1c in libmodel.so": what the dynamic linker knows.
void name_by_linker(Frame& frame) {
    Dl_info info{};
    const bool is_known = dladdr(frame.at, &info) != 0 && info.dli_fname;
    if (!is_known && !program_code.contains(frame.at)) {
        std::snprintf(frame.text, sizeof frame.text, "%#zx, which is no code",
                      reinterpret_cast<std::uintptr_t>(frame.at));
        return;
    }
    if (is_return_from_handler(frame.at)) {
        std::snprintf(frame.text, sizeof frame.text, "<signal handler>");
        return;
    }
    if (!is_known) {  // linked with -static: there is no dynamic linker that knows names
        info = {};
        info.dli_fname = program;
    }
    frame.module = info.dli_fbase;
    frame.file = info.dli_fname;
    const char* const slash = std::strrchr(info.dli_fname, '/');
    const char* const module = slash ? slash + 1 : info.dli_fname;
    const auto at = reinterpret_cast<std::uintptr_t>(frame.at);
    if (info.dli_sname)
        std::snprintf(frame.text, sizeof frame.text, "%s+0x%zx in %s", info.dli_sname,
                      at - reinterpret_cast<std::uintptr_t>(info.dli_saddr), module);
    else
        std::snprintf(
            frame.text, sizeof frame.text, "%.200s+0x%zx", module,
            at - (is_known ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : program_base));
}

// The first in PATH; no lookup that allocates.
bool find_symbolizer(const char* name, char (&path)[PATH_MAX]) {
    for (const char* folder = std::getenv("PATH"); folder && *folder;) {
        const std::size_t length = std::strcspn(folder, ":");
        const int size =
            std::snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(length), folder, name);
        if (size < static_cast<int>(sizeof path) && access(path, X_OK) == 0) return true;
        folder += length + (folder[length] == ':' ? 1 : 0);
    }
    return false;
}

// A copy of this process, in which nothing but system calls may follow. Neither fork(), which runs
// handlers, nor vfork(): AddressSanitizer's takes all between the thread's stack and a handler's
// for one stack, and dies of it. The parent waits until the child runs another program.
pid_t copy_process() {
    return static_cast<pid_t>(syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0));
}

// What it writes until it ends or the time is over.
void read_answer(char* const* arguments, char (&answer)[kAnswer], std::uint64_t until) {
    answer[0] = '\0';
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t child = copy_process();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execv(arguments[0], arguments);
        exit_now(127);
    }
    close(ends[1]);
    std::size_t length = 0;
    while (child > 0 && length + 1 < kAnswer && os::monotonic_nanoseconds() < until) {
        pollfd end{ends[0], POLLIN, 0};
        if (poll(&end, 1, 100) <= 0) continue;
        const ssize_t count = read(ends[0], answer + length, kAnswer - 1 - length);
        if (count <= 0) break;
        length += static_cast<std::size_t>(count);
    }
    answer[length] = '\0';
    close(ends[0]);
    if (child <= 0) return;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

constexpr char kInlinedBy[] = " (inlined by) ";

bool is_inlined(const char* line) {
    return std::strncmp(line, kInlinedBy, sizeof kInlinedBy - 1) == 0;
}

// The length of a line without which of its parts it was, which is no help to people.
std::size_t told_length(const char* line) {
    const std::size_t length = std::strcspn(line, "\n");
    const auto* const part = static_cast<const char*>(memmem(line, length, " (discriminator", 15));
    return part ? static_cast<std::size_t>(part - line) : length;
}

// The program or a library that has frames.
struct Module {
    const void* begin;
    std::uintptr_t offset;  // of its addresses in this process
    const char* file;
    bool is_program;
};

// Whether addr2line's line says more than the linker: of a library without debugging information
// it does not.
bool says_more(const Module& module, const char* line, std::size_t length) {
    return module.is_program ? std::strncmp(line, "??", 2) != 0
                             : memmem(line, length, "??:", 3) == nullptr;
}

// The symbolizer and what it is asked about: too long for some stacks.
struct Question {
    const char* symbolizer = "addr2line";
    char path[PATH_MAX];
    char file[PATH_MAX];
};

// Function, file and line of a module's frames, as its debugging information has them. `answer`
// stays where it is.
void name_by_lines(Frames& frames, int count, const Module& module, Question& question,
                   char (&answer)[kAnswer], std::uint64_t until) {
    auto& [symbolizer, path, file] = question;
    if (!find_symbolizer(symbolizer, path)) return;
    std::snprintf(file, sizeof file, "%s", module.file);
    char offsets[kFrames][24];
    char options[] = "-Cfipe";
    std::array<char*, kFrames + 4> arguments{path, options, file};
    std::array<Frame*, kFrames> asked{};
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) {
        Frame& frame = frames[static_cast<std::size_t>(i)];
        if (frame.module != module.begin) continue;
        std::snprintf(offsets[size], sizeof offsets[size], "0x%zx",
                      reinterpret_cast<std::uintptr_t>(frame.at) - module.offset);
        arguments[3 + size] = offsets[size];
        asked[size++] = &frame;
    }
    read_answer(arguments.data(), answer, until);
    const char* line = answer;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t length = std::strcspn(line, "\n");
        if (line[length] == '\0') return;
        const std::size_t told = told_length(line);
        const bool is_known = says_more(module, line, told);
        if (is_known)
            std::snprintf(asked[i]->text, sizeof asked[i]->text, "%.*s", static_cast<int>(told),
                          line);
        line += length + 1;
        if (is_known && is_inlined(line)) asked[i]->inlined = line;
        while (is_inlined(line)) {
            line += std::strcspn(line, "\n");
            if (*line == '\0') return;
            ++line;
        }
    }
}

// The same for all modules that have frames, the program first.
void name_by_lines_of_all(Frames& frames, int count, const void* own) {
    if (!may_run_others) return;
    static char answers[kFrames][kAnswer];
    static Question question;
    const std::uint64_t until = os::monotonic_nanoseconds() + std::uint64_t{kPatience} * 1'000'000;
    const Module whole{own, program_base, program, true};
    if (program[0]) name_by_lines(frames, count, whole, question, answers[0], until);
    std::array<const void*, kFrames> done{nullptr, own};
    std::size_t modules = 2;
    for (int i = 0; i < count && modules < kFrames; ++i) {
        const Frame& frame = frames[static_cast<std::size_t>(i)];
        if (std::find(done.begin(), done.begin() + modules, frame.module) != done.begin() + modules)
            continue;
        const Module library{frame.module, reinterpret_cast<std::uintptr_t>(frame.module),
                             frame.file, false};
        name_by_lines(frames, count, library, question, answers[modules - 1], until);
        done[modules++] = frame.module;
    }
}

}  // namespace

void prepare_frame_names() {
    may_run_others = !os::has_more_rights_than_caller();
    const ssize_t length = readlink(os::own_proc("exe").c_str(), program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void*) {
            program_base = object->dlpi_addr;
            program_code = executable_part(*object);
            return 1;  // the first one is the program
        },
        nullptr);
}

bool is_in_program_code(const void* at) {
    return program_code.contains(at);
}

void name_frames(Frames& frames, int count) {
    // The program's own headers lie in its first page.
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &own);
    for (int i = 0; i < count; ++i)
        name_by_linker(frames[static_cast<std::size_t>(i)]);
    name_by_lines_of_all(frames, count, own.dli_fbase);
}

std::string_view take_inlined(const char*& lines) {
    if (!is_inlined(lines)) return {};
    const char* const call = lines + sizeof kInlinedBy - 1;
    const std::size_t length = told_length(call);
    lines += std::strcspn(lines, "\n");
    if (*lines == '\n') ++lines;
    return {call, length};
}

namespace {

// Of this call: several threads may ask at once.
struct Asked {
    Question question;
    char answer[kAnswer] = "";
};

// What is told of an address; nothing if it is none of the library's functions that stands around
// all that is: what is inlined into the program's is not known then.
struct Reading {
    ProgramPlace place;
    bool is_whole = true;
};

// Whether "(anonymous namespace)::run(char const*)" is told as "run" at another place.
bool is_same_function(std::string_view whole, std::string_view told) {
    const std::size_t at = whole.find(told);
    if (at == std::string_view::npos) return false;
    std::size_t end = at + told.size();
    int depth = 0;
    if (end < whole.size() && whole[end] == '(') {
        do {
            depth += whole[end] == '(' ? 1 : whole[end] == ')' ? -1 : 0;
        } while (++end < whole.size() && depth != 0);
    }
    return end == whole.size() || whole.substr(end) == " const";
}

// Of GCC's the innermost one may have the name of the function around all; if it has another one of
// the program's, that one's own line is lost, and the next line is its caller's.
bool is_innermost_lost(std::string_view innermost, std::string_view lines, std::string_view next) {
    const std::size_t last = lines.rfind(kInlinedBy);
    std::string_view outermost =
        last == std::string_view::npos ? next : lines.substr(last + sizeof kInlinedBy - 1);
    outermost = outermost.substr(0, outermost.rfind(" at "));
    return !is_same_function(innermost, outermost);
}

Reading read_place(std::string_view lines, Sought sought) {
    ProgramPlace found;
    std::string_view function;
    std::string_view misnamed;
    bool is_innermost = true;
    while (!lines.empty()) {
        std::string_view line = lines.substr(0, told_length(lines.data()));
        lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
        if (is_inlined(line.data())) line.remove_prefix(sizeof kInlinedBy - 1);
        const std::size_t place = line.rfind(" at ");
        if (place == std::string_view::npos) return {};
        function = line.substr(0, place);
        const std::string_view file = line.substr(place + 4);
        // No line: "model.c:?", of a symbol alone, or of calls of several places made one.
        if (file.ends_with(":?") || file.ends_with(":0")) return {};
        // An operation that is inlined stands before who called it.
        if (!is_of_own_headers({function, file, is_innermost}, sought)) {
            if (!misnamed.empty() && is_innermost_lost(misnamed, lines, line)) return {{}, false};
            found.line = " (" + std::string(file) + ")";
            found.is_library = false;
            return {found, true};
        }
        if (is_innermost && !is_own_name(function)) misnamed = function;
        found.inlined = qualified_name(function);
        found.is_library = true;
        is_innermost = false;
    }
    if (found.is_library && !is_own_function(function, sought)) return {{}, false};
    return {found, true};
}

}  // namespace

ProgramPlace place_in_source(const void* at, Sought sought) {
    if (!may_run_others || !program[0]) return {};
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &own);
    const auto asked = std::make_unique<Asked>();
    for (const char* const symbolizer : {"addr2line", "llvm-addr2line"}) {
        Frames frames;
        frames[0].at = at;
        frames[0].module = own.dli_fbase;
        asked->question.symbolizer = symbolizer;
        asked->answer[0] = '\0';
        name_by_lines(frames, 1, {own.dli_fbase, program_base, program, true}, asked->question,
                      asked->answer, os::monotonic_nanoseconds() + 1'000'000'000);
        const Reading reading = read_place(asked->answer, sought);
        if (reading.is_whole) return reading.place;
    }
    return {};
}

std::string line_of_call(const void* const* frames, int count, Sought sought) {
    CallSearch search;
    for (int i = 0; i < count && !search.is_over(); ++i) {
        search.pass(frames[i]);
        if (!search.found()) continue;
        const ProgramPlace place = place_in_source(search.found(), sought);
        if (!place.is_library) return place.line;
        search.go_outward();
    }
    return "";
}

std::string line_of_caller(Sought sought) {
    void* frames[kMostFramesOfCall];
    const int count = backtrace(frames, kMostFramesOfCall);
    for (int i = 0; i < count; ++i)
        frames[i] = static_cast<char*>(frames[i]) - 1;
    return line_of_call(frames, count, sought);
}

}  // namespace isthmus
