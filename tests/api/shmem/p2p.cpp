// Point-to-point synchronisation: every routine of every type against a model on random sets, and
// with a neighbour that writes what is waited for.
#include <algorithm>
#include <random>

#include "harness.hpp"

namespace {

template <typename T>
struct PointToPoint {
    SHMEM_TABLE_P2P(MEMBER, T, x)
};
template <typename T>
struct Deprecated {
    SHMEM_TABLE_P2P_DEPRECATED(MEMBER, T, x)
};
template <typename T>
struct Wait {
    SHMEM_TABLE_WAIT(MEMBER, T, x)
};

constexpr int kVariables = 8;
constexpr std::size_t kNone = SIZE_MAX;
alignas(16) char static_variables[kVariables * 8];
char* heap_variables;
int me;
int pes;

template <typename T>
T corner(unsigned i) {
    using Limits = std::numeric_limits<T>;
    const T corners[] = {Limits::min(), static_cast<T>(-1), 0, 1, Limits::max()};
    return corners[i % 5];
}

template <typename T>
bool compare(T left, int cmp, T right) {
    switch (cmp) {
        case SHMEM_CMP_EQ: return left == right;
        case SHMEM_CMP_NE: return left != right;
        case SHMEM_CMP_GT: return left > right;
        case SHMEM_CMP_GE: return left >= right;
        case SHMEM_CMP_LT: return left < right;
        case SHMEM_CMP_LE: return left <= right;
        default: std::abort();
    }
}
constexpr int kComparisons[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT,
                                SHMEM_CMP_GE, SHMEM_CMP_LT, SHMEM_CMP_LE};

template <typename T>
void test_single(const auto& wait_until, const auto& test) {
    for (char* place : {heap_variables, static_variables}) {
        T* variable = reinterpret_cast<T*>(place);
        for (unsigned left = 0; left < 5; ++left) {
            for (unsigned right = 0; right < 5; ++right) {
                for (const int cmp : kComparisons) {
                    *variable = corner<T>(left);
                    const bool expected = compare(corner<T>(left), cmp, corner<T>(right));
                    EXPECT(test, test(variable, cmp, corner<T>(right)) == (expected ? 1 : 0),
                           "comparison " + std::to_string(cmp));
                    if (expected) wait_until(variable, cmp, corner<T>(right));
                }
            }
        }
        // The neighbour makes the condition true.
        *variable = 5;
        shmem_barrier_all();
        const T ahead = static_cast<T>(7 + me);
        shmem_putmem(variable, &ahead, sizeof(T), (me + 1) % pes);
        const int previous = (me + pes - 1) % pes;
        wait_until(variable, SHMEM_CMP_GT, T{6});
        EXPECT(wait_until, *variable == static_cast<T>(7 + previous), "value after the wait");
        shmem_barrier_all();
        *variable = 5;
        shmem_barrier_all();
        shmem_putmem(variable, &ahead, sizeof(T), (me + 1) % pes);
        while (test(variable, SHMEM_CMP_NE, T{5}) == 0) {
        }
        EXPECT(test, *variable == static_cast<T>(7 + previous), "value after the test");
        shmem_barrier_all();
    }
}

template <typename T>
void test_wait(const auto& wait) {
    T* variable = reinterpret_cast<T*>(heap_variables);
    *variable = 3;
    wait(variable, T{4});  // already different
    shmem_barrier_all();
    const T other = static_cast<T>(-me - 9);
    shmem_putmem(variable, &other, sizeof(T), (me + 1) % pes);
    wait(variable, T{3});
    EXPECT(wait, *variable == static_cast<T>(-((me + pes - 1) % pes) - 9), "value after the wait");
    shmem_barrier_all();
}

// Random variables, masks, comparisons and values against the definition.
template <typename T>
void test_sets(const PointToPoint<T>& r) {
    std::mt19937 random(4711u + static_cast<unsigned>(me));
    T* variables = reinterpret_cast<T*>(static_variables);
    for (int round = 0; round < 150; ++round) {
        const std::size_t size = random() % (kVariables + 1);
        T values[kVariables];
        int mask[kVariables];
        const bool masked = random() % 3 != 0;
        for (int i = 0; i < kVariables; ++i) {
            variables[i] = corner<T>(random());
            values[i] = corner<T>(random());
            mask[i] = random() % 3 == 0 ? static_cast<int>(random() | 1u) : 0;
        }
        const int* status = masked ? mask : nullptr;
        const T value = corner<T>(random());
        const int cmp = kComparisons[random() % 6];
        std::vector<std::size_t> model;
        std::vector<std::size_t> vector_model;
        std::size_t members = 0;
        for (std::size_t i = 0; i < size; ++i) {
            if (masked && mask[i] != 0) continue;
            ++members;
            if (compare(variables[i], cmp, value)) model.push_back(i);
            if (compare(variables[i], cmp, values[i])) vector_model.push_back(i);
        }
        const auto is_any = [](std::size_t index, const std::vector<std::size_t>& from) {
            return from.empty() ? index == kNone
                                : std::find(from.begin(), from.end(), index) != from.end();
        };
        const auto is_some = [](std::size_t count, const std::size_t* indices,
                                const std::vector<std::size_t>& from) {
            std::vector<std::size_t> found(indices, indices + count);
            std::sort(found.begin(), found.end());
            return found == from;
        };
        std::size_t indices[kVariables];
        const std::string text = "round " + std::to_string(round);
        T* v = variables;
        EXPECT(r.x_test_all, r.x_test_all(v, size, status, cmp, value) == (model.size() == members),
               text);
        EXPECT(r.x_test_any, is_any(r.x_test_any(v, size, status, cmp, value), model), text);
        EXPECT(r.x_test_some,
               is_some(r.x_test_some(v, size, indices, status, cmp, value), indices, model), text);
        EXPECT(
            r.x_test_all_vector,
            r.x_test_all_vector(v, size, status, cmp, values) == (vector_model.size() == members),
            text);
        EXPECT(r.x_test_any_vector,
               is_any(r.x_test_any_vector(v, size, status, cmp, values), vector_model), text);
        EXPECT(r.x_test_some_vector,
               is_some(r.x_test_some_vector(v, size, indices, status, cmp, values), indices,
                       vector_model),
               text);
        if (model.size() == members) {
            r.x_wait_until_all(v, size, status, cmp, value);
            EXPECT(r.x_wait_until_all, true, text);
        }
        if (!model.empty() || members == 0) {
            EXPECT(r.x_wait_until_any,
                   is_any(r.x_wait_until_any(v, size, status, cmp, value), model), text);
            EXPECT(
                r.x_wait_until_some,
                is_some(r.x_wait_until_some(v, size, indices, status, cmp, value), indices, model),
                text);
        }
        if (vector_model.size() == members) {
            r.x_wait_until_all_vector(v, size, status, cmp, values);
            EXPECT(r.x_wait_until_all_vector, true, text);
        }
        if (!vector_model.empty() || members == 0) {
            EXPECT(r.x_wait_until_any_vector,
                   is_any(r.x_wait_until_any_vector(v, size, status, cmp, values), vector_model),
                   text);
            EXPECT(r.x_wait_until_some_vector,
                   is_some(r.x_wait_until_some_vector(v, size, indices, status, cmp, values),
                           indices, vector_model),
                   text);
        }
    }
}

// The neighbour writes the variables one after the other, each a value of its own.
template <typename T>
void test_neighbour(const PointToPoint<T>& r) {
    T* variables = reinterpret_cast<T*>(heap_variables);
    const int next = (me + 1) % pes;
    T values[kVariables];
    for (int i = 0; i < kVariables; ++i)
        values[i] = static_cast<T>(i + 1);
    const auto exchange = [&](auto&& body) {
        std::fill_n(variables, kVariables, T{0});
        shmem_barrier_all();
        for (int i = 0; i < kVariables; ++i) {
            const int at = (i * 3 + me) % kVariables;
            shmem_putmem(variables + at, values + at, sizeof(T), next);
        }
        body();
        shmem_barrier_all();
    };
    const auto is_complete = [&] { return std::equal(values, values + kVariables, variables); };
    // Takes indices until each came once; what came is masked out.
    const auto take_all = [&](auto&& take) {
        int status[kVariables] = {};
        int taken = 0;
        for (int calls = 0; taken < kVariables && calls < 100000000; ++calls) {
            for (const std::size_t index : take(status)) {
                if (index >= kVariables || status[index] != 0) return false;
                if (variables[index] != values[index]) return false;
                status[index] = 1;
                ++taken;
            }
        }
        return is_complete();
    };
    using Indices = std::vector<std::size_t>;
    const auto one = [](std::size_t index) { return index == kNone ? Indices{} : Indices{index}; };
    const auto some = [](std::size_t count, const std::size_t* indices) {
        return Indices(indices, indices + count);
    };
    std::size_t at[kVariables];
    T* v = variables;
    constexpr std::size_t n = kVariables;
    exchange([&] {
        r.x_wait_until_all(v, n, nullptr, SHMEM_CMP_NE, 0);
        EXPECT(r.x_wait_until_all, is_complete(), "not all were there");
    });
    exchange([&] {
        r.x_wait_until_all_vector(v, n, nullptr, SHMEM_CMP_EQ, values);
        EXPECT(r.x_wait_until_all_vector, is_complete(), "not all were there");
    });
    exchange([&] {
        EXPECT(r.x_wait_until_any, take_all([&](const int* status) {
                   return one(r.x_wait_until_any(v, n, status, SHMEM_CMP_NE, 0));
               }),
               "indices");
    });
    exchange([&] {
        EXPECT(r.x_wait_until_any_vector, take_all([&](const int* status) {
                   return one(r.x_wait_until_any_vector(v, n, status, SHMEM_CMP_EQ, values));
               }),
               "indices");
    });
    exchange([&] {
        EXPECT(r.x_wait_until_some, take_all([&](const int* status) {
                   return some(r.x_wait_until_some(v, n, at, status, SHMEM_CMP_GT, 0), at);
               }),
               "indices");
    });
    exchange([&] {
        EXPECT(r.x_wait_until_some_vector, take_all([&](const int* status) {
                   return some(r.x_wait_until_some_vector(v, n, at, status, SHMEM_CMP_GE, values),
                               at);
               }),
               "indices");
    });
    exchange([&] {
        while (r.x_test_all(v, n, nullptr, SHMEM_CMP_NE, 0) == 0) {
        }
        EXPECT(r.x_test_all, is_complete(), "not all were there");
    });
    exchange([&] {
        while (r.x_test_all_vector(v, n, nullptr, SHMEM_CMP_EQ, values) == 0) {
        }
        EXPECT(r.x_test_all_vector, is_complete(), "not all were there");
    });
    exchange([&] {
        EXPECT(r.x_test_any, take_all([&](const int* status) {
                   return one(r.x_test_any(v, n, status, SHMEM_CMP_NE, 0));
               }),
               "indices");
    });
    exchange([&] {
        EXPECT(r.x_test_any_vector, take_all([&](const int* status) {
                   return one(r.x_test_any_vector(v, n, status, SHMEM_CMP_EQ, values));
               }),
               "indices");
    });
    exchange([&] {
        EXPECT(r.x_test_some, take_all([&](const int* status) {
                   return some(r.x_test_some(v, n, at, status, SHMEM_CMP_NE, 0), at);
               }),
               "indices");
    });
    exchange([&] {
        EXPECT(r.x_test_some_vector, take_all([&](const int* status) {
                   return some(r.x_test_some_vector(v, n, at, status, SHMEM_CMP_EQ, values), at);
               }),
               "indices");
    });
    // A series of calls returns every satisfied element, though none is masked out.
    std::fill_n(variables, kVariables, T{1});
    unsigned seen = 0;
    unsigned waited = 0;
    for (int i = 0; i < 1000; ++i) {
        seen |= 1u << r.x_test_any(v, n, nullptr, SHMEM_CMP_EQ, 1);
        waited |= 1u << r.x_wait_until_any(v, n, nullptr, SHMEM_CMP_EQ, 1);
    }
    EXPECT(r.x_test_any, seen == (1u << kVariables) - 1, "some elements starve");
    EXPECT(r.x_wait_until_any, waited == (1u << kVariables) - 1, "some elements starve");
    shmem_barrier_all();
}

struct WaitLong {
    SHMEM_TABLE_WAIT_LONG(MEMBER)
};

void run() {
#define TEST_TYPE(T, N)                                                          \
    static const PointToPoint<T> p2p_##N = {SHMEM_TABLE_P2P(INITIALISER, T, N)}; \
    test_single<T>(p2p_##N.x_wait_until, p2p_##N.x_test);                        \
    test_sets<T>(p2p_##N);                                                       \
    test_neighbour<T>(p2p_##N);
    SHMEM_P2P_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                                          \
    static const Deprecated<T> deprecated_##N = {SHMEM_TABLE_P2P_DEPRECATED(INITIALISER, T, N)}; \
    test_single<T>(deprecated_##N.x_wait_until, deprecated_##N.x_test);
    SHMEM_DEPRECATED_P2P_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                    \
    static const Wait<T> wait_##N = {SHMEM_TABLE_WAIT(INITIALISER, T, N)}; \
    test_wait<T>(wait_##N.x_wait);
    SHMEM_WAIT_TYPES(TEST_TYPE)
#undef TEST_TYPE
    static const WaitLong old = {SHMEM_TABLE_WAIT_LONG(INITIALISER)};
    test_wait<long>(old.wait);
    test_single<long>(old.wait_until, p2p_long.x_test);
}

}  // namespace

int main() {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    heap_variables = static_cast<char*>(shmem_malloc(kVariables * 8));
    run();
    shmem_free(heap_variables);
    shmem_finalize();
    return test::finish("p2p", me, pes);
}
