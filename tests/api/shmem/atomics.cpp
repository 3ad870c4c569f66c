// Atomics: every operation on every type, alone on a variable (what it returns, what it leaves,
// wrap-around, extremes) and with all PEs at once on one variable.
#include "harness.hpp"

namespace {

using test::Arena;
using test::Contexts;
using test::same;
using test::sample;
using test::TestContext;

template <typename T>
struct Extended {
    SHMEM_TABLE_AMO_EXTENDED(MEMBER, T, x)
    SHMEM_TABLE_AMO_EXTENDED_DEPRECATED(MEMBER, T, x)
};
template <typename T>
struct Standard {
    SHMEM_TABLE_AMO_STANDARD(MEMBER, T, x)
    SHMEM_TABLE_AMO_STANDARD_DEPRECATED(MEMBER, T, x)
};
template <typename T>
struct Bitwise {
    SHMEM_TABLE_AMO_BITWISE(MEMBER, T, x)
};

struct Test {
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    Arena arena;
    Contexts contexts;
};

// Makes calls with a context or without; checks count for the routine that was called.
struct Caller {
    const TestContext* context;
    int target;
    std::string text;

    template <typename Plain, typename With, typename... Arguments>
    auto operator()(const Plain& plain, const With& with, Arguments... arguments) const {
        if (context == nullptr) return plain(arguments..., target);
        return with(context->context, arguments..., context->pe(target));
    }
    template <typename Plain, typename With>
    void check(const Plain& plain, const With& with, bool condition, int line,
               const char* what) const {
        test::expect(*(context == nullptr ? plain.record : with.record), condition, __FILE__, line,
                     text + ": " + what);
    }
    void quiet() const {
        if (context == nullptr)
            shmem_quiet();
        else
            shmem_ctx_quiet(context->context);
    }
};
#define CHECK(NAME, condition) \
    call.check(r.x_##NAME, r.ctx_x_##NAME, (condition), __LINE__, #condition)
#define CALL(NAME, ...) call(r.x_##NAME, r.ctx_x_##NAME, __VA_ARGS__)

// Calls body(caller, place, slot) for every context and place, to the next PE and to this one. One
// PE alone works on a slot.
template <typename Body>
void everywhere(Test& t, Body&& body) {
    shmem_barrier_all();
    t.arena.clear();
    shmem_barrier_all();
    int slot = 0;
    for (const Arena::Place place : {Arena::heap, Arena::data}) {
        for (const int target : {t.me, (t.me + 1) % t.pes}) {
            const auto with = [&](const TestContext* context) {
                const std::string text =
                    std::string(context == nullptr ? "no context" : context->name) + ", " +
                    Arena::name(place) + ", target PE " + std::to_string(target);
                body(Caller{context, target, text}, place, slot++);
            };
            with(nullptr);
            for (const TestContext& context : t.contexts)
                with(&context);
        }
    }
    shmem_barrier_all();
}

template <typename T>
T plus(T left, T right) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(left) + static_cast<U>(right));
}

constexpr int kSamples = 7;

template <typename T>
void test_extended(Test& t, const Extended<T>& r) {
    everywhere(t, [&](const Caller& call, Arena::Place place, int slot) {
        T* cell = t.arena.at<T>(place, slot);
        for (int i = 0; i < kSamples; ++i) {
            const T first = sample<T>(i, t.me);
            const T second = sample<T>(i + 1, t.me);
            CALL(atomic_set, cell, first);
            call.quiet();
            CHECK(atomic_set, same(CALL(atomic_fetch, cell), first));
            CHECK(atomic_fetch, same(CALL(atomic_fetch, cell), first));
            CHECK(atomic_swap, same(CALL(atomic_swap, cell, second), first));
            CHECK(atomic_swap, same(CALL(atomic_fetch, cell), second));
            T fetched{};
            CALL(atomic_fetch_nbi, &fetched, cell);
            call.quiet();
            CHECK(atomic_fetch_nbi, same(fetched, second));
            CALL(atomic_swap_nbi, &fetched, cell, first);
            call.quiet();
            CHECK(atomic_swap_nbi, same(fetched, second));
            CHECK(atomic_swap_nbi, same(CALL(atomic_fetch, cell), first));
            if (call.context != nullptr) continue;
            EXPECT(r.x_fetch, same(r.x_fetch(cell, call.target), first), call.text);
            r.x_set(cell, second, call.target);
            shmem_quiet();
            EXPECT(r.x_set, same(r.x_fetch(cell, call.target), second), call.text);
            EXPECT(r.x_swap, same(r.x_swap(cell, first, call.target), second), call.text);
            EXPECT(r.x_swap, same(r.x_fetch(cell, call.target), first), call.text);
        }
        EXPECT(r.x_atomic_set, test::untouched(cell[1]), "wrote past its variable");
    });
}

template <typename T>
void test_standard(Test& t, const Extended<T>& e, const Standard<T>& r) {
    everywhere(t, [&](const Caller& call, Arena::Place place, int slot) {
        T* cell = t.arena.at<T>(place, slot);
        const T one = 1;
        const auto value = [&] { return e.x_atomic_fetch(cell, call.target); };
        for (int i = 0; i < kSamples; ++i) {
            const T first = sample<T>(i, t.me);
            const T second = sample<T>(i + 5, t.me);
            const T other = plus(first, one);
            T fetched{};
            e.x_atomic_set(cell, first, call.target);
            shmem_quiet();
            CHECK(atomic_compare_swap, CALL(atomic_compare_swap, cell, other, second) == first);
            CHECK(atomic_compare_swap, value() == first);
            CHECK(atomic_compare_swap, CALL(atomic_compare_swap, cell, first, second) == first);
            CHECK(atomic_compare_swap, value() == second);
            CALL(atomic_compare_swap_nbi, &fetched, cell, plus(second, one), first);
            call.quiet();
            CHECK(atomic_compare_swap_nbi, fetched == second && value() == second);
            CALL(atomic_compare_swap_nbi, &fetched, cell, second, first);
            call.quiet();
            CHECK(atomic_compare_swap_nbi, fetched == second && value() == first);
            CHECK(atomic_fetch_inc, CALL(atomic_fetch_inc, cell) == first);
            CHECK(atomic_fetch_inc, value() == other);
            CALL(atomic_inc, cell);
            call.quiet();
            CHECK(atomic_inc, value() == plus(other, one));
            CALL(atomic_fetch_inc_nbi, &fetched, cell);
            call.quiet();
            CHECK(atomic_fetch_inc_nbi, fetched == plus(other, one));
            CHECK(atomic_fetch_inc_nbi, value() == plus(other, T{2}));
            e.x_atomic_set(cell, first, call.target);
            shmem_quiet();
            CHECK(atomic_fetch_add, CALL(atomic_fetch_add, cell, second) == first);
            CHECK(atomic_fetch_add, value() == plus(first, second));
            CALL(atomic_add, cell, second);
            call.quiet();
            CHECK(atomic_add, value() == plus(plus(first, second), second));
            e.x_atomic_set(cell, first, call.target);
            shmem_quiet();
            CALL(atomic_fetch_add_nbi, &fetched, cell, second);
            call.quiet();
            CHECK(atomic_fetch_add_nbi, fetched == first && value() == plus(first, second));
            if (call.context != nullptr) continue;
            const int pe = call.target;
            e.x_set(cell, first, pe);
            shmem_quiet();
            EXPECT(r.x_cswap, r.x_cswap(cell, other, second, pe) == first, call.text);
            EXPECT(r.x_cswap, r.x_cswap(cell, first, second, pe) == first, call.text);
            EXPECT(r.x_cswap, value() == second, call.text);
            EXPECT(r.x_finc, r.x_finc(cell, pe) == second, call.text);
            EXPECT(r.x_finc, value() == plus(second, one), call.text);
            r.x_inc(cell, pe);
            shmem_quiet();
            EXPECT(r.x_inc, value() == plus(second, T{2}), call.text);
            e.x_set(cell, first, pe);
            shmem_quiet();
            EXPECT(r.x_fadd, r.x_fadd(cell, second, pe) == first, call.text);
            r.x_add(cell, second, pe);
            shmem_quiet();
            EXPECT(r.x_fadd, value() == plus(plus(first, second), second), call.text);
            EXPECT(r.x_add, value() == plus(plus(first, second), second), call.text);
        }
    });
}

#define CHECK_BITWISE(OP, expected)                                                \
    do {                                                                           \
        T fetched{};                                                               \
        e.x_atomic_set(cell, first, call.target);                                  \
        shmem_quiet();                                                             \
        CHECK(atomic_fetch_##OP, CALL(atomic_fetch_##OP, cell, second) == first);  \
        CHECK(atomic_fetch_##OP, value() == (expected));                           \
        e.x_atomic_set(cell, first, call.target);                                  \
        shmem_quiet();                                                             \
        CALL(atomic_##OP, cell, second);                                           \
        call.quiet();                                                              \
        CHECK(atomic_##OP, value() == (expected));                                 \
        e.x_atomic_set(cell, first, call.target);                                  \
        shmem_quiet();                                                             \
        CALL(atomic_fetch_##OP##_nbi, &fetched, cell, second);                     \
        call.quiet();                                                              \
        CHECK(atomic_fetch_##OP##_nbi, fetched == first && value() == (expected)); \
    } while (false)

template <typename T>
void test_bitwise(Test& t, const Extended<T>& e, const Bitwise<T>& r) {
    everywhere(t, [&](const Caller& call, Arena::Place place, int slot) {
        T* cell = t.arena.at<T>(place, slot);
        const auto value = [&] { return e.x_atomic_fetch(cell, call.target); };
        for (int i = 0; i < kSamples; ++i) {
            const T first = sample<T>(i, t.me);
            const T second = sample<T>(i + 4, t.me);
            CHECK_BITWISE(and, static_cast<T>(first & second));
            CHECK_BITWISE(or, static_cast<T>(first | second));
            CHECK_BITWISE(xor, static_cast<T>(first ^ second));
        }
    });
}

constexpr int kRounds = 100;

// All PEs on the variables of PE 0: nothing is lost, and nobody is handed the same number twice.
template <typename T>
void test_together(Test& t, const Extended<T>& e, const Standard<T>& r) {
    shmem_barrier_all();
    T* cells = t.arena.at<T>(Arena::data, 0);
    for (int i = 0; i < 6; ++i)
        e.x_atomic_set(cells + i, 0, t.me);
    shmem_barrier_all();
    long long increased = 0;
    T last_inc = 0;
    T last_add = 0;
    for (int i = 0; i < kRounds; ++i) {
        r.x_atomic_inc(cells, 0);
        r.x_atomic_add(cells + 1, 3, 0);
        const T inc = r.x_atomic_fetch_inc(cells + 2, 0);
        const T add = r.x_atomic_fetch_add(cells + 3, 5, 0);
        if (i == 0 || (inc > last_inc && add > last_add)) ++increased;
        last_inc = inc;
        last_add = add;
        T seen = e.x_atomic_fetch(cells + 4, 0);
        for (;;) {
            const T found = r.x_atomic_compare_swap(cells + 4, seen, plus(seen, T{1}), 0);
            if (found == seen) break;
            seen = found;
        }
    }
    EXPECT(r.x_atomic_fetch_inc, increased == kRounds, "numbers handed out do not increase");
    shmem_barrier_all();
    const T all = static_cast<T>(t.pes * kRounds);
    EXPECT(r.x_atomic_inc, e.x_atomic_fetch(cells, 0) == all, "increments were lost");
    EXPECT(r.x_atomic_add, e.x_atomic_fetch(cells + 1, 0) == static_cast<T>(3 * all), "lost");
    EXPECT(r.x_atomic_fetch_inc, e.x_atomic_fetch(cells + 2, 0) == all, "increments were lost");
    EXPECT(r.x_atomic_fetch_add, e.x_atomic_fetch(cells + 3, 0) == static_cast<T>(5 * all), "lost");
    EXPECT(r.x_atomic_compare_swap, e.x_atomic_fetch(cells + 4, 0) == all, "swaps were lost");
    // A token is swapped from hand to hand: at the end each value put in came out once.
    T sum = 0;
    shmem_barrier_all();
    for (int i = 0; i < kRounds; ++i)
        sum = plus(sum, e.x_atomic_swap(cells + 5, static_cast<T>(t.me + 1), 0));
    r.x_atomic_add(cells + 4, sum, 0);
    shmem_barrier_all();
    const T put_in = static_cast<T>(kRounds * t.pes * (t.pes + 1) / 2);
    const T came_out = static_cast<T>(e.x_atomic_fetch(cells + 4, 0) - all);
    EXPECT(e.x_atomic_swap, plus(came_out, e.x_atomic_fetch(cells + 5, 0)) == put_in,
           "a swapped value was lost or came twice");
}

template <typename T>
void test_bits_together(Test& t, const Extended<T>& e, const Bitwise<T>& r) {
    shmem_barrier_all();
    T* cells = t.arena.at<T>(Arena::data, 0);
    e.x_atomic_set(cells, 0, t.me);
    e.x_atomic_set(cells + 1, static_cast<T>(-1), t.me);
    e.x_atomic_set(cells + 2, 0, t.me);
    shmem_barrier_all();
    const T mine = static_cast<T>(T{1} << t.me);
    T all = 0;
    for (int pe = 0; pe < t.pes; ++pe)
        all = static_cast<T>(all | (T{1} << pe));
    for (int i = 0; i < kRounds; ++i) {
        r.x_atomic_or(cells, mine, 0);
        shmem_quiet();
        EXPECT(r.x_atomic_fetch_and,
               (r.x_atomic_fetch_and(cells, static_cast<T>(~mine), 0) & mine) != 0,
               "another PE changed my bit");
        EXPECT(r.x_atomic_fetch_or, (r.x_atomic_fetch_or(cells, mine, 0) & mine) == 0,
               "another PE changed my bit");
        r.x_atomic_and(cells + 1, static_cast<T>(~mine), 0);
        r.x_atomic_xor(cells + 2, mine, 0);
        shmem_quiet();
        EXPECT(r.x_atomic_fetch_xor, (r.x_atomic_fetch_xor(cells + 2, mine, 0) & mine) != 0,
               "another PE changed my bit");
    }
    r.x_atomic_xor(cells + 2, mine, 0);
    shmem_barrier_all();
    EXPECT(r.x_atomic_or, e.x_atomic_fetch(cells, 0) == all, "bits were lost");
    EXPECT(r.x_atomic_and, e.x_atomic_fetch(cells + 1, 0) == static_cast<T>(~all),
           "bits were lost");
    EXPECT(r.x_atomic_xor, e.x_atomic_fetch(cells + 2, 0) == all, "bits were lost");
}

// The swap without a type, of 1.0.
struct SwapLong {
    SHMEM_TABLE_AMO_LONG(MEMBER)
};
void test_swap_long(Test& t, const SwapLong& r) {
    long* cell = t.arena.at<long>(Arena::heap, 1);
    *cell = sample<long>(0, t.me);
    shmem_barrier_all();
    const int next = (t.me + 1) % t.pes;
    const long seen = r.swap(cell, sample<long>(1, t.me), next);
    EXPECT(r.swap, seen == sample<long>(0, next), "value before the swap");
    shmem_barrier_all();
    EXPECT(r.swap, *cell == sample<long>(1, (t.me + t.pes - 1) % t.pes), "value after it");
    shmem_barrier_all();
}

void run(Test& t) {
    static const SwapLong swap_long = {SHMEM_TABLE_AMO_LONG(INITIALISER)};
    test_swap_long(t, swap_long);
#define TEST_TYPE(T, N)                                                             \
    static const Extended<T> extended_##N = {SHMEM_TABLE_AMO_EXTENDED(              \
        INITIALISER, T, N) SHMEM_TABLE_AMO_EXTENDED_DEPRECATED(INITIALISER, T, N)}; \
    test_extended<T>(t, extended_##N);
    SHMEM_STANDARD_AMO_TYPES(TEST_TYPE)
    SHMEM_FLOATING_AMO_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                             \
    static const Standard<T> standard_##N = {SHMEM_TABLE_AMO_STANDARD(              \
        INITIALISER, T, N) SHMEM_TABLE_AMO_STANDARD_DEPRECATED(INITIALISER, T, N)}; \
    test_standard<T>(t, extended_##N, standard_##N);                                \
    test_together<T>(t, extended_##N, standard_##N);
    SHMEM_STANDARD_AMO_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                                 \
    static const Bitwise<T> bitwise_##N = {SHMEM_TABLE_AMO_BITWISE(INITIALISER, T, N)}; \
    test_bitwise<T>(t, extended_##N, bitwise_##N);                                      \
    test_bits_together<T>(t, extended_##N, bitwise_##N);
    SHMEM_BITWISE_AMO_TYPES(TEST_TYPE)
#undef TEST_TYPE
}

}  // namespace

int main() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    {
        Test t;
        run(t);
    }
    shmem_finalize();
#ifdef TEST_INLINE
    return test::finish("atomics_inline", me, pes);
#else
    return test::finish("atomics", me, pes);
#endif
}
