// Keys by PE. They end at the end of a page, and behind it nothing can be read for as far as 32-bit
// numbers reach: looking up a PE that there is not faults.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isthmus::transport::service {

class KeyTable {
  public:
    KeyTable() = default;
    KeyTable(const KeyTable&) = delete;
    KeyTable& operator=(const KeyTable&) = delete;
    ~KeyTable();

    // False if the address space has no room for it (a limit is set).
    bool make(int pes);
    // Null unless made.
    const std::uint64_t* keys() const { return keys_; }
    void set(int pe, std::uint64_t key) { keys_[pe] = key; }

  private:
    void* room_ = nullptr;
    std::size_t used_ = 0;
    std::uint64_t* keys_ = nullptr;
};

}  // namespace isthmus::transport::service
