// C++ threads that wait for work at this PE and send it on to the next; one context a thread.
#include <shmem.h>

#include <cstdio>
#include <thread>
#include <vector>

static std::uint64_t inbox[4], done_total;

int main() {
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    std::vector<std::thread> workers;
    for (int id = 0; id < 4; ++id) {
        workers.emplace_back([=] {
            shmem_ctx_t ctx = SHMEM_CTX_INVALID;
            shmem_ctx_create(0, &ctx);
            for (std::uint64_t lap = 1; lap <= 5; ++lap) {
                if (me == 0) shmem_atomic_inc(ctx, &inbox[id], (me + 1) % npes);
                shmem_wait_until(&inbox[id], SHMEM_CMP_GE, lap);
                if (me != 0) shmem_atomic_inc(ctx, &inbox[id], (me + 1) % npes);
                shmem_atomic_add(ctx, &done_total, 1, 0);
            }
            shmem_ctx_destroy(ctx);
        });
    }
    for (std::thread& worker : workers)
        worker.join();
    shmem_barrier_all();
    if (me == 0)
        std::printf("%llu: %s\n", static_cast<unsigned long long>(done_total),
                    done_total == 20u * static_cast<unsigned>(npes) ? "ok" : "WRONG");
    shmem_finalize();
}
