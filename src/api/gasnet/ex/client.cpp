// gex_Client_Init. In a file of its own, as gasnet_init: what it opens does not call it.
#include <utility>

#include "api/gasnet/ex/objects.hpp"
#include "core/session/arenas.hpp"
#include "core/teams/collective.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace {

// The client, its first endpoint and the team of all; does nothing if they are there.
void make_objects(const char* name, gex_Flags_t flags) {
    if (std::exchange(objects->is_made, true)) return;
    objects->client.name = name;
    objects->client.flags = flags;
    objects->all.team = &collectives::world_team();
    make_endpoint(GEX_EP_CAPABILITY_ALL, 0);
    open_pieces();
}

}  // namespace

ISTHMUS_API int isthmus_gex_client_init(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team,
                                        const char* name, int*, char***, gex_Flags_t flags,
                                        int mode) {
    constexpr const char* kRoutine = "gex_Client_Init";
    if (initialised)
        return refuse_object(GASNET_ERR_NOT_INIT, kRoutine,
                             "called again, or behind gasnet_init (gasnet_QueryGexObjects tells "
                             "its objects)");
    join(kRoutine, mode, Routine::gex_AM_Request, Routine::gex_AM_Reply);
    note(Routine::gex_Client_Init);
    whole(kRoutine, [&] {
        open_arenas();  // for segments of endpoints that the client makes
        if (!open_calls())
            fail(kRoutine, "the symmetric heap has no room; raise SHMEM_SYMMETRIC_SIZE");
        make_objects(name ? name : "", flags);
        barrier_world();  // nobody sends before all are here
    });
    if (client) *client = &objects->client;
    if (endpoint) *endpoint = objects->endpoints.front().get();
    if (team) *team = ISTHMUS_GEX_ALL;
    return GASNET_OK;
}

ISTHMUS_API void gasnet_QueryGexObjects(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team,
                                        gex_Segment_t* segment) {
    constexpr const char* kRoutine = "gasnet_QueryGexObjects";
    if (check_initialised(kRoutine) != GASNET_OK)
        fail(kRoutine, "called before gasnet_init or after the end of the session");
    whole(kRoutine, [] { make_objects("GASNET1", GEX_FLAG_USES_GASNET1); });
    note_first_segment();
    isthmus_gex_endpoint* const first = objects->endpoints.front().get();
    if (client) *client = &objects->client;
    if (endpoint) *endpoint = first;
    if (team) *team = ISTHMUS_GEX_ALL;
    if (segment) *segment = first->segment;
}
