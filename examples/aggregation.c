/* An index-gather: every PE reads a thousand words of a table that is spread over all PEs, in no
 * order at all.
 *
 * New here: shmemx_aggregate. A request is pushed to the PE that has the word, many requests travel
 * as one message, and a handler there pushes the answer back. */
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS_PER_PE = 1000, READS = 1000 };

struct request {
    int place; /* in the table of the PE that is asked */
    int slot;  /* where the asker wants it */
};
struct answer {
    long value;
    int slot;
};

static long table[WORDS_PER_PE], got[READS];
static shmemx_aggregate_t requests, answers;

static void serve(void* argument, int asker, const void* items, size_t count) {
    const struct request* const request = items;
    (void)argument;
    for (size_t i = 0; i < count; ++i) {
        const struct answer answer = {table[request[i].place], request[i].slot};
        shmemx_aggregate_push(answers, &answer, asker);
    }
}

static void take(void* argument, int source, const void* items, size_t count) {
    const struct answer* const answer = items;
    (void)argument;
    (void)source;
    for (size_t i = 0; i < count; ++i)
        got[answer[i].slot] = answer[i].value;
}

static void check(int status) {
    if (status == 0) return;
    fprintf(stderr, "%s\n", isthmus_error_text());
    shmem_global_exit(1);
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    for (int i = 0; i < WORDS_PER_PE; ++i)
        table[i] = (long)me * WORDS_PER_PE + i;
    check(shmemx_aggregate_create(sizeof(struct request), 0, serve, NULL, &requests));
    check(shmemx_aggregate_create(sizeof(struct answer), 0, take, NULL, &answers));

    int index[READS];
    srand(1 + (unsigned)me);
    for (int i = 0; i < READS; ++i) {
        index[i] = rand() % (pes * WORDS_PER_PE);
        const struct request request = {index[i] % WORDS_PER_PE, i};
        check(shmemx_aggregate_push(requests, &request, index[i] / WORDS_PER_PE));
    }
    check(shmemx_aggregate_finish(requests)); /* all are served: the answers are pushed */
    check(shmemx_aggregate_finish(answers));

    int wrong = 0;
    for (int i = 0; i < READS; ++i)
        wrong += got[i] != index[i];
    check(shmemx_aggregate_destroy(answers));
    check(shmemx_aggregate_destroy(requests));
    if (me == 0) printf("%d words from %d PEs, %d wrong\n", READS, pes, wrong);
    shmem_finalize();
    return wrong != 0;
}
