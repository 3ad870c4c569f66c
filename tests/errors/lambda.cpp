// Compiled with -g by Clang: a call in a lambda that is inlined into a function of the C++
// library's.
#include <shmem.h>

#include <cstdio>
#include <functional>
#include <vector>

int main() {
    shmem_init();
    auto* const block = static_cast<long*>(shmem_calloc(10, sizeof(long)));
    const int pe = (shmem_my_pe() + 1) % shmem_n_pes();
    const std::function<void()> add = [=] {
        shmem_atomic_inc(block + 10, pe);
        std::puts("not refused");
    };
    const std::vector<std::function<void()>> all{add};
    for (const auto& each : all)
        each();
    shmem_finalize();
}
