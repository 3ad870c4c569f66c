// The C++ overloads; see generics.h. The header is included the way old C++ programs do it.
extern "C" {
#include <shmem.h>
}
#include "generics.h"

namespace {

// What the C++ face adds: typed routines that take pointers to volatile, as 1.3 declared them.
void volatile_arguments() {
    static volatile long flag;
    static volatile int number;
    static volatile long lock;
    shmem_barrier_all();
    shmem_long_p(const_cast<long*>(&flag), 3, next);
    shmem_p(&number, 4, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 3);
    shmem_long_wait(&flag, 0);
    shmem_wait(&flag, 0);
    shmem_wait_until(&flag, SHMEM_CMP_EQ, 3);
    shmem_int_wait_until(&number, SHMEM_CMP_EQ, 4);
    CHECK(shmem_int_test(&number, SHMEM_CMP_EQ, 4) == 1);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    if (shmem_test_lock(&lock) == 0) shmem_clear_lock(&lock);
    shmem_barrier_all();
}

// C's complex types beside std::complex.
template <typename Complex>
void set_complex(Complex& number, double real, double imaginary) {
    __real__ number = real;
    __imag__ number = imaginary;
}
// Of me + i and of 1 - me * i.
template <typename Complex>
bool is_sum_of_all(Complex* sum) {
    const double all = pes * (pes - 1) / 2;
    const bool is = __real__ sum[0] == all && __imag__ sum[0] == pes && __real__ sum[1] == pes &&
                    __imag__ sum[1] == -all;
    set_complex(sum[0], 0, 0);
    shmem_barrier_all();
    return is;
}
// By the typed names and by the generic one.
#define C_COMPLEX(NAME)                                                               \
    void NAME##_sums() {                                                              \
        static isthmus_c_##NAME mine[2], sum[2], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE]; \
        static long sync[SHMEM_REDUCE_SYNC_SIZE];                                     \
        for (long& word : sync)                                                       \
            word = SHMEM_SYNC_VALUE;                                                  \
        set_complex(mine[0], me, 1);                                                  \
        set_complex(mine[1], 1, -me);                                                 \
        shmem_barrier_all();                                                          \
        CHECK(shmem_##NAME##_sum_reduce(SHMEM_TEAM_WORLD, sum, mine, 2) == 0);        \
        CHECK(is_sum_of_all(sum));                                                    \
        CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, sum, mine, 2) == 0);                 \
        CHECK(is_sum_of_all(sum));                                                    \
        shmem_##NAME##_sum_to_all(sum, mine, 2, 0, 0, pes, work, sync);               \
        CHECK(is_sum_of_all(sum));                                                    \
    }
C_COMPLEX(complexd)
C_COMPLEX(complexf)

}  // namespace

int main() {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    next = (me + 1) % pes;
    volatile_arguments();
    complexd_sums();
    complexf_sums();
    const int result = run();
    shmem_finalize();
    return result != 0 || failures != 0 ? 1 : 0;
}
