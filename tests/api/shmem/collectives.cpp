// Collectives over teams: every routine, every type, over several teams and lengths, checked
// against a model. There are no barriers between the calls: a collective that touched an operand
// outside its own call would be found out.
#include "collective_model.hpp"

namespace {

using test::apply;
using test::Buffers;
using test::kLengths;
using test::ModelTeam;
using test::ModelTeams;
using test::Op;
using test::same_value;
using test::value_of;

std::uint64_t round_number = 0;

template <typename P>
struct Moves {
    SHMEM_TABLE_COLLECTIVE_MOVE_(MEMBER, P, alltoall, alltoalls, broadcast, collect, fcollect)
};

template <typename T>
void fill(T* block, std::size_t count, int pe) {
    for (std::size_t i = 0; i < count; ++i)
        block[i] = value_of<T>(round_number, pe, i);
}

// Expected: dest[i] == value of source index `index(i)` at world PE `pe(i)`.
template <typename T>
bool holds(const T* dest, std::size_t count, int pe, std::size_t first = 0) {
    for (std::size_t i = 0; i < count; ++i)
        if (!same_value(dest[i], value_of<T>(round_number, pe, first + i))) return false;
    return true;
}

std::string where(const ModelTeam& team, std::size_t nelems) {
    return std::string("wrong result, team ") + team.name + ", nelems " + std::to_string(nelems);
}

// P is T, or void for the untyped routines, whose elements are bytes.
template <typename T, typename P>
void test_moves(const Moves<P>& routines, const ModelTeam& team, const Buffers& buffers) {
    T* const dest = buffers.dest<T>();
    T* const source = buffers.source<T>();
    const auto size = static_cast<std::size_t>(team.size());
    const auto world = [&](std::size_t index) { return team.world[index]; };
    const T mark = value_of<T>(0, -1, 0);
    for (const std::size_t nelems : kLengths) {
        for (int root = 0; root<team.size(); root += team.size()> 4 ? 3 : 1) {
            ++round_number;
            fill(source, nelems, shmem_my_pe());
            dest[nelems] = mark;
            const int status = routines.broadcast(team.team, dest, source, nelems, root);
            EXPECT(routines.broadcast,
                   status == 0 && holds(dest, nelems, world(static_cast<std::size_t>(root))) &&
                       same_value(dest[nelems], mark),
                   where(team, nelems));
        }
        ++round_number;
        fill(source, nelems, shmem_my_pe());
        dest[nelems * size] = mark;
        EXPECT(routines.fcollect, routines.fcollect(team.team, dest, source, nelems) == 0,
               "status");
        bool right = same_value(dest[nelems * size], mark);
        for (std::size_t i = 0; i < size; ++i)
            right &= holds(dest + i * nelems, nelems, world(i));
        EXPECT(routines.fcollect, right, where(team, nelems));

        // Every PE another length, some none.
        const auto length = [&](std::size_t index) { return nelems * ((index + nelems) % 3) / 2; };
        ++round_number;
        fill(source, length(static_cast<std::size_t>(team.me)), shmem_my_pe());
        std::size_t total = 0;
        for (std::size_t i = 0; i < size; ++i)
            total += length(i);
        dest[total] = mark;
        EXPECT(routines.collect,
               routines.collect(team.team, dest, source,
                                length(static_cast<std::size_t>(team.me))) == 0,
               "status");
        right = same_value(dest[total], mark);
        std::size_t offset = 0;
        for (std::size_t i = 0; i < size; ++i) {
            right &= holds(dest + offset, length(i), world(i));
            offset += length(i);
        }
        EXPECT(routines.collect, right, where(team, nelems));

        ++round_number;
        fill(source, nelems * size, shmem_my_pe());
        dest[nelems * size] = mark;
        EXPECT(routines.alltoall, routines.alltoall(team.team, dest, source, nelems) == 0,
               "status");
        right = same_value(dest[nelems * size], mark);
        for (std::size_t i = 0; i < size; ++i)
            right &= holds(dest + i * nelems, nelems, world(i),
                           static_cast<std::size_t>(team.me) * nelems);
        EXPECT(routines.alltoall, right, where(team, nelems));

        for (const auto& [dst, sst] : {std::pair{1, 1}, {2, 1}, {1, 3}, {3, 2}}) {
            ++round_number;
            const auto elements = nelems * size;
            for (std::size_t i = 0; i < elements * static_cast<std::size_t>(dst); ++i)
                dest[i] = mark;
            for (std::size_t i = 0; i < elements; ++i)
                source[i * static_cast<std::size_t>(sst)] =
                    value_of<T>(round_number, shmem_my_pe(), i);
            EXPECT(routines.alltoalls,
                   routines.alltoalls(team.team, dest, source, dst, sst, nelems) == 0, "status");
            right = true;
            for (std::size_t i = 0; i < elements; ++i) {
                const T* const got = dest + i * static_cast<std::size_t>(dst);
                right &= same_value(
                    *got, value_of<T>(round_number, world(i / nelems),
                                      static_cast<std::size_t>(team.me) * nelems + i % nelems));
                for (int gap = 1; gap < dst; ++gap)
                    right &= same_value(got[gap], mark);
            }
            EXPECT(routines.alltoalls, right, where(team, nelems));
        }

        // Each element of the source between two of the dest, which begins behind or in front.
        ++round_number;
        const auto elements = nelems * size;
        T* const to = dest + nelems % 2;
        T* const from = dest + 1 - nelems % 2;
        for (std::size_t i = 0; i < elements; ++i) {
            to[2 * i] = mark;
            from[2 * i] = value_of<T>(round_number, shmem_my_pe(), i);
        }
        EXPECT(routines.alltoalls, routines.alltoalls(team.team, to, from, 2, 2, nelems) == 0,
               "status");
        right = true;
        for (std::size_t i = 0; i < elements; ++i)
            right &= same_value(to[2 * i], value_of<T>(round_number, world(i / nelems),
                                                       static_cast<std::size_t>(team.me) * nelems +
                                                           i % nelems)) &&
                     same_value(from[2 * i], value_of<T>(round_number, shmem_my_pe(), i));
        EXPECT(routines.alltoalls, right, "interleaved: " + where(team, nelems));
    }
}

// `last`: the number of terms at this PE, in the order of the team.
template <Op op, typename T, typename R>
void test_reduce(const R& routine, const ModelTeam& team, const Buffers& buffers, int terms) {
    T* const dest = buffers.dest<T>();
    for (const bool in_place : {false, true}) {
        T* const source = in_place ? dest : buffers.source<T>();
        for (const std::size_t nelems : kLengths) {
            ++round_number;
            const T mark = value_of<T>(0, -1, 0);
            fill(source, nelems, shmem_my_pe());
            dest[nelems] = mark;
            const int status = routine(team.team, dest, source, nelems);
            bool right = status == 0 && same_value(dest[nelems], mark);
            for (std::size_t i = 0; i < nelems; ++i) {
                T expected{};
                for (int term = 0; term < terms; ++term) {
                    const T value =
                        value_of<T>(round_number, team.world[static_cast<std::size_t>(term)], i);
                    expected = term == 0 ? value : apply<op, T>(expected, value);
                }
                right &= same_value(dest[i], expected);
            }
            EXPECT(routine, right, where(team, nelems) + (in_place ? ", in place" : ""));
        }
    }
}

template <typename T>
struct Bitwise {
    SHMEM_TABLE_REDUCE_BITWISE(MEMBER, T, x)
};
template <typename T>
struct Ordered {
    SHMEM_TABLE_REDUCE_ORDERED(MEMBER, T, x)
};
template <typename T>
struct Arithmetic {
    SHMEM_TABLE_REDUCE_ARITHMETIC(MEMBER, T, x)
};

void test_synchronisation(const ModelTeams& teams) {
    // A counter that all others add to before the barrier is complete after it.
    static long counter;
    for (int i = 0; i < 50; ++i) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            shmem_long_atomic_inc(&counter, pe);
        shmem_barrier_all();
        EXPECT_NAMED("shmem_barrier_all", counter == (i + 1L) * shmem_n_pes());
        shmem_sync_all();
    }
    EXPECT_NAMED("shmem_sync_all", counter == 50L * shmem_n_pes());
    counter = 0;
    shmem_barrier_all();
    for (const ModelTeam& team : teams) {
        static long arrivals;
        for (int i = 0; i < 20; ++i) {
            for (const int pe : team.world)
                shmem_long_atomic_inc(&arrivals, pe);
            shmem_quiet();  // a sync waits for PEs, not for what they have issued
            const int status = shmem_team_sync(team.team);
            EXPECT_NAMED("shmem_team_sync", status == 0 && arrivals == (i + 1L) * team.size());
            shmem_team_sync(team.team);
        }
        arrivals = 0;
        shmem_team_sync(team.team);
    }
    EXPECT_NAMED("shmem_team_sync", shmem_team_sync(SHMEM_TEAM_INVALID) != 0);
}

// A root that runs ahead of its leaves, and mixtures of all with all and one-way, of all lengths.
void test_mixture(const ModelTeam& team, const Buffers& buffers) {
    long* const dest = buffers.dest<long>();
    long* const source = buffers.source<long>();
    constexpr std::size_t kChoices[] = {1, 5, 300, 3000};
    bool right = true;
    for (std::uint64_t step = 0; step < 400; ++step) {
        ++round_number;
        const std::uint64_t dice = test::mix(round_number);
        const std::size_t nelems = kChoices[dice % 4];
        const int root = static_cast<int>((dice >> 8) % static_cast<std::uint64_t>(team.size()));
        fill(source, nelems, shmem_my_pe());
        if ((dice >> 16) % 16 == 0) {
            shmem_team_sync(team.team);
        } else if ((dice >> 16) % 16 == 1) {
            shmem_long_sum_reduce(team.team, dest, source, nelems);
            unsigned long sum = 0;
            for (const int pe : team.world)
                sum += static_cast<unsigned long>(value_of<long>(round_number, pe, nelems - 1));
            right &= dest[nelems - 1] == static_cast<long>(sum);
        } else {
            shmem_long_broadcast(team.team, dest, source, nelems, root);
            right &= holds(dest, nelems, team.world[static_cast<std::size_t>(root)]);
        }
    }
    EXPECT_NAMED("shmem_long_broadcast", right);
}

}  // namespace

int main() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    {
        ModelTeams teams;
        Buffers buffers;
        test_synchronisation(teams);
        const Moves<void> untyped{SHMEM_TABLE_COLLECTIVE_MOVE_(
            INITIALISER, void, alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem)};
#define TEST_MOVES(T, N) const Moves<T> N##_moves{SHMEM_TABLE_COLLECTIVE_MOVE(INITIALISER, T, N)};
        SHMEM_RMA_TYPES(TEST_MOVES)
#define TEST_BITWISE(T, N) \
    const Bitwise<T> N##_bitwise{SHMEM_TABLE_REDUCE_BITWISE(INITIALISER, T, N)};
        SHMEM_BITWISE_REDUCE_TYPES(TEST_BITWISE)
#define TEST_ORDERED(T, N) \
    const Ordered<T> N##_ordered{SHMEM_TABLE_REDUCE_ORDERED(INITIALISER, T, N)};
        SHMEM_ORDERED_REDUCE_TYPES(TEST_ORDERED)
#define TEST_ARITHMETIC(T, N) \
    const Arithmetic<T> N##_arithmetic{SHMEM_TABLE_REDUCE_ARITHMETIC(INITIALISER, T, N)};
        SHMEM_ARITHMETIC_REDUCE_TYPES(TEST_ARITHMETIC)
        for (const ModelTeam& team : teams) {
            const int all = team.size();
            test_moves<unsigned char>(untyped, team, buffers);
#define RUN_MOVES(T, N) test_moves<T>(N##_moves, team, buffers);
            SHMEM_RMA_TYPES(RUN_MOVES)
#define RUN_BITWISE(T, N)                                                      \
    test_reduce<Op::bit_and, T>(N##_bitwise.x_and_reduce, team, buffers, all); \
    test_reduce<Op::bit_or, T>(N##_bitwise.x_or_reduce, team, buffers, all);   \
    test_reduce<Op::bit_xor, T>(N##_bitwise.x_xor_reduce, team, buffers, all);
            SHMEM_BITWISE_REDUCE_TYPES(RUN_BITWISE)
#define RUN_ORDERED(T, N)                                                  \
    test_reduce<Op::max, T>(N##_ordered.x_max_reduce, team, buffers, all); \
    test_reduce<Op::min, T>(N##_ordered.x_min_reduce, team, buffers, all);
            SHMEM_ORDERED_REDUCE_TYPES(RUN_ORDERED)
#define RUN_ARITHMETIC(T, N)                                                          \
    test_reduce<Op::sum, T>(N##_arithmetic.x_sum_reduce, team, buffers, all);         \
    test_reduce<Op::prod, T>(N##_arithmetic.x_prod_reduce, team, buffers, all);       \
    test_reduce<Op::sum, T>(N##_arithmetic.x_sum_inscan, team, buffers, team.me + 1); \
    test_reduce<Op::sum, T>(N##_arithmetic.x_sum_exscan, team, buffers, team.me);
            SHMEM_ARITHMETIC_REDUCE_TYPES(RUN_ARITHMETIC)
            test_mixture(team, buffers);
        }
    }
    shmem_barrier_all();
    const int status = test::finish("collectives", me, pes);
    shmem_finalize();
    return status;
}
