/* Programs with one mistake of ordering each, and the same without it: mistakes.c CASE wrong|right,
   on 3 PEs. Ends with 1 if a PE has seen what it should not. One host hides all of these. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 16, COUNT = 64 };
static long data[COUNT], other[COUNT], copy[COUNT];
static long flag, counter;
static uint64_t signal_word;
static int wrong, me;
static long seen; /* words that were not what they should be */

static void fill(long* words, long value) {
    for (int i = 0; i < COUNT; ++i)
        words[i] = value;
}
static void expect(const long* words, long value) {
    for (int i = 0; i < COUNT; ++i)
        seen += words[i] != value;
}
static void await_flag(long round) {
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
}

/* Data and a flag to one PE, and no fence between. */
static void data_and_flag(long round) {
    if (me == 0) {
        long source[COUNT];
        fill(source, round);
        shmem_long_put(data, source, COUNT, 1);
        if (!wrong) shmem_fence();
        shmem_long_atomic_set(&flag, round, 1);
    } else if (me == 1) {
        await_flag(round);
        expect(data, round);
    }
}

/* Rows by a strided put, and a flag. */
static void rows_and_flag(long round) {
    if (me == 0) {
        long source[COUNT];
        fill(source, round);
        shmem_long_iput(data, source, 2, 1, COUNT / 2, 1);
        shmem_long_iput(data + 1, source, 2, 1, COUNT / 2, 1);
        if (!wrong) shmem_fence();
        shmem_long_p(&flag, round, 1);
    } else if (me == 1) {
        await_flag(round);
        expect(data, round);
    }
}

/* The same rows twice, with no fence between; the second ones are to stay. */
static void rows_twice(long round) {
    long source[COUNT];
    if (me != 0) return;
    fill(source, -1);
    shmem_long_iput(data, source, 2, 1, COUNT / 2, 1);
    if (!wrong) shmem_fence();
    fill(source, round);
    shmem_long_iput(data, source, 2, 1, COUNT / 2, 1);
    shmem_quiet();
    shmem_long_iget(copy, data, 1, 2, COUNT / 2, 1);
    for (int i = 0; i < COUNT / 2; ++i)
        seen += copy[i] != round;
}

/* A word by an atomic, and a flag by another. */
static void atomic_and_flag(long round) {
    if (me == 0) {
        shmem_long_atomic_set(&counter, round, 1);
        if (!wrong) shmem_fence();
        shmem_long_atomic_set(&flag, round, 1);
    } else if (me == 1) {
        await_flag(round);
        seen += shmem_long_atomic_fetch(&counter, 1) != round;
    }
}

/* Data to PE 2, a flag to PE 1: a fence orders what goes to one PE. */
static void fence_for_quiet(long round) {
    if (me == 0) {
        long source[COUNT];
        fill(source, round);
        shmem_long_put(data, source, COUNT, 2);
        if (wrong)
            shmem_fence();
        else
            shmem_quiet();
        shmem_long_atomic_set(&flag, round, 1);
    } else if (me == 1) {
        await_flag(round);
        shmem_long_get(copy, data, COUNT, 2);
        expect(copy, round);
    }
}

/* A counter at PE 1, then one at PE 2, as if all PEs saw them in that order. */
static void counters(long round) {
    if (me == 0) {
        shmem_long_atomic_inc(&counter, 1);
        if (!wrong) shmem_quiet();
        shmem_long_atomic_inc(&flag, 2);
    } else if (me == 2) {
        await_flag(round);
        seen += shmem_long_atomic_fetch(&counter, 1) < round;
    }
}

/* The source of a put that is not waited for, used again. */
static void source_reused(long round) {
    if (me == 0) {
        fill(copy, round);
        shmem_long_put_nbi(data, copy, COUNT, 1);
        if (!wrong) shmem_quiet();
        fill(copy, -1);
        shmem_quiet();
        shmem_long_atomic_set(&flag, round, 1);
    } else if (me == 1) {
        await_flag(round);
        expect(data, round);
    }
}

/* The result of a get that is not waited for, read. */
static void result_read(long round) {
    fill(data, round);
    shmem_barrier_all();
    if (me == 0) {
        fill(copy, -1);
        shmem_long_get_nbi(copy, data, COUNT, 1);
        if (!wrong) shmem_quiet();
        expect(copy, round);
    }
}

/* The signal of one put, taken for the end of another. */
static void signal_for_all(long round) {
    if (me == 0) {
        long source[COUNT];
        fill(source, round);
        shmem_long_put(other, source, COUNT, 1);
        if (!wrong) shmem_fence();
        shmem_long_put_signal(data, source, COUNT, &signal_word, (uint64_t)round, SHMEM_SIGNAL_SET,
                              1);
    } else if (me == 1) {
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round);
        expect(data, round);
        expect(other, round);
    }
}

/* A put, then a get of the same. */
static void put_then_get(long round) {
    if (me != 0) return;
    shmem_long_p(data, round, 1);
    if (!wrong) shmem_quiet();
    seen += shmem_long_g(data, 1) != round;
}

/* sync_all does not complete anything. */
static void sync_for_barrier(long round) {
    if (me == 0) {
        long source[COUNT];
        fill(source, round);
        shmem_long_put(data, source, COUNT, 1);
    }
    if (wrong)
        shmem_sync_all();
    else
        shmem_barrier_all();
    if (me == 1) expect(data, round);
}

/* Nor does the sync of an active set. */
static void sync_of_set(long round) {
    static long work[SHMEM_BARRIER_SYNC_SIZE];
    if (round == 1) {
        for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i)
            work[i] = SHMEM_SYNC_VALUE;
        shmem_barrier_all();
    }
    if (me == 0) {
        long source[COUNT];
        fill(source, round);
        shmem_long_put(data, source, COUNT, 1);
    }
    if (wrong)
        shmem_sync(0, 0, 3, work);
    else
        shmem_barrier(0, 0, 3, work);
    if (me == 1) expect(data, round);
}

/* A team that is made completes nothing. */
static void split_for_barrier(long round) {
    shmem_team_t team;
    if (me == 0) {
        fill(copy, round);
        shmem_long_put(data, copy, COUNT, 1);
        if (!wrong) shmem_quiet();
    }
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 3, NULL, 0, &team);
    if (me == 1) expect(data, round);
    shmem_team_destroy(team);
}

/* Quiet of a context that the put was not issued on. */
static void other_context(long round) {
    if (me == 0) {
        shmem_ctx_t context;
        long source[COUNT];
        fill(source, round);
        if (shmem_ctx_create(0, &context) != 0) {
            seen += 1;
            return;
        }
        shmem_ctx_long_put(context, data, source, COUNT, 1);
        if (wrong)
            shmem_quiet();
        else
            shmem_ctx_quiet(context);
        shmem_long_atomic_set(&flag, round, 1);
        shmem_ctx_destroy(context);
    } else if (me == 1) {
        await_flag(round);
        expect(data, round);
    }
}

/* The result of an atomic that is not waited for, read. */
static void fetched_read(long round) {
    if (me != 0) return;
    static long result;
    shmem_long_atomic_set(&counter, round, 1);
    shmem_quiet();
    result = -1;
    shmem_long_atomic_fetch_nbi(&result, &counter, 1);
    if (!wrong) shmem_quiet();
    seen += result != round;
    shmem_quiet();
}

/* The source of a put with signal that is not waited for, used again. */
static void signal_source_reused(long round) {
    if (me == 0) {
        fill(copy, round);
        shmem_long_put_signal_nbi(data, copy, COUNT, &signal_word, (uint64_t)round,
                                  SHMEM_SIGNAL_SET, 1);
        if (!wrong) shmem_quiet();
        fill(copy, -1);
    } else if (me == 1) {
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round);
        expect(data, round);
    }
}

/* The last word of a put, taken for the sign that all of it is there. */
static void last_word(long round) {
    if (me == 0) {
        fill(copy, round);
        if (wrong) {
            shmem_long_put(data, copy, COUNT, 1);
        } else {
            shmem_long_put(data, copy, COUNT - 1, 1);
            shmem_fence();
            shmem_long_p(&data[COUNT - 1], round, 1);
        }
    } else if (me == 1) {
        shmem_long_wait_until(&data[COUNT - 1], SHMEM_CMP_GE, round);
        expect(data, round);
    }
}

/* A word put, and added to by an atomic. */
static void put_and_atomic(long round) {
    if (me == 0) {
        shmem_long_p(&counter, round, 1);
        if (!wrong) shmem_fence();
        shmem_long_atomic_inc(&counter, 1);
        shmem_quiet();
        seen += shmem_long_atomic_fetch(&counter, 1) != round + 1;
    }
}

/* The owner changes what a get that is not waited for reads. */
static void source_changed(long round) {
    fill(data, round);
    shmem_barrier_all();
    if (me == 0) {
        shmem_long_get_nbi(copy, data, COUNT, 1);
        if (!wrong) shmem_quiet();
    }
    shmem_sync_all();
    if (me == 1) fill(data, -1);
    shmem_sync_all();
    shmem_quiet();
    if (me == 0) expect(copy, round);
}

/* A reduction completes no puts. */
static void reduction_for_barrier(long round) {
    static long one = 1, all;
    if (me == 0) {
        fill(copy, round);
        shmem_long_put(data, copy, COUNT, 1);
        if (!wrong) shmem_quiet();
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all, &one, 1);
    if (me == 1) expect(data, round);
}

/* A lock that is given away completes nothing of another context. */
static void lock_and_context(long round) {
    static shmem_ctx_t one;
    static long lock;
    if (round == 1 && shmem_ctx_create(0, &one) != 0) {
        seen += 1;
        return;
    }
    for (int i = 0; i < 4; ++i) {
        shmem_set_lock(&lock);
        long now = shmem_ctx_long_g(one, &counter, 0);
        shmem_ctx_long_p(one, &counter, now + 1, 0);
        if (!wrong) shmem_ctx_quiet(one);
        shmem_clear_lock(&lock);
    }
    shmem_ctx_quiet(one);
    shmem_barrier_all();
    seen += shmem_long_g(&counter, 0) != 12 * round;
}

/* A put to oneself, read. */
static void own_put(long round) {
    long source[COUNT];
    fill(source, round);
    shmem_long_put(data, source, COUNT, me);
    if (!wrong) shmem_quiet();
    expect(data, round);
    shmem_quiet();
}

/* Data and a flag to oneself, seen by another. */
static void own_data_and_flag(long round) {
    if (me == 1) {
        shmem_long_p(data, round, 1);
        if (!wrong) shmem_fence();
        shmem_long_atomic_set(&flag, round, 1);
    } else if (me == 0) {
        while (shmem_long_atomic_fetch(&flag, 1) < round) {
        }
        seen += shmem_long_g(data, 1) != round;
    }
}

/* Rows and a signal to oneself. */
static void own_rows(long round) {
    long source[COUNT];
    fill(source, round);
    shmem_long_iput(data, source, 2, 1, COUNT / 2, me);
    shmem_long_iput(data + 1, source, 2, 1, COUNT / 2, me);
    if (!wrong) shmem_fence();
    shmem_signal_set(&signal_word, (uint64_t)round, me);
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round);
    expect(data, round);
}

/* A get from oneself that is not waited for, read. */
static void own_result(long round) {
    fill(data, round);
    fill(copy, -1);
    shmem_long_get_nbi(copy, data, COUNT, me);
    if (!wrong) shmem_quiet();
    expect(copy, round);
    shmem_quiet();
}

static const struct {
    const char* name;
    void (*run)(long round);
} cases[] = {
    {"data_and_flag", data_and_flag},
    {"rows_and_flag", rows_and_flag},
    {"rows_twice", rows_twice},
    {"atomic_and_flag", atomic_and_flag},
    {"fence_for_quiet", fence_for_quiet},
    {"counters", counters},
    {"source_reused", source_reused},
    {"result_read", result_read},
    {"signal_for_all", signal_for_all},
    {"put_then_get", put_then_get},
    {"sync_for_barrier", sync_for_barrier},
    {"sync_of_set", sync_of_set},
    {"split_for_barrier", split_for_barrier},
    {"other_context", other_context},
    {"fetched_read", fetched_read},
    {"signal_source_reused", signal_source_reused},
    {"last_word", last_word},
    {"put_and_atomic", put_and_atomic},
    {"source_changed", source_changed},
    {"reduction_for_barrier", reduction_for_barrier},
    {"lock_and_context", lock_and_context},
    {"own_put", own_put},
    {"own_data_and_flag", own_data_and_flag},
    {"own_rows", own_rows},
    {"own_result", own_result},
};

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    wrong = strcmp(argv[2], "wrong") == 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(cases[i].name, argv[1]) != 0) continue;
        shmem_init();
        me = shmem_my_pe();
        for (long round = 1; round <= ROUNDS; ++round) {
            cases[i].run(round);
            shmem_barrier_all();
        }
        static long all;
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all, &seen, 1);
        if (me == 0) printf("%s %s: %ld words\n", argv[1], argv[2], all);
        shmem_finalize();
        return all != 0;
    }
    return 2;
}
