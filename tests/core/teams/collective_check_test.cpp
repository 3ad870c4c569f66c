// Calls that checked mode must refuse; the argument says which. The texts are compared by ctest.
#include <shmem.h>

#include <cstdio>
#include <cstring>

namespace {

long data[4096];
long psync[SHMEM_SYNC_SIZE];

}  // namespace

int main(int count, char** arguments) {
    const char* const what = count > 1 ? arguments[1] : "";
    const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
    long on_stack[8] = {};
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    auto* const dest = static_cast<long*>(shmem_malloc(4096 * sizeof(long)));
    shmem_team_t everyone = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, nullptr, 0, &everyone);
    const bool last = me == pes - 1;
    if (is("nelems")) shmem_long_broadcast(everyone, dest, data, last ? 8 : 4, 0);
    if (is("root")) shmem_long_broadcast(everyone, dest, data, 4, last ? 1 : 0);
    if (is("range")) shmem_long_broadcast(everyone, dest, data, 4, pes);
    if (is("routine")) {
        if (last)
            shmem_long_sum_reduce(everyone, dest, data, 1);
        else
            shmem_team_sync(everyone);
    }
    if (is("operation")) {
        if (last)
            shmem_long_sum_reduce(everyone, dest, data, 1);
        else
            shmem_long_max_reduce(everyone, dest, data, 1);
    }
    if (is("element")) {
        if (last)
            shmem_int_fcollect(everyone, reinterpret_cast<int*>(dest), reinterpret_cast<int*>(data),
                               4);
        else
            shmem_long_fcollect(everyone, dest, data, 4);
    }
    if (is("dest")) shmem_long_fcollect(everyone, last ? dest + 1 : dest, data, 4);
    if (is("stack")) shmem_long_broadcast(everyone, on_stack, data, 4, 0);
    if (is("source")) shmem_long_sum_reduce(everyone, dest, on_stack, 4);
    if (is("overlap")) shmem_long_sum_reduce(everyone, dest, dest + 2, 4);
    if (is("in_place")) shmem_long_alltoall(everyone, dest, dest, 1);
    if (is("stride")) shmem_long_alltoalls(everyone, dest, data, 1, last ? 3 : 2, 4);
    if (is("zero_stride")) shmem_long_alltoalls(everyone, dest, data, 0, 1, 4);
    if (is("split")) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        shmem_team_split_strided(everyone, 0, 1, last ? pes : 1, nullptr, 0, &team);
    }
    if (is("set")) shmem_broadcast64(dest, data, last ? 8 : 4, 0, 0, 0, pes, psync);
    if (is("psync")) shmem_barrier(0, 0, pes, on_stack);
    if (is("no_set")) shmem_barrier(0, 0, pes + 1, psync);
    if (is("not_member") && last) shmem_barrier(0, 0, pes - 1, psync);
    if (is("destroyed")) {
        shmem_team_destroy(everyone);
        shmem_team_sync(everyone);
    }
    if (is("world")) shmem_team_destroy(SHMEM_TEAM_WORLD);
    // What is right passes.
    if (is("right")) {
        shmem_long_broadcast(everyone, dest, data, 4, 0);
        shmem_long_sum_reduce(everyone, dest, dest, 4);
        shmem_long_collect(everyone, dest, data, static_cast<std::size_t>(me));
        shmem_long_alltoalls(everyone, dest, data, 2, 3, 4);
        shmem_barrier(0, 0, pes, psync);
        shmem_broadcast64(dest, data, 4, 0, 0, 0, pes, psync);
        shmem_team_destroy(everyone);
        shmem_barrier_all();
        if (me == 0) std::puts("nothing to refuse");
    }
    shmem_finalize();
    return 0;
}
