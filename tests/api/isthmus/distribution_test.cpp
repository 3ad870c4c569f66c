// The arithmetic of distributions against UPC's definition, with plain division.
#include <isthmus/cpp/distribution.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using isthmus::block_cyclic;
using isthmus::blocked;
using isthmus::cyclic;
using isthmus::element_place;
using isthmus::indefinite;
using isthmus::one_per_pe;

static_assert(isthmus::distribution<cyclic>);
static_assert(isthmus::distribution<block_cyclic<7>>);
static_assert(isthmus::distribution<block_cyclic<>>);
static_assert(isthmus::distribution<blocked>);
static_assert(isthmus::distribution<indefinite>);
static_assert(isthmus::distribution<one_per_pe>);

// UPC 1.2, 6.5.1.1: the thread and the phase of element i of an array with blocks of B.
element_place place_by_definition(std::size_t i, std::size_t block, std::size_t pes) {
    return {static_cast<int>(i / block % pes), i / block / pes * block + i % block};
}

// Every element has one place, places are dense, and count_at and index_of agree with that.
template <typename D>
void check_all(const D& layout, std::size_t n, int pes, std::size_t block) {
    std::vector<std::size_t> seen(static_cast<std::size_t>(pes));
    for (std::size_t i = 0; i < n; ++i) {
        const element_place place = layout.locate(i);
        ASSERT_EQ(place, place_by_definition(i, block, static_cast<std::size_t>(pes)))
            << "element " << i << " of " << n << ", block " << block << ", " << pes << " PEs";
        ASSERT_EQ(place.index, seen[static_cast<std::size_t>(place.pe)]++);
        ASSERT_EQ(layout.index_of(place), i);
        ASSERT_EQ(layout.phase(i), i % block);
    }
    for (int pe = 0; pe < pes; ++pe) {
        ASSERT_EQ(layout.count_at(pe), seen[static_cast<std::size_t>(pe)]);
        ASSERT_LE(layout.count_at(pe), layout.capacity());
    }
}

TEST(Distribution, DealsOutAsUpcDoes) {
    for (const int pes : {1, 2, 3, 4, 5, 7, 8, 64, 255}) {
        for (const std::size_t n : {0, 1, 2, 3, 5, 8, 63, 64, 65, 1000}) {
            const auto ways = static_cast<std::size_t>(pes);
            check_all(cyclic(n, pes), n, pes, 1);
            check_all(block_cyclic<4>(n, pes), n, pes, 4);
            check_all(block_cyclic<10>(n, pes), n, pes, 10);
            for (const std::size_t block : {1, 2, 3, 10, 64, 1001})
                check_all(block_cyclic<>(n, pes, block), n, pes, block);
            check_all(blocked(n, pes), n, pes, std::max<std::size_t>(1, (n + ways - 1) / ways));
            check_all(indefinite(n, pes), n, pes, n == 0 ? 1 : n);
            ASSERT_EQ(one_per_pe::holds(n, pes), n <= ways);
            if (n <= ways) check_all(one_per_pe(n, pes), n, pes, 1);
        }
    }
}

TEST(Distribution, DividesLargeNumbersExactly) {
    std::mt19937_64 random(1);
    const auto any = [&](unsigned bits) {
        return random() >> (64 - 1 - random() % bits);  // all magnitudes
    };
    for (int round = 0; round < 2'000'000; ++round) {
        const std::size_t by = 1 + any(47);
        const std::size_t n = any(62);
        for (const std::size_t value : {n, n / by * by, n / by * by + by - 1, n / by * by + by})
            ASSERT_EQ(isthmus::detail::divider(by).quotient(value), value / by)
                << value << " / " << by;
        const int pes = 1 + static_cast<int>(any(16));
        const std::size_t small = any(46);
        const auto ways = static_cast<std::size_t>(pes);
        for (const std::size_t value : {small, small / ways * ways, small / ways * ways + ways - 1})
            ASSERT_EQ(isthmus::detail::small_divider(pes).quotient(value), value / ways)
                << value << " / " << pes;
    }
}

TEST(Distribution, IsKnownAtCompileTime) {
    constexpr block_cyclic<3> layout(100, 4);
    static_assert(layout.locate(13) == element_place{0, 4});
    static_assert(layout.index_of({1, 3}) == 15);
    static_assert(blocked(10, 4).locate(9) == element_place{3, 0});
}

}  // namespace
