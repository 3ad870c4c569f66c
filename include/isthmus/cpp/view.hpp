// Views: arrays of one to three dimensions over memory that is there already, here or in a segment,
// and put and get of whole blocks between them. Row-major; a view of a part keeps the pitches of
// the whole, so one call moves any rectangle into any other, in one pass.
//
//   array_view tile(buffer, 18, 18);
//   remote_view<float, 2> image(segment, 0, {height, width});
//   get(image.part({y, x}, {18, 18}), tile).or_fail();
#ifndef ISTHMUS_CPP_VIEW_HPP
#define ISTHMUS_CPP_VIEW_HPP

#include <isthmus/cpp/event.hpp>
#include <isthmus/cpp/segment.hpp>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isthmus::inline cpp {

template <std::size_t Rank>
using extents = std::array<std::size_t, Rank>;

namespace detail {

// Where no offset leads: operations there are BOUNDS.
inline constexpr std::uint64_t kNowhere = UINT64_MAX;
constexpr std::uint64_t sum_or_nowhere(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? kNowhere : sum;
}
constexpr std::uint64_t product_or_nowhere(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kNowhere : product;
}

// Extents of the view, and of the array that it is a part of: its pitches. Slowest dimension first.
template <std::size_t Rank>
struct shape {
    extents<Rank> size{};
    extents<Rank> whole{};

    constexpr std::size_t offset(const extents<Rank>& at) const {
        std::size_t sum = 0;
        for (std::size_t r = 0; r < Rank; ++r)
            sum = sum * whole[r] + at[r];
        return sum;
    }
    // The same in bytes; kNowhere if there is no such number. For views of memory that may not be
    // there: of a segment.
    constexpr std::uint64_t byte_offset(const extents<Rank>& at, std::size_t element) const {
        std::uint64_t sum = 0;
        for (std::size_t r = 0; r < Rank; ++r)
            sum = sum_or_nowhere(product_or_nowhere(sum, whole[r]), at[r]);
        return product_or_nowhere(sum, element);
    }
    constexpr bool contains(const extents<Rank>& from, const extents<Rank>& part) const {
        for (std::size_t r = 0; r < Rank; ++r)
            if (from[r] > size[r] || part[r] > size[r] - from[r]) return false;
        return true;
    }
    constexpr bool holds(const extents<Rank>& at) const {
        for (std::size_t r = 0; r < Rank; ++r)
            if (at[r] >= size[r]) return false;
        return true;
    }
    constexpr shape part(const extents<Rank>& from, const extents<Rank>& part) const {
        if (!contains(from, part)) refuse_part(from, part);
        return {part, whole};
    }
    [[noreturn, gnu::cold]] void refuse_part(const extents<Rank>& from,
                                             const extents<Rank>& part) const {
        // Ranks below 3 have ones and zeros in front.
        constexpr std::size_t kSkip = 3 - Rank;
        std::size_t at[3] = {0, 0, 0}, block[3] = {1, 1, 1}, view[3] = {1, 1, 1};
        for (std::size_t r = 0; r < Rank; ++r) {
            at[kSkip + r] = from[r];
            block[kSkip + r] = part[r];
            view[kSkip + r] = size[r];
        }
        give_up(
            "view::part: a block of %zux%zux%zu at (%zu,%zu,%zu) does not fit into a view of "
            "%zux%zux%zu",
            block[0], block[1], block[2], at[0], at[1], at[2], view[0], view[1], view[2]);
    }
    // For the C interface: a block at the origin of an array as wide as the whole; the outermost
    // dimension is as long as the view, because nothing is known of what follows.
    constexpr isthmus_point2d point2d() const requires(Rank == 2) {
        return {0, 0, whole[1], size[0]};
    }
    constexpr isthmus_point3d point3d() const requires(Rank == 3) {
        return {0, 0, 0, whole[2], whole[1], size[0]};
    }
};

}  // namespace detail

// Local memory as an array of `Rank` dimensions.
template <movable_as_bytes T, std::size_t Rank>
requires(Rank >= 1 && Rank <= 3) class array_view {
  public:
    using element_type = T;
    static constexpr std::size_t rank() { return Rank; }

    array_view() = default;
    template <std::convertible_to<std::size_t>... Size>
    requires(sizeof...(Size) == Rank) constexpr array_view(T* data, Size... size)
        : array_view(data, extents<Rank>{static_cast<std::size_t>(size)...}) {}
    constexpr array_view(T* data, const extents<Rank>& size) : data_(data), shape_{size, size} {}
    // T to const T.
    template <typename Other>
    requires(std::same_as<const Other, T> &&
             !std::same_as<Other, T>) constexpr array_view(const array_view<Other, Rank>& other)
        : data_(other.data()), shape_(other.shape()) {}

    template <std::convertible_to<std::size_t>... At>
    requires(sizeof...(At) == Rank) constexpr T& operator()(At... at) const {
        const extents<Rank> place{static_cast<std::size_t>(at)...};
        assert(shape_.holds(place));
        return data_[shape_.offset(place)];
    }
    // Row `at...` of the fastest dimension, which lies side by side.
    template <std::convertible_to<std::size_t>... At>
    requires(sizeof...(At) == Rank - 1) constexpr std::span<T> row(At... at) const {
        return {data_ + shape_.offset({static_cast<std::size_t>(at)..., 0}), extent(Rank - 1)};
    }
    // A rectangle of it. Ends the job if it does not fit.
    constexpr array_view part(const extents<Rank>& from, const extents<Rank>& size) const {
        array_view cut;
        cut.shape_ = shape_.part(from, size);
        cut.data_ = data_ + shape_.offset(from);
        return cut;
    }
    constexpr std::size_t extent(std::size_t r) const { return shape_.size[r]; }
    constexpr const extents<Rank>& size() const { return shape_.size; }
    constexpr T* data() const { return data_; }
    constexpr const detail::shape<Rank>& shape() const { return shape_; }

  private:
    T* data_ = nullptr;
    detail::shape<Rank> shape_;
};
template <typename T, typename... Size>
requires(std::convertible_to<Size, std::size_t>&&...) array_view(T*, Size...)
->array_view<T, sizeof...(Size)>;

// Memory of a segment, beginning at an offset in bytes, as an array. Must not outlive the segment
// object. One of no segment, as made by default: operations are STALE, its PE is -1.
template <movable_as_bytes T, std::size_t Rank>
requires(Rank >= 1 && Rank <= 3) class remote_view {
  public:
    using element_type = T;
    static constexpr std::size_t rank() { return Rank; }

    remote_view() = default;
    remote_view(const segment& in, std::uint64_t offset, const extents<Rank>& size)
        : segment_(&in.native()), offset_(offset), shape_{size, size} {}
    remote_view(const segment&&, std::uint64_t, const extents<Rank>&) = delete;  // would be gone
    template <typename Other>
    requires(std::same_as<const Other, T> && !std::same_as<Other, T>)
        remote_view(const remote_view<Other, Rank>& other)
        : segment_(&other.native()), offset_(other.offset()), shape_(other.shape()) {}

    // A rectangle of it. Ends the job if it does not fit into the view; one that is not in the
    // segment, because the view is not, is BOUNDS when it is used.
    remote_view part(const extents<Rank>& from, const extents<Rank>& size) const {
        remote_view cut;
        cut.segment_ = segment_;
        cut.shape_ = shape_.part(from, size);
        cut.offset_ = detail::sum_or_nowhere(offset_, shape_.byte_offset(from, sizeof(T)));
        return cut;
    }
    std::size_t extent(std::size_t r) const { return shape_.size[r]; }
    const extents<Rank>& size() const { return shape_.size; }
    int where() const { return segment_->owner; }
    std::uint64_t offset() const { return offset_; }
    const isthmus_segment& native() const { return *segment_; }
    const detail::shape<Rank>& shape() const { return shape_; }

  private:
    const isthmus_segment* segment_ = &detail::kNoSegment;
    std::uint64_t offset_ = 0;
    detail::shape<Rank> shape_;
};

namespace detail {

template <typename Here, typename There>
concept same_block = Here::rank()
== There::rank() && std::same_as<std::remove_const_t<typename Here::element_type>,
                                 std::remove_const_t<typename There::element_type>>;

inline status shapes_differ() {
    return {ISTHMUS_ARGUMENT, "put, get of views: the two differ in shape"};
}

template <typename Here, typename There>
int put_block(const Here& here, const There& there, isthmus_event* event) {
    const isthmus_segment* const segment = &there.native();
    constexpr std::size_t kElement = sizeof(typename Here::element_type);
    if constexpr (Here::rank() == 1) {
        const std::uint64_t bytes = product_or_nowhere(here.extent(0), kElement);
        return isthmus_put(here.data(), segment, there.offset(), bytes, event);
    } else if constexpr (Here::rank() == 2) {
        const isthmus_point2d from = here.shape().point2d(), to = there.shape().point2d();
        return isthmus_put_block2d(here.data(), &from, segment, there.offset(), &to, kElement,
                                   here.extent(1), here.extent(0), event);
    } else {
        const isthmus_point3d from = here.shape().point3d(), to = there.shape().point3d();
        return isthmus_put_block3d(here.data(), &from, segment, there.offset(), &to, kElement,
                                   here.extent(2), here.extent(1), here.extent(0), event);
    }
}

template <typename There, typename Here>
int get_block(const There& there, const Here& here, isthmus_event* event) {
    const isthmus_segment* const segment = &there.native();
    constexpr std::size_t kElement = sizeof(typename Here::element_type);
    if constexpr (Here::rank() == 1) {
        const std::uint64_t bytes = product_or_nowhere(here.extent(0), kElement);
        return isthmus_get(here.data(), segment, there.offset(), bytes, event);
    } else if constexpr (Here::rank() == 2) {
        const isthmus_point2d to = here.shape().point2d(), from = there.shape().point2d();
        return isthmus_get_block2d(here.data(), &to, segment, there.offset(), &from, kElement,
                                   here.extent(1), here.extent(0), event);
    } else {
        const isthmus_point3d to = here.shape().point3d(), from = there.shape().point3d();
        return isthmus_get_block3d(here.data(), &to, segment, there.offset(), &from, kElement,
                                   here.extent(2), here.extent(1), here.extent(0), event);
    }
}

template <typename View>
inline constexpr bool is_array_view = false;
template <typename T, std::size_t Rank>
inline constexpr bool is_array_view<array_view<T, Rank>> = true;
template <typename View>
inline constexpr bool is_remote_view = false;
template <typename T, std::size_t Rank>
inline constexpr bool is_remote_view<remote_view<T, Rank>> = true;

template <typename Here, typename There>
concept puttable = is_array_view<Here> && is_remote_view<There> && same_block<Here, There> &&
    !std::is_const_v<typename There::element_type>;
template <typename There, typename Here>
concept gettable = is_array_view<Here> && is_remote_view<There> && same_block<Here, There> &&
    !std::is_const_v<typename Here::element_type>;

}  // namespace detail

// Blocks of equal shape and type. ARGUMENT if the shapes differ; BOUNDS, RIGHTS, ... as in C.
template <typename Here, typename There>
requires detail::puttable<Here, There> status put(const Here& here, const There& there) {
    if (here.size() != there.size()) return detail::shapes_differ();
    return status(detail::put_block(here, there, nullptr));
}
template <typename There, typename Here>
requires detail::gettable<There, Here> status get(const There& there, const Here& here) {
    if (here.size() != there.size()) return detail::shapes_differ();
    return status(detail::get_block(there, here, nullptr));
}
// The same, issued.
template <typename Here, typename There>
requires detail::puttable<Here, There> event async_put(const Here& here, const There& there) {
    if (here.size() != there.size()) return event::failed(detail::shapes_differ());
    return event::of([&](isthmus_event* e) { return detail::put_block(here, there, e); });
}
template <typename There, typename Here>
requires detail::gettable<There, Here> event async_get(const There& there, const Here& here) {
    if (here.size() != there.size()) return event::failed(detail::shapes_differ());
    return event::of([&](isthmus_event* e) { return detail::get_block(there, here, e); });
}

}  // namespace isthmus::inline cpp

#endif
