// Counts the instructions of marked calls by single steps: step PROGRAM [ARGUMENTS...].
//
// As PE 0 it runs the program under ptrace, as any other it becomes the program. The program marks
// a call by two breakpoints (programs/counts.c); between them every instruction of the calling
// thread is stepped and filed by the object that it lies in: the library and its modules, or
// libfabric. What lies in neither (libc) goes to whichever of the two called it; the program's own
// instructions are left out. A line for each marked call:
//
//     case=NAME before=N hash=N own=N fabric=N
//
// `before` is what the library executes up to the provider's first instruction, without the call
// itself; all of `own` if libfabric is not entered. `hash` is what of it lies in libsodium.
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

enum class Owner { program, library, hash, fabric, other };

struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    Owner owner;
};

std::vector<Range> read_ranges(pid_t process) {
    char program[4096] = "";
    const std::string folder = "/proc/" + std::to_string(process);
    if (readlink((folder + "/exe").c_str(), program, sizeof program - 1) < 0) return {};
    std::vector<Range> ranges;
    std::ifstream maps(folder + "/maps");
    for (std::string line; std::getline(maps, line);) {
        Range range{};
        char rights[8] = "";
        int path = 0;
        if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &range.begin,
                        &range.end, rights, &path) < 3 ||
            std::strchr(rights, 'x') == nullptr)
            continue;
        const std::string name = line.substr(static_cast<std::size_t>(path));
        range.owner = name == program                                   ? Owner::program
                      : name.find("/libisthmus") != std::string::npos   ? Owner::library
                      : name.find("/libsodium.so") != std::string::npos ? Owner::hash
                      : name.find("/libfabric.so") != std::string::npos ? Owner::fabric
                                                                        : Owner::other;
        ranges.push_back(range);
    }
    return ranges;
}

Owner owner_of(const std::vector<Range>& ranges, std::uint64_t address) {
    static std::size_t last = 0;  // most steps stay where they are
    if (last < ranges.size() &&
        address - ranges[last].begin < ranges[last].end - ranges[last].begin)
        return ranges[last].owner;
    for (last = 0; last < ranges.size(); ++last) {
        if (address >= ranges[last].begin && address < ranges[last].end) return ranges[last].owner;
    }
    return Owner::other;
}

std::string read_text(pid_t process, std::uint64_t address) {
    char text[64] = "";
    iovec here{text, sizeof text - 1};
    iovec there{reinterpret_cast<void*>(address), sizeof text - 1};
    process_vm_readv(process, &here, 1, &there, 1, 0);
    return text;
}

// Steps to the next breakpoint. False if the process is gone.
bool step_to_mark(pid_t process, const std::string& name) {
    const std::vector<Range> ranges = read_ranges(process);
    long before = -1, hash = 0, own = 0, fabric = 0;
    Owner caller = Owner::library;
    for (int signal = 0;;) {
        if (ptrace(PTRACE_SINGLESTEP, process, nullptr, signal) != 0) return false;
        int status = 0;
        if (waitpid(process, &status, 0) != process || !WIFSTOPPED(status)) return false;
        signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        user_regs_struct registers{};
        ptrace(PTRACE_GETREGS, process, nullptr, &registers);
        const std::uint64_t at = registers.rip;
        Owner owner = owner_of(ranges, at);
        if (owner == Owner::program) {
            // A breakpoint tells itself from a step by its code.
            siginfo_t cause{};
            ptrace(PTRACE_GETSIGINFO, process, nullptr, &cause);
            if (cause.si_code == SI_KERNEL) break;
            continue;
        }
        if (owner == Owner::other) owner = caller;
        if (owner == Owner::hash && before < 0) ++hash;
        caller = owner;
        if (owner == Owner::fabric) {
            if (before < 0) before = own - 1;
            ++fabric;
        } else {
            ++own;
        }
    }
    std::printf("case=%s before=%ld hash=%ld own=%ld fabric=%ld\n", name.c_str(),
                before < 0 ? own : before, hash, own, fabric);
    std::fflush(stdout);  // whoever ends the job may end this process with it
    return true;
}

int trace(char** arguments) {
    const pid_t process = fork();
    if (process == 0) {
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        execv(arguments[0], arguments);
        std::perror(arguments[0]);
        _exit(127);
    }
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) != process) return 127;
    ptrace(PTRACE_SETOPTIONS, process, nullptr, PTRACE_O_EXITKILL);
    for (int signal = 0; WIFSTOPPED(status);) {
        if (ptrace(PTRACE_CONT, process, nullptr, signal) != 0 ||
            waitpid(process, &status, 0) != process)
            return 127;
        if (!WIFSTOPPED(status)) break;
        signal = WSTOPSIG(status);
        if (signal != SIGTRAP) continue;
        signal = 0;
        user_regs_struct registers{};
        ptrace(PTRACE_GETREGS, process, nullptr, &registers);
        if (!step_to_mark(process, read_text(process, registers.rdi))) return 127;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_first_pe() {
    const char* const bootstrap = std::getenv("ISTHMUS_BOOTSTRAP");  // local:FILE:PE:PES
    int pe = -1;
    return bootstrap && std::sscanf(bootstrap, "local:%*d:%d:", &pe) == 1 && pe == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "step PROGRAM [ARGUMENTS...]\n");
        return 2;
    }
    if (is_first_pe()) return trace(argv + 1);
    execv(argv[1], argv + 1);
    std::perror(argv[1]);
    return 127;
}
