/* What the programs of this folder share. Each checks itself on any number of processes, and is
 * compiled as C and as C++. */
#ifndef EX_CHECK_H
#define EX_CHECK_H

#include <gasnetex.h>

#include <gasnet_coll.h>

#define CHECK(c)                                                                  \
    do {                                                                          \
        if (!(c)) {                                                               \
            fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, \
                    (int)gex_System_QueryJobRank(), #c);                          \
            gasnet_exit(1);                                                       \
        }                                                                         \
    } while (0)
#define OK(call) CHECK((call) == GASNET_OK)

static gex_Client_t client;
static gex_EP_t endpoint;
static gex_TM_t all;
static gex_Segment_t segment;
static gex_Rank_t me, ranks;
static char* bases[1024]; /* of the segments, by rank */

static void __attribute__((__unused__)) join(int* argc, char*** argv, gex_Flags_t flags) {
    OK(gex_Client_Init(&client, &endpoint, &all, "test", argc, argv, flags));
    me = gex_TM_QueryRank(all);
    ranks = gex_TM_QuerySize(all);
    CHECK(ranks <= 1024);
}
static void __attribute__((__unused__)) attach(uintptr_t size) {
    gex_Rank_t rank;
    OK(gex_Segment_Attach(&segment, all, size));
    for (rank = 0; rank < ranks; ++rank) {
        void* base = NULL;
        OK(gex_Segment_QueryBound(all, rank, &base, NULL, NULL));
        bases[rank] = (char*)base;
    }
}
static void __attribute__((__unused__))
start(int* argc, char*** argv, gex_AM_Entry_t* table, size_t entries, uintptr_t size) {
    join(argc, argv, 0);
    OK(gex_EP_RegisterHandlers(endpoint, table, entries));
    attach(size);
}
static void __attribute__((__unused__)) meet(void) {
    gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
}
static void __attribute__((__unused__)) end(void) {
    meet();
    gasnet_exit(0);
}

#endif
