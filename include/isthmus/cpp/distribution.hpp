// How the elements of a shared array are dealt out to the PEs, as in UPC:
//
//   UPC             here                 element i lies at PE
//   shared [1]      cyclic               i mod pes
//   shared [B]      block_cyclic<B>      (i / B) mod pes
//   shared [b]      block_cyclic<>       the same, b known at run time
//   shared [*]      blocked              i / ceil(n / pes)
//   shared []       indefinite           0
//   shared x[THREADS]   one_per_pe       i (as cyclic, and no arithmetic)
//
// An element's place is the PE and the index among the elements there, which are in order without
// gaps. Arithmetic only: nothing here communicates.
#ifndef ISTHMUS_CPP_DISTRIBUTION_HPP
#define ISTHMUS_CPP_DISTRIBUTION_HPP

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace isthmus::inline cpp {

struct element_place {
    int pe;
    std::size_t index;  // among the elements at that PE
    friend bool operator==(const element_place&, const element_place&) = default;
};

// What shared_array needs of a distribution. `n` elements over `pes` PEs.
template <typename D>
concept distribution = std::copyable<D> && requires(const D& d, std::size_t i, int pe) {
    { d.locate(i) } -> std::same_as<element_place>;
    { d.index_of(element_place{pe, i}) } -> std::same_as<std::size_t>;  // the inverse
    { d.phase(i) } -> std::same_as<std::size_t>;                        // position in its block
    { d.count_at(pe) } -> std::same_as<std::size_t>;                    // elements at that PE
    { d.capacity() } -> std::same_as<std::size_t>;                      // the largest count
    { d.block() } -> std::same_as<std::size_t>;                         // elements side by side
    // A distribution that can't deal out every number of elements also has
    // `static bool holds(std::size_t n, int pes)`; a shared_array of others is refused.
};

// Arrays of up to this many elements.
inline constexpr std::size_t largest_shared_array = std::size_t{1} << 46;

namespace detail {

// Division by a number known when the array is made: a multiplication instead of the processor's
// division. With m = floor((2^(64+s) - 1) / d), s = floor(log2 d), the quotient of n is
// floor((n + 1) * m / 2^(64+s)): exact while (n + 1) * d <= 2^(64+s), which holds for n < 2^63.
class divider {
  public:
    divider() = default;
    explicit constexpr divider(std::size_t by)
        : by_(by),
          shift_(static_cast<unsigned>(std::bit_width(by)) - 1),
          factor_(static_cast<std::uint64_t>(
              (((__extension__(unsigned __int128){1}) << (64 + shift_)) - 1) / by)) {}
    [[gnu::always_inline]] constexpr std::size_t quotient(std::size_t n) const {
        return static_cast<std::size_t>((__extension__(unsigned __int128){n + 1} * factor_) >>
                                        64) >>
               shift_;
    }
    constexpr std::size_t by() const { return by_; }

  private:
    std::size_t by_ = 1;
    unsigned shift_ = 0;
    std::uint64_t factor_ = UINT64_MAX;
};

// The same for divisors of up to 2^16 (PEs) and n below 2^47: then s = 0 is enough.
class small_divider {
  public:
    small_divider() = default;
    explicit constexpr small_divider(int by)
        : by_(static_cast<std::size_t>(by)), factor_(UINT64_MAX / static_cast<std::uint64_t>(by)) {}
    [[gnu::always_inline]] constexpr std::size_t quotient(std::size_t n) const {
        return static_cast<std::size_t>((__extension__(unsigned __int128){n + 1} * factor_) >> 64);
    }
    constexpr std::size_t by() const { return by_; }

  private:
    std::size_t by_ = 1;
    std::uint64_t factor_ = UINT64_MAX;
};

// The size of a block: in the type, or in the object.
template <std::size_t Block>
struct block_size {
    constexpr block_size() = default;
    explicit constexpr block_size(std::size_t) {}
    [[gnu::always_inline]] constexpr std::size_t quotient(std::size_t i) const { return i / Block; }
    constexpr std::size_t by() const { return Block; }
};
template <>
struct block_size<0> : divider {
    using divider::divider;
};

}  // namespace detail

inline constexpr std::size_t block_at_run_time = 0;

template <std::size_t Block = block_at_run_time>
class block_cyclic {
  public:
    block_cyclic() = default;
    constexpr block_cyclic(std::size_t n, int pes) requires(Block != block_at_run_time)
        : n_(n), pes_(pes) {}
    constexpr block_cyclic(std::size_t n, int pes,
                           std::size_t block) requires(Block == block_at_run_time)
        : block_(block), n_(n), pes_(pes) {}

    [[gnu::always_inline]] constexpr element_place locate(std::size_t i) const {
        const std::size_t number = block_.quotient(i);    // of the block
        const std::size_t round = pes_.quotient(number);  // the how-manieth of its PE
        return {static_cast<int>(number - round * pes_.by()),
                round * block_.by() + (i - number * block_.by())};
    }
    constexpr std::size_t index_of(const element_place& place) const {
        const std::size_t round = block_.quotient(place.index);
        return (round * pes_.by() + static_cast<std::size_t>(place.pe)) * block_.by() +
               (place.index - round * block_.by());
    }
    constexpr std::size_t phase(std::size_t i) const {
        return i - block_.quotient(i) * block_.by();
    }
    constexpr std::size_t count_at(int pe) const {
        const std::size_t turn = block_.by() * pes_.by();  // one block for each PE
        const std::size_t whole = n_ / turn * block_.by();
        const std::size_t rest = n_ % turn;
        const std::size_t before = static_cast<std::size_t>(pe) * block_.by();
        return whole + std::clamp(rest, before, before + block_.by()) - before;
    }
    constexpr std::size_t capacity() const { return count_at(0); }
    constexpr std::size_t block() const { return block_.by(); }

  private:
    [[no_unique_address]] detail::block_size<Block> block_;
    std::size_t n_ = 0;
    detail::small_divider pes_;
};

using cyclic = block_cyclic<1>;

// One block for each PE, as even as blocks of one size can be: the last PEs may have less, or none.
class blocked {
  public:
    blocked() = default;
    constexpr blocked(std::size_t n, int pes)
        : n_(n),
          block_(std::max<std::size_t>(
              1, (n + static_cast<std::size_t>(pes) - 1) / static_cast<std::size_t>(pes))) {}
    [[gnu::always_inline]] constexpr element_place locate(std::size_t i) const {
        const std::size_t pe = block_.quotient(i);
        return {static_cast<int>(pe), i - pe * block_.by()};
    }
    constexpr std::size_t index_of(const element_place& place) const {
        return static_cast<std::size_t>(place.pe) * block_.by() + place.index;
    }
    constexpr std::size_t phase(std::size_t i) const { return locate(i).index; }
    constexpr std::size_t count_at(int pe) const {
        const std::size_t first = std::min(n_, static_cast<std::size_t>(pe) * block_.by());
        return std::min(n_ - first, block_.by());
    }
    constexpr std::size_t capacity() const { return count_at(0); }
    constexpr std::size_t block() const { return block_.by(); }

  private:
    std::size_t n_ = 0;
    detail::divider block_;
};

// Everything at PE 0.
class indefinite {
  public:
    indefinite() = default;
    constexpr indefinite(std::size_t n, int) : n_(n) {}
    [[gnu::always_inline]] constexpr element_place locate(std::size_t i) const { return {0, i}; }
    constexpr std::size_t index_of(const element_place& place) const { return place.index; }
    constexpr std::size_t phase(std::size_t i) const { return i; }
    constexpr std::size_t count_at(int pe) const { return pe == 0 ? n_ : 0; }
    constexpr std::size_t capacity() const { return n_; }
    constexpr std::size_t block() const { return n_ == 0 ? 1 : n_; }

  private:
    std::size_t n_ = 0;
};

// Element i at PE i, of no more elements than PEs.
class one_per_pe {
  public:
    one_per_pe() = default;
    constexpr one_per_pe(std::size_t n, int) : n_(n) {}
    static constexpr bool holds(std::size_t n, int pes) {
        return n <= static_cast<std::size_t>(pes);
    }
    [[gnu::always_inline]] constexpr element_place locate(std::size_t i) const {
        return {static_cast<int>(i), 0};
    }
    constexpr std::size_t index_of(const element_place& place) const {
        return static_cast<std::size_t>(place.pe);
    }
    constexpr std::size_t phase(std::size_t) const { return 0; }
    constexpr std::size_t count_at(int pe) const {
        return static_cast<std::size_t>(pe) < n_ ? 1 : 0;
    }
    constexpr std::size_t capacity() const { return count_at(0); }
    constexpr std::size_t block() const { return 1; }

  private:
    std::size_t n_ = 0;
};

}  // namespace isthmus::inline cpp

#endif
