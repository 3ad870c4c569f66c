/* What the programs of this folder share. Each checks itself on any number of nodes. */
#ifndef CHECK_H
#define CHECK_H

#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                                                                  \
    do {                                                                          \
        if (!(c)) {                                                               \
            fprintf(stderr, "%s:%d: node %d: not true: %s\n", __FILE__, __LINE__, \
                    (int)gasnet_mynode(), #c);                                    \
            gasnet_exit(1);                                                       \
        }                                                                         \
    } while (0)
#define OK(call) CHECK((call) == GASNET_OK)

static gasnet_seginfo_t segments[1024];

static void __attribute__((__unused__))
start(int argc, char** argv, gasnet_handlerentry_t* table, int entries, uintptr_t segment_size) {
    OK(gasnet_init(&argc, &argv));
    OK(gasnet_attach(table, entries, segment_size, 0));
    OK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()));
}
static void __attribute__((__unused__)) meet(void) {
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    OK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
}
static void __attribute__((__unused__)) end(void) {
    meet();
    gasnet_exit(0);
}

#endif
