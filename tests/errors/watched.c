/* What waits, tests and shmem_signal_fetch look at: checked mode looks at it first. */
#include "cases.h"

static long words[16];
static uint64_t signal_word;

static long* eight(void) {
    return (long*)shmem_calloc(8 + (size_t)zero, sizeof(long));
}
static long* freed(void) {
    long* block = eight();
    shmem_free(block);
    return block;
}
/* Two bytes behind the beginning of a word. */
static void* between(void) {
    return (char*)(words + 1) + 2 + zero;
}

/* Each would end at once, were it not looked at. */
static void wait_one(long* word) {
    shmem_long_wait_until(word, SHMEM_CMP_GE, *word);
}
static void test_one(long* word) {
    sink = shmem_long_test(word, SHMEM_CMP_GE, *word);
}
static void wait_all(long* word) {
    shmem_long_wait_until_all(word, 2, NULL, SHMEM_CMP_GE, INT64_MIN);
}
static void wait_any(long* word) {
    sink = (long)shmem_long_wait_until_any(word, 2, NULL, SHMEM_CMP_GE, INT64_MIN);
}
static void wait_some(long* word) {
    size_t indices[2];
    sink = (long)shmem_long_wait_until_some(word, 2, indices, NULL, SHMEM_CMP_GE, INT64_MIN);
}
static void test_all(long* word) {
    sink = shmem_long_test_all(word, 2, NULL, SHMEM_CMP_GE, INT64_MIN);
}
static void test_any_vector(long* word) {
    const long values[2] = {INT64_MIN, INT64_MIN};
    sink = (long)shmem_long_test_any_vector(word, 2, NULL, SHMEM_CMP_GE, values);
}
static void fetch_signal(long* word) {
    sink = (long)shmem_signal_fetch((uint64_t*)word);
}
static void wait_signal(long* word) {
    sink = (long)shmem_signal_wait_until((uint64_t*)word, SHMEM_CMP_GE, 0);
}

#define MISTAKE(name, address)          \
    static void name(int me, int pes) { \
        long* const word = address;     \
        (void)pes;                      \
        if (me == 0) LOOK(word);        \
    }
#define LOOK wait_one
MISTAKE(wait_misaligned, between())
MISTAKE(wait_freed, freed())
MISTAKE(wait_past, eight() + 8)
#undef LOOK
#define LOOK test_one
MISTAKE(test_misaligned, between())
MISTAKE(test_freed, freed())
MISTAKE(test_past, eight() + 8)
#undef LOOK
#define LOOK fetch_signal
MISTAKE(fetch_misaligned, between())
MISTAKE(fetch_freed, freed())
MISTAKE(fetch_past, eight() + 8)
#undef LOOK
#define LOOK wait_signal
MISTAKE(signal_misaligned, between())
MISTAKE(signal_freed, freed())
#undef LOOK
#define LOOK wait_all
MISTAKE(all_across, eight() + 7)
#undef LOOK
#define LOOK wait_any
MISTAKE(any_across, eight() + 7)
#undef LOOK
#define LOOK wait_some
MISTAKE(some_misaligned, between())
#undef LOOK
#define LOOK test_all
MISTAKE(test_all_across, eight() + 7)
#undef LOOK
#define LOOK test_any_vector
MISTAKE(vector_across, eight() + 7)
#undef LOOK

static void wait_on_stack(int me, int pes) {
    long mine = zero;
    (void)pes;
    if (me == 0) wait_one(&mine);
}
static void test_on_stack(int me, int pes) {
    long mine = zero;
    (void)pes;
    if (me == 0) test_one(&mine);
}
static void fetch_on_stack(int me, int pes) {
    uint64_t mine = (uint64_t)zero;
    (void)pes;
    if (me == 0) sink = (long)shmem_signal_fetch(&mine);
}
static void test_wild(int me, int pes) {
    long* volatile nowhere = (long*)0x123456780;
    (void)pes;
    if (me == 0) sink = shmem_long_test(nowhere, SHMEM_CMP_EQ, 1);
}
static void indices_past(int me, int pes) {
    size_t* const block = (size_t*)eight();
    (void)pes;
    if (me == 0) sink = (long)shmem_long_test_some(words, 2, block + 7, NULL, SHMEM_CMP_EQ, 0);
}
static void status_wild(int me, int pes) {
    int* volatile nowhere = (int*)0x123456780;
    (void)pes;
    if (me == 0) sink = shmem_long_test_all(words, 2, nowhere, SHMEM_CMP_EQ, 0);
}
/* Nothing is wrong with any of these. */
static void nothing(int me, int pes) {
    long* const block = eight();
    size_t indices[8];
    const int left_out[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    (void)me;
    (void)pes;
    wait_one(block + 7);
    test_one(words + 15);
    wait_all(block + 6);
    shmem_long_wait_until_all(NULL, 0, NULL, SHMEM_CMP_EQ, 1);
    sink = (long)shmem_long_wait_until_some(block, 8, indices, left_out, SHMEM_CMP_EQ, 1);
    sink = (long)shmem_signal_fetch(&signal_word);
    fetch_signal(block + 7);
    puts("nothing was wrong");
}

const struct Case cases[] = {
    {"wait_misaligned", wait_misaligned},
    {"wait_freed", wait_freed},
    {"wait_past", wait_past},
    {"test_misaligned", test_misaligned},
    {"test_freed", test_freed},
    {"test_past", test_past},
    {"fetch_misaligned", fetch_misaligned},
    {"fetch_freed", fetch_freed},
    {"fetch_past", fetch_past},
    {"signal_misaligned", signal_misaligned},
    {"signal_freed", signal_freed},
    {"all_across", all_across},
    {"any_across", any_across},
    {"some_misaligned", some_misaligned},
    {"test_all_across", test_all_across},
    {"vector_across", vector_across},
    {"wait_on_stack", wait_on_stack},
    {"test_on_stack", test_on_stack},
    {"fetch_on_stack", fetch_on_stack},
    {"test_wild", test_wild},
    {"indices_past", indices_past},
    {"status_wild", status_wild},
    {"nothing", nothing},
    {NULL, NULL},
};
