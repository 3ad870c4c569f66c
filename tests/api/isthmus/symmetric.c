/* Symmetric memory by address, from C, beside OpenSHMEM's; and channels. */
#include <shmem.h>

#include "check.h"

static int me, pes, right, left;
static int static_word;

/* Memory that the system counts as shared and in this process, in bytes. */
static long occupied(void) {
    long size = 0, resident = 0, shared = 0;
    FILE* statm = fopen("/proc/self/statm", "r");
    CHECK(statm && fscanf(statm, "%ld %ld %ld", &size, &resident, &shared) == 3);
    fclose(statm);
    return shared * 4096;
}

/* Zeros that nobody has touched take no memory; what was written before reads as zero, too. */
static void zeroed(void) {
    enum { kSize = (32 << 20) + 8200 };
    for (int round = 0; round < 2; ++round) {
        void* block = NULL;
        isthmus_barrier();
        const long before = occupied();
        OK(isthmus_symmetric_malloc(&block, kSize, 16));
        CHECK(occupied() < before + (8 << 20));
        const char* bytes = (const char*)block;
        for (int i = 0; i < kSize; ++i)
            CHECK(bytes[i] == 0);
        isthmus_barrier();
        memset(block, 0x55, kSize);
        OK(isthmus_symmetric_free(block));
    }
    for (uint64_t size = 1; size < 1 << 22; size = size * 3 + 5) {
        void* block = NULL;
        OK(isthmus_symmetric_malloc(&block, size, 16));
        for (uint64_t i = 0; i < size; ++i)
            CHECK(((const char*)block)[i] == 0);
        isthmus_barrier();
        memset(block, 0x55, size);
        OK(isthmus_symmetric_free(block));
    }
}

static void memory(void) {
    void* block = NULL;
    OK(isthmus_symmetric_malloc(&block, 10000, 4096));
    CHECK((uintptr_t)block % 4096 == 0);
    char* bytes = (char*)block;
    for (int i = 0; i < 10000; ++i)
        CHECK(bytes[i] == 0);
    isthmus_barrier();
    char sent[100], back[100];
    memset(sent, 'a' + me, sizeof sent);
    OK(isthmus_symmetric_put(bytes + 50, sent, sizeof sent, right, NULL));
    isthmus_barrier();
    CHECK(bytes[49] == 0 && bytes[50] == 'a' + left && bytes[149] == 'a' + left && bytes[150] == 0);
    isthmus_event event;
    OK(isthmus_symmetric_get(back, bytes + 50, sizeof back, right, &event));
    OK(isthmus_event_wait(&event));
    CHECK(memcmp(back, sent, sizeof back) == 0);
    /* The same memory as OpenSHMEM's and as the default segment's. */
    CHECK(isthmus_symmetric_address(bytes, right) == shmem_ptr(bytes, right));
    isthmus_segment segment;
    OK(isthmus_segment_default(&segment, right));
    uint64_t offset = 0;
    const void* const there = isthmus_symmetric_address(bytes + 50, right);
    isthmus_segment own;
    OK(isthmus_segment_default(&own, me));
    if (is_far(&segment)) {
        CHECK(!there && isthmus_segment_offset(&segment, there, &offset) == ISTHMUS_BOUNDS);
    } else {
        OK(isthmus_segment_offset(&segment, there, &offset));
        back[0] = 0;
        OK(isthmus_get(back, &segment, offset, 1, NULL));
        CHECK(back[0] == 'a' + me);
    }
    OK(isthmus_segment_offset(&own, bytes + 50, &offset));
    void* address = NULL;
    CHECK(isthmus_segment_address(&segment, offset, &address) ==
              (is_far(&segment) ? ISTHMUS_PROTOCOL : ISTHMUS_OK) &&
          address == there);
    OK(isthmus_get(back, &segment, offset, 1, NULL));
    CHECK(back[0] == 'a' + me);
    /* Static data, and what shmem_malloc gives. */
    const int value = 17 + me;
    OK(isthmus_symmetric_put(&static_word, &value, sizeof value, right, NULL));
    isthmus_barrier();
    CHECK(static_word == 17 + left);
    void* other = shmem_malloc(64);
    OK(isthmus_symmetric_free(other));
    OK(isthmus_symmetric_free(NULL));

    /* What is wrong. */
    int on_stack = 0;
    CHECK(isthmus_symmetric_put(&on_stack, &value, sizeof value, right, NULL) == ISTHMUS_BOUNDS);
    CHECK(strstr(isthmus_error_text(), "stack"));
    CHECK(isthmus_symmetric_put(block, &value, sizeof value, pes, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_symmetric_get(back, block, 1, -1, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_symmetric_get(back, NULL, 1, 0, NULL) == ISTHMUS_BOUNDS);
    CHECK(!isthmus_symmetric_address(&on_stack, right) && !isthmus_symmetric_address(block, pes));
    OK(isthmus_symmetric_free(block));
    CHECK(isthmus_symmetric_free((char*)block + 1) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_symmetric_malloc(&block, 100, 24) == ISTHMUS_ARGUMENT && !block);
    CHECK(isthmus_symmetric_malloc(&block, UINT64_C(1) << 50, 0) == ISTHMUS_NO_MEMORY && !block);
    CHECK(strstr(isthmus_error_text(), "SHMEM_SYMMETRIC_SIZE"));
    OK(isthmus_symmetric_malloc(&block, 0, 0));
    CHECK(!block);
    /* A segment's memory is reached by address too. */
    isthmus_segment mine, theirs;
    OK(isthmus_segment_create(&mine, 40 + (uint64_t)me, NULL, 8192, 0));
    OK(isthmus_segment_clone(&theirs, 40 + (uint64_t)right, -1));
    OK(isthmus_symmetric_put(mine.base, &value, sizeof value, me, NULL));
    int word = 0;
    OK(isthmus_get(&word, &mine, 0, sizeof word, NULL));
    CHECK(word == value);
    isthmus_barrier();
    OK(isthmus_segment_destroy(&mine));
}

/* By address, a segment refuses what it refuses through its view. */
static void rights(void) {
    isthmus_segment mine, theirs;
    const uint32_t accesses[] = {ISTHMUS_READ | ISTHMUS_TRANSFERS,
                                 ISTHMUS_WRITE | ISTHMUS_TRANSFERS,
                                 ISTHMUS_READ_WRITE | ISTHMUS_ATOMICS, ISTHMUS_DEFAULT_ACCESS};
    for (int i = 0; i < 4; ++i) {
        OK(isthmus_segment_create(&mine, 80 + (uint64_t)me, NULL, 12288, accesses[i]));
        OK(isthmus_segment_clone(&theirs, 80 + (uint64_t)right, -1));
        char* const home = mine.base;
        char* const there = (char*)isthmus_symmetric_address(home, right);
        char bytes[8192] = {0};
        CHECK(there == (is_far(&theirs) ? NULL : theirs.base)); /* arenas fill up alike */
        const int put = isthmus_put(bytes, &theirs, 2000, sizeof bytes, NULL);
        const int get = isthmus_get(bytes, &theirs, 2000, sizeof bytes, NULL);
        CHECK(isthmus_symmetric_put(home + 2000, bytes, sizeof bytes, right, NULL) == put);
        CHECK(isthmus_symmetric_get(bytes, home + 2000, sizeof bytes, right, NULL) == get);
        int64_t before;
        const int swap = isthmus_swap(&theirs, 8, 0, &before, NULL);
        const int peek = isthmus_peek(&theirs, 8, &before, NULL);
        CHECK(isthmus_symmetric_atomic(home + 8, right, ISTHMUS_ATOMIC_SWAP, 8, 0, 0, &before) ==
              swap);
        CHECK(isthmus_symmetric_atomic(home + 8, right, ISTHMUS_ATOMIC_FETCH, 8, 0, 0, &before) ==
              peek);
        CHECK(swap == (i < 2 ? ISTHMUS_PROTOCOL : ISTHMUS_OK));
        CHECK(put == (i == 2 ? ISTHMUS_PROTOCOL : i == 0 && pes > 1 ? ISTHMUS_RIGHTS : ISTHMUS_OK));
        CHECK(isthmus_symmetric_put(home, bytes, 12288 + 8192, right, NULL) == ISTHMUS_BOUNDS);
        isthmus_barrier();
        OK(isthmus_segment_destroy(&mine));
        isthmus_barrier();
        CHECK(isthmus_symmetric_put(home, bytes, 8, right, NULL) == ISTHMUS_BOUNDS);
        CHECK(strstr(isthmus_error_text(), "no segment of PE"));
        CHECK(!isthmus_symmetric_address(home, right));
        isthmus_barrier();
    }
}

/* By address, too, a segment ends where its bytes end, and its neighbour is another. */
static void ends(void) {
    static char bytes[16384];
    isthmus_segment small, large;
    OK(isthmus_segment_create(&small, 90 + (uint64_t)me, NULL, 100, 0));
    OK(isthmus_segment_create(&large, 190 + (uint64_t)me, NULL, 12288, 0));
    isthmus_barrier();
    const struct {
        uint64_t from, size;
        int status;
    } ranges[] = {{0, 100, ISTHMUS_OK},       {0, 101, ISTHMUS_BOUNDS},  {99, 1, ISTHMUS_OK},
                  {100, 1, ISTHMUS_BOUNDS},   {100, 0, ISTHMUS_OK},      {101, 0, ISTHMUS_BOUNDS},
                  {0, 4096, ISTHMUS_BOUNDS},  {0, 8192, ISTHMUS_BOUNDS}, {0, 16384, ISTHMUS_BOUNDS},
                  {50, 4096, ISTHMUS_BOUNDS}, {4095, 2, ISTHMUS_BOUNDS}};
    memset(bytes, 1, sizeof bytes);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
        char* const at = small.base + ranges[i].from;
        CHECK(isthmus_symmetric_put(at, bytes, ranges[i].size, right, NULL) == ranges[i].status);
        CHECK(isthmus_symmetric_get(bytes, at, ranges[i].size, right, NULL) == ranges[i].status);
    }
    CHECK(isthmus_symmetric_address(small.base + 99, me));
    CHECK(isthmus_symmetric_address(small.base + 99, right) || has_far_pes());
    CHECK(!isthmus_symmetric_address(small.base + 100, right));
    isthmus_barrier();
    for (uint64_t i = 0; i < large.size; ++i)
        CHECK(large.base[i] == 0);
    isthmus_barrier();
    OK(isthmus_symmetric_put(large.base, bytes, 12288, right, NULL));
    OK(isthmus_symmetric_put(large.base + 4095, bytes, 4098, right, NULL));
    CHECK(isthmus_symmetric_put(large.base, bytes, 12289, right, NULL) == ISTHMUS_BOUNDS);
    isthmus_barrier();
    OK(isthmus_segment_destroy(&large));
    OK(isthmus_segment_destroy(&small));
    isthmus_barrier();
}

/* In checked mode transfers that overlap in part are refused; otherwise nobody looks. */
static void overlaps(void) {
    const char* const check = getenv("ISTHMUS_CHECK");
    if (!check || strcmp(check, "1") != 0) return;
    isthmus_segment mine;
    void* block = NULL;
    OK(isthmus_segment_create(&mine, 390 + (uint64_t)me, NULL, 8192, 0));
    OK(isthmus_symmetric_malloc(&block, 4096, 0));
    char* const base = mine.base;
    char* const bytes = (char*)block;
    CHECK(isthmus_put(base + 4, &mine, 0, 8, NULL) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "overlap"));
    CHECK(isthmus_get(base, &mine, 7, 8, NULL) == ISTHMUS_ARGUMENT);
    OK(isthmus_put(base + 8, &mine, 0, 8, NULL));
    OK(isthmus_get(base + 8, &mine, 8, 8, NULL)); /* onto itself */
    OK(isthmus_put(base + 4, &mine, 0, 0, NULL));
    CHECK(isthmus_get(base, &mine, 8190, 8, NULL) == ISTHMUS_BOUNDS);
    CHECK(isthmus_symmetric_put(bytes, bytes + 1, 2, me, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_symmetric_get(bytes + 1, bytes, 2, me, NULL) == ISTHMUS_ARGUMENT);
    OK(isthmus_symmetric_put(bytes, bytes + 2, 2, me, NULL));
    /* Columns side by side do not overlap, however their rows interleave. */
    OK(isthmus_put_strided(base + 8, 64, &mine, 0, 64, 8, 10, NULL));
    OK(isthmus_put_strided(base, 64, &mine, 0, 64, 8, 10, NULL));
    CHECK(isthmus_put_strided(base + 4, 64, &mine, 0, 64, 8, 10, NULL) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_get_strided(base + 64, 64, &mine, 0, 64, 8, 10, NULL) == ISTHMUS_ARGUMENT);
    const isthmus_point2d first = {0, 0, 16, 16}, beside = {4, 0, 16, 16}, below = {2, 3, 16, 16};
    OK(isthmus_put_block2d(base, &first, &mine, 0, &beside, 1, 4, 4, NULL));
    CHECK(isthmus_put_block2d(base, &first, &mine, 0, &below, 1, 4, 4, NULL) == ISTHMUS_ARGUMENT);
    isthmus_range ranges[2] = {{base + 100, 0, 8}, {base + 104, 108, 8}};
    CHECK(isthmus_put_list(ranges, 2, &mine, NULL) == ISTHMUS_ARGUMENT);
    OK(isthmus_put_list(ranges, 1, &mine, NULL));
    OK(isthmus_symmetric_free(block));
    OK(isthmus_segment_destroy(&mine));
}

/* A put wakes a PE that sleeps on the word: the flag goes round once. */
static void waking(void) {
    static int64_t flag;
    const int64_t one = 1;
    isthmus_event event;
    OK(isthmus_event_arm(&event, &flag, ISTHMUS_EQ, 1));
    if (me != 0)
        OK(isthmus_event_wait_for(&event, 20));
    else
        usleep(50000);
    OK(isthmus_symmetric_put(&flag, &one, sizeof one, right, NULL));
    OK(isthmus_event_wait_for(&event, 20));
    isthmus_barrier();
}

static void channel(void) {
    isthmus_channel stream = ISTHMUS_CHANNEL_INIT;
    isthmus_segment mine, theirs;
    OK(isthmus_segment_create(&mine, 60 + (uint64_t)me, NULL, 4096, 0));
    OK(isthmus_segment_clone(&theirs, 60 + (uint64_t)right, -1));
    char sent[64], back[64] = {0};
    memset(sent, 'A' + me, sizeof sent);
    OK(isthmus_channel_put(&stream, sent, &theirs, 64, sizeof sent));
    OK(isthmus_channel_fence(&stream));
    OK(isthmus_channel_postadd(&stream, &theirs, 0, 3));
    OK(isthmus_channel_poke(&stream, &theirs, 8, 9));
    CHECK(stream.issued == 3);
    isthmus_event event;
    OK(isthmus_channel_event(&stream, &event));
    OK(isthmus_event_wait(&event));
    OK(isthmus_channel_get(&stream, back, &theirs, 64, sizeof back));
    OK(isthmus_channel_quiet(&stream));
    CHECK(stream.issued == 4 && stream.completed == 4 && memcmp(back, sent, sizeof back) == 0);
    CHECK(isthmus_channel_put(&stream, sent, &theirs, 4090, 64) == ISTHMUS_BOUNDS);
    CHECK(isthmus_channel_get(&stream, back, &theirs, 4090, 64) == ISTHMUS_BOUNDS);
    CHECK(isthmus_channel_postadd(&stream, &theirs, 4, 1) == ISTHMUS_BOUNDS);
    CHECK(isthmus_channel_poke(&stream, &theirs, 4096, 1) == ISTHMUS_BOUNDS);
    CHECK(stream.issued == 4);
    isthmus_barrier();
    int64_t word = 0;
    memcpy(&word, mine.base, sizeof word);
    CHECK(word == 3 && mine.base[64] == 'A' + left);
    isthmus_barrier();
    OK(isthmus_segment_destroy(&mine));
}

int main(void) {
    isthmus_init();
    shmem_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    right = (me + 1) % pes;
    left = (me + pes - 1) % pes;
    memory();
    zeroed();
    rights();
    ends();
    overlaps();
    channel();
    waking();
    shmem_finalize();
    isthmus_finalize();
    return 0;
}
