// Point-to-point synchronisation: wait_until and test, for one variable and for sets of them, and
// the deprecated wait.
//
// Every load is an acquire load. Its partner is the release (or stronger) store of an atomic, a
// signal or a put after a fence at the other PE: what was put before the flag is visible when the
// flag is. The first look costs a load and a comparison; only a wait that has to go on is noted,
// checked for a variable that nobody else can reach, and reported when it stalls.
#include <cstdint>
#include <string>
#include <type_traits>

#include "api/shmem/compare.hpp"
#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "core/wait/wait.hpp"

namespace isthmus::shmem {
namespace {

// The types differ in name more than in kind: everything below is made once for each size and
// signedness.
template <typename T>
using Sized = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>>>;

template <typename T>
T load(const T* variable) {
    return __atomic_load_n(variable, __ATOMIC_ACQUIRE);
}

// Before anything is looked at: the library runs, `cmp` is a comparison, and checked mode finds
// nothing wrong with the variables.
template <typename T>
inline void check(const char* routine, int cmp, const T* variable) {
    if (window.limit == 0) [[unlikely]]
        check_watched(routine, variable, 1, sizeof(T));
    require_comparison(cmp, routine);
}

// What a call is, for messages and for the stall report.
struct Call {
    const char* name;
    Routine routine;
    int cmp;
};

__extension__ using Wide = unsigned __int128;

// A set of variables with what to compare them with: one value for all, or one each.
template <typename T>
struct Set {
    const T* variables;
    std::size_t size;
    const int* status;  // null, or non-zero for the elements left out
    T value;
    const T* values;  // null if `value` is for all

    bool excludes(std::size_t i) const { return status != nullptr && status[i] != 0; }
    T value_for(std::size_t i) const { return values == nullptr ? value : values[i]; }
    bool satisfied(std::size_t i, int cmp) const {
        return compare(load(variables + i), cmp, value_for(i));
    }
    bool is_empty() const {
        for (std::size_t i = 0; i < size; ++i) {
            if (!excludes(i)) return false;
        }
        return true;
    }
    bool all(int cmp) const {
        for (std::size_t i = 0; i < size; ++i) {
            if (!excludes(i) && !satisfied(i, cmp)) return false;
        }
        return true;
    }
    // Begins anywhere: a caller that leaves satisfied elements in the set must get the others too
    // in the end. SIZE_MAX if none is satisfied.
    std::size_t any(int cmp) const {
        if (size == 0) return SIZE_MAX;
        thread_local std::uint64_t state = reinterpret_cast<std::uintptr_t>(&state) | 1;
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto first = static_cast<std::size_t>(static_cast<Wide>(state) * size >> 64);
        for (std::size_t i = first; i < size; ++i) {
            if (!excludes(i) && satisfied(i, cmp)) return i;
        }
        for (std::size_t i = 0; i < first; ++i) {
            if (!excludes(i) && satisfied(i, cmp)) return i;
        }
        return SIZE_MAX;
    }
    std::size_t some(int cmp, std::size_t* indices) const {
        std::size_t found = 0;
        for (std::size_t i = 0; i < size; ++i) {
            if (!excludes(i) && satisfied(i, cmp)) indices[found++] = i;
        }
        return found;
    }
};

// The same for a set, with what else the program passes for each element.
template <typename T>
[[gnu::cold, gnu::noinline]] void check_set(const char* routine, const Set<T>& set,
                                            const std::size_t* indices) {
    check_watched(routine, set.variables, set.size, sizeof(T));
    if (!job.checked) return;
    if (set.status) check_private(set.status, set.size * sizeof(int), "status", routine);
    if (set.values) check_private(set.values, set.size * sizeof(T), "cmp_values", routine);
    if (indices) check_private(indices, set.size * sizeof *indices, "indices", routine);
}
template <typename T>
inline void check(const Call& call, const Set<T>& set, const std::size_t* indices = nullptr) {
    if (window.limit == 0) [[unlikely]]
        check_set(call.name, set, indices);
    require_comparison(call.cmp, call.name);
}

// The rest of a wait whose first look failed.
template <typename Done>
void wait_on(const Call& call, const WaitTarget& target, std::uint64_t bytes, Done&& done) {
    check_reachable(call.name, target.address, bytes);
    note(call.routine);
    wait_for(target, done);
}

// One variable.
template <typename T>
WaitTarget target_of(const Call& call, const T* variable, T value) {
    return {call.routine,
            -1,
            variable,
            WaitFor::program,
            condition_of(call.cmp),
            static_cast<std::int8_t>(std::is_signed_v<T> ? -static_cast<int>(sizeof(T))
                                                         : static_cast<int>(sizeof(T))),
            static_cast<std::uint64_t>(value)};
}

// Of a set. The description of it is the caller's.
template <typename T>
WaitSet describe_set(const Call& call, const Set<T>& set) {
    return {set.size, set.status, condition_of(call.cmp), static_cast<std::uint64_t>(set.value),
            set.values};
}
template <typename T>
WaitTarget target_of(const Call& call, const T* variables, const WaitSet& set) {
    WaitTarget target = target_of(call, variables, T{});
    target.condition = Condition::any;
    target.value = reinterpret_cast<std::uint64_t>(&set);
    return target;
}

// A program that polls with test() would keep the processor from the PE it waits for.
template <typename Target>
inline void after_failed_test(Target&& target) {
    thread_local std::uint32_t failures = 0;
    if (job.spin != 0 && ++failures % 1024 != 0) [[likely]]
        return;
    os::yield();
    note_failed_test(target());
}
template <typename T>
[[gnu::cold, gnu::noinline]] void note_failed_set(const Call& call, const Set<T>& set) {
    after_failed_test([&] {
        // The reports of other PEs read what is published of it, and this PE's comes at once.
        thread_local WaitSet described;
        described = describe_set(call, set);
        return target_of(call, set.variables, described);
    });
}

template <typename T>
[[gnu::noinline]] void wait_one(const Call& call, const T* variable, T value) {
    // One loop for each comparison, so that the loop is a load and a branch.
    const auto wait = [&](auto condition) {
        wait_on(call, target_of(call, variable, value), sizeof(T),
                [=] { return condition(load(variable), value); });
    };
    switch (call.cmp) {
        case SHMEM_CMP_EQ: return wait([](T left, T right) { return left == right; });
        case SHMEM_CMP_NE: return wait([](T left, T right) { return left != right; });
        case SHMEM_CMP_GT: return wait([](T left, T right) { return left > right; });
        case SHMEM_CMP_LE: return wait([](T left, T right) { return left <= right; });
        case SHMEM_CMP_LT: return wait([](T left, T right) { return left < right; });
        default: return wait([](T left, T right) { return left >= right; });
    }
}

template <typename T>
void wait_until(const Call& call, const T* variable, T value) {
    check(call.name, call.cmp, variable);
    if (!compare(load(variable), call.cmp, value)) wait_one(call, variable, value);
}

template <typename T>
int test(const char* name, const T* variable, int cmp, T value) {
    check(name, cmp, variable);
    if (compare(load(variable), cmp, value)) {
        test_succeeded();
        return 1;
    }
    after_failed_test([&] { return target_of(Call{name, Routine::test, cmp}, variable, value); });
    return 0;
}

template <typename T>
[[gnu::noinline]] void wait_all(const Call& call, const Set<T>& set) {
    check(call, set);
    for (std::size_t i = 0; i < set.size; ++i) {
        if (set.excludes(i) || set.satisfied(i, call.cmp)) continue;
        wait_on(call, target_of(call, set.variables + i, set.value_for(i)), sizeof(T),
                [&] { return set.satisfied(i, call.cmp); });
    }
}

template <typename T>
[[gnu::noinline]] std::size_t wait_any(const Call& call, const Set<T>& set) {
    check(call, set);
    std::size_t found = set.any(call.cmp);
    if (found != SIZE_MAX || set.is_empty()) return found;
    const WaitSet described = describe_set(call, set);
    wait_on(call, target_of(call, set.variables, described), set.size * sizeof(T), [&] {
        found = set.any(call.cmp);
        return found != SIZE_MAX;
    });
    return found;
}

template <typename T>
[[gnu::noinline]] std::size_t wait_some(const Call& call, const Set<T>& set, std::size_t* indices) {
    check(call, set, indices);
    std::size_t found = set.some(call.cmp, indices);
    if (found != 0 || set.is_empty()) return found;
    const WaitSet described = describe_set(call, set);
    wait_on(call, target_of(call, set.variables, described), set.size * sizeof(T), [&] {
        found = set.some(call.cmp, indices);
        return found != 0;
    });
    return found;
}

template <typename T>
[[gnu::noinline]] int test_all(const Call& call, const Set<T>& set) {
    check(call, set);
    if (set.all(call.cmp)) {
        test_succeeded();
        return 1;
    }
    note_failed_set(call, set);
    return 0;
}

template <typename T>
[[gnu::noinline]] std::size_t test_any(const Call& call, const Set<T>& set) {
    check(call, set);
    const std::size_t found = set.any(call.cmp);
    if (found != SIZE_MAX)
        test_succeeded();
    else if (!set.is_empty())
        note_failed_set(call, set);
    return found;
}

template <typename T>
[[gnu::noinline]] std::size_t test_some(const Call& call, const Set<T>& set, std::size_t* indices) {
    check(call, set, indices);
    const std::size_t found = set.some(call.cmp, indices);
    if (found != 0)
        test_succeeded();
    else if (!set.is_empty())
        note_failed_set(call, set);
    return found;
}

template <typename T>
const Sized<T>* sized(const T* pointer) {
    return reinterpret_cast<const Sized<T>*>(pointer);
}

template <typename T>
Set<Sized<T>> set_of(const T* variables, std::size_t size, const int* status, T value) {
    return {sized(variables), size, status, static_cast<Sized<T>>(value), nullptr};
}
template <typename T>
Set<Sized<T>> set_of(const T* variables, std::size_t size, const int* status, const T* values) {
    return {sized(variables), size, status, 0, sized(values)};
}

}  // namespace
}  // namespace isthmus::shmem

using namespace isthmus::shmem;
using isthmus::Routine;

#define ISTHMUS_DEFINE_ONE(T, N)                                                                 \
    ISTHMUS_API void pshmem_##N##_wait_until(T* ivar, int cmp, T cmp_value) {                    \
        wait_until<Sized<T>>({"shmem_" #N "_wait_until", Routine::wait_until, cmp}, sized(ivar), \
                             cmp_value);                                                         \
    }                                                                                            \
    ISTHMUS_API int pshmem_##N##_test(T* ivar, int cmp, T cmp_value) {                           \
        return test<Sized<T>>("shmem_" #N "_test", sized(ivar), cmp, cmp_value);                 \
    }
SHMEM_P2P_TYPES(ISTHMUS_DEFINE_ONE)
SHMEM_DEPRECATED_P2P_TYPES(ISTHMUS_DEFINE_ONE)
#undef ISTHMUS_DEFINE_ONE

#define ISTHMUS_DEFINE_WAIT(T, N)                                                             \
    ISTHMUS_API void pshmem_##N##_wait(T* ivar, T cmp_value) {                                \
        wait_until<Sized<T>>({"shmem_" #N "_wait", Routine::wait, SHMEM_CMP_NE}, sized(ivar), \
                             cmp_value);                                                      \
    }
SHMEM_WAIT_TYPES(ISTHMUS_DEFINE_WAIT)
#undef ISTHMUS_DEFINE_WAIT

ISTHMUS_API void pshmem_wait(long* ivar, long cmp_value) {
    wait_until<Sized<long>>({"shmem_wait", Routine::wait, SHMEM_CMP_NE}, sized(ivar), cmp_value);
}
ISTHMUS_API void pshmem_wait_until(long* ivar, int cmp, long cmp_value) {
    wait_until<Sized<long>>({"shmem_wait_until", Routine::wait_until, cmp}, sized(ivar), cmp_value);
}

// R: result, W: what `cmp_value` is (T or const T*), NAME: of the routine, BODY: of it above.
#define ISTHMUS_DEFINE_SET(R, T, N, NAME, ROUTINE, BODY, W)                                     \
    ISTHMUS_API R pshmem_##N##_##NAME(T* ivars, std::size_t nelems, const int* status, int cmp, \
                                      W cmp_value) {                                            \
        return BODY({"shmem_" #N "_" #NAME, Routine::ROUTINE, cmp},                             \
                    set_of<T>(ivars, nelems, status, cmp_value));                               \
    }
#define ISTHMUS_DEFINE_SOME(T, N, NAME, ROUTINE, BODY, W)                                         \
    ISTHMUS_API std::size_t pshmem_##N##_##NAME(T* ivars, std::size_t nelems,                     \
                                                std::size_t* indices, const int* status, int cmp, \
                                                W cmp_value) {                                    \
        return BODY({"shmem_" #N "_" #NAME, Routine::ROUTINE, cmp},                               \
                    set_of<T>(ivars, nelems, status, cmp_value), indices);                        \
    }
#define ISTHMUS_DEFINE_SETS(T, N)                                                                  \
    ISTHMUS_DEFINE_SET(void, T, N, wait_until_all, wait_until_all, wait_all, T)                    \
    ISTHMUS_DEFINE_SET(std::size_t, T, N, wait_until_any, wait_until_any, wait_any, T)             \
    ISTHMUS_DEFINE_SOME(T, N, wait_until_some, wait_until_some, wait_some, T)                      \
    ISTHMUS_DEFINE_SET(void, T, N, wait_until_all_vector, wait_until_all_vector, wait_all,         \
                       const T*)                                                                   \
    ISTHMUS_DEFINE_SET(std::size_t, T, N, wait_until_any_vector, wait_until_any_vector, wait_any,  \
                       const T*)                                                                   \
    ISTHMUS_DEFINE_SOME(T, N, wait_until_some_vector, wait_until_some_vector, wait_some, const T*) \
    ISTHMUS_DEFINE_SET(int, T, N, test_all, test_all, test_all, T)                                 \
    ISTHMUS_DEFINE_SET(std::size_t, T, N, test_any, test_any, test_any, T)                         \
    ISTHMUS_DEFINE_SOME(T, N, test_some, test_some, test_some, T)                                  \
    ISTHMUS_DEFINE_SET(int, T, N, test_all_vector, test_all_vector, test_all, const T*)            \
    ISTHMUS_DEFINE_SET(std::size_t, T, N, test_any_vector, test_any_vector, test_any, const T*)    \
    ISTHMUS_DEFINE_SOME(T, N, test_some_vector, test_some_vector, test_some, const T*)
SHMEM_P2P_TYPES(ISTHMUS_DEFINE_SETS)
#undef ISTHMUS_DEFINE_SETS
#undef ISTHMUS_DEFINE_SOME
#undef ISTHMUS_DEFINE_SET

#define ISTHMUS_SPREAD(T, N) SHMEM_TABLE_P2P(ISTHMUS_ALIAS, T, N)
SHMEM_P2P_TYPES(ISTHMUS_SPREAD)
#undef ISTHMUS_SPREAD
#define ISTHMUS_SPREAD(T, N) SHMEM_TABLE_P2P_DEPRECATED(ISTHMUS_ALIAS, T, N)
SHMEM_DEPRECATED_P2P_TYPES(ISTHMUS_SPREAD)
#undef ISTHMUS_SPREAD
#define ISTHMUS_SPREAD(T, N) SHMEM_TABLE_WAIT(ISTHMUS_ALIAS, T, N)
SHMEM_WAIT_TYPES(ISTHMUS_SPREAD)
#undef ISTHMUS_SPREAD
SHMEM_TABLE_WAIT_LONG(ISTHMUS_ALIAS)
