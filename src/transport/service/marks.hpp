// Which PEs something went to that nobody has waited for yet: a byte each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace isthmus::transport::service {

class Marks {
  public:
    explicit Marks(int pes)
        : pes_(pes),
          bytes_(std::make_unique<std::atomic<std::uint8_t>[]>(static_cast<std::size_t>(pes))) {}

    std::atomic<std::uint8_t>& operator[](int pe) { return bytes_[static_cast<std::size_t>(pe)]; }
    const std::atomic<std::uint8_t>* bytes() const { return bytes_.get(); }

    // Calls each(pe) for every PE that has a mark, by number.
    template <typename Each>
    void for_each(Each&& each) const {
        for (int pe = 0; pe < pes_; ++pe) {
            if (bytes_[static_cast<std::size_t>(pe)].load(std::memory_order_relaxed) != 0) each(pe);
        }
    }
    // The same, and takes the marks.
    template <typename Each>
    void take(Each&& each) {
        for_each([&](int pe) {
            (*this)[pe].store(0, std::memory_order_relaxed);
            each(pe);
        });
    }
    bool any() const {
        bool found = false;
        for_each([&](int) { found = true; });
        return found;
    }

  private:
    int pes_;
    std::unique_ptr<std::atomic<std::uint8_t>[]> bytes_;
};

}  // namespace isthmus::transport::service
