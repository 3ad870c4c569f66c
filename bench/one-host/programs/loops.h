/* The copy loops that a put is compared with: the C library's, the processor's own, and vector
 * loops of every width, plain, past the caches, and with the destination claimed ahead. */
#ifndef ISTHMUS_BENCH_LOOPS_H
#define ISTHMUS_BENCH_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void (*copy_loop)(void* dest, const void* source, size_t bytes);

struct named_loop {
    const char* name;
    copy_loop copy;
};

static void loop_memcpy(void* dest, const void* source, size_t bytes) {
    memcpy(dest, source, bytes);
}

#if defined(__x86_64__)
#include <immintrin.h>

static void loop_rep_movsb(void* dest, const void* source, size_t bytes) {
    __asm__ __volatile__("rep movsb" : "+D"(dest), "+S"(source), "+c"(bytes)::"memory");
}

/* One line unaligned at either end, aligned stores between them, GROUP vectors at a time. AHEAD:
 * bytes ahead at which lines of the destination are claimed, or 0. */
#define VECTOR_LOOP(NAME, TARGET, REGISTER, LOAD, STORE, STORE_ANYWHERE, GROUP, AHEAD, AT_END) \
    __attribute__((target(TARGET))) static void NAME(void* dest, const void* source,           \
                                                     size_t bytes) {                           \
        enum { kWidth = sizeof(REGISTER), kStep = (GROUP) * sizeof(REGISTER) };                \
        char* to = (char*)dest;                                                                \
        const char* from = (const char*)source;                                                \
        char* const end = to + bytes;                                                          \
        for (int i = 0; i < 64; i += kWidth)                                                   \
            STORE_ANYWHERE((REGISTER*)(to + i), LOAD((const REGISTER*)(from + i)));            \
        const size_t head = -(uintptr_t)to & 63;                                               \
        to += head;                                                                            \
        from += head;                                                                          \
        for (; to <= end - kStep; to += kStep, from += kStep) {                                \
            if (AHEAD) {                                                                       \
                for (int i = 0; i < kStep; i += 64)                                            \
                    __builtin_prefetch(to + (AHEAD) + i, 1, 3);                                \
            }                                                                                  \
            REGISTER group[GROUP];                                                             \
            _Pragma("GCC unroll 8") for (int i = 0; i < (GROUP); ++i) group[i] =               \
                LOAD((const REGISTER*)(from + i * kWidth));                                    \
            _Pragma("GCC unroll 8") for (int i = 0; i < (GROUP); ++i)                          \
                STORE((REGISTER*)(to + i * kWidth), group[i]);                                 \
        }                                                                                      \
        AT_END;                                                                                \
        for (; to < end - 64; to += 64, from += 64) {                                          \
            for (int i = 0; i < 64; i += kWidth)                                               \
                STORE_ANYWHERE((REGISTER*)(to + i), LOAD((const REGISTER*)(from + i)));        \
        }                                                                                      \
        to = end - 64;                                                                         \
        from = (const char*)source + bytes - 64;                                               \
        for (int i = 0; i < 64; i += kWidth)                                                   \
            STORE_ANYWHERE((REGISTER*)(to + i), LOAD((const REGISTER*)(from + i)));            \
    }
#define VECTOR_LOOP_(...) VECTOR_LOOP(__VA_ARGS__)
#define AVX2              "avx2", __m256i, _mm256_loadu_si256, _mm256_store_si256, _mm256_storeu_si256
#define AVX2_PAST         "avx2", __m256i, _mm256_loadu_si256, _mm256_stream_si256, _mm256_storeu_si256
#define AVX512            "avx512f", __m512i, _mm512_loadu_si512, _mm512_store_si512, _mm512_storeu_si512
#define AVX512_PAST       "avx512f", __m512i, _mm512_loadu_si512, _mm512_stream_si512, _mm512_storeu_si512
VECTOR_LOOP_(loop_avx2, AVX2, 4, 0, (void)0)
VECTOR_LOOP_(loop_avx2_claimed, AVX2, 2, 512, (void)0)
VECTOR_LOOP_(loop_avx2_past, AVX2_PAST, 4, 0, _mm_sfence())
VECTOR_LOOP_(loop_avx512, AVX512, 4, 0, (void)0)
VECTOR_LOOP_(loop_avx512_claimed, AVX512, 2, 512, (void)0)
VECTOR_LOOP_(loop_avx512_past, AVX512_PAST, 4, 0, _mm_sfence())
#endif

/* Fills `loops`, which has room for 8, with those that this processor has; returns how many. */
static int available_loops(struct named_loop* loops) {
    int count = 0;
    loops[count++] = (struct named_loop){"memcpy", loop_memcpy};
#if defined(__x86_64__)
    loops[count++] = (struct named_loop){"rep-movsb", loop_rep_movsb};
    if (__builtin_cpu_supports("avx2")) {
        loops[count++] = (struct named_loop){"avx2", loop_avx2};
        loops[count++] = (struct named_loop){"avx2-claimed", loop_avx2_claimed};
        loops[count++] = (struct named_loop){"avx2-past-caches", loop_avx2_past};
    }
    if (__builtin_cpu_supports("avx512f")) {
        loops[count++] = (struct named_loop){"avx512", loop_avx512};
        loops[count++] = (struct named_loop){"avx512-claimed", loop_avx512_claimed};
        loops[count++] = (struct named_loop){"avx512-past-caches", loop_avx512_past};
    }
#endif
    return count;
}

#endif
