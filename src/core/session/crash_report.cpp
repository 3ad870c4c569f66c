#include "core/session/crash_report.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/os.hpp"

namespace isthmus {
namespace {

constexpr int kFrames = 8;
constexpr int kPatience = 3000;  // milliseconds that addr2line may take
constexpr std::size_t kAnswer = 8192;

char prefix[256];
char program[PATH_MAX];
std::uintptr_t program_base;
bool may_run_others;

struct Frame {
    const void* at = nullptr;  // within the call
    bool in_program = false;
    char text[300] = "";
};

void write_text(const char* text) {
    for (std::size_t left = std::strlen(text); left != 0;) {
        const ssize_t written = write(STDERR_FILENO, text, left);
        if (written < 0 && errno != EINTR) return;
        if (written > 0) {
            text += written;
            left -= static_cast<std::size_t>(written);
        }
    }
}

// The frames from the faulting one on.
int find_frames(const void* instruction, std::array<Frame, kFrames>& frames) {
    void* all[64];
    const int count = backtrace(all, 64);
    int first = 0;
    while (first < count && all[first] != instruction)
        ++first;
    if (first == count) {  // a call of an address that is no code has no frame of its own
        frames[0].at = instruction;
        return 1;
    }
    int found = 0;
    for (int i = first; i < count && found < kFrames; ++i, ++found) {
        // A return address may belong to the next line already.
        frames[static_cast<std::size_t>(found)].at =
            static_cast<const char*>(all[i]) - (i == first ? 0 : 1);
    }
    return found;
}

// "step+0x1c in libmodel.so": what the dynamic linker knows.
void name_by_linker(Frame& frame, const void* own) {
    Dl_info info{};
    if (dladdr(frame.at, &info) == 0 || !info.dli_fname) {
        std::snprintf(frame.text, sizeof frame.text, "%p, which is no code", frame.at);
        return;
    }
    frame.in_program = info.dli_fbase == own;
    const char* const slash = std::strrchr(info.dli_fname, '/');
    const char* const module = slash ? slash + 1 : info.dli_fname;
    const auto at = reinterpret_cast<std::uintptr_t>(frame.at);
    if (info.dli_sname)
        std::snprintf(frame.text, sizeof frame.text, "%s+0x%zx in %s", info.dli_sname,
                      at - reinterpret_cast<std::uintptr_t>(info.dli_saddr), module);
    else
        std::snprintf(frame.text, sizeof frame.text, "%s+0x%zx", module,
                      at - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

// The first in PATH; no lookup that allocates.
bool find_symbolizer(char (&path)[PATH_MAX]) {
    for (const char* folder = std::getenv("PATH"); folder && *folder;) {
        const std::size_t length = std::strcspn(folder, ":");
        if (std::snprintf(path, sizeof path, "%.*s/addr2line", static_cast<int>(length), folder) <
                static_cast<int>(sizeof path) &&
            access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':' ? 1 : 0);
    }
    return false;
}

// What it writes until it ends or the time is over. No fork(): that runs handlers.
void read_answer(char* const* arguments, char (&answer)[kAnswer]) {
    answer[0] = '\0';
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) {
        // NOLINTNEXTLINE(clang-analyzer-unix.Vfork): a system call, and no more
        dup2(ends[1], STDOUT_FILENO);
        execv(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    std::size_t length = 0;
    const std::uint64_t until = os::monotonic_nanoseconds() + std::uint64_t{kPatience} * 1'000'000;
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

// Function, file and line of the frames in the program, as its debugging information has them.
void name_by_lines(std::array<Frame, kFrames>& frames, int count) {
    char path[PATH_MAX];
    if (!may_run_others || !program[0] || !find_symbolizer(path)) return;
    char offsets[kFrames][24];
    char options[] = "-Cfpe";
    std::array<char*, kFrames + 4> arguments{path, options, program};
    std::array<Frame*, kFrames> asked{};
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) {
        Frame& frame = frames[static_cast<std::size_t>(i)];
        if (!frame.in_program) continue;
        std::snprintf(offsets[size], sizeof offsets[size], "0x%zx",
                      reinterpret_cast<std::uintptr_t>(frame.at) - program_base);
        arguments[3 + size] = offsets[size];
        asked[size++] = &frame;
    }
    if (size == 0) return;
    static char answer[kAnswer];
    read_answer(arguments.data(), answer);
    const char* line = answer;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t length = std::strcspn(line, "\n");
        if (line[length] == '\0') return;
        if (std::strncmp(line, "??", 2) != 0)
            std::snprintf(asked[i]->text, sizeof asked[i]->text, "%.*s", static_cast<int>(length),
                          line);
        line += length + 1;
    }
}

}  // namespace

void prepare_crash_report() {
    // The first call loads what the others use, and allocates: not in a program that has crashed
    // within malloc.
    void* here[1];
    backtrace(here, 1);
    std::snprintf(prefix, sizeof prefix, "%s", speaker_prefix().c_str());
    may_run_others = !os::has_more_rights_than_caller();
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void*) {
            program_base = object->dlpi_addr;
            return 1;  // the first one is the program
        },
        nullptr);
}

void say_crash(int signal, const siginfo_t* info, const void* instruction, const char* access) {
    char line[512];
    const char* const name = signal == SIGBUS ? "SIGBUS" : "SIGSEGV";
    if (info->si_code == SI_KERNEL)  // outside the 47 bits: the processor does not tell it
        std::snprintf(line, sizeof line, "%s%s, at an address that is none\n", prefix, name);
    else
        std::snprintf(line, sizeof line, "%s%s, %s address %p\n", prefix, name,
                      access ? access : "at", info->si_addr);
    write_text(line);
    std::array<Frame, kFrames> frames;
    const int count = find_frames(instruction, frames);
    // The program's own headers lie in its first page.
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &own);
    for (int i = 0; i < count; ++i)
        name_by_linker(frames[static_cast<std::size_t>(i)], own.dli_fbase);
    name_by_lines(frames, count);
    for (int i = 0; i < count; ++i) {
        std::snprintf(line, sizeof line, "isthmus:   #%d %s\n", i,
                      frames[static_cast<std::size_t>(i)].text);
        write_text(line);
    }
}

}  // namespace isthmus
