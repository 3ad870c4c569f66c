/* Every collective, from a word to megabytes, in heap and in static data, from every root, in the
 * world and in teams of it: whatever way the team meets. Results are looked at at once, without a
 * barrier, and sources are changed at once.
 *
 *   collective_lengths [BYTES]      at most so many a block */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRoom = 1 << 19, kGuard = 8 }; /* words */
static long data_source[kRoom + kGuard], data_dest[kRoom + kGuard];

static long *source, *dest;
static shmem_team_t team;
static int me, pes; /* in the team */
static int turn, failed;
static const char* place;

/* All of its bytes tell turn and index; the PEs' differ by 1000 each, for the sums. */
static long value(int pe, size_t i) {
    const unsigned long mixed =
        (unsigned long)turn * 0x9e3779b97f4a7c15u + i % 997 * 0xbf58476d1ce4e5b9u;
    return (long)((mixed ^ mixed >> 29) >> 2) + pe * 1000L;
}
static void need(int right, const char* what, size_t count) {
    if (right) return;
    if (++failed < 10)
        fprintf(stderr, "PE %d of %d: %s of %zu words, %s, turn %d\n", me, pes, what, count, place,
                turn);
}
static void begin(size_t count, size_t stride) {
    ++turn;
    for (size_t i = 0; i < count; ++i)
        source[i * stride] = value(me, i);
}
static int holds(const long* block, int pe, size_t first, size_t count, size_t stride) {
    for (size_t i = 0; i < count; ++i)
        if (block[i * stride] != value(pe, first + i)) return 0;
    return 1;
}
/* Nothing is written behind a result. */
static void guard(size_t words) {
    for (size_t i = 0; i < kGuard; ++i)
        dest[words + i] = -7;
}
static int guarded(size_t words) {
    for (size_t i = 0; i < kGuard; ++i)
        if (dest[words + i] != -7) return 0;
    return 1;
}
/* The operands are the program's again. */
static void scribble(size_t words) {
    for (size_t i = 0; i < words; ++i)
        source[i] = -1;
}

static void broadcasts(size_t count, int every) {
    for (int root = 0; root < pes; root += every) {
        begin(count, 1);
        guard(count);
        shmem_long_broadcast(team, dest, source, count, root);
        need(holds(dest, root, 0, count, 1) && guarded(count), "broadcast", count);
        scribble(count);
        if (count > 2048 && root >= 2) break;
    }
}

static void gathers(size_t count) {
    const size_t all = count * (size_t)pes;
    if (all > kRoom) return;
    begin(count, 1);
    guard(all);
    shmem_long_fcollect(team, dest, source, count);
    int right = guarded(all);
    for (int pe = 0; pe < pes; ++pe)
        right &= holds(dest + (size_t)pe * count, pe, 0, count, 1);
    need(right, "fcollect", count);
    scribble(count);
    const size_t mine = count - (size_t)me % 3 % count;
    size_t total = 0;
    for (int pe = 0; pe < pes; ++pe)
        total += count - (size_t)pe % 3 % count;
    begin(mine, 1);
    guard(total);
    shmem_long_collect(team, dest, source, mine);
    right = guarded(total);
    total = 0;
    for (int pe = 0; pe < pes; ++pe) {
        const size_t length = count - (size_t)pe % 3 % count;
        right &= holds(dest + total, pe, 0, length, 1);
        total += length;
    }
    need(right, "collect", count);
    scribble(mine);
    begin(all, 1);
    guard(all);
    shmem_long_alltoall(team, dest, source, count);
    right = guarded(all);
    for (int pe = 0; pe < pes; ++pe)
        right &= holds(dest + (size_t)pe * count, pe, (size_t)me * count, count, 1);
    need(right, "alltoall", count);
    scribble(all);
    static const struct { ptrdiff_t dst, sst; } strides[] = {{2, 3}, {3, 1}, {1, 2}};
    for (int i = 0; i < 3; ++i) {
        const size_t dst = (size_t)strides[i].dst, sst = (size_t)strides[i].sst;
        if (all * 3 > kRoom) return;
        begin(all, sst);
        for (size_t word = 0; word < all * dst; ++word)
            dest[word] = -9;
        shmem_long_alltoalls(team, dest, source, strides[i].dst, strides[i].sst, count);
        right = 1;
        for (int pe = 0; pe < pes; ++pe)
            right &= holds(dest + (size_t)pe * count * dst, pe, (size_t)me * count, count, dst);
        for (size_t word = 0; word < all * dst; ++word)
            right &= word % dst == 0 || dest[word] == -9;
        need(right, "alltoalls", count);
        scribble(all * sst);
    }
}

static void sums(size_t count) {
    for (int in_place = 0; in_place < 2; ++in_place) {
        long* const from = in_place ? dest : source;
        for (int kind = 0; kind < 4; ++kind) {
            ++turn;
            for (size_t i = 0; i < count; ++i)
                from[i] = value(me, i);
            guard(count);
            switch (kind) {
                case 0: shmem_long_sum_reduce(team, dest, from, count); break;
                case 1: shmem_long_max_reduce(team, dest, from, count); break;
                case 2: shmem_long_sum_inscan(team, dest, from, count); break;
                default: shmem_long_sum_exscan(team, dest, from, count);
            }
            int right = guarded(count);
            for (size_t i = 0; i < count; ++i) {
                long expected = kind == 1 ? value(pes - 1, i) : 0;
                const int last = kind == 0 ? pes : kind == 2 ? me + 1 : kind == 3 ? me : 0;
                /* value(pe, i) is value(0, i) + 1000 pe */
                if (kind != 1) /* goes round */
                    expected = (long)((unsigned long)last * (unsigned long)value(0, i) +
                                      500ul * (unsigned long)last * (unsigned long)(last - 1));
                right &= dest[i] == expected;
            }
            static const char* const names[] = {"sum_reduce", "max_reduce", "inscan", "exscan"};
            need(right, names[kind], count);
            if (!in_place) scribble(count);
        }
    }
}

static void all_of(shmem_team_t members, size_t most) {
    static const size_t lengths[] = {1,  2,   6,    7,    8,     50,     64,
                                     65, 513, 2048, 2049, 20000, 140001, 300000};
    if (members == SHMEM_TEAM_INVALID) return;
    team = members;
    turn = 0; /* alike at those that have not been members of the last one */
    me = shmem_team_my_pe(team);
    pes = shmem_team_n_pes(team);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        const size_t count = lengths[i];
        if (count * sizeof(long) > most) break;
        broadcasts(count, count > 64 && pes > 17 ? 5 : 1);
        gathers(count);
        sums(count);
    }
}

int main(int argc, char** argv) {
    shmem_init();
    const size_t most = argc > 1 ? (size_t)atol(argv[1]) : (size_t)-1;
    const int n = shmem_n_pes();
    long* const heap = shmem_malloc(2 * (kRoom + kGuard) * sizeof(long));
    shmem_team_t backwards, odd = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backwards);
    if (n > 2) shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, n - 1, NULL, 0, &odd);
    for (int in_data = 0; in_data < 2; ++in_data) {
        place = in_data ? "static data" : "heap";
        source = in_data ? data_source : heap;
        dest = in_data ? data_dest : heap + kRoom + kGuard;
        all_of(SHMEM_TEAM_WORLD, most);
        shmem_barrier_all(); /* teams do not wait for each other */
        all_of(backwards, most < 20000 ? most : 20000);
        shmem_barrier_all();
        all_of(odd, most < 20000 ? most : 20000);
        shmem_barrier_all();
    }
    if (failed) shmem_global_exit(1);
    shmem_finalize();
    return 0;
}
