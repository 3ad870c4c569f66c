// Messages to the person who runs the job. One line each:
//     isthmus: PE 3 (host b): shmem_putmem: pe 9 is out of range 0..3
// printed once, where the cause is first known. docs/errors.md lists the texts; golden tests hold
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace isthmus {

// Who speaks: set once the process knows its PE. Before that, messages have no "PE" part.
void set_speaker(int pe);

// "isthmus: PE 3 (host b): "
std::string speaker_prefix();

// One line on standard error, written by a single system call so that lines of several PEs do not
// mix. Safe from a signal handler, and without memory, if the text is at hand.
void say(const char* text);
void say_from(std::string_view where, std::string_view what);

// Prints and ends the job with exit status 1 (every PE, by way of the launcher). If several PEs
// fail at once, the first one prints: they usually fail for one reason. It also writes its buffered
// output, as flush_output does.
[[noreturn]] void fail(std::string_view where, std::string_view what);
// Whether this is the first time that a thread of this process is about to say why the job ends:
// while it waits for the end of it others may come to know of a reason, which is what comes of
// that.
bool is_first_reason();
// The same from a signal handler, which may have interrupted the output: it is not written.
[[noreturn]] void fail_in_handler(std::string_view where, std::string_view what);

// This process ends then with that status, whatever its threads wait for, unless it has ended
// before. From a handler of a signal as well.
void exit_after(unsigned seconds, int status);
// Unless this comes first; a program's own alarm is then as it was.
void exit_no_more();

// What is buffered of these two, unless another thread holds the stream.
void write_standard_output();
// Writes the program's buffered output, as far as no other thread holds the stream. At most a
// second; then the job ends with this status.
void flush_output(int status);
// Whether a thread of this process is at that: a handler of a signal leaves it alone.
bool is_output_being_written();

// How a process ends its job; the job installs it. `claim` is true for the first caller of the
// job; `end` does not return. What a forked child has in its buffers is its parent's output: no
// `flush`.
struct JobEnd {
    bool (*claim)(int status);
    void (*end)(int status);
    bool flush = true;
};
void set_job_end(const JobEnd& job_end);

// " (model.c:12)": where the program calls the library, as far as is known. The session sets it;
// null until then. Not in a handler of a signal.
using CallerLine = std::string();
extern CallerLine* caller_line __attribute__((visibility("hidden")));
// The routine, and where it was called: for what is wrong with a call's arguments.
std::string called(std::string_view routine);
// fail(), and where the program has called the routine: of a call that is wrong.
[[noreturn]] void refuse(std::string_view routine, std::string_view what);

std::string host_name();

// "0x7f00aa10", as all messages write addresses.
std::string hexadecimal(std::uintptr_t value);
inline std::string hexadecimal(const void* address) {
    return hexadecimal(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace isthmus
