// Compiled with -g: C++'s names without a type are functions of the library's in the program, and
// what is told is where those are called. The lines' numbers stand in CMakeLists.txt.
#include <shmem.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "isthmus/model.h"
#include "isthmus/queue.h"

// What a program may name as the library does.
namespace isthmus::app {
[[gnu::noinline]] void send(long* block, int pe) {
    shmem_long_p(block + 10, 1, pe);
    shmem_fence();
}
}  // namespace isthmus::app

struct Row {
    long* words;
};
[[gnu::noinline]] static void shmem_p(Row row, int pe) {
    shmem_long_p(row.words + 10, 1, pe);
    shmem_fence();
}

namespace {

// A name as the library's, of a function that is none of its.
void shmem_put_row(long* block, int pe) {
    shmem_put(block + 10, block, 2, pe);
}

// Memory when it was looked at before.
void put_given_back(long* block, int pe) {
    constexpr std::size_t kBytes = 4096;
    void* const memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; ++i) {
        shmem_put(block, static_cast<long*>(memory), 3, pe);
        munmap(memory, kBytes);
    }
}

int run(const char* mistake, int pe) {
    auto* const block = static_cast<long*>(shmem_calloc(10, sizeof(long)));
    static const long constant = 1;
    long* const read_only = const_cast<long*>(&constant);
    shmem_barrier_all();
    if (std::strcmp(mistake, "put") == 0)
        shmem_put(block + 10, block, 1, pe);
    else if (std::strcmp(mistake, "p") == 0)
        shmem_p(block + 10, 3L, pe);
    else if (std::strcmp(mistake, "add") == 0)
        shmem_atomic_add(block + 10, 3L, pe);
    else if (std::strcmp(mistake, "reduce") == 0)
        shmem_sum_reduce(SHMEM_TEAM_WORLD, block, block + 1, 4);
    else if (std::strcmp(mistake, "constant") == 0)
        shmem_p(read_only, 3L, pe);
    else if (std::strcmp(mistake, "row") == 0)
        shmem_put_row(block, pe);
    else if (std::strcmp(mistake, "gone") == 0)
        put_given_back(block, pe);
    else if (std::strcmp(mistake, "header") == 0)
        put_behind_block(block, pe);
    else if (std::strcmp(mistake, "queue") == 0)
        reduce_behind_block(block);
    else if (std::strcmp(mistake, "space") == 0)
        isthmus::app::send(block, pe);
    else if (std::strcmp(mistake, "own") == 0)
        shmem_p(Row{block}, pe);
    else
        return 64;
    shmem_barrier_all();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    shmem_init();
    const int status = argc > 1 ? run(argv[1], (shmem_my_pe() + 1) % shmem_n_pes()) : 64;
    shmem_finalize();
    if (status != 0) std::fputs("no such mistake\n", stderr);
    return status;
}
