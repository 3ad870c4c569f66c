/* Programs put one type as another of the same size, as through any library: int64_t as long long,
 * a pointer or an enumeration as an integer, bits of a float. And their variables have the names of
 * old routines. */
#include <inttypes.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

int my_pe, num_pes;
enum state { IDLE, BUSY };

int main(void) {
    shmem_init();
    my_pe = shmem_my_pe();
    num_pes = shmem_n_pes();
    int bad = my_pe() != my_pe || num_pes() != num_pes;
    int64_t* box = shmem_malloc(sizeof *box);
    enum state* state = shmem_malloc(sizeof *state);
    void** pointer = shmem_malloc(sizeof *pointer);
    double* real = shmem_malloc(sizeof *real);
    float* single = shmem_malloc(sizeof *single);
    for (int round = 0; round < 1000; ++round) {
        *box = -1;
        shmem_longlong_p((long long*)box, round, my_pe);
        bad += *box != round;
        *box = 2 * round;
        bad += shmem_longlong_g((long long*)box, my_pe) != 2 * round;
        *state = IDLE;
        shmem_int_p((int*)state, BUSY, my_pe);
        bad += *state != BUSY;
        *pointer = NULL;
        shmem_long_p((long*)pointer, (long)(intptr_t)box, my_pe);
        bad += *pointer != box;
        *real = 0;
        shmem_uint64_p((uint64_t*)real, 0x3ff0000000000000u, my_pe);
        bad += *real != 1;
        *single = (float)round;
        bad += shmem_uint_g((unsigned*)single, my_pe) == 0 && round != 0;
        *box = round;
        shmem_longlong_atomic_add((long long*)box, 1, my_pe);
        bad += *box != round + 1;
        *real = 0;
        shmem_putmem(real, &(uint64_t){0x4000000000000000u}, 8, my_pe);
        bad += *real != 2;
    }
    printf("PE %d of %d: %s\n", my_pe, num_pes, bad ? "WRONG" : "ok");
    shmem_finalize();
    return bad != 0;
}
