/* Random geometries against a byte-wise model, in both directions; and what is refused.
 *
 *     geometry [ROUNDS]     of all PEs together; 10^5 if not given
 */
#include "check.h"

enum { kSpace = 1 << 17, kMostRanges = 12 };
static int me, pes;
static unsigned char local[kSpace], model[kSpace], kept[kSpace], copy[kSpace];
static uint64_t state;

static uint64_t below(uint64_t limit) {
    return next_random(&state) % limit;
}

struct side {
    uint64_t begin, row, plane; /* offset of the first byte, pitches */
};

/* What the call should do, one byte at a time. */
static void move_model(unsigned char* to, const struct side* at, const unsigned char* from,
                       const struct side* of, uint64_t bytes, uint64_t rows, uint64_t planes) {
    for (uint64_t k = 0; k < planes; ++k)
        for (uint64_t j = 0; j < rows; ++j)
            for (uint64_t i = 0; i < bytes; ++i)
                to[at->begin + k * at->plane + j * at->row + i] =
                    from[of->begin + k * of->plane + j * of->row + i];
}

static isthmus_point3d place(uint64_t width, uint64_t height, uint64_t depth) {
    isthmus_point3d point;
    point.xdim = width + below(5);
    point.ydim = height + below(5);
    point.zdim = depth + below(3);
    point.xpos = below(point.xdim - width + 1);
    point.ypos = below(point.ydim - height + 1);
    point.zpos = below(point.zdim - depth + 1);
    return point;
}

static struct side side_of(const isthmus_point3d* p, uint64_t element, uint64_t origin) {
    const struct side side = {
        origin + ((p->zpos * p->ydim + p->ypos) * p->xdim + p->xpos) * element, p->xdim * element,
        p->xdim * p->ydim * element};
    return side;
}

static uint64_t end_of(const struct side* at, uint64_t bytes, uint64_t rows, uint64_t planes) {
    return at->begin + (planes - 1) * at->plane + (rows - 1) * at->row + bytes;
}

/* Bytes that a round looks at: all that it may write and what lies around it; every 64th round all
 * there are. */
static uint64_t looked_at(int round, uint64_t end) {
    return round % 64 == 0 || end + 256 > kSpace ? kSpace : end + 256;
}

static void a_block(int round, const isthmus_segment* next) {
    const int put = round % 2;
    const uint64_t element = 1 + below(9), width = 1 + below(below(16) ? 20 : 150),
                   height = 1 + below(10), depth = 1 + below(4), here = below(64),
                   there = below(64), bytes = width * element;
    const isthmus_point3d at = place(width, height, depth), of = place(width, height, depth);
    const struct side l = side_of(&at, element, here), r = side_of(&of, element, there);
    const uint64_t l_end = end_of(&l, bytes, height, depth),
                   r_end = end_of(&r, bytes, height, depth);
    CHECK(l_end <= kSpace && r_end <= kSpace);
    const uint64_t limit = looked_at(round, l_end > r_end ? l_end : r_end);
    for (int i = 0; i < 64; ++i) /* a few new bytes each round; the rest is what came before */
        local[below(limit)] = (unsigned char)below(256);
    unsigned char* remote = bytes_of(next, copy, limit);
    memcpy(model, put ? remote : local, limit);
    memcpy(kept, put ? local : remote, limit);
    move_model(model, put ? &r : &l, kept, put ? &l : &r, bytes, height, depth);
    isthmus_event event;
    const isthmus_point2d at2 = {at.xpos, at.ypos, at.xdim, at.ydim},
                          of2 = {of.xpos, of.ypos, of.xdim, of.ydim};
    if (depth > 1) {
        OK(put ? isthmus_put_block3d(local + here, &at, next, there, &of, element, width, height,
                                     depth, &event)
               : isthmus_get_block3d(local + here, &at, next, there, &of, element, width, height,
                                     depth, &event));
    } else if (round % 3) {
        /* One plane: the point's zpos and zdim are part of where it begins. */
        const uint64_t l0 = here + at.zpos * l.plane, r0 = there + of.zpos * r.plane;
        OK(put ? isthmus_put_block2d(local + l0, &at2, next, r0, &of2, element, width, height,
                                     &event)
               : isthmus_get_block2d(local + l0, &at2, next, r0, &of2, element, width, height,
                                     &event));
    } else {
        OK(put ? isthmus_put_strided(local + l.begin, l.row, next, r.begin, r.row, bytes, height,
                                     &event)
               : isthmus_get_strided(local + l.begin, l.row, next, r.begin, r.row, bytes, height,
                                     &event));
    }
    OK(isthmus_event_wait(&event));
    remote = bytes_of(next, copy, limit);
    CHECK(memcmp(put ? remote : local, model, limit) == 0);
    CHECK(memcmp(put ? local : remote, kept, limit) == 0);
}

static void a_list(int round, const isthmus_segment* next) {
    const int put = round % 2;
    isthmus_range ranges[kMostRanges];
    const size_t count = below(kMostRanges + 1);
    uint64_t l = below(64), r = below(64);
    for (size_t i = 0; i < count; ++i) {
        ranges[i] = (isthmus_range){local + l, r, below(below(8) ? 40 : 1000)};
        l += ranges[i].size + below(9);
        r += ranges[i].size + below(9);
    }
    const uint64_t limit = looked_at(round, l > r ? l : r);
    unsigned char* remote = bytes_of(next, copy, limit);
    memcpy(model, put ? remote : local, limit);
    memcpy(kept, put ? local : remote, limit);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t at = (uint64_t)((unsigned char*)ranges[i].local - local);
        for (uint64_t k = 0; k < ranges[i].size; ++k) {
            if (put)
                model[ranges[i].offset + k] = kept[at + k];
            else
                model[at + k] = kept[ranges[i].offset + k];
        }
    }
    isthmus_event event;
    OK(put ? isthmus_put_list(ranges, count, next, &event)
           : isthmus_get_list(ranges, count, next, &event));
    OK(isthmus_event_wait(&event));
    remote = bytes_of(next, copy, limit);
    CHECK(memcmp(put ? remote : local, model, limit) == 0);
    CHECK(memcmp(put ? local : remote, kept, limit) == 0);
}

int main(int argc, char** argv) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    const int rounds = (argc > 1 ? atoi(argv[1]) : 100000) / pes;
    state = 12345 + (uint64_t)me * 77;
    isthmus_segment mine, next;
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, kSpace, 0));
    OK(isthmus_segment_clone(&next, 100 + (uint64_t)((me + 1) % pes), -1));
    isthmus_barrier();
    for (int round = 0; round <= rounds; ++round) {
        if (below(10))
            a_block(round, &next);
        else
            a_list(round, &next);
    }

    const isthmus_point2d whole = {0, 0, 16, 16}, shifted = {10, 0, 16, 16};
    CHECK(isthmus_put_block2d(local, &whole, &next, 0, &shifted, 4, 8, 8, NULL) == ISTHMUS_BOUNDS);
    CHECK(strstr(isthmus_error_text(), "does not fit into the remote array"));
    CHECK(isthmus_put_block2d(local, &shifted, &next, 0, &whole, 4, 8, 8, NULL) == ISTHMUS_BOUNDS);
    CHECK(isthmus_put_block2d(local, &whole, &next, kSpace - 512, &whole, 4, 16, 16, NULL) ==
          ISTHMUS_BOUNDS);
    /* Dimensions across which no row and no plane follows another are limits, not distances. */
    const isthmus_point2d tall = {0, 1, 16, UINT64_MAX}, wide = {3, 0, UINT64_MAX, 1},
                          both = {3, 0, UINT64_MAX, UINT64_MAX};
    OK(isthmus_get_block2d(local, &tall, &next, 0, &tall, 4, 8, 8, NULL));
    OK(isthmus_put_block2d(local, &wide, &next, 0, &both, 4, 8, 1, NULL));
    CHECK(isthmus_put_block2d(local, &tall, &next, 0, &both, 4, 8, 2, NULL) == ISTHMUS_BOUNDS);
    CHECK(strstr(isthmus_error_text(), "beyond 2^64"));
    /* Blocks of nothing, behind the last row and column of an array that fills the segment. */
    const isthmus_point2d behind = {256, 512, 256, 512}, before = {0, 0, 256, 512},
                          outside = {0, 513, 256, 512};
    OK(isthmus_put_block2d(local, &before, &next, 0, &behind, 1, 0, 0, NULL));
    OK(isthmus_get_block2d(local, &behind, &next, 0, &behind, 1, 0, 0, NULL));
    OK(isthmus_put_block2d(local, &before, &next, kSpace, &behind, 0, 0, 0, NULL));
    CHECK(isthmus_put_block2d(local, &before, &next, 0, &outside, 1, 0, 0, NULL) == ISTHMUS_BOUNDS);
    CHECK(isthmus_put_block2d(local, &before, &next, kSpace + 1, &behind, 1, 0, 0, NULL) ==
          ISTHMUS_BOUNDS);
    CHECK(isthmus_put_strided(local, 8, &next, 0, 4, 8, 2, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_get_strided(local, 4, &next, 0, 8, 8, 2, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_put_strided(local, 8, &next, 0, UINT64_MAX / 2, 8, 4, NULL) == ISTHMUS_BOUNDS);
    /* Negative ones, on either side; where there is one row at most nobody looks at them. */
    const uint64_t back = (uint64_t)-16;
    CHECK(isthmus_put_strided(local + 64, back, &next, 0, 16, 8, 2, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_get_strided(local + 64, back, &next, 0, 16, 8, 2, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_put_strided(local, 16, &next, 64, back, 8, 2, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_get_strided(local, 16, &next, 64, back, 8, 2, NULL) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "-16") != NULL);
    OK(isthmus_put_strided(local + 64, back, &next, 64, back, 8, 1, NULL));
    OK(isthmus_put_strided(local + 64, back, &next, 64, back, 0, 9, NULL));
    /* A pitch of 0 on the side that is read is one row again and again. */
    memset(local, 7, 32);
    OK(isthmus_put_strided(local, 0, &next, 256, 24, 20, 30, NULL));
    OK(isthmus_fence(&next, NULL));
    OK(isthmus_get_strided(local + 4096, 32, &next, 256, 0, 20, 30, NULL));
    unsigned char* remote = bytes_of(&next, copy, kSpace);
    for (int i = 0; i < 30; ++i)
        CHECK(!memcmp(local + 4096 + 32 * i, local, 20) &&
              !memcmp(remote + 256 + 24 * i, local, 20));
    OK(isthmus_put_strided(local, 8, &next, 0, 8, 8, 0, NULL));

    /* Nothing, however often, takes no time: here it would be minutes. */
    const double begun = seconds_now(CLOCK_MONOTONIC);
    const uint64_t many = UINT64_C(1) << 40;
    const isthmus_point3d deep = {0, 0, 0, 1, 1, many}, flat = {0, 0, 0, 0, 0, many};
    isthmus_event event;
    OK(isthmus_put_block3d(local, &flat, &next, 0, &flat, 1, 0, 0, many, &event));
    OK(isthmus_event_wait(&event));
    OK(isthmus_get_block3d(local, &deep, &next, 0, &deep, 1, 0, 1, many, NULL));
    OK(isthmus_put_block3d(local, &deep, &next, 0, &deep, 0, 1, 1, many, NULL));
    OK(isthmus_put_strided(local, 0, &next, 0, 0, 0, many, NULL));
    OK(isthmus_get_strided(local, 0, &next, 0, 0, 0, many, NULL));
    CHECK(seconds_now(CLOCK_MONOTONIC) - begun < 5);

    /* A list with one bad range moves nothing. */
    remote = bytes_of(&next, copy, kSpace);
    memcpy(kept, remote, kSpace);
    memset(local, 0xa5, 64);
    isthmus_range ranges[3] = {{local, 0, 16}, {local + 16, 100, 16}, {local, kSpace - 8, 16}};
    CHECK(isthmus_put_list(ranges, 3, &next, NULL) == ISTHMUS_BOUNDS);
    remote = bytes_of(&next, copy, kSpace);
    CHECK(memcmp(remote, kept, kSpace) == 0);
    OK(isthmus_put_list(ranges, 2, &next, NULL));
    remote = bytes_of(&next, copy, kSpace);
    CHECK(remote[0] == 0xa5 && remote[15] == 0xa5 && remote[100] == 0xa5 && remote[115] == 0xa5);
    OK(isthmus_get_list(ranges, 2, &next, NULL));
    isthmus_barrier();
    isthmus_finalize();
    return 0;
}
