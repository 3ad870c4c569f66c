/* The guaranteed rows of docs/ordering.md, each many times: what must never be seen is looked for.
 *
 *     litmus TEST|all [ROUNDS]
 *
 * On two PEs: PE 0 initiates, PE 1 observes, in segments of both. To meet the processor at full
 * speed, rounds are not synchronised where that can be helped: the initiator counts them up, and
 * the observer looks at whatever has come. */
#include <sched.h>

#include "check.h"

enum { kRounds = 1000000, kLine = 64, kSlots = 32 };
static int me, rounds = kRounds;
static isthmus_segment at_one, at_zero; /* segments of PE 1 and PE 0 */
static isthmus_queue* queue;            /* of PE 1 */

static int64_t load(const isthmus_segment* segment, uint64_t offset) {
    int64_t word = 0;
    if (!is_far(segment))
        return __atomic_load_n((const int64_t*)(segment->base + offset), __ATOMIC_ACQUIRE);
    OK(isthmus_peek(segment, offset, &word, NULL));
    return word;
}

/* A PE that polls on a busy machine lets the other one run; between hosts, its own thread, too. */
static void give_way(unsigned* polls) {
    if (++*polls % 200 == 0 || is_far(me == 0 ? &at_one : &at_zero)) sched_yield();
}

/* put(s), posted atomic: whoever sees the atomic sees the puts. Data in several lines, of several
 * sizes, then an add; the observer polls the word with plain acquire loads, as an event does. Slots
 * are used again once the observer has said (by the same means) that it is done with them. */
static void put_then_posted(int (*post)(const isthmus_segment*, uint64_t, int64_t), int adds) {
    enum { kData = 1024, kStride = 4 * kLine, kSignal = 0, kDone = 128 };
    unsigned polls = 0;
    if (me == 0) {
        int64_t data[20];
        for (int round = 1; round <= rounds; ++round) {
            const uint64_t slot = kData + (uint64_t)(round % kSlots) * kStride;
            while (load(&at_zero, kDone) < round - kSlots + 1)
                give_way(&polls);
            for (int i = 0; i < 20; ++i)
                data[i] = round;
            isthmus_event event;
            OK(isthmus_put(data, &at_one, slot, sizeof data, &event));
            OK(isthmus_put(data, &at_one, slot + 3 * kLine, 8, &event));
            OK(post(&at_one, kSignal, adds ? 1 : round));
        }
        while (load(&at_zero, kDone) < rounds)
            give_way(&polls);
    } else {
        for (int64_t seen = 0; seen < rounds;) {
            const int64_t now = load(&at_one, kSignal);
            if (now == seen) {
                give_way(&polls);
                continue;
            }
            for (int64_t round = seen + 1; round <= now; ++round) {
                const uint64_t slot = kData + (uint64_t)(round % kSlots) * kStride;
                const int64_t* const data = (const int64_t*)(at_one.base + slot);
                for (int i = 0; i < 20; ++i)
                    CHECK(data[i] == round);
                CHECK(*(const int64_t*)(at_one.base + slot + 3 * kLine) == round);
            }
            seen = now;
            OK(isthmus_poke(&at_zero, kDone, seen));
        }
    }
}
static int postadd(const isthmus_segment* s, uint64_t o, int64_t v) {
    return isthmus_postadd(s, o, v);
}
static int poke(const isthmus_segment* s, uint64_t o, int64_t v) {
    return isthmus_poke(s, o, v);
}
static int fetching(const isthmus_segment* s, uint64_t o, int64_t v) {
    int64_t before;
    return isthmus_fetchadd(s, o, v, &before, NULL);
}
static void put_postadd(void) {
    put_then_posted(postadd, 1);
}
static void put_poke(void) {
    put_then_posted(poke, 0);
}
static void put_fetchadd(void) {
    put_then_posted(fetching, 1);
}
static void put_postmax(void) {
    put_then_posted(isthmus_postmax, 0);
}
/* A strided put is a put. */
static int strided_before(const isthmus_segment* s, uint64_t o, int64_t v) {
    (void)v;
    int64_t twice[2];
    OK(isthmus_peek(s, o, &twice[0], NULL));
    twice[0] = twice[1] = twice[0] + 1;
    OK(isthmus_put_strided(twice, 8, s, 512, kLine, 8, 2, NULL));
    return isthmus_postadd(s, o, 1);
}
static void strided_postadd(void) {
    put_then_posted(strided_before, 1);
    if (me == 1) {
        CHECK(load(&at_one, 512) == rounds);
        CHECK(load(&at_one, 512 + kLine) == rounds);
    }
}

/* put, put: the buffer is mine again when its event is true, and the events come true in order. */
static void put_local(void) {
    unsigned char buffer[256];
    isthmus_event first, second;
    if (me == 0) {
        for (int round = 0; round < rounds; ++round) {
            /* The puts before may come behind those that are looked at. */
            if (round % 64 == 0) OK(isthmus_fence(&at_one, NULL));
            memset(buffer, round, sizeof buffer);
            OK(isthmus_put(buffer, &at_one, 1024, sizeof buffer, &first));
            OK(isthmus_put(buffer, &at_one, 2048, 16, &second));
            OK(isthmus_event_wait(&second));
            CHECK(isthmus_event_test(&first)); /* strictly in order */
            buffer[0] = 0xff;                  /* mine again */
            if (round % 64 == 0) {
                OK(isthmus_fence(&at_one, NULL));
                unsigned char copy[2049];
                const unsigned char* const bytes = bytes_of(&at_one, copy, sizeof copy);
                CHECK(bytes[1024] == (unsigned char)round);
                CHECK(bytes[2048] == (unsigned char)round);
            }
        }
    }
}

/* One event for puts and a get, of different segments, waited for once: all are complete. The get
 * is of what the round before has put and fenced: it may overtake the put of its own. */
static void one_event(void) {
    unsigned char buffer[64], got[64];
    if (me == 0) {
        for (int round = 0; round < rounds; ++round) {
            isthmus_event event;
            const uint64_t place = 1024 + (uint64_t)(round % 2) * sizeof buffer;
            const uint64_t before = 1024 + (uint64_t)((round + 1) % 2) * sizeof buffer;
            memset(buffer, round, sizeof buffer);
            OK(isthmus_put(buffer, &at_one, place, sizeof buffer, &event));
            OK(isthmus_put(buffer, &at_zero, place, sizeof buffer, &event));
            OK(isthmus_get(got, &at_one, before, sizeof got, &event));
            OK(isthmus_event_wait(&event));
            for (int i = 0; i < 64 && round > 0; i += 21)
                CHECK(got[i] == (unsigned char)(round - 1));
            memset(buffer, 0xff, sizeof buffer);
            memset(got, 0xff, sizeof got);
            OK(isthmus_fence(&at_one, NULL));
        }
    }
}

/* get, get of one segment: in order. The writer moves the second word on first (poke, poke), so a
 * reader that gets the first one and then the second never finds the second behind. */
static void get_get(void) {
    unsigned polls = 0;
    if (me == 0) {
        for (int64_t round = 1; load(&at_zero, 0) == 0; ++round) {
            OK(isthmus_poke(&at_one, 8 * kLine, round));
            OK(isthmus_poke(&at_one, 2 * kLine, round));
            if (round % 1000 == 0) sched_yield();
        }
    } else {
        int64_t first = 0, second = 0;
        for (int looks = 0; looks < rounds || first == 0; ++looks) {
            isthmus_event event, later;
            OK(isthmus_get(&first, &at_one, 2 * kLine, 8, &event));
            OK(isthmus_get(&second, &at_one, 8 * kLine, 8, &later));
            OK(isthmus_event_wait(&later));
            CHECK(isthmus_event_test(&event));
            CHECK(second >= first);
            if (first == 0) give_way(&polls);
        }
        OK(isthmus_poke(&at_zero, 0, 1));
    }
}

/* atomic, atomic to one segment: seen in order. */
static void atomic_atomic(void) {
    unsigned polls = 0;
    if (me == 0) {
        for (int64_t round = 1; load(&at_zero, 0) == 0; ++round) {
            OK(isthmus_postadd(&at_one, 8 * kLine, 1));
            OK(isthmus_poke(&at_one, 4 * kLine, round));
            OK(isthmus_postor(&at_one, 6 * kLine, 1));
            OK(isthmus_postadd(&at_one, 2 * kLine, 1));
            if (round % 1000 == 0) sched_yield();
        }
    } else {
        int64_t a = 0, b = 0, c = 0;
        for (int looks = 0; looks < rounds || a == 0; ++looks) {
            OK(isthmus_peek(&at_one, 2 * kLine, &a, NULL));
            OK(isthmus_peek(&at_one, 4 * kLine, &b, NULL));
            OK(isthmus_peek(&at_one, 8 * kLine, &c, NULL));
            CHECK(a <= b && b <= c);
            if (a > 0) CHECK(load(&at_one, 6 * kLine) == 1);
            if (a == 0) give_way(&polls);
        }
        OK(isthmus_poke(&at_zero, 0, 1));
    }
}

/* What PE 0 has found, at PE 1. */
static const int64_t* exchange_findings(const int64_t* seen, uint64_t bytes) {
    static int64_t theirs[1 << 20];
    isthmus_segment findings;
    isthmus_barrier();
    CHECK(bytes <= sizeof theirs);
    if (me == 0) OK(isthmus_segment_create(&findings, 77, NULL, bytes, 0));
    if (me == 0) OK(isthmus_put(seen, &findings, 0, bytes, NULL));
    isthmus_barrier();
    if (me == 1) {
        OK(isthmus_segment_clone(&findings, 77, -1));
        OK(isthmus_get(theirs, &findings, 0, bytes, NULL));
    }
    isthmus_barrier();
    OK(isthmus_segment_destroy(&findings));
    return theirs;
}

/* put, fence, get: read-after-write, and two PEs that each put, fence and get the other's word:
 * one of them must see the other's put (with stores alone both may miss). */
static void fence_visible(void) {
    const isthmus_segment* const other = me == 0 ? &at_one : &at_zero;
    const isthmus_segment* const mine = me == 0 ? &at_zero : &at_one;
    static int64_t seen[1 << 20];
    const int most = rounds < 1 << 20 ? rounds : 1 << 20;
    unsigned polls = 0;
    for (int round = 1; round <= most; ++round) {
        const int64_t value = round;
        /* Both begin a round together, as nearly as may be. */
        OK(isthmus_poke(other, 20 * kLine, round));
        while (load(mine, 20 * kLine) < round)
            give_way(&polls);
        OK(isthmus_put(&value, other, 22 * kLine, 8, NULL));
        OK(isthmus_fence(other, NULL));
        int64_t own = 0;
        OK(isthmus_get(&own, other, 22 * kLine, 8, NULL));
        CHECK(own == round);
        OK(isthmus_get(&seen[round - 1], mine, 22 * kLine, 8, NULL));
    }
    const int64_t* const theirs = exchange_findings(seen, sizeof seen);
    if (me == 1) {
        for (int round = 1; round <= most; ++round)
            CHECK(seen[round - 1] >= round || theirs[round - 1] >= round);
    }
}

/* atomic, atomic to two words of one segment: two PEs each write the own word with the first and
 * look at the other's with the second. One of them must see the other's. Word and value count the
 * rounds, so whatever writes has one more to add. */
typedef void (*pair)(uint64_t own, uint64_t others, int64_t round, int64_t* seen);
static void postadd_peek(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    (void)round;
    OK(isthmus_postadd(&at_one, own, 1));
    OK(isthmus_peek(&at_one, others, seen, NULL));
}
static void postmax_peek(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_postmax(&at_one, own, round));
    OK(isthmus_peek(&at_one, others, seen, NULL));
}
static void swap_peek(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_swap(&at_one, own, round, NULL, NULL));
    OK(isthmus_peek(&at_one, others, seen, NULL));
}
static void compare_swap_peek(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_compare_swap(&at_one, own, round - 1, round, NULL, NULL));
    OK(isthmus_peek(&at_one, others, seen, NULL));
}
static void fetchadd_fetchmax(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    (void)round;
    int64_t before;
    OK(isthmus_fetchadd(&at_one, own, 1, &before, NULL));
    OK(isthmus_fetchmax(&at_one, others, INT64_MIN, seen, NULL));
}
static void poke_fetchadd(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_poke(&at_one, own, round));
    OK(isthmus_fetchadd(&at_one, others, 0, seen, NULL));
}
static void poke_fetchor(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_poke(&at_one, own, round));
    OK(isthmus_fetchor(&at_one, others, 0, seen, NULL));
}
static void poke_fence_peek(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_poke(&at_one, own, round));
    OK(isthmus_fence(&at_one, NULL));
    OK(isthmus_peek(&at_one, others, seen, NULL));
}
/* A processor's loads overtake plain stores, so a poke must not be one. */
static void poke_peek(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_poke(&at_one, own, round));
    OK(isthmus_peek(&at_one, others, seen, NULL));
}
static void poke_fetchmax(uint64_t own, uint64_t others, int64_t round, int64_t* seen) {
    OK(isthmus_poke(&at_one, own, round));
    OK(isthmus_fetchmax(&at_one, others, INT64_MIN, seen, NULL)); /* writes nothing: a load */
}
static const struct {
    const char* name;
    pair run;
} kPairs[] = {
    {"postadd, peek", postadd_peek},
    {"postmax, peek", postmax_peek},
    {"swap, peek", swap_peek},
    {"compare_swap, peek", compare_swap_peek},
    {"fetchadd, fetchmax", fetchadd_fetchmax},
    {"poke, fetchadd", poke_fetchadd},
    {"poke, fetchor", poke_fetchor},
    {"poke, fence, peek", poke_fence_peek},
    {"poke, peek", poke_peek},
    {"poke, fetchmax", poke_fetchmax},
};
static void atomic_visible(void) {
    enum { kOwn = 24 * kLine, kMeet = 30 * kLine, kNext = 2 * kLine };
    const int pairs = (int)(sizeof kPairs / sizeof *kPairs);
    const uint64_t mine = (uint64_t)me * kNext, others = (uint64_t)(1 - me) * kNext;
    static int64_t seen[1 << 20];
    const int most = rounds < 1 << 20 ? rounds : 1 << 20;
    unsigned polls = 0;
    for (int round = 1; round <= most; ++round) {
        OK(isthmus_poke(&at_one, kMeet + mine, round));
        while (load(&at_one, kMeet + others) < round)
            give_way(&polls);
        kPairs[round % pairs].run(kOwn + mine, kOwn + others, round, &seen[round - 1]);
    }
    const int64_t* const theirs = exchange_findings(seen, sizeof seen);
    if (me == 0) return;
    long missed[sizeof kPairs / sizeof *kPairs] = {0};
    for (int round = 1; round <= most; ++round)
        missed[round % pairs] += seen[round - 1] < round && theirs[round - 1] < round;
    for (int i = 0; i < pairs; ++i) {
        if (missed[i] != 0)
            printf("%s: neither saw the other's in %ld of %d rounds\n", kPairs[i].name, missed[i],
                   most / pairs);
        CHECK(missed[i] == 0);
    }
}

/* Operations of a channel on either side of its fence, to different segments: the data goes to
 * PE 1, the flag to another segment, which PE 1 polls from afar. */
static void channel_fence(void) {
    enum { kData = 1024, kFlag = 256, kDone = 320 };
    unsigned polls = 0;
    if (me == 0) {
        isthmus_channel channel = ISTHMUS_CHANNEL_INIT;
        int64_t data[kSlots];
        for (int round = 1; round <= rounds; ++round) {
            const int slot = round % kSlots;
            while (load(&at_zero, kDone) < round - kSlots + 1)
                give_way(&polls);
            data[slot] = round;
            OK(isthmus_channel_put(&channel, &data[slot], &at_one, kData + (uint64_t)slot * kLine,
                                   8));
            OK(isthmus_channel_fence(&channel));
            OK(isthmus_channel_poke(&channel, &at_zero, kFlag, round));
        }
        OK(isthmus_channel_quiet(&channel));
        CHECK(channel.completed == 2 * (int64_t)rounds);
        while (load(&at_zero, kDone) < rounds)
            give_way(&polls);
    } else {
        for (int64_t seen = 0; seen < rounds;) {
            int64_t now = 0;
            OK(isthmus_peek(&at_zero, kFlag, &now, NULL));
            if (now == seen) {
                give_way(&polls);
                continue;
            }
            for (int64_t round = seen + 1; round <= now; ++round)
                CHECK(load(&at_one, kData + (uint64_t)(round % kSlots) * kLine) == round);
            seen = now;
            OK(isthmus_poke(&at_zero, kDone, seen));
        }
    }
}

/* put, channel_fence, get, likewise: one of the two must see the other's put. */
static void channel_fence_visible(void) {
    const isthmus_segment* const other = me == 0 ? &at_one : &at_zero;
    const isthmus_segment* const mine = me == 0 ? &at_zero : &at_one;
    static int64_t seen[1 << 20];
    const int most = rounds < 1 << 20 ? rounds : 1 << 20;
    isthmus_channel channel = ISTHMUS_CHANNEL_INIT;
    unsigned polls = 0;
    for (int round = 1; round <= most; ++round) {
        const int64_t value = round;
        OK(isthmus_poke(other, 24 * kLine, round));
        while (load(mine, 24 * kLine) < round)
            give_way(&polls);
        OK(isthmus_channel_put(&channel, &value, other, 26 * kLine, 8));
        OK(isthmus_channel_fence(&channel));
        OK(isthmus_channel_get(&channel, &seen[round - 1], mine, 26 * kLine, 8));
        OK(isthmus_channel_quiet(&channel));
    }
    const int64_t* const theirs = exchange_findings(seen, sizeof seen);
    if (me == 1) {
        for (int round = 1; round <= most; ++round)
            CHECK(seen[round - 1] >= round || theirs[round - 1] >= round);
    }
}

/* enqueue, enqueue by one producer: first in, first out, each message whole. */
static void enqueue_fifo(void) {
    int64_t message[12];
    if (me == 0) {
        for (int round = 0; round < rounds; ++round) {
            const int words = 1 + round % 12;
            for (int i = 0; i < words; ++i)
                message[i] = round;
            OK(isthmus_enqueue(queue, message, (uint64_t)words * 8, NULL));
        }
    } else {
        for (int round = 0; round < rounds; ++round) {
            const void* taken;
            uint64_t size;
            OK(isthmus_dequeue(queue, &taken, &size, 30));
            CHECK(size == (uint64_t)(1 + round % 12) * 8);
            const int64_t* const words = (const int64_t*)taken;
            for (uint64_t i = 0; i < size / 8; ++i)
                CHECK(words[i] == round);
            OK(isthmus_dequeue_release(queue));
        }
    }
}

/* put, fence, enqueue: whoever dequeues the message sees what was put. */
static void fence_enqueue(void) {
    enum { kData = 1024, kStride = 2 * kLine, kMany = 4096 };
    if (me == 0) {
        for (int64_t round = 0; round < rounds; ++round) {
            OK(isthmus_put(&round, &at_one, kData + (uint64_t)(round % kMany) * kStride, 8, NULL));
            OK(isthmus_fence(&at_one, NULL));
            OK(isthmus_enqueue(queue, &round, 8, NULL));
        }
    } else {
        for (int64_t round = 0; round < rounds; ++round) {
            const void* taken;
            uint64_t size;
            OK(isthmus_dequeue(queue, &taken, &size, 30));
            /* A later round may be there already, an earlier one not. */
            CHECK(load(&at_one, kData + (uint64_t)(round % kMany) * kStride) >= round);
            OK(isthmus_dequeue_release(queue));
        }
    }
}

/* An event that is seen to be true: what was put before the word was changed is visible. */
static void event_acquire(void) {
    enum { kData = 2048, kSignal = 64, kDone = 192 };
    isthmus_event event;
    for (int64_t round = 1; round <= rounds; ++round) {
        if (me == 0) {
            OK(isthmus_put(&round, &at_one, kData, 8, NULL));
            OK(isthmus_poke(&at_one, kSignal, round));
            OK(isthmus_event_arm(&event, (int64_t*)(at_zero.base + kDone), ISTHMUS_GE, round));
            OK(isthmus_event_wait(&event));
        } else {
            OK(isthmus_event_arm(&event, (int64_t*)(at_one.base + kSignal), ISTHMUS_GE, round));
            OK(isthmus_event_wait(&event));
            CHECK(*(volatile int64_t*)(at_one.base + kData) == round);
            OK(isthmus_poke(&at_zero, kDone, round));
        }
    }
}

static const struct {
    const char* name;
    void (*run)(void);
} kTests[] = {
    {"put_postadd", put_postadd},
    {"put_poke", put_poke},
    {"put_fetchadd", put_fetchadd},
    {"put_postmax", put_postmax},
    {"strided_postadd", strided_postadd},
    {"put_local", put_local},
    {"one_event", one_event},
    {"get_get", get_get},
    {"atomic_atomic", atomic_atomic},
    {"atomic_visible", atomic_visible},
    {"fence_visible", fence_visible},
    {"channel_fence", channel_fence},
    {"channel_fence_visible", channel_fence_visible},
    {"enqueue_fifo", enqueue_fifo},
    {"fence_enqueue", fence_enqueue},
    {"event_acquire", event_acquire},
};

int main(int argc, char** argv) {
    const char* const which = argc > 1 ? argv[1] : "all";
    if (argc > 2) rounds = atoi(argv[2]);
    isthmus_init();
    me = isthmus_pe();
    CHECK(isthmus_pes() == 2);
    int found = 0;
    for (unsigned i = 0; i < sizeof kTests / sizeof *kTests; ++i) {
        if (strcmp(which, "all") != 0 && strcmp(which, kTests[i].name) != 0) continue;
        ++found;
        /* Fresh, zeroed memory for each. */
        isthmus_segment mine;
        const uint64_t size = 1 << 20;
        OK(isthmus_segment_create(&mine, 10 + (uint64_t)me, NULL, size, 0));
        if (me == 1) OK(isthmus_queue_create(&queue, 50, 1 << 14));
        isthmus_barrier();
        OK(isthmus_segment_clone(&at_zero, 10, -1));
        OK(isthmus_segment_clone(&at_one, 11, -1));
        if (me == 0) OK(isthmus_queue_clone(&queue, 50, -1));
        isthmus_barrier();
        const double start = seconds_now(CLOCK_MONOTONIC);
        kTests[i].run();
        isthmus_barrier();
        if (me == 0)
            printf("%s: %d rounds, %.2f s\n", kTests[i].name, rounds,
                   seconds_now(CLOCK_MONOTONIC) - start);
        OK(isthmus_queue_destroy(queue, NULL));
        isthmus_barrier();
        OK(isthmus_segment_destroy(&mine));
        isthmus_barrier();
    }
    CHECK(found > 0);
    isthmus_finalize();
    return 0;
}
