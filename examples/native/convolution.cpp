// A picture at PE 0 is smoothed by all PEs, tile by tile: an 18 x 18 block of it comes into a local
// buffer, a 16 x 16 block of the result goes back.
//
// New here: segments, views and events. Two buffers: while one tile is computed, the next one is on
// its way in and the last one on its way out. PE 0 does not know that it is read.
#include <isthmus.hpp>

#include <array>
#include <cstddef>
#include <cstdio>

constexpr std::size_t kTile = 16, kRim = 1, kWithRim = kTile + 2 * kRim;
constexpr std::size_t kWidth = 128, kHeight = 96;
constexpr std::size_t kAcross = kWidth / kTile, kTiles = kAcross * (kHeight / kTile);
constexpr std::uint64_t kPicture = 1, kResult = 2;  // names that all PEs know

// The mean of each cell and its eight neighbours.
template <typename In, typename Out>
void smooth(const In& in, const Out& out) {
    for (std::size_t y = 0; y < out.extent(0); ++y)
        for (std::size_t x = 0; x < out.extent(1); ++x) {
            float sum = 0;
            for (std::size_t dy = 0; dy < 3; ++dy)
                for (std::size_t dx = 0; dx < 3; ++dx)
                    sum += in(y + dy, x + dx);
            out(y, x) = sum / 9;
        }
}

int main() {
    const isthmus::job job;
    const auto me = static_cast<std::size_t>(isthmus::pe());
    const auto pes = static_cast<std::size_t>(isthmus::pes());
    const isthmus::extents<2> whole{kHeight, kWidth};
    const isthmus::extents<2> padded{kHeight + 2 * kRim, kWidth + 2 * kRim};

    isthmus::segment own_picture, own_result;  // withdrawn when main ends
    if (me == 0) {
        own_picture = isthmus::segment::create(kPicture, padded[0] * padded[1] * 4).or_fail();
        own_result = isthmus::segment::create(kResult, whole[0] * whole[1] * 4).or_fail();
        auto cells = own_picture.objects<float>(0, padded[0] * padded[1]);
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<float>(i * 7919 % 256);
    }
    isthmus::barrier();
    const auto picture = isthmus::segment::clone(kPicture).or_fail();
    const auto result = isthmus::segment::clone(kResult).or_fail();
    const isthmus::remote_view<const float, 2> source(picture, 0, padded);
    const isthmus::remote_view<float, 2> target(result, 0, whole);
    const auto corner = [](std::size_t tile) {
        return isthmus::extents<2>{tile / kAcross * kTile, tile % kAcross * kTile};
    };

    float memory_in[2][kWithRim * kWithRim], memory_out[2][kTile * kTile];
    const auto in = [&](std::size_t k) {
        return isthmus::array_view(memory_in[k], kWithRim, kWithRim);
    };
    const auto out = [&](std::size_t k) {
        return isthmus::array_view(memory_out[k], kTile, kTile);
    };
    std::array<isthmus::event, 2> arriving, leaving;
    const auto fetch = [&](std::size_t tile, std::size_t k) {
        if (tile >= kTiles) return;
        arriving[k] = isthmus::async_get(source.part(corner(tile), {kWithRim, kWithRim}), in(k));
    };

    fetch(me, 0);
    std::size_t k = 0;
    for (std::size_t tile = me; tile < kTiles; tile += pes, k = 1 - k) {
        fetch(tile + pes, 1 - k);
        arriving[k].wait().or_fail();
        leaving[k].wait().or_fail();  // the result before the last; its buffer is free again
        smooth(in(k), out(k));
        leaving[k] = isthmus::async_put(out(k), target.part(corner(tile), {kTile, kTile}));
    }
    result.fence().or_fail();
    isthmus::barrier();

    int wrong = 0;
    if (me == 0) {  // once more, without tiles
        static float expected[kHeight * kWidth];
        smooth(isthmus::array_view(own_picture.objects<float>(0, 1).data(), padded[0], padded[1]),
               isthmus::array_view(expected, kHeight, kWidth));
        const auto cells = own_result.objects<float>(0, kHeight * kWidth);
        for (std::size_t i = 0; i < cells.size(); ++i)
            wrong += cells[i] != expected[i];
        std::printf("a picture of %zu x %zu in %zu tiles, %d wrong cells\n", kWidth, kHeight,
                    kTiles, wrong);
    }
    return wrong != 0;
}
