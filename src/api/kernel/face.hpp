// What every file of this face shares: what isthmus_kernel_attach has made.
#pragma once

#include <isthmus/kernel.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/lasting.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/wait/event.hpp"
#include "core/wait/status.hpp"
#include "message/message.hpp"

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

namespace isthmus::kernel_face {

inline constexpr int kRounds = 10;
static_assert(1 << kRounds >= kMaxPes);

// In the symmetric heap. What other kernels count is changed by atomics alone, of theirs or of
// their road; relaxed, for they stand behind what they count (core/reach/operation.hpp), and
// acquire by who waits.
struct Control {
    alignas(64) std::atomic<std::uint64_t> replies;
    std::atomic<std::uint64_t> arrivals;
    std::atomic<std::uint64_t> counter;
    // Of the barrier: who has come in each of its rounds, ever.
    alignas(64) std::atomic<std::uint64_t> rounds[kRounds];
};

struct Segment {
    std::uint64_t bytes = 0;
    std::uint64_t rights = 0;
};

struct Handler {
    isthmus_kernel_handler function = nullptr;
    void* context = nullptr;
};

struct Face {
    bool attached = false;
    std::vector<Segment> segments;  // by kernel
    char* memory = nullptr;         // this kernel's segment
    Control* control = nullptr;
    std::array<Handler, ISTHMUS_KERNEL_HANDLERS> handlers{};
    // Of the counters, what this kernel has taken; and its barriers.
    std::uint64_t replies_taken = 0;
    std::uint64_t arrivals_taken = 0;
    std::uint64_t counter_taken = 0;
    std::uint64_t barriers = 0;
    std::uint32_t long_mediums = 0;  // sent in parts, ever
};
extern Lasting<Face> face;

// Ends the job with a message unless the kernel is attached.
void require_attached(const char* routine);
// The same, and notes the call for the reports.
const char* begin(Routine noted, const char* routine);

// In messages of the layer: ids of this face's, and what its arguments begin with.
inline constexpr std::uint32_t kFirstReplied = messages::kNativeHandlers + 256;
inline constexpr std::uint32_t kFirstAsync = kFirstReplied + ISTHMUS_KERNEL_HANDLERS;
inline constexpr std::uint32_t kPart = kFirstAsync + ISTHMUS_KERNEL_HANDLERS;
inline constexpr std::uint32_t kEnd = kPart + 1;
static_assert(kEnd <= messages::kHandlers);
struct Wire {
    std::uint32_t token;
    // Of a medium one: its number among those that come in parts, 0 if it does not. Of a long one
    // in several pieces: its bytes.
    std::uint32_t number;
};
static_assert(sizeof(Wire) + ISTHMUS_KERNEL_ARGUMENTS * sizeof(std::int64_t) ==
              messages::kArgumentBytes);
// Of a part, all of the arguments.
struct Part {
    std::uint32_t number;
    std::uint32_t bytes;  // of the whole
    std::uint64_t offset;
};
struct Arguments {
    Wire wire;
    std::int64_t words[ISTHMUS_KERNEL_ARGUMENTS];
};

inline bool is_own_handler(int handler) {
    return handler >= ISTHMUS_KERNEL_FIRST_HANDLER;
}

// Registers what the layer calls; a new table.
void open_deliveries();
void close_deliveries();
// The effect of one of the library's handlers at this kernel.
void apply_here(int handler, const std::int64_t* arguments, std::size_t count);

// Runs handlers of what has come, and counts replies of payloads that have arrived elsewhere. Not
// from a handler.
int poll();
// A reply will be counted when all is in its place that this kernel has sent to the far PE so far.
void expect_reply(int pe);
void forget_expected();

// Adds to a word of a kernel's Control, and wakes it.
void count_at(std::atomic<std::uint64_t>& word, int pe, std::uint64_t more, const char* routine);

void barrier(const char* routine);

}  // namespace isthmus::kernel_face
