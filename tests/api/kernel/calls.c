/* Every call of isthmus/kernel.h from each kernel to each, itself included: what arrives, at whom,
 * with which arguments, and how many replies are counted.
 *
 *   kernel_calls
 */
#include "check.h"

enum {
    kNote = 5, /* copies the message aside */
    kAsk = 6,  /* answers with kNote */
    kAskAll = 7,
    kUnused = 255,
    kSegment = 1 << 20,
    kInbox = 64 << 10, /* where each kernel writes, by its number */
    kRoom = 24 << 10,
};

static struct {
    isthmus_kernel_message message;
    int64_t arguments[ISTHMUS_KERNEL_ARGUMENTS];
    unsigned char payload[200000];
} noted;
static int64_t notes;

static void note(void* context, const isthmus_kernel_message* message) {
    CHECK(context == &noted);
    noted.message = *message;
    memcpy(noted.arguments, message->arguments, message->argument_count * sizeof(int64_t));
    CHECK(message->size <= sizeof noted.payload);
    if (message->size != 0) memcpy(noted.payload, message->payload, message->size);
    ++notes;
}
static void ask(void* context, const isthmus_kernel_message* message) {
    (void)context;
    OK(isthmus_kernel_reply(message, kNote, message->arguments, message->argument_count, NULL, 0));
    CHECK(isthmus_kernel_reply(message, kNote, NULL, 0, NULL, 0) == ISTHMUS_ARGUMENT);
}
static void ask_all(void* context, const isthmus_kernel_message* message) {
    const isthmus_kernel_call back = {message->source, kNote, 0, 0, NULL, 0};
    (void)context;
    CHECK(isthmus_kernel_send_short(&back) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_kernel_wait_replies(1, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_kernel_barrier() == ISTHMUS_ARGUMENT);
    CHECK(isthmus_kernel_poll() == -1);
    OK(isthmus_kernel_reply(message, kNote, NULL, 0, message->payload, message->size));
}

static unsigned char* segment;
static int me, kernels;

static unsigned char byte_of(int kernel, uint64_t offset, int turn) {
    return (unsigned char)(offset * 7 + offset / 251 + (uint64_t)kernel * 31 +
                           (uint64_t)turn * 101);
}
static void fill(unsigned char* bytes, uint64_t size, int kernel, int turn) {
    for (uint64_t i = 0; i < size; ++i)
        bytes[i] = byte_of(kernel, i, turn);
}
static int is_filled(const unsigned char* bytes, uint64_t size, int kernel, int turn) {
    for (uint64_t i = 0; i < size; ++i)
        if (bytes[i] != byte_of(kernel, i, turn)) return 0;
    return 1;
}
/* Until the next note. */
static void await_note(void) {
    static int64_t awaited;
    ++awaited;
    while (notes < awaited)
        isthmus_kernel_poll();
    CHECK(notes == awaited);
}
static uint64_t inbox(int kernel) {
    return kInbox + (uint64_t)kernel * kRoom;
}
static const int64_t words[ISTHMUS_KERNEL_ARGUMENTS] = {1, -2, INT64_MAX, INT64_MIN, 5,  6,  7,  8,
                                                        9, 10, 11,        12,        13, 14, -15};

static void check_note(int source, uint32_t token, size_t count, int is_answer) {
    CHECK(noted.message.source == source && noted.message.handler == kNote);
    CHECK(noted.message.token == token && noted.message.argument_count == count);
    CHECK((int)noted.message.is_answer == is_answer);
    CHECK(memcmp(noted.arguments, words, count * sizeof(int64_t)) == 0);
}

/* Kernel me sends to `to`, and gets the same from `from`. */
static void shorts(int to, int from) {
    for (size_t count = 0; count <= ISTHMUS_KERNEL_ARGUMENTS; ++count) {
        const isthmus_kernel_call call = {to, kNote, (uint32_t)(0xf0000000u + count),
                                          0,  words, count};
        OK(isthmus_kernel_send_short(&call));
        await_note();
        check_note(from, call.token, count, 0);
        CHECK(!noted.message.payload && noted.message.size == 0);
        OK(isthmus_kernel_wait_replies(1, 60));
        OK(isthmus_kernel_barrier());
    }
    const isthmus_kernel_call quiet = {to, kNote, 1, ISTHMUS_KERNEL_ASYNC, NULL, 0};
    OK(isthmus_kernel_send_short(&quiet));
    await_note();
    OK(isthmus_kernel_barrier());
    CHECK(isthmus_kernel_replies() == 0);
    CHECK(isthmus_kernel_wait_replies(1, 0.001) == ISTHMUS_TIMEOUT);
    OK(isthmus_kernel_barrier());
}

static void counters(int to) {
    const isthmus_kernel_call nothing = {to, ISTHMUS_KERNEL_NOTHING, 0, 0, words, 3};
    const isthmus_kernel_call reply = {to, ISTHMUS_KERNEL_REPLY, 0, ISTHMUS_KERNEL_ASYNC, NULL, 0};
    const isthmus_kernel_call arrive = {to, ISTHMUS_KERNEL_ARRIVE, 0, ISTHMUS_KERNEL_ASYNC, NULL,
                                        0};
    const int64_t parts[4] = {10, 20, -5, 0x100000000};
    const isthmus_kernel_call add = {to, ISTHMUS_KERNEL_ADD, 0, 0, parts, 4};
    OK(isthmus_kernel_send_short(&nothing));
    OK(isthmus_kernel_wait_replies(1, 60));
    CHECK(isthmus_kernel_replies() == 0);
    OK(isthmus_kernel_barrier());
    for (int i = 0; i < 5; ++i) {
        OK(isthmus_kernel_send_short(&reply));
        OK(isthmus_kernel_send_short(&arrive));
        OK(isthmus_kernel_send_short(&add));
    }
    OK(isthmus_kernel_wait_replies(10, 60));
    OK(isthmus_kernel_wait_arrivals(2, 60));
    OK(isthmus_kernel_wait_arrivals(3, 60));
    OK(isthmus_kernel_wait_counter(5 * INT64_C(0x100000019), 60));
    OK(isthmus_kernel_barrier());
    CHECK(isthmus_kernel_replies() == 0 && isthmus_kernel_arrivals() == 0);
    CHECK(isthmus_kernel_counter() == 0);
    OK(isthmus_kernel_barrier());
}

/* Sizes that the original loses: no multiple of 8, more than 8984, more than 32767. */
static const size_t sizes[] = {0, 1, 7, 8, 12, 100, 4096, 8976, 9001, 16384, 16385, 20000};
static const size_t large[] = {40000, 65536 + 13, 200000};

static void medium(int to, int from, size_t size, int turn) {
    static unsigned char payload[200000];
    const isthmus_kernel_call call = {to, kNote, (uint32_t)turn, 0, words, 4};
    fill(payload, size, me, turn);
    OK(isthmus_kernel_send_medium(&call, payload, size));
    memset(payload, 0, size);
    await_note();
    check_note(from, (uint32_t)turn, 4, 0);
    CHECK(noted.message.size == size && is_filled(noted.payload, size, from, turn));
    OK(isthmus_kernel_wait_replies(1, 60));
    OK(isthmus_kernel_barrier());
    /* From memory, with arguments, where the original loses 8 bytes; to the kernel itself. */
    isthmus_kernel_message message;
    const isthmus_kernel_call plain = {to, ISTHMUS_KERNEL_ADD, 77, 0, words, 2};
    fill(segment, size, me, turn + 1);
    OK(isthmus_kernel_send_medium_from(&plain, 0, size));
    OK(isthmus_kernel_receive(&message, 60));
    CHECK(message.source == from && message.token == 77 && message.argument_count == 2);
    CHECK(memcmp(message.arguments, words, 16) == 0 && message.size == size);
    CHECK(message.size == 0 || is_filled(message.payload, size, from, turn + 1));
    CHECK(isthmus_kernel_reply(&message, kNote, NULL, 0, NULL, 0) == ISTHMUS_ARGUMENT);
    OK(isthmus_kernel_wait_replies(1, 60));
    CHECK(isthmus_kernel_receive(&message, 0) == ISTHMUS_TIMEOUT);
    OK(isthmus_kernel_wait_counter(-1, 0)); /* 1 - 2, of H_ADD with a payload */
    OK(isthmus_kernel_barrier());
}

static void longs(int to, int from, size_t size, int turn) {
    const uint64_t there = inbox(me) + 3;
    unsigned char* const here = segment + inbox(from) + 3;
    static unsigned char payload[200000];
    /* The library's handlers: nothing is asked of the target's program. */
    const isthmus_kernel_call add = {to, ISTHMUS_KERNEL_ADD, 0, 0, words, 1};
    fill(payload, size, me, turn);
    OK(isthmus_kernel_send_long(&add, payload, size, there));
    OK(isthmus_kernel_wait_counter(1, 60));
    CHECK(is_filled(here, size, from, turn));
    OK(isthmus_kernel_wait_replies(1, 60));
    OK(isthmus_kernel_barrier());
    /* The program's. */
    const isthmus_kernel_call call = {to, kNote, 9, 0, words, 15};
    fill(segment, size, me, turn + 1);
    OK(isthmus_kernel_send_long_from(&call, 0, size, there));
    await_note();
    check_note(from, 9, 15, 0);
    CHECK(noted.message.size == size);
    CHECK(size == 0 || noted.message.payload == here);
    CHECK(is_filled(here, size, from, turn + 1));
    OK(isthmus_kernel_wait_replies(1, 60));
    OK(isthmus_kernel_barrier());
}

static void strided(int to, int from, int own) {
    /* 24 blocks of 10 become 8 of 30, from rows of 64 into rows of 50. */
    const isthmus_kernel_blocks source = {5, 64, 10, 24};
    const isthmus_kernel_blocks dest = {inbox(me) + 1, 50, 30, 8};
    const isthmus_kernel_call call = {to, own ? kNote : ISTHMUS_KERNEL_ARRIVE, 4, 0, words, 1};
    memset(segment + inbox(from), 0xee, 400);
    for (int i = 0; i < 240; ++i)
        segment[5 + i / 10 * 64 + i % 10] = byte_of(me, (uint64_t)i, 3);
    OK(isthmus_kernel_barrier());
    OK(isthmus_kernel_send_strided(&call, &source, &dest));
    if (own) {
        await_note();
        check_note(from, 4, 1, 0);
        CHECK(noted.message.size == 240);
        CHECK(noted.message.payload == segment + inbox(from) + 1);
    } else {
        OK(isthmus_kernel_wait_arrivals(1, 60));
    }
    const unsigned char* const here = segment + inbox(from);
    for (int i = 0; i < 8 * 50; ++i) {
        const int row = (i - 1) / 50, column = (i - 1) % 50;
        const int inside = i >= 1 && column < 30 && row < 8;
        CHECK(here[i] == (inside ? byte_of(from, (uint64_t)(row * 30 + column), 3) : 0xee));
    }
    OK(isthmus_kernel_wait_replies(1, 60));
    OK(isthmus_kernel_barrier());
}

static void vectored(int to, int from, int own) {
    /* 16 ranges, more than the original's 15, some empty, into 3; longer than its 4095 bytes. */
    isthmus_kernel_range source[16];
    uint64_t total = 0;
    for (uint64_t i = 0; i < 16; ++i) {
        source[i].offset = 20000 - i * 1100;
        source[i].size = i % 5 == 0 ? 0 : 600 + i;
        for (uint64_t k = 0; k < source[i].size; ++k)
            segment[source[i].offset + k] = byte_of(me, total + k, 8);
        total += source[i].size;
    }
    const uint64_t at = inbox(me);
    const isthmus_kernel_range dest[3] = {
        {at + 10000, 5000}, {at + 3, 100}, {at + 200, total - 5100}};
    const isthmus_kernel_call call = {to, own ? kNote : ISTHMUS_KERNEL_ARRIVE, 6, 0, words, 2};
    OK(isthmus_kernel_barrier());
    OK(isthmus_kernel_send_vectored(&call, source, 16, dest, 3));
    if (own) {
        await_note();
        check_note(from, 6, 2, 0);
        CHECK(noted.message.size == total);
        CHECK(noted.message.payload == segment + inbox(from) + 10000);
    } else {
        OK(isthmus_kernel_wait_arrivals(1, 60));
    }
    const unsigned char* const here = segment + inbox(from);
    for (uint64_t i = 0; i < total; ++i) {
        const uint64_t place = i < 5000 ? 10000 + i : i < 5100 ? 3 + i - 5000 : 200 + i - 5100;
        CHECK(here[place] == byte_of(from, i, 8));
    }
    OK(isthmus_kernel_wait_replies(1, 60));
    OK(isthmus_kernel_barrier());
}

/* Gets: the data come to who asks, and the other's memory is as it was. */
static void gets(int from, size_t size, int turn) {
    fill(segment, size, me, turn);
    OK(isthmus_kernel_barrier());
    const isthmus_kernel_call reply = {from, ISTHMUS_KERNEL_REPLY, 0, 0, NULL, 0};
    const isthmus_kernel_call own = {from, kNote, 11, 0, words, 15};
    const uint64_t to = kInbox * 6 + 5;
    memset(segment + to, 0, size);
    OK(isthmus_kernel_get_long(&reply, 0, size, to));
    OK(isthmus_kernel_wait_replies(1, 60));
    CHECK(is_filled(segment + to, size, from, turn));
    memset(segment + to, 0, size);
    OK(isthmus_kernel_get_long(&own, 0, size, to));
    await_note();
    check_note(from, 11, 15, 1);
    CHECK(noted.message.size == size && is_filled(segment + to, size, from, turn));
    CHECK(size == 0 || noted.message.payload == segment + to);
    OK(isthmus_kernel_get_medium(&own, 0, size));
    await_note();
    check_note(from, 11, 15, 1);
    CHECK(noted.message.size == size && is_filled(noted.payload, size, from, turn));
    isthmus_kernel_message message;
    OK(isthmus_kernel_get_medium(&reply, 0, size));
    OK(isthmus_kernel_receive(&message, 60));
    CHECK(message.source == from && message.is_answer && message.size == size);
    CHECK(size == 0 || is_filled(message.payload, size, from, turn));
    OK(isthmus_kernel_wait_replies(1, 0));
    CHECK(isthmus_kernel_replies() == 0);
    CHECK(is_filled(segment, size, me, turn));
    OK(isthmus_kernel_barrier());
}

static void gets_of_pieces(int from) {
    for (int i = 0; i < 240; ++i)
        segment[5 + i / 10 * 64 + i % 10] = byte_of(me, (uint64_t)i, 3);
    OK(isthmus_kernel_barrier());
    const isthmus_kernel_call reply = {from, ISTHMUS_KERNEL_REPLY, 0, 0, NULL, 0};
    const isthmus_kernel_call own = {from, kNote, 12, 0, NULL, 0};
    const uint64_t to = kInbox * 6;
    const isthmus_kernel_blocks source = {5, 64, 10, 24};
    const isthmus_kernel_blocks dest = {to, 50, 30, 8};
    for (int turn = 0; turn < 2; ++turn) {
        memset(segment + to, 0xee, 400);
        OK(isthmus_kernel_get_strided(turn ? &own : &reply, &source, &dest));
        if (turn)
            await_note();
        else
            OK(isthmus_kernel_wait_replies(1, 60));
        for (int i = 0; i < 400; ++i)
            CHECK(segment[to + (uint64_t)i] ==
                  (i % 50 < 30 ? byte_of(from, (uint64_t)(i / 50 * 30 + i % 50), 3) : 0xee));
    }
    CHECK(noted.message.size == 240);
    const isthmus_kernel_range ranges[2] = {{5 + 64, 10}, {5, 10}};
    const isthmus_kernel_range into[3] = {{to + 1000, 1}, {to + 10, 0}, {to + 1, 19}};
    OK(isthmus_kernel_get_vectored(&own, ranges, 2, into, 3));
    await_note();
    CHECK(noted.message.size == 20 && noted.message.payload == segment + to + 1000);
    CHECK(segment[to + 1000] == byte_of(from, 10, 3));
    for (uint64_t i = 1; i < 20; ++i)
        CHECK(segment[to + i] == byte_of(from, i < 10 ? 10 + i : i - 10, 3));
    OK(isthmus_kernel_barrier());
}

static void answers(int to) {
    static unsigned char payload[5000];
    const isthmus_kernel_call call = {to, kAsk, 99, 0, words, 3};
    OK(isthmus_kernel_send_short(&call));
    await_note();
    check_note(to, 99, 3, 1);
    OK(isthmus_kernel_wait_replies(1, 60));
    const isthmus_kernel_call echo = {to, kAskAll, 98, 0, NULL, 0};
    fill(payload, sizeof payload, me, 4);
    OK(isthmus_kernel_send_medium(&echo, payload, sizeof payload));
    await_note();
    check_note(to, 98, 0, 1);
    CHECK(noted.message.size == sizeof payload && is_filled(noted.payload, sizeof payload, me, 4));
    OK(isthmus_kernel_wait_replies(1, 60));
    OK(isthmus_kernel_barrier());
}

/* What nobody has waited for is in its place behind a barrier. */
static void behind_barrier(int to, int from) {
    static unsigned char payload[3000];
    const isthmus_kernel_call call = {to, ISTHMUS_KERNEL_NOTHING, 0, ISTHMUS_KERNEL_ASYNC, NULL, 0};
    for (int turn = 0; turn < 5; ++turn) {
        fill(payload, sizeof payload, me, turn);
        OK(isthmus_kernel_send_long(&call, payload, sizeof payload, inbox(me)));
        OK(isthmus_kernel_barrier());
        CHECK(is_filled(segment + inbox(from), sizeof payload, from, turn));
        OK(isthmus_kernel_barrier());
    }
}

/* All at once: no reply is lost, and none too many. */
static void many(void) {
    static unsigned char payload[300];
    const int turns = 200;
    for (int i = 0; i < turns; ++i) {
        for (int to = 0; to < kernels; ++to) {
            const isthmus_kernel_call own = {to, kUnused, 0, 0, words, (size_t)(i % 8)};
            const isthmus_kernel_call add = {to, ISTHMUS_KERNEL_ADD, 0, 0, words, 1};
            const isthmus_kernel_call get = {to, ISTHMUS_KERNEL_REPLY, 0, 0, NULL, 0};
            OK(isthmus_kernel_send_medium(&own, payload, (size_t)(i % 300)));
            OK(isthmus_kernel_send_long(&add, payload, sizeof payload, inbox(me)));
            OK(isthmus_kernel_get_long(&get, 0, 64, kInbox * 6));
        }
    }
    OK(isthmus_kernel_wait_replies((uint64_t)(3 * turns * kernels), 100));
    OK(isthmus_kernel_wait_counter(turns * kernels, 100));
    OK(isthmus_kernel_barrier());
    CHECK(isthmus_kernel_replies() == 0 && isthmus_kernel_counter() == 0);
    OK(isthmus_kernel_barrier());
}
static void count(void* context, const isthmus_kernel_message* message) {
    *(int64_t*)context += (int64_t)message->size + 1;
}

static void run(int kernel, void* context) {
    int64_t counted = 0;
    (void)context;
    me = isthmus_kernel_id();
    kernels = isthmus_kernel_count();
    segment = isthmus_kernel_segment();
    CHECK(kernel == me && isthmus_kernel_segment_bytes(me) == kSegment);
    CHECK(isthmus_kernel_segment_bytes(kernels) == 0 && isthmus_kernel_segment_bytes(-1) == 0);
    for (int i = 0; i < kSegment; ++i)
        CHECK(segment[i] == 0);
    OK(isthmus_kernel_register(kNote, note, &noted));
    OK(isthmus_kernel_register(kAsk, ask, NULL));
    OK(isthmus_kernel_register(kAskAll, ask_all, NULL));
    OK(isthmus_kernel_register(kUnused, count, &counted));
    OK(isthmus_kernel_barrier());
    for (int step = 0; step < kernels; ++step) {
        const int to = (me + step) % kernels, from = (me + kernels - step) % kernels;
        shorts(to, from);
        counters(to);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            medium(to, from, sizes[i], (int)i);
            longs(to, from, sizes[i], (int)i);
            gets(to, sizes[i], (int)i);
        }
        for (int own = 0; own < 2; ++own) {
            strided(to, from, own);
            vectored(to, from, own);
        }
        gets_of_pieces(to);
        answers(to);
        behind_barrier(to, from);
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; ++i) {
        const int to = (me + 1) % kernels, from = (me + kernels - 1) % kernels;
        medium(to, from, large[i], (int)i);
        gets(to, large[i], (int)i);
    }
    many();
    CHECK(counted != 0);
}

int main(void) {
    const isthmus_kernel_entry entry = {ISTHMUS_KERNEL_ANY, run, NULL, kSegment, 0};
    return isthmus_kernel_run(&entry, 1) == ISTHMUS_OK ? 0 : 1;
}
