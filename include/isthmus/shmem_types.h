/* Types, handles and constants of OpenSHMEM 1.6 (sections 6 and 7), and the lists of types from
 * which every typed routine is made. */
#ifndef ISTHMUS_SHMEM_TYPES_H
#define ISTHMUS_SHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <isthmus/casts.h>

/* Section 7: library constants. */
#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN  256
#define SHMEM_VENDOR_STRING "Isthmus 0.1.0"

#define SHMEM_THREAD_SINGLE     0
#define SHMEM_THREAD_FUNNELED   1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE   3

#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE    2L
#define SHMEM_CTX_NOSTORE    4L

#define SHMEM_CTX_SESSION_TOTAL_OPS 1L
#define SHMEM_CTX_SESSION_BATCH     2L

#define SHMEM_TEAM_NUM_CONTEXTS 1L

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE  2L

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_CMP_EQ 0
#define SHMEM_CMP_NE 1
#define SHMEM_CMP_GT 2
#define SHMEM_CMP_LE 3
#define SHMEM_CMP_LT 4
#define SHMEM_CMP_GE 5

/* Work arrays of the active-set collectives (deprecated in 1.5). Every collective here needs the
 * same array: one counter for each round of its barriers. */
#define SHMEM_SYNC_VALUE              0L
#define SHMEM_SYNC_SIZE               32
#define SHMEM_BCAST_SYNC_SIZE         SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE        SHMEM_SYNC_SIZE
#define SHMEM_BARRIER_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE      SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE     SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 16

/* Names from before 1.3; deprecated, still in use. Reserved ones, as the standard had them. */
#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic push
#if __has_warning("-Wreserved-macro-identifier")
#pragma clang diagnostic ignored "-Wreserved-macro-identifier"
#endif
#endif
#define _SHMEM_SYNC_VALUE              SHMEM_SYNC_VALUE
#define _SHMEM_SYNC_SIZE               SHMEM_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE         SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE        SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE       SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE       SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_ALLTOALL_SYNC_SIZE      SHMEM_ALLTOALL_SYNC_SIZE
#define _SHMEM_ALLTOALLS_SYNC_SIZE     SHMEM_ALLTOALLS_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_MAJOR_VERSION           SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION           SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN            SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING           SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ                  SHMEM_CMP_EQ
#define _SHMEM_CMP_NE                  SHMEM_CMP_NE
#define _SHMEM_CMP_GT                  SHMEM_CMP_GT
#define _SHMEM_CMP_LE                  SHMEM_CMP_LE
#define _SHMEM_CMP_LT                  SHMEM_CMP_LT
#define _SHMEM_CMP_GE                  SHMEM_CMP_GE
#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic pop
#endif

/* Section 6: handles. Distinct pointer types, so that a team passed as a context is a compile-time
 * error and C11 generics can tell a context from a pointer to data. */
typedef struct isthmus_team* shmem_team_t;
typedef struct isthmus_context* shmem_ctx_t;

typedef struct {
    int num_contexts; /* contexts that the team is expected to create; a request, not a limit */
} shmem_team_config_t;

typedef struct {
    size_t total_ops; /* operations expected in a session; a hint */
} shmem_ctx_session_config_t;

#define SHMEM_TEAM_INVALID ISTHMUS_NULL(shmem_team_t)
#define SHMEM_CTX_INVALID  ISTHMUS_NULL(shmem_ctx_t)

#ifdef __cplusplus
extern "C" {
#endif
extern struct isthmus_team isthmus_team_world;
extern struct isthmus_team isthmus_team_shared;
extern struct isthmus_context isthmus_context_default;
#ifdef __cplusplus
}
#endif
#define SHMEM_TEAM_WORLD  (&isthmus_team_world)
#define SHMEM_TEAM_SHARED (&isthmus_team_shared)
#define SHMEM_CTX_DEFAULT (&isthmus_context_default)

/* C++ programs hold std::complex; C programs hold _Complex. The layouts are the same. */
#ifdef __cplusplus
extern "C++" {
#include <complex>
}
#define ISTHMUS_COMPLEX_DOUBLE std::complex<double>
#define ISTHMUS_COMPLEX_FLOAT  std::complex<float>
#else
#define ISTHMUS_COMPLEX_DOUBLE double _Complex
#define ISTHMUS_COMPLEX_FLOAT  float _Complex
#endif

/* The lists of types: X(type, name in routines). */

/* The C types of table 3 (standard RMA types) that differ from each other; generics select on them. */
#define SHMEM_DISTINCT_INTEGERS_64(X) \
    X(int, int)                       \
    X(long, long)                     \
    X(long long, longlong)            \
    X(unsigned int, uint)             \
    X(unsigned long, ulong)           \
    X(unsigned long long, ulonglong)
#define SHMEM_DISTINCT_INTEGERS(X) \
    SHMEM_DISTINCT_INTEGERS_64(X)  \
    X(char, char)                  \
    X(signed char, schar)          \
    X(short, short)                \
    X(unsigned char, uchar)        \
    X(unsigned short, ushort)
#define SHMEM_FLOATING_TYPES(X) \
    X(float, float)             \
    X(double, double)           \
    X(long double, longdouble)
#define SHMEM_DISTINCT_TYPES(X) \
    SHMEM_DISTINCT_INTEGERS(X)  \
    SHMEM_FLOATING_TYPES(X)

/* Table 5: standard atomic types, 12 of them. */
#define SHMEM_STANDARD_AMO_TYPES(X) \
    SHMEM_DISTINCT_INTEGERS_64(X)   \
    X(int32_t, int32)               \
    X(int64_t, int64)               \
    X(uint32_t, uint32)             \
    X(uint64_t, uint64)             \
    X(size_t, size)                 \
    X(ptrdiff_t, ptrdiff)
/* Table 6: extended atomic types add fetch, set and swap of the floating types. */
#define SHMEM_FLOATING_AMO_TYPES(X) \
    X(float, float)                 \
    X(double, double)
/* Table 7: bitwise atomic types. */
#define SHMEM_BITWISE_AMO_TYPES(X)  \
    X(unsigned int, uint)           \
    X(unsigned long, ulong)         \
    X(unsigned long long, ulonglong) \
    X(int32_t, int32)               \
    X(int64_t, int64)               \
    X(uint32_t, uint32)             \
    X(uint64_t, uint64)
#define SHMEM_SIGNED_FIXED_TYPES(X) \
    X(int8_t, int8)                 \
    X(int16_t, int16)               \
    X(int32_t, int32)               \
    X(int64_t, int64)
#define SHMEM_UNSIGNED_FIXED_TYPES(X) \
    X(uint8_t, uint8)                 \
    X(uint16_t, uint16)               \
    X(uint32_t, uint32)               \
    X(uint64_t, uint64)
/* Table 3: standard RMA types, 24 of them. */
#define SHMEM_RMA_INTEGERS(X)     \
    SHMEM_DISTINCT_INTEGERS(X)    \
    SHMEM_SIGNED_FIXED_TYPES(X)   \
    SHMEM_UNSIGNED_FIXED_TYPES(X) \
    X(size_t, size)               \
    X(ptrdiff_t, ptrdiff)
#define SHMEM_RMA_TYPES(X) \
    SHMEM_RMA_INTEGERS(X)  \
    SHMEM_FLOATING_TYPES(X)
/* Table 10: team reductions; of the bitwise ones, those types that differ from each other. */
#define SHMEM_DISTINCT_BITWISE_REDUCE_TYPES(X) \
    X(unsigned char, uchar)                    \
    X(unsigned short, ushort)                  \
    X(unsigned int, uint)                      \
    X(unsigned long, ulong)                    \
    X(unsigned long long, ulonglong)           \
    SHMEM_SIGNED_FIXED_TYPES(X)
#define SHMEM_BITWISE_REDUCE_TYPES(X)      \
    SHMEM_DISTINCT_BITWISE_REDUCE_TYPES(X) \
    SHMEM_UNSIGNED_FIXED_TYPES(X)          \
    X(size_t, size)
#define SHMEM_ORDERED_REDUCE_TYPES(X) SHMEM_RMA_TYPES(X)
#define SHMEM_COMPLEX_TYPES(X)          \
    X(ISTHMUS_COMPLEX_DOUBLE, complexd) \
    X(ISTHMUS_COMPLEX_FLOAT, complexf)
#define SHMEM_ARITHMETIC_REDUCE_TYPES(X) SHMEM_RMA_TYPES(X) SHMEM_COMPLEX_TYPES(X)
/* Table 11: active-set reductions (deprecated). */
#define SHMEM_BITWISE_TO_ALL_TYPES(X) \
    X(short, short)                   \
    X(int, int)                       \
    X(long, long)                     \
    X(long long, longlong)
#define SHMEM_ORDERED_TO_ALL_TYPES(X) \
    SHMEM_BITWISE_TO_ALL_TYPES(X)     \
    X(float, float)                   \
    X(double, double)                 \
    X(long double, longdouble)
#define SHMEM_ARITHMETIC_TO_ALL_TYPES(X) SHMEM_ORDERED_TO_ALL_TYPES(X) SHMEM_COMPLEX_TYPES(X)
/* Table 12: point-to-point types, and the two that are deprecated since 1.5. */
#define SHMEM_P2P_TYPES(X) SHMEM_STANDARD_AMO_TYPES(X)
#define SHMEM_DEPRECATED_P2P_TYPES(X) \
    X(short, short)                   \
    X(unsigned short, ushort)
/* shmem_TYPENAME_wait, deprecated since 1.4. */
#define SHMEM_WAIT_TYPES(X) \
    X(short, short)         \
    X(int, int)             \
    X(long, long)           \
    X(long long, longlong)
/* Sizes in bits of the untyped element routines. */
#define SHMEM_ELEMENT_SIZES(X) X(8) X(16) X(32) X(64) X(128)

#endif
