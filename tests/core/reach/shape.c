/* Gets of shapes from another PE against a plain loop: strided, 2-D and 3-D, with and without an
 * event, to memory of the heap and to the program's own. Extents lie around those at which a get
 * goes in another way, and at random; every byte of the destination counts, between its rows and
 * beside them too. Several are under way at once, more than there is room for. Then the time: rows
 * that are near each other must not cost a read each. */
#include <isthmus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of core/reach/shape.cpp. */
enum { kRead = 65536, kReadsAtOnce = 16, kNear = 2048, kShort = 16384 };
enum { kThere = 3 << 20, kHere = 3 << 20, kGuard = 64, kAtOnce = 24 };

static int me, right, failed, cases;
static unsigned char *shared, *private, *expected;
static isthmus_segment there;
static uint64_t there_at;

#define OK(call)                                                                 \
    do {                                                                         \
        if ((call) != ISTHMUS_OK) {                                              \
            fprintf(stderr, "PE %d: %s: %s\n", me, #call, isthmus_error_text()); \
            isthmus_exit(1);                                                     \
        }                                                                        \
    } while (0)

static unsigned char value_at(uint64_t i, int pe) {
    return (unsigned char)(i * 7 + (i >> 8) * 3 + (i >> 16) * 5 + (uint64_t)pe * 101);
}

static unsigned seed = 12345;
static uint64_t below(uint64_t end) {
    seed = seed * 1103515245u + 12345u;
    return (uint64_t)(seed >> 8) % end;
}

/* Rows of so many bytes, and distances of rows and planes there and here. */
struct shape {
    uint64_t row, rows, planes, row_there, plane_there, row_here, plane_here;
};

static uint64_t end_of(const struct shape* s, uint64_t row, uint64_t plane) {
    return (s->planes - 1) * plane + (s->rows - 1) * row + s->row;
}
static int fits(const struct shape* s) {
    return s->row <= kNear * 40 && end_of(s, s->row_there, s->plane_there) <= kThere &&
           end_of(s, s->row_here, s->plane_here) + 2 * kGuard <= kHere;
}

static void model(unsigned char* to, const struct shape* s) {
    for (uint64_t k = 0; k < s->planes; ++k)
        for (uint64_t j = 0; j < s->rows; ++j)
            for (uint64_t i = 0; i < s->row; ++i)
                to[k * s->plane_here + j * s->row_here + i] =
                    value_at(k * s->plane_there + j * s->row_there + i, right);
}

static void get(unsigned char* to, const struct shape* s, isthmus_event* event) {
    if (s->planes == 1 && (s->row_there < s->row || below(2))) {
        OK(isthmus_get_strided(to, s->row_here, &there, there_at, s->row_there, s->row, s->rows,
                               event));
    } else if (s->planes == 1) {
        const isthmus_point2d here = {0, 0, s->row_here, s->rows},
                              of = {0, 0, s->row_there, s->rows};
        OK(isthmus_get_block2d(to, &here, &there, there_at, &of, 1, s->row, s->rows, event));
    } else {
        const isthmus_point3d here = {0, 0, 0, s->row_here, s->plane_here / s->row_here, s->planes},
                              of = {0,        0, 0, s->row_there, s->plane_there / s->row_there,
                                    s->planes};
        OK(isthmus_get_block3d(to, &here, &there, there_at, &of, 1, s->row, s->rows, s->planes,
                               event));
    }
}

static void check(struct shape s) {
    if (!fits(&s)) return;
    const uint64_t used = end_of(&s, s.row_here, s.plane_here) + 2 * kGuard;
    for (int with_event = 0; with_event < 2; ++with_event) {
        unsigned char* const here = below(2) ? shared : private;
        memset(here, 0xa5, used);
        memset(expected, 0xa5, used);
        model(expected + kGuard, &s);
        isthmus_event event = ISTHMUS_EVENT_TRUE;
        get(here + kGuard, &s, with_event ? &event : NULL);
        OK(isthmus_event_wait(&event));
        ++cases;
        if (memcmp(here, expected, used) != 0 && ++failed < 10)
            fprintf(stderr,
                    "PE %d: %s event: %llu x %llu rows of %llu bytes; there %llu, %llu apart; here "
                    "%llu, %llu\n",
                    me, with_event ? "with" : "no", (unsigned long long)s.planes,
                    (unsigned long long)s.rows, (unsigned long long)s.row,
                    (unsigned long long)s.row_there, (unsigned long long)s.plane_there,
                    (unsigned long long)s.row_here, (unsigned long long)s.plane_here);
    }
}

static void plane(uint64_t row, uint64_t rows, uint64_t row_there, uint64_t row_here) {
    check((struct shape){row, rows, 1, row_there, 0, row_here, 0});
}
static void around(uint64_t row, uint64_t row_there, uint64_t row_here, uint64_t bytes) {
    const uint64_t rows = bytes / row_there;
    for (uint64_t r = rows > 1 ? rows - 1 : 1; r <= rows + 2; ++r)
        plane(row, r, row_there, row_here);
}
/* So many rows in a plane of an array that has `height` of them. */
static void planes(uint64_t row, uint64_t rows, uint64_t count, uint64_t row_there, uint64_t height,
                   uint64_t row_here, uint64_t height_here) {
    check((struct shape){row, rows, count, row_there, row_there * height, row_here,
                         row_here * height_here});
}

static void edges(void) {
    static const uint64_t ends[] = {kShort, kRead, 2 * kRead, kReadsAtOnce * kRead};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        around(4, 16, 4, ends[i]);
        around(4, 4, 7, ends[i]);
        around(1, 2, 1, ends[i]);
        around(24, 25, 30, ends[i]);
        around(100, kNear, 100, ends[i]);
        around(100, kNear + 1, 100, ends[i]);
        around(kNear, kNear, kNear, ends[i]);
        around(kNear - 1, kNear, kNear - 1, ends[i]);
    }
    /* The same bytes there again and again, and rows there that overlap. */
    check((struct shape){40, 3000, 1, 0, 0, 50, 0});
    check((struct shape){kRead - 1, 20, 1, 3, 0, kRead, 0});
    check((struct shape){kRead, 3, 1, 3, 0, kRead + 1, 0});
    check((struct shape){kRead + 1, 3, 1, 3, 0, kRead + 1, 0});
    check((struct shape){5000, 300, 1, 1, 0, 5000, 0});
    for (uint64_t height = 8; height <= 10; ++height) {
        planes(8, 8, 300, 32, height, 8, 8);           /* several planes a read */
        planes(8, 8, 300, 1024, height, 9, 9);         /* one */
        planes(8, 100, 20, 1024, 92 + height, 8, 100); /* more than one read a plane */
        planes(32, height, 40, 32, 200, 32, height);   /* planes of one piece, apart */
        planes(32, 8, 40, 32, 8, 32, height);          /* one piece there */
        planes(8, 1, 700, 16, height, 8, 1);           /* one row a plane */
    }
    planes(kRead / 16, 15, 3, kRead / 16, 16, kRead / 16 + 1, 15);
    planes(16, 64, 30, 1008, 65 + kNear / 1008, 16, 64);
    planes(16, 64, 30, 1008, 66 + kNear / 1008, 16, 64);
}

static void at_random(void) {
    for (int turn = 0; turn < 60; ++turn) {
        const uint64_t row = 1 + below(below(4) ? 40 : 2 * kNear),
                       count = below(2) ? 1 : 1 + below(30),
                       row_there = row + below(below(2) ? 20 : 2 * kNear),
                       rows = 1 + below(400000 / (row_there * count) + 2);
        planes(row, rows, count, row_there, rows + below(below(2) ? 4 : 60), row + below(4),
               rows + below(3));
    }
}

/* Their destinations lie beside each other, and events are waited for backwards. */
static void several(void) {
    const struct shape s = {4, 60000, 1, 16, 0, 4, 0};
    const uint64_t bytes = s.row * s.rows;
    unsigned char* const here = malloc(bytes * kAtOnce);
    isthmus_event events[kAtOnce];
    memset(here, 0xa5, bytes * kAtOnce);
    model(expected, &s);
    for (int i = 0; i < kAtOnce; ++i)
        get(here + bytes * (uint64_t)i, &s, &events[i]);
    for (int i = kAtOnce - 1; i >= 0; --i) {
        OK(isthmus_event_wait(&events[i]));
        failed += memcmp(here + bytes * (uint64_t)i, expected, bytes) != 0;
    }
    if (failed) fprintf(stderr, "PE %d: %d failed, of several at once too\n", me, failed);
    free(here);
}

static double seconds_of(uint64_t rows, uint64_t row_there, int with_event) {
    double least = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
        isthmus_event event = ISTHMUS_EVENT_TRUE;
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        OK(isthmus_get_strided(private, 4, &there, there_at, row_there, 4, rows,
                               with_event ? &event : NULL));
        OK(isthmus_event_wait(&event));
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double took =
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
        if (took < least) least = took;
    }
    return least;
}

/* 256 reads of one row are the measure: a busy machine slows both. 20,000 reads are 78 times as
 * many. */
static void time_them(void) {
    const double single = seconds_of(256, kNear + 1, 0);
    for (int with_event = 0; with_event < 2; ++with_event) {
        const double took = seconds_of(20000, 16, with_event);
        printf("20000 rows of 4 bytes every 16, %s event: %.1f us; 256 single reads %.1f us\n",
               with_event ? "with" : "no", took * 1e6, single * 1e6);
        if (took > single * 16) {
            ++failed;
            fprintf(stderr, "PE %d: rows that are near each other cost too much\n", me);
        }
    }
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    right = (me + 1) % isthmus_pes();
    isthmus_segment mine;
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, kThere + kHere, 0));
    OK(isthmus_segment_clone(&there, 100 + (uint64_t)right, -1));
    unsigned char* const source = mine.base;
    shared = source + kThere;
    private = malloc(kHere);
    expected = malloc(kHere);
    there_at = 0;
    for (uint64_t i = 0; i < kThere; ++i)
        source[i] = value_at(i, me);
    isthmus_barrier();
    edges();
    at_random();
    several();
    printf("PE %d: %d cases\n", me, cases);
    isthmus_barrier();
    if (me == 0 && (there.access & ISTHMUS_FAR) != 0) time_them();
    isthmus_barrier();
    if (failed) isthmus_exit(1);
    isthmus_finalize();
    return 0;
}
