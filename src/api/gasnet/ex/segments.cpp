// Segments of GASNet-EX: of the first endpoint, a block of the symmetric heap; of others, blocks of
// the arena, or memory that others reach anyway.
#include "api/gasnet/face.hpp"

#include <gasnet_mk.h>

#include <algorithm>

#include "api/gasnet/ex/objects.hpp"
#include "core/reach/far.hpp"
#include "core/segments/arena.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace {

isthmus_gex_segment first_segment;

// What a member publishes of its endpoints but the first; 0 bytes: nothing.
using Published = std::array<gasnet_seginfo_t, GASNET_MAXEPS>;

gasnet_node_t named_node(gex_TM_t team, gex_Rank_t rank, const char* routine) {
    const gasnet_node_t node = node_of(team, rank, routine);
    if (node >= static_cast<gasnet_node_t>(job.pes))
        fail(routine, Text("rank ", rank, " is out of range 0..", job.pes - 1));
    return node;
}

// False: there is none.
bool query_bound(gex_TM_t team, gex_Rank_t rank, void** owner, void** local, uintptr_t* size,
                 const char* routine) {
    require_client(routine);
    const gasnet_node_t node = named_node(team, rank, routine);
    const gasnet_seginfo_t* const segment =
        bound_segment(node, is_pair(team) ? remote_index(team) : gex_EP_Index_t{0});
    if (!segment) return false;
    if (owner) *owner = segment->addr;
    if (local)
        *local = is_near(static_cast<int>(node))
                     ? translate(static_cast<char*>(segment->addr), static_cast<int>(node))
                     : nullptr;
    if (size) *size = segment->size;
    return true;
}

const char* class_name(gex_MK_Class_t kind) {
    return kind == GEX_MK_CLASS_CUDA_UVA ? "CUDA_UVA" : kind == GEX_MK_CLASS_HIP ? "HIP" : "ZE";
}

}  // namespace

namespace isthmus::gasnet::ex {

void note_first_segment() {
    if (!face->attached || !objects->is_made) return;
    const gasnet_seginfo_t& mine = face->segments[static_cast<std::size_t>(job.me)];
    first_segment.address = mine.addr;
    first_segment.size = mine.size;
    objects->endpoints.front()->segment = &first_segment;
}

const gasnet_seginfo_t* bound_segment(gasnet_node_t node, gex_EP_Index_t index) {
    const gasnet_seginfo_t* found = nullptr;
    if (index == 0 && node < face->segments.size())
        found = &face->segments[node];
    else if (node < face->published.size() && index < face->published[node].size())
        found = &face->published[node][index];
    return found && found->size != 0 ? found : nullptr;
}

}  // namespace isthmus::gasnet::ex

ISTHMUS_API int gex_Segment_Attach(gex_Segment_t* segment, gex_TM_t team, uintptr_t size) {
    constexpr const char* kRoutine = "gex_Segment_Attach";
    require_client(kRoutine);
    if (face->attached)
        return refuse_object(GASNET_ERR_NOT_INIT, kRoutine,
                             "called again, or behind gasnet_attach");
    note(Routine::gex_Segment_Attach);
    int error = GASNET_OK;
    if (team != ISTHMUS_GEX_ALL)
        error = refuse_object(GASNET_ERR_BAD_ARG, kRoutine,
                              "the team is not the one that gex_Client_Init gave");
    if (size == 0) error = refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "a segment of 0 bytes");
    return whole(kRoutine, [&] {
        error = make_segments(kRoutine, Routine::gex_Segment_Attach, size, error);
        if (error != GASNET_OK) return error;
        note_first_segment();
        if (segment) *segment = &first_segment;
        return GASNET_OK;
    });
}

ISTHMUS_API int gex_Segment_Create(gex_Segment_t* segment, gex_Client_t, gex_Addr_t address,
                                   uintptr_t length, gex_MK_t kind, gex_Flags_t flags) {
    constexpr const char* kRoutine = "gex_Segment_Create";
    require_client(kRoutine);
    if (kind != GEX_MK_HOST)
        return refuse_object(GASNET_ERR_RESOURCE, kRoutine, "there is memory of GEX_MK_HOST alone");
    if (length == 0) return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "a segment of 0 bytes");
    if (address && !far::is_published(address, length))
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "address ", InHex(address), " with ",
                             length,
                             " bytes is memory that no other process reaches; pass null "
                             "for memory of the library's");
    return whole(kRoutine, [&] {
        auto made = std::make_unique<isthmus_gex_segment>();
        made->address = address ? address : arena_allocate(length, 0);
        if (!made->address)
            return refuse_object(GASNET_ERR_RESOURCE, kRoutine, "the arena has ",
                                 arena_free_bytes(), " bytes left, ", length,
                                 " are wanted; raise ISTHMUS_ARENA_SIZE");
        made->is_own = !address;
        made->size = length;
        made->flags = flags;
        *segment = made.release();
        return GASNET_OK;
    });
}
ISTHMUS_API void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t) {
    if (!segment || segment == &first_segment) return;
    const std::unique_ptr<isthmus_gex_segment> gone(segment);
    const std::lock_guard lock(objects->guard);
    for (const auto& endpoint : objects->endpoints)
        if (endpoint->segment == segment) endpoint->segment = nullptr;
    if (segment->is_own) arena_release(segment->address);
}

ISTHMUS_API int gex_EP_BindSegment(gex_EP_t endpoint, gex_Segment_t segment, gex_Flags_t) {
    constexpr const char* kRoutine = "gex_EP_BindSegment";
    if (endpoint->index == 0)
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine,
                             "the first endpoint's segment is that of gex_Segment_Attach");
    if (endpoint->segment)
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "endpoint ", int{endpoint->index},
                             " has a segment");
    if (!segment) return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "the segment is invalid");
    endpoint->segment = segment;
    return GASNET_OK;
}

ISTHMUS_API int gex_EP_PublishBoundSegment(gex_TM_t team, gex_EP_t* endpoints, size_t count,
                                           gex_Flags_t) {
    constexpr const char* kRoutine = "gex_EP_PublishBoundSegment";
    require_client(kRoutine);
    note(Routine::gex_EP_PublishBoundSegment);
    collectives::Team& among = *team_of(team, kRoutine).team;
    whole(kRoutine, [&] {
        Published mine = {};
        for (std::size_t i = 0; i < count; ++i) {
            const isthmus_gex_segment* const segment = endpoints[i]->segment;
            if (segment && endpoints[i]->index != 0)
                mine[endpoints[i]->index] = {segment->address, segment->size};
        }
        std::vector<Published> all(static_cast<std::size_t>(among.size()));
        collectives::share(among, mine.data(), sizeof mine, all.data(),
                           Routine::gex_EP_PublishBoundSegment);
        const std::lock_guard lock(objects->guard);
        // Of its whole size from the first time on: threads of this process look at it.
        if (face->published.empty())
            face->published.assign(static_cast<std::size_t>(job.pes),
                                   std::vector<gasnet_seginfo_t>(GASNET_MAXEPS));
        for (int rank = 0; rank < among.size(); ++rank) {
            auto& of = face->published[among.members[static_cast<std::size_t>(rank)]];
            const Published& theirs = all[static_cast<std::size_t>(rank)];
            for (std::size_t index = 1; index < theirs.size(); ++index)
                if (theirs[index].size != 0) of[index] = theirs[index];
        }
    });
    return GASNET_OK;
}

ISTHMUS_API gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t team, gex_Rank_t rank, void** owner,
                                                   void** local, uintptr_t* size, gex_Flags_t) {
    if (!query_bound(team, rank, owner, local, size, "gex_EP_QueryBoundSegmentNB")) {
        if (owner) *owner = nullptr;
        if (local) *local = nullptr;
        if (size) *size = 0;
    }
    return GEX_EVENT_INVALID;
}
ISTHMUS_API int gex_Segment_QueryBound(gex_TM_t team, gex_Rank_t rank, void** owner, void** local,
                                       uintptr_t* size) {
    return query_bound(team, rank, owner, local, size, "gex_Segment_QueryBound")
               ? GASNET_OK
               : GASNET_ERR_BAD_ARG;
}

ISTHMUS_API gex_Client_t gex_Segment_QueryClient(gex_Segment_t) {
    return &objects->client;
}
ISTHMUS_API gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment) {
    return segment->flags;
}
ISTHMUS_API void* gex_Segment_QueryAddr(gex_Segment_t segment) {
    return segment->address;
}
ISTHMUS_API uintptr_t gex_Segment_QuerySize(gex_Segment_t segment) {
    return segment->size;
}
ISTHMUS_API void gex_Segment_SetCData(gex_Segment_t segment, const void* data) {
    segment->data = data;
}
ISTHMUS_API void* gex_Segment_QueryCData(gex_Segment_t segment) {
    return const_cast<void*>(segment->data);
}

ISTHMUS_API int gex_MK_Create(gex_MK_t* kind, gex_Client_t, const gex_MK_Create_args_t* arguments,
                              gex_Flags_t) {
    constexpr const char* kRoutine = "gex_MK_Create";
    if (!arguments || arguments->gex_class > GEX_MK_CLASS_ZE)
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "the class is none of GEX_MK_CLASS_...");
    if (arguments->gex_class != GEX_MK_CLASS_HOST)
        return refuse_object(GASNET_ERR_RESOURCE, kRoutine,
                             "there is no memory of class GEX_MK_CLASS_",
                             class_name(arguments->gex_class), "; use GEX_MK_HOST");
    *kind = GEX_MK_HOST;
    return GASNET_OK;
}
ISTHMUS_API void gex_MK_Destroy(gex_MK_t, gex_Flags_t) {}
