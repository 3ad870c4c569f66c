/* Active messages whose payload is in pieces, and gets that a handler answers: every kind to and
 * from every PE, this one included; what is refused. */
#include "check.h"

enum { kPut = 1, kPutBack = 2, kGot = 3, kTurn = 4, kSpace = 40000, kMostBlocks = 64 };

/* What a message says of itself. */
struct note {
    int64_t number;
    uint64_t seed, bytes;
};

static int me, pes;
static unsigned char landing[kSpace], returned[kSpace], published[kSpace], own[kSpace];
static const char constants[] = "constants of the program may be read";
static int64_t puts_here, backs, gets, asked, turns;
/* How what is under way is laid out, the same at all PEs: offsets in the areas. */
static isthmus_message_range shape[kMostBlocks];
static size_t shape_count;
static int expected_pe;
static const void* expected_payload;
static size_t expected_size;
static unsigned expected_kind;

static unsigned char pattern(uint64_t seed, size_t i) {
    return (unsigned char)((seed + i) * 0x9e3779b97f4a7c15u >> 56);
}
static void fill(void* bytes, size_t size, uint64_t seed) {
    for (size_t i = 0; i < size; ++i)
        ((unsigned char*)bytes)[i] = pattern(seed, i);
}

static void wait_for(const int64_t* word, int64_t value) {
    isthmus_event event;
    OK(isthmus_event_arm(&event, word, ISTHMUS_GE, value));
    OK(isthmus_message_wait(&event, -1));
}

/* `count` blocks of so many bytes, `gap` apart; at most kMostBlocks. */
static isthmus_message_blocks blocks_in(void* area, size_t block, size_t gap, size_t count) {
    const isthmus_message_blocks blocks = {area, block + gap, block, count};
    return blocks;
}
static size_t ranges_of(const isthmus_message_blocks* blocks, isthmus_message_range* ranges) {
    for (size_t i = 0; i < blocks->count; ++i) {
        ranges[i].address = (char*)blocks->first + i * blocks->stride;
        ranges[i].size = blocks->block;
    }
    return blocks->count;
}

/* The bytes of the pieces in `area`, and nothing beside them. */
static void check_area(const unsigned char* area, const isthmus_message_range* pieces, size_t count,
                       uint64_t seed) {
    static unsigned char expected[kSpace];
    memset(expected, 0xee, kSpace);
    size_t done = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t offset = (size_t)((const unsigned char*)pieces[i].address - area);
        for (size_t k = 0; k < pieces[i].size; ++k)
            expected[offset + k] = pattern(seed, done++);
    }
    CHECK(memcmp(expected, area, kSpace) == 0);
}

static void take_shape(void* context, isthmus_message* message) {
    (void)context;
    struct note note;
    memcpy(&note, message->arguments, sizeof note);
    shape_count = message->size / sizeof *shape;
    memcpy(shape, message->payload, message->size);
    for (size_t i = 0; i < shape_count; ++i)
        shape[i].address = landing + (uintptr_t)shape[i].address;
    ++puts_here;
}

static void take_put(void* context, isthmus_message* message) {
    (void)context;
    struct note note;
    memcpy(&note, message->arguments, sizeof note);
    CHECK((message->kind & ISTHMUS_MESSAGE_LONG) && message->source == expected_pe);
    check_area(landing, shape, shape_count, note.seed);
    CHECK(message->payload == (shape_count && note.bytes ? shape[0].address : NULL));
    CHECK(message->size == (shape_count && note.bytes ? shape[0].size : 0));
    /* The other way round: these pieces, as blocks where that is possible, to the sender's. */
    isthmus_message_range back[kMostBlocks];
    for (size_t i = 0; i < shape_count; ++i) {
        back[i].address = returned + ((unsigned char*)shape[i].address - landing);
        back[i].size = shape[i].size;
    }
    if (note.number % 2 == 0) {
        OK(isthmus_message_reply_vectored(message, kPutBack, &note, sizeof note, shape, shape_count,
                                          back, shape_count, 0));
    } else {
        isthmus_message_blocks from = {landing, 1, 0, 0};
        if (shape_count != 0) {
            from.first = shape[0].address;
            from.stride =
                shape_count == 1 ? 0 : (size_t)((char*)shape[1].address - (char*)shape[0].address);
            from.block = shape[0].size;
            from.count = shape_count;
        }
        isthmus_message_blocks to = from;
        to.first = returned + ((unsigned char*)from.first - landing);
        OK(isthmus_message_reply_strided(message, kPutBack, &note, sizeof note, &from, &to, 0));
    }
    CHECK(isthmus_message_reply_strided(message, kPutBack, NULL, 0, NULL, NULL, 0) ==
          ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_get_medium(0, kGot, NULL, 0, landing, 1) == ISTHMUS_ARGUMENT);
    const isthmus_message_range none = {NULL, 0};
    CHECK(isthmus_message_request_vectored(0, kPut, NULL, 0, &none, 1, &none, 1, 0) ==
          ISTHMUS_ARGUMENT);
    ++puts_here;
}

static void take_back(void* context, isthmus_message* message) {
    (void)context;
    CHECK((message->kind & ISTHMUS_MESSAGE_REPLY) && message->source == expected_pe);
    CHECK(isthmus_message_reply_vectored(message, kPut, NULL, 0, NULL, 0, NULL, 0, 0) ==
          ISTHMUS_ARGUMENT);
    ++backs;
}

static void take_turn(void* context, isthmus_message* message) {
    (void)context;
    if (message->argument_bytes == sizeof(int32_t)) {
        memset(landing, 0xee, kSpace);
        int32_t who;
        memcpy(&who, message->arguments, sizeof who);
        expected_pe = who;
        OK(isthmus_message_reply(message, kTurn, NULL, 0, 0));
    }
    ++turns;
}

enum { kShape = 5 };

/* One message and its answer. */
static void put_one(int pe, int number, const isthmus_message_range* source, size_t source_count,
                    const isthmus_message_blocks* source_blocks, const isthmus_message_range* dest,
                    size_t dest_count, const isthmus_message_blocks* dest_blocks, size_t bytes) {
    const struct note note = {number, (uint64_t)number * 977 + (uint64_t)me, bytes};
    const int64_t before = turns, backs_before = backs;
    const int32_t self = me;
    OK(isthmus_message_request(pe, kTurn, &self, sizeof self, 0));
    wait_for(&turns, before + (pe == me ? 2 : 1));
    expected_pe = pe == me ? me : pe;
    isthmus_message_range pieces[kMostBlocks];
    const isthmus_message_range* list = dest;
    size_t count = dest_count;
    if (dest_blocks) {
        count = ranges_of(dest_blocks, pieces);
        list = pieces;
    }
    /* As offsets: static data need not lie at the same address everywhere. */
    isthmus_message_range offsets[kMostBlocks];
    for (size_t i = 0; i < count; ++i) {
        offsets[i].address = (void*)((uintptr_t)list[i].address - (uintptr_t)landing);
        offsets[i].size = list[i].size;
    }
    OK(isthmus_message_request_medium(pe, kShape, &note, sizeof note, offsets,
                                      count * sizeof *offsets, 0));
    memset(returned, 0xee, kSpace);
    /* Between hosts no order is promised: the shape first. */
    const int64_t known = turns;
    OK(isthmus_message_request(pe, kTurn, &self, sizeof self, 0));
    wait_for(&turns, known + (pe == me ? 2 : 1));
    size_t done = 0;
    if (source_blocks)
        for (size_t i = 0; i < source_blocks->count; ++i)
            for (size_t k = 0; k < source_blocks->block; ++k)
                ((unsigned char*)source_blocks->first)[i * source_blocks->stride + k] =
                    pattern(note.seed, done++);
    else
        for (size_t i = 0; i < source_count; ++i) {
            fill(source[i].address, source[i].size, note.seed + done);
            done += source[i].size;
        }
    if (source_blocks)
        OK(isthmus_message_request_strided(pe, kPut, &note, sizeof note, source_blocks, dest_blocks,
                                           0));
    else
        OK(isthmus_message_request_vectored(pe, kPut, &note, sizeof note, source, source_count,
                                            dest, dest_count, 0));
    memset(own, 0x77, sizeof own); /* may be used again */
    wait_for(&backs, backs_before + 1);
    isthmus_message_range back[kMostBlocks];
    for (size_t i = 0; i < count; ++i) {
        back[i].address = returned + ((unsigned char*)list[i].address - landing);
        back[i].size = list[i].size;
    }
    check_area(returned, back, count, note.seed);
}

static void puts_to(int pe) {
    static const struct {
        size_t block, gap, count, own_block, own_gap, own_count;
    } kStrided[] = {{8, 8, 16, 8, 24, 16},    {8, 0, 16, 64, 3, 2},    {1, 6, 64, 64, 0, 1},
                    {100, 1, 9, 100, 5, 9},   {700, 13, 7, 700, 0, 7}, {600, 0, 4, 300, 100, 8},
                    {0, 8, 5, 0, 8, 3},       {16, 16, 0, 16, 16, 0},  {3000, 9, 4, 3000, 0, 4},
                    {513, 2, 20, 1026, 8, 10}};
    int number = 0;
    for (size_t i = 0; i < sizeof kStrided / sizeof *kStrided; ++i) {
        isthmus_message_blocks to =
            blocks_in(landing + 5, kStrided[i].block, kStrided[i].gap, kStrided[i].count);
        isthmus_message_blocks from =
            blocks_in(own + 3, kStrided[i].own_block, kStrided[i].own_gap, kStrided[i].own_count);
        /* An empty one has no pieces to answer with. */
        if (to.block == 0) to.count = 0;
        const size_t bytes = to.block * to.count;
        for (int turn = 0; turn < 2; ++turn, ++number)
            put_one(pe, number, NULL, 0, &from, NULL, 0, &to, bytes);
        isthmus_message_range source[kMostBlocks], dest[kMostBlocks];
        const size_t source_count = bytes ? ranges_of(&from, source) : 0;
        const size_t dest_count = ranges_of(&to, dest);
        for (int turn = 0; turn < 2; ++turn, ++number)
            put_one(pe, number, source, source_count, NULL, dest, dest_count, NULL, bytes);
    }
    /* One piece to several, and several to one. */
    isthmus_message_range one = {own, 900};
    isthmus_message_range three[] = {{landing, 100}, {landing + 500, 799}, {landing + 30000, 1}};
    put_one(pe, 1000, &one, 1, NULL, three, 3, NULL, 900);
    isthmus_message_range four[] = {{own + 10000, 400}, {own, 0}, {own + 20000, 499}, {own + 9, 1}};
    isthmus_message_range whole = {landing + 77, 900};
    put_one(pe, 1002, four, 4, NULL, &whole, 1, NULL, 900);
    put_one(pe, 1003, four, 4, NULL, &whole, 1, NULL, 900);
}

/* ---- gets */

static void got(void* context, isthmus_message* message) {
    CHECK(context == &gets && message->kind == (expected_kind | ISTHMUS_MESSAGE_REPLY));
    struct note note;
    memcpy(&note, message->arguments, sizeof note);
    CHECK(message->argument_bytes == sizeof note && note.number == gets);
    CHECK(message->source == expected_pe && message->size == expected_size);
    if (expected_kind == ISTHMUS_MESSAGE_LONG)
        CHECK(message->payload == expected_payload);
    else
        for (size_t i = 0; i < message->size; ++i)
            CHECK(((unsigned char*)message->payload)[i] == pattern((uint64_t)expected_pe, i));
    CHECK(isthmus_message_reply(message, kPut, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_get_medium(0, kGot, NULL, 0, published, 1) == ISTHMUS_ARGUMENT);
    ++gets;
}

static struct note next_note(void) {
    const struct note note = {asked++, 0, 0};
    return note;
}
static void expect(unsigned kind, int pe, const void* payload, size_t size) {
    expected_kind = kind;
    expected_pe = pe;
    expected_payload = payload;
    expected_size = size;
}

static void gets_from(int pe) {
    const size_t limit = isthmus_message_limit(pe, ISTHMUS_MESSAGE_MEDIUM);
    const size_t sizes[] = {0, 1, 8, 15, 64, 1000, 4096, limit};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        const size_t size = sizes[i];
        struct note note = next_note();
        expect(ISTHMUS_MESSAGE_MEDIUM, pe, NULL, size);
        OK(isthmus_message_get_medium(pe, kGot, &note, sizeof note, published, size));
        note.number = -1;
        wait_for(&gets, asked);
        note = next_note();
        memset(own, 0xee, kSpace);
        expect(ISTHMUS_MESSAGE_LONG, pe, size ? own + 3 : NULL, size);
        OK(isthmus_message_get_long(pe, kGot, &note, sizeof note, published, size, own + 3));
        note.number = -1;
        wait_for(&gets, asked);
        const isthmus_message_range whole = {own + 3, size};
        check_area(own, &whole, 1, (uint64_t)pe);
    }
    static const size_t kBlocks[][4] = {{8, 40, 16, 8},   {100, 33, 9, 25}, {700, 9, 7, 700},
                                        {300, 1, 6, 900}, {16, 0, 4, 64},   {2000, 5, 4, 4000}};
    for (size_t i = 0; i < sizeof kBlocks / sizeof *kBlocks; ++i) {
        const isthmus_message_blocks from = blocks_in(published, kBlocks[i][0], 0, kBlocks[i][2]);
        const size_t bytes = from.block * from.count;
        const isthmus_message_blocks to =
            blocks_in(own + 1, kBlocks[i][3], kBlocks[i][1], bytes / kBlocks[i][3]);
        for (int vectored = 0; vectored < 2; ++vectored) {
            isthmus_message_range source[kMostBlocks], dest[kMostBlocks];
            const size_t source_count = ranges_of(&from, source);
            const size_t dest_count = ranges_of(&to, dest);
            const struct note note = next_note();
            memset(own, 0xee, kSpace);
            expect(ISTHMUS_MESSAGE_LONG, pe, own + 1, to.block);
            if (vectored)
                OK(isthmus_message_get_vectored(pe, kGot, &note, sizeof note, source, source_count,
                                                dest, dest_count));
            else
                OK(isthmus_message_get_strided(pe, kGot, &note, sizeof note, &from, &to));
            memset(source, 0, sizeof source); /* lists may be used again */
            wait_for(&gets, asked);
            check_area(own, dest, dest_count, (uint64_t)pe);
        }
    }
    /* Many under way: answered in order. */
    expect(ISTHMUS_MESSAGE_LONG, pe, own, 8);
    for (int i = 0; i < 300; ++i) {
        const struct note note = next_note();
        OK(isthmus_message_get_long(pe, kGot, &note, sizeof note, published, 8, own));
    }
    wait_for(&gets, asked);
    /* The same block again and again; and constants. */
    const struct note note = next_note();
    const isthmus_message_blocks again = {published, 0, 4, 10};
    const isthmus_message_blocks apart = {own, 4, 4, 10};
    expect(ISTHMUS_MESSAGE_LONG, pe, own, 4);
    OK(isthmus_message_get_strided(pe, kGot, &note, sizeof note, &again, &apart));
    wait_for(&gets, asked);
    for (size_t i = 0; i < 40; ++i)
        CHECK(own[i] == pattern((uint64_t)pe, i % 4));
    const struct note last = next_note();
    expect(ISTHMUS_MESSAGE_LONG, pe, own, sizeof constants);
    OK(isthmus_message_get_long(pe, kGot, &last, sizeof last, constants, sizeof constants, own));
    wait_for(&gets, asked);
    CHECK(memcmp(own, constants, sizeof constants) == 0);
}

static void refusals(void) {
    char local[64] = {0};
    const isthmus_message_blocks good = {landing, 16, 8, 4};
    const isthmus_message_blocks source = {local, 16, 8, 4};
    const isthmus_message_blocks tight = {landing, 7, 8, 4};
    const isthmus_message_blocks shorter = {landing, 16, 8, 3};
    const isthmus_message_blocks outside = {landing, (size_t)1 << 61, 8, 4};
    const isthmus_message_blocks beyond = {landing, (size_t)1 << 63, 8, 4};
    const isthmus_message_blocks stack = {local, 16, 8, 4};
    const isthmus_message_blocks constant = {(void*)(uintptr_t)constants, 8, 8, 4};
#define STRIDED(pe, id, bytes, from, to, flags) \
    isthmus_message_request_strided(pe, id, local, bytes, &from, &to, flags)
    CHECK(STRIDED(pes, kPut, 0, source, good, 0) == ISTHMUS_ARGUMENT);
    CHECK(STRIDED(0, -1, 0, source, good, 0) == ISTHMUS_ARGUMENT);
    CHECK(STRIDED(0, kPut, 129, source, good, 0) == ISTHMUS_TOO_LARGE);
    CHECK(STRIDED(0, kPut, 0, source, good, 2) == ISTHMUS_ARGUMENT);
    CHECK(STRIDED(0, kPut, 0, source, tight, 0) == ISTHMUS_ARGUMENT);
    CHECK(
        strstr(isthmus_error_text(), "blocks of 8 bytes with a stride of 7 write over each other"));
    CHECK(STRIDED(0, kPut, 0, source, shorter, 0) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "the source has 32 bytes and the destination 24"));
    CHECK(STRIDED(0, kPut, 0, source, outside, 0) == ISTHMUS_BOUNDS);
    CHECK(STRIDED(0, kPut, 0, source, beyond, 0) == ISTHMUS_BOUNDS);
    CHECK(strstr(isthmus_error_text(), "the pieces reach beyond 2^64 bytes"));
    CHECK(STRIDED(0, kPut, 0, source, stack, 0) == ISTHMUS_BOUNDS);
    CHECK(STRIDED(0, kPut, 0, source, constant, 0) == ISTHMUS_RIGHTS);
    const isthmus_message_blocks huge = {local, 0, 1u << 30, 2};
    const isthmus_message_blocks huge_there = {landing, 1u << 30, 1u << 30, 2};
    const int status = STRIDED(0, kPut, 0, huge, huge_there, 0);
    CHECK(status == ISTHMUS_TOO_LARGE || status == ISTHMUS_BOUNDS);
    CHECK(isthmus_message_get_strided(0, kGot, NULL, 0, &stack, &good) == ISTHMUS_BOUNDS);
    CHECK(isthmus_message_get_strided(0, kGot, NULL, 0, &good, &tight) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_get_strided(pes, kGot, NULL, 0, &good, &stack) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_get_medium(0, kGot, NULL, 0, landing,
                                     isthmus_message_limit(0, ISTHMUS_MESSAGE_MEDIUM) + 1) ==
          ISTHMUS_TOO_LARGE);
    CHECK(isthmus_message_get_medium(0, kGot, NULL, 0, local, 8) == ISTHMUS_BOUNDS);
    const isthmus_message_range two[] = {{landing, 8}, {local, 8}};
    const isthmus_message_range sixteen = {landing + 100, 16};
    memset(landing, 0x5a, 64);
    CHECK(isthmus_message_request_vectored(me, kPut, NULL, 0, &sixteen, 1, two, 2, 0) ==
          ISTHMUS_BOUNDS);
    CHECK(landing[0] == 0x5a); /* nothing has been moved */
    const isthmus_message_range endless[] = {{local, (size_t)1 << 63}, {local, (size_t)1 << 63}};
    CHECK(isthmus_message_request_vectored(me, kPut, NULL, 0, endless, 2, two, 1, 0) ==
          ISTHMUS_BOUNDS);
    if (getenv("ISTHMUS_CHECK")) {
        isthmus_message_lock lock = ISTHMUS_MESSAGE_LOCK_FREE;
        isthmus_message_lock_take(&lock);
        CHECK(STRIDED(0, kPut, 0, source, good, 0) == ISTHMUS_ARGUMENT);
        CHECK(isthmus_message_get_medium(0, kGot, NULL, 0, landing, 8) == ISTHMUS_ARGUMENT);
        isthmus_message_lock_release(&lock);
    }
}

/* Without waiting: nothing is moved when there is no room. */
static void try_only(void) {
    static int64_t coming;
    coming = puts_here = turns = 0;
    isthmus_barrier();
    if (pes > 1 && me == 0) {
        const char filler[48] = {0};
        const struct note note = {0, 0, 0};
        const isthmus_message_range from = {own, 4};
        const isthmus_message_range to = {returned, 4};
        int64_t sent = 0;
        while (isthmus_message_request_medium(1, kShape, &note, sizeof note, filler, sizeof filler,
                                              ISTHMUS_MESSAGE_TRY) == ISTHMUS_OK)
            ++sent;
        /* The last places are too small for one of those. */
        memset(own, 0x11, 4);
        while (isthmus_message_request_vectored(1, kTurn, NULL, 0, &from, 1, &to, 1,
                                                ISTHMUS_MESSAGE_TRY) == ISTHMUS_OK)
            ++sent;
        memset(own, 0x22, 4);
        CHECK(isthmus_message_request_vectored(1, kTurn, NULL, 0, &from, 1, &to, 1,
                                               ISTHMUS_MESSAGE_TRY) == ISTHMUS_AGAIN);
        unsigned char there[4];
        OK(isthmus_symmetric_get(there, returned, 4, 1, NULL));
        CHECK(there[0] != 0x22); /* nothing is moved */
        OK(isthmus_symmetric_put(&coming, &sent, sizeof sent, 1, NULL));
    }
    isthmus_barrier();
    while (puts_here + turns < coming)
        isthmus_message_poll();
    isthmus_barrier();
}

static void session(void) {
    me = isthmus_pe();
    pes = isthmus_pes();
    puts_here = backs = gets = asked = turns = 0;
    OK(isthmus_message_register(
        kPut, take_put, NULL, ISTHMUS_MESSAGE_REQUEST | ISTHMUS_MESSAGE_LONG, sizeof(struct note)));
    OK(isthmus_message_register(kPutBack, take_back, NULL,
                                ISTHMUS_MESSAGE_REPLY | ISTHMUS_MESSAGE_LONG, sizeof(struct note)));
    OK(isthmus_message_register(kGot, got, &gets, ISTHMUS_MESSAGE_REPLY, sizeof(struct note)));
    OK(isthmus_message_register(kTurn, take_turn, NULL, 0, ISTHMUS_MESSAGE_ANY_ARGUMENTS));
    OK(isthmus_message_register(kShape, take_shape, NULL, ISTHMUS_MESSAGE_MEDIUM,
                                sizeof(struct note)));
    fill(published, kSpace, (uint64_t)me);
    isthmus_barrier();
    for (int pe = 0; pe < pes; ++pe)
        gets_from(pe); /* everybody at once, from PEs that do not poll for it */
    isthmus_barrier();
    static int64_t over;
    over = 0;
    isthmus_barrier();
    for (int sender = 0; sender < pes; ++sender) {
        if (sender == me) {
            for (int pe = 0; pe < pes; ++pe)
                puts_to(pe);
            for (int pe = 0; pe < pes; ++pe) {
                const int64_t next = sender + 1;
                OK(isthmus_symmetric_put(&over, &next, sizeof next, pe, NULL));
            }
        }
        wait_for(&over, sender + 1);
    }
    isthmus_barrier();
    refusals();
    try_only();
}

int main(void) {
    isthmus_init();
    session();
    isthmus_finalize();
    isthmus_init();
    session();
    isthmus_finalize();
    return 0;
}
