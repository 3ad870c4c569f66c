// A plate of metal, divided among the PEs by rows, through which heat flows.
//
// Explicit finite differences: each cell moves towards the mean of its four neighbours; nothing
// flows over the rim. The arithmetic of a cell and the order of every sum do not depend on how many
// PEs there are, so the answer is the same to the last bit.
#pragma once

#include <cstddef>

namespace heat {

// The rows of one PE. The first `height % pes` PEs have one more than the others.
struct Share {
    int first = 0;
    int rows = 0;
};
Share share_of(int pe, int pes, int height);

class Plate {
  public:
    // Collective. `whole` is symmetric, width * height cells, and filled at PE 0.
    Plate(const double* whole, int width, int height);
    Plate(const Plate&) = delete;
    Plate& operator=(const Plate&) = delete;
    ~Plate();

    // One time step; the halo rows travel while the inner rows are computed.
    void step();

    // Root mean square of the change in the last step; collective, the same at every PE.
    double residual();

    // Collective. Fills `whole` at PE 0.
    void gather(double* whole);

  private:
    double* row(std::size_t field, int r) const {
        return fields_[field] + static_cast<std::ptrdiff_t>(r + 1) * width_;
    }
    std::size_t now() const { return steps_ % 2; }
    std::size_t next() const { return (steps_ + 1) % 2; }
    void update(int r);
    void send_rim(std::size_t field, unsigned long signal, bool up, bool down) const;

    int width_;
    int height_;
    Share share_;
    int above_ = -1;  // PE with the rows above ours, or -1
    int below_ = -1;
    double* fields_[2];  // ours and a halo row on either side; before the step and after, in turn
    double* sums_;       // of each of our rows
    double* all_sums_;   // of each row of the plate
    unsigned long steps_ = 0;
};

}  // namespace heat
