// The computation of jacobi.cpp: cells of 64 bits, each the mean of its four neighbours, and three
// charges; a part of the grid at each kernel, or all of it at one.
#pragma once

#include <isthmus/kernel.hpp>

#include <cstdint>
#include <utility>

inline constexpr int kCell = sizeof(std::int64_t);

struct Charge {
    int row, column;
    std::int64_t value;
};
inline constexpr Charge kCharges[] = {
    {2, 2, 100'000'000}, {5, 6, -100'000'000}, {6, 6, 50'000'000}};

// Cell (i, j) of the part is cell (top + i, left + j) of the grid. Around the part lies a border,
// of neighbours' cells or of zeros.
struct Part {
    int top, left, rows, columns;

    std::int64_t pitch() const { return columns + 2; }
    std::int64_t cells() const { return (rows + 2) * pitch(); }
    std::int64_t place(int i, int j) const { return (i + 1) * pitch() + j + 1; }
    // The first cell of the last row (1, 0), the first row (-1, 0), the last column (0, 1), ...
    std::int64_t edge(int down, int right) const {
        return place(down > 0 ? rows - 1 : 0, right > 0 ? columns - 1 : 0);
    }

    // One step, from one grid to the other.
    void step(const std::int64_t* __restrict__ from, std::int64_t* __restrict__ to) const {
        for (int i = 0; i < rows; ++i) {
            const std::int64_t* const cell = from + place(i, 0);
            std::int64_t* const result = to + place(i, 0);
            for (int j = 0; j < columns; ++j)
                result[j] = (cell[j - pitch()] + cell[j + pitch()] + cell[j - 1] + cell[j + 1]) / 4;
        }
        for (const Charge& charge : kCharges) {
            const int i = charge.row - top, j = charge.column - left;
            if (i >= 0 && i < rows && j >= 0 && j < columns) to[place(i, j)] += charge.value;
        }
    }
    // Sum of the squares of what a step has changed, as the paper's program adds it up.
    std::int64_t residual(const std::int64_t* before, const std::int64_t* after) const {
        std::int64_t sum = 0;
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) {
                const auto change =
                    static_cast<std::int32_t>(after[place(i, j)] - before[place(i, j)]);
                sum += std::int64_t{change} * change;
            }
        }
        return sum;
    }
};

// The parts of a square grid: as many rows of parts as columns, or nearly.
struct Partition {
    int grid, kernels, part_rows;

    Partition(int size, int count) : grid(size), kernels(count), part_rows(1) {
        for (int rows = 1; rows * rows <= count; ++rows)
            if (count % rows == 0) part_rows = rows;
    }
    int part_columns() const { return kernels / part_rows; }
    int kernel(int row, int column) const { return row * part_columns() + column; }
    bool has(int row, int column) const {
        return row >= 0 && row < part_rows && column >= 0 && column < part_columns();
    }
    int row(int kernel) const { return kernel / part_columns(); }
    int column(int kernel) const { return kernel % part_columns(); }
    Part part(int kernel) const {
        const auto [top, rows] = share(row(kernel), part_rows);
        const auto [left, columns] = share(column(kernel), part_columns());
        return {top, left, rows, columns};
    }

  private:
    std::pair<int, int> share(int which, int of) const {
        const int begin = grid * which / of;
        return {begin, grid * (which + 1) / of - begin};
    }
};

// The border of this kernel's part in `grid`, one of the two in its segment.
inline void get_border(isthmus::kernel& me, const Partition& parts, int grid) {
    const Part own = parts.part(me.id());
    const int row = parts.row(me.id()), column = parts.column(me.id());
    int asked = 0;
    for (const auto& [down, right] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
        if (!parts.has(row + down, column + right)) continue;
        const isthmus::kernel_call from{.kernel = parts.kernel(row + down, column + right),
                                        .handler = ISTHMUS_KERNEL_REPLY};
        const Part there = parts.part(from.kernel);
        const std::uint64_t source = kCell * (grid * there.cells() + there.edge(-down, -right));
        const std::uint64_t dest =
            kCell * (grid * own.cells() + own.edge(down, right) + down * own.pitch() + right);
        const std::uint64_t count = static_cast<std::uint64_t>(own.rows);
        if (down != 0)
            me.get_long(from, source, static_cast<std::size_t>(own.columns) * kCell, dest)
                .or_fail();
        else
            me.get_strided(from, {source, kCell * std::uint64_t(there.pitch()), kCell, count},
                           {dest, kCell * std::uint64_t(own.pitch()), kCell, count})
                .or_fail();
        ++asked;
    }
    me.wait_replies(static_cast<std::uint64_t>(asked)).or_fail();
}

// So many steps, from the first of the two grids in the kernels' segments to the second and back.
inline void compute(isthmus::kernel& me, const Partition& parts, int steps) {
    const Part own = parts.part(me.id());
    std::int64_t* const cells = me.segment<std::int64_t>().data();
    std::int64_t* const grids[2] = {cells, cells + own.cells()};
    for (int step = 0; step < steps; ++step) {
        get_border(me, parts, step % 2);
        own.step(grids[step % 2], grids[(step + 1) % 2]);
        me.barrier();  // nobody writes what others still read
    }
}
