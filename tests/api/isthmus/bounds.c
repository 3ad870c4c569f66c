/* Where a segment ends: its length is no multiple of anything. The last place is served and nothing
 * behind it is touched; the next one is refused. Transfers, and atomics of both widths; what the
 * header inlines and what it does not. */
#include "check.h"

enum { kRoom = 8192, kWhole = 4096 };

static int me, pes;

static void atomics(const isthmus_segment* to) {
    const uint64_t end = to->size;
    const uint64_t last8 = end >= 8 ? (end - 8) / 8 * 8 : UINT64_MAX - 7;
    const uint64_t last4 = end >= 4 ? (end - 4) / 4 * 4 : UINT64_MAX - 3;
    int64_t seen = 0;
    int32_t narrow = 0;
    if (end >= 8) {
        OK(isthmus_poke(to, last8, 5));
        OK(isthmus_postadd(to, last8, 2));
        OK(isthmus_fetchadd(to, last8, 1, &seen, NULL));
        CHECK(seen == 7);
        OK(isthmus_peek(to, last8, &seen, NULL));
        CHECK(seen == 8);
        OK(isthmus_compare_swap(to, last8, 8, 9, &seen, NULL));
        OK(isthmus_postmax(to, last8, 10));
    }
    if (end >= 4) {
        OK(isthmus_poke32(to, last4, 5));
        OK(isthmus_postadd32(to, last4, 2));
        OK(isthmus_fetchadd32(to, last4, 1, &narrow, NULL));
        CHECK(narrow == 7);
    }
    for (int i = 1; i <= 2; ++i) {
        const uint64_t behind8 = last8 + (uint64_t)i * 8, behind4 = last4 + (uint64_t)i * 4;
        CHECK(isthmus_poke(to, behind8, -1) == ISTHMUS_BOUNDS);
        CHECK(isthmus_postadd(to, behind8, -1) == ISTHMUS_BOUNDS);
        CHECK(isthmus_fetchadd(to, behind8, -1, &seen, NULL) == ISTHMUS_BOUNDS);
        CHECK(isthmus_peek(to, behind8, &seen, NULL) == ISTHMUS_BOUNDS);
        CHECK(isthmus_compare_swap(to, behind8, 0, -1, &seen, NULL) == ISTHMUS_BOUNDS);
        CHECK(isthmus_postxor(to, behind8, -1) == ISTHMUS_BOUNDS);
        CHECK(isthmus_swap(to, behind8, -1, &seen, NULL) == ISTHMUS_BOUNDS);
        CHECK(isthmus_poke32(to, behind4, -1) == ISTHMUS_BOUNDS);
        CHECK(isthmus_postadd32(to, behind4, -1) == ISTHMUS_BOUNDS);
        CHECK(isthmus_fetchadd32(to, behind4, -1, &narrow, NULL) == ISTHMUS_BOUNDS);
        CHECK(isthmus_peek32(to, behind4, &narrow, NULL) == ISTHMUS_BOUNDS);
    }
}

static int put_of(const void* value, const isthmus_segment* to, uint64_t offset, uint64_t bytes) {
    switch (bytes) {
        case 1: return isthmus_put(value, to, offset, 1, NULL);
        case 2: return isthmus_put(value, to, offset, 2, NULL);
        case 4: return isthmus_put(value, to, offset, 4, NULL);
        case 8: return isthmus_put(value, to, offset, 8, NULL);
        default: return isthmus_put(value, to, offset, bytes, NULL);
    }
}

static void transfers(const isthmus_segment* to) {
    static const uint64_t lengths[] = {1, 2, 4, 8, 16, 100, 3000};
    static unsigned char ones[kRoom], back[kRoom];
    memset(ones, 0xff, sizeof ones);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        const uint64_t bytes = lengths[i];
        if (bytes <= to->size) {
            OK(put_of(ones, to, to->size - bytes, bytes));
            OK(isthmus_fence(to, NULL));
            OK(isthmus_get(back, to, to->size - bytes, bytes, NULL));
            CHECK(memcmp(ones, back, bytes) == 0);
        }
        for (uint64_t more = 1; more <= bytes && more <= 9; ++more) {
            CHECK(put_of(ones, to, to->size - bytes + more, bytes) == ISTHMUS_BOUNDS);
            CHECK(isthmus_get(back, to, to->size - bytes + more, bytes, NULL) == ISTHMUS_BOUNDS);
        }
        CHECK(put_of(ones, to, UINT64_MAX - bytes + 1, bytes) == ISTHMUS_BOUNDS);
        CHECK(isthmus_get(back, to, UINT64_MAX, bytes, NULL) == ISTHMUS_BOUNDS);
    }
}

/* Rows that lie apart here and close together there, or the other way round: more than is staged.
 */
static void rows(int next) {
    enum { kRows = 300, kRow = 200, kPitch = 232 };
    static unsigned char local[kRows * kPitch], back[kRows * kPitch];
    isthmus_segment mine, to;
    OK(isthmus_segment_create(&mine, 300 + (uint64_t)me, NULL, kRows * kPitch, 0));
    OK(isthmus_segment_clone(&to, 300 + (uint64_t)next, -1));
    for (unsigned i = 0; i < sizeof local; ++i)
        local[i] = (unsigned char)(i * 7 + i / 251 + (unsigned)me);
    for (int apart = 0; apart < 2; ++apart) {
        const uint64_t pitch = apart ? kPitch : kRow;
        memset(back, 0, sizeof back);
        OK(isthmus_put_strided(local, kPitch, &to, 0, pitch, kRow, kRows, NULL));
        OK(isthmus_fence(&to, NULL));
        OK(isthmus_get_strided(back, kPitch, &to, 0, pitch, kRow, kRows, NULL));
        for (int row = 0; row < kRows; ++row)
            CHECK(memcmp(back + row * kPitch, local + row * kPitch, kRow) == 0);
        OK(isthmus_get(back, &to, 0, kRow, NULL));
        CHECK(memcmp(back, local, kRow) == 0);
        OK(isthmus_get(back, &to, (kRows - 1) * pitch, kRow, NULL));
        CHECK(memcmp(back, local + (kRows - 1) * kPitch, kRow) == 0);
        isthmus_barrier();
    }
    OK(isthmus_segment_destroy(&mine));
}

/* What an allocator that is full says is free. */
static void full(void) {
    enum { kAllocator = 1 << 16, kBlock = 6000 };
    isthmus_segment mine;
    uint64_t offset = 0, free_bytes = 0, all = 0, largest = 0;
    OK(isthmus_segment_create(&mine, 400 + (uint64_t)me, NULL, kAllocator,
                              ISTHMUS_READ_WRITE | ISTHMUS_ALLOCATOR));
    for (uint64_t blocks = 1; blocks <= 5; ++blocks) {
        OK(isthmus_segment_malloc(&mine, kBlock, &offset, NULL));
        CHECK(isthmus_segment_malloc(&mine, kAllocator, &offset, NULL) == ISTHMUS_NO_MEMORY);
        const char* const said = strstr(isthmus_error_text(), "bytes: ");
        CHECK(said &&
              sscanf(said, "bytes: %lu of %lu are free, %lu", &free_bytes, &all, &largest) == 3);
        CHECK(all <= kAllocator && largest <= free_bytes && free_bytes + blocks * kBlock <= all);
    }
    OK(isthmus_segment_destroy(&mine));
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    const int next = (me + 1) % pes;
    void* block = NULL;
    OK(isthmus_symmetric_malloc(&block, kRoom, 64));
    unsigned char* const memory = block;
    for (uint64_t more = 0; more < 9; ++more) {
        for (int large = 0; large < 2; ++large) {
            const uint64_t size = large ? kWhole + more : 1 + more;
            isthmus_segment mine, to;
            memset(memory, 0, kRoom);
            isthmus_barrier();
            OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, memory, size, 0));
            isthmus_barrier();
            OK(isthmus_segment_clone(&to, 100 + (uint64_t)next, -1));
            CHECK(to.size == size);
            transfers(&to);
            atomics(&to);
            isthmus_barrier();
            for (uint64_t i = size; i < kRoom; ++i)
                CHECK(memory[i] == 0);
            isthmus_barrier();
            OK(isthmus_segment_destroy(&mine));
            isthmus_barrier();
        }
    }
    rows(next);
    full();
    OK(isthmus_symmetric_free(memory));
    isthmus_finalize();
    return 0;
}
