/* A program with macros of its own, as old ones have them: abbreviations of types, and words that
 * an implementation's headers might use. */
#define uchar          unsigned char
#define ushort         unsigned short
#define uint           unsigned int
#define ulong          unsigned long
#define int32          int
#define int64          long
#define uint64         unsigned long
#define size           100
#define limit          10
#define stride         77
#define count          3
#define address        4
#define config         5
#define copy(to, from) ((to) = (from))
#define RMA            1
#define AMO            2
#define REDUCE         3
#define me             (shmem_my_pe())
#define pes            (shmem_n_pes())
#define npes           (shmem_n_pes())
#define ptr            (&words[0])
#define pSync          13
#define always_inline  inline
#define weak           14
#define heap           6
#define store32        7
#define store64        8
#define road           9
#define keys           12

#include <shmem.h>
#include <stdio.h>

static ulong words[size];
static uint bits;
static long sums[2];

int main(void) {
    ulong mine;
    int i, wrong = 0;
    shmem_init();
    copy(mine, (ulong)me + RMA);
    shmem_ulong_p(&words[0], mine, (me + 1) % pes);
    shmem_ulong_atomic_add(&words[1], AMO, 0);
    shmem_uint32_atomic_or(&bits, 1u << me, 0);
    for (i = 2; i < limit; ++i)
        shmem_ulong_put(&words[i], &mine, 1, (me + 1) % pes);
#if __STDC_VERSION__ >= 201112L
    shmem_p(&words[limit], mine, (me + 1) % pes);
    shmem_atomic_inc(&words[1], 0);
    sums[0] = REDUCE;
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &sums[1], &sums[0], 1);
#else
    shmem_ulong_p(&words[limit], mine, (me + 1) % pes);
    shmem_ulong_atomic_inc(&words[1], 0);
    sums[1] = REDUCE * pes;
#endif
    shmem_barrier_all();
    for (i = 0; i <= limit; ++i)
        if (i != 1 && words[i] != (ulong)((me + pes - 1) % pes) + RMA) wrong = 1;
    if (me == 0 && (words[1] != (AMO + 1ul) * (ulong)pes || bits != (1u << pes) - 1)) wrong = 1;
    if (sums[1] != REDUCE * (long)pes) wrong = 1;
    puts(wrong ? "WRONG" : "ok");
    shmem_finalize();
    return wrong;
}
