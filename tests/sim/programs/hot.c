/* Hot code, which the simulator translates: calls by pointers into other functions, memory of
 * several regions that grows and moves, rights taken away and given back while a loop runs, code
 * that is written anew, numbers near the ends of their range. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 20000

#define STEP(n)                                                     \
    static uint64_t step_##n(uint64_t v, double* sum) {             \
        *sum = *sum * 0.75 + (double)(int64_t)(v >> (n)) / (n + 1); \
        return v % 9 < n ? v * (2 * n + 1) + n : v / (n + 1) ^ n;   \
    }
STEP(1);
STEP(2);
STEP(3);
STEP(4);
STEP(5);
STEP(6);
STEP(7);
STEP(8);
static uint64_t (*const steps[])(uint64_t, double*) = {step_1, step_2, step_3, step_4,
                                                       step_5, step_6, step_7, step_8};

static uint64_t deep(unsigned n, uint64_t v) {
    volatile uint64_t kept = v;
    return n == 0 ? v : deep(n - 1, v * 3 + n) + kept;
}

static sigjmp_buf back;
static void fault(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

static __attribute__((noinline)) uint64_t fill(volatile uint64_t* words, unsigned n, uint64_t v) {
    for (unsigned i = 0; i < n; ++i)
        words[i] = v + i;
    return words[n - 1];
}

/* The same loads and stores reach memory of one region and of another. */
static __attribute__((noinline)) uint64_t stir(volatile uint64_t* words, unsigned n, uint64_t v) {
    for (unsigned i = 0; i < n; ++i) {
        const uint64_t old = words[i];
        words[(i * 7 + 1) % n] = old ^ v;
        v += old / (i % 5 + 1) + old % (v % 1000 + 1);
        v ^= (uint64_t)(((unsigned __int128)old * (v | 1)) >> 64);
    }
    return v;
}

/* What compilers write as two shifts. */
static __attribute__((noinline)) uint64_t cut(uint64_t v) {
    uint64_t sum = (uint64_t)(uint32_t)v << 3;
    sum = sum * 5 + (uint64_t)(uint16_t)v;
    sum = sum * 5 + (uint64_t)(int64_t)(int16_t)(v >> 7);
    sum = sum * 5 + (uint64_t)(int64_t)(int8_t)(v >> 3);
    sum = sum * 5 + (v << 32 >> 37);
    sum = sum * 5 + (v << 32 >> 32);
    sum = sum * 5 + (v << 48 >> 51);
    return sum * 5 + (uint64_t)((int64_t)(v << 32) >> 40);
}

int main(void) {
    uint64_t v = 88172645463325252u;
    double sum = 0;
    for (unsigned i = 0; i < ROUNDS; ++i) {
        v ^= v << 13, v ^= v >> 7, v ^= v << 17;
        v += steps[v % 8](v, &sum);
    }
    printf("calls %llu %.17g\n", (unsigned long long)v, sum);
    for (unsigned i = 0; i < 300; ++i)
        v += deep(i % 60, v);
    printf("deep %llu\n", (unsigned long long)v);

    unsigned char* block = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < 60; ++i) {
        block = realloc(block, size + 5000 * (i % 9 + 1));
        memset(block + size, (int)i, 5000 * (i % 9 + 1));
        size += 5000 * (i % 9 + 1);
        void* const beside = sbrk(4096 * (intptr_t)(i % 3));
        if (beside == (void*)-1) return 1;
    }
    uint64_t of_bytes = 0;
    for (size_t i = 0; i < size; ++i)
        of_bytes = of_bytes * 31 + block[i];
    printf("heap %zu %llu\n", size, (unsigned long long)of_bytes);

    static uint64_t of_program[64];
    uint64_t of_stack[64] = {0};
    uint64_t* const beside_both =
        mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t* const places[] = {of_program, of_stack, (uint64_t*)block, beside_both};
    for (unsigned i = 0; i < 3000; ++i) {
        v = stir(places[i % 7 % 4], i % 64 + 1, v);
        v += stir((uint64_t*)((char*)beside_both + 4092 - i % 5), 3, v) + cut(v);
    }
    printf("regions %llu\n", (unsigned long long)v);

    signal(SIGSEGV, fault);
    uint64_t* const words =
        mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned faults = 0;
    for (volatile unsigned i = 0; i < 200; ++i) {
        if (sigsetjmp(back, 1) == 0)
            v += fill(words, 8192, i);
        else
            ++faults;
        if (i % 20 == 10) mprotect(words, 1 << 16, i % 40 == 10 ? PROT_READ : PROT_NONE);
        if (i % 20 == 15) mprotect(words, 1 << 16, PROT_READ | PROT_WRITE);
    }
    printf("rights %u %llu\n", faults, (unsigned long long)v);

    /* addi a0, a0, N; ret */
    uint32_t* const code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t of_code = 0;
    for (unsigned i = 0; i < 40; ++i) {
        code[0] = 0x00050513u | i << 20;
        code[1] = 0x00008067u;
        __builtin___clear_cache((char*)code, (char*)(code + 2));
        for (unsigned k = 0; k < 100; ++k)
            of_code = ((uint64_t(*)(uint64_t))(uintptr_t)code)(of_code);
    }
    printf("code %llu\n", (unsigned long long)of_code);

    double small = 1, big = 1;
    float narrow = 1;
    int whole = 0;
    for (unsigned i = 0; i < ROUNDS; ++i) {
        small = small * 0.7 < 1e-310 ? 1 : small * 0.7;
        big = big * 1.9 > 1e308 ? 1 : big * 1.9;
        narrow = narrow / 3.7f == 0 ? 1 : narrow / 3.7f;
        whole += small < (double)narrow ? (int)(big / 1e301) : (int)(narrow * 100);
        sum += (float)(big * small) != (float)narrow ? small - big / 1e290 : (double)i;
    }
    printf("numbers %.17g %.17g %.9g %d %.17g\n", small, big, (double)narrow, whole, sum);
    return 0;
}
