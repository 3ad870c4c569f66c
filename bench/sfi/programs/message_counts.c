/* Calls of messages on one host whose instructions are counted (counts.c): a poll with nothing
 * there, however many PEs there are, and a strided message to PE 1 beside the put of the same
 * blocks. */
#include <isthmus.h>
#include <shmem.h>

#include "marks.h"

enum { kHandler = 1, kBlocks = 64, kApart = 4 };

static void nothing(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
}

static int (*volatile poll_messages)(void) = isthmus_message_poll;
static int (*volatile strided)(int, int, const void*, size_t, const isthmus_message_blocks*,
                               const isthmus_message_blocks*,
                               unsigned) = isthmus_message_request_strided;
static void (*volatile iput)(long*, const long*, ptrdiff_t, ptrdiff_t, size_t,
                             int) = shmem_long_iput;

int main(void) {
    shmem_init();
    isthmus_init();
    isthmus_message_register(kHandler, nothing, NULL, 0, ISTHMUS_MESSAGE_ANY_ARGUMENTS);
    long* const there = (long*)shmem_calloc(kBlocks * kApart, sizeof *there);
    long* const end = (long*)shmem_calloc(1, sizeof *end);
    static long here[kBlocks * kApart];
    const isthmus_message_blocks source = {here, kApart * sizeof *here, sizeof *here, kBlocks};
    const isthmus_message_blocks dest = {there, kApart * sizeof *there, sizeof *there, kBlocks};
    isthmus_barrier();
    if (shmem_my_pe() == 0) {
        const int is_many = shmem_n_pes() > 2;
        CASE(is_many ? "idle_poll_many" : "idle_poll", poll_messages(), poll_messages())
        if (!is_many) {
            CASE("strided64", poll_messages(), strided(1, kHandler, NULL, 0, &source, &dest, 0))
            CASE("near_iput64", poll_messages(), iput(there, here, kApart, kApart, kBlocks, 1))
        }
        shmem_long_p(end, 1, 1);
    } else if (shmem_my_pe() == 1) {
        while (!__atomic_load_n(end, __ATOMIC_ACQUIRE)) {
            isthmus_message_poll();
            usleep(200);
        }
    }
    isthmus_barrier();
    isthmus_finalize();
    shmem_finalize();
    return 0;
}
