/* Times of short operations between two PEs. Each batch is preceded and followed by a raw
 * ping-pong, because virtual cores change their distance within seconds. What PE 0 does alone is
 * measured in processor time.
 *
 *     time=NAME ns=... before=... after=...        one line a batch, nanoseconds an operation */
#include "common.h"

enum { kSpread = 64 };
/* In the heap: peers reach static variables by messages only. */
static long* target_words;
static int* target_ints;
static struct line {
    uint64_t flag;
    uint64_t data;
    uint64_t rest[14];
} * line;

static int me, other;
static volatile long sink;

static double put_flag(int rounds) {
    static uint64_t round;
    const double start = now_ns();
    for (int i = 0; i < rounds; ++i) {
        ++round;
        if (me == 0) {
            shmem_uint64_p(&line->data, round, other);
            shmem_fence();
            shmem_uint64_p(&line->flag, round, other);
        }
        shmem_uint64_wait_until(&line->flag, SHMEM_CMP_EQ, round);
        require(line->data == round, "the flag overtook the data");
        if (me == 1) {
            shmem_uint64_p(&line->data, round, other);
            shmem_fence();
            shmem_uint64_p(&line->flag, round, other);
        }
    }
    return (now_ns() - start) / rounds / 2;
}

static double barrier(int rounds) {
    const double start = now_ns();
    for (int i = 0; i < rounds; ++i)
        shmem_barrier_all();
    return (now_ns() - start) / rounds;
}

/* Operations of PE 0 alone, in processor time; PE 1 waits in the barrier behind. */
#define LOCAL(NAME, OPERATION, AT_END)             \
    static double NAME(int rounds) {               \
        double elapsed = 0;                        \
        if (me == 0) {                             \
            const double start = cpu_ns();         \
            for (int i = 0; i < rounds; ++i) {     \
                OPERATION;                         \
            }                                      \
            AT_END;                                \
            elapsed = (cpu_ns() - start) / rounds; \
        }                                          \
        shmem_barrier_all();                       \
        return elapsed;                            \
    }
static long source_word = 7;
LOCAL(put8_quiet, shmem_putmem(target_words, &source_word, 8, other); shmem_quiet(), (void)0)
LOCAL(get8, shmem_getmem(&source_word, target_words, 8, other), (void)0)
LOCAL(int_g, sink = shmem_int_g(target_ints, other), (void)0)
LOCAL(fetch_add, sink = shmem_long_atomic_fetch_add(target_words, 1, other), (void)0)
LOCAL(quiet, shmem_quiet(), (void)0)
LOCAL(fence, shmem_fence(), (void)0)
LOCAL(rate_int_p, shmem_int_p(target_ints + i % kSpread, i, other), shmem_quiet())
LOCAL(rate_put8, shmem_putmem(target_words + i % kSpread, &source_word, 8, other), shmem_quiet())
LOCAL(rate_put8_nbi, shmem_putmem_nbi(target_words + i % kSpread, &source_word, 8, other),
      shmem_quiet())
LOCAL(rate_atomic_add, shmem_long_atomic_add(target_words + i % kSpread, 1, other), shmem_quiet())

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    other = 1 - me;
    require(shmem_n_pes() == 2, "this program runs on two PEs");
    pin_to_core(me);
    target_words = (long*)shmem_align(128, kSpread * sizeof *target_words);
    target_ints = (int*)shmem_align(128, kSpread * sizeof *target_ints);
    line = (struct line*)shmem_align(128, sizeof *line);
    require(target_words && target_ints && line, "no room in the heap");
    memset(line, 0, sizeof *line);
    const int batches = argument(argc, argv, "--batches", 20);
    volatile uint64_t* const raw = (volatile uint64_t*)plain_memory(4096);
    const struct {
        const char* name;
        double (*measure)(int rounds);
        int rounds;
    } rows[] = {
        {"put_flag", put_flag, 2000},
        {"barrier_all", barrier, 1000},
        {"put8_quiet", put8_quiet, 20000},
        {"get8", get8, 20000},
        {"int_g", int_g, 20000},
        {"fetch_add", fetch_add, 20000},
        {"quiet", quiet, 20000},
        {"fence", fence, 20000},
        {"rate_int_p", rate_int_p, 20000},
        {"rate_putmem8", rate_put8, 20000},
        {"rate_putmem_nbi8", rate_put8_nbi, 20000},
        {"rate_atomic_add", rate_atomic_add, 20000},
    };
    for (int batch = -1; batch < batches; ++batch) {
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) {
            shmem_barrier_all();
            const double before = raw_one_way(raw, 500);
            const double ns = rows[i].measure(rows[i].rounds);
            const double after = raw_one_way(raw, 500);
            if (me == 0 && batch >= 0)
                printf("time=%s ns=%.4f before=%.3f after=%.3f\n", rows[i].name, ns, before, after);
        }
    }
    shmem_finalize();
    return 0;
}
