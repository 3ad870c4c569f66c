// C++: a vector over symmetric memory, sorted pieces merged at PE 0, reductions by overloads.
#include <shmem.h>
#include <algorithm>
#include <complex>
#include <cstdio>
#include <new>
#include <vector>

template <class T>
struct SymmetricAllocator {
    typedef T value_type;
    SymmetricAllocator() {}
    template <class U>
    SymmetricAllocator(const SymmetricAllocator<U>&) {}
    T* allocate(std::size_t n) {
        void* block = shmem_malloc(n * sizeof(T));
        if (!block) throw std::bad_alloc();
        return static_cast<T*>(block);
    }
    void deallocate(T* block, std::size_t) { shmem_free(block); }
};
template <class T, class U>
bool operator==(const SymmetricAllocator<T>&, const SymmetricAllocator<U>&) {
    return true;
}
template <class T, class U>
bool operator!=(const SymmetricAllocator<T>&, const SymmetricAllocator<U>&) {
    return false;
}

int main() {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    bool ok = true;
    {
        std::vector<int, SymmetricAllocator<int>> all(100 * npes), mine(100);
        for (int i = 0; i < 100; ++i)
            mine[i] = (i * 37 + me * 11) % 101;
        std::sort(mine.begin(), mine.end());
        shmem_barrier_all();
        shmem_put(&all[100 * me], mine.data(), mine.size(), 0);
        shmem_barrier_all();
        if (me == 0) {
            for (int pe = 1; pe < npes; ++pe)
                std::inplace_merge(all.begin(), all.begin() + 100 * pe,
                                   all.begin() + 100 * (pe + 1));
            ok = std::is_sorted(all.begin(), all.end());
        }
        std::vector<std::complex<double>, SymmetricAllocator<std::complex<double>>> z(2), sum(2);
        z[0] = std::complex<double>(me, 1);
        z[1] = std::complex<double>(0, -me);
        shmem_barrier_all();
        ok = ok && shmem_sum_reduce(SHMEM_TEAM_WORLD, sum.data(), z.data(), 2) == 0;
        const double total = npes * (npes - 1) / 2;
        ok = ok && sum[0] == std::complex<double>(total, npes) &&
             sum[1] == std::complex<double>(0, -total);
        shmem_barrier_all();
    }
    std::printf("%s\n", ok ? "vectors ok" : "WRONG");
    shmem_finalize();
    return 0;
}
