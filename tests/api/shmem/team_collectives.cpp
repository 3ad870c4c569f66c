// Collectives over teams: every routine and type, over the world, over a team that counts backwards
// and over every second PE; sizes zero, one and several.
#include "groups.hpp"

namespace {

using test::Arena;
using test::collective;
using test::combined;
using test::Group;
using test::Operator;
using test::same;
using test::sample;
using test::term;
using test::untouched;

std::vector<Group> groups;

template <typename P>
struct Move {
    SHMEM_TABLE_COLLECTIVE_MOVE_(MEMBER, P, alltoall, alltoalls, broadcast, collect, fcollect)
};

template <typename T, typename P>
void test_move(const Move<P>& r) {
    for (const Group& g : groups) {
        const int me = shmem_my_pe();
        const int index = g.index();
        const std::string name = g.name;
        const auto mine = [&](int i) { return sample<T>(i, me); };
        for (const int count : {5, 1, 0}) {
            const auto n = static_cast<std::size_t>(count);
            const std::string text = name + ", elements " + std::to_string(count);
            for (const int root : {0, g.size - 1}) {
                collective<T>(g, count, mine, [&](T* dest, const T* source) {
                    EXPECT(r.broadcast, r.broadcast(g.team, dest, source, n, root) == 0, text);
                    for (int i = 0; i < count; ++i)
                        EXPECT(r.broadcast, same(dest[i], sample<T>(i, g.world(root))), text);
                    EXPECT(r.broadcast, untouched(dest[count]), text);
                });
            }
            collective<T>(g, count, mine, [&](T* dest, const T* source) {
                EXPECT(r.fcollect, r.fcollect(g.team, dest, source, n) == 0, text);
                for (int i = 0; i < count * g.size; ++i)
                    EXPECT(r.fcollect, same(dest[i], sample<T>(i % count, g.world(i / count))), text);
                EXPECT(r.fcollect, untouched(dest[count * g.size]), text);
            });
            // Each PE brings another number of elements, some none.
            const auto brings = [&](int member) { return (member * 3 + count) % 6; };
            collective<T>(g, 6, mine, [&](T* dest, const T* source) {
                EXPECT(r.collect,
                       r.collect(g.team, dest, source, static_cast<std::size_t>(brings(index))) == 0,
                       text);
                int at = 0;
                for (int member = 0; member < g.size; ++member) {
                    for (int i = 0; i < brings(member); ++i)
                        EXPECT(r.collect, same(dest[at++], sample<T>(i, g.world(member))), text);
                }
                EXPECT(r.collect, untouched(dest[at]), text);
            });
            collective<T>(g, count * g.size, mine, [&](T* dest, const T* source) {
                EXPECT(r.alltoall, r.alltoall(g.team, dest, source, n) == 0, text);
                for (int i = 0; i < count * g.size; ++i)
                    EXPECT(r.alltoall,
                           same(dest[i], sample<T>(index * count + i % count, g.world(i / count))),
                           text);
                EXPECT(r.alltoall, untouched(dest[count * g.size]), text);
            });
            for (const auto& [dst, sst] : {std::pair{1, 1}, {2, 3}, {3, 1}}) {
                collective<T>(g, count * g.size * sst, mine, [&, dst = dst, sst = sst](T* dest, const T* source) {
                    EXPECT(r.alltoalls, r.alltoalls(g.team, dest, source, dst, sst, n) == 0, text);
                    for (int i = 0; i < count * g.size * dst; ++i) {
                        const int element = i / dst;
                        const int from = sst * (index * count + element % (count == 0 ? 1 : count));
                        EXPECT(r.alltoalls,
                               i % dst == 0 ? same(dest[i], sample<T>(from, g.world(element / count)))
                                            : untouched(dest[i]),
                               text);
                    }
                });
            }
        }
    }
}

// Members 0..size are reduced, or for scans those before (and with) this one.
enum class Extent { all, before_and_me, before };

template <Operator Op, typename T>
void test_reduce(const test::Routine<int(shmem_team_t, T*, const T*, std::size_t)>& r,
                 Extent extent = Extent::all) {
    for (const Group& g : groups) {
        const int me = shmem_my_pe();
        const int last = extent == Extent::all ? g.size : g.index() + (extent == Extent::before ? 0 : 1);
        for (const int count : {test::kLargest, 1, 0}) {
            for (const bool in_place : {false, true}) {
                collective<T>(g, count, [&](int i) { return term<T>(i, me); },
                              [&](T* dest, const T* source) {
                    const std::string text = std::string(g.name) + ", elements " +
                                             std::to_string(count) + (in_place ? ", in place" : "");
                    if (in_place) std::memcpy(static_cast<void*>(dest), source, sizeof(T) * static_cast<std::size_t>(count));
                    if (in_place) shmem_team_sync(g.team);
                    EXPECT(r, r(g.team, dest, in_place ? dest : source, static_cast<std::size_t>(count)) == 0, text);
                    for (int i = 0; i < count; ++i)
                        EXPECT(r, dest[i] == (combined<Op, T>(g, i, 0, last)), text + ", element " + std::to_string(i));
                    EXPECT(r, untouched(dest[count]), text + ": wrote past the end");
                });
            }
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

template <typename T>
void test_bitwise(const Bitwise<T>& r) {
    test_reduce<Operator::bit_and, T>(r.x_and_reduce);
    test_reduce<Operator::bit_or, T>(r.x_or_reduce);
    test_reduce<Operator::bit_xor, T>(r.x_xor_reduce);
}
template <typename T>
void test_ordered(const Ordered<T>& r) {
    test_reduce<Operator::maximum, T>(r.x_max_reduce);
    test_reduce<Operator::minimum, T>(r.x_min_reduce);
}
template <typename T>
void test_arithmetic(const Arithmetic<T>& r) {
    test_reduce<Operator::sum, T>(r.x_sum_reduce);
    test_reduce<Operator::product, T>(r.x_prod_reduce);
    test_reduce<Operator::sum, T>(r.x_sum_inscan, Extent::before_and_me);
    test_reduce<Operator::sum, T>(r.x_sum_exscan, Extent::before);
}

// Nobody leaves a barrier before everybody has come: counters of the others tell.
void test_barriers() {
    static int arrived[8];
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const auto round_of = [&](const char* name, auto&& barrier, const Group& g, bool completes) {
        for (int round = 1; round <= 20; ++round) {
            if (g.index() >= 0) {
                for (int i = 0; i < g.size; ++i) shmem_int_p(&arrived[me], round, g.world(i));
                if (!completes) shmem_quiet();
                barrier();
                bool all = true;
                for (int i = 0; i < g.size; ++i) all = all && arrived[g.world(i)] >= round;
                EXPECT_NAMED(name, all);
                barrier();
            }
        }
        shmem_barrier_all();
        std::fill_n(arrived, 8, 0);
        shmem_barrier_all();
    };
    const Group world{"the world", 0, 1, pes, SHMEM_TEAM_WORLD};
    round_of("shmem_barrier_all", [] { shmem_barrier_all(); }, world, true);
    round_of("shmem_sync_all", [] { shmem_sync_all(); }, world, false);
    for (const Group& g : groups)
        round_of("shmem_team_sync",
                 [&] { EXPECT_NAMED("shmem_team_sync", shmem_team_sync(g.team) == 0); }, g, false);
}

void run() {
    test_barriers();
#define TEST_TYPE(T, N)                                                                      \
    static const Move<T> move_##N = {SHMEM_TABLE_COLLECTIVE_MOVE(INITIALISER, T, N)};        \
    test_move<T, T>(move_##N);
    SHMEM_RMA_TYPES(TEST_TYPE)
#undef TEST_TYPE
    static const Move<void> memory = {SHMEM_TABLE_COLLECTIVE_MOVE_(
        INITIALISER, void, alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem)};
    test_move<unsigned char, void>(memory);
#define TEST_TYPE(T, N)                                                                      \
    static const Bitwise<T> bitwise_##N = {SHMEM_TABLE_REDUCE_BITWISE(INITIALISER, T, N)};   \
    test_bitwise<T>(bitwise_##N);
    SHMEM_BITWISE_REDUCE_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                                      \
    static const Ordered<T> ordered_##N = {SHMEM_TABLE_REDUCE_ORDERED(INITIALISER, T, N)};   \
    test_ordered<T>(ordered_##N);
    SHMEM_ORDERED_REDUCE_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                                         \
    static const Arithmetic<T> arithmetic_##N = {SHMEM_TABLE_REDUCE_ARITHMETIC(INITIALISER, T, N)}; \
    test_arithmetic<T>(arithmetic_##N);
    SHMEM_ARITHMETIC_REDUCE_TYPES(TEST_TYPE)
#undef TEST_TYPE
}

}  // namespace

int main() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    groups = {{"the world", 0, 1, pes, SHMEM_TEAM_WORLD},
              {"a team that counts backwards", pes - 1, -1, pes},
              {"every second PE", 0, 2, (pes + 1) / 2}};
    for (std::size_t i = 1; i < groups.size(); ++i) {
        Group& g = groups[i];
        shmem_team_split_strided(SHMEM_TEAM_WORLD, g.start, g.stride, g.size, nullptr, 0, &g.team);
    }
    test::make_operands();
    run();
    test::free_operands();
    for (std::size_t i = 1; i < groups.size(); ++i) shmem_team_destroy(groups[i].team);
    shmem_finalize();
    return test::finish("team_collectives", me, pes);
}
