/* A signal every 0.3 ms from before shmem_init on, as of a profiler that samples. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static void tick(int signal) {
    (void)signal;
    ++ticks;
}

int main(void) {
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &often, NULL);
    shmem_init();
    const int me = shmem_my_pe(), pes = shmem_n_pes();
    long* word = shmem_calloc(1, sizeof *word);
    for (int i = 1; i <= 100; ++i) {
        shmem_long_atomic_inc(word, (me + 1) % pes);
        shmem_long_wait_until(word, SHMEM_CMP_GE, i);
    }
    shmem_barrier_all();
    if (me == 0) printf("%s\n", ticks > 0 ? "ticked" : "never ticked");
    shmem_finalize();
    return ticks == 0;
}
