// Every xBGAS instruction between the nodes of a machine, each result checked against plain C. Exit
// code 0 if all is well, else the number of the line that found otherwise.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xbgas.h>

static uint64_t me, nodes, shared;

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("node %d: line %d: %s\n", (int)me, __LINE__, #condition); \
            exit(__LINE__ % 125 + 1);                                        \
        }                                                                    \
    } while (0)

// A counter on node 0: arrive, then wait for the round to be full.
static void barrier(void) {
    static int64_t round;
    volatile int64_t* counter = (int64_t*)(shared + 8);
    ++round;
    xbgas_fence();
    xbgas_eamoadd_d_aqrl(1, counter, 1);
    while (xbgas_erld(1, counter) < round * (int64_t)nodes)
        __asm__ volatile(".4byte 0x0100000f");  // pause
}

struct Cells {
    int64_t d, d2;
    int32_t w, w2;
    int16_t h, h2;
    int8_t b, b2;
};

#define AMO(suffix, type, member, name, expression)                                   \
    do {                                                                              \
        const type old = cells->member;                                               \
        const type operand = (type)(0x123456789abcdef5u * (me + 3));                  \
        (void)old;                                                                    \
        const type from = (type)xbgas_erld(ns, &remote->d2);                          \
        if (sizeof(type) == 8)                                                        \
            xbgas_ersd(ns, &remote->member, from);                                    \
        else                                                                          \
            xbgas_ersw(ns, (void*)&remote->member, (int32_t)from);                    \
        const type got = (type)xbgas_##name##_##suffix(ns, &remote->member, operand); \
        CHECK(got == from);                                                           \
        const type a = from, b = operand;                                             \
        const type now = (type)(sizeof(type) == 8 ? xbgas_erld(ns, &remote->member)   \
                                                  : xbgas_erlw(ns, &remote->member)); \
        CHECK(now == (type)(expression));                                             \
    } while (0)

#define ALL_AMOS(suffix, type, utype, member)                           \
    AMO(suffix, type, member, eamoswap, (b));                           \
    AMO(suffix, type, member, eamoadd, ((utype)a + (utype)b));          \
    AMO(suffix, type, member, eamoxor, (a ^ b));                        \
    AMO(suffix, type, member, eamoand, (a & b));                        \
    AMO(suffix, type, member, eamoor, (a | b));                         \
    AMO(suffix, type, member, eamomin, (a < b ? a : b));                \
    AMO(suffix, type, member, eamomax, (a > b ? a : b));                \
    AMO(suffix, type, member, eamominu, ((utype)a < (utype)b ? a : b)); \
    AMO(suffix, type, member, eamomaxu, ((utype)a > (utype)b ? a : b))

int main(void) {
    me = XBGAS_READ_E(10);
    nodes = XBGAS_READ_E(11);
    shared = XBGAS_READ_E(13);
    CHECK(XBGAS_READ_E(12) >= 65536);
    CHECK(XBGAS_READ_E(14) == shared + XBGAS_READ_E(12));
    CHECK(me < nodes);

    // Address management; e0 stays zero.
    XBGAS_WRITE_E(20, 1234567890123456789);
    CHECK(XBGAS_READ_E(20) == 1234567890123456789);
    XBGAS_WRITE_E(0, 77);
    CHECK(XBGAS_READ_E(0) == 0);
    uint64_t value;
    __asm__ volatile(".insn i 0x03, 7, x21, x20, -5\n\t.insn i 0x7b, 6, %0, x21, 3"
                     : "=r"(value));  // eaddix, eaddi
    CHECK(value == 1234567890123456787);

    struct Cells* cells =
        (struct Cells*)(shared + 4096 +
                        64 * ((me + nodes - 1) % nodes));  // those the left node owns here
    const uint64_t right = (me + 1) % nodes, ns = xbgas_namespace((int)right);
    struct Cells* remote =
        (struct Cells*)(shared + 4096 + 64 * me);  // mine, in the memory of the node to the right
    memset(cells, 0x5a, sizeof *cells);
    barrier();

    // Stores of every width in both forms, read back by the owner.
    xbgas_ersd(ns, &remote->d, -(int64_t)me - 1);
    xbgas_esd(ns, &remote->d2, (int64_t)0x8000000000000001 + (int64_t)me);
    xbgas_ersw(ns, &remote->w, -7);
    xbgas_esw(ns, &remote->w2, 0x7fffffff);
    xbgas_ersh(ns, &remote->h, -300);
    xbgas_esh(ns, &remote->h2, 0x7abc);
    xbgas_ersb(ns, &remote->b, -9);
    xbgas_esb(ns, &remote->b2, 0x70);
    barrier();
    const int64_t left = (int64_t)((me + nodes - 1) % nodes);
    CHECK(cells->d == -left - 1);
    CHECK(cells->d2 == (int64_t)0x8000000000000001 + left);
    CHECK(cells->w == -7 && cells->w2 == 0x7fffffff);
    CHECK(cells->h == -300 && cells->h2 == 0x7abc);
    CHECK(cells->b == -9 && cells->b2 == 0x70);

    // Loads of every width in both forms: sign and zero extension.
    CHECK(xbgas_erld(ns, &remote->d) == -(int64_t)me - 1 &&
          xbgas_eld(ns, &remote->d) == -(int64_t)me - 1);
    CHECK(xbgas_erlw(ns, &remote->w) == -7 && xbgas_elw(ns, &remote->w) == -7);
    CHECK(xbgas_erlh(ns, &remote->h) == -300 && xbgas_elh(ns, &remote->h) == -300);
    CHECK(xbgas_erlhu(ns, &remote->h) == 65236 && xbgas_elhu(ns, &remote->h) == 65236);
    CHECK(xbgas_erlb(ns, &remote->b) == -9 && xbgas_elb(ns, &remote->b) == -9);
    CHECK(xbgas_erlbu(ns, &remote->b) == 247 && xbgas_elbu(ns, &remote->b) == 247);
    CHECK(xbgas_eld(ns, (char*)&remote->d + 3) != 0);  // misaligned

    // Namespace 0 is the own memory; the own number leads there too.
    int64_t* own = (int64_t*)(shared + 64);
    *own = 5;
    CHECK(xbgas_erld(0, own) == 5 && xbgas_eld(xbgas_namespace((int)me), own) == 5);
    xbgas_ersd(0, own, 6);
    CHECK(*own == 6 && xbgas_eamoadd_d(0, own, 4) == 6 && *own == 10);
    CHECK(xbgas_eamoadd_w(0, own, -11) == 10 && *(int32_t*)own == -1);

    // E-register transfers: remote (erle, erse) and local (ele, ese).
    int64_t slot[2] = {111, 0};
#ifdef XBGAS_PROFILE_A
    __asm__ volatile(".insn s 0x7b, 5, x20, 8(%0)" ::"r"(slot) : "memory");
#else
    __asm__ volatile(".insn s 0x7b, 7, x20, 8(%0)" ::"r"(slot) : "memory");
#endif
    CHECK(slot[1] == 1234567890123456789);
    __asm__ volatile(".insn i 0x77, 7, x22, 0(%0)" ::"r"(slot) : "memory");  // ele
    CHECK(XBGAS_READ_E(22) == 111);
    XBGAS_WRITE_E(23, ns);
#ifdef XBGAS_PROFILE_A
    __asm__ volatile(
        ".insn r 0x33, 3, 0x23, x20, %0, x23\n\t.insn r 0x33, 4, 0x21, x24, %0, x23" ::"r"(
            &remote->d)
        : "memory");
#else
    __asm__ volatile(
        ".insn r 0x33, 7, 0x22, x23, x20, %0\n\t.insn r 0x33, 7, 0x55, x24, %0, x23" ::"r"(
            &remote->d)
        : "memory");
#endif
    CHECK(XBGAS_READ_E(24) == 1234567890123456789);

#ifdef XBGAS_PROFILE_A
    // 128 bits: the upper half is the e-register of the same index.
    {
        register uint64_t low __asm__("s2") = 0x1111111111111111;
        register uint64_t base __asm__("s3") = shared + 2048 + 16 * me;
        register uint64_t back __asm__("s4");
        XBGAS_WRITE_E(18, 0x2222222222222222);
        XBGAS_WRITE_E(19, ns);
        __asm__ volatile(".insn s 0x7b, 4, s2, 0(s3)\n\t.insn i 0x77, 6, s4, 0(s3)"
                         : "=r"(back)
                         : "r"(low), "r"(base)
                         : "memory");
        CHECK(back == 0x1111111111111111 && XBGAS_READ_E(20) == 0x2222222222222222);
        CHECK(xbgas_erld(ns, (void*)(base + 8)) == 0x2222222222222222);
    }
#endif

    // Every atomic, both widths, both orderings; load-reserved and store-conditional.
    xbgas_ersd(ns, &remote->d2, (int64_t)0xf0e1d2c3b4a59687);
    for (int i = 0; i < 2; ++i) {
        ALL_AMOS(d, int64_t, uint64_t, d);
        ALL_AMOS(d_aqrl, int64_t, uint64_t, d);
        ALL_AMOS(w, int32_t, uint32_t, w);
        ALL_AMOS(w_aqrl, int32_t, uint32_t, w);
        xbgas_ersd(ns, &remote->d2, 0x7f00000012345678);
    }
    // Compare-and-swap stores only where it finds what it wants; the old value comes back either
    // way.
    xbgas_ersd(ns, &remote->d, 41);
    CHECK(xbgas_eamocas_d(ns, &remote->d, 40, 7) == 41 && xbgas_erld(ns, &remote->d) == 41);
    CHECK(xbgas_eamocas_d(ns, &remote->d, 41, INT64_MIN) == 41);
    CHECK(xbgas_eamocas_d_aqrl(ns, &remote->d, INT64_MIN, 8) == INT64_MIN);
    CHECK(xbgas_erld(ns, &remote->d) == 8);
    xbgas_ersd(ns, &remote->w, (int64_t)0x00000001fffffffb);
    CHECK(xbgas_eamocas_w(ns, &remote->w, 5, 9) == -5);
    CHECK(xbgas_eamocas_w(ns, &remote->w, -5, 9) == -5 && xbgas_erlw(ns, &remote->w) == 9);
    CHECK(xbgas_erlw(ns, (char*)&remote->w + 4) == 1);
    CHECK(xbgas_eamocas_w_aqrl(ns, &remote->w, 9, -1) == 9 && xbgas_erlw(ns, &remote->w) == -1);
    // Into x0 it wants to find 0, and nobody waits for it.
    for (int64_t found = 0; found < 2; ++found) {
        register uint64_t at __asm__("t6") = (uint64_t)&remote->d;
        xbgas_ersd(ns, &remote->d, found);
        xbgas_fence();
        __asm__ volatile(
            XBGAS_IN_PROFILE(
                ".insn i 0x7b, 7, x31, %1, 0",
                ".insn i 0x7b, 5, x31, %1, 0") "\n\t.insn r 0x6b, 3, 0x14, x0, t6, %2" ::"r"(at),
            "r"(ns), "r"(77l)
            : "memory");
        xbgas_fence();
        CHECK(xbgas_erld(ns, &remote->d) == (found == 0 ? 77 : 1));
    }

    xbgas_ersd(ns, &remote->d, 40);
    CHECK(xbgas_elr_d(ns, &remote->d) == 40);
    CHECK(xbgas_esc_d(ns, &remote->d, 41) == 0 && xbgas_erld(ns, &remote->d) == 41);
    CHECK(xbgas_esc_d(ns, &remote->d, 42) == 1 && xbgas_erld(ns, &remote->d) == 41);
    CHECK(xbgas_elr_w(ns, &remote->w) == xbgas_erlw(ns, &remote->w));
    xbgas_ersw(ns, &remote->w, xbgas_erlw(ns, &remote->w) + 1);
    CHECK(xbgas_esc_w(ns, &remote->w, 3) == 1);
    barrier();

    // Bulk: every element size, both ways, more than one page.
    static unsigned char mine[40000], back[40000];
    for (unsigned i = 0; i < sizeof mine; ++i)
        mine[i] = (unsigned char)(i * 7 + me);
    unsigned char* far = (unsigned char*)(shared + 16384);
    CHECK(xbgas_ebsb(mine, ns, far, 40000) == 40000);
    CHECK(xbgas_eblb(back, ns, far, 40000) == 40000 && memcmp(mine, back, sizeof mine) == 0);
    memset(back, 0, sizeof back);
    CHECK(xbgas_ebsh(mine + 1, ns, far, 1000) == 1000 && xbgas_eblh(back, ns, far, 1000) == 1000);
    CHECK(memcmp(mine + 1, back, 2000) == 0 && back[2000] == 0);
    CHECK(xbgas_ebsw(mine + 2, ns, far, 1000) == 1000 && xbgas_eblw(back, ns, far, 1000) == 1000);
    CHECK(memcmp(mine + 2, back, 4000) == 0);
    CHECK(xbgas_ebsd(mine + 3, ns, far, 4000) == 4000 && xbgas_ebld(back, ns, far, 4000) == 4000);
    CHECK(memcmp(mine + 3, back, 32000) == 0);
    CHECK(xbgas_ebld(back, ns, far, 0) == 0);
    uint64_t status;
    __asm__ volatile("csrr %0, 0xca0" : "=r"(status));
    CHECK(status != 0);
    barrier();

    // Contention: all nodes add to one counter and take a lock made of elr/esc.
    volatile int64_t* sum = (int64_t*)(shared + 128);
    volatile int64_t* lock = (int64_t*)(shared + 136);
    volatile int64_t* guarded = (int64_t*)(shared + 144);
    for (int i = 0; i < 50; ++i) {
        xbgas_eamoadd_d(1, sum, (int64_t)me + 1);
        while (xbgas_elr_d(1, lock) != 0 || xbgas_esc_d(1, lock, 1) != 0)
            __asm__ volatile(".4byte 0x0100000f");
        xbgas_ersd(1, guarded, xbgas_erld(1, guarded) + 1);
        xbgas_fence();
        xbgas_ersd(1, lock, 0);
    }
    barrier();
    CHECK(xbgas_erld(1, sum) == 50 * (int64_t)(nodes * (nodes + 1) / 2));
    CHECK(xbgas_erld(1, guarded) == 50 * (int64_t)nodes);
    barrier();
    if (me == 0) printf("%d nodes agree\n", (int)nodes);
    return 0;
}
