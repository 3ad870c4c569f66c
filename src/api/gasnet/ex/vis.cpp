// Transfers of GASNet-EX of memory that is not in one piece (gasnet_vis.h): walks of two lists, as
// those of GASNet-1, and a message behind the next of them.
#include "api/gasnet/face.hpp"

#include <gasnet_vis.h>

#include <cstring>
#include <utility>

#include "api/gasnet/events.hpp"
#include "api/gasnet/ex/objects.hpp"
#include "api/gasnet/lists.hpp"
#include "message/send.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace {

using namespace isthmus::gasnet::vis;
namespace layer = isthmus::messages;

// No client's: runs a client's handler of replies.
constexpr std::uint32_t kTellHandler = kFirstHandler + 2;

// What gex_VIS_SetPeerCompletionHandler has left, of this thread.
struct Completion {
    gex_AM_Index_t handler;  // 0: nothing
    std::size_t bytes;
    char payload[GEX_VIS_MAX_PEERCOMPLETION];
};
thread_local Completion completion __attribute__((tls_model("initial-exec")));

void run_client_handler(void*, layer::Message* message) {
    gex_AM_Arg_t index = 0;
    std::memcpy(&index, message->arguments, sizeof index);
    layer::Message reply = *message;
    reply.kind = layer::kMedium | layer::kReply;
    reply.handler = static_cast<std::uint16_t>(kFirstHandler + static_cast<std::uint32_t>(index));
    reply.argument_bytes = 0;
    std::uint64_t head = 0;
    std::memcpy(&head, &reply.handler, sizeof head);
    layer::deliver(reply, head);
}

// The data of this thread's are there.
void tell_peer(gasnet_node_t node, const char* routine) {
    const Completion told = std::exchange(completion, Completion{});
    const gex_AM_Arg_t index = told.handler;
    const layer::Parcel parcel{static_cast<std::uint16_t>(kTellHandler),
                               layer::kMedium | layer::kRequest,
                               sizeof index,
                               &index,
                               told.payload,
                               told.bytes};
    if (layer::request(static_cast<int>(node), parcel, layer::Wait::yes) != layer::Sent::done)
        fail(routine, "called from a handler of a message");
}

gasnet_node_t target(gex_TM_t team, gex_Rank_t rank, const char* routine) {
    require_client(routine);
    const gasnet_node_t node = node_of(team, rank, routine);
    if (node >= window.pes)
        fail(routine, Text("rank ", rank, " is out of range 0..", window.pes - 1));
    return node;
}

// Behind an operation's pieces: what is left to wait for.
gex_Event_t end(const Apart& apart, gasnet_node_t node, const char* routine) {
    const gex_Event_t event = apart.handle(routine);
    if (completion.handler == 0) return event;
    events::wait(event, routine, Routine::gex_Event_Wait);
    tell_peer(node, routine);
    return GEX_EVENT_INVALID;
}

}  // namespace

void ex::open_pieces() {
    layer::enter_handler(kTellHandler, run_client_handler, nullptr,
                         layer::kMedium | layer::kRequest, sizeof(gex_AM_Arg_t));
}

ISTHMUS_API void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source,
                                                  size_t nbytes, gex_Flags_t) {
    constexpr const char* kRoutine = "gex_VIS_SetPeerCompletionHandler";
    if (nbytes > sizeof completion.payload)
        fail(kRoutine, Text("a payload of ", nbytes, " bytes; at most ", sizeof completion.payload,
                            " (GEX_VIS_MAX_PEERCOMPLETION)"));
    completion.handler = handler;
    completion.bytes = nbytes;
    if (nbytes != 0) std::memcpy(completion.payload, source, nbytes);
}

// Forms with an event, and those that wait, may stand within an access region, which they are no
// part of.
#define FORMS(NAME, RANK, PARAMETERS, CALL)                                          \
    ISTHMUS_API gex_Event_t gex_VIS_##NAME##NB PARAMETERS {                          \
        constexpr const char* kRoutine = "gex_VIS_" #NAME "NB";                      \
        const gasnet_node_t node = target(team, RANK, kRoutine);                     \
        const Apart apart;                                                           \
        CALL;                                                                        \
        return end(apart, node, kRoutine);                                           \
    }                                                                                \
    ISTHMUS_API int gex_VIS_##NAME##Blocking PARAMETERS {                            \
        constexpr const char* kRoutine = "gex_VIS_" #NAME "Blocking";                \
        const gasnet_node_t node = target(team, RANK, kRoutine);                     \
        const Apart apart;                                                           \
        CALL;                                                                        \
        events::wait(end(apart, node, kRoutine), kRoutine, Routine::gex_Event_Wait); \
        return GASNET_OK;                                                            \
    }                                                                                \
    ISTHMUS_API int gex_VIS_##NAME##NBI PARAMETERS {                                 \
        constexpr const char* kRoutine = "gex_VIS_" #NAME "NBI";                     \
        const gasnet_node_t node = target(team, RANK, kRoutine);                     \
        if (completion.handler != 0) {                                               \
            const Apart apart;                                                       \
            CALL;                                                                    \
            end(apart, node, kRoutine);                                              \
        } else {                                                                     \
            CALL;                                                                    \
        }                                                                            \
        return GASNET_OK;                                                            \
    }

FORMS(VectorPut, dstrank,
      (gex_TM_t team, gex_Rank_t dstrank, size_t dstcount, gex_Memvec_t const* dstlist,
       size_t srccount, gex_Memvec_t const* srclist, gex_Flags_t),
      put(node, Vector(dstcount, dstlist), Vector(srccount, srclist), kRoutine))
FORMS(VectorGet, srcrank,
      (gex_TM_t team, size_t dstcount, gex_Memvec_t const* dstlist, gex_Rank_t srcrank,
       size_t srccount, gex_Memvec_t const* srclist, gex_Flags_t),
      get(Vector(dstcount, dstlist), node, Vector(srccount, srclist), kRoutine))
FORMS(IndexedPut, dstrank,
      (gex_TM_t team, gex_Rank_t dstrank, size_t dstcount, void* const* dstlist, size_t dstlen,
       size_t srccount, void* const* srclist, size_t srclen, gex_Flags_t),
      put(node, Indexed(dstcount, dstlist, dstlen), Indexed(srccount, srclist, srclen), kRoutine))
FORMS(IndexedGet, srcrank,
      (gex_TM_t team, size_t dstcount, void* const* dstlist, size_t dstlen, gex_Rank_t srcrank,
       size_t srccount, void* const* srclist, size_t srclen, gex_Flags_t),
      get(Indexed(dstcount, dstlist, dstlen), node, Indexed(srccount, srclist, srclen), kRoutine))
FORMS(StridedPut, dstrank,
      (gex_TM_t team, gex_Rank_t dstrank, void* dstaddr, const ptrdiff_t* dststrides, void* srcaddr,
       const ptrdiff_t* srcstrides, size_t elemsz, const size_t* count, size_t levels, gex_Flags_t),
      put(node, Strided(dstaddr, dststrides, elemsz, count, levels),
          Strided(srcaddr, srcstrides, elemsz, count, levels), kRoutine))
FORMS(StridedGet, srcrank,
      (gex_TM_t team, void* dstaddr, const ptrdiff_t* dststrides, gex_Rank_t srcrank, void* srcaddr,
       const ptrdiff_t* srcstrides, size_t elemsz, const size_t* count, size_t levels, gex_Flags_t),
      get(Strided(dstaddr, dststrides, elemsz, count, levels), node,
          Strided(srcaddr, srcstrides, elemsz, count, levels), kRoutine))
#undef FORMS
