#include "core/session/crash_report.hpp"

#include <cxxabi.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "base/error.hpp"
#include "base/error_stream.hpp"
#include "base/os.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/job/job.hpp"
#include "core/session/crash_frames.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/fault_reading.hpp"
#include "core/session/frame_names.hpp"

namespace isthmus {
namespace {

char prefix[256];

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

// The frames leave in one piece, since another PE's may come at the same time. Of the one thread
// that reports. Each text is shorter than all of it.
struct Gathered {
    char bytes[16384];
    std::size_t used;

    void add(const char* text) {
        const std::size_t length = std::strlen(text);
        if (used + length >= sizeof bytes) write();
        std::memcpy(bytes + used, text, length + 1);
        used += length;
    }
    void write() {
        if (used != 0) write_text(bytes);
        used = 0;
    }
};
constinit Gathered gathered{};

// Others of this host, whose lines stand beside these.
bool do_others_report() {
    for (int pe = 0; pe < job.pes; ++pe)
        if (pe != job.me && job.host.test(static_cast<std::size_t>(pe)) && has_told_end(pe))
            return true;
    return false;
}

constexpr int kInlined = 8;  // of a frame, that are told

// Where handlers run if the stack has ended. The report needs the frames' texts and what unwinding
// and the C library take.
constexpr std::size_t kHandlerStack = std::size_t{256} << 10;

// Why nothing can be at the address.
Text detail_text(const Crash& crash) {
    if (has_stack_ended(crash))
        return Text(": the stack has ended (too deep a recursion, or a large array)");
    if (is_given_back(reinterpret_cast<std::uintptr_t>(crash.info->si_addr)))
        return Text(": it was memory when a call of the library used it, and has been given back");
    if (crash.signal == SIGBUS && crash.info->si_code == BUS_ADRERR)
        return Text(
            ": the file that is mapped there has become shorter, or there is no memory for it");
    if (crash.access && std::strncmp(crash.access, "write", 5) == 0 &&
        is_constant(reinterpret_cast<std::uintptr_t>(crash.info->si_addr)))
        return Text(": it is a constant of the program, which may be read, not written");
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

void say_inlined(const char* lines) {
    for (int i = 0; i < kInlined && lines; ++i) {
        const std::string_view call = take_inlined(lines);
        if (call.empty()) return;
        char out[400];
        std::snprintf(out, sizeof out, "isthmus:      inlined in %.*s\n",
                      static_cast<int>(call.size()), call.data());
        gathered.add(out);
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
    prepare_frame_names();
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

void say_crash(const Crash& crash) {
    char line[512];
    char reason[192];
    // Our own launcher reads the last call on its host, and says it of every end.
    std::snprintf(
        line, sizeof line, "%s%s%s%s%s\n", prefix, signal_name(crash.signal),
        reason_text(crash, reason), job.launched ? "" : "; last noted call ",
        job.launched ? "" : routine_name(job.status().routine.load(std::memory_order_relaxed)));
    write_text(line);
    Frames frames;
    const FoundFrames found = find_frames(crash, frames);
    name_frames(frames, found.count);
    if (job.header && found.count != 0 && do_others_report()) {
        std::snprintf(line, sizeof line, "isthmus:   of PE %d:\n", job.me);
        gathered.add(line);
    }
    if (found.is_in_library) {
        std::snprintf(line, sizeof line, "isthmus:   within the library: %s\n", frames[0].text);
        gathered.add(line);
        if (found.count == 1)
            gathered.add(
                "isthmus:   in a thread of the library's, which completes what calls have begun: "
                "nothing of the program is on its stack; ISTHMUS_CHECK=1 looks at addresses in the "
                "call that is given them\n");
    }
    const int own = found.is_in_library ? 1 : 0;
    for (int i = own; i < found.count; ++i) {
        if (i == found.certain)
            gathered.add(
                "isthmus:   what has called it keeps no frame; on the stack lies, perhaps:\n");
        const Frame& frame = frames[static_cast<std::size_t>(i)];
        std::snprintf(line, sizeof line, "isthmus:   #%d %s\n", i - own, frame.text);
        gathered.add(line);
        say_inlined(frame.inlined);
    }
    gathered.write();
}

}  // namespace isthmus
