// Signals: handlers and what they find, masks, pending ones, faults, the alternate stack, timers,
// interrupted calls.
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65], order[64], count;
static void note(int number) {
    seen[number]++;
    if (count < 64) order[count++] = number;
}
static void set(int number, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    printf("%d", sigaction(number, &action, NULL));
}

static sigjmp_buf back;
static volatile int faults;
static void fault(int number, siginfo_t* info, void* context) {
    ucontext_t* const uc = context;
    (void)uc;
    ++faults;
    printf("fault %d code %d at own pc %d address low %lx\n", number, info->si_code,
           info->si_addr == (void*)uc->uc_mcontext.__gregs[0],
           number == SIGSEGV ? (unsigned long)info->si_addr & 0xfff : 0ul);
    siglongjmp(back, number);
}
static void skip(int number, siginfo_t* info, void* context) {
    ucontext_t* const uc = context;
    uc->uc_mcontext.__gregs[0] += 4; /* the instruction */
    uc->uc_mcontext.__gregs[10] = 4711;
    (void)info;
    note(number);
}

/* Floating-point registers and flags survive a handler that uses them. */
static volatile double third = 3;
static void disturb(int number) {
    note(number);
    volatile double x = 1 / third;
    for (int i = 0; i < 10; ++i)
        x = x * x + 1 / third;
    feclearexcept(FE_ALL_EXCEPT);
}

static char* stack_low;
static char* stack_high;
static volatile int on_stack;
static void overflow(int number, siginfo_t* info, void* context) {
    char here;
    (void)info;
    (void)context;
    on_stack = &here > stack_low && &here < stack_high;
    siglongjmp(back, number);
}
static __attribute__((noinline)) int recurse(int n) {
    volatile char room[4096];
    room[0] = (char)n;
    return recurse(n + 1) + room[0];
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    /* Handlers and what they are told. */
    set(SIGUSR1, note, 0);
    printf(" %d %d", raise(SIGUSR1), (int)seen[SIGUSR1]);
    printf(" %d %d\n", kill(getpid(), SIGUSR1), (int)seen[SIGUSR1]);
    struct sigaction now;
    printf("%d %d\n", sigaction(SIGUSR1, NULL, &now), now.sa_handler == note);
    printf("%d %s\n", sigaction(SIGKILL, &now, NULL), strerror(errno));
    printf("%d %s\n", kill(getpid(), 77), strerror(errno));
    set(SIGUSR1, note, SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &now);
    printf(" reset %d\n", now.sa_handler == SIG_DFL);
    set(SIGUSR1, SIG_IGN, 0);
    raise(SIGUSR1);
    raise(SIGCHLD);
    printf(" ignored %d\n", (int)seen[SIGUSR1]);

    /* Masks: what is blocked stays pending, once, and comes in order of number. */
    set(SIGUSR1, note, 0);
    set(SIGUSR2, note, 0);
    sigset_t two, old, pending;
    sigemptyset(&two);
    sigaddset(&two, SIGUSR1);
    sigaddset(&two, SIGUSR2);
    printf(" %d", sigprocmask(SIG_BLOCK, &two, &old));
    count = 0;
    raise(SIGUSR2);
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigpending(&pending);
    printf(" %d %d %d %d", (int)count, sigismember(&pending, SIGUSR1),
           sigismember(&pending, SIGUSR2), sigismember(&pending, SIGTERM));
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf(" %d\n", (int)count);
    sigprocmask(SIG_BLOCK, &two, NULL);
    raise(SIGUSR1);
    sigset_t none;
    sigemptyset(&none);
    const int suspended = sigsuspend(&none);
    printf("suspend %d %d %d\n", suspended, errno == EINTR, (int)count);
    sigprocmask(SIG_BLOCK, NULL, &pending);
    printf("still blocked %d\n", sigismember(&pending, SIGUSR1));
    /* Taken without a handler, with a time limit, queued with a value. */
    siginfo_t info;
    struct timespec short_time = {0, 1000000};
    printf("%d %d\n", sigtimedwait(&two, &info, &short_time), errno == EAGAIN);
    union sigval value;
    value.sival_int = 99;
    printf("%d", sigqueue(getpid(), SIGUSR2, value));
    printf(" %d", sigtimedwait(&two, &info, &short_time) == SIGUSR2);
    printf(" %d %d\n", info.si_value.sival_int, info.si_code == SI_QUEUE);
    sigprocmask(SIG_SETMASK, &old, NULL);

    /* The program's own faults. */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    if (!sigsetjmp(back, 1)) *(volatile int*)0x1234 = 1;
    if (!sigsetjmp(back, 1)) printf("%d\n", *(volatile int*)0x1238);
    char* const page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!sigsetjmp(back, 1)) page[0] = 1;
    if (!sigsetjmp(back, 1)) __asm__ volatile(".4byte 0" ::: "memory");
    if (!sigsetjmp(back, 1)) __asm__ volatile("ebreak" ::: "memory");
    printf("faults %d\n", faults);
    action.sa_sigaction = skip;
    sigaction(SIGILL, &action, NULL);
    register long result __asm__("a0") = 1;
    __asm__ volatile(".4byte 0xffffffff" : "+r"(result)::"memory");
    printf("%ld\n", result);

    /* Registers. */
    set(SIGUSR1, disturb, 0);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double tenth = 1 / (third + 7);
    double sum = 0;
    for (int i = 0; i < 100; ++i) {
        sum += tenth * i;
        if (i % 10 == 0) raise(SIGUSR1);
    }
    printf(" %.17g %d\n", sum, fetestexcept(FE_INEXACT) != 0);

    /* The alternate stack, for a stack that is used up. */
    stack_low = malloc(65536);
    stack_high = stack_low + 65536;
    stack_t alternate = {.ss_sp = stack_low, .ss_size = 65536}, before;
    printf("%d\n", sigaltstack(&alternate, NULL));
    action.sa_sigaction = overflow;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    if (!sigsetjmp(back, 1)) recurse(0);
    printf("on the alternate stack %d\n", on_stack);
    alternate.ss_flags = SS_DISABLE;
    printf("%d %d\n", sigaltstack(&alternate, &before), before.ss_size == 65536);
    alternate.ss_flags = 0;
    alternate.ss_size = 16;
    printf("%d %d\n", sigaltstack(&alternate, NULL), errno == ENOMEM);

    /* Timers, and calls that a handler interrupts or that go on behind it. */
    set(SIGALRM, note, 0);
    struct itimerval timer = {{0, 500}, {0, 500}}, rest;
    printf(" %d", setitimer(ITIMER_REAL, &timer, NULL));
    while (seen[SIGALRM] < 3) {
    }
    timer.it_value.tv_usec = timer.it_interval.tv_usec = 0;
    printf(" %d %d", setitimer(ITIMER_REAL, &timer, &rest), rest.it_interval.tv_usec > 0);
    printf(" %d\n", getitimer(ITIMER_REAL, &rest));
    /* They repeat: on a busy host the first may come before the call that it is to interrupt. */
    const struct itimerval off = {{0, 0}, {0, 0}};
    seen[SIGALRM] = 0;
    timer.it_value.tv_usec = timer.it_interval.tv_usec = 10000;
    setitimer(ITIMER_REAL, &timer, NULL);
    struct timespec long_time = {100, 0}, left;
    printf("%d %d", nanosleep(&long_time, &left), errno == EINTR);
    setitimer(ITIMER_REAL, &off, NULL);
    printf(" %d %d\n", left.tv_sec >= 50 && left.tv_nsec > 0, seen[SIGALRM] > 0);
    printf("%u\n", alarm(50));
    printf("%d\n", (int)(alarm(0) >= 40));
    int ends[2];
    pipe(ends);
    char byte;
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%ld", (long)read(ends[0], &byte, 1));
    printf(" %d\n", errno == EINTR);
    setitimer(ITIMER_REAL, &off, NULL);
    return 0;
}
