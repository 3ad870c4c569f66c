/* Elements of every width, in heap and static data, near and far: what is beside them stays. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 96 };
static _Alignas(16) unsigned char data[kBytes];
static int me, right, left;

static void need(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "PE %d: %s\n", me, what);
    shmem_global_exit(1);
}

#define TRY(T, NAME)                                                                       \
    static void NAME##_(unsigned char* memory) {                                           \
        for (size_t at = 16; at < 64; at += sizeof(T)) {                                   \
            memset(memory, 0xa5, kBytes);                                                  \
            shmem_barrier_all();                                                           \
            const T sent = (T)(0x0123456789abcdefu * (unsigned)(me + 3) + at);             \
            const T expected = (T)(0x0123456789abcdefu * (unsigned)(left + 3) + at);       \
            shmem_##NAME##_p((T*)(memory + at), sent, right);                              \
            shmem_barrier_all();                                                           \
            need(memcmp(memory + at, &expected, sizeof(T)) == 0, "shmem_" #NAME "_p");     \
            for (size_t i = 0; i < kBytes; ++i)                                            \
                need((i >= at && i < at + sizeof(T)) || memory[i] == 0xa5,                 \
                     "shmem_" #NAME "_p writes beside its element");                       \
            need(shmem_##NAME##_g((T*)(memory + at), right) == sent, "shmem_" #NAME "_g"); \
            shmem_barrier_all();                                                           \
        }                                                                                  \
    }
TRY(signed char, schar)
TRY(short, short)
TRY(int, int)
TRY(long, long)
TRY(uint8_t, uint8)
TRY(uint16_t, uint16)
TRY(uint32_t, uint32)
TRY(uint64_t, uint64)
TRY(float, float)
TRY(double, double)

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    right = (me + 1) % shmem_n_pes();
    left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    unsigned char* const heap = shmem_align(16, kBytes);
    for (int in_data = 0; in_data < 2; ++in_data) {
        unsigned char* const memory = in_data ? data : heap;
        schar_(memory), short_(memory), int_(memory), long_(memory);
        uint8_(memory), uint16_(memory), uint32_(memory), uint64_(memory);
        float_(memory), double_(memory);
    }
    shmem_finalize();
    return 0;
}
