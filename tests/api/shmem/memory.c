/* Symmetric memory: what blocks hold and where they lie; and that a block of shmem_calloc is zero
 * everywhere when it is handed out, though one PE is slow to clear it (its page faults). Two PEs.
 */
#define _GNU_SOURCE
#include <shmem.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { kPage = 4096, kBytes = 3 * kPage };

static char* guarded;

static void on_fault(int number, siginfo_t* info, void* context) {
    (void)number, (void)info, (void)context;
    const struct timespec length = {0, 30000000};
    nanosleep(&length, NULL);
    mprotect(guarded, kBytes, PROT_READ | PROT_WRITE);
}

#define NEED(CONDITION)                                                                   \
    do {                                                                                  \
        if (!(CONDITION)) {                                                               \
            fprintf(stderr, "PE %d, line %d: %s\n", shmem_my_pe(), __LINE__, #CONDITION); \
            shmem_global_exit(1);                                                         \
        }                                                                                 \
    } while (0)

static void cleared_everywhere(void) {
    /* Where it will be, by the rule that the heap is the same at all PEs. */
    char* const before = shmem_calloc(1, kBytes);
    memset(before, 0x5a, kBytes);
    shmem_free(before);
    guarded = (char*)(((uintptr_t)before + kPage - 1) & ~(uintptr_t)(kPage - 1));
    struct sigaction action = {0}, old;
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &old);
    const int slow = shmem_my_pe() == 1;
    if (slow) mprotect(guarded, kPage, PROT_NONE);
    shmem_sync_all();
    char* const block = shmem_calloc(1, kBytes);
    NEED(block == before);
    if (!slow) {
        shmem_char_p(guarded + 7, 77, 1);
        shmem_quiet();
    }
    shmem_barrier_all();
    sigaction(SIGSEGV, &old, NULL);
    if (slow) NEED(guarded[7] == 77);
    for (int i = 0; i < kPage; ++i)
        NEED(guarded[i] == (slow && i == 7 ? 77 : 0));
    shmem_free(block);
}

static void contents(void) {
    static const size_t lengths[] = {1, 8, 63, 64, 65, 1000, 4096, 4097, 100000};
    enum { kLengths = sizeof lengths / sizeof *lengths };
    char* blocks[kLengths];
    for (int i = 0; i < kLengths; ++i) {
        blocks[i] = i % 2 ? shmem_calloc(lengths[i], 1) : shmem_malloc(lengths[i]);
        NEED(blocks[i] != NULL && (uintptr_t)blocks[i] % 8 == 0);
        for (size_t byte = 0; byte < lengths[i] && i % 2; ++byte)
            NEED(blocks[i][byte] == 0);
        memset(blocks[i], 'a' + i, lengths[i]);
    }
    /* Neighbours grow and shrink; nobody's bytes change. */
    for (int turn = 0; turn < 3; ++turn) {
        for (int i = 0; i < kLengths; ++i) {
            const size_t length = turn == 0   ? 3 * lengths[i] + 5000
                                  : turn == 1 ? lengths[i] + 1
                                              : lengths[i];
            blocks[i] = shmem_realloc(blocks[i], length);
            NEED(blocks[i] != NULL);
            for (size_t byte = 0; byte < lengths[i]; ++byte)
                NEED(blocks[i][byte] == 'a' + i);
            memset(blocks[i], 'a' + i, length);
        }
    }
    for (int i = 0; i < kLengths; ++i)
        shmem_free(blocks[i]);
    for (size_t alignment = 8; alignment <= 1 << 16; alignment *= 2) {
        char* const small = shmem_malloc(24); /* so that the next one is not aligned by luck */
        char* const block = shmem_align(alignment, 100);
        NEED(block != NULL && (uintptr_t)block % alignment == 0);
        shmem_free(block);
        shmem_free(small);
    }
    /* A block grows by as much as is free behind it, and not by more. */
    for (size_t more = 64; more <= 256; more += 64) {
        char* first = shmem_malloc(64);
        char* const gap = shmem_malloc(64);
        char* const last = shmem_malloc(64);
        memset(last, 'z', 64);
        if (more % 128 == 0) shmem_free(gap);
        first = shmem_realloc(first, 64 + more);
        memset(first, 'a', 64 + more);
        for (int i = 0; i < 64; ++i)
            NEED(last[i] == 'z');
        shmem_free(first);
        if (more % 128 != 0) shmem_free(gap);
        shmem_free(last);
    }
    NEED(shmem_malloc(0) == NULL);
    char* const one = shmem_malloc(10);
    NEED(shmem_realloc(one, 0) == NULL);
}

/* Again and again: also where it stays in its place, it keeps what it holds, and its end. */
static void lengths_again(void) {
    enum { kHeld = 39000, kShort = 40000, kLong = 70000, kTurns = 300 };
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    char* block = shmem_malloc(kLong);
    int moves = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
        const size_t length = turn % 2 ? kLong : kShort;
        memset(block, turn, kHeld);
        char* const before = block;
        block = shmem_realloc(block, length - (size_t)turn);
        moves += block != before;
        for (int byte = 0; byte < kHeld; ++byte)
            NEED(block[byte] == (char)turn);
        shmem_putmem(block + length - turn - 8, block, 8, next);
        shmem_barrier_all();
        NEED(block[length - (size_t)turn - 1] == (char)turn);
        shmem_barrier_all();
    }
    /* In checked mode the first 64 times, and now and then. */
    if (getenv("ISTHMUS_CHECK") == NULL)
        NEED(moves == 0);
    else
        NEED(moves >= 64 && moves <= 80);
    shmem_free(block);
}

/* Blocks that touch are two blocks. */
static void neighbours(void) {
    char* const block = shmem_calloc(1, 256);
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    memset(block, 1, 128);
    shmem_barrier_all();
    shmem_putmem(block + 128, block, 128, next);
    shmem_putmem(block + 128, block, 128, shmem_my_pe());
    shmem_quiet();
    shmem_getmem(block, block + 128, 128, shmem_my_pe());
    shmem_barrier_all();
    for (int i = 0; i < 256; ++i)
        NEED(block[i] == 1);
    shmem_free(block);
}

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}
static void use(int times, size_t bytes) {
    for (int i = 0; i < times; ++i) {
        char* const block = shmem_malloc(bytes);
        memset(block, 1, bytes);
        shmem_free(block);
    }
}
/* Blocks that are allocated and freed again and again keep their pages: all that are kept back
 * have been used when they are looked at. */
static void kept_pages(int first, int times, size_t bytes) {
    use(first, bytes);
    const long before = faults();
    use(times, bytes);
    NEED(faults() - before < (long)(times * bytes / kPage / 4));
}

int main(int argc, char** argv) {
    (void)argv;
    shmem_init();
    if (argc == 1) cleared_everywhere();
    lengths_again(); /* the first to count such calls */
    contents();
    neighbours();
    kept_pages(600, 20, 20000);
    kept_pages(160, 20, 1 << 16);
    kept_pages(40, 20, 1 << 20);
    kept_pages(4, 4, 10 << 20);
    shmem_finalize();
    return 0;
}
