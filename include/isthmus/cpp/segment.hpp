// segment: a published range of memory, as an object.
#ifndef ISTHMUS_CPP_SEGMENT_HPP
#define ISTHMUS_CPP_SEGMENT_HPP

#include <isthmus/cpp/event.hpp>
#include <isthmus/cpp/pointer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace isthmus::inline cpp {

namespace detail {
// What an object without a segment holds: each operation on it is STALE.
inline constexpr std::uint32_t kNoGeneration = 0;
inline constexpr isthmus_segment kNoSegment = [] {
    isthmus_segment none{};
    none.generation_now = &kNoGeneration;
    none.sleepers = &kNoGeneration;
    none.generation = 1;
    none.owner = -1;
    none.entry = -1;
    return none;
}();
}  // namespace detail

// The owner's object withdraws the segment when it goes, unless the session has ended, with which
// the segment did; a clone's just forgets it. Offsets are in
// bytes. All errors are those of the C functions of the same name.
class segment {
  public:
    segment() = default;
    segment(const segment&) = delete;
    segment& operator=(const segment&) = delete;
    segment(segment&& other) noexcept
        : native_(std::exchange(other.native_, detail::kNoSegment)),
          home_(std::exchange(other.home_, 0)),
          live_(std::exchange(other.live_, false)),
          created_(std::exchange(other.created_, false)) {}
    segment& operator=(segment&& other) noexcept {
        if (this != &other) {
            reset();
            native_ = std::exchange(other.native_, detail::kNoSegment);
            home_ = std::exchange(other.home_, 0);
            live_ = std::exchange(other.live_, false);
            created_ = std::exchange(other.created_, false);
        }
        return *this;
    }
    ~segment() { reset(); }

    // Zeroed memory of the library's, or (`memory` not null) the caller's; see
    // isthmus_segment_create.
    static result<segment> create(std::uint64_t id, std::uint64_t bytes, std::uint32_t access = 0,
                                  void* memory = nullptr) {
        segment made;
        made.created_ = true;
        if (const status done(isthmus_segment_create(&made.native_, id, memory, bytes, access));
            !done)
            return done;
        made.live_ = true;
        if (!memory) return made.settled(made.native_);
        // The creator's own view leads to adopted memory where it has always been, which others
        // cannot reach. A cloned view leads to the same memory as everybody sees it.
        isthmus_segment shared;
        if (const status found(isthmus_segment_clone(&shared, made.native_.id, 0)); !found)
            return found;
        return made.settled(shared);
    }
    static result<segment> clone(std::uint64_t id, double seconds = ISTHMUS_DEFAULT_TIMEOUT) {
        segment made;
        return made.born(isthmus_segment_clone(&made.native_, id, seconds));
    }
    // The default segment of PE `pe`: its symmetric heap.
    static result<segment> of(int pe) {
        segment made;
        return made.born(isthmus_segment_default(&made.native_, pe));
    }
    // Now, and says what became of it. NO_MEMORY leaves the segment as it was.
    status destroy() {
        status gone;
        if (created_) gone = status(isthmus_segment_destroy(&native_));
        if (gone == ISTHMUS_NO_MEMORY) return gone;
        live_ = created_ = false;
        home_ = 0;
        native_ = detail::kNoSegment;
        return gone;
    }

    std::uint64_t id() const { return native_.id; }
    std::uint64_t size() const { return native_.size; }
    int owner() const { return native_.owner; }
    const isthmus_segment& native() const { return native_; }
    explicit operator bool() const { return live_; }

    // On another host: operations reach it, loads and stores do not.
    bool is_far() const { return (native_.access & ISTHMUS_FAR) != 0; }
    // Where this PE loads and stores the segment; null if it is far.
    std::byte* data() const {
        return is_far() ? nullptr : reinterpret_cast<std::byte*>(native_.base);
    }
    // `count` objects at `offset` as plain memory. Ends the job if they are outside, misaligned or
    // far.
    template <movable_as_bytes T>
    std::span<T> objects(std::uint64_t offset, std::size_t count) const {
        if (is_far())
            detail::give_up("segment::objects: segment %#llx of PE %d is on another host",
                            static_cast<unsigned long long>(id()), owner());
        if (offset > size() || count > (size() - offset) / sizeof(T) ||
            reinterpret_cast<std::uintptr_t>(native_.base + offset) % alignof(T) != 0)
            detail::give_up(
                "segment::objects: %zu objects of %zu bytes at offset %llu are not within "
                "0..%llu of segment %#llx, or are misaligned",
                count, sizeof(T), static_cast<unsigned long long>(offset),
                static_cast<unsigned long long>(size()), static_cast<unsigned long long>(id()));
        return {reinterpret_cast<T*>(native_.base + offset), count};
    }
    // To send to others, and for `*p = v`. Bounds and rights are not checked on that road. Null if
    // there is no segment. Of a segment of adopted memory, its local() at the owner is another
    // address of the same memory than data(). One into a segment of static data may not be sent
    // (pointer.hpp).
    template <movable_as_bytes T>
    global_ptr<T> pointer(std::uint64_t offset) const {
        if (!live_) return nullptr;
        return {reinterpret_cast<T*>(home_ + offset), native_.owner};
    }
    // Offset of the counterpart of a symmetric object of this PE.
    result<std::uint64_t> offset_of(const void* symmetric) const {
        std::uint64_t offset = 0;
        const void* there = isthmus_symmetric_address(symmetric, native_.owner);
        if (is_far())
            there = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(symmetric) +
                                                  slots(native_.owner));
        const status found(isthmus_segment_offset(&native_, there, &offset));
        if (!found) return found;
        return offset;
    }

    // Objects.
    template <object_range R>
    status put(R&& local, std::uint64_t offset) const {
        return status(isthmus_put(std::ranges::data(local), &native_, offset,
                                  detail::bytes_of(local), nullptr));
    }
    template <writable_object_range R>
    status get(std::uint64_t offset, R&& local) const {
        return status(isthmus_get(std::ranges::data(local), &native_, offset,
                                  detail::bytes_of(local), nullptr));
    }
    template <lasting_object_range R>
    event async_put(R&& local, std::uint64_t offset) const {
        return event::of([&](isthmus_event* e) {
            return isthmus_put(std::ranges::data(local), &native_, offset, detail::bytes_of(local),
                               e);
        });
    }
    template <writable_object_range R>
    requires lasting_object_range<R> event async_get(std::uint64_t offset, R&& local)
    const {
        return event::of([&](isthmus_event* e) {
            return isthmus_get(std::ranges::data(local), &native_, offset, detail::bytes_of(local),
                               e);
        });
    }
    // Completes when all earlier operations of this PE on the segment are visible to everyone.
    status fence() const { return status(isthmus_fence(&native_, nullptr)); }
    event async_fence() const {
        return event::of([&](isthmus_event* e) { return isthmus_fence(&native_, e); });
    }

    // Atomics on words of 64 bits; of 32 if said: post_add<std::int32_t>(...). Posted ones become
    // visible after all earlier puts of this PE to the segment.
    template <native_word T = std::int64_t>
    status post_add(std::uint64_t offset, std::type_identity_t<T> value) const {
        if constexpr (sizeof(T) == 8)
            return status(isthmus_postadd(&native_, offset, value));
        else
            return status(isthmus_postadd32(&native_, offset, value));
    }
    template <native_word T = std::int64_t>
    status post_min(std::uint64_t offset, std::type_identity_t<T> value) const {
        if constexpr (sizeof(T) == 8)
            return status(isthmus_postmin(&native_, offset, value));
        else
            return status(isthmus_postmin32(&native_, offset, value));
    }
    template <native_word T = std::int64_t>
    status post_max(std::uint64_t offset, std::type_identity_t<T> value) const {
        if constexpr (sizeof(T) == 8)
            return status(isthmus_postmax(&native_, offset, value));
        else
            return status(isthmus_postmax32(&native_, offset, value));
    }
    template <native_word T = std::int64_t>
    status post_and(std::uint64_t offset, std::type_identity_t<T> value) const {
        if constexpr (sizeof(T) == 8)
            return status(isthmus_postand(&native_, offset, value));
        else
            return status(isthmus_postand32(&native_, offset, value));
    }
    template <native_word T = std::int64_t>
    status post_or(std::uint64_t offset, std::type_identity_t<T> value) const {
        if constexpr (sizeof(T) == 8)
            return status(isthmus_postor(&native_, offset, value));
        else
            return status(isthmus_postor32(&native_, offset, value));
    }
    template <native_word T = std::int64_t>
    status post_xor(std::uint64_t offset, std::type_identity_t<T> value) const {
        if constexpr (sizeof(T) == 8)
            return status(isthmus_postxor(&native_, offset, value));
        else
            return status(isthmus_postxor32(&native_, offset, value));
    }
    template <native_word T = std::int64_t>
    status poke(std::uint64_t offset, std::type_identity_t<T> value) const {
        if constexpr (sizeof(T) == 8)
            return status(isthmus_poke(&native_, offset, value));
        else
            return status(isthmus_poke32(&native_, offset, value));
    }
    template <native_word T = std::int64_t>
    result<T> peek(std::uint64_t offset) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_peek(&native_, offset, r, nullptr);
            else
                return isthmus_peek32(&native_, offset, r, nullptr);
        });
    }
    // These return the word before.
    template <native_word T = std::int64_t>
    result<T> fetch_add(std::uint64_t offset, std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchadd(&native_, offset, value, r, nullptr);
            else
                return isthmus_fetchadd32(&native_, offset, value, r, nullptr);
        });
    }
    template <native_word T = std::int64_t>
    result<T> fetch_min(std::uint64_t offset, std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchmin(&native_, offset, value, r, nullptr);
            else
                return isthmus_fetchmin32(&native_, offset, value, r, nullptr);
        });
    }
    template <native_word T = std::int64_t>
    result<T> fetch_max(std::uint64_t offset, std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchmax(&native_, offset, value, r, nullptr);
            else
                return isthmus_fetchmax32(&native_, offset, value, r, nullptr);
        });
    }
    template <native_word T = std::int64_t>
    result<T> fetch_and(std::uint64_t offset, std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchand(&native_, offset, value, r, nullptr);
            else
                return isthmus_fetchand32(&native_, offset, value, r, nullptr);
        });
    }
    template <native_word T = std::int64_t>
    result<T> fetch_or(std::uint64_t offset, std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchor(&native_, offset, value, r, nullptr);
            else
                return isthmus_fetchor32(&native_, offset, value, r, nullptr);
        });
    }
    template <native_word T = std::int64_t>
    result<T> fetch_xor(std::uint64_t offset, std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchxor(&native_, offset, value, r, nullptr);
            else
                return isthmus_fetchxor32(&native_, offset, value, r, nullptr);
        });
    }
    // Sets the word to zero.
    template <native_word T = std::int64_t>
    result<T> fetch_clear(std::uint64_t offset) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchclear(&native_, offset, r, nullptr);
            else
                return isthmus_fetchclear32(&native_, offset, r, nullptr);
        });
    }
    template <native_word T = std::int64_t>
    result<T> swap(std::uint64_t offset, std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_swap(&native_, offset, value, r, nullptr);
            else
                return isthmus_swap32(&native_, offset, value, r, nullptr);
        });
    }
    // Replaces the word if it is `expected`.
    template <native_word T = std::int64_t>
    result<T> compare_swap(std::uint64_t offset, std::type_identity_t<T> expected,
                           std::type_identity_t<T> value) const {
        return fetched<T>([&](T* r) {
            if constexpr (sizeof(T) == 8)
                return isthmus_compare_swap(&native_, offset, expected, value, r, nullptr);
            else
                return isthmus_compare_swap32(&native_, offset, expected, value, r, nullptr);
        });
    }
    // The same, issued: the word before is in `word`, which must stay until then, when the event is
    // ready. The width is that of `word`.
    template <native_word T>
    event async_peek(std::uint64_t offset, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_peek(&native_, offset, &word, e);
            else
                return isthmus_peek32(&native_, offset, &word, e);
        });
    }
    template <native_word T>
    event async_fetch_add(std::uint64_t offset, std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchadd(&native_, offset, value, &word, e);
            else
                return isthmus_fetchadd32(&native_, offset, value, &word, e);
        });
    }
    template <native_word T>
    event async_fetch_min(std::uint64_t offset, std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchmin(&native_, offset, value, &word, e);
            else
                return isthmus_fetchmin32(&native_, offset, value, &word, e);
        });
    }
    template <native_word T>
    event async_fetch_max(std::uint64_t offset, std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchmax(&native_, offset, value, &word, e);
            else
                return isthmus_fetchmax32(&native_, offset, value, &word, e);
        });
    }
    template <native_word T>
    event async_fetch_and(std::uint64_t offset, std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchand(&native_, offset, value, &word, e);
            else
                return isthmus_fetchand32(&native_, offset, value, &word, e);
        });
    }
    template <native_word T>
    event async_fetch_or(std::uint64_t offset, std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchor(&native_, offset, value, &word, e);
            else
                return isthmus_fetchor32(&native_, offset, value, &word, e);
        });
    }
    template <native_word T>
    event async_fetch_xor(std::uint64_t offset, std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchxor(&native_, offset, value, &word, e);
            else
                return isthmus_fetchxor32(&native_, offset, value, &word, e);
        });
    }
    template <native_word T>
    event async_fetch_clear(std::uint64_t offset, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_fetchclear(&native_, offset, &word, e);
            else
                return isthmus_fetchclear32(&native_, offset, &word, e);
        });
    }
    template <native_word T>
    event async_swap(std::uint64_t offset, std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_swap(&native_, offset, value, &word, e);
            else
                return isthmus_swap32(&native_, offset, value, &word, e);
        });
    }
    template <native_word T>
    event async_compare_swap(std::uint64_t offset, std::type_identity_t<T> expected,
                             std::type_identity_t<T> value, T& word) const {
        return event::of([&](isthmus_event* e) {
            if constexpr (sizeof(T) == 8)
                return isthmus_compare_swap(&native_, offset, expected, value, &word, e);
            else
                return isthmus_compare_swap32(&native_, offset, expected, value, &word, e);
        });
    }

    // Allocation inside a segment made with ISTHMUS_ALLOCATOR: offsets.
    result<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment = 16) const {
        return fetched<std::uint64_t>([&](std::uint64_t* offset) {
            return isthmus_segment_memalign(&native_, alignment, bytes, offset, nullptr);
        });
    }
    status free(std::uint64_t offset) const {
        return status(isthmus_segment_free(&native_, offset, nullptr));
    }

  private:
    result<segment> born(int code) {
        if (const status made(code); !made) return made;
        live_ = true;
        return settled(native_);
    }
    // From an address of this PE to where the window shows that of `pe`.
    static std::uintptr_t slots(int pe) {
        return std::uintptr_t{static_cast<std::uint32_t>(pe) ^ isthmus_window_me}
               << ISTHMUS_WINDOW_SHIFT;
    }
    // `shared`: a view of this segment as PEs other than the owner have it.
    result<segment> settled(const isthmus_segment& shared) {
        home_ = reinterpret_cast<std::uintptr_t>(shared.base) - slots(shared.owner);
        return std::move(*this);
    }
    void reset() {
        if (!live_) return;
        const status gone = destroy();
        if (!(gone == ISTHMUS_STALE)) gone.or_fail();  // stale: it ended with its session
    }
    template <typename T, typename Fetch>
    static result<T> fetched(Fetch&& fetch) {
        T word{};
        if (const status done(fetch(&word)); !done) return done;
        return word;
    }

    isthmus_segment native_ = detail::kNoSegment;
    std::uintptr_t home_ = 0;  // of the first byte, as a global_ptr has it
    bool live_ = false;
    bool created_ = false;  // not cloned
};

}  // namespace isthmus::inline cpp

#endif
