// Collectives over active sets, deprecated but in use: every routine and type over all PEs, over
// every second one and over all but the first; pSync is as it was afterwards.
#include <algorithm>

#include "groups.hpp"

namespace {

using test::collective;
using test::combined;
using test::Group;
using test::Operator;
using test::same;
using test::sample;
using test::term;
using test::untouched;

struct ActiveSet : Group {
    int log_stride;
};
std::vector<ActiveSet> sets;

long sync_array[SHMEM_SYNC_SIZE];
bool sync_array_restored() {
    return std::all_of(std::begin(sync_array), std::end(sync_array),
                       [](long value) { return value == SHMEM_SYNC_VALUE; });
}

struct Barriers {
    test::Routine<void(int, int, int, long*)> barrier;
    test::Routine<void(int, int, int, long*)> sync;
};
template <int Bits>
struct Move {
    SHMEM_TABLE_ACTIVE_SET_SIZED_(MEMBER, x)
};

template <int Bits>
void test_move(const Move<Bits>& r) {
    using T = test::Bytes<Bits>;
    for (const ActiveSet& g : sets) {
        const int me = shmem_my_pe();
        const int index = g.index();
        const auto mine = [&](int i) { return sample<T>(i, me); };
        for (const int count : {5, 1, 0}) {
            const auto n = static_cast<std::size_t>(count);
            const std::string text = std::string(g.name) + ", elements " + std::to_string(count);
            for (const int root : {0, g.size - 1}) {
                collective<T>(g, count, mine, [&](T* dest, const T* source) {
                    r.broadcastx(dest, source, n, root, g.start, g.log_stride, g.size, sync_array);
                    for (int i = 0; i < count; ++i)
                        EXPECT(r.broadcastx,
                               index == root ? untouched(dest[i])
                                             : same(dest[i], sample<T>(i, g.world(root))),
                               text);
                    EXPECT(r.broadcastx, untouched(dest[count]) && sync_array_restored(), text);
                });
            }
            collective<T>(g, count, mine, [&](T* dest, const T* source) {
                r.fcollectx(dest, source, n, g.start, g.log_stride, g.size, sync_array);
                for (int i = 0; i < count * g.size; ++i)
                    EXPECT(r.fcollectx, same(dest[i], sample<T>(i % count, g.world(i / count))),
                           text);
                EXPECT(r.fcollectx, untouched(dest[count * g.size]) && sync_array_restored(), text);
            });
            const auto brings = [&](int member) { return (member * 3 + count) % 6; };
            collective<T>(g, 6, mine, [&](T* dest, const T* source) {
                r.collectx(dest, source, static_cast<std::size_t>(brings(index)), g.start,
                           g.log_stride, g.size, sync_array);
                int at = 0;
                for (int member = 0; member < g.size; ++member) {
                    for (int i = 0; i < brings(member); ++i)
                        EXPECT(r.collectx, same(dest[at++], sample<T>(i, g.world(member))), text);
                }
                EXPECT(r.collectx, untouched(dest[at]) && sync_array_restored(), text);
            });
            collective<T>(g, count * g.size, mine, [&](T* dest, const T* source) {
                r.alltoallx(dest, source, n, g.start, g.log_stride, g.size, sync_array);
                for (int i = 0; i < count * g.size; ++i)
                    EXPECT(r.alltoallx,
                           same(dest[i], sample<T>(index * count + i % count, g.world(i / count))),
                           text);
                EXPECT(r.alltoallx, untouched(dest[count * g.size]) && sync_array_restored(), text);
            });
            constexpr int dst = 2;
            constexpr int sst = 3;
            collective<T>(g, count * g.size * sst, mine, [&](T* dest, const T* source) {
                r.alltoallsx(dest, source, dst, sst, n, g.start, g.log_stride, g.size, sync_array);
                for (int i = 0; i < count * g.size * dst; ++i) {
                    const int element = i / dst;
                    const int from = sst * (index * count + element % count);
                    EXPECT(r.alltoallsx,
                           i % dst == 0 ? same(dest[i], sample<T>(from, g.world(element / count)))
                                        : untouched(dest[i]),
                           text);
                }
                EXPECT(r.alltoallsx, sync_array_restored(), text);
            });
            // The elements of the source lie between those of the dest.
            collective<T>(g, count * g.size, mine, [&](T* dest, const T* source) {
                for (int i = 0; i < count * g.size; ++i)
                    dest[2 * i + 1] = source[i];
                r.alltoallsx(dest, dest + 1, 2, 2, n, g.start, g.log_stride, g.size, sync_array);
                for (int i = 0; i < count * g.size; ++i)
                    EXPECT(r.alltoallsx,
                           same(dest[2 * i],
                                sample<T>(index * count + i % count, g.world(i / count))) &&
                               same(dest[2 * i + 1], source[i]),
                           text);
                EXPECT(r.alltoallsx, sync_array_restored(), text);
            });
        }
    }
}

template <Operator Op, typename T>
void test_to_all(const test::Routine<void(T*, const T*, int, int, int, int, T*, long*)>& r) {
    static T work[std::max<std::size_t>(SHMEM_REDUCE_MIN_WRKDATA_SIZE, test::kLargest / 2 + 1)];
    for (const ActiveSet& g : sets) {
        const int me = shmem_my_pe();
        for (const int count : {test::kLargest, 1, 0}) {
            for (const bool in_place : {false, true}) {
                const auto mine = [&](int i) { return term<T>(i, me); };
                if (in_place) {
                    T* both = test::operand<T>(2);
                    for (int i = 0; i < count; ++i)
                        both[i] = mine(i);
                }
                collective<T>(g, count, mine, [&](T* dest, const T* source) {
                    const std::string text = std::string(g.name) + ", elements " +
                                             std::to_string(count) + (in_place ? ", in place" : "");
                    T* to = in_place ? test::operand<T>(2) : dest;
                    r(to, in_place ? to : source, count, g.start, g.log_stride, g.size, work,
                      sync_array);
                    for (int i = 0; i < count; ++i)
                        EXPECT(r, to[i] == (combined<Op, T>(g, i, 0, g.size)),
                               text + ", element " + std::to_string(i));
                    EXPECT(r, untouched(dest[in_place ? 0 : count]) && sync_array_restored(), text);
                });
            }
        }
    }
}

template <typename T>
struct Bitwise {
    SHMEM_TABLE_TO_ALL_BITWISE(MEMBER, T, x)
};
template <typename T>
struct Ordered {
    SHMEM_TABLE_TO_ALL_ORDERED(MEMBER, T, x)
};
template <typename T>
struct Arithmetic {
    SHMEM_TABLE_TO_ALL_ARITHMETIC(MEMBER, T, x)
};

void test_barriers() {
    static const Barriers r = {{"shmem_barrier", shmem_barrier}, {"shmem_sync", shmem_sync}};
    static int arrived[8];
    const int me = shmem_my_pe();
    for (const ActiveSet& g : sets) {
        for (const bool full : {true, false}) {
            const auto& routine = full ? r.barrier : r.sync;
            // Two arrays in turn, as the standard asks for without a barrier between the calls.
            static long other_array[SHMEM_BARRIER_SYNC_SIZE];
            for (int round = 1; round <= 10 && g.index() >= 0; ++round) {
                for (int i = 0; i < g.size; ++i)
                    shmem_int_p(&arrived[me], round, g.world(i));
                if (!full) shmem_quiet();
                routine(g.start, g.log_stride, g.size, sync_array);
                bool all = true;
                for (int i = 0; i < g.size; ++i)
                    all = all && arrived[g.world(i)] >= round;
                EXPECT(routine, all, std::string(g.name) + ": left before all had come");
                routine(g.start, g.log_stride, g.size, other_array);
            }
            shmem_barrier_all();
            EXPECT(routine, sync_array_restored(), "pSync is not as it was");
            std::fill_n(arrived, 8, 0);
            shmem_barrier_all();
        }
    }
}

void run() {
    test_barriers();
#define TEST_BITS(BITS)                                                                       \
    static const Move<BITS> move_##BITS = {SHMEM_TABLE_ACTIVE_SET_SIZED_(INITIALISER, BITS)}; \
    test_move<BITS>(move_##BITS);
    TEST_BITS(32)
    TEST_BITS(64)
#undef TEST_BITS
#define TEST_TYPE(T, N)                                                                    \
    static const Bitwise<T> bitwise_##N = {SHMEM_TABLE_TO_ALL_BITWISE(INITIALISER, T, N)}; \
    test_to_all<Operator::bit_and, T>(bitwise_##N.x_and_to_all);                           \
    test_to_all<Operator::bit_or, T>(bitwise_##N.x_or_to_all);                             \
    test_to_all<Operator::bit_xor, T>(bitwise_##N.x_xor_to_all);
    SHMEM_BITWISE_TO_ALL_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                                    \
    static const Ordered<T> ordered_##N = {SHMEM_TABLE_TO_ALL_ORDERED(INITIALISER, T, N)}; \
    test_to_all<Operator::maximum, T>(ordered_##N.x_max_to_all);                           \
    test_to_all<Operator::minimum, T>(ordered_##N.x_min_to_all);
    SHMEM_ORDERED_TO_ALL_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                         \
    static const Arithmetic<T> arithmetic_##N = {               \
        SHMEM_TABLE_TO_ALL_ARITHMETIC(INITIALISER, T, N)};      \
    test_to_all<Operator::sum, T>(arithmetic_##N.x_sum_to_all); \
    test_to_all<Operator::product, T>(arithmetic_##N.x_prod_to_all);
    SHMEM_ARITHMETIC_TO_ALL_TYPES(TEST_TYPE)
#undef TEST_TYPE
}

}  // namespace

int main() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    sets.push_back({{"all PEs", 0, 1, pes}, 0});
    sets.push_back({{"every second PE", 0, 2, (pes + 1) / 2}, 1});
    if (pes > 1) sets.push_back({{"all but the first", 1, 1, pes - 1}, 0});
    test::make_operands();
    run();
    test::free_operands();
    shmem_finalize();
    return test::finish("active_sets", me, pes);
}
