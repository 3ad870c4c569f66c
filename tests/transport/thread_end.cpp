// Calls from what runs when a thread ends: destructors of thread_local objects and of keys. Each
// counter is one thread's, so every value that it fetches is certain.
#include <pthread.h>
#include <shmem.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 5;
constexpr int kCalls = 100;

long* counters;
int neighbour;
std::atomic<long> wrong{0};

void expect(long counter, long value) {
    if (shmem_long_atomic_fetch_add(counters + counter, 1, neighbour) != value)
        wrong.fetch_add(1, std::memory_order_relaxed);
}

void count_on(long counter) {
    for (long i = 1; i <= kCalls; ++i)
        expect(counter, i);
}

struct AtEnd {
    long counter = -1;
    ~AtEnd() {
        if (counter >= 0) count_on(counter);
    }
};
thread_local AtEnd at_end;

void key_destructor(void* counter) {
    count_on(static_cast<long*>(counter) - counters);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const bool by_key = std::strcmp(argv[1], "key") == 0;
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    neighbour = (shmem_my_pe() + 1) % shmem_n_pes();
    counters = static_cast<long*>(shmem_calloc(kThreads * kRounds, sizeof *counters));
    pthread_key_t key;
    pthread_key_create(&key, key_destructor);
    shmem_barrier_all();
    for (int round = 0; round < kRounds; ++round) {
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([=] {
                const long counter = round * kThreads + thread;
                // Before the thread's first call of the library.
                if (by_key)
                    pthread_setspecific(key, counters + counter);
                else
                    at_end.counter = counter;
                expect(counter, 0);
            });
        }
        for (std::thread& thread : threads)
            thread.join();
    }
    shmem_barrier_all();
    const long count = wrong.load(std::memory_order_relaxed);
    if (count != 0) std::printf("PE %d: %ld wrong values\n", shmem_my_pe(), count);
    shmem_finalize();
    return count != 0;
}
