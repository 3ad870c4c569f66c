#include "message/counts.hpp"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/profiling.hpp"
#include "base/settings.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"

namespace isthmus::messages {
namespace {

// Relaxed, all: each number stands for itself.
struct HandlerCount {
    std::atomic<std::uint64_t> requests;
    std::atomic<std::uint64_t> replies;
    std::atomic<std::uint64_t> bytes;  // arguments and payload
};
struct Counts {
    alignas(64) std::atomic<bool> are_told;  // of a host's first PE
    alignas(64) HandlerCount of_handler[kHandlers];
};
static_assert(sizeof(Counts) == kCountsSize);

// Of a PE of this host.
Counts& counts_of(int pe) {
    return *translate(internal_object<Counts>(kMessageOffset + kMessageSize - kCountsSize), pe);
}

// The thread that tells, or one of these. An end by another thread waits for it.
constexpr pid_t kNobody = 0;
constexpr pid_t kNotYet = -1;
constinit std::atomic<pid_t> teller = kNobody;

// So long, since the system may have stopped it.
void await_teller(pid_t other) {
    // Acquire: partner is the release behind the table.
    for (int i = 0; i < 500 && teller.load(std::memory_order_acquire) == other; ++i)
        os::sleep_nanoseconds(1'000'000);
}

// Of a number, as the C library writes none in a handler of a signal.
Text padded(std::string_view text, std::size_t width) {
    constexpr std::string_view kSpaces = "                ";
    return Text(kSpaces.substr(0, text.size() < width ? width - text.size() : 0), text);
}
Text padded(std::uint64_t number, std::size_t width) {
    char digits[24] = {};
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return padded({digits, static_cast<std::size_t>(end - digits)}, width);
}

// All of it in one piece, so that no other line comes in between. What does not fit is cut.
struct Table {
    char bytes[std::size_t{64} << 10];
    std::size_t size;

    void append(std::string_view line) {
        if (size + line.size() >= sizeof bytes) return;
        std::memcpy(bytes + size, line.data(), line.size());
        size += line.size();
        bytes[size] = '\0';
    }
};
constinit Table table{};

void write_table(HandlerName (*name_of)(std::uint32_t id), AtEnd at_end) {
    int first = -1;
    int pes = 0;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!is_near(pe)) continue;
        if (first < 0) first = pe;
        ++pes;
    }
    if (at_end == AtEnd::all && first != job.me) return;
    // Relaxed: one of several tells.
    if (counts_of(first).are_told.exchange(true, std::memory_order_relaxed)) return;
    table.size = 0;
    table.append(Text("isthmus: messages of ", pes, pes == 1 ? " PE" : " PEs",
                      " of this host, by the handler that was given them\n"
                      "isthmus:     requests     replies         bytes  handler\n"));
    const std::size_t head = table.size;
    for (std::uint32_t id = 0; id < kHandlers; ++id) {
        std::uint64_t requests = 0;
        std::uint64_t replies = 0;
        std::uint64_t bytes = 0;
        for (int pe = first; pe < job.pes; ++pe) {
            if (!is_near(pe)) continue;
            const HandlerCount& one = counts_of(pe).of_handler[id];
            requests += one.requests.load(std::memory_order_relaxed);
            replies += one.replies.load(std::memory_order_relaxed);
            bytes += one.bytes.load(std::memory_order_relaxed);
        }
        if (requests == 0 && replies == 0) continue;
        const HandlerName name = name_of(id);
        const std::string_view face(name.face, std::strcspn(name.face, "_"));
        table.append(Text("isthmus: ", padded(requests, 12), padded(replies, 12),
                          padded(format_size(bytes), 14), "  ", face, " ", name.number,
                          name.word ? " " : "", name.word ? name.word : "", "\n"));
    }
    if (table.size != head) say(table.bytes);
}

}  // namespace

bool begin_counts() {
    const bool counted = flag(Setting::stats) && &isthmus_profile_library != nullptr;
    if (counted) new (&counts_of(job.me)) Counts{};
    teller.store(counted ? kNotYet : kNobody, std::memory_order_relaxed);
    return counted;
}

void count(const Message& message) {
    HandlerCount& mine = counts_of(job.me).of_handler[message.handler];
    auto& number = (message.kind & kRequest) != 0 ? mine.requests : mine.replies;
    number.fetch_add(1, std::memory_order_relaxed);
    // Of a short one the size may be undefined.
    const std::size_t payload = (message.kind & kShort) != 0 ? 0 : message.size;
    mine.bytes.fetch_add(message.argument_bytes + payload, std::memory_order_relaxed);
}

bool report_counts(HandlerName (*name_of)(std::uint32_t id), AtEnd at_end) {
    if (forked_child) return true;
    pid_t before = kNotYet;
    if (teller.compare_exchange_strong(before, gettid(), std::memory_order_acquire)) {
        write_table(name_of, at_end);
        // Release: partner is await_teller.
        teller.store(kNobody, std::memory_order_release);
        return true;
    }
    if (before == gettid()) return false;
    if (before != kNobody) await_teller(before);
    return true;
}

}  // namespace isthmus::messages
