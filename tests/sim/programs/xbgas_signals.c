// A handler that reaches other nodes, in the middle of a program that does: e-registers are the
// program's again behind it. Exit code 0 if all is well. A remote fault finds its handler, too.
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <xbgas.h>

static volatile int64_t alarms;
static int64_t* shared;
static uint64_t me, nodes;
static sigjmp_buf back;

static void count(int number) {
    (void)number;
    ++alarms;
    /* By every form: the address in t6, in the base's own e-register, and an atomic. */
    xbgas_eamoadd_d((me + 1) % nodes + 1, shared + 1, 1);
    xbgas_ersd((me + 1) % nodes + 1, shared + 2, alarms);
}
static void fault(int number) {
    siglongjmp(back, number);
}

int main(void) {
    me = XBGAS_READ_E(10);
    nodes = XBGAS_READ_E(11);
    shared = (int64_t*)XBGAS_READ_E(13);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = count;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, 20}, {0, 20}};
    setitimer(ITIMER_REAL, &timer, NULL);
    int64_t done = 0;
    uint64_t wrong = 0;
    while (alarms < 20) {
        /* A namespace that stays in e20 while alarms come. */
        uint64_t after;
        __asm__ volatile(
            "li t0, 4711\n\t" XBGAS_IN_PROFILE(".insn i 0x7b, 7, x20, t0, 0\n\t",
                                               ".insn i 0x7b, 5, x20, t0, 0\n\t") "li t1, 100\n"
            "1:\taddi t1, t1, -1\n\tbnez t1, 1b\n\t"
            ".insn i 0x7b, 6, %[after], x20, 0\n\t"
            : [after] "=r"(after)::"t0", "t1", "memory");
        wrong |= after ^ 4711;
        xbgas_eamoadd_d((me + 1) % nodes + 1, shared, 1);
        ++done;
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    xbgas_fence();
    /* All arrive: each adds its sums where node 0 finds them. */
    xbgas_eamoadd_d(1, shared + 4, done);
    xbgas_eamoadd_d(1, shared + 5, alarms);
    xbgas_eamoadd_d_aqrl(1, shared + 3, 1);
    while (xbgas_erld(1, shared + 3) < (int64_t)nodes)
        __asm__ volatile(".4byte 0x0100000f");
    int64_t sums[2] = {0, 0};
    for (uint64_t node = 1; node <= nodes; ++node) {
        sums[0] += xbgas_erld(node, shared);
        sums[1] += xbgas_erld(node, shared + 1);
    }
    wrong |= (uint64_t)(sums[0] ^ xbgas_erld(1, shared + 4));
    wrong |= (uint64_t)(sums[1] ^ xbgas_erld(1, shared + 5));

    action.sa_handler = fault;
    sigaction(SIGSEGV, &action, NULL);
    volatile int faults = 0;
    if (sigsetjmp(back, 1) == 0)
        (void)xbgas_erld(nodes + 1, shared);
    else
        ++faults;
    if (sigsetjmp(back, 1) == 0) {
        xbgas_ersd(1, (void*)8, 1);
        xbgas_fence();
    } else {
        ++faults;
    }
    printf("node %d: wrong %d faults %d\n", (int)me, wrong != 0, faults);
    return wrong != 0 || faults != 2;
}
