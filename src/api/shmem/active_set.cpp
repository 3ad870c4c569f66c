// Collectives over active sets (9.10), deprecated since 1.5. A set gets a hidden team when it is
// first used, so it is as fast as one; pWrk is not needed, pSync only where there is no such team.
#include <algorithm>

#include "api/shmem/collectives.hpp"
#include "core/reach/channel.hpp"
#include "core/teams/team_table.hpp"

namespace isthmus::shmem {
namespace {

// A set other than last time's, or checked mode.
template <typename Run>
[[gnu::noinline]] void run_in_other_set(Routine routine, const char* name, int start,
                                        int log_stride, int size, long* psync, Run run) {
    if (isthmus_team_world.slot < 0) [[unlikely]]
        refuse_team(isthmus_team_world, name);
    bool is_unused = true;
    if (job.checked) [[unlikely]] {
        check_thread(name);
        is_unused = collective::check_psync(name, psync);
        collective::set_routine = name;
    }
    note(routine);
    alignas(Team) unsigned char storage[sizeof(Team)];  // written only where there is no team
    Team& team = last_found.is(start, log_stride, size)
                     ? *last_found.team
                     : find_active_set_team(routine, name, start, log_stride, size, psync,
                                            *reinterpret_cast<Team*>(storage));
    if (!is_unused && !team.psync) [[unlikely]]
        collective::check_unused_psync(name, psync);
    run(team);
    collective::set_routine = nullptr;
}

// Runs the operation in the team behind the arguments.
template <typename Run>
inline void run_in_set(Routine routine, const char* name, int start, int log_stride, int size,
                       long* psync, Run&& run) {
    const HiddenTeam& last = last_hidden;
    if (last.is(start, log_stride, size)) [[likely]]
        return run(*last.team);
    run_in_other_set(routine, name, start, log_stride, size, psync, run);
}

// Checked mode: as many elements as the standard asks for. It is not used here, and elsewhere it
// is.
[[gnu::cold, gnu::noinline]] void check_work_array(const char* name, const void* work, int nreduce,
                                                   std::size_t unit) {
    require_running(name);
    const std::size_t half = nreduce > 0 ? static_cast<std::size_t>(nreduce) / 2 + 1 : 0;
    const std::size_t elements = std::max<std::size_t>(half, SHMEM_REDUCE_MIN_WRKDATA_SIZE);
    collective::check_work(name, work, elements * unit);
}

// Messages name the routine as it is called: that of __func__ behind its p.
#define ISTHMUS_IN_SET(ROUTINE, ...)                                                   \
    run_in_set(Routine::ROUTINE, __func__ + 1, PE_start, logPE_stride, PE_size, pSync, \
               [&](Team& team) { __VA_ARGS__; })

}  // namespace
}  // namespace isthmus::shmem

using namespace isthmus;
using namespace isthmus::shmem;

ISTHMUS_API void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long* pSync) {
    if (far::present) far::quiet_all();
    ISTHMUS_IN_SET(barrier, checked_barrier(team, Routine::barrier));
}

ISTHMUS_API void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long* pSync) {
    ISTHMUS_IN_SET(sync, checked_barrier(team, Routine::sync));
}

#define ISTHMUS_DEFINE_SIZED(BITS)                                                               \
    ISTHMUS_API void pshmem_broadcast##BITS(void* dest, const void* source, size_t nelems,       \
                                            int PE_root, SHMEM_ACTIVE_SET_, long* pSync) {       \
        ISTHMUS_IN_SET(broadcast,                                                                \
                       checked_broadcast(team, dest, source, nelems, BITS / 8, PE_root, false)); \
    }                                                                                            \
    ISTHMUS_API void pshmem_collect##BITS(void* dest, const void* source, size_t nelems,         \
                                          SHMEM_ACTIVE_SET_, long* pSync) {                      \
        ISTHMUS_IN_SET(collect, checked_collect(team, dest, source, nelems, BITS / 8));          \
    }                                                                                            \
    ISTHMUS_API void pshmem_fcollect##BITS(void* dest, const void* source, size_t nelems,        \
                                           SHMEM_ACTIVE_SET_, long* pSync) {                     \
        ISTHMUS_IN_SET(fcollect, checked_fcollect(team, dest, source, nelems, BITS / 8));        \
    }                                                                                            \
    ISTHMUS_API void pshmem_alltoall##BITS(void* dest, const void* source, size_t nelems,        \
                                           SHMEM_ACTIVE_SET_, long* pSync) {                     \
        ISTHMUS_IN_SET(alltoall, checked_alltoall(team, dest, source, nelems, BITS / 8));        \
    }                                                                                            \
    ISTHMUS_API void pshmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst,       \
                                            ptrdiff_t sst, size_t nelems, SHMEM_ACTIVE_SET_,     \
                                            long* pSync) {                                       \
        ISTHMUS_IN_SET(alltoalls,                                                                \
                       checked_alltoalls(team, dest, source, dst, sst, nelems, BITS / 8));       \
    }
ISTHMUS_DEFINE_SIZED(32)
ISTHMUS_DEFINE_SIZED(64)
SHMEM_TABLE_ACTIVE_SET(ISTHMUS_ALIAS)

#define ISTHMUS_DEFINE_TO_ALL(T, NAME, OPERATION)                                               \
    ISTHMUS_API void pshmem_##NAME(T* dest, const T* source, int nreduce, SHMEM_ACTIVE_SET_,    \
                                   T* pWrk, long* pSync) {                                      \
        if (job.checked) [[unlikely]]                                                           \
            check_work_array(__func__ + 1, pWrk, nreduce, sizeof(T));                           \
        note(Routine::NAME);                                                                    \
        ISTHMUS_IN_SET(                                                                         \
            NAME, checked_reduce(team, Operation::OPERATION, collective::kind_of<T>(), dest,    \
                                 source, nreduce > 0 ? static_cast<std::size_t>(nreduce) : 0)); \
    }
#define ISTHMUS_DEFINE_BITWISE(T, N)                  \
    ISTHMUS_DEFINE_TO_ALL(T, N##_and_to_all, bit_and) \
    ISTHMUS_DEFINE_TO_ALL(T, N##_or_to_all, bit_or)   \
    ISTHMUS_DEFINE_TO_ALL(T, N##_xor_to_all, bit_xor) \
    SHMEM_TABLE_TO_ALL_BITWISE(ISTHMUS_ALIAS, T, N)
SHMEM_BITWISE_TO_ALL_TYPES(ISTHMUS_DEFINE_BITWISE)

#define ISTHMUS_DEFINE_ORDERED(T, N)              \
    ISTHMUS_DEFINE_TO_ALL(T, N##_max_to_all, max) \
    ISTHMUS_DEFINE_TO_ALL(T, N##_min_to_all, min) \
    SHMEM_TABLE_TO_ALL_ORDERED(ISTHMUS_ALIAS, T, N)
SHMEM_ORDERED_TO_ALL_TYPES(ISTHMUS_DEFINE_ORDERED)

#define ISTHMUS_DEFINE_ARITHMETIC(T, N)             \
    ISTHMUS_DEFINE_TO_ALL(T, N##_sum_to_all, sum)   \
    ISTHMUS_DEFINE_TO_ALL(T, N##_prod_to_all, prod) \
    SHMEM_TABLE_TO_ALL_ARITHMETIC(ISTHMUS_ALIAS, T, N)
SHMEM_ARITHMETIC_TO_ALL_TYPES(ISTHMUS_DEFINE_ARITHMETIC)
