// gasnet_init. In a file of its own: what it opens calls the others, which do not call it.
#include "api/gasnet/exchange.hpp"
#include "core/job/shown_window.hpp"
#include "core/session/session.hpp"
#include "core/teams/collective.hpp"
#include "message/handlers.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

constexpr int kSerialized = 2;  // SHMEM's number of the thread level

}  // namespace

void gasnet::join(const char* routine, int mode, Routine request, Routine reply) {
    whole(routine, [routine, mode] {
        enter_session(mode);
        prepare_end();
        require_segment_limit(routine);
        keep_window();
        register_for_wakeups();
        messages::open_post();
        meet_nodes();
        barrier_world();  // nobody sends before everybody can be reached
    });
    messages::name_handlers({kFirstHandler, kFaceHandlers, "gasnet_AMPoll",
                             "give it to gasnet_attach or gex_EP_RegisterHandlers in a table",
                             deliver_first, request, reply, word_of_handler});
    if (mode >= kSerialized)
        messages::post.beyond.fetch_or(messages::kHasSleepers, std::memory_order_relaxed);
    collectives::open();
    initialised = true;
}

ISTHMUS_API int isthmus_gasnet_init(int*, char***, int mode) {
    constexpr const char* kRoutine = "gasnet_init";
    if (initialised) {
        refuse(ISTHMUS_ARGUMENT, kRoutine, "called again");
        return GASNET_ERR_NOT_INIT;
    }
    join(kRoutine, mode, Routine::gasnet_AMRequest, Routine::gasnet_AMReply);
    note(Routine::gasnet_init);
    return GASNET_OK;
}
