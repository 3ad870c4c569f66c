/* Calls that profile_test.py counts. The first argument says how the program ends. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long words[1024];
static int numbers[1024];
static uint64_t signal_word;
static long lock;

static void* in_thread(void* argument) {
    const int right = *(int*)argument;
    for (int i = 0; i < 100; ++i)
        shmem_long_atomic_add(&words[0], 1, right);
    return NULL;
}

static void calls(int me, int pes) {
    const int right = (me + 1) % pes;
    for (int i = 0; i < 10; ++i)
        shmem_int_p(&numbers[0], i, right); /* 10 x 4 bytes */
    for (int i = 0; i < 5; ++i)
        (void)shmem_long_g(&words[1], 0);                 /* 5 x 8 from PE 0 */
    shmem_putmem(&words[100], &words[200], 801, right);   /* 801 */
    shmem_put32(&numbers[100], &numbers[200], 20, right); /* 80 */
    shmem_double_iput((double*)&words[300], (double*)&words[400], 2, 1, 7, right); /* 56 */
    shmem_ibput64(&words[500], &words[600], 4, 3, 2, 5, right);                    /* 80 */
    shmem_long_put_signal(&words[700], &words[710], 6, &signal_word, 1, SHMEM_SIGNAL_SET, right);
    (void)shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
    shmem_team_t odd_or_even;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, me % 2, 2, (pes - me % 2 + 1) / 2, NULL, 0,
                             &odd_or_even);
    /* Only PEs of the parity of the caller's own are in its team; parents pass what is theirs. */
    shmem_sync_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &words[800], &words[900], 3); /* 24 */
    shmem_broadcastmem(SHMEM_TEAM_WORLD, &words[800], &words[900], 5, 0); /* 5 */
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_quiet();
    shmem_fence();
    shmem_barrier_all();
}

/* Words that are written and waited for. */
static void arrows(int me, int pes) {
    const int right = (me + 1) % pes;
    long* const block = shmem_calloc(8, sizeof(long));
    for (uint64_t round = 1; round <= 5; ++round) {
        shmem_long_put_signal(block, &words[1], 1, &signal_word, round, SHMEM_SIGNAL_SET, right);
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, round);
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, round); /* the same: no arrow */
        shmem_barrier_all();
    }
    shmem_long_atomic_add(&words[3], 1, right);
    shmem_long_wait_until(&words[3], SHMEM_CMP_EQ, 1);
    shmem_long_p(&block[4], 1, right);
    shmem_long_atomic_set(&block[5], 1, right);
    shmem_long_wait_until_all(&block[4], 2, NULL, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    shmem_free(block);
}

static void* many_in_thread(void* right) {
    for (int i = 0; i < 20000; ++i)
        shmem_long_p(&words[0], i, *(int*)right);
    return NULL;
}

static void through_a_team(int me, int pes) {
    /* The world backwards: team PE 0 is the last PE. */
    shmem_team_t backwards;
    shmem_ctx_t context;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &backwards);
    shmem_team_create_ctx(backwards, 0, &context);
    if (me == 0) shmem_ctx_long_put(context, &words[20], &words[30], 10, 0); /* 80 to the last PE */
    shmem_ctx_destroy(context);
    shmem_barrier_all();
    shmem_team_destroy(backwards);
}

static void finalize_in_handler(void) {
    shmem_int_p(&numbers[0], 1, shmem_my_pe());
    shmem_finalize();
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "finalize";
    int provided;
    if (strcmp(what, "exit_handler") == 0) atexit(finalize_in_handler);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    int right = (me + 1) % pes;
    void* block = shmem_malloc(1000);
    if (strcmp(what, "many") == 0) {
        for (int i = 0; i < 20000; ++i)
            shmem_long_p(&words[0], i, right);
    } else if (strcmp(what, "threads") == 0) {
        pthread_t threads[4];
        for (int i = 0; i < 4; ++i)
            pthread_create(&threads[i], NULL, in_thread, &right);
        for (int i = 0; i < 4; ++i)
            pthread_join(threads[i], NULL);
    } else if (strcmp(what, "many_in_threads") == 0) {
        pthread_t threads[4];
        for (int i = 0; i < 4; ++i)
            pthread_create(&threads[i], NULL, many_in_thread, &right);
        for (int i = 0; i < 4; ++i)
            pthread_join(threads[i], NULL);
    } else if (strcmp(what, "arrows") == 0) {
        arrows(me, pes);
    } else if (strcmp(what, "team") == 0) {
        through_a_team(me, pes);
    } else if (strcmp(what, "control") == 0) {
        shmem_pcontrol(0);
        for (int i = 0; i < 10; ++i)
            shmem_int_p(&numbers[0], i, right);
        shmem_pcontrol(1);
        for (int i = 0; i < 3; ++i)
            shmem_int_p(&numbers[0], i, right);
        shmem_pcontrol(2);
    } else if (strcmp(what, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) exit(0);
        int status;
        waitpid(child, &status, 0);
        if (status != 0) shmem_global_exit(9);
        shmem_int_p(&numbers[0], 1, right);
    } else {
        calls(me, pes);
    }
    shmem_free(block);
    if (strcmp(what, "early_exit") == 0) {
        if (shmem_my_pe() == 1) exit(0);
        static long from[2], to[2];
        shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 2, 1);
        shmem_barrier_all();
        shmem_barrier_all();
    }
    if (strcmp(what, "exit") == 0 || strcmp(what, "exit_handler") == 0) exit(0);
    if (strcmp(what, "chdir") == 0 && chdir("/") != 0) return 1;
    if (strcmp(what, "return") == 0) return 0;
    if (strcmp(what, "global_exit") == 0) {
        shmem_barrier_all();
        if (me == 0) shmem_global_exit(7);
        for (;;)
            pause();
    }
    if (strcmp(what, "die") == 0 && me == 0) abort();
    shmem_finalize();
    return 0;
}
