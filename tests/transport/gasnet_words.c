/* On a network that is slow (slow_network.c): words that node 0 puts without a handle are at node 1
 * when the wait for them returns. Node 0 looks there past the library. */
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEED(CONDITION)                                                 \
    do {                                                                \
        if (!(CONDITION)) {                                             \
            fprintf(stderr, "line %d: not " #CONDITION "\n", __LINE__); \
            gasnet_exit(1);                                             \
        }                                                               \
    } while (0)

static gasnet_seginfo_t segments[2];
static struct { uint64_t number, segment; /* of node 1, as it sees them */ } peer;

static void meet(void) {
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    NEED(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

static uint64_t seen(void) {
    uint64_t word = 0;
    struct iovec local = {&word, sizeof word},
                 remote = {(void*)(uintptr_t)peer.segment, sizeof word};
    if (process_vm_readv((pid_t)peer.number, &local, 1, &remote, 1, 0) != sizeof word) {
        perror("skipped: process_vm_readv");
        gasnet_exit(77);
    }
    return word;
}

/* The length is a constant: such a word is put by a function of its own. Waited for, and tried. */
#define PUT_WORDS(BYTES)                                                \
    for (uint64_t i = 1; i <= 4; ++i) {                                 \
        const uint64_t word = 0x0101010101010101u * (16 * (BYTES) + i); \
        const uint64_t mask = UINT64_MAX >> (64 - 8 * (BYTES));         \
        gasnet_put_nbi(1, segments[1].addr, &word, BYTES);              \
        if (i % 2 == 0)                                                 \
            gasnet_wait_syncnbi_puts();                                 \
        else                                                            \
            while (gasnet_try_syncnbi_puts() != GASNET_OK) {            \
            }                                                           \
        NEED((seen() & mask) == (word & mask));                         \
    }

int main(int argc, char** argv) {
    GASNET_BEGIN_FUNCTION();
    NEED(gasnet_init(&argc, &argv) == GASNET_OK);
    NEED(gasnet_attach(NULL, 0, 1 << 16, 0) == GASNET_OK);
    NEED(gasnet_nodes() == 2 && gasnet_getSegmentInfo(segments, 2) == GASNET_OK);
    if (gasnet_mynode() == 1) {
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        peer.number = (uint64_t)getpid();
        peer.segment = (uintptr_t)segments[1].addr;
        gasnet_put_bulk(0, segments[0].addr, &peer, sizeof peer);
    }
    meet();
    if (gasnet_mynode() == 0) {
        memcpy(&peer, segments[0].addr, sizeof peer);
        PUT_WORDS(1);
        PUT_WORDS(2);
        PUT_WORDS(4);
        PUT_WORDS(8);
    }
    meet();
    gasnet_exit(0);
}
