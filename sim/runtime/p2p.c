/* Point-to-point synchronisation (9.11) on the own memory. The first look is inline in the routine;
 * a wait that has to go on spins in isthmus_spin_. Also signals (9.8) and locks (9.13). */
#include "runtime.h"

#define ISTHMUS_LOOK_(T, p) (*(const volatile T*)(p))

/* One hexadecimal digit for each comparison, in it one bit for equal, greater, less. */
#define ISTHMUS_COMPARE_(left, cmp, right)                                                         \
    ((0x345261u >> ((unsigned)(cmp)*4 + (((left) > (right)) | (((left) < (right)) << 1))) & 1u) != \
     0)
_Static_assert(SHMEM_CMP_EQ == 0 && SHMEM_CMP_NE == 1 && SHMEM_CMP_GT == 2 && SHMEM_CMP_LE == 3 &&
                   SHMEM_CMP_LT == 4 && SHMEM_CMP_GE == 5,
               "the digits above are in this order");

static void isthmus_check_cmp(const char* routine, int cmp) {
    if (ISTHMUS_UNLIKELY((unsigned)cmp > SHMEM_CMP_GE))
        isthmus_fail(routine, "cmp %d is none of SHMEM_CMP_EQ, NE, GT, GE, LT, LE", cmp);
}

void isthmus_spin_reached(const volatile uint64_t* flag, uint64_t value) {
    while (*flag < value)
        isthmus_pause();
}

#define ISTHMUS_ONE_(T, N)                                                                    \
    static __attribute__((noinline)) void isthmus_spin_##N(const T* ivar, int cmp, T value) { \
        for (;;) {                                                                            \
            const T now = ISTHMUS_LOOK_(T, ivar);                                             \
            if (ISTHMUS_COMPARE_(now, cmp, value)) return;                                    \
            isthmus_pause();                                                                  \
        }                                                                                     \
    }                                                                                         \
    void pshmem_##N##_wait_until(T* ivar, int cmp, T cmp_value) {                             \
        isthmus_check_cmp("shmem_" #N "_wait_until", cmp);                                    \
        const T now = ISTHMUS_LOOK_(T, ivar);                                                 \
        if (!ISTHMUS_COMPARE_(now, cmp, cmp_value)) isthmus_spin_##N(ivar, cmp, cmp_value);   \
        isthmus_acquire();                                                                    \
    }                                                                                         \
    int pshmem_##N##_test(T* ivar, int cmp, T cmp_value) {                                    \
        isthmus_check_cmp("shmem_" #N "_test", cmp);                                          \
        const T now = ISTHMUS_LOOK_(T, ivar);                                                 \
        const int done = ISTHMUS_COMPARE_(now, cmp, cmp_value);                               \
        if (!done) isthmus_pause();                                                           \
        isthmus_acquire();                                                                    \
        return done;                                                                          \
    }

/* Where a search for any of n begins: anywhere, so that a caller that leaves satisfied elements in
 * the set gets the others too in the end, whatever other sets it looks at in between. */
static size_t isthmus_any_place(size_t n) {
    static __thread uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((unsigned __int128)state * n >> 64);
}

/* Sets. `values` is null if `value` is for all. */
#define ISTHMUS_SET_(T, N)                                                                       \
    static bool isthmus_holds_##N(const T* ivars, size_t i, int cmp, T value, const T* values) { \
        const T now = ISTHMUS_LOOK_(T, ivars + i), right = values ? values[i] : value;           \
        return ISTHMUS_COMPARE_(now, cmp, right);                                                \
    }                                                                                            \
    static bool isthmus_all_##N(const T* ivars, size_t n, const int* status, int cmp, T value,   \
                                const T* values) {                                               \
        for (size_t i = 0; i < n; ++i)                                                           \
            if (!(status && status[i]) && !isthmus_holds_##N(ivars, i, cmp, value, values))      \
                return false;                                                                    \
        return true;                                                                             \
    }                                                                                            \
    static size_t isthmus_any_##N(const T* ivars, size_t n, const int* status, int cmp, T value, \
                                  const T* values) {                                             \
        for (size_t k = 0, i = isthmus_any_place(n); k < n; ++k) {                               \
            if (!(status && status[i]) && isthmus_holds_##N(ivars, i, cmp, value, values))       \
                return i;                                                                        \
            i = i + 1 < n ? i + 1 : 0;                                                           \
        }                                                                                        \
        return SIZE_MAX;                                                                         \
    }                                                                                            \
    static size_t isthmus_some_##N(const T* ivars, size_t n, size_t* indices, const int* status, \
                                   int cmp, T value, const T* values) {                          \
        size_t found = 0;                                                                        \
        for (size_t i = 0; i < n; ++i)                                                           \
            if (!(status && status[i]) && isthmus_holds_##N(ivars, i, cmp, value, values))       \
                indices[found++] = i;                                                            \
        return found;                                                                            \
    }                                                                                            \
    ISTHMUS_SET_FORM_(T, N, , T cmp_value, cmp_value, NULL)                                      \
    ISTHMUS_SET_FORM_(T, N, _vector, const T* cmp_values, 0, cmp_values)

#define ISTHMUS_SET_FORM_(T, N, FORM, PARAMETER, VALUE, VALUES)                                    \
    void pshmem_##N##_wait_until_all##FORM(T* ivars, size_t nelems, const int* status, int cmp,    \
                                           PARAMETER) {                                            \
        isthmus_check_cmp("shmem_" #N "_wait_until_all" #FORM, cmp);                               \
        while (!isthmus_all_##N(ivars, nelems, status, cmp, VALUE, VALUES))                        \
            isthmus_pause();                                                                       \
        isthmus_acquire();                                                                         \
    }                                                                                              \
    size_t pshmem_##N##_wait_until_any##FORM(T* ivars, size_t nelems, const int* status, int cmp,  \
                                             PARAMETER) {                                          \
        isthmus_check_cmp("shmem_" #N "_wait_until_any" #FORM, cmp);                               \
        if (isthmus_set_is_empty(nelems, status)) return SIZE_MAX;                                 \
        size_t found;                                                                              \
        while ((found = isthmus_any_##N(ivars, nelems, status, cmp, VALUE, VALUES)) == SIZE_MAX)   \
            isthmus_pause();                                                                       \
        isthmus_acquire();                                                                         \
        return found;                                                                              \
    }                                                                                              \
    size_t pshmem_##N##_wait_until_some##FORM(T* ivars, size_t nelems, size_t* indices,            \
                                              const int* status, int cmp, PARAMETER) {             \
        isthmus_check_cmp("shmem_" #N "_wait_until_some" #FORM, cmp);                              \
        if (isthmus_set_is_empty(nelems, status)) return 0;                                        \
        size_t found;                                                                              \
        while ((found = isthmus_some_##N(ivars, nelems, indices, status, cmp, VALUE, VALUES)) ==   \
               0)                                                                                  \
            isthmus_pause();                                                                       \
        isthmus_acquire();                                                                         \
        return found;                                                                              \
    }                                                                                              \
    int pshmem_##N##_test_all##FORM(T* ivars, size_t nelems, const int* status, int cmp,           \
                                    PARAMETER) {                                                   \
        isthmus_check_cmp("shmem_" #N "_test_all" #FORM, cmp);                                     \
        const bool done = isthmus_all_##N(ivars, nelems, status, cmp, VALUE, VALUES);              \
        if (!done) isthmus_pause();                                                                \
        isthmus_acquire();                                                                         \
        return done;                                                                               \
    }                                                                                              \
    size_t pshmem_##N##_test_any##FORM(T* ivars, size_t nelems, const int* status, int cmp,        \
                                       PARAMETER) {                                                \
        isthmus_check_cmp("shmem_" #N "_test_any" #FORM, cmp);                                     \
        const size_t found = isthmus_any_##N(ivars, nelems, status, cmp, VALUE, VALUES);           \
        if (found == SIZE_MAX) isthmus_pause();                                                    \
        isthmus_acquire();                                                                         \
        return found;                                                                              \
    }                                                                                              \
    size_t pshmem_##N##_test_some##FORM(T* ivars, size_t nelems, size_t* indices,                  \
                                        const int* status, int cmp, PARAMETER) {                   \
        isthmus_check_cmp("shmem_" #N "_test_some" #FORM, cmp);                                    \
        const size_t found = isthmus_some_##N(ivars, nelems, indices, status, cmp, VALUE, VALUES); \
        if (found == 0) isthmus_pause();                                                           \
        isthmus_acquire();                                                                         \
        return found;                                                                              \
    }

static bool isthmus_set_is_empty(size_t n, const int* status) {
    for (size_t i = 0; i < n; ++i)
        if (!(status && status[i])) return false;
    return true;
}

#define ISTHMUS_DEFINE_P2P(T, N) \
    ISTHMUS_ONE_(T, N)           \
    ISTHMUS_SET_(T, N)           \
    SHMEM_TABLE_P2P(ISTHMUS_ALIAS, T, N)
SHMEM_P2P_TYPES(ISTHMUS_DEFINE_P2P)
#define ISTHMUS_DEFINE_OLD(T, N) ISTHMUS_ONE_(T, N) SHMEM_TABLE_P2P_DEPRECATED(ISTHMUS_ALIAS, T, N)
SHMEM_DEPRECATED_P2P_TYPES(ISTHMUS_DEFINE_OLD)
#define ISTHMUS_DEFINE_WAIT(T, N)                               \
    void pshmem_##N##_wait(T* ivar, T cmp_value) {              \
        pshmem_##N##_wait_until(ivar, SHMEM_CMP_NE, cmp_value); \
    }                                                           \
    SHMEM_TABLE_WAIT(ISTHMUS_ALIAS, T, N)
SHMEM_WAIT_TYPES(ISTHMUS_DEFINE_WAIT)
void pshmem_wait(long* ivar, long cmp_value) {
    pshmem_long_wait_until(ivar, SHMEM_CMP_NE, cmp_value);
}
void pshmem_wait_until(long* ivar, int cmp, long cmp_value) {
    pshmem_long_wait_until(ivar, cmp, cmp_value);
}
SHMEM_TABLE_WAIT_LONG(ISTHMUS_ALIAS)

/* Signals: the data, then the signal; nobody sees it before them. Without `local` the source is the
 * caller's again after a quiet only. */
static void isthmus_put_signal(const char* routine, void* dest, const void* source, size_t bytes,
                               uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,
                               bool local) {
    isthmus_check_pe(routine, pe);
    isthmus_road_put_nbi(pe, dest, source, bytes);
    if (sig_op == SHMEM_SIGNAL_SET) {
        isthmus_road_flag64(pe, sig_addr, signal);
    } else if (sig_op == SHMEM_SIGNAL_ADD) {
        isthmus_road_fence();
        isthmus_road_post_add64(pe, sig_addr, signal);
    } else {
        isthmus_fail(routine, "sig_op %d is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD", sig_op);
    }
    if (local) isthmus_road_local();
}
#define ISTHMUS_SIGNAL_(P, ROUTINE, UNIT, LOCAL)                                                 \
    void pshmem_##ROUTINE(P* dest, const P* source, size_t nelems, uint64_t* sig_addr,           \
                          uint64_t signal, int sig_op, int pe) {                                 \
        isthmus_put_signal("shmem_" #ROUTINE, dest, source, nelems*(UNIT), sig_addr, signal,     \
                           sig_op, pe, LOCAL);                                                   \
    }                                                                                            \
    void pshmem_ctx_##ROUTINE(shmem_ctx_t ctx, P* dest, const P* source, size_t nelems,          \
                              uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) {         \
        isthmus_put_signal("shmem_ctx_" #ROUTINE, dest, source, nelems*(UNIT), sig_addr, signal, \
                           sig_op, isthmus_context_pe("shmem_ctx_" #ROUTINE, ctx, pe), LOCAL);   \
    }
#define ISTHMUS_DEFINE_SIGNAL(T, N)                          \
    ISTHMUS_SIGNAL_(T, N##_put_signal, sizeof(T), true)      \
    ISTHMUS_SIGNAL_(T, N##_put_signal_nbi, sizeof(T), false) \
    SHMEM_TABLE_PUT_SIGNAL(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(ISTHMUS_DEFINE_SIGNAL)
#define ISTHMUS_DEFINE_SIGNAL_SIZED(BITS)                          \
    ISTHMUS_SIGNAL_(void, put##BITS##_signal, BITS / 8, true)      \
    ISTHMUS_SIGNAL_(void, put##BITS##_signal_nbi, BITS / 8, false) \
    SHMEM_TABLE_PUT_SIGNAL_SIZED(ISTHMUS_ALIAS, BITS)
SHMEM_ELEMENT_SIZES(ISTHMUS_DEFINE_SIGNAL_SIZED)
ISTHMUS_SIGNAL_(void, putmem_signal, 1, true)
ISTHMUS_SIGNAL_(void, putmem_signal_nbi, 1, false)

void pshmem_signal_set(uint64_t* sig_addr, uint64_t signal, int pe) {
    isthmus_check_pe("shmem_signal_set", pe);
    isthmus_road_store64(pe, sig_addr, signal);
}
void pshmem_signal_add(uint64_t* sig_addr, uint64_t signal, int pe) {
    isthmus_check_pe("shmem_signal_add", pe);
    isthmus_road_post_add64(pe, sig_addr, signal);
}
void pshmem_ctx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    pshmem_signal_set(sig_addr, signal, isthmus_context_pe("shmem_ctx_signal_set", ctx, pe));
}
void pshmem_ctx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    pshmem_signal_add(sig_addr, signal, isthmus_context_pe("shmem_ctx_signal_add", ctx, pe));
}
uint64_t pshmem_signal_fetch(const uint64_t* sig_addr) {
    const uint64_t now = ISTHMUS_LOOK_(uint64_t, sig_addr);
    isthmus_acquire();
    return now;
}
uint64_t pshmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value) {
    isthmus_check_cmp("shmem_signal_wait_until", cmp);
    for (;;) {
        const uint64_t now = ISTHMUS_LOOK_(uint64_t, sig_addr);
        if (ISTHMUS_COMPARE_(now, cmp, cmp_value)) {
            isthmus_acquire();
            return now;
        }
        isthmus_spin_uint64(sig_addr, cmp, cmp_value);
    }
}
SHMEM_TABLE_SIGNAL(ISTHMUS_ALIAS)
