/* Joining, the table of handlers, the segments, the queries and the codes of errors. */
#include "check.h"

static int called;
static void* hooked;
static void first(gasnet_token_t token) {
    (void)token;
    called = 1;
}
static void second(gasnet_token_t token) {
    (void)token;
    called = 2;
}
static void third(gasnet_token_t token) {
    (void)token;
    called = 3;
}
static void hook(void* base, uintptr_t size) {
    CHECK(size == (gasnet_mynode() + 1) * GASNET_PAGESIZE);
    hooked = base;
}

/* Everybody is refused, and nothing has happened. */
static void refused(gasnet_handlerentry_t* table, int entries, uintptr_t size) {
    CHECK(gasnet_attach(table, entries, size, 0) == GASNET_ERR_BAD_ARG);
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t low[] = {{127, (isthmus_gasnet_handler)first}};
    gasnet_handlerentry_t twice[] = {{200, (isthmus_gasnet_handler)first},
                                     {200, (isthmus_gasnet_handler)second}};
    gasnet_handlerentry_t null[] = {{200, 0}};
    gasnet_handlerentry_t table[] = {{0, (isthmus_gasnet_handler)first},
                                     {128, (isthmus_gasnet_handler)second},
                                     {0, (isthmus_gasnet_handler)third}};
    gasnet_nodeinfo_t infos[1024];
    CHECK(gasnet_AMPoll() == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_ERR_NOT_INIT);
    OK(gasnet_init(&argc, &argv));
    CHECK(gasnet_init(&argc, &argv) == GASNET_ERR_NOT_INIT);
    /* Who is where is known before there are segments. */
    OK(gasnet_getNodeInfo(infos, (int)gasnet_nodes()));
    CHECK(infos[gasnet_mynode()].offset == 0);
    CHECK(gasnet_mynode() < gasnet_nodes());
    CHECK(gasnet_getSegmentInfo(segments, 1) == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_getMaxLocalSegmentSize() % GASNET_PAGESIZE == 0);
    CHECK(gasnet_getMaxLocalSegmentSize() >= 1 << 20);
    CHECK(gasnet_getMaxGlobalSegmentSize() == gasnet_getMaxLocalSegmentSize());
    refused(low, 1, 0);
    refused(twice, 2, 0);
    refused(null, 1, 0);
    refused(table, 3, GASNET_PAGESIZE + 1);
    refused(table, 3, gasnet_getMaxLocalSegmentSize() + GASNET_PAGESIZE);
    /* What one of them asks for is refused at all. */
    refused(table, 3, gasnet_mynode() == gasnet_nodes() - 1 ? 1 : GASNET_PAGESIZE);

    /* Sizes differ. */
    gasnet_client_attach_hook = hook;
    OK(gasnet_attach(table, 3, (gasnet_mynode() + 1) * GASNET_PAGESIZE, 0));
    CHECK(gasnet_attach(table, 3, 0, 0) == GASNET_ERR_NOT_INIT);
    CHECK(table[0].index == 129 && table[1].index == 128 && table[2].index == 130);
    OK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes() + 5));
    segments[0].size = 7;
    OK(gasnet_getSegmentInfo(segments, 1));
    OK(gasnet_getSegmentInfo(segments, 0));
    for (gasnet_node_t node = 0; node < gasnet_nodes(); ++node) {
        CHECK(segments[node].size == (node + 1) * GASNET_PAGESIZE);
        CHECK(segments[node].addr == segments[0].addr && GASNET_ALIGNED_SEGMENTS);
        CHECK((uintptr_t)segments[node].addr % GASNET_PAGESIZE == 0);
    }
    CHECK(hooked == segments[gasnet_mynode()].addr);

    /* Indices that the table left open. */
    for (int i = 0; i < 3; ++i) {
        called = 0;
        OK(gasnet_AMRequestShort0(gasnet_mynode(), table[i].index));
        GASNET_BLOCKUNTIL(called == i + 1);
    }

    /* Where the memory of the nodes nearby is mapped here. */
    OK(gasnet_getNodeInfo(infos, (int)gasnet_nodes()));
    CHECK(infos[0].host == 0 && infos[0].supernode == 0);
    memset(segments[gasnet_mynode()].addr, 'a' + (int)gasnet_mynode(), 8);
    gasnet_barrier(0, 0);
    for (gasnet_node_t node = 0; node < gasnet_nodes(); ++node) {
        if (infos[node].supernode != infos[gasnet_mynode()].supernode) continue;
        CHECK(infos[node].host == infos[gasnet_mynode()].host);
        CHECK(*((char*)segments[node].addr + infos[node].offset) == 'a' + (int)node);
    }

    CHECK(gasnet_AMRequestShort0(gasnet_nodes(), 200) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestMedium0(0, 200, infos, gasnet_AMMaxMedium() + 1) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestLong0(0, 200, infos, 8, (void*)0x1000) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestShort(0, 200, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) ==
          GASNET_ERR_BAD_ARG);
    OK(gasnet_set_waitmode(GASNET_WAIT_BLOCK));
    CHECK(gasnet_set_waitmode(7) == GASNET_ERR_BAD_ARG);
    CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_BAD_ARG), "GASNET_ERR_BAD_ARG") == 0);
    CHECK(strcmp(gasnet_ErrorName(GASNET_OK), "GASNET_OK") == 0 && gasnet_ErrorDesc(4711)[0]);
    CHECK(gasnet_getenv("PATH") && !gasnet_getenv("ISTHMUS_THERE_IS_NO_SUCH_VARIABLE"));
    gasnet_hold_interrupts();
    gasnet_resume_interrupts();
    end();
}
