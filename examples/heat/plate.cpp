#include "plate.hpp"

#include <shmem.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>

namespace heat {
namespace {

constexpr double kConductivity = 0.2;  // stable below 0.25

// Static variables are symmetric: each PE's neighbours raise these. The value says which field has
// arrived in the halo: 1 is the initial one.
std::uint64_t from_above = 0;
std::uint64_t from_below = 0;

double* allocate(std::size_t count) {
    // The library has said how much is missing and which setting helps.
    void* const memory = shmem_malloc(count * sizeof(double));
    if (!memory) throw std::bad_alloc();
    return static_cast<double*>(memory);
}

}  // namespace

Share share_of(int pe, int pes, int height) {
    const int rows = height / pes;
    const int longer = height % pes;
    return {pe * rows + std::min(pe, longer), rows + (pe < longer ? 1 : 0)};
}

Plate::Plate(const double* whole, int width, int height) : width_(width), height_(height) {
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    share_ = share_of(me, pes, height);
    const Share largest = share_of(0, pes, height);  // symmetric objects have one size everywhere
    const auto cells = static_cast<std::size_t>(largest.rows + 2) * static_cast<std::size_t>(width);
    fields_[0] = allocate(cells);
    fields_[1] = allocate(cells);
    sums_ = allocate(static_cast<std::size_t>(largest.rows));
    all_sums_ = allocate(static_cast<std::size_t>(height));
    from_above = from_below = 0;

    const bool has_rows = share_.rows > 0;
    if (has_rows && share_.first > 0) above_ = me - 1;
    if (has_rows && share_.first + share_.rows < height) below_ = me + 1;
    const auto wide = static_cast<std::size_t>(width);
    shmem_double_get(row(0, 0), whole + static_cast<std::size_t>(share_.first) * wide,
                     static_cast<std::size_t>(share_.rows) * wide, 0);
    shmem_barrier_all();  // nobody sends into a halo before its owner has cleared the signals
    if (has_rows) send_rim(0, 1, true, true);
}

Plate::~Plate() {
    for (double* const memory : {all_sums_, sums_, fields_[1], fields_[0]})
        shmem_free(memory);
}

void Plate::send_rim(std::size_t field, unsigned long signal, bool up, bool down) const {
    const auto wide = static_cast<std::size_t>(width_);
    const int pes = shmem_n_pes();
    shmem_fence();          // behind the rows of the step before: their signals must not come later
    if (up && above_ >= 0)  // our first row is the row after the last one of the PE above
        shmem_double_put_signal(row(field, share_of(above_, pes, height_).rows), row(field, 0),
                                wide, &from_below, signal, SHMEM_SIGNAL_SET, above_);
    if (down && below_ >= 0)
        shmem_double_put_signal(row(field, -1), row(field, share_.rows - 1), wide, &from_above,
                                signal, SHMEM_SIGNAL_SET, below_);
}

void Plate::update(int r) {
    const int last = width_ - 1;
    const bool top = share_.first + r == 0;
    const bool bottom = share_.first + r == height_ - 1;
    const double* const centre = row(now(), r);
    const double* const up = top ? centre : row(now(), r - 1);
    const double* const down = bottom ? centre : row(now(), r + 1);
    double* const out = row(next(), r);
    const auto cell = [=](int x, int left, int right) {
        out[x] = centre[x] + kConductivity * (((up[x] + down[x]) + (centre[left] + centre[right])) -
                                              4 * centre[x]);
    };
    cell(0, 0, std::min(1, last));
    for (int x = 1; x < last; ++x)
        cell(x, x - 1, x + 1);
    if (last > 0) cell(last, last - 1, last);
}

// Why no halo is overwritten while it is still read: a neighbour sends its row of field n + 1 only
// after our row of field n has reached it, and that we sent after we had read the halo of field
// n - 1, which lies in the same memory.
void Plate::step() {
    if (share_.rows > 0) {
        const std::uint64_t wanted = steps_ + 1;
        const int last = share_.rows - 1;
        if (above_ >= 0) shmem_signal_wait_until(&from_above, SHMEM_CMP_GE, wanted);
        if (last == 0 && below_ >= 0) shmem_signal_wait_until(&from_below, SHMEM_CMP_GE, wanted);
        update(0);
        send_rim(next(), wanted + 1, true, last == 0);
        if (last > 0) {
            if (below_ >= 0) shmem_signal_wait_until(&from_below, SHMEM_CMP_GE, wanted);
            update(last);
            send_rim(next(), wanted + 1, false, true);
        }
        for (int r = 1; r < last; ++r)
            update(r);
    }
    ++steps_;
}

// Each row is summed by its owner, the rows by everyone, in order from the top.
double Plate::residual() {
    for (int r = 0; r < share_.rows; ++r) {
        const double* const before = row(next(), r);  // step() has moved on: the older field
        const double* const after = row(now(), r);
        double sum = 0;
        for (int x = 0; x < width_; ++x)
            sum += (after[x] - before[x]) * (after[x] - before[x]);
        sums_[r] = sum;
    }
    shmem_double_collect(SHMEM_TEAM_WORLD, all_sums_, sums_, static_cast<std::size_t>(share_.rows));
    double sum = 0;
    for (int r = 0; r < height_; ++r)
        sum += all_sums_[r];
    // Nobody may begin the next collect while another PE still reads its all_sums_.
    shmem_team_sync(SHMEM_TEAM_WORLD);
    return std::sqrt(sum / (static_cast<double>(width_) * height_));
}

void Plate::gather(double* whole) {
    const auto wide = static_cast<std::size_t>(width_);
    shmem_double_put(whole + static_cast<std::size_t>(share_.first) * wide, row(now(), 0),
                     static_cast<std::size_t>(share_.rows) * wide, 0);
    shmem_barrier_all();
}

}  // namespace heat
