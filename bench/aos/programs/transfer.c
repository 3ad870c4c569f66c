/* Transfers to a segment of another PE.
 *
 *     transfer=put|get pes= bytes= share= gbs=     asynchronous, all of pes at once, each to the
 * next PE: of the best copy loop on the same memory
 *     latency=put|get bytes= ns= loop= raw=        blocking, PE 0 alone; the best copy loop, and a
 * line's way between the cores
 *     strided=put row= rows= share=                2-D put, of a loop of memcpy
 *
 * `share` and `gbs` are of one batch; the harness takes medians. Time is processor time. */
#include "common.h"

#include "../../one-host/programs/loops.h"

enum { kRoom = (1 << 20) + 4096, kOutstanding = 16 };
static int me, pes;
static char* local;
static isthmus_segment mine, next;
static struct named_loop loops[8];
static int loop_count;

static double put_time(size_t bytes, int calls) {
    isthmus_event events[kOutstanding];
    const double start = cpu_ns();
    for (int i = 0; i < calls; ++i) {
        isthmus_event* const event = events + i % kOutstanding;
        if (i >= kOutstanding) isthmus_event_wait(event);
        isthmus_put(local, &next, 0, bytes, event);
    }
    isthmus_event_wait_all(events, (size_t)(calls < kOutstanding ? calls : kOutstanding), -1);
    return cpu_ns() - start;
}
static double get_time(size_t bytes, int calls) {
    isthmus_event events[kOutstanding];
    const double start = cpu_ns();
    for (int i = 0; i < calls; ++i) {
        isthmus_event* const event = events + i % kOutstanding;
        if (i >= kOutstanding) isthmus_event_wait(event);
        isthmus_get(local, &next, 0, bytes, event);
    }
    isthmus_event_wait_all(events, (size_t)(calls < kOutstanding ? calls : kOutstanding), -1);
    return cpu_ns() - start;
}
static double loop_time(copy_loop copy, void* dest, const void* source, size_t bytes, int calls) {
    const double start = cpu_ns();
    for (int i = 0; i < calls; ++i) {
        copy(dest, source, bytes);
        __asm__ __volatile__("" ::: "memory");
    }
    return cpu_ns() - start;
}

/* All PEs run it together; every batch measures ours and each loop, in a changing order. */
static void throughput(int is_put, size_t bytes, int batches) {
    int calls = (int)((1 << 20) / (bytes < 64 ? 64 : bytes));
    if (calls < 2) calls = 2;
    double ours[64], best_of[8][64];
    void* const dest = is_put ? next.base : local;
    const void* const source = is_put ? local : next.base;
    const int usable = bytes < 128 ? 1 : loop_count; /* the vector loops move whole lines */
    for (int batch = 0; batch < batches; ++batch) {
        isthmus_barrier();
        for (int turn = 0; turn <= usable; ++turn) {
            const int which = (turn + batch) % (usable + 1) - 1;
            if (which < 0) {
                is_put ? put_time(bytes, 2) : get_time(bytes, 2);
                ours[batch] = (is_put ? put_time(bytes, calls) : get_time(bytes, calls)) / calls;
            } else {
                loop_time(loops[which].copy, dest, source, bytes, 2);
                best_of[which][batch] =
                    loop_time(loops[which].copy, dest, source, bytes, calls) / calls;
            }
        }
    }
    isthmus_barrier();
    for (int batch = 0; batch < batches; ++batch) {
        for (int which = 0; which < usable; ++which) {
            if (me == 0)
                printf("transfer=%s pes=%d bytes=%zu loop=%s ours=%.2f its=%.2f\n",
                       is_put ? "put" : "get", pes, bytes, loops[which].name, ours[batch],
                       best_of[which][batch]);
        }
    }
}

/* `raw`: nanoseconds of a line's way from core to core. */
static void latency(int is_put, size_t bytes, int batches, double raw) {
    const int calls = bytes > 65536 ? 4 : 50;
    void* const dest = is_put ? next.base : local;
    const void* const source = is_put ? local : next.base;
    const int usable = bytes < 128 ? 1 : loop_count;
    /* The best loop is found first: the least of several in each batch would be luck. */
    int best = 0;
    double least = 0;
    for (int turn = 0; turn < 3; ++turn) {
        for (int which = 0; which < usable; ++which) {
            const double spent = loop_time(loops[which].copy, dest, source, bytes, calls);
            if (least > 0 && spent >= least) continue;
            least = spent;
            best = which;
        }
    }
    for (int batch = 0; batch < batches; ++batch) {
        const double loop = loop_time(loops[best].copy, dest, source, bytes, calls) / calls;
        const double start = cpu_ns();
        for (int i = 0; i < calls; ++i) {
            if (is_put) {
                isthmus_put(local, &next, 0, bytes, NULL);
                isthmus_fence(&next, NULL);
            } else {
                isthmus_get(local, &next, 0, bytes, NULL);
            }
        }
        printf("latency=%s bytes=%zu ns=%.1f loop=%.1f raw=%.1f\n", is_put ? "put" : "get", bytes,
               (cpu_ns() - start) / calls, loop, raw);
    }
}

/* Rows of an array of `pitch` bytes a row into a dense block, as a hand-written loop has them. */
static __attribute__((noinline)) void by_hand(char* to, size_t to_pitch, const char* from,
                                              size_t from_pitch, size_t row, size_t rows) {
    for (size_t i = 0; i < rows; ++i)
        memcpy(to + i * to_pitch, from + i * from_pitch, row);
}

static void strided(size_t row, int batches) {
    const size_t pitch = row + 192, rows = (1 << 17) / pitch;
    const int calls = 8;
    const isthmus_point2d at = {16, 0, pitch, rows}, there = {32, 0, pitch, rows};
    for (int batch = 0; batch < batches; ++batch) {
        double hand = 0, ours = 0;
        for (int turn = 0; turn < 2; ++turn) {
            const double start = cpu_ns();
            for (int i = 0; i < calls; ++i) {
                if ((turn ^ batch) & 1) {
                    OK(isthmus_put_block2d(local, &at, &next, 0, &there, 1, row, rows, NULL));
                } else {
                    by_hand(next.base + 32, pitch, local + 16, pitch, row, rows);
                    __asm__ __volatile__("" ::: "memory");
                }
            }
            *((turn ^ batch) & 1 ? &ours : &hand) = cpu_ns() - start;
        }
        if (batch > 1) printf("strided=put row=%zu share=%.4f\n", row, hand / ours);
    }
}

int main(int argc, char** argv) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    pin_to_core(me);
    const int batches = argument(argc, argv, "--batches", 21);
    const int factor = argument(argc, argv, "--factor", 4); /* from one size to the next */
    const int all = argument(argc, argv, "--all", 1);       /* 0: throughput only */
    require(batches > 0 && batches <= 64 && factor >= 2, "--batches or --factor is out of range");
    OK(isthmus_segment_create(&mine, 10 + (uint64_t)me, NULL, kRoom, 0));
    OK(isthmus_segment_clone(&next, 10 + (uint64_t)((me + 1) % pes), -1));
    local = (char*)aligned_alloc(4096, (kRoom + 4095) & ~4095);
    require(local != NULL, "no private memory");
    memset(local, 1, kRoom);
    memset(mine.base, 2, kRoom);
    loop_count = available_loops(loops);
    isthmus_barrier();
    /* The sizes that criteria name, whatever the factor. */
    static const size_t named[] = {1024, 4096, 8192, 16384, 32768, 65536, 262144, 1048576};
    for (int is_put = 1; is_put >= 0; --is_put) {
        for (size_t bytes = 1; bytes < 1024 && all; bytes *= (size_t)factor)
            throughput(is_put, bytes, batches);
        for (unsigned i = 0; i < sizeof named / sizeof *named; ++i)
            throughput(is_put, named[i], batches);
    }
    double raw = 0;
    if (all && pes == 2) {
        volatile uint64_t* const lines = (volatile uint64_t*)mine.base;
        volatile uint64_t* const others = (volatile uint64_t*)next.base;
        *lines = 0;
        isthmus_barrier();
        /* The least of many: while one of the two does not run, the other waits for it. */
        for (int turn = 0; turn < 50; ++turn) {
            const double one_way = raw_one_way(lines, others, 500);
            if (turn == 0 || one_way < raw) raw = one_way;
        }
        isthmus_barrier();
    }
    if (me == 0 && all) {
        for (int is_put = 1; is_put >= 0; --is_put) {
            for (size_t bytes = 8; bytes <= 1 << 20; bytes *= (size_t)factor * 2)
                latency(is_put, bytes, batches, raw);
        }
        static const size_t rows[] = {64, 100, 128, 200, 256, 512, 1000, 1024, 4096};
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i)
            strided(rows[i], batches * 2);
    }
    isthmus_barrier();
    free(local);
    isthmus_finalize();
    return 0;
}
