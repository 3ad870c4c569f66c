/* Strided gets of other PEs' memory against a plain loop: elements and blocks of every size, with
 * extents around those at which a get goes in another way, and at random. Every byte of the
 * destination counts, between its blocks and beside them too. Then the time: one element more than
 * a single read takes along must not cost a read for each. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of core/reach/shape.cpp. */
enum { kRead = 65536, kReadsAtOnce = 16, kNear = 2048 };
enum { kThere = 1200000, kHere = 3 << 20, kGuard = 64 };

static int me, right, failed, cases;
static unsigned char *there, *here, *expected;

static unsigned char value_at(size_t i, int pe) {
    return (unsigned char)(i * 7 + (i >> 8) * 3 + (i >> 16) * 5 + (size_t)pe * 101);
}

static unsigned seed = 12345;
static size_t below(size_t end) {
    seed = seed * 1103515245u + 12345u;
    return (size_t)(seed >> 8) % end;
}

static void get(size_t unit, void* dest, const void* from, ptrdiff_t dst, ptrdiff_t sst,
                size_t block, size_t count) {
    if (block == 1) switch (unit) {
            case 1: shmem_iget8(dest, from, dst, sst, count, right); return;
            case 2: shmem_iget16(dest, from, dst, sst, count, right); return;
            case 4: shmem_iget32(dest, from, dst, sst, count, right); return;
            case 8: shmem_iget64(dest, from, dst, sst, count, right); return;
            default: shmem_iget128(dest, from, dst, sst, count, right); return;
        }
    switch (unit) {
        case 1: shmem_ibget8(dest, from, dst, sst, block, count, right); return;
        case 2: shmem_ibget16(dest, from, dst, sst, block, count, right); return;
        case 4: shmem_ibget32(dest, from, dst, sst, block, count, right); return;
        case 8: shmem_ibget64(dest, from, dst, sst, block, count, right); return;
        default: shmem_ibget128(dest, from, dst, sst, block, count, right); return;
    }
}

/* Lengths in elements. What does not fit into the memory is made shorter. */
static void check(size_t unit, size_t dst, size_t sst, size_t block, size_t count) {
    const size_t first = below(4) * unit;
    const size_t room_there = (kThere - first) / unit, room_here = (kHere - 2 * kGuard) / unit;
    if (block > dst || block > sst || block > room_there || block > room_here) return;
    if (count > (room_there - block) / sst + 1) count = (room_there - block) / sst + 1;
    if (count > (room_here - block) / dst + 1) count = (room_here - block) / dst + 1;
    const size_t used = 2 * kGuard + (count && block ? ((count - 1) * dst + block) * unit : 0);
    memset(here, 0xa5, used);
    memset(expected, 0xa5, used);
    for (size_t i = 0; i < count; ++i)
        for (size_t b = 0; b < block * unit; ++b)
            expected[kGuard + i * dst * unit + b] = value_at(first + i * sst * unit + b, right);
    get(unit, here + kGuard, there + first, (ptrdiff_t)dst, (ptrdiff_t)sst, block, count);
    ++cases;
    if (memcmp(here, expected, used) == 0) return;
    if (++failed < 10)
        fprintf(stderr, "PE %d: %zu blocks of %zu elements of %zu bytes, dst %zu, sst %zu\n", me,
                count, block, unit, dst, sst);
}

static void around(size_t unit, size_t dst, size_t sst, size_t block, size_t bytes) {
    const size_t count = bytes / (sst * unit);
    for (size_t c = count > 1 ? count - 1 : 0; c <= count + 2; ++c)
        check(unit, dst, sst, block, c);
}

static double seconds_of(size_t sst, size_t count) {
    double least = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        shmem_char_iget((char*)here, (const char*)there, 2, (ptrdiff_t)sst, count, right);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double took =
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
        if (took < least) least = took;
    }
    return least;
}

/* 256 single reads are the measure: a busy machine slows both. Eight times as long is a sixteenth
 * of a read for each element. */
static void time_it(size_t sst) {
    const size_t limit = kRead / sst, reads = 256;
    const double below_it = seconds_of(sst, limit), above = seconds_of(sst, limit + 1);
    const double single = seconds_of(kNear + 1, reads);
    printf("PE %d: stride %zu: %zu elements %.1f us, %zu %.1f us; %zu single reads %.1f us\n", me,
           sst, limit, below_it * 1e6, limit + 1, above * 1e6, reads, single * 1e6);
    if (above > below_it * 4 + single * 8) {
        ++failed;
        fprintf(stderr, "PE %d: one element more costs too much\n", me);
    }
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    right = (me + 1) % shmem_n_pes();
    there = shmem_malloc(kThere);
    here = malloc(kHere);
    expected = malloc(kHere);
    for (size_t i = 0; i < kThere; ++i)
        there[i] = value_at(i, me);
    shmem_barrier_all();
    for (size_t unit = 1; unit <= 16; unit *= 2) {
        around(unit, 1, 1, 1, kRead);
        around(unit, 3, 1, 1, kRead);
        around(unit, 1, 2, 1, kRead);
        around(unit, 2, 5, 1, 2 * kRead);
        around(unit, 3, 31, 2, 2 * kRead);
        check(unit, kRead / unit + 1, kRead / unit, kRead / unit, 2);
        check(unit, 1, 1, 1, 0);
        check(unit, 1, 1, 0, 3);
        for (size_t sst = kNear / unit - 1; sst <= kNear / unit + 1; ++sst) {
            check(unit, sst, sst, sst, 40);
            check(unit, sst + 1, sst, sst - 1, kRead / kNear + 1);
            check(unit, 1, sst, 1, 40);
        }
    }
    around(1, 4, 3, 2, kReadsAtOnce * kRead);
    around(8, 1, 3, 1, kReadsAtOnce * kRead);
    for (int turn = 0; turn < 40; ++turn) {
        const size_t unit = (size_t)1 << below(5);
        const size_t block = below(4) ? 1 + below(4) : 1 + below(2 * kNear / unit);
        const size_t sst = block + (below(3) ? below(8) : below(2 * kNear / unit));
        check(unit, block + below(5), sst, block, below(200000 / (sst * unit)));
    }
    printf("PE %d: %d cases\n", me, cases);
    shmem_barrier_all();
    if (me == 0) {
        time_it(2);
        time_it(1);
    }
    shmem_barrier_all();
    if (failed) shmem_global_exit(1);
    shmem_finalize();
    return 0;
}
