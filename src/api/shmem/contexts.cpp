// Communication contexts (9.5) and sessions (9.9).
//
// A context shares nothing with another: on one host it has no queue, no lock and no counter, so
// threads that use different contexts never meet in the library. Between hosts it has a channel:
// its fence and its quiet see to what was issued on it, and to nothing else.
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "api/shmem/collectives.hpp"
#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "base/lasting.hpp"
#include "core/job/job.hpp"
#include "core/wait/wait.hpp"

extern "C" {
__attribute__((visibility("default")))
isthmus_context isthmus_context_default{&isthmus_team_world, 0, true};
}

using namespace isthmus;
using namespace isthmus::shmem;

namespace {

// A destroyed context stays readable for a while, so that a use of it is told from a valid one.
void bury(OwnContext* context) {
    constexpr std::size_t kKept = 1024;
    static std::mutex guard;
    static Lasting<std::deque<std::unique_ptr<OwnContext>>> graveyard;
    std::deque<std::unique_ptr<OwnContext>>& dead = *graveyard;
    const std::lock_guard lock(guard);
    dead.emplace_back(context);
    if (dead.size() > kKept) dead.pop_front();
}

constexpr long kOptions = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE;

int create(isthmus_team* team, long options, shmem_ctx_t* ctx, const char* routine) {
    *ctx = SHMEM_CTX_INVALID;
    if (options & ~kOptions)
        refuse(routine, "options " + std::to_string(options) +
                            " has bits other than SHMEM_CTX_SERIALIZED, PRIVATE and NOSTORE");
    *ctx = new OwnContext{{team, options, true}, {}};
    return 0;
}

}  // namespace

ISTHMUS_API int pshmem_ctx_create(long options, shmem_ctx_t* ctx) {
    require_running("shmem_ctx_create");
    note(Routine::ctx_create);
    return create(&isthmus_team_world, options, ctx, "shmem_ctx_create");
}

ISTHMUS_API int pshmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) {
    require_running("shmem_team_create_ctx");
    note(Routine::team_create_ctx);
    if (team == SHMEM_TEAM_INVALID) {
        *ctx = SHMEM_CTX_INVALID;
        return -1;
    }
    return create(&live(team, "shmem_team_create_ctx"), options, ctx, "shmem_team_create_ctx");
}

ISTHMUS_API void pshmem_ctx_destroy(shmem_ctx_t ctx) {
    if (ctx == SHMEM_CTX_INVALID) return;
    require_running("shmem_ctx_destroy");
    note(Routine::ctx_destroy);
    if (ctx == SHMEM_CTX_DEFAULT)
        refuse("shmem_ctx_destroy", "SHMEM_CTX_DEFAULT cannot be destroyed");
    { const ContextPe any(ctx, 0, "shmem_ctx_destroy"); }  // looks at the context
    auto* const own = static_cast<OwnContext*>(ctx);
    check_creator(*own, "shmem_ctx_destroy");
    pshmem_ctx_quiet(ctx);
    ctx->live = false;
    own->channel.close();
    bury(own);
}

ISTHMUS_API int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) {
    require_running("shmem_ctx_get_team");
    if (ctx == SHMEM_CTX_INVALID) {
        *team = SHMEM_TEAM_INVALID;
        return -1;
    }
    *team = ctx->team;
    return 0;
}

namespace {

// Checked mode: contexts with a session.
struct Sessions {
    std::mutex guard;
    std::set<shmem_ctx_t> open;
};
Lasting<Sessions> sessions;

void start_session(shmem_ctx_t ctx) {
    const std::lock_guard lock(sessions->guard);
    sessions->open.insert(ctx);
}

void stop_session(shmem_ctx_t ctx) {
    const std::lock_guard lock(sessions->guard);
    if (sessions->open.erase(ctx) == 0)
        refuse("shmem_ctx_session_stop", "the context has no session: none was started");
}

}  // namespace

// Sessions are hints about the operations to come. Loads and stores need no hint.
ISTHMUS_API void pshmem_ctx_session_start(shmem_ctx_t ctx, long options,
                                          const shmem_ctx_session_config_t*, long config_mask) {
    if (ctx == SHMEM_CTX_INVALID) return;
    require_running("shmem_ctx_session_start");
    if (options & ~SHMEM_CTX_SESSION_BATCH)
        refuse("shmem_ctx_session_start", "options " + std::to_string(options) +
                                              " has bits other than SHMEM_CTX_SESSION_BATCH");
    if (config_mask & ~SHMEM_CTX_SESSION_TOTAL_OPS)
        refuse("shmem_ctx_session_start", "config_mask " + std::to_string(config_mask) +
                                              " has bits other than SHMEM_CTX_SESSION_TOTAL_OPS");
    if (job.checked) start_session(ctx);
}

ISTHMUS_API void pshmem_ctx_session_stop(shmem_ctx_t ctx) {
    if (ctx == SHMEM_CTX_INVALID) return;
    require_running("shmem_ctx_session_stop");
    if (job.checked) stop_session(ctx);
}

SHMEM_TABLE_CONTEXTS(ISTHMUS_ALIAS)
