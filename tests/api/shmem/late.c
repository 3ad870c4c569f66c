/* Routines that all PEs call, one of which comes late: nobody leaves before it has come, where the
 * standard says so; and what was put before them is there behind them, looked at without a barrier.
 *
 *   late [milliseconds [multiple]]      multiple: with SHMEM_THREAD_MULTIPLE */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kMost = 256 };
static int me, pes;
static long milliseconds = 20;
static int come[kMost]; /* by PE: the last turn that it has come to */

static void need(int condition, const char* what, int late) {
    if (condition) return;
    fprintf(stderr, "PE %d of %d leaves %s before PE %d has come\n", me, pes, what, late);
    shmem_global_exit(1);
}

static long psync[SHMEM_BARRIER_SYNC_SIZE];
static void* block;
static shmem_team_t team;

static void call_barrier_all(void) {
    shmem_barrier_all();
}
static void call_sync_all(void) {
    shmem_sync_all();
}
static void call_team_sync(void) {
    shmem_team_sync(team);
}
static void call_world_sync(void) {
    shmem_team_sync(SHMEM_TEAM_WORLD);
}
static void call_barrier(void) {
    shmem_barrier(0, 0, pes, psync);
}
static void call_sync(void) {
    shmem_sync(0, 0, pes, psync);
}
static void call_malloc(void) {
    block = shmem_malloc(1000);
}
static void call_free(void) {
    shmem_free(block);
    block = NULL;
}
static void call_calloc(void) {
    block = shmem_calloc(10, 100);
}
static void call_grow(void) {
    block = shmem_realloc(block, 100000);
}
static void call_shrink(void) {
    block = shmem_realloc(block, 64);
}
static void call_release(void) {
    block = shmem_realloc(block, 0);
}
static void call_align(void) {
    block = shmem_align(4096, 100);
}
static void call_hints(void) {
    block = shmem_malloc_with_hints(100, 0);
}

static const struct {
    const char* name;
    void (*call)(void);
} calls[] = {
    {"shmem_barrier_all", call_barrier_all},
    {"shmem_sync_all", call_sync_all},
    {"shmem_team_sync", call_team_sync},
    {"shmem_team_sync of the world", call_world_sync},
    {"shmem_barrier", call_barrier},
    {"shmem_sync", call_sync},
    {"shmem_malloc", call_malloc},
    {"shmem_realloc (longer)", call_grow},
    {"shmem_realloc (shorter)", call_shrink},
    {"shmem_free", call_free},
    {"shmem_calloc", call_calloc},
    {"shmem_realloc (nothing)", call_release},
    {"shmem_align", call_align},
    {"shmem_free", call_free},
    {"shmem_malloc_with_hints", call_hints},
    {"shmem_free", call_free},
};
enum { kCalls = sizeof calls / sizeof *calls, kSyncs = 6 };

static void sleep_shortly(void) {
    const struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&length, NULL);
}

/* A root that is done at once, and a leaf that comes late: each broadcast brings its own value. */
static void broadcasts(size_t count) {
    enum { kBroadcasts = 40, kWords = 3000 };
    static long source[kWords], dest[kWords];
    for (long i = 0; i < kBroadcasts; ++i) {
        if (i % 20 == 0) shmem_barrier_all();
        if (i % 20 == 0 && me == pes - 1) sleep_shortly();
        for (size_t word = 0; word < count; ++word) {
            source[word] = 1000 * i + (long)word;
            dest[word] = -1;
        }
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, count, 0);
        for (size_t word = 0; word < count; ++word)
            need(dest[word] == 1000 * i + (long)word, "a broadcast that others overtake", pes - 1);
    }
}

/* A dest of long data is the program's until its PE calls. */
static void unready(void) {
    enum { kWords = 60000 };
    static long source[kWords], dest[kWords];
    for (int form = 0; form < 4; ++form) {
        for (int i = 0; i < kWords; ++i) {
            source[i] = 7;
            dest[i] = 3;
        }
        shmem_barrier_all();
        if (me == pes - 1) {
            sleep_shortly();
            for (int i = 0; i < kWords; ++i)
                need(*(volatile long*)&dest[i] == 3, "a collective, having written its dest,", me);
        }
        const size_t each = kWords / (size_t)pes;
        switch (form) {
            case 0: shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, kWords, 0); break;
            case 1: shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, each); break;
            case 2: shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, each); break;
            default: shmem_long_max_reduce(SHMEM_TEAM_WORLD, dest, source, kWords);
        }
        for (size_t i = 0; i < each; ++i)
            need(dest[i] == 7, "a collective", me);
    }
}

int main(int argc, char** argv) {
    int provided = 0;
    shmem_init_thread(argc > 2 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
    if (argc > 1) milliseconds = atol(argv[1]);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &team);
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i)
        psync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    int turn = 0;
    for (int i = 0; i < kCalls; ++i) {
        const int late_ones[] = {0, 1, pes / 2, pes - 1};
        for (int each = 0; each < 4; ++each) {
            const int late = late_ones[each];
            /* Memory management goes by the barrier of all. */
            if (late >= pes || (each > 0 && late <= late_ones[each - 1])) continue;
            if (i >= kSyncs && late != pes - 1) continue;
            ++turn;
            if (me == late) {
                sleep_shortly();
                for (int pe = 0; pe < pes; ++pe)
                    shmem_int_p(&come[late], turn, pe);
                shmem_quiet();
            }
            calls[i].call();
            need(*(volatile int*)&come[late] >= turn, calls[i].name, late);
        }
    }
    shmem_barrier_all();
    broadcasts(1);
    broadcasts(100);
    broadcasts(3000);
    unready();
    shmem_barrier_all();
    shmem_team_destroy(team);
    shmem_finalize();
    return 0;
}
