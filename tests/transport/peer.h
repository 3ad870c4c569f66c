/* For tests of ordering: looks into the memory of another PE by the system, past the library, so
 * that nothing is waited for that the library has not waited for. Compiled with -D_GNU_SOURCE. */
#ifndef ISTHMUS_TESTS_TRANSPORT_PEER_H
#define ISTHMUS_TESTS_TRANSPORT_PEER_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kMostPeers = 64 };
static struct peer {
    long number;
    intptr_t heap, data; /* where its block of the heap and this table are */
} peers[kMostPeers];
static size_t peer_heap_bytes;

/* `block` is the symmetric memory of the heap that will be looked at. */
static inline void open_peers(void* block, size_t bytes) {
    static struct peer mine;
#ifdef PR_SET_PTRACER
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
    mine = (struct peer){getpid(), (intptr_t)block, (intptr_t)peers};
    peer_heap_bytes = bytes;
    shmem_fcollectmem(SHMEM_TEAM_WORLD, peers, &mine, sizeof mine);
    shmem_barrier_all();
}

static inline void look_at(int pe, void* dest, const void* object, size_t bytes) {
    const struct peer mine = peers[shmem_my_pe()], theirs = peers[pe];
    const intptr_t at = (intptr_t)object;
    const int in_heap = at >= mine.heap && at < mine.heap + (intptr_t)peer_heap_bytes;
    const intptr_t there = in_heap ? at - mine.heap + theirs.heap : at - mine.data + theirs.data;
    struct iovec local = {dest, bytes}, remote = {(void*)there, bytes};
    if (process_vm_readv((pid_t)theirs.number, &local, 1, &remote, 1, 0) != (ssize_t)bytes) {
        perror("skipped: process_vm_readv");
        shmem_global_exit(77);
    }
}

#endif
