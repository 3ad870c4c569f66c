#include "core/session/crash_frames.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/os.hpp"
#include "core/session/frame_names.hpp"
#include "core/session/own_code.hpp"

// Of the compiler's library for unwinding, in no header: the table of a function, null if it has
// none. What else it finds goes to three pointers.
extern "C" const void* _Unwind_Find_FDE(void* at,  // NOLINT(bugprone-reserved-identifier)
                                        void** more);

namespace isthmus {
namespace {

// The handler's context, from which unwinding starts, as if the program were elsewhere. What was
// changed comes back with the object.
class Elsewhere {
  public:
    explicit Elsewhere(void* context)
        : machine_(static_cast<ucontext_t*>(context)->uc_mcontext), kept_(machine_) {}
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;
    ~Elsewhere() { machine_ = kept_; }
    std::uintptr_t frame() const {
#if defined(__x86_64__)
        return static_cast<std::uintptr_t>(kept_.gregs[REG_RBP]);
#elif defined(__aarch64__)
        return kept_.regs[29];
#endif
    }
    // In the call that returns there, with the stack and frame pointer as they were before; the
    // instruction.
    const void* move(std::uintptr_t returns_to, std::uintptr_t stack, std::uintptr_t frame) {
#if defined(__x86_64__)
        machine_.gregs[REG_RIP] = static_cast<greg_t>(returns_to - 1);
        machine_.gregs[REG_RSP] = static_cast<greg_t>(stack);
        machine_.gregs[REG_RBP] = static_cast<greg_t>(frame);
        return reinterpret_cast<const void*>(machine_.gregs[REG_RIP]);
#elif defined(__aarch64__)
        machine_.pc = returns_to - 4;
        machine_.sp = stack;
        machine_.regs[29] = frame;
        return reinterpret_cast<const void*>(machine_.pc);
#endif
    }

  private:
    mcontext_t& machine_;
    const mcontext_t kept_;
};

// After a call of what is no code the frames cannot be found: as if the call had not been made.
class BeforeCall {
  public:
    explicit BeforeCall(const Crash& crash) : elsewhere_(crash.context) {
        is_call_ = crash.signal == SIGSEGV && crash.info->si_addr == crash.instruction;
        if (!is_call_) return;
        const std::uintptr_t stack = stack_pointer(crash.context);
#if defined(__x86_64__)
        const auto* const top = reinterpret_cast<const std::uintptr_t*>(stack);
        is_call_ = os::is_mapped(top, sizeof *top);
        if (is_call_) instruction_ = elsewhere_.move(*top, stack + sizeof *top, elsewhere_.frame());
#elif defined(__aarch64__)
        const auto& machine = static_cast<const ucontext_t*>(crash.context)->uc_mcontext;
        instruction_ = elsewhere_.move(machine.regs[30], stack, elsewhere_.frame());
#endif
    }
    bool is_call() const {
        return is_call_;
    }
    const void* instruction() const {
        return instruction_;
    }

  private:
    Elsewhere elsewhere_;
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

template <std::size_t kCount>
bool is_in_one_of(const std::string_view (&libraries)[kCount], const void* at) {
    Dl_info info{};
    if (dladdr(at, &info) == 0 || !info.dli_fname) return false;
    const char* const slash = std::strrchr(info.dli_fname, '/');
    const std::string_view file = slash ? slash + 1 : info.dli_fname;
    return std::any_of(std::begin(libraries), std::end(libraries),
                       [=](std::string_view name) { return file.starts_with(name); });
}

// And what stands in front of it, as abort() of ThreadSanitizer does.
bool is_in_system_library(const void* at) {
    constexpr std::string_view kLibraries[] = {"libc.so",    "libc-",       "libpthread",
                                               "libstdc++.", "libgcc_s.so", "libc++",
                                               "libasan.",   "libtsan.",    "libubsan."};
    return is_in_one_of(kLibraries, at);
}

// This one, its roads and what those send by.
bool is_in_library(const void* at) {
    constexpr std::string_view kLibraries[] = {"libisthmus", "libfabric.", "libibverbs.",
                                               "librdmacm.", "libefa.",    "libpsm"};
    return is_own_code(at) || is_in_one_of(kLibraries, at);
}

// The first frame that is of none; `first` if there is no such.
int skip_system_frames(const void* const* all, int first, int count) {
    for (int i = first; i < count; ++i) {
        if (!is_in_system_library(static_cast<const char*>(all[i]) - 1)) return i;
    }
    return first;
}

// Between the fault and the first frame of the program's, `first` at most `count`: the innermost of
// the library's; -1 if it has none there.
int find_library_frame(const void* const* all, int count, int& first) {
    int innermost = -1;
    for (; first < count; ++first) {
        const void* const at = static_cast<const char*>(all[first]) - (first == 0 ? 0 : 1);
        const bool is_library = is_in_library(at);
        if (is_library && innermost < 0) innermost = first;
        if (!is_library && !is_in_system_library(at)) break;
    }
    return innermost;
}

// Whether a call stands before it, in the program's code.
bool is_behind_call(std::uintptr_t at, std::uintptr_t& called) {
    const auto* const code = reinterpret_cast<const unsigned char*>(at);
    called = 0;
    if (!is_in_program_code(code - 8) || !is_in_program_code(code)) return false;
#if defined(__x86_64__)
    if (code[-5] == 0xe8) {
        std::int32_t distance = 0;
        std::memcpy(&distance, code - 4, sizeof distance);
        called = at + static_cast<std::uintptr_t>(std::intptr_t{distance});
        return is_in_program_code(code + distance);
    }
    // By a register or by memory, with a displacement of up to four bytes.
    for (const int length : {2, 3, 4, 6, 7}) {
        if (code[-length] == 0xff && (code[1 - length] & 0x38) == 0x10) return true;
    }
    return false;
#elif defined(__aarch64__)
    std::uint32_t word = 0;
    std::memcpy(&word, code - 4, sizeof word);
    if (word >> 26 == 0x25) {  // bl
        const auto words = static_cast<std::int32_t>(word << 6) >> 6;
        called = at - 4 + static_cast<std::uintptr_t>(std::intptr_t{words} * 4);
        return true;
    }
    return (word & 0xfffffc1f) == 0xd63f0000;  // blr
#endif
}

// What unwinding finds from an instruction on, and where it ends.
struct Unwound {
    void* const* first;
    int count;
};
Unwound unwind_from(const void* instruction) {
    static void* all[64];
    const int count = unwind(all);
    int first = 0;
    while (first < count && all[first] != instruction)
        ++first;
    return {all + first, count - first};
}

// Where the function begins, if it has a table; else 0.
std::uintptr_t function_of(const void* instruction) {
    void* more[3] = {};
    const bool has_table = _Unwind_Find_FDE(const_cast<void*>(instruction), more) != nullptr;
    return has_table ? reinterpret_cast<std::uintptr_t>(more[2]) : 0;
}

// Whether the call leads to a function without a table, as the one is that has faulted. A call by a
// pointer may.
bool leads_to_fault(std::uintptr_t called) {
    return called == 0 || function_of(reinterpret_cast<const void*>(called)) == 0;
}
// Whether each call leads to the function of the frame above. Not of functions that another one has
// jumped to, or whose cold part lies elsewhere.
bool do_calls_fit(const Unwound& found) {
    for (int i = 0; i + 1 < found.count; ++i) {
        std::uintptr_t called = 0;
        const std::uintptr_t function = function_of(found.first[i]);
        const auto returns_to = reinterpret_cast<std::uintptr_t>(found.first[i + 1]);
        if (function == 0 || !is_behind_call(returns_to, called)) break;
        if (called != 0 && called != function) return false;
    }
    return true;
}

// Whether they come to what has called main or a thread's function: by a pointer, without a table.
bool lead_to_start(const Unwound& found) {
    std::uintptr_t called = 0;
    const void* const last = found.first[found.count - 1];
    return function_of(last) == 0 &&
           is_behind_call(reinterpret_cast<std::uintptr_t>(last), called) && called == 0;
}

// What is asked of a word of the stack that a call may have left there. A word of a call that has
// returned long ago may look the same: the first of these that finds one tells.
enum class Asked : std::uint8_t {
    start_fits,  // it leads to the fault, and each call behind it to the next frame, from the start
    start,       // it leads to the fault, and unwinding comes to the start
    calls_fit,   // it leads to the fault, and each call behind it to the next frame
    chain,       // it leads to the fault, and unwinding comes to another call
    call,        // it leads to the fault; the C library keeps no frame pointer for who needs it
    any_chain,   // unwinding comes to another call
    nothing
};

// Whether it may be what a call of the program's has left. The library's own code is none: such
// words are of calls that have returned.
bool is_candidate(std::uintptr_t word, Asked asked) {
    std::uintptr_t called = 0;
    return is_behind_call(word, called) && !is_own_code(reinterpret_cast<const void*>(word)) &&
           (asked == Asked::any_chain || leads_to_fault(called));
}

// The frames of a candidate, with one frame pointer; none if it is not as asked.
Unwound unwind_from_word(const std::uintptr_t* place, std::uintptr_t frame, Elsewhere& elsewhere,
                         Asked asked) {
    std::uintptr_t called = 0;
    std::uintptr_t next = 0;
    const auto stack = reinterpret_cast<std::uintptr_t>(place + 1);
    const Unwound found = unwind_from(elsewhere.move(*place, stack, frame));
    if (asked == Asked::call) {
        const bool is_alone = is_behind_call(*place, called) && called != 0 && found.count != 0 &&
                              function_of(found.first[0]) != 0;
        return is_alone ? Unwound{found.first, 1} : Unwound{nullptr, 0};
    }
    // Without a table it is who calls main or a thread's function, by a pointer.
    const bool has_next = found.count > 1 &&
                          is_behind_call(reinterpret_cast<std::uintptr_t>(found.first[1]), next) &&
                          (next == 0 || function_of(found.first[1]) != 0);
    if (!has_next || std::any_of(found.first, found.first + found.count, is_own_code))
        return {nullptr, 0};
    const bool has_start = asked > Asked::start || lead_to_start(found);
    const bool fits =
        (asked != Asked::start_fits && asked != Asked::calls_fit) || do_calls_fit(found);
    return has_start && fits ? found : Unwound{nullptr, 0};
}

// From where it ended, as far as it is looked at.
struct Stack {
    const std::uintptr_t* begin;
    const std::uintptr_t* end;
};
// Whether a function may keep its caller's frame pointer there, below where it returns to.
bool may_be_frame(const std::uintptr_t* at, const Stack& stack, std::uintptr_t& called) {
    return at >= stack.begin && at + 1 < stack.end && is_behind_call(at[1], called);
}

// The frames of a candidate. What is compiled without optimisation needs its frame pointer for
// that, and a function of the C library may have used the register for something else: then it is
// where a call of this function returns to, what lies below, or what the register is.
Unwound unwind_from_place(const std::uintptr_t* place, const Stack& stack, Elsewhere& elsewhere,
                          Asked asked) {
    constexpr std::ptrdiff_t kBelow = 2048;
    if (!is_candidate(*place, asked)) return {nullptr, 0};
    const std::uintptr_t function = function_of(reinterpret_cast<const void*>(*place - 1));
    std::uintptr_t called = 0;
    Unwound found{nullptr, 0};
    const auto attempt = [&](std::uintptr_t frame) {
        found = unwind_from_word(place, frame, elsewhere, asked);
        return found.count != 0;
    };
    for (const std::uintptr_t* at = place + 1; function != 0 && at + 1 < stack.end; ++at) {
        if (may_be_frame(at, stack, called) && called == function &&
            attempt(reinterpret_cast<std::uintptr_t>(at)))
            return found;
    }
    if (attempt(elsewhere.frame())) return found;
    for (std::ptrdiff_t i = 1; i <= std::min(kBelow, place - stack.begin); ++i) {
        const auto* const at = reinterpret_cast<const std::uintptr_t*>(place[-i]);
        if (place[-i] % sizeof *at == 0 && at > place && may_be_frame(at, stack, called) &&
            attempt(place[-i]))
            return found;
    }
    return found;
}

// Where unwinding has ended at once.
Unwound unwind_from_stack(std::uintptr_t begin, Elsewhere& elsewhere) {
    constexpr std::uintptr_t kFar = 1 << 16;
    constexpr std::uintptr_t kPage = 4096;
    std::uintptr_t end = begin;
    while (end < begin + kFar && os::is_mapped(reinterpret_cast<const void*>(end), 1))
        end = (end / kPage + 1) * kPage;
    const Stack stack{reinterpret_cast<const std::uintptr_t*>(begin),
                      reinterpret_cast<const std::uintptr_t*>(end)};
    for (auto asked = Asked::start_fits; asked != Asked::nothing;
         asked = static_cast<Asked>(static_cast<int>(asked) + 1)) {
        for (const std::uintptr_t* place = stack.begin; place < stack.end; ++place) {
            const Unwound found = unwind_from_place(place, stack, elsewhere, asked);
            if (found.count != 0) return found;
        }
    }
    return {nullptr, 0};
}

}  // namespace

std::uintptr_t stack_pointer(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return machine.sp;
#endif
}

FoundFrames find_frames(const Crash& crash, Frames& frames) {
    int found = 0;
    const auto add = [&](const void* at) { frames[static_cast<std::size_t>(found++)].at = at; };
    {
        const BeforeCall before(crash);
        const void* instruction = crash.instruction;
        if (before.is_call()) {
            add(instruction);
            instruction = before.instruction();
        }
        const Unwound all = unwind_from(instruction);
        // abort() is called at the end of some calls of the C and C++ libraries, which tell
        // nothing.
        int first = 0;
        if (crash.signal == SIGABRT) first = skip_system_frames(all.first, first, all.count);
        int of_program = first;
        const int library = find_library_frame(all.first, all.count, of_program);
        if (library >= 0) {
            add(static_cast<const char*>(all.first[library]) - (library == 0 ? 0 : 1));
            first = of_program;
        }
        for (int i = first; i < all.count && found < kFrames; ++i) {
            // A return address may belong to the next line already.
            add(static_cast<const char*>(all.first[i]) - (i == 0 ? 0 : 1));
        }
        if (all.count == 0) add(instruction);
        if (all.count > 1 || before.is_call() || function_of(instruction) != 0)
            return {found, found, library >= 0 && !before.is_call()};
    }
    const int certain = found;
    Elsewhere elsewhere(crash.context);
    const std::uintptr_t stack = stack_pointer(crash.context) & ~(sizeof(void*) - 1);
    const Unwound more = unwind_from_stack(stack, elsewhere);
    for (int i = 0; i < more.count && found < kFrames; ++i)
        add(static_cast<const char*>(more.first[i]) - (i == 0 ? 0 : 1));
    return {found, certain, false};
}

}  // namespace isthmus
