/* Barriers: in one call and in two, with names and without, with names that differ, tried, and
 * messages that are handled meanwhile: barriers [ROUNDS]. */
#include "check.h"

enum { kAnonymous = GASNET_BARRIERFLAG_ANONYMOUS, kMismatch = GASNET_BARRIERFLAG_MISMATCH };

static int handled;
static void count(gasnet_token_t token) {
    (void)token;
    ++handled;
}

static int split(int id, int flags, int try_it) {
    gasnet_barrier_notify(id, flags);
    if (!try_it) return gasnet_barrier_wait(id, flags);
    for (;;) {
        const int status = gasnet_barrier_try(id, flags);
        if (status != GASNET_ERR_NOT_READY) return status;
    }
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{210, (isthmus_gasnet_handler)count}};
    start(argc, argv, table, 1, 0);
    const int me = (int)gasnet_mynode(), nodes = (int)gasnet_nodes(), many = nodes > 1;
    CHECK(segments[me].addr == NULL && segments[me].size == 0);
    const int rounds = argc > 1 ? atoi(argv[1]) : 200;
    for (int round = 0; round < rounds; ++round) {
        const int try_it = round % 3 == me % 3;
        int id = -1;
        OK(split(round, 0, try_it));
        CHECK(gasnet_barrier_result(&id) == 0 && id == round);
        OK(gasnet_barrier(-round - 1, 0));
        CHECK(gasnet_barrier_result(&id) == 0 && id == -round - 1);
        OK(split(me, kAnonymous, try_it));
        CHECK(gasnet_barrier_result(&id) != 0);
        OK(split(me, GASNET_BARRIERFLAG_UNNAMED, try_it));
        CHECK(gasnet_barrier_result(&id) != 0);
        /* One alone gives a name. */
        OK(split(17, me == round % nodes ? 0 : kAnonymous, try_it));
        CHECK(gasnet_barrier_result(&id) == 0 && id == 17);
        /* Names that differ, and one that says so. */
        CHECK(split(me == 0 ? 0 : 1, 0, try_it) ==
              (many ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
        CHECK(split(0, me == round % nodes ? kMismatch : 0, try_it) == GASNET_ERR_BARRIER_MISMATCH);
        /* What follows is none. */
        OK(split(0, 0, try_it));
        /* The two halves of one node. */
        gasnet_barrier_notify(5, 0);
        CHECK(gasnet_barrier_wait(6, 0) == GASNET_ERR_BARRIER_MISMATCH);
        gasnet_barrier_notify(5, kAnonymous);
        CHECK(gasnet_barrier_wait(5, 0) == GASNET_OK);
        OK(gasnet_barrier(0, GASNET_BARRIERFLAG_IMAGES | kAnonymous));
    }
    /* Nobody is through before all have come: each counts at each between two of them. */
    for (int round = 1; round <= rounds / 2; ++round) {
        for (int node = 0; node < nodes; ++node)
            OK(gasnet_AMRequestShort0((gasnet_node_t)node, 210));
        gasnet_barrier_notify(0, kAnonymous);
        GASNET_BLOCKUNTIL(handled >= round * nodes);
        OK(gasnet_barrier_wait(0, kAnonymous));
        CHECK(handled == round * nodes);
        meet();
    }
    end();
}
