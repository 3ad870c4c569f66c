/* Calls of active messages whose instructions are counted by callgrind, each in a function of its
 * own; from its total that of probe_empty, the return, is subtracted (message_counts.py). */
#include <isthmus.h>
#include <shmem.h>
#include <stdint.h>
#include <string.h>

#define PROBE __attribute__((noinline, noclone, used))
enum { kWarm = 3, kCalls = 10, kNothing = 1, kAnswers = 2, kSize = 4096 };

static int64_t go,
    there; /* symmetric: PE 1 sends when `go` says so, PE 0 finds it behind `there` */
static char landing[kSize];

static void nothing(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
}
static void answers(void* context, isthmus_message* message) {
    (void)context;
    isthmus_message_reply(message, kNothing, NULL, 0, 0);
}

PROBE int probe_empty(int pe) {
    __asm__ __volatile__("" ::"r"(pe));
    return 0;
}
PROBE void probe_short0(int pe) {
    isthmus_message_request(pe, kNothing, NULL, 0, 0);
    isthmus_message_poll();
}
PROBE void probe_short10(int pe, int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f,
                         int32_t g, int32_t h, int32_t i, int32_t j) {
    const int32_t arguments[] = {a, b, c, d, e, f, g, h, i, j};
    isthmus_message_request(pe, kNothing, arguments, sizeof arguments, 0);
    isthmus_message_poll();
}
PROBE void probe_medium512(int pe, const void* payload) {
    isthmus_message_request_medium(pe, kNothing, NULL, 0, payload, 512, 0);
    isthmus_message_poll();
}
PROBE void probe_long4096(int pe, const void* payload) {
    isthmus_message_request_long(pe, kNothing, NULL, 0, payload, 4096, landing, 0);
    isthmus_message_poll();
}
/* What a copy of as much takes by itself. */
PROBE void probe_put512(int pe, const void* payload) {
    shmem_putmem(landing, payload, 512, pe);
}
PROBE void probe_put4096(int pe, const void* payload) {
    shmem_putmem(landing, payload, 4096, pe);
}
/* Its handler has run when it returns. */
PROBE int probe_self(int pe) {
    return isthmus_message_request(pe, kNothing, NULL, 0, 0);
}
PROBE int probe_poll_idle(int pe) {
    (void)pe;
    return isthmus_message_poll();
}
PROBE int probe_poll_one(int pe) {
    (void)pe;
    return isthmus_message_poll();
}
PROBE int probe_poll_reply(int pe) {
    (void)pe;
    return isthmus_message_poll();
}

static void wait_for(const int64_t* word, int64_t value) {
    isthmus_event event;
    isthmus_event_arm(&event, word, ISTHMUS_GE, value);
    isthmus_event_wait(&event);
}
/* A request of PE 1's for this handler lies here when it returns. */
static void have_sent(int handler) {
    static int64_t times;
    const int64_t word = ++times * 4 + handler;
    isthmus_symmetric_put(&go, &word, sizeof word, 1, NULL);
    wait_for(&there, word);
}
static void send_when_told(void) {
    for (int64_t last = 0;;) {
        while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) == last)
            isthmus_message_poll();
        last = __atomic_load_n(&go, __ATOMIC_ACQUIRE);
        if (last < 0) return;
        isthmus_message_request(0, (int)(last % 4), NULL, 0, 0);
        isthmus_symmetric_put(&there, &last, sizeof last, 0, NULL);
    }
}

int main(void) {
    static char payload[kSize];
    shmem_init();
    isthmus_init();
    isthmus_message_register(kNothing, nothing, NULL, 0, ISTHMUS_MESSAGE_ANY_ARGUMENTS);
    isthmus_message_register(kAnswers, answers, NULL, ISTHMUS_MESSAGE_REQUEST, 0);
    isthmus_barrier();
    if (isthmus_pe() == 0) {
        for (int i = 0; i < kWarm + kCalls; ++i) {
            probe_empty(1);
            probe_short0(1);
            probe_short10(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
            probe_medium512(1, payload);
            probe_long4096(1, payload);
            probe_put512(1, payload);
            probe_put4096(1, payload);
            probe_self(0);
            probe_poll_idle(1);
            have_sent(kNothing);
            probe_poll_one(1);
            have_sent(kAnswers);
            probe_poll_reply(1);
        }
        const int64_t end = -1;
        isthmus_symmetric_put(&go, &end, sizeof end, 1, NULL);
    } else {
        send_when_told();
    }
    isthmus_barrier();
    isthmus_finalize();
    shmem_finalize();
    return 0;
}
