// shared_array: one array over all PEs, as UPC's shared arrays.
//
//   isthmus::shared_array<long, isthmus::block_cyclic<4>> x(1000);   // shared [4] long x[1000]
//   x[i] = 5;                      // one put, wherever the element lies
//   x.owner(i), x.phase(i)         // upc_threadof, upc_phaseof
//   for (auto [i, value] : x.owned()) value += i;   // upc_forall(...; &x[i])
#ifndef ISTHMUS_CPP_SHARED_ARRAY_HPP
#define ISTHMUS_CPP_SHARED_ARRAY_HPP

#include <isthmus/cpp/distribution.hpp>
#include <isthmus/cpp/job.hpp>
#include <isthmus/cpp/pointer.hpp>

#include <cassert>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

namespace isthmus::inline cpp {

// Making, moving onto and destroying one is collective over all PEs, with the same arguments.
// Elements begin as zero. Indices are not checked unless assertions are on.
template <movable_as_bytes T, distribution D = cyclic>
requires(!std::is_const_v<T>) class shared_array {
  public:
    using value_type = T;

    shared_array() = default;
    // What was moved from has no elements.
    shared_array(shared_array&& other) noexcept
        : home_(std::exchange(other.home_, nullptr)),
          distribution_(std::exchange(other.distribution_, D())),
          size_(std::exchange(other.size_, 0)),
          memory_(std::move(other.memory_)) {}
    shared_array& operator=(shared_array&& other) noexcept {
        if (this != &other) {
            home_ = std::exchange(other.home_, nullptr);
            distribution_ = std::exchange(other.distribution_, D());
            size_ = std::exchange(other.size_, 0);
            memory_ = std::move(other.memory_);
        }
        return *this;
    }
    // NO_MEMORY; TOO_LARGE above largest_shared_array elements; ARGUMENT for a block of size 0, and
    // for more elements than PEs where each has one.
    // `block...`: of block_cyclic<> alone, the elements of a block.
    template <typename... Block>
    requires std::constructible_from<D, std::size_t, int, Block...>
    static result<shared_array> create(std::size_t n, Block... block) {
        for (const std::size_t elements : {n, static_cast<std::size_t>(block)...}) {
            if (elements > largest_shared_array)
                return status(ISTHMUS_TOO_LARGE, "shared_array: more than 2^46 elements");
        }
        for (const std::size_t elements : {std::size_t{1}, static_cast<std::size_t>(block)...}) {
            if (elements == 0)
                return status(ISTHMUS_ARGUMENT, "shared_array: blocks of 0 elements");
        }
        if constexpr (requires { D::holds(n, 1); }) {
            if (!D::holds(n, isthmus_pes()))
                return status(ISTHMUS_ARGUMENT,
                              "shared_array: more elements than PEs, one at each");
        }
        shared_array made;
        made.size_ = n;
        made.distribution_ = D(n, isthmus_pes(), static_cast<std::size_t>(block)...);
        auto memory = symmetric_block<T>::create(made.distribution_.capacity());
        if (!memory) return memory.error();
        made.memory_ = *std::move(memory);
        made.home_ = made.memory_.data();
        return made;
    }
    // The same; ends the job if it fails.
    template <typename... Block>
    requires std::constructible_from<D, std::size_t, int, Block...>
    explicit shared_array(std::size_t n, Block... block)
        : shared_array(create(n, block...).or_fail()) {}

    std::size_t size() const { return size_; }
    const D& layout() const { return distribution_; }

    [[gnu::always_inline]] element_ref<T> operator[](std::size_t i) const {
        assert(i < size_);
        const element_place place = distribution_.locate(i);
        return {home_ + place.index, place.pe, detail::Placing()};
    }
    // Pointer arithmetic on it stays at the element's PE: pointer(i) + 1 is the next element there.
    global_ptr<T> pointer(std::size_t i) const {
        const element_place place = distribution_.locate(i);
        return {home_ + place.index, place.pe};
    }

    // Affinity.
    int owner(std::size_t i) const { return distribution_.locate(i).pe; }
    std::size_t phase(std::size_t i) const { return distribution_.phase(i); }
    bool is_local(std::size_t i) const { return owner(i) == isthmus_pe(); }
    std::size_t count_at(int pe) const { return distribution_.count_at(pe); }

    // This PE's elements as plain memory, in the order of their indices.
    std::span<T> local() const { return {home_, count_at(isthmus_pe())}; }
    // The index of local()[k].
    std::size_t index_of_local(std::size_t k) const {
        return distribution_.index_of({isthmus_pe(), k});
    }
    // PE `pe`'s elements as plain memory, if it is on this host; else empty.
    std::span<T> direct(int pe) const {
        const std::size_t count = count_at(pe);
        T* const place = count != 0 ? global_ptr<T>(home_, pe).direct() : nullptr;
        return {place, place ? count : 0};
    }

    // This PE's elements one by one: pairs of an index and a plain reference.
    struct owned_element {
        std::size_t index;
        T& value;
    };
    class owned_range;
    owned_range owned() const { return owned_range(*this); }

    // Elements first, first + 1, ... to and from local memory: one transfer for each run of
    // elements that lie side by side. BOUNDS.
    status get(std::size_t first, std::span<T> local) const {
        return by_runs(first, local.size(),
                       [&](global_ptr<T> run, std::size_t done, std::size_t n) {
                           return cpp::get(run, local.subspan(done, n));
                       });
    }
    status put(std::span<const T> local, std::size_t first) const {
        return by_runs(first, local.size(),
                       [&](global_ptr<T> run, std::size_t done, std::size_t n) {
                           return cpp::put(local.subspan(done, n), run);
                       });
    }
    // One element, issued. `value` must stay until the event is ready.
    event async_get(std::size_t i, T& value) const {
        return cpp::async_get(pointer(i), std::span<T>(&value, 1));
    }
    event async_put(const T& value, std::size_t i) const {
        return cpp::async_put(std::span<const T>(&value, 1), pointer(i));
    }
    // Refused: a temporary would be gone before the event is ready.
    event async_put(const T&& value, std::size_t i) const = delete;

  private:
    template <typename Move>
    status by_runs(std::size_t first, std::size_t count, Move&& move) const {
        if (first > size_ || count > size_ - first)
            return status(ISTHMUS_BOUNDS, "shared_array: the range reaches past the last element");
        for (std::size_t done = 0; done < count;) {
            const std::size_t i = first + done;
            const std::size_t run =
                std::min(count - done, distribution_.block() - distribution_.phase(i));
            if (const status moved = move(pointer(i), done, run); !moved) return moved;
            done += run;
        }
        return {};
    }

    T* home_ = nullptr;  // memory_.data(), at hand for operator[]
    D distribution_;
    std::size_t size_ = 0;
    symmetric_block<T> memory_;
};

template <movable_as_bytes T, distribution D>
requires(!std::is_const_v<T>) class shared_array<T, D>::owned_range {
  public:
    explicit owned_range(const shared_array& array)
        : array_(&array), count_(array.count_at(isthmus_pe())) {}
    class iterator {
      public:
        using value_type = owned_element;
        using difference_type = std::ptrdiff_t;
        iterator() = default;
        iterator(const shared_array* array, std::size_t k) : array_(array), k_(k) {
            begin_run(isthmus_pe());
        }
        owned_element operator*() const { return {index_, array_->home_[k_]}; }
        iterator& operator++() {
            ++k_;
            ++index_;
            if (k_ == run_end_) begin_run(isthmus_pe());
            return *this;
        }
        iterator operator++(int) {
            const iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const iterator& a, const iterator& b) { return a.k_ == b.k_; }

      private:
        void begin_run(int me) {
            index_ = array_->distribution_.index_of({me, k_});
            run_end_ = k_ + array_->distribution_.block();
        }
        const shared_array* array_ = nullptr;
        std::size_t k_ = 0;
        std::size_t index_ = 0;
        std::size_t run_end_ = 0;
    };
    iterator begin() const { return {array_, 0}; }
    iterator end() const { return {array_, count_}; }
    std::size_t size() const { return count_; }

  private:
    const shared_array* array_;
    std::size_t count_;
};

}  // namespace isthmus::inline cpp

#endif
