/* What has been promised when a call returns, on a network that is slow (slow_network.c): PE 0
 * issues, and looks at PE 1's memory past the library. PE 1 is only there to be served.
 *
 *   ordering CASE...     the cases are the functions below */
#include <isthmus.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

enum { kShort = 64, kMiddle = 8192, kLong = 262144 };

static int me;
static unsigned char* target; /* in the heap */
static unsigned char* source;
static unsigned char in_data[kLong];
static long word, flag;
static long lock[2];  /* one lives at each PE */
static long* numbers; /* in the heap */
static uint64_t signal_word;

#define NEED(CONDITION, ...)                                        \
    do {                                                            \
        if (!(CONDITION)) {                                         \
            fprintf(stderr, "line %d: %s: ", __LINE__, #CONDITION); \
            fprintf(stderr, __VA_ARGS__);                           \
            fputc('\n', stderr);                                    \
            shmem_global_exit(1);                                   \
        }                                                           \
    } while (0)

static unsigned char value_at(size_t i, int round) {
    return (unsigned char)(i * 7 + (i >> 8) + (size_t)round * 31 + 1);
}
static void fill(size_t bytes, int round) {
    for (size_t i = 0; i < bytes; ++i)
        source[i] = value_at(i, round);
}
static void need_arrived(const unsigned char* dest, size_t bytes, int round, const char* what) {
    static unsigned char seen[kLong];
    look_at(1, seen, dest, bytes);
    for (size_t i = 0; i < bytes; ++i)
        NEED(seen[i] == value_at(i, round), "%s: byte %zu of %zu is not there", what, i, bytes);
}
static long long_at(const long* there) {
    long seen = 0;
    look_at(1, &seen, there, sizeof seen);
    return seen;
}

static const size_t lengths[] = {8, kShort, kMiddle, kLong};
enum { kLengths = sizeof lengths / sizeof *lengths };

static shmem_ctx_t context;
static void by_quiet(void) {
    shmem_quiet();
}
static void by_context_quiet(void) {
    shmem_ctx_quiet(context);
}
static void by_pe_quiet(void) {
    const int pe = 1;
    shmem_pe_quiet(&pe, 1);
}
static void by_context_pe_quiet(void) {
    const int pe = 1;
    shmem_ctx_pe_quiet(context, &pe, 1);
}
static void by_lock(void) {
    static int turn = 0; /* each of them is the one that completes */
    turn = !turn;
    shmem_clear_lock(&lock[turn]);
    shmem_set_lock(&lock[turn]);
}
static void by_context_destroy(void) {
    shmem_ctx_destroy(context);
    shmem_ctx_create(0, &context);
}

/* What completes the operations of the default context is given some of these. */
static shmem_ctx_t completed_by(void (*complete)(void)) {
    return complete == by_quiet || complete == by_pe_quiet || complete == by_lock
               ? SHMEM_CTX_DEFAULT
               : context;
}

static void complete_by(void (*complete)(void), const char* name) {
    for (int i = 0; i < 2 && complete == by_lock; ++i)
        shmem_set_lock(&lock[i]);
    static int round = 0;
    for (int form = 0; form < 4; ++form) {
        for (int i = 0; i < kLengths; ++i) {
            unsigned char* const dest = form % 2 ? in_data : target;
            fill(lengths[i], ++round);
            if (form < 2)
                shmem_ctx_putmem(completed_by(complete), dest, source, lengths[i], 1);
            else
                shmem_ctx_putmem_nbi(completed_by(complete), dest, source, lengths[i], 1);
            complete();
            need_arrived(dest, lengths[i], round, name);
        }
    }
    /* An element, and an atomic that nobody asks the result of. */
    for (long i = 1; i <= 3; ++i) {
        shmem_ctx_long_p(completed_by(complete), &word, 10 * round + i, 1);
        complete();
        NEED(long_at(&word) == 10 * round + i, "%s: an element is not there", name);
        shmem_ctx_long_atomic_add(completed_by(complete), &word, 1, 1);
        complete();
        NEED(long_at(&word) == 10 * round + i + 1, "%s: an atomic is not done", name);
    }
    for (int i = 0; i < 2 && complete == by_lock; ++i)
        shmem_clear_lock(&lock[i]);
}

static void completes(void) {
    if (me != 0) return;
    complete_by(by_quiet, "shmem_quiet");
    complete_by(by_context_quiet, "shmem_ctx_quiet");
    complete_by(by_pe_quiet, "shmem_pe_quiet");
    complete_by(by_context_pe_quiet, "shmem_ctx_pe_quiet");
    complete_by(by_context_destroy, "shmem_ctx_destroy");
}

static void locks(void) {
    if (me != 0) return;
    complete_by(by_lock, "shmem_clear_lock");
}

/* The source is the program's again when a blocking put returns. */
static void source_is_free(void) {
    if (me != 0) return;
    for (int i = 0; i < kLengths; ++i) {
        for (int form = 0; form < 2; ++form) {
            unsigned char* const dest = form ? in_data : target;
            fill(lengths[i], 50 + i);
            shmem_putmem(dest, source, lengths[i], 1);
            memset(source, 0xee, lengths[i]);
            shmem_quiet();
            need_arrived(dest, lengths[i], 50 + i, "shmem_putmem, source reused");
            fill(lengths[i], 60 + i);
            shmem_putmem_signal(dest, source, lengths[i], &signal_word, 1, SHMEM_SIGNAL_SET, 1);
            memset(source, 0xee, lengths[i]);
            shmem_quiet();
            need_arrived(dest, lengths[i], 60 + i, "shmem_putmem_signal, source reused");
        }
    }
}

/* What is put behind a fence does not pass what was issued before it. */
static void fences(void) {
    if (me != 0) return;
    for (long round = 1; round <= 4; ++round) {
        for (int form = 0; form < 3; ++form) {
            const long value = 3 * round + form;
            const shmem_ctx_t on = form == 2 ? context : SHMEM_CTX_DEFAULT;
            shmem_ctx_long_atomic_set(on, &word, value, 1);
            form ? shmem_ctx_fence(on) : shmem_fence();
            shmem_ctx_long_p(on, &flag, value, 1);
            while (long_at(&flag) != value)
                continue;
            NEED(long_at(&word) == value, "an element has passed an atomic before the fence");
            fill(kMiddle, (int)value);
            shmem_ctx_putmem_nbi(on, target, source, kMiddle, 1);
            form ? shmem_ctx_fence(on) : shmem_fence();
            shmem_ctx_long_p(on, &flag, -value, 1);
            while (long_at(&flag) != -value)
                continue;
            need_arrived(target, kMiddle, (int)value,
                         "an element has passed a put before the fence");
            shmem_ctx_quiet(on);
        }
    }
}

/* The signal comes behind the data, whatever is done with it. */
static void signals(void) {
    if (me != 0) return;
    uint64_t expected = long_at((const long*)&signal_word);
    for (int i = 0; i < kLengths; ++i) {
        for (int form = 0; form < 4; ++form) {
            unsigned char* const dest = form % 2 ? in_data : target;
            fill(lengths[i], 80 + i * 4 + form);
            ++expected;
            if (form < 2)
                shmem_putmem_signal(dest, source, lengths[i], &signal_word, 1, SHMEM_SIGNAL_ADD, 1);
            else
                shmem_putmem_signal_nbi(dest, source, lengths[i], &signal_word, expected,
                                        SHMEM_SIGNAL_SET, 1);
            while ((uint64_t)long_at((const long*)&signal_word) != expected)
                continue;
            need_arrived(dest, lengths[i], 80 + i * 4 + form, "behind the signal");
            shmem_quiet();
        }
    }
}

/* The native interface: fences complete puts, atomics do not pass them, events of gets are true
 * when the data are there. */
static void natives(void) {
    isthmus_init();
    if (me != 0) return isthmus_finalize();
    isthmus_segment all;
    uint64_t block = 0, number = 0;
    isthmus_segment_default(&all, 1);
    isthmus_segment own;
    isthmus_segment_default(&own, 0);
    isthmus_segment_offset(&own, target, &block);
    isthmus_segment_offset(&own, numbers, &number);
    for (int i = 0; i < kLengths; ++i) {
        const size_t bytes = lengths[i];
        fill(bytes, 120 + i);
        NEED(isthmus_put(source, &all, block, bytes, NULL) == ISTHMUS_OK, "put");
        memset(source, 0xee, bytes);
        isthmus_fence(&all, NULL);
        need_arrived(target, bytes, 120 + i, "isthmus_fence");
        fill(bytes, 140 + i);
        isthmus_put(source, &all, block, bytes, NULL);
        isthmus_postadd(&all, number, 1);
        while (long_at(numbers) != 2 * i + 1)
            continue;
        need_arrived(target, bytes, 140 + i, "an atomic has passed a put");
        int64_t before = 0;
        fill(bytes, 160 + i);
        isthmus_put(source, &all, block, bytes, NULL);
        isthmus_fetchadd(&all, number, 1, &before, NULL);
        need_arrived(target, bytes, 160 + i, "a fetching atomic has passed a put");
        for (int form = 0; form < 2; ++form) {
            isthmus_event event;
            memset(source, 0, bytes);
            if (form == 0) {
                isthmus_get(source, &all, block, bytes, &event);
            } else {
                const size_t half = bytes / 2;
                isthmus_get_strided(source, half, &all, block, half, half, 2, &event);
            }
            NEED(isthmus_event_wait(&event) == ISTHMUS_OK, "event");
            for (size_t byte = 0; byte < bytes; ++byte)
                NEED(source[byte] == value_at(byte, 160 + i), "the event of a get of %zu is early",
                     bytes);
            memset(source, 0, bytes);
            isthmus_put(source, &all, block + bytes, bytes, NULL); /* something slow before it */
            isthmus_get(source, &all, block, bytes, NULL);
            for (size_t byte = 0; byte < bytes; ++byte)
                NEED(source[byte] == value_at(byte, 160 + i), "a get of %zu bytes is early", bytes);
        }
    }
    isthmus_fence(&all, NULL);
    isthmus_finalize();
}

/* A barrier completes what was put before it, at all PEs. */
static void barriers(void) {
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    const int right = (me + 1) % shmem_n_pes(), left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i)
        psync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int round = 0; round < 2 * kLengths; ++round) {
        const size_t bytes = lengths[round / 2];
        for (size_t i = 0; i < bytes; ++i)
            source[i] = value_at(i, round + me * 20);
        if (round % 2)
            shmem_putmem_nbi(target, source, bytes, right);
        else
            shmem_putmem(target, source, bytes, right);
        if (round % 2)
            shmem_barrier_all();
        else
            shmem_barrier(0, 0, shmem_n_pes(), psync);
        for (size_t i = 0; i < bytes; ++i)
            NEED(target[i] == value_at(i, round + left * 20), "a put of %zu bytes is not there",
                 bytes);
        shmem_barrier_all();
    }
}

/* A block in heap or static data that is freed, or ends with the library, has been written. */
static void ends(void) {
    if (me == 0) {
        fill(kLong, 7);
        shmem_putmem_nbi(in_data, source, kLong, 1);
    }
    shmem_finalize();
    if (me == 1) {
        for (size_t i = 0; i < kLong; ++i) {
            if (in_data[i] == value_at(i, 7)) continue;
            fprintf(stderr, "shmem_finalize has not completed a put: byte %zu\n", i);
            exit(1);
        }
    }
    exit(0);
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } cases[] = {{"completes", completes}, {"locks", locks},     {"source", source_is_free},
                 {"fences", fences},       {"signals", signals}, {"barriers", barriers},
                 {"ends", ends},           {"native", natives}};
    shmem_init();
    me = shmem_my_pe();
    target = shmem_calloc(1, 2 * kLong + 64);
    numbers = (long*)(target + 2 * kLong);
    source = shmem_malloc(kLong);
    shmem_ctx_create(0, &context);
    open_peers(target, 2 * kLong + 64);
    for (int i = 1; i < argc; ++i) {
        int known = 0;
        for (size_t each = 0; each < sizeof cases / sizeof *cases; ++each) {
            if (strcmp(argv[i], cases[each].name) != 0) continue;
            known = 1;
            cases[each].run();
            shmem_barrier_all();
        }
        if (!known) return 2;
    }
    shmem_ctx_destroy(context);
    shmem_finalize();
    return 0;
}
