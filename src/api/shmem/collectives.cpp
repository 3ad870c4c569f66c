// Collectives over teams (9.10).
#include "api/shmem/collectives.hpp"

#include <array>
#include <atomic>
#include <string>

#include "base/error.hpp"
#include "core/job/called_as.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/reach/blocks.hpp"
#include "core/teams/team_table.hpp"
#include "core/wait/in_handler.hpp"

namespace isthmus::shmem {

using collective::called_routine;
using collective::kind_of;
using collective::kKindBytes;

namespace {

// The thread above the routine; addresses have 48 bits.
constexpr int kRoutineBits = 16;

[[noreturn, gnu::cold, gnu::noinline]] void refuse_turn(std::uint64_t user, bool is_own,
                                                        Routine routine) {
    const char* const other = routine_name(static_cast<Routine>(user & ((1 << kRoutineBits) - 1)));
    if (is_own)
        fail(called_routine(routine), Text("called within ", other,
                                           " of the same team by the same thread: a handler of a "
                                           "signal may not call a collective"));
    fail(called_routine(routine),
         Text("another thread of this PE is in ", other,
              " of the same team at this moment; the threads of a PE must take turns in a team's "
              "collectives"));
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_no_split(const Team& team, const char* routine) {
    refuse(routine, Text("the team at ", InHex(&team), " is none: no split has made it"));
}

// What an active set has for a team of its own has no slot, and is no caller's: live() refuses
// that.
inline void require_team(const Team& team, Routine routine) {
    if (team.slot >= 0 && !is_team(&team)) [[unlikely]]
        refuse_no_split(team, called_routine(routine));
}

}  // namespace

void take_turn(Team& team, Routine routine) {
    check_thread(called_routine(routine));
    if (is_wait_in_handler()) [[unlikely]]
        refuse_wait_in_handler(collective::set_routine ? collective::set_routine
                                                       : called_as(routine));
    require_team(team, routine);  // before anything is written there
    const std::uint64_t mine =
        std::uint64_t{this_thread()} << kRoutineBits | static_cast<std::uint64_t>(routine);
    std::uint64_t user = 0;
    if (__atomic_compare_exchange_n(&team.user, &user, mine, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) [[likely]]
        return;
    refuse_turn(user, user >> kRoutineBits == mine >> kRoutineBits, routine);
}

void refuse_team(const Team& team, const char* routine) {
    require_running(routine);
    if (job.checked && !is_team(&team)) refuse_no_split(team, routine);
    refuse(routine, "the team has been destroyed");
}

int refuse_no_team(const char* routine) {
    constexpr int kMost = 8;  // lines: a program may go on so for long, and each takes a while
    static std::atomic<int> told = 0;
    if (job.checked)
        say_from(told.fetch_add(1, std::memory_order_relaxed) < kMost ? called(routine) : routine,
                 "the team is SHMEM_TEAM_INVALID, and nothing is done: this PE is not in "
                 "the team, or its split was refused");
    return -1;
}

void refuse_root(Routine routine, int root, int size) {
    refuse(called_routine(routine), "PE_root " + std::to_string(root) + " is out of range 0.." +
                                        std::to_string(size - 1) + " of the collective");
}

void refuse_stride(Routine routine, const char* name, std::ptrdiff_t stride) {
    refuse(called_routine(routine), std::string(name) + " " + std::to_string(stride) +
                                        " is out of range: strides are at least 1");
}

namespace {

bool meet(Team& team, const Signature& signature, const collective::Laid& laid,
          std::uint64_t* counts) {
    return team.size > 1 && check_signature(team, signature, laid, counts);
}

}  // namespace

void check_alone(Team& team, Routine routine, const Operands& operands) {
    check_thread(called_routine(routine));
    collective::check_operands(called_routine(routine), operands.dest, operands.dest_bytes,
                               operands.source, operands.source_bytes, operands.meet);
    require_team(team, routine);
}

bool check_meeting(Team& team, const Signature& signature) {
    return meet(team, signature, {}, nullptr);
}

bool check_call(Team& team, Signature& signature, const Operands& operands,
                const collective::Laid& laid, std::uint64_t* counts) {
    collective::check_operands(called_routine(signature.routine), operands.dest,
                               operands.dest_bytes, operands.source, operands.source_bytes,
                               operands.meet);
    if (team.size == 1) return meet(team, signature, {}, nullptr);  // nobody who may differ
    signature.dest = collective::symmetric_place(operands.dest);
    // A PE that has nothing to contribute to a collect need not have a source.
    if (signature.routine != Routine::collect)
        signature.source = collective::symmetric_place(operands.source);
    return meet(team, signature, laid, counts);
}

void checked_barrier(Team& team, Routine routine) {
    note(routine);
    if (job.checked && check_meeting(team, {.routine = routine})) [[unlikely]]
        return;
    barrier(team, routine);
}

namespace {

// Checked mode. False: the data are still to be moved.
inline bool compare_broadcast(Team& team, void* dest, const void* source, std::size_t nelems,
                              std::size_t unit, int root, bool root_dest) {
    const std::size_t bytes = nelems * unit;
    const bool is_laid = collective::lays(team, bytes);
    Signature signature{.routine = Routine::broadcast,
                        .element_bytes = static_cast<std::uint16_t>(unit),
                        .root = root,
                        .count = nelems};
    const bool have_met = check_call(team, signature, {dest, bytes, source, bytes, Meet::wholly},
                                     {source, is_laid && team.my_index == root ? bytes : 0});
    if (!have_met || !is_laid) return false;
    collective::take_broadcast(team, dest, source, bytes, root, root_dest);
    return true;
}

// The same.
inline bool compare_collect(Team& team, void* dest, const void* source, std::size_t nelems,
                            std::size_t unit) {
    const std::size_t bytes = nelems * unit;
    std::array<std::uint64_t, kMaxPes> counts;
    Signature signature{.routine = Routine::collect,
                        .element_bytes = static_cast<std::uint16_t>(unit),
                        .count = nelems};
    const bool have_met =
        check_call(team, signature, {dest, bytes, source, bytes},
                   {source, collective::lays(team, bytes) ? bytes : 0}, counts.data());
    std::uint64_t all = 0;
    bool are_laid = have_met;
    for (int peer = 0; peer < team.size; ++peer) {
        const std::uint64_t theirs = counts[static_cast<std::size_t>(peer)] * unit;
        all += theirs;
        are_laid = are_laid && collective::lays(team, theirs);
    }
    collective::check_collected(called_routine(Routine::collect), dest, all);
    if (are_laid) collective::take_collected(team, dest, source, counts.data(), unit);
    return are_laid;
}

[[gnu::noinline]] void broadcast_compared(Team& team, void* dest, const void* source,
                                          std::size_t nelems, std::size_t unit, int root,
                                          bool root_dest) {
    const Turn turn(team, Routine::broadcast);
    if (!compare_broadcast(team, dest, source, nelems, unit, root, root_dest))
        broadcast(team, dest, source, nelems * unit, root, root_dest);
}
[[gnu::noinline]] void collect_compared(Team& team, void* dest, const void* source,
                                        std::size_t nelems, std::size_t unit) {
    const std::size_t bytes = nelems * unit;
    if (team.size == 1) {
        check_alone(team, Routine::collect, {dest, bytes, source, bytes});
        return collect(team, dest, source, bytes);
    }
    const Turn turn(team, Routine::collect);
    if (!compare_collect(team, dest, source, nelems, unit)) collect(team, dest, source, bytes);
}

}  // namespace

void checked_broadcast_otherwise(Team& team, void* dest, const void* source, std::size_t nelems,
                                 std::size_t unit, int root, bool root_dest) {
    constexpr Routine routine = Routine::broadcast;
    if (root < 0 || root >= team.size) [[unlikely]] {
        if (job.checked) require_team(team, routine);
        refuse_root(routine, root, team.size);
    }
    const std::size_t bytes = block_bytes(nelems, unit, routine_name(routine));
    if (job.checked) [[unlikely]]
        return broadcast_compared(team, dest, source, nelems, unit, root, root_dest);
    broadcast(team, dest, source, bytes, root, root_dest);
}

void checked_collect(Team& team, void* dest, const void* source, std::size_t nelems,
                     std::size_t unit) {
    constexpr Routine routine = Routine::collect;
    note(routine);
    const std::size_t bytes = block_bytes(nelems, unit, routine_name(routine));
    if (job.checked) [[unlikely]]
        return collect_compared(team, dest, source, nelems, unit);
    collect(team, dest, source, bytes);
}

void checked_fcollect(Team& team, void* dest, const void* source, std::size_t nelems,
                      std::size_t unit) {
    constexpr Routine routine = Routine::fcollect;
    note(routine);
    const std::size_t bytes = block_bytes(nelems, unit, routine_name(routine));
    run(
        team, routine,
        [=, &team] {
            return Call{Signature{.routine = routine,
                                  .element_bytes = static_cast<std::uint16_t>(unit),
                                  .count = nelems},
                        Operands{dest, bytes * static_cast<std::size_t>(team.size), source, bytes}};
        },
        [=, &team] { fcollect(team, dest, source, bytes); });
}

void checked_alltoall(Team& team, void* dest, const void* source, std::size_t nelems,
                      std::size_t unit) {
    constexpr Routine routine = Routine::alltoall;
    note(routine);
    const std::size_t bytes = block_bytes(nelems, unit, routine_name(routine));
    const std::size_t all = bytes * static_cast<std::size_t>(team.size);
    run(
        team, routine,
        [=] {
            return Call{Signature{.routine = routine,
                                  .element_bytes = static_cast<std::uint16_t>(unit),
                                  .count = nelems},
                        Operands{dest, all, source, all}};
        },
        [=, &team] { alltoall(team, dest, source, bytes); });
}

namespace {

// Of what is strided the standard counts the elements, not what lies between them. What is no
// memory is refused as such, and not gone through.
[[gnu::cold, gnu::noinline]] Meet meeting_of(const void* dest, std::size_t dest_bytes,
                                             const void* source, std::size_t source_bytes,
                                             const operation::Blocks& shape, std::size_t unit) {
    const bool is_between = why_not_usable(dest, dest_bytes).empty() &&
                            why_not_usable(source, source_bytes).empty() &&
                            !operation::find_common(dest, source, shape, unit);
    return is_between ? Meet::between : Meet::nowhere;
}

// Of the elements; nothing lies behind the last.
Operands strided_operands(const void* dest, const void* source, const operation::Blocks& shape,
                          std::size_t unit) {
    const std::size_t dest_bytes = operation::extent(shape.dst, shape, unit);
    const std::size_t source_bytes = operation::extent(shape.sst, shape, unit);
    const std::uintptr_t ahead =
        reinterpret_cast<std::uintptr_t>(dest) - reinterpret_cast<std::uintptr_t>(source);
    Operands operands{dest, dest_bytes, source, source_bytes};
    if (ahead < source_bytes || 0 - ahead < dest_bytes) [[unlikely]]
        operands.meet = meeting_of(dest, dest_bytes, source, source_bytes, shape, unit);
    return operands;
}

}  // namespace

void checked_alltoalls(Team& team, void* dest, const void* source, std::ptrdiff_t dst,
                       std::ptrdiff_t sst, std::size_t nelems, std::size_t unit) {
    constexpr Routine routine = Routine::alltoalls;
    note(routine);
    if (dst < 1) [[unlikely]]
        refuse_stride(routine, "dst", dst);
    if (sst < 1) [[unlikely]]
        refuse_stride(routine, "sst", sst);
    const operation::Blocks shape{dst, sst, 1, nelems * static_cast<std::size_t>(team.size)};
    run(
        team, routine,
        [=] {
            return Call{Signature{.routine = routine,
                                  .element_bytes = static_cast<std::uint16_t>(unit),
                                  .count = nelems,
                                  .dest_stride = dst,
                                  .source_stride = sst},
                        strided_operands(dest, source, shape, unit)};
        },
        [=, &team] {
            alltoalls(team, dest, source,
                      {static_cast<std::size_t>(dst), static_cast<std::size_t>(sst), nelems, unit});
        });
}

namespace {

// What combines elements one by one. The caller has noted itself.
template <typename Combine>
inline void run_arithmetic(Team& team, Routine routine, Kind kind, void* dest, const void* source,
                           std::size_t nelems, Combine combine) {
    const std::size_t unit = kKindBytes[static_cast<int>(kind)];
    const std::size_t bytes = block_bytes(nelems, unit, routine_name(routine));
    run(
        team, routine,
        [=] {
            return Call{Signature{.routine = routine,
                                  .element_bytes = static_cast<std::uint16_t>(unit),
                                  .kind = static_cast<std::uint16_t>(static_cast<int>(kind) + 1),
                                  .count = nelems},
                        Operands{dest, bytes, source, bytes, Meet::wholly}};
        },
        combine);
}

void checked_scan(Team& team, Kind kind, void* dest, const void* source, std::size_t nelems,
                  bool inclusive) {
    const Routine routine = inclusive ? Routine::sum_inscan : Routine::sum_exscan;
    run_arithmetic(team, routine, kind, dest, source, nelems,
                   [=, &team] { scan(team, dest, source, nelems, kind, inclusive); });
}

}  // namespace

void checked_reduce(Team& team, Operation operation, Kind kind, void* dest, const void* source,
                    std::size_t nelems) {
    const Routine routine = routine_of(operation);
    run_arithmetic(team, routine, kind, dest, source, nelems,
                   [=, &team] { reduce(team, dest, source, nelems, operation, kind); });
}

}  // namespace isthmus::shmem

using namespace isthmus;
using namespace isthmus::shmem;

// On one host every store is complete for the other PEs once the barrier's release has followed
// it, so the quiet that the standard asks for is part of the barrier.
ISTHMUS_API void pshmem_barrier_all(void) {
    Team& team = live(SHMEM_TEAM_WORLD, "shmem_barrier_all");
    note(Routine::barrier_all);
    run(
        team, Routine::barrier_all, [] { return Signature{.routine = Routine::barrier_all}; },
        [&team] { barrier(team, Routine::barrier_all); });
}

namespace {

void sync(Team& team, Routine routine) {
    note(routine);
    run(
        team, routine, [=] { return Signature{.routine = routine}; },
        [=, &team] { barrier(team, routine); });
}

}  // namespace

ISTHMUS_API void pshmem_sync_all(void) {
    sync(live(SHMEM_TEAM_WORLD, "shmem_sync_all"), Routine::sync_all);
}

ISTHMUS_API int pshmem_team_sync(shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID) [[unlikely]]
        return refuse_no_team("shmem_team_sync");
    sync(live(team, "shmem_team_sync"), Routine::team_sync);
    return 0;
}

// Each routine: -1 for SHMEM_TEAM_INVALID, else 0. UNIT: bytes of an element.
#define ISTHMUS_DEFINE(NAME, ROUTINE, PARAMETERS, CALL) \
    ISTHMUS_API int pshmem_##NAME PARAMETERS {          \
        if (team == SHMEM_TEAM_INVALID) [[unlikely]]    \
            return refuse_no_team("shmem_" ROUTINE);    \
        Team& members = live(team, "shmem_" ROUTINE);   \
        CALL;                                           \
        return 0;                                       \
    }
#define ISTHMUS_DEFINE_MOVES(P, UNIT, ALLTOALL, ALLTOALLS, BROADCAST, COLLECT, FCOLLECT)        \
    ISTHMUS_DEFINE(ALLTOALL, "alltoall",                                                        \
                   (shmem_team_t team, P * dest, const P* source, size_t nelems),               \
                   checked_alltoall(members, dest, source, nelems, UNIT))                       \
    ISTHMUS_DEFINE(ALLTOALLS, "alltoalls",                                                      \
                   (shmem_team_t team, P * dest, const P* source, ptrdiff_t dst, ptrdiff_t sst, \
                    size_t nelems),                                                             \
                   checked_alltoalls(members, dest, source, dst, sst, nelems, UNIT))            \
    ISTHMUS_DEFINE(BROADCAST, "broadcast",                                                      \
                   (shmem_team_t team, P * dest, const P* source, size_t nelems, int PE_root),  \
                   checked_broadcast(members, dest, source, nelems, UNIT, PE_root, true))       \
    ISTHMUS_DEFINE(COLLECT, "collect",                                                          \
                   (shmem_team_t team, P * dest, const P* source, size_t nelems),               \
                   checked_collect(members, dest, source, nelems, UNIT))                        \
    ISTHMUS_DEFINE(FCOLLECT, "fcollect",                                                        \
                   (shmem_team_t team, P * dest, const P* source, size_t nelems),               \
                   checked_fcollect(members, dest, source, nelems, UNIT))

ISTHMUS_DEFINE_MOVES(void, 1, alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem)
SHMEM_TABLE_COLLECTIVE(ISTHMUS_ALIAS)

#define ISTHMUS_DEFINE_TYPED_MOVES(T, N)                                                        \
    ISTHMUS_DEFINE_MOVES(T, sizeof(T), N##_alltoall, N##_alltoalls, N##_broadcast, N##_collect, \
                         N##_fcollect)                                                          \
    SHMEM_TABLE_COLLECTIVE_MOVE(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(ISTHMUS_DEFINE_TYPED_MOVES)

#define ISTHMUS_DEFINE_REDUCE(T, NAME, ROUTINE, OPERATION)                            \
    ISTHMUS_DEFINE(                                                                   \
        NAME, ROUTINE, (shmem_team_t team, T * dest, const T* source, size_t nelems), \
        note(Routine::NAME);                                                          \
        checked_reduce(members, Operation::OPERATION, kind_of<T>(), dest, source, nelems))
#define ISTHMUS_DEFINE_SCAN(T, NAME, ROUTINE, INCLUSIVE)                                         \
    ISTHMUS_DEFINE(NAME, ROUTINE, (shmem_team_t team, T * dest, const T* source, size_t nelems), \
                   note(Routine::NAME);                                                          \
                   checked_scan(members, kind_of<T>(), dest, source, nelems, INCLUSIVE))

#define ISTHMUS_DEFINE_BITWISE(T, N)                                \
    ISTHMUS_DEFINE_REDUCE(T, N##_and_reduce, "and_reduce", bit_and) \
    ISTHMUS_DEFINE_REDUCE(T, N##_or_reduce, "or_reduce", bit_or)    \
    ISTHMUS_DEFINE_REDUCE(T, N##_xor_reduce, "xor_reduce", bit_xor) \
    SHMEM_TABLE_REDUCE_BITWISE(ISTHMUS_ALIAS, T, N)
SHMEM_BITWISE_REDUCE_TYPES(ISTHMUS_DEFINE_BITWISE)

#define ISTHMUS_DEFINE_ORDERED(T, N)                            \
    ISTHMUS_DEFINE_REDUCE(T, N##_max_reduce, "max_reduce", max) \
    ISTHMUS_DEFINE_REDUCE(T, N##_min_reduce, "min_reduce", min) \
    SHMEM_TABLE_REDUCE_ORDERED(ISTHMUS_ALIAS, T, N)
SHMEM_ORDERED_REDUCE_TYPES(ISTHMUS_DEFINE_ORDERED)

#define ISTHMUS_DEFINE_ARITHMETIC(T, N)                            \
    ISTHMUS_DEFINE_REDUCE(T, N##_sum_reduce, "sum_reduce", sum)    \
    ISTHMUS_DEFINE_REDUCE(T, N##_prod_reduce, "prod_reduce", prod) \
    ISTHMUS_DEFINE_SCAN(T, N##_sum_inscan, "sum_inscan", true)     \
    ISTHMUS_DEFINE_SCAN(T, N##_sum_exscan, "sum_exscan", false)    \
    SHMEM_TABLE_REDUCE_ARITHMETIC(ISTHMUS_ALIAS, T, N)
SHMEM_ARITHMETIC_REDUCE_TYPES(ISTHMUS_DEFINE_ARITHMETIC)
