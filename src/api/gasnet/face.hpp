// What every file of this face shares.
#pragma once

// Of the library: no object of it belongs to one mode.
#define GASNET_PAR             1
#define ISTHMUS_GASNET_LIBRARY 1
#include <gasnet.h>
// Of clients' headers.
#undef MIN
#undef MAX

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "base/is_zero.hpp"
#include "base/lasting.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/wait/sleep.hpp"
#include "core/wait/status.hpp"
#include "core/wait/wait.hpp"
#include "message/post.hpp"

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

namespace isthmus::gasnet {

// What there is, for GASNet-1 and GASNet-EX alike.
struct Face {
    bool begun = false;                      // by gasnet_attach or gex_Client_Init
    bool attached = false;                   // there are segments
    std::uint64_t common_segment = 0;        // the largest that each node could have at first
    std::vector<gasnet_seginfo_t> segments;  // by PE
    // By PE, and then by number of the endpoint: segments that have been published. Empty without.
    std::vector<std::vector<gasnet_seginfo_t>> published;
    std::vector<gasnet_node_t> supernodes;     // by PE: the number of its group, and that group's
    std::vector<gasnet_node_t> first_members;  // first PE, by number
};
extern Lasting<Face> face;

extern bool initialised __attribute__((visibility("hidden")));
// Joins the job, as gasnet_init; collective. `request` and `reply`: how stall reports name what
// sends messages.
void join(const char* routine, int mode, Routine request, Routine reply);
// Finds who is near whom, and the largest common segment; collective.
void meet_nodes();
// Barriers, sends, puts and gets may begin. Collective, once; false: the heap has no room for it.
bool open_calls();
// The segment of this PE's endpoint 0: as gasnet_attach, with the error of what this PE found
// wrong before. Collective.
int make_segments(const char* routine, Routine noted, std::uint64_t size, int error);

// Ends the job with a message before gasnet_attach and gex_Client_Init.
void require_attached(const char* routine);
// GASNET_OK between gasnet_init and the end of the session.
int check_initialised(const char* routine);
// Whether the memory lies in the segment of the PE.
bool is_in_segment(const void* address, std::size_t bytes, int pe);
// "address 0x12 with its 8 bytes is not in the segment of node 3, 0x10..0x20"
Text why_not_in_segment(const void* address, std::size_t bytes, int pe);

// In checked mode: why this thread may not communicate now; null if it may. It is in a handler,
// holds a lock, or has prepared a message that it has not sent.
const char* why_not_now();
// Ends the job with a message then.
[[gnu::noinline]] void require_allowed(const char* routine);
// In checked mode, for calls that tell something of a message at `told`: an error, which is told.
int check_token(const void* token, const void* told, const char* routine);
// Whether this thread has prepared a request, or a reply, and has neither sent nor cancelled it.
// Left here by ex/messages.cpp, which calls what calls this.
struct Prepared {
    bool request;
    bool reply;
};
extern constinit thread_local Prepared prepared;

// A core call that is refused: the code, and a sentence in checked mode.
template <typename... Parts>
[[gnu::cold, gnu::noinline]] int refuse_argument(const char* routine, Parts... parts) {
    refuse(ISTHMUS_ARGUMENT, routine, parts...);
    return GASNET_ERR_BAD_ARG;
}
inline int refuse_node(gasnet_node_t node, const char* routine) {
    return refuse_argument(routine, "node ", node, " is out of range 0..", job.pes - 1);
}

// Ids of handlers in the layer: those of this face.
inline constexpr std::uint32_t kFirstHandler = messages::kNativeHandlers;
inline constexpr std::uint32_t kFaceHandlers = 256;
static_assert(kFirstHandler + kFaceHandlers <= messages::kHandlers);
// Calls the program's function with the arguments of the message, whose handler has no such form
// yet.
void deliver_first(void* function, messages::Message* message);

// Registers a handler that takes these messages alone, with so many arguments. False: the index is
// taken.
bool register_entry(const gex_AM_Entry_t& entry);
// The client's word for it, or that it is none of the client's; null: there is no word.
const char* word_of_handler(std::uint32_t index);
// As it was registered; null if gasnet_attach has done that.
const gex_AM_Entry_t* entry_of(std::uint32_t index);

// What is due when so many handlers have run.
void note_handled(int handled);
// Runs handlers of what has come, as every call of this face does that polls. GASNET_OK.
int poll_further(const char* routine);
[[gnu::always_inline]] inline int poll_plainly() {
    using messages::post;
    static_assert(GASNET_OK == 0);
    if (post.replies.reader.has_come()) return messages::poll_rings_uncounted();
    return post.requests.reader.has_come() ? messages::poll_requests_uncounted() : GASNET_OK;
}
[[gnu::always_inline]] inline int poll(const char* routine = "gasnet_AMPoll") {
    if (!is_zero(messages::post.beyond)) [[unlikely]]
        return poll_further(routine);
    return poll_plainly();
}
// Goes on with collectives, as far as that is possible now; does nothing within a handler. Left
// here by exchange.cpp, which calls what calls this.
extern void (*progress)();
inline bool is_beyond(messages::Beyond why) {
    return (messages::post.beyond.load(std::memory_order_relaxed) & why) != 0;
}
// From waits; how many handlers ran.
inline int poll_if_come() {
    int handled = 0;
    if (messages::has_come()) {
        handled = messages::poll_both();
        note_handled(handled);
    }
    if (is_beyond(messages::kFaceWorks)) progress();
    return handled;
}

// Words of every PE by which this face's barriers and its exit are made; symmetric.
struct alignas(64) Gate {
    std::uint64_t name;   // 0, or 1 << 32 and the id that the first named caller gave
    std::uint64_t count;  // who has come; in the upper half, how many found another name
};
struct Control {
    Gate of_group[2];  // at the first PE of a group of near ones
    Gate of_job[2];    // at PE 0
    alignas(64) std::uint64_t released;
    alignas(64) std::uint64_t leaving[2];  // at PE 0
};
extern Control* control __attribute__((visibility("hidden")));
// Ends the job if GASNET_MAX_SEGSIZE is set and says nothing.
void require_segment_limit(const char* routine);
// How this PE ends, and is told of an end; when the session has begun.
void prepare_end();
// At attach, where all PEs are.
void open_barriers(int group_first, int group_size, int groups);

}  // namespace isthmus::gasnet
