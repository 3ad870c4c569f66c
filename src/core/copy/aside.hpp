// Bytes that wait for room, first in, first out. A byte is moved at most twice, however many wait
// and however few leave at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace isthmus {

class Aside {
  public:
    bool is_empty() const { return first_ == bytes_.size(); }
    std::span<const char> waiting() const { return std::span(bytes_).subspan(first_); }
    // Throws if there is no memory; nothing has changed then.
    void append(const void* from, std::size_t bytes) {
        const auto* const begin = static_cast<const char*>(from);
        bytes_.insert(bytes_.end(), begin, begin + bytes);
    }
    // The first ones have left. Those behind move up when as many have left as wait.
    void take(std::size_t bytes) {
        first_ += bytes;
        if (is_empty() && bytes_.capacity() > kKept) {
            bytes_ = {};
            first_ = 0;
        } else if (first_ >= bytes_.size() - first_) {
            bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
    }

  private:
    static constexpr std::size_t kKept = std::size_t{1} << 20;  // of the memory of a burst
    std::vector<char> bytes_;
    std::size_t first_ = 0;
};

}  // namespace isthmus
