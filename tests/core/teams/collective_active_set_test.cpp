// Collectives over active sets: every routine, every set of PEs of the job, work arrays in the heap
// and in static data, the same array used again at once. With the argument "multiple" under
// SHMEM_THREAD_MULTIPLE, where the sets have no teams behind them and use the work arrays.
#include <algorithm>

#include "../../api/shmem/collective_model.hpp"

namespace {

using test::apply;
using test::Buffers;
using test::mix;
using test::Op;
using test::same_value;
using test::value_of;

constexpr std::size_t kSetLengths[] = {0, 1, 7, 500, 9001};

std::uint64_t round_number = 0;
long static_psync[SHMEM_SYNC_SIZE];

struct Set {
    int start;
    int log_stride;
    int size;
    int me = -1;
    int world(int index) const { return start + (index << log_stride); }
};

std::vector<Set> sets_of(int pes, int me) {
    std::vector<Set> sets;
    for (int log_stride = 0; 1 << log_stride <= pes; ++log_stride)
        for (int start = 0; start < pes; ++start)
            for (int size = 1; start + ((size - 1) << log_stride) < pes; ++size) {
                if (size == 1 && log_stride > 0) continue;
                // Large jobs: a sample, the same at all PEs.
                if (pes > 4 && size > 1 &&
                    mix(static_cast<std::uint64_t>(start * 64 + size)) % 4 != 0 && size != pes)
                    continue;
                Set set{start, log_stride, size};
                for (int i = 0; i < size; ++i)
                    if (set.world(i) == me) set.me = i;
                sets.push_back(set);
            }
    return sets;
}

bool is_clear(const long* psync) {
    return std::all_of(psync, psync + SHMEM_SYNC_SIZE,
                       [](long word) { return word == SHMEM_SYNC_VALUE; });
}

std::string where(const Set& set, std::size_t nelems) {
    return "wrong result, set (" + std::to_string(set.start) + ", " +
           std::to_string(set.log_stride) + ", " + std::to_string(set.size) + "), nelems " +
           std::to_string(nelems);
}

template <typename T>
void fill(T* block, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        block[i] = value_of<T>(round_number, shmem_my_pe(), i);
}

template <typename T>
bool holds(const T* dest, std::size_t count, int pe, std::size_t first = 0) {
    for (std::size_t i = 0; i < count; ++i)
        if (!same_value(dest[i], value_of<T>(round_number, pe, first + i))) return false;
    return true;
}

template <typename T>
struct Sized {
    test::Routine<void(void*, const void*, size_t, int, int, int, int, long*)> broadcast;
    test::Routine<void(void*, const void*, size_t, int, int, int, long*)> collect;
    test::Routine<void(void*, const void*, size_t, int, int, int, long*)> fcollect;
    test::Routine<void(void*, const void*, size_t, int, int, int, long*)> alltoall;
    test::Routine<void(void*, const void*, ptrdiff_t, ptrdiff_t, size_t, int, int, int, long*)>
        alltoalls;
};

template <typename T>
void test_moves(const Sized<T>& routines, const Set& set, long* psync, const Buffers& buffers) {
    T* const dest = buffers.dest<T>();
    T* const source = buffers.source<T>();
    const auto size = static_cast<std::size_t>(set.size);
    const auto me = static_cast<std::size_t>(set.me);
    const auto world = [&](std::size_t index) { return set.world(static_cast<int>(index)); };
    for (const std::size_t nelems : kSetLengths) {
        for (int root = 0; root < set.size; ++root) {
            ++round_number;
            fill(source, nelems);
            const T mark = value_of<T>(0, -1, 0);
            std::fill_n(dest, nelems + 1, mark);
            routines.broadcast(dest, source, nelems, root, set.start, set.log_stride, set.size,
                               psync);
            bool right = same_value(dest[nelems], mark);
            if (root == set.me)
                right &= std::all_of(dest, dest + nelems, [&](T x) { return same_value(x, mark); });
            else
                right &= holds(dest, nelems, set.world(root));
            EXPECT(routines.broadcast, right, where(set, nelems));
        }
        ++round_number;
        fill(source, nelems);
        routines.fcollect(dest, source, nelems, set.start, set.log_stride, set.size, psync);
        bool right = true;
        for (std::size_t i = 0; i < size; ++i)
            right &= holds(dest + i * nelems, nelems, world(i));
        EXPECT(routines.fcollect, right, where(set, nelems));

        const auto length = [&](std::size_t index) { return nelems * ((index + nelems) % 3) / 2; };
        ++round_number;
        fill(source, length(me));
        routines.collect(dest, source, length(me), set.start, set.log_stride, set.size, psync);
        right = true;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < size; ++i) {
            right &= holds(dest + offset, length(i), world(i));
            offset += length(i);
        }
        EXPECT(routines.collect, right, where(set, nelems));

        ++round_number;
        fill(source, nelems * size);
        routines.alltoall(dest, source, nelems, set.start, set.log_stride, set.size, psync);
        right = true;
        for (std::size_t i = 0; i < size; ++i)
            right &= holds(dest + i * nelems, nelems, world(i), me * nelems);
        EXPECT(routines.alltoall, right, where(set, nelems));

        ++round_number;
        for (std::size_t i = 0; i < nelems * size; ++i)
            source[i * 3] = value_of<T>(round_number, shmem_my_pe(), i);
        routines.alltoalls(dest, source, 2, 3, nelems, set.start, set.log_stride, set.size, psync);
        right = true;
        for (std::size_t i = 0; i < nelems * size; ++i)
            right &= same_value(dest[i * 2], value_of<T>(round_number, world(i / nelems),
                                                         me * nelems + i % nelems));
        EXPECT(routines.alltoalls, right, where(set, nelems));
    }
}

template <Op op, typename T, typename R>
void test_reduce(const R& routine, const Set& set, long* psync, const Buffers& buffers, T* work) {
    T* const dest = buffers.dest<T>();
    for (const bool in_place : {false, true}) {
        T* const source = in_place ? dest : buffers.source<T>();
        for (const std::size_t nelems : kSetLengths) {
            ++round_number;
            fill(source, nelems);
            routine(dest, source, static_cast<int>(nelems), set.start, set.log_stride, set.size,
                    work, psync);
            bool right = true;
            for (std::size_t i = 0; i < nelems; ++i) {
                T expected = value_of<T>(round_number, set.world(0), i);
                for (int term = 1; term < set.size; ++term)
                    expected =
                        apply<op, T>(expected, value_of<T>(round_number, set.world(term), i));
                right &= same_value(dest[i], expected);
            }
            EXPECT(routine, right, where(set, nelems) + (in_place ? ", in place" : ""));
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

void test_synchronisation(const Set& set, long* psync) {
    static long arrivals;
    for (int i = 0; i < 10; ++i) {
        for (int member = 0; member < set.size; ++member)
            shmem_long_atomic_inc(&arrivals, set.world(member));
        shmem_barrier(set.start, set.log_stride, set.size, psync);
        EXPECT_NAMED("shmem_barrier", arrivals == (i + 1L) * set.size);
        // The C routine; in C++ the name is shared with the one for teams.
        pshmem_sync(set.start, set.log_stride, set.size, psync);
        EXPECT_NAMED("shmem_sync", arrivals == (i + 1L) * set.size);
        pshmem_sync(set.start, set.log_stride, set.size, psync);
    }
    arrivals = 0;
    shmem_barrier(set.start, set.log_stride, set.size, psync);
}

}  // namespace

int main(int count, char** arguments) {
    const bool multiple = count > 1 && std::strcmp(arguments[1], "multiple") == 0;
    int provided = -1;
    shmem_init_thread(multiple ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    {
        Buffers buffers;
        auto* const heap_psync =
            static_cast<long*>(shmem_malloc((SHMEM_SYNC_SIZE + 1) * sizeof(long)));
        auto* const work = static_cast<char*>(shmem_malloc(16 * test::kLongest));
        std::fill_n(heap_psync, SHMEM_SYNC_SIZE + 1, SHMEM_SYNC_VALUE);
        shmem_barrier_all();
        // One word off any larger alignment.
        long* const psyncs[] = {static_psync, heap_psync + 1};
#define TEST_SIZED(BITS)                                  \
    const Sized<std::uint##BITS##_t> sized##BITS{         \
        {"shmem_broadcast" #BITS, shmem_broadcast##BITS}, \
        {"shmem_collect" #BITS, shmem_collect##BITS},     \
        {"shmem_fcollect" #BITS, shmem_fcollect##BITS},   \
        {"shmem_alltoall" #BITS, shmem_alltoall##BITS},   \
        {"shmem_alltoalls" #BITS, shmem_alltoalls##BITS}};
        TEST_SIZED(32)
        TEST_SIZED(64)
#define TEST_BITWISE(T, N) \
    const Bitwise<T> N##_bitwise{SHMEM_TABLE_TO_ALL_BITWISE(INITIALISER, T, N)};
        SHMEM_BITWISE_TO_ALL_TYPES(TEST_BITWISE)
#define TEST_ORDERED(T, N) \
    const Ordered<T> N##_ordered{SHMEM_TABLE_TO_ALL_ORDERED(INITIALISER, T, N)};
        SHMEM_ORDERED_TO_ALL_TYPES(TEST_ORDERED)
#define TEST_ARITHMETIC(T, N) \
    const Arithmetic<T> N##_arithmetic{SHMEM_TABLE_TO_ALL_ARITHMETIC(INITIALISER, T, N)};
        SHMEM_ARITHMETIC_TO_ALL_TYPES(TEST_ARITHMETIC)
        int number = 0;
        for (const Set& set : sets_of(pes, me)) {
            long* const psync = psyncs[number++ % 2];
            if (set.me >= 0) {
                test_synchronisation(set, psync);
                test_moves(sized32, set, psync, buffers);
                test_moves(sized64, set, psync, buffers);
#define RUN_BITWISE(T, N)                                                                  \
    {                                                                                      \
        auto* const typed = reinterpret_cast<T*>(work);                                    \
        test_reduce<Op::bit_and, T>(N##_bitwise.x_and_to_all, set, psync, buffers, typed); \
        test_reduce<Op::bit_or, T>(N##_bitwise.x_or_to_all, set, psync, buffers, typed);   \
        test_reduce<Op::bit_xor, T>(N##_bitwise.x_xor_to_all, set, psync, buffers, typed); \
    }
                SHMEM_BITWISE_TO_ALL_TYPES(RUN_BITWISE)
#define RUN_ORDERED(T, N)                                                              \
    {                                                                                  \
        auto* const typed = reinterpret_cast<T*>(work);                                \
        test_reduce<Op::max, T>(N##_ordered.x_max_to_all, set, psync, buffers, typed); \
        test_reduce<Op::min, T>(N##_ordered.x_min_to_all, set, psync, buffers, typed); \
    }
                SHMEM_ORDERED_TO_ALL_TYPES(RUN_ORDERED)
#define RUN_ARITHMETIC(T, N)                                                                \
    {                                                                                       \
        auto* const typed = reinterpret_cast<T*>(work);                                     \
        test_reduce<Op::sum, T>(N##_arithmetic.x_sum_to_all, set, psync, buffers, typed);   \
        test_reduce<Op::prod, T>(N##_arithmetic.x_prod_to_all, set, psync, buffers, typed); \
    }
                SHMEM_ARITHMETIC_TO_ALL_TYPES(RUN_ARITHMETIC)
            }
            shmem_barrier_all();
            EXPECT_NAMED("shmem_barrier", is_clear(psync));
            round_number = static_cast<std::uint64_t>(number) << 20;
            shmem_barrier_all();
        }
        shmem_free(work);
        shmem_free(heap_psync);
    }
    shmem_barrier_all();
    const int status = test::finish(multiple ? "active_set_multiple" : "active_set", me, pes);
    shmem_finalize();
    return status;
}
