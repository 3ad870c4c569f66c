// Views: random blocks of one to three dimensions between local arrays and segments, against a
// model that moves element by element; shapes and bounds that are refused.
#include <isthmus.hpp>

#include <vector>

#include "check.h"

namespace {

int me, pes, right;
uint64_t state;

std::size_t below(std::size_t limit) {
    return next_random(&state) % limit;
}

template <std::size_t Rank>
isthmus::extents<Rank> random_size(std::size_t most) {
    isthmus::extents<Rank> size;
    for (std::size_t& n : size)
        n = 1 + below(most);
    return size;
}

template <std::size_t Rank>
std::size_t count(const isthmus::extents<Rank>& size) {
    std::size_t product = 1;
    for (const std::size_t n : size)
        product *= n;
    return product;
}

// Calls f with every position of a block of this size.
template <std::size_t Rank, typename F>
void for_each_position(const isthmus::extents<Rank>& size, F&& f) {
    for (std::size_t k = 0; k < count(size); ++k) {
        isthmus::extents<Rank> at;
        std::size_t rest = k;
        for (std::size_t r = Rank; r-- > 0; rest /= size[r])
            at[r] = rest % size[r];
        f(at);
    }
}

template <std::size_t Rank>
std::size_t position(const isthmus::extents<Rank>& from, const isthmus::extents<Rank>& at,
                     const isthmus::extents<Rank>& whole) {
    std::size_t sum = 0;
    for (std::size_t r = 0; r < Rank; ++r)
        sum = sum * whole[r] + from[r] + at[r];
    return sum;
}

// One put (or get) of a random block between random arrays. Nobody else writes the segment.
template <typename T, std::size_t Rank>
void move_one(const isthmus::segment& segment) {
    const auto here_size = random_size<Rank>(9);
    const auto there_size = random_size<Rank>(9);
    isthmus::extents<Rank> block, from, to;
    for (std::size_t r = 0; r < Rank; ++r) {
        block[r] = 1 + below(std::min(here_size[r], there_size[r]));
        from[r] = below(here_size[r] - block[r] + 1);
        to[r] = below(there_size[r] - block[r] + 1);
    }
    const std::uint64_t offset = below(8) * sizeof(T);
    std::vector<T> here(count(here_size));
    std::vector<T> there(count(there_size));
    for (T& value : here)
        value = static_cast<T>(next_random(&state));
    for (T& value : there)
        value = static_cast<T>(next_random(&state));
    segment.put(there, offset).or_fail();
    segment.fence().or_fail();  // what follows may overtake it

    const isthmus::array_view<T, Rank> local(here.data(), here_size);
    const isthmus::remote_view<T, Rank> remote(segment, offset, there_size);
    const bool put = below(2) == 0;
    const bool blocking = below(2) == 0;
    // In one cut or in two: a part of a part.
    auto cut = local.part(from, block);
    if (below(2) == 0) {
        isthmus::extents<Rank> rest;
        for (std::size_t r = 0; r < Rank; ++r)
            rest[r] = here_size[r] - from[r];
        cut = local.part(from, rest).part({}, block);
    }
    const auto target = remote.part(to, block);
    if (put) {
        if (blocking)
            isthmus::put(cut, target).or_fail();
        else
            isthmus::async_put(cut, target).wait().or_fail();
    } else {
        if (blocking)
            isthmus::get(target, cut).or_fail();
        else
            isthmus::async_get(target, cut).wait().or_fail();
    }
    std::vector<T> model_here = here, model_there = there;
    (void)model_here;
    if (put) {
        for_each_position<Rank>(block, [&](const auto& at) {
            model_there[position(to, at, there_size)] = here[position(from, at, here_size)];
        });
    }
    std::vector<T> seen(there.size());
    segment.fence().or_fail();
    segment.get(offset, seen).or_fail();
    CHECK(seen == model_there);
    if (!put) {
        for_each_position<Rank>(block, [&](const auto& at) {
            CHECK(here[position(from, at, here_size)] == there[position(to, at, there_size)]);
        });
    }
}

void accessors() {
    std::vector<int> memory(2 * 3 * 4);
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<int>(i);
    const isthmus::array_view cube(memory.data(), 2, 3, 4);
    static_assert(cube.rank() == 3);
    CHECK(cube(1, 2, 3) == 23 && cube.extent(1) == 3 && cube.row(1, 0)[2] == 14);
    const auto corner = cube.part({1, 1, 1}, {1, 2, 3});
    CHECK(corner(0, 0, 0) == 17 && corner(0, 1, 2) == 23 && corner.row(0, 1).size() == 3);
    const isthmus::array_view<const int, 3> constant = corner;
    CHECK(&constant(0, 0, 0) == &corner(0, 0, 0));
    const isthmus::array_view line(memory.data(), 24);
    CHECK(line(5) == 5 && line.row().size() == 24);
}

void refusals(const isthmus::segment& segment) {
    std::vector<int> memory(16);
    const isthmus::array_view square(memory.data(), 4, 4);
    const isthmus::remote_view<int, 2> wide(segment, 0, {4, 5});
    CHECK(isthmus::put(square, wide) == ISTHMUS_ARGUMENT);
    CHECK(isthmus::async_put(square, wide).wait() == ISTHMUS_ARGUMENT);
    const isthmus::remote_view<int, 2> outside(segment, segment.size() - 60, {4, 4});
    const isthmus::status refused = isthmus::put(square, outside);
    CHECK(refused == ISTHMUS_BOUNDS && strstr(refused.text(), "not within"));
    CHECK(isthmus::get(outside, square) == ISTHMUS_BOUNDS);
    const isthmus::remote_view<int, 2> inside(segment, segment.size() - 64, {4, 4});
    isthmus::put(square, inside).or_fail();

    // Offsets in bytes that no number of 64 bits holds do not come round to where there is room.
    segment.poke(0, 1234).or_fail();
    constexpr std::size_t kFar = std::size_t{1} << 61;
    long wild = 9;
    const isthmus::array_view<long, 1> one(&wild, 1);
    const isthmus::remote_view<long, 1> line(segment, 0, {kFar + 1});
    CHECK(isthmus::put(one, line.part({kFar}, {1})) == ISTHMUS_BOUNDS);
    CHECK(isthmus::get(line.part({kFar}, {1}), one) == ISTHMUS_BOUNDS);
    CHECK(isthmus::put(one, line.part({kFar}, {1}).part({0}, {1})) == ISTHMUS_BOUNDS);
    const isthmus::remote_view<long, 1> shifted(segment, UINT64_MAX - 7, {2});
    CHECK(isthmus::put(one, shifted.part({1}, {1})) == ISTHMUS_BOUNDS);
    const isthmus::array_view<long, 1> endless(&wild, kFar);  // 2^64 bytes
    CHECK(isthmus::put(endless, line.part({0}, {kFar})) == ISTHMUS_BOUNDS);
    CHECK(isthmus::get(line.part({0}, {kFar}), endless) == ISTHMUS_BOUNDS);
    const isthmus::array_view<long, 2> cell(&wild, 1, 1);
    constexpr std::size_t kRows = std::size_t{1} << 33, kColumns = std::size_t{1} << 31;
    const isthmus::remote_view<long, 2> plane(segment, 0, {kRows, kColumns});
    CHECK(isthmus::put(cell, plane.part({kRows / 16, 0}, {1, 1})) == ISTHMUS_BOUNDS);
    const isthmus::array_view<long, 3> box(&wild, 1, 1, 1);
    const isthmus::remote_view<long, 3> room(segment, 0, {4, kRows, kColumns});
    CHECK(isthmus::put(box, room.part({1, 0, 0}, {1, 1, 1})) == ISTHMUS_BOUNDS);
    CHECK(segment.peek(0).or_fail() == 1234);
}

// A view of one type into a view of another, or into a constant one, does not compile.
template <typename Here, typename There>
concept can_put = requires(Here here, There there) {
    isthmus::put(here, there);
};
static_assert(can_put<isthmus::array_view<int, 2>, isthmus::remote_view<int, 2>>);
static_assert(can_put<isthmus::array_view<const int, 2>, isthmus::remote_view<int, 2>>);
static_assert(!can_put<isthmus::array_view<int, 2>, isthmus::remote_view<const int, 2>>);
static_assert(!can_put<isthmus::array_view<int, 2>, isthmus::remote_view<float, 2>>);
static_assert(!can_put<isthmus::array_view<int, 2>, isthmus::remote_view<int, 3>>);
static_assert(!can_put<isthmus::remote_view<int, 2>, isthmus::array_view<int, 2>>);

}  // namespace

int main() {
    const isthmus::job job;
    me = isthmus::pe();
    pes = isthmus::pes();
    right = (me + 1) % pes;
    state = 77 + static_cast<uint64_t>(me);
    accessors();
    {
        const auto mine =
            isthmus::segment::create(300 + static_cast<std::uint64_t>(me), 65536).or_fail();
        const auto theirs =
            isthmus::segment::clone(300 + static_cast<std::uint64_t>(right)).or_fail();
        for (int round = 0; round < 3000; ++round) {
            move_one<int, 1>(theirs);
            move_one<double, 2>(theirs);
            move_one<short, 2>(theirs);
            move_one<char, 3>(theirs);
            move_one<float, 3>(theirs);
        }
        refusals(theirs);
        isthmus::barrier();
    }
    return 0;
}
