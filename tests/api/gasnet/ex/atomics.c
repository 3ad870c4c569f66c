/* Atomic domains: every operation of every type, in both forms, through two teams; and words that
 * all processes change at once. */
#include "check.h"

#include <gasnet_ratomic.h>

#define OPS_ALL                                                                                  \
    (GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX | GEX_OP_INC | GEX_OP_DEC | \
     GEX_OP_SET | GEX_OP_CAS | GEX_OP_FADD | GEX_OP_FSUB | GEX_OP_FMULT | GEX_OP_FMIN |          \
     GEX_OP_FMAX | GEX_OP_FINC | GEX_OP_FDEC | GEX_OP_SWAP | GEX_OP_FCAS | GEX_OP_GET)
#define OPS_BITS (GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR)

/* The word holds `before`; the operation makes it `after`. */
#define ONE(S, T, OP, A, B, BEFORE, AFTER)                                                         \
    {                                                                                              \
        const gex_OP_t op = OP;                                                                    \
        T result = (T)99, now = (T)0;                                                              \
        const T before = (T)(BEFORE), after = (T)(AFTER);                                          \
        int form;                                                                                  \
        for (form = 0; form < 2; ++form) {                                                         \
            gex_Event_Wait(gex_AD_OpNB_##S(domain, NULL, at, word, GEX_OP_SET, before, 0, flags)); \
            if (form == 0) {                                                                       \
                gex_Event_Wait(gex_AD_OpNB_##S(domain, &result, at, word, op, (T)(A), (T)(B),      \
                                               flags | GEX_FLAG_AD_REL | GEX_FLAG_AD_ACQ));        \
            } else {                                                                               \
                OK(gex_AD_OpNBI_##S(domain, &result, at, word, op, (T)(A), (T)(B), flags));        \
                gex_NBI_Wait(GEX_EC_RMW | GEX_EC_PUT | GEX_EC_GET, 0);                             \
            }                                                                                      \
            gex_Event_Wait(gex_AD_OpNB_##S(domain, &now, at, word, GEX_OP_GET, 0, 0, flags));      \
            CHECK(now == after);                                                                   \
            if (op > GEX_OP_CAS) CHECK(result == before);                                          \
        }                                                                                          \
    }
#define BOTH(S, T, OP, A, BEFORE, AFTER)        \
    ONE(S, T, GEX_OP_##OP, A, 0, BEFORE, AFTER) \
    ONE(S, T, GEX_OP_F##OP, A, 0, BEFORE, AFTER)
#define COMMON(S, T)                          \
    BOTH(S, T, ADD, 5, 100, 105)              \
    BOTH(S, T, SUB, 5, 100, 95)               \
    BOTH(S, T, MULT, 5, 100, 500)             \
    BOTH(S, T, MIN, 5, 100, 5)                \
    BOTH(S, T, MIN, 500, 100, 100)            \
    BOTH(S, T, MAX, 5, 100, 100)              \
    BOTH(S, T, MAX, 500, 100, 500)            \
    BOTH(S, T, INC, 0, 100, 101)              \
    BOTH(S, T, DEC, 0, 100, 99)               \
    ONE(S, T, GEX_OP_SET, 7, 0, 100, 7)       \
    ONE(S, T, GEX_OP_SWAP, 7, 0, 100, 7)      \
    ONE(S, T, GEX_OP_CAS, 100, 7, 100, 7)     \
    ONE(S, T, GEX_OP_CAS, 101, 7, 100, 100)   \
    ONE(S, T, GEX_OP_FCAS, 100, 7, 100, 7)    \
    ONE(S, T, GEX_OP_CSWAP, 101, 7, 100, 100) \
    ONE(S, T, GEX_OP_GET, 0, 0, 100, 100)
#define BITS(S, T)                \
    BOTH(S, T, AND, 6, 0x0c, 4)   \
    BOTH(S, T, OR, 6, 0x0c, 0x0e) \
    BOTH(S, T, XOR, 6, 0x0c, 0x0a)
#define SIGNED(S, T)            \
    BOTH(S, T, MIN, -5, 3, -5)  \
    BOTH(S, T, MAX, -5, -9, -5) \
    BOTH(S, T, SUB, 5, 3, -2)   \
    BOTH(S, T, ADD, -5, 3, -2)
#define UNSIGNED(S, T)                       \
    BOTH(S, T, MIN, (T) ~(T)0, 3, 3)         \
    BOTH(S, T, MAX, (T) ~(T)0, 3, (T) ~(T)0) \
    BOTH(S, T, DEC, 0, 0, (T) ~(T)0)

#define OF_TYPE(S, T, OPS, TESTS)                                                        \
    static void check_##S(gex_TM_t team, gex_Rank_t at, void* word, gex_Flags_t flags) { \
        gex_AD_t domain;                                                                 \
        gex_AD_Create(&domain, team, GEX_DT_##S, OPS, GEX_FLAG_AD_FAVOR_REMOTE);         \
        CHECK(gex_AD_QueryDT(domain) == GEX_DT_##S && gex_AD_QueryOps(domain) == (OPS)); \
        CHECK(gex_AD_QueryTM(domain) == team);                                           \
        CHECK(gex_AD_QueryFlags(domain) == GEX_FLAG_AD_FAVOR_REMOTE);                    \
        gex_AD_SetCData(domain, word);                                                   \
        CHECK(gex_AD_QueryCData(domain) == word);                                        \
        TESTS gex_AD_Destroy(domain);                                                    \
    }
OF_TYPE(I32, int32_t, OPS_ALL | OPS_BITS,
        COMMON(I32, int32_t) BITS(I32, int32_t) SIGNED(I32, int32_t))
OF_TYPE(U32, uint32_t, OPS_ALL | OPS_BITS,
        COMMON(U32, uint32_t) BITS(U32, uint32_t) UNSIGNED(U32, uint32_t))
OF_TYPE(I64, int64_t, OPS_ALL | OPS_BITS,
        COMMON(I64, int64_t) BITS(I64, int64_t) SIGNED(I64, int64_t))
OF_TYPE(U64, uint64_t, OPS_ALL | OPS_BITS,
        COMMON(U64, uint64_t) BITS(U64, uint64_t) UNSIGNED(U64, uint64_t))
OF_TYPE(FLT, float, OPS_ALL,
        COMMON(FLT, float) SIGNED(FLT, float) BOTH(FLT, float, ADD, 0.5, 1, 1.5))
OF_TYPE(DBL, double, OPS_ALL,
        COMMON(DBL, double) SIGNED(DBL, double) BOTH(DBL, double, MULT, 0.5, 1, 0.5))

static void check_all(gex_TM_t team, gex_Rank_t at, void* word, gex_Flags_t flags) {
    check_I32(team, at, word, flags);
    check_U32(team, at, word, flags);
    check_I64(team, at, word, flags);
    check_U64(team, at, word, flags);
    check_FLT(team, at, word, flags);
    check_DBL(team, at, word, flags);
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 300;
    gex_TM_t reversed;
    gex_AD_t sums, reals;
    int64_t* counter;
    double* real;
    gex_Rank_t k;
    int i;
    start(&argc, &argv, NULL, 0, 1 << 20);
    gex_TM_Split(&reversed, all, 0, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    for (k = 0; k < ranks; ++k) {
        const gex_Rank_t rank = (me + k) % ranks;
        check_all(all, rank, bases[rank] + 64 * (me + 1), 0);
        check_all(reversed, ranks - 1 - rank, bases[rank] + 64 * (me + 1), 0);
    }
    check_I64(reversed, 0, bases[0] + 64 * (me + 1), GEX_FLAG_RANK_IS_JOBRANK);
    /* Integers by the processor or the road, real numbers by loops. */
    counter = (int64_t*)(void*)bases[ranks - 1];
    real = (double*)(void*)(bases[ranks - 1] + 8);
    if (me == ranks - 1) {
        *counter = 0;
        *real = 0;
    }
    meet();
    gex_AD_Create(&sums, all, GEX_DT_I64, GEX_OP_ADD | GEX_OP_FADD, 0);
    gex_AD_Create(&reals, all, GEX_DT_DBL, GEX_OP_ADD, 0);
    for (i = 0; i < rounds; ++i) {
        int64_t before = -1;
        OK(gex_AD_OpNBI_I64(sums, NULL, ranks - 1, counter, GEX_OP_ADD, 2, 0, 0));
        gex_Event_Wait(gex_AD_OpNB_I64(sums, &before, ranks - 1, counter, GEX_OP_FADD, 1, 0, 0));
        CHECK(before >= 0);
        gex_Event_Wait(gex_AD_OpNB_DBL(reals, NULL, ranks - 1, real, GEX_OP_ADD, 0.5, 0, 0));
    }
    gex_NBI_Wait(GEX_EC_RMW, 0);
    meet();
    if (me == ranks - 1)
        CHECK(*counter == 3 * (int64_t)rounds * ranks && *real == 0.5 * rounds * ranks);
    meet();
    gex_AD_Destroy(sums);
    gex_AD_Destroy(reals);
    end();
}
