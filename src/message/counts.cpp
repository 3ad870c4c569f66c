#include "message/counts.hpp"

#include <atomic>
#include <cstring>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"

// Defined by the profiling library, where there is one.
extern "C" __attribute__((weak)) const unsigned char isthmus_profile_library;

namespace isthmus::messages {
namespace {

// Relaxed, all: each number stands for itself.
struct HandlerCount {
    std::atomic<std::uint64_t> requests;
    std::atomic<std::uint64_t> replies;
    std::atomic<std::uint64_t> bytes;  // arguments and payload
};
static_assert(kCountsSize == kHandlers * sizeof(HandlerCount));

// Of a PE of this host.
HandlerCount* counts_of(int pe) {
    return translate(internal_object<HandlerCount>(kMessageOffset + kMessageSize - kCountsSize),
                     pe);
}

bool counting = false;

std::string padded(const std::string& text, std::size_t width) {
    return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

}  // namespace

bool begin_counts() {
    counting = flag(Setting::stats) && &isthmus_profile_library != nullptr;
    if (!counting) return false;
    HandlerCount* const mine = counts_of(job.me);
    for (std::uint32_t id = 0; id < kHandlers; ++id)
        new (mine + id) HandlerCount{};
    return true;
}

void count(const Message& message) {
    HandlerCount& mine = counts_of(job.me)[message.handler];
    auto& number = (message.kind & kRequest) != 0 ? mine.requests : mine.replies;
    number.fetch_add(1, std::memory_order_relaxed);
    // Of a short one the size may be undefined.
    const std::size_t payload = (message.kind & kShort) != 0 ? 0 : message.size;
    mine.bytes.fetch_add(message.argument_bytes + payload, std::memory_order_relaxed);
}

void report_counts(HandlerName (*name_of)(std::uint32_t id)) {
    if (!counting || forked_child) return;
    counting = false;
    int pes = 0;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!is_near(pe)) continue;
        if (pe < job.me) return;
        ++pes;
    }
    std::string rows;
    for (std::uint32_t id = 0; id < kHandlers; ++id) {
        std::uint64_t requests = 0;
        std::uint64_t replies = 0;
        std::uint64_t bytes = 0;
        for (int pe = job.me; pe < job.pes; ++pe) {
            if (!is_near(pe)) continue;
            const HandlerCount& one = counts_of(pe)[id];
            requests += one.requests.load(std::memory_order_relaxed);
            replies += one.replies.load(std::memory_order_relaxed);
            bytes += one.bytes.load(std::memory_order_relaxed);
        }
        if (requests == 0 && replies == 0) continue;
        const HandlerName name = name_of(id);
        rows += "isthmus: " + padded(std::to_string(requests), 12) +
                padded(std::to_string(replies), 12) + padded(format_size(bytes), 14) + "  " +
                std::string(name.face, std::strcspn(name.face, "_")) + " " +
                std::to_string(name.number) + "\n";
    }
    if (rows.empty()) return;
    say(("isthmus: messages of " + std::to_string(pes) + (pes == 1 ? " PE" : " PEs") +
         " of this host, by the handler that was given them\n"
         "isthmus:     requests     replies         bytes  handler\n" +
         rows)
            .c_str());
}

}  // namespace isthmus::messages
