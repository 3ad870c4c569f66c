/* Kernels: what is refused where it is called, and what ends the job. */
#include "cases.h"

#include <isthmus/kernel.h>
#include <isthmus/message.h>

enum { kOwn = 5, kSegment = 4096, kOther = 1 };

static char bytes[1 << 15];
static int64_t words[16];
static isthmus_kernel_call to = {kOther, 0, 0, 0, words, 0};
static void (*inside)(const isthmus_kernel_message* message);
static int handled;

static void nothing(int kernel, void* context) {
    (void)kernel;
    (void)context;
}
static void handler(void* context, const isthmus_kernel_message* message) {
    (void)context;
    if (inside) inside(message);
    ++handled;
}

/* At kernel 0; kernel 1's segment may be read. */
#define REFUSED(name, call)                                               \
    static void name(int me, int pes) {                                   \
        (void)pes;                                                        \
        isthmus_kernel_attach(kSegment, me == kOther ? ISTHMUS_READ : 0); \
        isthmus_kernel_register(kOwn, handler, NULL);                     \
        isthmus_kernel_barrier();                                         \
        if (me == 0) sink = (call);                                       \
        isthmus_kernel_detach();                                          \
    }
#define SEND(name, member, value)              \
    static long name##_call(void) {            \
        to.member = (value);                   \
        return isthmus_kernel_send_short(&to); \
    }                                          \
    REFUSED(name, name##_call())
SEND(no_kernel, kernel, 2)
SEND(no_handler, handler, 256)
SEND(no_meaning, handler, 4)
SEND(arguments, argument_count, 16)
SEND(flags, flags, 2)
REFUSED(payload, isthmus_kernel_send_long(&to, bytes, (size_t)1 << 31, 0))
REFUSED(bounds, isthmus_kernel_get_long(&to, 4000, 97, 0))
REFUSED(own_bounds, isthmus_kernel_get_long(&to, 0, 16, 4081))
REFUSED(rights, isthmus_kernel_send_long(&to, bytes, 8, 0))
static const isthmus_kernel_blocks over = {0, 7, 8, 2}, two = {0, 8, 8, 2}, three = {0, 8, 8, 3},
                                   wide = {0, (uint64_t)1 << 63, 8, 3};
static const isthmus_kernel_range range = {0, 8};
static const isthmus_kernel_range ranges[2] = {{0, 8}, {8, 1}};
REFUSED(blocks, isthmus_kernel_get_strided(&to, &two, &over))
REFUSED(blocks_beyond, isthmus_kernel_get_strided(&to, &wide, &two))
REFUSED(totals, isthmus_kernel_get_strided(&to, &two, &three))
REFUSED(range_totals, isthmus_kernel_get_vectored(&to, &range, 1, ranges, 2))
REFUSED(twice, isthmus_kernel_attach(0, 0))
REFUSED(library_handler, isthmus_kernel_register(3, handler, NULL))
REFUSED(null_handler, isthmus_kernel_register(6, NULL, NULL))
REFUSED(taken, isthmus_kernel_register(kOwn, handler, NULL))
static isthmus_kernel_message message;
REFUSED(too_late, isthmus_kernel_reply(&message, kOwn, NULL, 0, NULL, 0))

static void attach_rights(int me, int pes) {
    (void)pes;
    if (me == 0) sink = isthmus_kernel_attach(0, 4);
}
static void no_room(int me, int pes) {
    (void)pes;
    isthmus_kernel_attach(me == 0 ? (uint64_t)1 << 50 : 0, 0);
}
static void not_attached(int me, int pes) {
    (void)pes;
    if (me == 0) sink = isthmus_kernel_detach();
}
static void before_attach(int me, int pes) {
    (void)pes;
    if (me == 0) sink = isthmus_kernel_id();
}
#define RUN(name, ...)                                                                     \
    static void name(int me, int pes) {                                                    \
        const isthmus_kernel_entry entries[] = {__VA_ARGS__};                              \
        (void)pes;                                                                         \
        if (me == 0) sink = isthmus_kernel_run(entries, sizeof entries / sizeof *entries); \
    }
RUN(entry_number, {-2, nothing, NULL, 0, 0})
RUN(entry_null, {0, NULL, NULL, 0, 0})
RUN(entry_twice, {ISTHMUS_KERNEL_ANY, nothing, NULL, 0, 0}, {1, nothing, NULL, 0, 0},
    {1, nothing, NULL, 0, 0})
RUN(no_entry, {1, nothing, NULL, 0, 0})

/* In a handler, of this kernel or of the other. */
static void in_handler(int me, int target, void (*what)(const isthmus_kernel_message*)) {
    inside = what;
    isthmus_kernel_attach(kSegment, 0);
    isthmus_kernel_register(kOwn, handler, NULL);
    isthmus_kernel_barrier();
    to.kernel = target;
    to.handler = kOwn;
    if (me == 0) sink = isthmus_kernel_send_short(&to);
    if (me == 0) isthmus_kernel_wait_replies(1, 20);
    isthmus_kernel_detach();
}
static void sends(const isthmus_kernel_message* seen) {
    (void)seen;
    sink = isthmus_kernel_send_short(&to);
}
static void waits(const isthmus_kernel_message* seen) {
    (void)seen;
    sink = isthmus_kernel_wait_counter(1, 1);
}
static void replies_twice(const isthmus_kernel_message* seen) {
    isthmus_kernel_reply(seen, 0, NULL, 0, NULL, 0);
    sink = isthmus_kernel_reply(seen, 0, NULL, 0, NULL, 0);
}
static void replies_4(const isthmus_kernel_message* seen) {
    sink = isthmus_kernel_reply(seen, 4, NULL, 0, NULL, 0);
}
static void replies_16(const isthmus_kernel_message* seen) {
    sink = isthmus_kernel_reply(seen, 0, words, 16, NULL, 0);
}
static void replies_long(const isthmus_kernel_message* seen) {
    sink = isthmus_kernel_reply(seen, 0, NULL, 0, bytes, 16385);
}
static void answers(const isthmus_kernel_message* seen) {
    sink = isthmus_kernel_reply(seen, kOwn, NULL, 0, NULL, 0);
}
#define INSIDE(name, target, what)      \
    static void name(int me, int pes) { \
        (void)pes;                      \
        in_handler(me, target, what);   \
    }
INSIDE(send_in_handler, 1, sends)
INSIDE(wait_in_handler, 1, waits)
INSIDE(reply_twice, 1, replies_twice)
INSIDE(reply_handler, 1, replies_4)
INSIDE(reply_arguments, 1, replies_16)
INSIDE(reply_payload, 1, replies_long)
INSIDE(reply_to_reply, 0, answers)

static void unregistered(int me, int pes) {
    (void)pes;
    isthmus_kernel_attach(0, 0);
    isthmus_kernel_barrier();
    to.handler = 7;
    if (me == 0) sink = isthmus_kernel_send_short(&to);
    isthmus_kernel_barrier();
}
static void left_lying(int me, int pes) {
    (void)pes;
    const size_t size = (size_t)100 << 20;
    isthmus_kernel_attach(0, 0);
    if (me == 0) {
        char* const payload = calloc(1, size);
        for (int i = 0; i < 3; ++i)
            sink = isthmus_kernel_send_medium(&to, payload, size);
        isthmus_kernel_wait_replies(3, 20);  // a barrier may be over before the last one is taken
    }
    isthmus_kernel_barrier();
}

const struct Case cases[] = {
    {"no_kernel", no_kernel},
    {"no_handler", no_handler},
    {"no_meaning", no_meaning},
    {"arguments", arguments},
    {"flags", flags},
    {"payload", payload},
    {"bounds", bounds},
    {"own_bounds", own_bounds},
    {"rights", rights},
    {"blocks", blocks},
    {"blocks_beyond", blocks_beyond},
    {"totals", totals},
    {"range_totals", range_totals},
    {"twice", twice},
    {"library_handler", library_handler},
    {"null_handler", null_handler},
    {"taken", taken},
    {"too_late", too_late},
    {"attach_rights", attach_rights},
    {"no_room", no_room},
    {"not_attached", not_attached},
    {"before_attach", before_attach},
    {"entry_number", entry_number},
    {"entry_null", entry_null},
    {"entry_twice", entry_twice},
    {"no_entry", no_entry},
    {"send_in_handler", send_in_handler},
    {"wait_in_handler", wait_in_handler},
    {"reply_twice", reply_twice},
    {"reply_handler", reply_handler},
    {"reply_arguments", reply_arguments},
    {"reply_payload", reply_payload},
    {"reply_to_reply", reply_to_reply},
    {"unregistered", unregistered},
    {"left_lying", left_lying},
    {NULL, NULL},
};
