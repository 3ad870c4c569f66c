#include "api/profile/trace.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>

#include "base/error.hpp"
#include "base/settings.hpp"

namespace isthmus::profile {
namespace {

constexpr std::string_view kTail = "\n]}\n";

int file = -1;
std::uint64_t zero = 0;  // the trace's time 0, monotonic nanoseconds

void give_up(const char* what) {
    say_from("shmem_init", std::string("cannot ") + what +
                               " ISTHMUS_TRACE=" + value(Setting::trace).text + ": " +
                               std::strerror(errno) + "; the job goes on without");
    if (file >= 0) close(file);
    file = -1;
}

bool write_all(std::string_view text, off_t position) {
    while (!text.empty()) {
        const ssize_t written = pwrite(file, text.data(), text.size(), position);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
        position += written;
    }
    return true;
}

// Events, each beginning with a comma, in front of the tail.
void append(std::string events) {
    // flock keeps out the other PEs; the threads of this one share the open file.
    static std::mutex writing;
    const std::lock_guard lock(writing);
    if (file < 0) return;
    events += kTail;
    struct stat status {};
    bool written = false;
    if (flock(file, LOCK_EX) == 0) {
        written = fstat(file, &status) == 0 &&
                  write_all(events, status.st_size - static_cast<off_t>(kTail.size()));
        if (!written) {  // a full disk: leave what was there
            const int reason = errno;
            if (ftruncate(file, status.st_size - static_cast<off_t>(kTail.size())) == 0)
                write_all(kTail, status.st_size - static_cast<off_t>(kTail.size()));
            errno = reason;
        }
        flock(file, LOCK_UN);
    }
    if (written) return;
    say_from("trace", std::string("cannot write to ISTHMUS_TRACE=") + value(Setting::trace).text +
                          ": " + std::strerror(errno) + "; the trace ends here");
    close(file);
    file = -1;
}

std::string metadata(const char* kind, int thread, const std::string& arguments) {
    return ",\n{\"ph\":\"M\",\"name\":\"" + std::string(kind) +
           "\",\"ts\":0,\"pid\":" + std::to_string(pshmem_my_pe()) +
           ",\"tid\":" + std::to_string(thread) + ",\"args\":{" + arguments + "}}";
}

template <typename Number>
void put(std::string& text, Number number) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// Microseconds with three decimals.
void put_time(std::string& text, std::uint64_t nanoseconds) {
    put(text, nanoseconds / 1000);
    const auto digit = [](std::uint64_t value) { return static_cast<char>('0' + value % 10); };
    text += '.';
    text += digit(nanoseconds / 100);
    text += digit(nanoseconds / 10);
    text += digit(nanoseconds);
}

// Of all PEs.
std::uint64_t next_arrow() {
    static std::atomic<std::uint64_t> arrows{0};
    return static_cast<std::uint64_t>(pshmem_my_pe()) << 40 |
           arrows.fetch_add(1, std::memory_order_relaxed);
}

void put_end(std::string& text, const char* phase, std::uint64_t number, int pe, int thread,
             std::uint64_t time) {
    text += ",\n{\"ph\":\"";
    text += phase;
    text += ",\"name\":\"seen\",\"cat\":\"seen\",\"id\":";
    put(text, number);
    text += ",\"pid\":";
    put(text, pe);
    text += ",\"tid\":";
    put(text, thread);
    text += ",\"ts\":";
    put_time(text, std::max(time, zero) - zero);
    text += '}';
}

template <typename OneEvent>
void put_slice(std::string& text, const char* name, const char* category, int thread,
               const OneEvent& event, int target) {
    text += ",\n{\"ph\":\"X\",\"name\":\"";
    text += name;
    text += "\",\"cat\":\"";
    text += category;
    text += "\",\"pid\":";
    put(text, pshmem_my_pe());
    text += ",\"tid\":";
    put(text, thread);
    text += ",\"ts\":";
    // Another PE's init may have begun before PE 0's; time does not.
    const std::uint64_t begin = std::max(event.begin, zero);
    put_time(text, begin - zero);
    text += ",\"dur\":";
    put_time(text, event.end > begin ? event.end - begin : 0);
    text += ",\"args\":{\"bytes\":";
    put(text, event.bytes);
    if (target >= 0) {
        text += ",\"pe\":";
        put(text, target);
    }
    text += "}}";
}

// PE 0 makes the file; the others learn the time of its beginning from the first line.
void create(const std::string& path, std::uint64_t begin) {
    file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return give_up("create");
    zero = begin;
    char head[256];
    std::snprintf(head, sizeof head,
                  "{\"otherData\":{\"zero\":\"%020llu\"},\"displayTimeUnit\":\"ns\","
                  "\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_labels\",\"ts\":0,\"pid\":0,"
                  "\"tid\":0,\"args\":{\"labels\":\"Isthmus\"}}",
                  static_cast<unsigned long long>(zero));
    if (!write_all(head + std::string(kTail), 0)) give_up("write to");
}

void join(const std::string& path) {
    file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return give_up("open");
    char head[64] = {};
    unsigned long long number = 0;
    if (pread(file, head, sizeof head - 1, 0) < 0 ||
        std::sscanf(head, "{\"otherData\":{\"zero\":\"%llu\"", &number) != 1)
        return give_up("read");
    zero = number;
}

}  // namespace

bool trace_open(const std::string& path, std::uint64_t begin) {
    static bool opened = false;
    if (opened) return file >= 0;  // initialised again after finalize: the trace goes on
    opened = true;
    // If PE 0 cannot make the file, it has said so for all.
    auto* const made = static_cast<int*>(pshmem_calloc(1, sizeof(int)));
    if (pshmem_my_pe() == 0) {
        create(path, begin);
        if (made) *made = file >= 0;
    }
    pshmem_barrier_all();
    if (pshmem_my_pe() != 0 && (!made || pshmem_int_g(made, 0) != 0)) join(path);
    pshmem_free(made);
    if (file < 0) return false;
    const std::string me = std::to_string(pshmem_my_pe());
    append(metadata("process_name", 0, "\"name\":\"PE " + me + "\"") +
           metadata("process_sort_index", 0, "\"sort_index\":" + me));
    return true;
}

void trace_name_thread(int thread) {
    append(metadata("thread_name", thread,
                    thread == 0 ? "\"name\":\"first thread\""
                                : "\"name\":\"thread " + std::to_string(thread) + "\""));
}

void trace_write(int thread, const std::vector<Event>& events,
                 const std::vector<MessageEvent>& messages, const std::vector<Arrow>& arrows) {
    if (file < 0) return;
    std::string text;
    text.reserve((events.size() + messages.size()) * 128 + arrows.size() * 192);
    for (const Event& event : events) {
        const Title& title = kTitles[static_cast<std::size_t>(event.routine)];
        put_slice(text, title.routine, title.section, thread, event, event.target);
    }
    for (const MessageEvent& message : messages) {
        const std::string name = std::string(message.what) + " " +
                                 std::string(message.face, std::strcspn(message.face, "_")) + " " +
                                 std::to_string(message.handler);
        put_slice(text, name.c_str(), "Messages", thread, message, message.pe);
    }
    for (const Arrow& arrow : arrows) {
        const std::uint64_t number = next_arrow();
        put_end(text, "s\"", number, arrow.pe, arrow.thread, arrow.from);
        // Within the wait, not behind it.
        put_end(text, "f\",\"bp\":\"e\"", number, pshmem_my_pe(), thread, arrow.to - 1);
    }
    append(std::move(text));
}

}  // namespace isthmus::profile
