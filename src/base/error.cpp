#include "base/error.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/alarm.hpp"
#include "base/error_stream.hpp"
#include "base/exit_now.hpp"

namespace isthmus {
namespace {

int speaker = -1;
JobEnd job_end{nullptr, nullptr};
constinit std::atomic<bool> has_said_why = false;
constinit std::atomic<bool> is_writing = false;

Text own_host() {
    char name[256] = "?";
    gethostname(name, sizeof name - 1);
    return Text(name);
}

Text prefix() {
    if (speaker < 0) return Text("isthmus: ");
    return Text("isthmus: PE ", speaker, " (host ", own_host(), "): ");
}

iovec part(std::string_view words) {
    return {const_cast<char*>(words.data()), words.size()};
}

// A short or failed write to standard error has nobody left to be told; a signal of the program's
// that comes while it waits for a reader is no failure.
void write_errors(const iovec* parts, std::size_t count) {
    while (writev(error_stream(), parts, static_cast<int>(count)) < 0 && errno == EINTR) {
    }
}

[[noreturn]] void end(int status) {
    if (job_end.end) job_end.end(status);
    exit_now(status);
}

bool speak(std::string_view where, std::string_view what) {
    const bool first = (!job_end.claim || job_end.claim(1)) && is_first_reason();
    if (first) say_from(where, what);
    return first;
}

}  // namespace

constinit CallerLine* caller_line = nullptr;

std::string called(std::string_view routine) {
    return std::string(routine) + (caller_line ? caller_line() : "");
}

void set_speaker(int pe) {
    speaker = pe;
}

// A forked child, which sets its own, has said nothing yet.
void set_job_end(const JobEnd& end) {
    job_end = end;
    has_said_why.store(false, std::memory_order_relaxed);
}

// Relaxed: one of several is the first, whoever it is.
bool is_first_reason() {
    return !has_said_why.exchange(true, std::memory_order_relaxed);
}

std::string host_name() {
    return std::string(own_host());
}

std::string speaker_prefix() {
    return std::string(prefix());
}

void say(const char* text) {
    iovec whole = part(text);
    write_errors(&whole, 1);
}

void say_from(std::string_view where, std::string_view what) {
    const Text who = prefix();
    iovec parts[] = {part(who), part(where), part(where.empty() ? "" : ": "), part(what),
                     part("\n")};
    write_errors(parts, std::size(parts));
}

void fail(std::string_view where, std::string_view what) {
    if (speak(where, what) && job_end.flush) flush_output(1);
    end(1);
}

void refuse(std::string_view routine, std::string_view what) {
    fail(called(routine), what);
}

void fail_in_handler(std::string_view where, std::string_view what) {
    speak(where, what);
    end(1);
}

void exit_after(unsigned seconds, int status) {
    os::call_after(os::Limit::farewell, seconds, exit_now, status);
}

void exit_no_more() {
    os::give_alarm_back(os::Limit::farewell);
}

void write_standard_output() {
    for (FILE* stream : {stdout, stderr}) {
        if (ftrylockfile(stream) != 0) continue;
        fflush_unlocked(stream);
        funlockfile(stream);
    }
}

void flush_output(int status) {
    is_writing.store(true, std::memory_order_relaxed);
    os::call_after(os::Limit::output, 1, end, status);
    write_standard_output();
    std::fflush(nullptr);
    os::call_no_more(os::Limit::output);
    is_writing.store(false, std::memory_order_relaxed);
}

bool is_output_being_written() {
    return is_writing.load(std::memory_order_relaxed);
}

std::string hexadecimal(std::uintptr_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(value));
    return text;
}

}  // namespace isthmus
