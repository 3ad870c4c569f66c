/* Times of active messages. Without an argument, on one host, where PE 1 is the target:
 *
 *     op=round_trip ns=... before=... after=...  a short request and its reply, in a short batch,
 * between two batches of a line there and a line back op=rate1 ns=... before=... after=... short
 * requests of PE 0 to PE 1 between two batches of lines op=rate2 ns=... before=... after=... of PEs
 * 0 and 2, with 3 PEs
 *
 * With `far`: the round trip alone, as times.h prints. Lines are handed over as fast as two
 * processes can that need nothing else: each sender has a ring of its own, data and stamp share a
 * line, and either side looks at the other's place only when it has used up what it knew of. */
#include "../../one-host/programs/common.h"
#include "times.h"

#include <isthmus.h>

enum { kPing = 1, kPong, kCount, kLines = 1024, kTrips = 100, kMessages = 4000, kPatience = 1000 };
enum { kNear = 40, kCells = 1 << 14 /* of a ring of messages */, kPayloads = 66 };

static int me;
static volatile long pings, pongs, counted;

static void ping(void* context, isthmus_message* message) {
    (void)context;
    ++pings;
    isthmus_message_reply(message, kPong, NULL, 0, 0);
}
static void pong(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++pongs;
}
static void count(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++counted;
}

static void round_trip(void) {
    const long before = pongs;
    isthmus_message_request(1, kPing, NULL, 0, 0);
    while (pongs == before)
        isthmus_message_poll();
}

/* PE 1 answers until PE 0 has set `end`. */
static long* end;
static void answer(long round) {
    while (__atomic_load_n(end, __ATOMIC_ACQUIRE) < round)
        isthmus_message_poll();
}

struct line {
    uint64_t stamp;
    uint64_t data[7];
} __attribute__((aligned(64)));
struct ring {
    struct line lines[kLines];
    uint64_t taken __attribute__((aligned(128))); /* by the target */
    uint64_t sent __attribute__((aligned(128)));  /* the sender's own */
    uint64_t known_taken;
    uint64_t found __attribute__((aligned(128))); /* the target's own */
} __attribute__((aligned(128)));

/* Where there are more PEs than processors, a side that finds nothing for long gives way. */
static void wait_a_little(int* waited) {
    if (++*waited < kPatience) return;
    *waited = 0;
    sched_yield();
}
static void send_lines(struct ring* ring, int lines) {
    int waited = 0;
    for (int i = 0; i < lines; ++i) {
        const uint64_t number = ring->sent++;
        while (number - ring->known_taken == kLines) {
            ring->known_taken = __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE);
            if (number - ring->known_taken == kLines) wait_a_little(&waited);
        }
        struct line* const line = ring->lines + number % kLines;
        for (int k = 0; k < 7; ++k)
            line->data[k] = number + (uint64_t)k;
        __atomic_store_n(&line->stamp, number + 1, __ATOMIC_RELEASE);
    }
}
/* Takes what has come, up to a quarter of a ring, and says so once. */
static int take_lines(struct ring* ring) {
    volatile uint64_t sum = 0;
    int taken = 0;
    for (; taken < kLines / 4; ++taken) {
        struct line* const line = ring->lines + ring->found % kLines;
        if (__atomic_load_n(&line->stamp, __ATOMIC_ACQUIRE) != ring->found + 1) break;
        sum += line->data[6];
        ++ring->found;
    }
    if (taken != 0) __atomic_store_n(&ring->taken, ring->found, __ATOMIC_RELEASE);
    return taken;
}

/* Nanoseconds an item, from the moment the first PE has begun, as seen by the target. */
static double* begins; /* a line for each PE, in plain memory */
static double time_of(double begin, int senders) {
    const double end_of_all = now_ns();
    begins[8 * me] = begin;
    shmem_barrier_all();
    for (int pe = 0; pe <= senders; ++pe)
        if (begins[8 * pe] < begin) begin = begins[8 * pe];
    shmem_barrier_all();
    return (end_of_all - begin) / ((double)senders * kMessages);
}
static double lines_time(struct ring* rings, int senders) {
    shmem_barrier_all();
    const double begin = now_ns();
    if (me == 1) {
        int waited = 0;
        for (long left = (long)senders * kMessages; left > 0;) {
            int taken = take_lines(rings);
            if (senders == 2) taken += take_lines(rings + 1);
            left -= taken;
            if (taken == 0) wait_a_little(&waited);
        }
    } else {
        send_lines(rings + me / 2, kMessages);
    }
    return time_of(begin, senders);
}
static double messages_time(int senders) {
    shmem_barrier_all();
    const double begin = now_ns();
    if (me == 1) {
        int waited = 0;
        const long all = counted + (long)senders * kMessages;
        while (counted < all) {
            if (isthmus_message_poll() == 0) wait_a_little(&waited);
        }
    } else {
        for (int i = 0; i < kMessages; ++i)
            isthmus_message_request(1, kCount, NULL, 0, 0);
    }
    return time_of(begin, senders);
}

/* Every cell of the rings once: the system gives out the pages that they lie in as these are first
 * touched, 4 us for each 64 messages of a first lap. The lines beside them have theirs, too.
 * Payloads first, which go by the ring of requests as a stream of short ones does not. */
static void touch_rings(void) {
    int waited = 0;
    static char payload[1 << 14];
    shmem_barrier_all();
    if (me == 1) {
        while (pings < (shmem_n_pes() - 1L) * kPayloads) {
            if (isthmus_message_poll() == 0) wait_a_little(&waited);
        }
        pings = 0;
    } else {
        for (int i = 0; i < kPayloads; ++i)
            isthmus_message_request_medium(1, kPing, NULL, 0, payload, sizeof payload, 0);
        while (pongs < kPayloads) {
            if (isthmus_message_poll() == 0) wait_a_little(&waited);
        }
        pongs = 0;
    }
    shmem_barrier_all();
    if (me == 1) {
        while (pings < (shmem_n_pes() - 1L) * kCells) {
            if (isthmus_message_poll() == 0) wait_a_little(&waited);
        }
    } else {
        for (int i = 0; i < kCells; ++i)
            isthmus_message_request(1, kPing, NULL, 0, 0);
        while (pongs < kCells) {
            if (isthmus_message_poll() == 0) wait_a_little(&waited);
        }
    }
    shmem_barrier_all();
}

static void measure_rate(struct ring* rings, int senders) {
    for (int batch = -3; batch < kNear; ++batch) {
        const double before = lines_time(rings, senders);
        const double ns = messages_time(senders);
        const double after = lines_time(rings, senders);
        if (me == 1 && batch >= 0)
            printf("op=rate%d ns=%.2f before=%.2f after=%.2f\n", senders, ns, before, after);
    }
}
static void measure_round_trip(volatile uint64_t* raw) {
    for (int batch = -3; batch < kNear; ++batch) {
        shmem_barrier_all();
        const double before = 2 * raw_one_way(raw, kTrips);
        double ns = 0;
        if (me == 0) {
            const double begin = now_ns();
            for (int i = 0; i < kTrips; ++i)
                round_trip();
            ns = (now_ns() - begin) / kTrips;
            shmem_long_p(end, batch + 4, 1);
        } else {
            answer(batch + 4);
        }
        const double after = 2 * raw_one_way(raw, kTrips);
        if (me == 0 && batch >= 0)
            printf("op=round_trip ns=%.2f before=%.2f after=%.2f\n", ns, before, after);
    }
}

int main(int argc, char** argv) {
    const int is_far = argc > 1 && strcmp(argv[1], "far") == 0;
    shmem_init();
    isthmus_init();
    me = shmem_my_pe();
    pin_to_core(me);
    isthmus_message_register(kPing, ping, NULL, ISTHMUS_MESSAGE_REQUEST, 0);
    isthmus_message_register(kPong, pong, NULL, ISTHMUS_MESSAGE_REPLY, 0);
    isthmus_message_register(kCount, count, NULL, 0, 0);
    end = (long*)shmem_calloc(1, sizeof *end);
    shmem_barrier_all();
    if (is_far) {
        if (me == 0) {
            TIMED("round_trip", 50, round_trip(), (void)0);
            shmem_long_p(end, 1, 1);
            shmem_quiet();
        } else {
            answer(1);
        }
    } else {
        char* const plain = plain_memory(4096 + 2 * sizeof(struct ring));
        struct ring* const rings = (struct ring*)(plain + 4096);
        begins = (double*)(plain + 2048);
        touch_rings();
        if (shmem_n_pes() == 2) measure_round_trip((volatile uint64_t*)plain);
        measure_rate(rings, shmem_n_pes() - 1);
    }
    shmem_barrier_all();
    isthmus_finalize();
    shmem_finalize();
    return 0;
}
