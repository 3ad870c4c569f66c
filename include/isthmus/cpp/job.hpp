// Joining the job, and memory that all PEs have at a corresponding place.
#ifndef ISTHMUS_CPP_JOB_HPP
#define ISTHMUS_CPP_JOB_HPP

#include <isthmus/cpp/result.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace isthmus::inline cpp {

// Joins in the constructor, leaves in the destructor; both are collective. Declare it first in
// main: what is collective to destroy (shared arrays, symmetric blocks, aggregators) must go before
// it.
class job {
  public:
    job() { isthmus_init(); }
    job(const job&) = delete;
    job& operator=(const job&) = delete;
    ~job() { isthmus_finalize(); }
};

inline int pe() {
    return isthmus_pe();
}
inline int pes() {
    return isthmus_pes();
}
// Waits until all PEs have come here; completes all operations issued before.
inline void barrier() {
    isthmus_barrier();
}
// Everything that this PE has written through global_ptr and shared_array is visible to everyone:
// upc_fence.
inline void fence() {
    isthmus_symmetric_fence();
}

namespace detail {
struct symmetric_delete {
    void operator()(void* block) const { status(isthmus_symmetric_free(block)).or_fail(); }
};
}  // namespace detail

// Zeroed objects of T, as many at every PE, at the same address. Making, moving onto and destroying
// one is collective over all PEs.
template <movable_as_bytes T>
class symmetric_block {
  public:
    symmetric_block() = default;
    // What was moved from is empty.
    symmetric_block(symmetric_block&& other) noexcept
        : memory_(std::move(other.memory_)), count_(std::exchange(other.count_, 0)) {}
    symmetric_block& operator=(symmetric_block&& other) noexcept {
        if (this != &other) {
            memory_ = std::move(other.memory_);
            count_ = std::exchange(other.count_, 0);
        }
        return *this;
    }
    static result<symmetric_block> create(std::size_t count) {
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(count, sizeof(T), &bytes))
            return status(ISTHMUS_NO_MEMORY, "symmetric_block: more than 2^64 bytes");
        void* memory = nullptr;
        const status made(
            isthmus_symmetric_malloc(&memory, bytes, alignof(T) < 16 ? 16 : alignof(T)));
        if (!made) return made;
        symmetric_block block;
        block.memory_.reset(static_cast<T*>(memory));
        block.count_ = count;
        return block;
    }
    // Ends the job if there is no room.
    explicit symmetric_block(std::size_t count) : symmetric_block(create(count).or_fail()) {}

    T* data() const { return memory_.get(); }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) const { return memory_.get()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + count_; }
    operator std::span<T>() const { return {data(), count_}; }

  private:
    std::unique_ptr<T, detail::symmetric_delete> memory_;
    std::size_t count_ = 0;
};

}  // namespace isthmus::inline cpp

#endif
