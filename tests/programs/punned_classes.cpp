// As punned.c, in C++; with a member of an old routine's name.
#include <shmem.h>

#include <cstdint>
#include <cstdio>

enum class State : int { idle, busy };
struct Place {
    int my_pe() const { return ::shmem_my_pe(); }
};

int main() {
    shmem_init();
    const int me = Place().my_pe();
    auto* const state = static_cast<State*>(shmem_malloc(sizeof(State)));
    auto* const pointer = static_cast<void**>(shmem_malloc(sizeof(void*)));
    auto* const real = static_cast<double*>(shmem_malloc(sizeof(double)));
    int bad = 0;
    for (int round = 0; round < 1000; ++round) {
        *state = State::idle;
        shmem_int_p(reinterpret_cast<int*>(state), static_cast<int>(State::busy), me);
        bad += *state != State::busy;
        *pointer = nullptr;
        shmem_long_p(reinterpret_cast<long*>(pointer), 0x1234 + round, me);
        bad += *pointer != reinterpret_cast<void*>(static_cast<std::intptr_t>(0x1234 + round));
        *real = round;
        std::uint64_t bits = 0x3ff0000000000000u;
        shmem_p(reinterpret_cast<std::uint64_t*>(real), bits, me);
        bad += *real != 1;
    }
    std::printf("PE %d: %s\n", me, bad ? "WRONG" : "ok");
    shmem_finalize();
    return bad != 0;
}
