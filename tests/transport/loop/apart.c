/* Quiet and fence wait for nothing that is not theirs: shmem_pe_quiet and shmem_ctx_pe_quiet for no
 * PE but those that they name, the quiet and the fence of a context for no other context. PE 1
 * serves nobody (ISTHMUS_PROGRESS=0) until PE 0, which has put there, has waited for PE 2 and sends
 * it a signal. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static long words[3], over;
static long put_by_context[8];
static uint64_t signal_by_context;
static long pid_of_1;

static void need(int good, const char* what, long turn) {
    if (good) return;
    fprintf(stderr, "%s: not arrived in turn %ld\n", what, turn);
    shmem_global_exit(1);
}

enum { kShut = 1, kOpen = 2, kOpenInTeam = 1 };

/* A socket of the road takes some ten messages that nobody reads. */
static void issue(shmem_ctx_t context) {
    const long ones[4] = {1, 1, 1, 1};
    static long got;
    /* First: its request waits for puts before it, where the road keeps no order. */
    shmem_ctx_long_iput(context, &put_by_context[3], ones, 2, 1, 2, kShut);
    shmem_ctx_long_p(context, &put_by_context[0], 1, kShut);
    shmem_ctx_long_put_nbi(context, &put_by_context[1], ones, 2, kShut);
    shmem_ctx_long_atomic_add(context, &put_by_context[6], 1, kShut);
    shmem_ctx_signal_set(context, &signal_by_context, 1, kShut);
    shmem_ctx_long_put_signal(context, &put_by_context[7], ones, 1, &signal_by_context, 1,
                              SHMEM_SIGNAL_ADD, kShut);
    shmem_ctx_long_get_nbi(context, &got, &put_by_context[2], 1, kShut);
}

static void contexts_wait_for_themselves(shmem_ctx_t shut, shmem_ctx_t other) {
    issue(shut);
    for (long turn = 1; turn <= 20; ++turn) {
        shmem_long_p(&words[1], turn, kOpen);
        shmem_ctx_long_atomic_add(other, &words[2], 1, kOpenInTeam);
        shmem_fence();
        shmem_ctx_fence(other);
        shmem_quiet();
        need(shmem_long_g(&words[1], kOpen) == turn, "shmem_quiet", turn);
        shmem_ctx_quiet(other);
        need(shmem_long_g(&words[2], kOpen) == turn, "shmem_ctx_quiet", turn);
    }
}

static void need_all(void) {
    static const long expected[8] = {1, 1, 1, 1, 0, 1, 1, 1};
    for (int i = 0; i < 8; ++i)
        need(shmem_long_g(&put_by_context[i], kShut) == expected[i], "shmem_ctx_quiet, word", i);
    need(shmem_uint64_g(&signal_by_context, kShut) == 2, "shmem_ctx_quiet, signal", 0);
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    shmem_init();
    const int me = shmem_my_pe();
    shmem_team_t even;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, 2, NULL, 0, &even);
    if (me == kShut) {
        const long pid = getpid();
        shmem_long_put(&pid_of_1, &pid, 1, 0);
    }
    shmem_barrier_all();
    if (me == kShut) {
        int number = 0;
        sigwait(&set, &number);
    }
    if (me == kOpen) shmem_long_wait_until(&over, SHMEM_CMP_EQ, 1);
    if (me == 0) {
        shmem_ctx_t context;
        shmem_team_create_ctx(even, 0, &context);
        shmem_ctx_t shut_context;
        shmem_ctx_create(0, &shut_context);
        contexts_wait_for_themselves(shut_context, context);
        shmem_long_p(&words[0], 7, kShut);
        const int pe = kOpen;
        const int pe_in_team = kOpenInTeam;
        for (long turn = 1; turn <= 50; ++turn) {
            shmem_long_p(&words[1], turn, kOpen);
            shmem_pe_quiet(&pe, 1);
            need(shmem_long_g(&words[1], kOpen) == turn, "shmem_pe_quiet", turn);
            shmem_ctx_long_p(context, &words[2], turn, kOpenInTeam);
            shmem_ctx_pe_quiet(context, &pe_in_team, 1);
            need(shmem_long_g(&words[2], kOpen) == turn, "shmem_ctx_pe_quiet", turn);
        }
        kill((pid_t)pid_of_1, SIGUSR1);
        shmem_ctx_destroy(context);
        shmem_ctx_quiet(shut_context);
        need_all();
        const int shut = kShut;
        shmem_pe_quiet(&shut, 1);
        need(shmem_long_g(&words[0], kShut) == 7, "shmem_pe_quiet", 0);
        shmem_long_p(&over, 1, kOpen);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
