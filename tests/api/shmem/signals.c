/* Signalling puts: data first, then the signal, looked at in between: the page that the data are
 * read from (or, between hosts, that the target's library writes them to) faults, and the handler
 * looks whether the signal is up already. No barrier, no luck. Two PEs.
 *
 *   signals near | far */
#define _GNU_SOURCE
#include <shmem.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kPage = 4096, kBytes = 3 * kPage };

static char* guarded;              /* the pages that fault */
static volatile uint64_t* watched; /* the signal, as this process sees it */
static volatile uint64_t down;     /* its value before */
static volatile int faults, early;

static void on_fault(int number, siginfo_t* info, void* context) {
    char* const at = info->si_addr;
    (void)number, (void)context;
    if (at < guarded || at >= guarded + kBytes) {
        static const char text[] = "a fault elsewhere\n";
        (void)!write(2, text, sizeof text - 1);
        _exit(4);
    }
    ++faults;
    if (*watched != down) ++early;
    mprotect((void*)((uintptr_t)at & ~(uintptr_t)(kPage - 1)), kPage, PROT_READ | PROT_WRITE);
}

static void watch_faults(void) {
    struct sigaction action = {0};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
}

static int failed;
#define NEED(CONDITION, BYTES)                                                          \
    do {                                                                                \
        if (!(CONDITION)) {                                                             \
            fprintf(stderr, "PE %d, line %d, %zu bytes: %s\n", shmem_my_pe(), __LINE__, \
                    (size_t)(BYTES), #CONDITION);                                       \
            failed = 1;                                                                 \
        }                                                                               \
    } while (0)

static const size_t lengths[] = {1, 8, 56, 64, 200, 2048, kPage, kBytes};
enum { kLengths = sizeof lengths / sizeof *lengths };

static uint64_t raised;
static char in_data[kBytes];

static void send(void* dest, const void* source, size_t bytes, int form) {
    switch (form) {
        case 0: shmem_putmem_signal(dest, source, bytes, &raised, 1, SHMEM_SIGNAL_ADD, 1); break;
        case 1:
            shmem_putmem_signal_nbi(dest, source, bytes, &raised, down + 1, SHMEM_SIGNAL_SET, 1);
            break;
        case 2: shmem_char_put_signal(dest, source, bytes, &raised, 1, SHMEM_SIGNAL_ADD, 1); break;
        default:
            shmem_ctx_put8_signal(SHMEM_CTX_DEFAULT, dest, source, bytes, &raised, down + 1,
                                  SHMEM_SIGNAL_SET, 1);
    }
}

/* Through the window: the sender faults where it reads. */
static void near(char* dest) {
    if (shmem_my_pe() != 0) return;
    guarded = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    watched = shmem_ptr(&raised, 1);
    watch_faults();
    for (int form = 0; form < 8; ++form) {
        for (int i = 0; i < kLengths; ++i) {
            char* const to = form < 4 ? dest : in_data;
            memset(guarded, 'a' + form + i, kBytes);
            mprotect(guarded, kBytes, PROT_NONE);
            down = *watched;
            faults = early = 0;
            send(to, guarded, lengths[i], form % 4);
            NEED(faults > 0 && early == 0, lengths[i]);
            NEED(*watched == down + 1, lengths[i]);
            NEED(memcmp(shmem_ptr(to, 1), guarded, lengths[i]) == 0, lengths[i]);
        }
    }
}

/* Between hosts, what fits into a request is written by the target's library: it faults there, in
 * the call that waits (ISTHMUS_PROGRESS=0). */
static void far(char* dest) {
    guarded = dest;
    watched = &raised;
    if (shmem_my_pe() == 1) watch_faults();
    static char source[kBytes];
    for (int form = 0; form < 4; ++form) {
        for (int i = 0; i < kLengths && lengths[i] <= 2048; ++i) {
            shmem_barrier_all();
            down = raised;
            faults = early = 0;
            if (shmem_my_pe() == 1) mprotect(guarded, kBytes, PROT_NONE);
            shmem_barrier_all();
            if (shmem_my_pe() == 0) {
                down = shmem_uint64_atomic_fetch(&raised, 1);
                memset(source, 'a' + form + i, kBytes);
                send(dest, source, lengths[i], form);
                shmem_quiet();
            } else {
                shmem_signal_wait_until(&raised, SHMEM_CMP_NE, down);
                NEED(faults > 0 && early == 0, lengths[i]);
                for (size_t byte = 0; byte < lengths[i]; ++byte)
                    NEED(dest[byte] == (char)('a' + form + i), lengths[i]);
            }
        }
    }
    shmem_barrier_all();
}

int main(int argc, char** argv) {
    shmem_init();
    char* const dest = shmem_align(kPage, kBytes);
    shmem_barrier_all();
    if (argc > 1 && strcmp(argv[1], "far") == 0)
        far(dest);
    else
        near(dest);
    if (failed) shmem_global_exit(1);
    shmem_finalize();
    return 0;
}
