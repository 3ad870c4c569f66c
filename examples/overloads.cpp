// OpenSHMEM from C++: the same names as in C11, as overloads, so templates can use them.
//
// New here: a class template over symmetric memory. A vector that is divided among the PEs, whose
// elements anybody reads and writes.
#include <shmem.h>

#include <complex>
#include <cstddef>
#include <cstdio>
#include <new>

template <typename T>
class DistributedVector {
  public:
    // Collective: every PE makes it with the same size.
    explicit DistributedVector(std::size_t size)
        : per_pe_((size + static_cast<std::size_t>(shmem_n_pes()) - 1) /
                  static_cast<std::size_t>(shmem_n_pes())),
          part_(static_cast<T*>(shmem_calloc(per_pe_, sizeof(T)))) {
        if (!part_) throw std::bad_alloc();
    }
    DistributedVector(const DistributedVector&) = delete;
    DistributedVector& operator=(const DistributedVector&) = delete;
    ~DistributedVector() { shmem_free(part_); }

    T get(std::size_t i) const { return shmem_g(place(i), owner(i)); }
    void set(std::size_t i, T value) { shmem_p(place(i), value, owner(i)); }
    T fetch_add(std::size_t i, T value) {
        return shmem_atomic_fetch_add(place(i), value, owner(i));
    }

  private:
    int owner(std::size_t i) const { return static_cast<int>(i / per_pe_); }
    T* place(std::size_t i) const { return part_ + i % per_pe_; }
    std::size_t per_pe_;
    T* part_;  // this PE's part; the address of every other PE's as well
};

int main() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    bool wrong = false;
    {
        constexpr std::size_t kSize = 1000;
        DistributedVector<long> counts(kSize);
        DistributedVector<double> halves(kSize);
        for (std::size_t i = 0; i < kSize; ++i)
            counts.fetch_add(i, static_cast<long>(i));
        for (auto i = static_cast<std::size_t>(me); i < kSize; i += static_cast<std::size_t>(pes))
            halves.set(i, static_cast<double>(i) / 2);
        shmem_barrier_all();

        long sum = 0;
        double half_sum = 0;
        for (std::size_t i = 0; i < kSize; ++i) {
            sum += counts.get(i);
            half_sum += halves.get(i);
        }
        wrong = sum != pes * 499500L || half_sum != 249750.0;
        if (me == 0) std::printf("sums %ld and %.1f\n", sum, half_sum);
        shmem_barrier_all();  // all have read before the vectors go
    }
    static std::complex<double> wave, waves;
    wave = {1, static_cast<double>(me)};
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &waves, &wave, 1);
    wrong = wrong || waves != std::complex<double>(pes, pes * (pes - 1) / 2.0);
    if (me == 0) std::printf("complex sum %.0f + %.0fi\n", waves.real(), waves.imag());
    shmem_finalize();
    return wrong;
}
