/* Heat flows through a bar of NX * pes x NY x NZ cells, divided along x. Each PE keeps a layer of
 * its neighbours' cells around its own, and each step sends its outermost layers to them.
 *
 * New here: 3-D blocks. x is the fastest dimension, so a layer of constant x is NY * NZ single
 * cells far apart, one call all the same. And order: a poke becomes visible after the puts to the
 * same segment that came before it, so the neighbour needs no other message, and no barrier. */
#include <isthmus.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 12, NY = 10, NZ = 8, STEPS = 20, CELLS = 4096 /* offset of the first array */ };
enum { FROM_LEFT = 0, FROM_RIGHT = 8 }; /* flags: the step whose layer has come */

static void check(int status) {
    if (status == ISTHMUS_OK) return;
    fprintf(stderr, "PE %d: %s\n", isthmus_pe(), isthmus_error_text());
    isthmus_exit(1);
}

static size_t at(int nx, int x, int y, int z) {
    return ((size_t)z * (NY + 2) + (size_t)y) * (size_t)(nx + 2) + (size_t)x;
}
static size_t array_size(int nx) {
    return at(nx, 0, 0, NZ + 2);
}

static void step(int nx, const double* in, double* out) {
    for (int z = 1; z <= NZ; ++z)
        for (int y = 1; y <= NY; ++y)
            for (int x = 1; x <= nx; ++x)
                out[at(nx, x, y, z)] = 0.4 * in[at(nx, x, y, z)] +
                                       0.1 * (in[at(nx, x - 1, y, z)] + in[at(nx, x + 1, y, z)] +
                                              in[at(nx, x, y - 1, z)] + in[at(nx, x, y + 1, z)] +
                                              in[at(nx, x, y, z - 1)] + in[at(nx, x, y, z + 1)]);
}

/* The layer at x = `from` of my array becomes the one at x = `to` of the neighbour's. */
static void send(const double* cells, const isthmus_segment* neighbour, uint64_t offset, int from,
                 int to, uint64_t flag, int64_t number) {
    const isthmus_point3d here = {(uint64_t)from, 1, 1, NX + 2, NY + 2, NZ + 2};
    const isthmus_point3d there = {(uint64_t)to, 1, 1, NX + 2, NY + 2, NZ + 2};
    check(isthmus_put_block3d(cells, &here, neighbour, offset, &there, sizeof(double), 1, NY, NZ,
                              NULL));
    check(isthmus_poke(neighbour, flag, number));
}
static void wait_for(const isthmus_segment* mine, uint64_t flag, int64_t number) {
    isthmus_event arrived;
    check(isthmus_event_arm(&arrived, (const int64_t*)(mine->base + flag), ISTHMUS_GE, number));
    check(isthmus_event_wait(&arrived));
}

int main(void) {
    isthmus_init();
    const int me = isthmus_pe(), pes = isthmus_pes();
    const uint64_t bytes = array_size(NX) * sizeof(double);
    isthmus_segment mine, left, right; /* two flags, then two arrays, used in turn */
    check(isthmus_segment_create(&mine, (uint64_t)me, NULL, CELLS + 2 * bytes, 0));
    if (me > 0) check(isthmus_segment_clone(&left, (uint64_t)me - 1, -1));
    if (me < pes - 1) check(isthmus_segment_clone(&right, (uint64_t)me + 1, -1));
    double* const cells[2] = {(double*)(mine.base + CELLS), (double*)(mine.base + CELLS + bytes)};
    if (me == 0) cells[0][at(NX, 1, NY / 2, NZ / 2)] = 1000;

    for (int s = 0; s < STEPS; ++s) {
        double* const out = cells[(s + 1) % 2];
        const uint64_t offset = CELLS + (uint64_t)((s + 1) % 2) * bytes;
        step(NX, cells[s % 2], out);
        if (me > 0) send(out, &left, offset, 1, NX + 1, FROM_RIGHT, s + 1);
        if (me < pes - 1) send(out, &right, offset, NX, 0, FROM_LEFT, s + 1);
        if (me > 0) wait_for(&mine, FROM_LEFT, s + 1);
        if (me < pes - 1) wait_for(&mine, FROM_RIGHT, s + 1);
    }

    /* The whole bar once more, by this PE alone: the same bits. */
    double* whole[2] = {calloc(array_size(NX * pes), 8), calloc(array_size(NX * pes), 8)};
    whole[0][at(NX * pes, 1, NY / 2, NZ / 2)] = 1000;
    for (int s = 0; s < STEPS; ++s)
        step(NX * pes, whole[s % 2], whole[(s + 1) % 2]);
    int wrong = 0;
    for (int z = 1; z <= NZ; ++z)
        for (int y = 1; y <= NY; ++y)
            for (int x = 1; x <= NX; ++x)
                wrong += cells[STEPS % 2][at(NX, x, y, z)] !=
                         whole[STEPS % 2][at(NX * pes, me * NX + x, y, z)];
    free(whole[0]);
    free(whole[1]);
    printf("PE %d: cells %d to %d, %d wrong\n", me, me * NX, me * NX + NX - 1, wrong);
    isthmus_finalize();
    return wrong != 0;
}
