/* Teams, and the collectives on them: all types and operations, functions of the client's, in
 * place, and many under way at once. */
#include "check.h"

static void wait_by_test(gex_Event_t event) {
    while (gex_Event_Test(event) != GASNET_OK)
        gasnet_AMPoll();
}

static void check_broadcast(gex_TM_t team) {
    const gex_Rank_t size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team);
    static const size_t lengths[] = {0, 1, 8, 1000, 40000};
    static char from[40000], to[40000];
    gex_Rank_t root;
    size_t i;
    for (root = 0; root < size; ++root) {
        for (i = 0; i < 5; ++i) {
            memset(from, rank == root ? (int)(root + i + 1) : 0, sizeof from);
            memset(to, 0, sizeof to);
            gex_Event_Wait(gex_Coll_BroadcastNB(team, root, to, from, lengths[i], 0));
            if (lengths[i] != 0) CHECK(to[lengths[i] - 1] == (char)(root + i + 1));
            if (lengths[i] < sizeof to) CHECK(to[lengths[i]] == 0);
        }
        /* In place, in the segment. */
        if (rank == root) memset(bases[me], (int)root + 50, 5000);
        wait_by_test(gex_Coll_BroadcastNB(team, root, bases[me], bases[me], 5000, 0));
        CHECK(bases[me][4999] == (char)(root + 50));
        gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
    }
}

/* x of rank r is r + 1. */
#define REDUCED(T, DT)                                                                         \
    {                                                                                          \
        T x[3], y[3], sum = 0, product = 1;                                                    \
        for (i = 1; i <= size; ++i) {                                                          \
            sum = (T)(sum + (T)i);                                                             \
            product = (T)(product * (T)i);                                                     \
        }                                                                                      \
        x[0] = x[1] = x[2] = (T)(rank + 1);                                                    \
        gex_Event_Wait(                                                                        \
            gex_Coll_ReduceToAllNB(team, y, x, DT, sizeof(T), 3, GEX_OP_ADD, NULL, NULL, 0));  \
        CHECK(y[0] == sum && y[2] == sum);                                                     \
        gex_Event_Wait(                                                                        \
            gex_Coll_ReduceToAllNB(team, y, x, DT, sizeof(T), 3, GEX_OP_MULT, NULL, NULL, 0)); \
        CHECK(y[1] == product);                                                                \
        gex_Event_Wait(                                                                        \
            gex_Coll_ReduceToAllNB(team, y, x, DT, sizeof(T), 3, GEX_OP_MIN, NULL, NULL, 0));  \
        CHECK(y[2] == (T)1);                                                                   \
        gex_Event_Wait(                                                                        \
            gex_Coll_ReduceToAllNB(team, x, x, DT, sizeof(T), 3, GEX_OP_MAX, NULL, NULL, 0));  \
        CHECK(x[0] == (T)size);                                                                \
    }
#define OF_BITS(T, DT)                                                                         \
    {                                                                                          \
        T x = (T)(rank + 1), y, all_and = (T) ~(T)0, all_or = 0, all_xor = 0;                  \
        for (i = 1; i <= size; ++i) {                                                          \
            all_and &= (T)i;                                                                   \
            all_or |= (T)i;                                                                    \
            all_xor ^= (T)i;                                                                   \
        }                                                                                      \
        gex_Event_Wait(                                                                        \
            gex_Coll_ReduceToAllNB(team, &y, &x, DT, sizeof x, 1, GEX_OP_AND, NULL, NULL, 0)); \
        CHECK(y == all_and);                                                                   \
        gex_Event_Wait(                                                                        \
            gex_Coll_ReduceToAllNB(team, &y, &x, DT, sizeof x, 1, GEX_OP_OR, NULL, NULL, 0));  \
        CHECK(y == all_or);                                                                    \
        gex_Event_Wait(                                                                        \
            gex_Coll_ReduceToAllNB(team, &y, &x, DT, sizeof x, 1, GEX_OP_XOR, NULL, NULL, 0)); \
        CHECK(y == all_xor);                                                                   \
    }

/* Two lines, y = a x + b, one behind the other: not commutative. */
typedef struct {
    int64_t a, b, unused[3];
} line;
static void combine_lines(const void* arg1, void* arg2_and_out, size_t count, const void* cdata) {
    const line* const one = (const line*)arg1;
    line* const other = (line*)arg2_and_out;
    size_t i;
    CHECK(*(const int*)cdata == 42);
    for (i = 0; i < count; ++i) {
        const int64_t a = one[i].a * other[i].a, b = one[i].a * other[i].b + one[i].b;
        other[i].a = a;
        other[i].b = b;
    }
}

static void check_reductions(gex_TM_t team) {
    const gex_Rank_t size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team);
    static line lines[600], result[600];
    int data = 42;
    gex_Rank_t i, root;
    int64_t a = 1, b = 0;
    REDUCED(int32_t, GEX_DT_I32)
    REDUCED(uint32_t, GEX_DT_U32)
    REDUCED(int64_t, GEX_DT_I64)
    REDUCED(uint64_t, GEX_DT_U64)
    REDUCED(float, GEX_DT_FLT)
    REDUCED(double, GEX_DT_DBL)
    OF_BITS(int32_t, GEX_DT_I32)
    OF_BITS(uint32_t, GEX_DT_U32)
    OF_BITS(int64_t, GEX_DT_I64)
    OF_BITS(uint64_t, GEX_DT_U64)
    for (i = 1; i <= size; ++i) {
        b = a * (int64_t)i + b;
        a *= 2;
    }
    for (root = 0; root < size; ++root) {
        int64_t x = (int64_t)rank - 5, y = -1;
        for (i = 0; i < 600; ++i) {
            lines[i].a = 2;
            lines[i].b = (int64_t)rank + 1;
        }
        gex_Event_Wait(gex_Coll_ReduceToOneNB(team, root, result, lines, GEX_DT_USER, sizeof(line),
                                              600, root % 2 ? GEX_OP_USER : GEX_OP_USER_NC,
                                              combine_lines, &data, 0));
        if (rank == root) CHECK(result[0].a == a && result[599].b == b);
        /* In place; and signed. */
        wait_by_test(gex_Coll_ReduceToOneNB(team, root, lines, lines, GEX_DT_USER, sizeof(line),
                                            600, GEX_OP_USER, combine_lines, &data, 0));
        if (rank == root) CHECK(lines[599].a == a && lines[0].b == b);
        gex_Event_Wait(gex_Coll_ReduceToOneNB(team, root, &y, &x, GEX_DT_I64, 8, 1, GEX_OP_MIN,
                                              NULL, NULL, 0));
        CHECK(y == (rank == root ? -5 : -1));
    }
    for (i = 0; i < 600; ++i) {
        lines[i].a = 2;
        lines[i].b = (int64_t)rank + 1;
    }
    gex_Event_Wait(gex_Coll_ReduceToAllNB(team, lines, lines, GEX_DT_USER, sizeof(line), 600,
                                          GEX_OP_USER_NC, combine_lines, &data, 0));
    CHECK(lines[0].a == a && lines[599].b == b);
}

/* Begun in one order on both teams, waited for in another. */
static void check_many(gex_TM_t team) {
    enum { kMany = 40 };
    const gex_Rank_t size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team);
    static int64_t values[kMany], sums[kMany];
    gex_Event_t events[kMany * 3];
    int i;
    for (i = 0; i < kMany; ++i) {
        values[i] = rank == (gex_Rank_t)i % size ? i + 1 : 0;
        sums[i] = rank + 1;
        events[3 * i] =
            gex_Coll_BroadcastNB(team, (gex_Rank_t)i % size, &values[i], &values[i], 8, 0);
        events[3 * i + 1] = gex_Coll_ReduceToAllNB(all, &sums[i], &sums[i], GEX_DT_I64, 8, 1,
                                                   GEX_OP_MAX, NULL, NULL, 0);
        events[3 * i + 2] = gex_Coll_BarrierNB(team, 0);
    }
    gex_Event_Wait(events[2 * kMany]);
    events[2 * kMany] = GEX_EVENT_INVALID;
    while (gex_Event_TestSome(events, kMany, 0) != GASNET_OK)
        gasnet_AMPoll();
    gex_Event_WaitSome(events, 3 * kMany, 0);
    gex_Event_WaitAll(events, 3 * kMany, 0);
    for (i = 0; i < kMany; ++i)
        CHECK(values[i] == i + 1 && sums[i] >= 1);
}

static void check_team(gex_TM_t team) {
    check_broadcast(team);
    check_reductions(team);
    check_many(team);
    gex_Coll_BarrierBlocking(team, 0);
}

static void check_ranks(gex_TM_t team, gex_Rank_t at, gex_Rank_t jobrank) {
    CHECK(gex_TM_TranslateRankToJobrank(team, at) == jobrank);
    CHECK(gex_TM_TranslateJobrankToRank(team, jobrank) == at);
    CHECK(gex_TM_TranslateRankToEP(team, at, 0).gex_ep_index == 0);
    CHECK(gex_TM_TranslateRankToEP(team, at, 0).gex_rank == jobrank);
}

/* Those of odd and of even rank, the last first; colors may be negative. */
static void check_split(void) {
    const int odd = (int)me % 2;
    const size_t scratch =
        gex_TM_Split(&all, all, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
    gex_TM_t half, nobody = GEX_TM_INVALID;
    gex_Memvec_t memory;
    gex_Rank_t i;
    CHECK(scratch > 0 &&
          gex_TM_Split(NULL, all, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED) == 0);
    gex_TM_Split(&half, all, odd ? -7 : 3, -(int)me, bases[me] + 65536, scratch, 0);
    CHECK(gex_TM_QuerySize(half) == (ranks + (odd ? 0 : 1)) / 2);
    for (i = 0; i < gex_TM_QuerySize(half); ++i)
        check_ranks(half, i, (gex_TM_QuerySize(half) - 1 - i) * 2 + (gex_Rank_t)odd);
    if (ranks > 1) CHECK(gex_TM_TranslateJobrankToRank(half, odd ? 0 : 1) == GEX_RANK_INVALID);
    CHECK(gex_TM_TranslateJobrankToRank(half, ranks) == GEX_RANK_INVALID);
    check_team(half);
    /* A team of a team, without the last. */
    if (gex_TM_QueryRank(half) + 1 == gex_TM_QuerySize(half)) {
        gex_TM_Split(NULL, half, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    } else {
        gex_TM_Split(&nobody, half, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
        CHECK(gex_TM_QuerySize(nobody) + 1 == gex_TM_QuerySize(half));
        gex_Event_Wait(gex_Coll_BarrierNB(nobody, 0));
        memory.gex_addr = NULL;
        CHECK(gex_TM_Destroy(nobody, &memory, 0) == 0 && !memory.gex_addr);
    }
    CHECK(gex_TM_Destroy(half, &memory, GEX_FLAG_GLOBALLY_QUIESCED) != 0);
    CHECK(memory.gex_addr == bases[me] + 65536 && memory.gex_len == scratch);
}

/* The first half and the rest, at once; then all but the first, who takes part only. */
static void check_create(void) {
    const gex_Rank_t half = (ranks + 1) / 2, first = me < half ? 0 : half;
    const gex_Rank_t count = me < half ? half : ranks - half;
    gex_EP_Location_t members[1024];
    gex_Addr_t scratch = bases[me] + 65536;
    gex_Memvec_t memory;
    gex_TM_t team;
    gex_Rank_t i;
    for (i = 0; i < count; ++i) {
        members[i].gex_rank = first + count - 1 - i;
        members[i].gex_ep_index = 0;
    }
    CHECK(gex_TM_Create(&team, 1, all, members, count, NULL, 0,
                        GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED | GEX_FLAG_TM_LOCAL_SCRATCH) > 0);
    gex_TM_Create(&team, 1, all, members, count, &scratch, 4096, GEX_FLAG_TM_LOCAL_SCRATCH);
    for (i = 0; i < count; ++i)
        check_ranks(team, i, first + count - 1 - i);
    CHECK(gex_TM_QueryClient(team) == client && gex_TM_QueryEP(team) == endpoint);
    check_team(team);
    CHECK(gex_TM_Destroy(team, &memory, 0) != 0 && memory.gex_addr == scratch);
    for (i = 0; i + 1 < ranks; ++i) {
        members[i].gex_rank = i + 1;
        members[i].gex_ep_index = 0;
    }
    if (me == 0) {
        gex_TM_Create(NULL, 0, all, NULL, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    } else {
        gex_TM_Create(&team, 1, all, members, ranks - 1, NULL, 0,
                      GEX_FLAG_TM_NO_SCRATCH | GEX_FLAG_RANK_IS_JOBRANK);
        CHECK(gex_TM_QueryRank(team) == me - 1);
        check_broadcast(team); /* nothing that the team of all takes part in */
        check_reductions(team);
        CHECK(gex_TM_Destroy(team, NULL, 0) == 0);
    }
}

int main(int argc, char** argv) {
    int round;
    start(&argc, &argv, NULL, 0, 1 << 20);
    check_ranks(all, me, me);
    check_team(all);
    for (round = 0; round < 3; ++round) {
        check_split();
        check_create();
    }
    end();
}
