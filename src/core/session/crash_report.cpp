#include "core/session/crash_report.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/error_stream.hpp"
#include "base/exit_now.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/routine.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/job/job.hpp"
#include "core/job/program_data.hpp"
#include "core/session/fault_reading.hpp"
#include "core/session/own_code.hpp"

namespace isthmus {
namespace {

constexpr int kFrames = 8;
constexpr int kMostFramesOfCall = 24;  // of the library's own before the program's
constexpr int kInlined = 8;            // of a frame, that are told
constexpr int kPatience = 3000;        // milliseconds that addr2line may take
constexpr std::size_t kAnswer = 8192;

char prefix[256];
char program[PATH_MAX];
std::uintptr_t program_base;
Range program_code;
bool may_run_others;

struct Frame {
    const void* at = nullptr;  // within the call
    const void* module = nullptr;
    const char* file = nullptr;  // of the module
    char text[300] = "";
    const char* inlined = nullptr;  // lines of addr2line: the calls that the compiler put here
};

void write_text(const char* text) {
    for (std::size_t left = std::strlen(text); left != 0;) {
        const ssize_t written = write(error_stream(), text, left);
        if (written < 0 && errno != EINTR) return;
        if (written > 0) {
            text += written;
            left -= static_cast<std::size_t>(written);
        }
    }
}

// Where handlers run if the stack has ended. The report needs the frames' texts and what unwinding
// and the C library take.
constexpr std::size_t kHandlerStack = std::size_t{256} << 10;

std::uintptr_t stack_pointer(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return machine.sp;
#endif
}

// After a call of what is no code the frames cannot be found: as if the call had not been made.
// What was changed comes back with the object.
class BeforeCall {
  public:
    explicit BeforeCall(const Crash& crash)
        : machine_(static_cast<ucontext_t*>(crash.context)->uc_mcontext), kept_(machine_) {
        is_call_ = crash.signal == SIGSEGV && crash.info->si_addr == crash.instruction;
        if (!is_call_) return;
#if defined(__x86_64__)
        const auto* const top = reinterpret_cast<const greg_t*>(machine_.gregs[REG_RSP]);
        is_call_ = os::is_mapped(top, sizeof *top);
        if (!is_call_) return;
        machine_.gregs[REG_RIP] = *top - 1;
        machine_.gregs[REG_RSP] += static_cast<greg_t>(sizeof *top);
        instruction_ = reinterpret_cast<const void*>(machine_.gregs[REG_RIP]);
#elif defined(__aarch64__)
        machine_.pc = machine_.regs[30] - 4;
        instruction_ = reinterpret_cast<const void*>(machine_.pc);
#endif
    }
    BeforeCall(const BeforeCall&) = delete;
    BeforeCall& operator=(const BeforeCall&) = delete;
    ~BeforeCall() {
        machine_ = kept_;
    }
    bool is_call() const {
        return is_call_;
    }
    const void* instruction() const {
        return instruction_;
    }

  private:
    mcontext_t& machine_;
    const mcontext_t kept_;
    bool is_call_ = false;
    const void* instruction_ = nullptr;
};

sigjmp_buf before_unwinding;
pid_t unwinding = 0;

// Another thread's fault waits here for the end that this report is of.
void leave_unwinding(int) {
    if (gettid() == unwinding) siglongjmp(before_unwinding, 1);
    for (;;)
        pause();
}

// backtrace(), as far as it comes: on a stack that was written over it follows what is no frame,
// and faults. That must be neither the end of the report nor the signal that the PE ends by.
int unwind(void* (&all)[64]) {
    struct sigaction leaving {};
    leaving.sa_handler = leave_unwinding;
    struct sigaction segv {};
    struct sigaction bus {};
    sigset_t faults;
    sigset_t before;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    unwinding = gettid();
    std::fill(std::begin(all), std::end(all), nullptr);
    sigaction(SIGSEGV, &leaving, &segv);
    sigaction(SIGBUS, &leaving, &bus);
    pthread_sigmask(SIG_UNBLOCK, &faults, &before);
    if (sigsetjmp(before_unwinding, 0) == 0) backtrace(all, 64);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    sigaction(SIGSEGV, &segv, nullptr);
    sigaction(SIGBUS, &bus, nullptr);
    return static_cast<int>(std::find(std::begin(all), std::end(all), nullptr) - std::begin(all));
}

bool is_in_system_library(const void* at) {
    Dl_info info{};
    if (dladdr(at, &info) == 0 || !info.dli_fname) return false;
    const char* const slash = std::strrchr(info.dli_fname, '/');
    const std::string_view file = slash ? slash + 1 : info.dli_fname;
    constexpr std::string_view kLibraries[] = {"libc.so",    "libc-",       "libpthread",
                                               "libstdc++.", "libgcc_s.so", "libc++"};
    return std::any_of(std::begin(kLibraries), std::end(kLibraries),
                       [=](std::string_view name) { return file.starts_with(name); });
}

// The first frame that is of none; `first` if there is no such.
int skip_system_frames(const void* const* all, int first, int count) {
    for (int i = first; i < count; ++i) {
        if (!is_in_system_library(static_cast<const char*>(all[i]) - 1)) return i;
    }
    return first;
}

// The frames from the faulting one on.
int find_frames(const Crash& crash, std::array<Frame, kFrames>& frames) {
    const BeforeCall before(crash);
    int found = 0;
    const void* instruction = crash.instruction;
    if (before.is_call()) {
        frames[static_cast<std::size_t>(found++)].at = instruction;
        instruction = before.instruction();
    }
    static void* all[64];
    const int count = unwind(all);
    int first = 0;
    while (first < count && all[first] != instruction)
        ++first;
    if (first == count) {
        frames[static_cast<std::size_t>(found++)].at = instruction;
        return found;
    }
    // abort() is called at the end of some calls of the C and C++ libraries, which tell nothing.
    const int faulting = first;
    if (crash.signal == SIGABRT) first = skip_system_frames(all, first, count);
    for (int i = first; i < count && found < kFrames; ++i, ++found) {
        // A return address may belong to the next line already.
        frames[static_cast<std::size_t>(found)].at =
            static_cast<const char*>(all[i]) - (i == faulting ? 0 : 1);
    }
    return found;
}

// Why nothing can be at the address.
Text detail_text(const Crash& crash) {
    if (has_stack_ended(crash))
        return Text(": the stack has ended (too deep a recursion, or a large array)");
    if (is_given_back(reinterpret_cast<std::uintptr_t>(crash.info->si_addr)))
        return Text(": it was memory when a call of the library used it, and has been given back");
    if (crash.signal == SIGBUS && crash.info->si_code == BUS_ADRERR)
        return Text(
            ": the file that is mapped there has become shorter, or there is no memory for it");
    if (job.checked) {
        if (const Text freed = guarded::describe_closed(crash.info->si_addr); !freed.empty())
            return Text(", ", freed);
    }
    return Text();
}

// What has happened, behind the signal's name.
const char* reason_text(const Crash& crash, char (&text)[192]) {
    const siginfo_t& info = *crash.info;
    switch (crash.signal) {
        case SIGABRT:
            return abi::__cxa_current_exception_type()
                       ? ": nothing has caught an exception, or abort was called while one was "
                         "handled"
                       : ": the program has called abort, or an assertion has failed";
        case SIGILL:
            std::snprintf(text, sizeof text, ", no instruction at %p", info.si_addr);
            break;
        case SIGFPE:
            std::snprintf(text, sizeof text, ", %s at %p",
                          info.si_code == FPE_INTDIV   ? "division of an integer by zero"
                          : info.si_code == FPE_INTOVF ? "overflow of an integer"
                                                       : "a trap of floating-point arithmetic",
                          info.si_addr);
            break;
        default:
            if (info.si_code == SI_KERNEL)  // outside the 47 bits: the processor does not tell it
                return ", at an address that is none";
            // Details are shorter; so much finds room.
            std::snprintf(text, sizeof text, ", %s address %#zx%.128s",
                          crash.info->si_addr == crash.instruction ? "jump to"
                          : crash.access                           ? crash.access
                                                                   : "at",
                          reinterpret_cast<std::uintptr_t>(info.si_addr),
                          detail_text(crash).c_str());
    }
    return text;
}

const char* signal_name(int signal) {
    switch (signal) {
        case SIGBUS: return "SIGBUS";
        case SIGFPE: return "SIGFPE";
        case SIGILL: return "SIGILL";
        case SIGABRT: return "SIGABRT";
        default: return "SIGSEGV";
    }
}

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
void read_answer(char* const* arguments, char (&answer)[kAnswer], std::uint64_t until) {
    answer[0] = '\0';
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) {
        // NOLINTNEXTLINE(clang-analyzer-unix.Vfork): a system call, and no more
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
    char path[PATH_MAX];
    char file[PATH_MAX];
};

// Function, file and line of a module's frames, as its debugging information has them. `answer`
// stays where it is.
void name_by_lines(std::array<Frame, kFrames>& frames, int count, const Module& module,
                   Question& question, char (&answer)[kAnswer], std::uint64_t until) {
    auto& [path, file] = question;
    if (!find_symbolizer(path)) return;
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
void name_by_lines(std::array<Frame, kFrames>& frames, int count, const void* own) {
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

void say_inlined(const char* line) {
    for (int i = 0; i < kInlined && line && is_inlined(line); ++i) {
        const char* const text = line + sizeof kInlinedBy - 1;
        char out[400];
        std::snprintf(out, sizeof out, "isthmus:      inlined in %.*s\n",
                      static_cast<int>(told_length(text)), text);
        write_text(out);
        line += std::strcspn(line, "\n");
        if (*line == '\n') ++line;
    }
}

}  // namespace

void prepare_crash_report() {
    // The first call loads what the others use, and allocates: not in a program that has crashed
    // within malloc.
    void* here[1];
    backtrace(here, 1);
    std::snprintf(prefix, sizeof prefix, "%s", speaker_prefix().c_str());
    // For ever: exit handlers crash, too.
    alignas(HandlerStack) static std::byte stack[sizeof(HandlerStack)];
    static const bool is_given = new (stack) HandlerStack;
    (void)is_given;
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

HandlerStack::HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    void* const place = mmap(nullptr, kHandlerStack, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return;
    stack_t own{};
    own.ss_sp = place;
    own.ss_size = kHandlerStack;
    if (sigaltstack(&own, nullptr) == 0)
        place_ = place;
    else
        munmap(place, kHandlerStack);
}

HandlerStack::~HandlerStack() {
    if (!place_) return;
    stack_t now{};
    if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == place_) {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        if (sigaltstack(&none, nullptr) != 0) return;  // a handler runs on it
    }
    munmap(place_, kHandlerStack);
}

// Below the first thread's stack nothing is mapped, below another one's lies a page that may not be
// touched.
bool has_stack_ended(const Crash& crash) {
    constexpr std::uintptr_t kNear = 1 << 16;  // a frame that is written from its far end
    const auto at = reinterpret_cast<std::uintptr_t>(crash.info->si_addr);
    return crash.signal == SIGSEGV && crash.info->si_code != SI_KERNEL && at >= kNear &&
           at - (stack_pointer(crash.context) - kNear) < 2 * kNear &&
           (crash.info->si_code == SEGV_ACCERR || !os::is_mapped(crash.info->si_addr, 1));
}

void say_sent_signal(int signal, const siginfo_t* info) {
    char line[512];
    char sender[32] = "";
    const bool has_sender =
        info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE;
    if (has_sender && info->si_pid == getpid())
        std::snprintf(sender, sizeof sender, ", sent by itself");
    else if (has_sender)
        std::snprintf(sender, sizeof sender, ", sent by process %d", info->si_pid);
    std::snprintf(line, sizeof line, "%skilled by %s%s; last noted call %s; the job ends\n", prefix,
                  signal_name(signal), sender,
                  routine_name(job.status().routine.load(std::memory_order_relaxed)));
    write_text(line);
}

ProgramPlace place_in_source(const void* at) {
    if (!may_run_others || !program[0]) return {};
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &own);
    std::array<Frame, kFrames> frames;
    frames[0].at = at;
    frames[0].module = own.dli_fbase;
    // Of this call: several threads may ask at once.
    struct Asked {
        Question question;
        char answer[kAnswer] = "";
    };
    const auto asked = std::make_unique<Asked>();
    name_by_lines(frames, 1, {own.dli_fbase, program_base, program, true}, asked->question,
                  asked->answer, os::monotonic_nanoseconds() + 1'000'000'000);
    std::string_view lines = asked->answer;
    ProgramPlace found;
    while (!lines.empty()) {
        std::string_view line = lines.substr(0, told_length(lines.data()));
        lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
        if (is_inlined(line.data())) line.remove_prefix(sizeof kInlinedBy - 1);
        const std::size_t place = line.rfind(" at ");
        if (place == std::string_view::npos) return {};
        const std::string_view file = line.substr(place + 4);
        if (file.ends_with("?")) return {};  // no line: "model.c:?", of a symbol alone
        // An operation that is inlined stands before who called it.
        const std::size_t folder = file.rfind('/');
        const bool is_own = folder != std::string_view::npos &&
                            file.substr(0, folder).ends_with("/isthmus") &&
                            file.find(".h:") != std::string_view::npos;
        if (!is_own) {
            found.line = " (" + std::string(file) + ")";
            return found;
        }
        found.inlined = line.substr(0, place);
    }
    return {};
}

std::string line_of_caller() {
    void* frames[kMostFramesOfCall];
    const int count = backtrace(frames, kMostFramesOfCall);
    for (int i = 0; i < count; ++i) {
        const void* const at = static_cast<const char*>(frames[i]) - 1;
        const CodeOf owner = code_of(at);
        if (owner == CodeOf::library) continue;
        // A library of the program's may have lines of its own, but not by this way.
        return owner == CodeOf::program ? line_in_program(at) : "";
    }
    return "";
}

void say_crash(const Crash& crash) {
    char line[512];
    char reason[192];
    // Our own launcher reads the last call on its host, and says it of every end.
    std::snprintf(
        line, sizeof line, "%s%s%s%s%s\n", prefix, signal_name(crash.signal),
        reason_text(crash, reason), job.launched ? "" : "; last noted call ",
        job.launched ? "" : routine_name(job.status().routine.load(std::memory_order_relaxed)));
    write_text(line);
    std::array<Frame, kFrames> frames;
    const int count = find_frames(crash, frames);
    // The program's own headers lie in its first page.
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &own);
    for (int i = 0; i < count; ++i)
        name_by_linker(frames[static_cast<std::size_t>(i)]);
    name_by_lines(frames, count, own.dli_fbase);
    for (int i = 0; i < count; ++i) {
        std::snprintf(line, sizeof line, "isthmus:   #%d %s\n", i,
                      frames[static_cast<std::size_t>(i)].text);
        write_text(line);
        say_inlined(frames[static_cast<std::size_t>(i)].inlined);
    }
}

}  // namespace isthmus
