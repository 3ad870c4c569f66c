// shared_array: every element is where UPC puts it, whoever writes it; local views, iteration by
// owner, transfers of ranges, moves, limits.
#include <isthmus.hpp>

#include <algorithm>
#include <complex>
#include <concepts>
#include <numeric>
#include <utility>
#include <vector>

#include "check.h"

namespace {

int me, pes;

template <typename T, typename D, typename... Block>
void by_layout(std::size_t n, Block... block) {
    isthmus::shared_array<T, D> x(n, block...);
    CHECK(x.size() == n);
    // All PEs together write all elements, each those of a neighbour's share at least.
    for (std::size_t i = static_cast<std::size_t>(me); i < n; i += static_cast<std::size_t>(pes))
        x[i] = static_cast<T>(i * 3 + 1);
    isthmus::barrier();
    std::size_t mine = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const T value = x[i];
        CHECK(value == static_cast<T>(i * 3 + 1));
        const isthmus::element_place place = x.layout().locate(i);
        CHECK(x.owner(i) == place.pe && x.is_local(i) == (place.pe == me));
        CHECK(x.pointer(i).where() == place.pe);
        const auto direct = x.direct(place.pe);
        CHECK(direct.empty() ? has_far_pes() : direct[place.index] == value);
        if (place.pe != me) continue;
        CHECK(&x.local()[place.index] == x.pointer(i).local() && place.index == mine++);
        CHECK(x.index_of_local(place.index) == i);
    }
    CHECK(x.local().size() == mine && x.count_at(me) == mine);
    isthmus::barrier();
    // Iteration by owner meets each element once, in order.
    std::size_t met = 0;
    std::size_t last = 0;
    for (auto [i, value] : x.owned()) {
        CHECK(x.is_local(i) && (met == 0 || i > last) && value == static_cast<T>(i * 3 + 1));
        value = static_cast<T>(value + 1);
        last = i;
        ++met;
    }
    CHECK(met == mine && x.owned().size() == mine);
    isthmus::barrier();
    // Ranges, across the borders of blocks.
    uint64_t state = 11 + static_cast<uint64_t>(me);
    for (int round = 0; round < 20 && n > 0; ++round) {
        const std::size_t first = next_random(&state) % n;
        std::vector<T> values(next_random(&state) % (n - first) + 1);
        x.get(first, values).or_fail();
        for (std::size_t k = 0; k < values.size(); ++k)
            CHECK(values[k] == static_cast<T>((first + k) * 3 + 2));
    }
    isthmus::barrier();
    if (me == pes - 1 && n > 0) {
        std::vector<T> values(n);
        std::iota(values.begin(), values.end(), T{5});
        x.put(std::span<const T>(values).subspan(1), 1).or_fail();
    }
    isthmus::barrier();
    for (std::size_t i = 1; i < n; ++i)
        CHECK(x[i].get() == static_cast<T>(5 + i));
    T extra[2];
    CHECK(x.get(n, extra) == ISTHMUS_BOUNDS && x.put(extra, n) == ISTHMUS_BOUNDS);
    isthmus::barrier();
}

template <typename T>
void all_layouts(std::size_t n) {
    by_layout<T, isthmus::cyclic>(n);
    by_layout<T, isthmus::block_cyclic<4>>(n);
    by_layout<T, isthmus::block_cyclic<5>>(n);
    by_layout<T, isthmus::block_cyclic<>>(n, std::size_t{7});
    by_layout<T, isthmus::blocked>(n);
    by_layout<T, isthmus::indefinite>(n);
    by_layout<T, isthmus::one_per_pe>(std::min(n, static_cast<std::size_t>(pes)));
}

void lifetimes() {
    isthmus::shared_array<long> x(100);
    for (const long value : x.local())
        CHECK(value == 0);
    isthmus::barrier();
    x[99] = 5;
    isthmus::shared_array<long> y = std::move(x);
    CHECK(x.size() == 0 && x.local().empty() && x.count_at(0) == 0);
    isthmus::symmetric_block<long> block(4);
    const isthmus::symmetric_block<long> kept = std::move(block);
    CHECK(block.size() == 0 && !block.data() && kept.size() == 4);
    CHECK(y[99].get() == 5);
    isthmus::barrier();
    y = isthmus::shared_array<long>(10);
    CHECK(y[9].get() == 0);
    using Runtime = isthmus::shared_array<long, isthmus::block_cyclic<>>;
    CHECK(Runtime::create(10, std::size_t{0}).code() == ISTHMUS_ARGUMENT);
    using OneEach = isthmus::shared_array<long, isthmus::one_per_pe>;
    CHECK(OneEach::create(static_cast<std::size_t>(pes) + 1).code() == ISTHMUS_ARGUMENT);
    CHECK(isthmus::shared_array<long>::create(std::size_t{1} << 47).code() == ISTHMUS_TOO_LARGE);
    const auto huge = isthmus::shared_array<long>::create(std::size_t{1} << 45);
    CHECK(huge.code() == ISTHMUS_NO_MEMORY);
    CHECK(strstr(huge.error().text(), "SHMEM_SYMMETRIC_SIZE"));
    // Events of single elements.
    long value = 7 + me;
    long back = 0;
    isthmus::shared_array<long> z(static_cast<std::size_t>(pes) * 2);
    const std::size_t i = static_cast<std::size_t>((me + 1) % pes);
    {
        isthmus::event sent = z.async_put(value, i);
        sent.wait().or_fail();  // says nothing about the target
    }
    isthmus::fence();
    z.async_get(i, back).wait().or_fail();
    CHECK(back == 7 + me);
    isthmus::barrier();
}

struct Pair {
    int x, y;
    bool operator==(const Pair&) const = default;
};
// Names that the headers use of their own namespace.
template <typename... Arguments>
void load(Arguments...) = delete;
template <auto... kArguments, typename... Arguments>
void store(Arguments...) = delete;

template <typename A, typename B>
void exchange(A a, B b) {
    using std::swap;
    swap(a, b);
}

// References that are held stand for their elements in every spelling of an exchange.
template <typename T>
void exchanges(const T& one, const T& two) {
    const isthmus::shared_array<T> x(static_cast<std::size_t>(2 * pes));
    const auto i = static_cast<std::size_t>(me);
    const auto j = static_cast<std::size_t>((me + 1) % pes + pes);
    const auto is = [&](const T& first, const T& second) {
        return x[i].get() == first && x[j].get() == second;
    };
    x[i] = one;
    x[j] = two;
    exchange(x[i], x[j]);
    CHECK(is(two, one));
    exchange(*x.pointer(i), *x.pointer(j));
    CHECK(is(one, two));
    exchange(x[i], *x.pointer(j));
    CHECK(is(two, one));
    exchange(*x.pointer(i), x[j]);
    CHECK(is(one, two));
    auto a = x[i], b = x[j];
    std::ranges::swap(a, b);
    CHECK(is(two, one));
    swap(a, b);
    CHECK(is(one, two));
    T plain = two;
    swap(a, plain);
    CHECK(is(two, two) && plain == one);
    swap(plain, b);
    CHECK(is(two, one) && plain == two);
    std::iter_swap(x.pointer(i), x.pointer(j));
    CHECK(is(one, two));
    // Assigned they are objects too.
    *x.pointer(i) = x[j];
    CHECK(is(two, two));
    x[i] = one;
    x[j] = *x.pointer(i);
    CHECK(is(one, one));
    const isthmus::global_ref<T> general = *&x[j];
    general = two;
    CHECK(is(one, two));
    isthmus::barrier();
}

// What braces hold is the object, never a reference's {address, PE}: 0 is a null pointer as well.
void braces() {
    const isthmus::shared_array<Pair> x(static_cast<std::size_t>(pes));
    const isthmus::shared_array<std::complex<double>> z(static_cast<std::size_t>(pes));
    const auto i = static_cast<std::size_t>((me + 1) % pes);
    x[i] = {0, 2};
    CHECK((x[i].get() == Pair{0, 2}));
    x[i] = {0, 0};
    CHECK(x[i].get() == Pair{});
    *x.pointer(i) = {0, 3};
    CHECK((x[i].get() == Pair{0, 3}));
    x[i] = {nullptr == x.local().data(), 1};
    CHECK((x[i].get() == Pair{0, 1}));
    x[i] = {};
    CHECK(x[i].get() == Pair{});
    z[i] = {0, 1};
    CHECK(z[i].get() == std::complex<double>(0, 1));
    *z.pointer(i) = {0, 0};
    CHECK(z[i].get() == 0.0);
    isthmus::barrier();
}
static_assert(!std::constructible_from<isthmus::global_ref<int>, int*, int>);

}  // namespace

int main() {
    const isthmus::job job;
    me = isthmus::pe();
    pes = isthmus::pes();
    for (const std::size_t n : {0, 1, 3, 64, 1000}) {
        all_layouts<long>(n);
        all_layouts<unsigned short>(n);
    }
    lifetimes();
    exchanges<long>(1, 2);
    exchanges<Pair>({1, 2}, {3, 4});
    exchanges<std::complex<double>>(1.0, 2.0);
    braces();
    return 0;
}
