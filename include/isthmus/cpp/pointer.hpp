// global_ptr: a pointer to an object of any PE, with the syntax of a pointer.
//
// Cost on one host, inlined: `*p = v` and `v = *p` are the window's arithmetic (isthmus/window.h)
// and one access, as shmem_p and shmem_g: 8 and 7 instructions by themselves, 4 more than a plain
// access in a loop in which the PE stays the same. tests/api/isthmus/inlined_cost.py counts them.
#ifndef ISTHMUS_CPP_POINTER_HPP
#define ISTHMUS_CPP_POINTER_HPP

#include <isthmus/window.h>
#include <isthmus/cpp/event.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>

namespace isthmus::inline cpp {

namespace detail {

// An object of one of the machine's own types is moved by one access, which the compiler must keep;
// others of up to this size in place, between compiler barriers; the rest by the library's copy.
inline constexpr std::size_t kInPlace = 64;

// The window's arithmetic, as the macros of isthmus/window.h, with the casts of this language.
[[gnu::always_inline]] inline std::uint32_t slot_of(int pe) {
    return static_cast<std::uint32_t>(pe) ^ isthmus_window_me;
}
[[gnu::always_inline]] inline bool reaches(int pe) {
    return slot_of(pe) < isthmus_window.limit;
}
template <typename T>
[[gnu::always_inline]] inline T* there(T* home, int pe) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(home) +
                                (std::uintptr_t{slot_of(pe)} << ISTHMUS_WINDOW_SHIFT));
}

// As if the access were within a library: global_cast makes pointers of another type. An
// enumeration is moved as its integer, for attributes of a finished type are ignored.
template <typename T, bool is_enumeration = std::is_enum_v<T>>
struct moved_as {
    using type [[gnu::may_alias]] = T;
};
template <typename T>
struct moved_as<T, true> {
    using type [[gnu::may_alias]] = std::underlying_type_t<T>;
};
template <typename T>
using aliasing = typename moved_as<T>::type;

// Whatever the window does not reach. By value and out of line, so that the short way needs no
// stack.
template <typename T>
[[gnu::cold, gnu::noinline]] void store_slowly(T* home, T value, int pe) {
    status(isthmus_symmetric_put(home, &value, sizeof(T), pe, nullptr)).or_fail();
}
// Words have a way of their own, straight into the library.
template <typename T>
[[gnu::always_inline]] inline void store_elsewhere(T* home, const T& value, int pe) {
    if constexpr (std::is_scalar_v<T> && sizeof(T) == 8)
        isthmus_symmetric_store64(reinterpret_cast<std::uint64_t*>(home),
                                  __builtin_bit_cast(std::uint64_t, value), pe);
    else if constexpr (std::is_scalar_v<T> && sizeof(T) == 4)
        isthmus_symmetric_store32(reinterpret_cast<std::uint32_t*>(home),
                                  __builtin_bit_cast(std::uint32_t, value), pe);
    else
        store_slowly<T>(home, value, pe);
}
// The same of memory that is known to lie in the symmetric heap.
// Two arguments, loaded where the call takes them: compilers load them elsewhere first.
[[gnu::always_inline]] inline void* road_argument() {
    void* road = nullptr;
#if defined(__x86_64__)
    __asm__("movq %1, %0" : "=D"(road) : "m"(isthmus_window.road));
#else
    road = isthmus_window.road;
#endif
    return road;
}
[[gnu::always_inline]] inline const std::uint64_t* keys_argument() {
    const std::uint64_t* keys = nullptr;
#if defined(__x86_64__)
    __asm__("movq %1, %0" : "=d"(keys) : "m"(isthmus_window.keys));
#else
    keys = isthmus_window.keys;
#endif
    return keys;
}
template <typename T>
[[gnu::always_inline]] inline void store_elsewhere_in_heap(T* home, const T& value, int pe) {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(home) - isthmus_window.heap;
    const std::uint64_t to = static_cast<std::uint32_t>(pe);
    if constexpr (std::is_scalar_v<T> && sizeof(T) == 8)
        isthmus_window.store64(road_argument(), __builtin_bit_cast(std::uint64_t, value),
                               keys_argument(), to, offset);
    else if constexpr (std::is_scalar_v<T> && sizeof(T) == 4)
        isthmus_window.store32(road_argument(), __builtin_bit_cast(std::uint32_t, value),
                               keys_argument(), to, offset);
    else
        store_slowly<T>(home, value, pe);
}
[[gnu::cold, gnu::noinline]] inline void load_slowly(void* value, const void* home,
                                                     std::size_t bytes, int pe) {
    status(isthmus_symmetric_get(value, home, bytes, pe, nullptr)).or_fail();
}

// NOLINTBEGIN(bugprone-branch-clone): the type decides between the branches
enum class Memory : std::uint8_t { any, heap };  // that an object is known to lie in

template <Memory memory = Memory::any, typename T>
[[gnu::always_inline]] inline void store(T* home, const T& value, int pe) {
    static_assert(movable_as_bytes<T>);
    if (!reaches(pe)) [[unlikely]] {
        if constexpr (memory == Memory::heap)
            store_elsewhere_in_heap(home, value, pe);
        else
            store_elsewhere(home, value, pe);
    } else if constexpr (std::is_scalar_v<T>) {
        using Moved = aliasing<T>;
        *reinterpret_cast<volatile Moved*>(there(home, pe)) = static_cast<Moved>(value);
    } else if constexpr (sizeof(T) <= kInPlace) {
        __asm__ __volatile__("" ::: "memory");
        std::memcpy(static_cast<void*>(there(home, pe)), &value, sizeof(T));
        __asm__ __volatile__("" ::: "memory");
    } else {
        isthmus_window.copy(there(home, pe), &value, sizeof(T));
    }
}

// NOLINTEND(bugprone-branch-clone)

// Objects of the machine's types without a detour through memory; T need not be constructible.
template <typename T>
[[gnu::always_inline]] inline std::remove_const_t<T> load(T* home, int pe) {
    static_assert(movable_as_bytes<T>);
    using Value = std::remove_const_t<T>;
    if constexpr (std::is_scalar_v<Value>) {
        if (reaches(pe)) [[likely]]
            return static_cast<Value>(
                *reinterpret_cast<const volatile aliasing<Value>*>(there(home, pe)));
    }
    union Place {
        Place() {}
        unsigned char bytes[sizeof(Value)];
        Value value;
    } place;
    if (!reaches(pe)) [[unlikely]] {
        load_slowly(place.bytes, home, sizeof(T), pe);
    } else if constexpr (sizeof(T) <= kInPlace) {
        __asm__ __volatile__("" ::: "memory");
        std::memcpy(place.bytes, static_cast<const void*>(there(home, pe)), sizeof(T));
        __asm__ __volatile__("" ::: "memory");
    } else {
        isthmus_window.copy(place.bytes, there(home, pe), sizeof(T));
    }
    return place.value;
}

}  // namespace detail

template <pointable T>
class global_ptr;

namespace detail {

// Only global_ptr and shared_array make references. A reference that {a, b} or {a, b, c} could make
// would take part in `x[i] = {a, b}`, where the braces are for the object.
struct Placing {};

template <pointable T, Memory memory>
class reference {
  public:
    using value_type = std::remove_const_t<T>;
    template <std::same_as<Placing> Maker>
    [[gnu::always_inline]] reference(T* home, int pe, Maker) : home_(home), pe_(pe) {}
    reference(const reference&) = default;

    [[gnu::always_inline]] operator value_type() const { return detail::load(home_, pe_); }
    [[gnu::always_inline]] value_type get() const { return detail::load(home_, pe_); }
    [[gnu::always_inline]] const reference& operator=(const value_type& value) const
        requires(!std::is_const_v<T>) {
        detail::store<memory>(home_, value, pe_);
        return *this;
    }
    // One get and one put; onto itself too.
    // NOLINTBEGIN(bugprone-unhandled-self-assignment)
    [[gnu::always_inline]] const reference& operator=(const reference& other) const
        requires(!std::is_const_v<T>) {
        return *this = other.get();
    }
    reference& operator=(const reference& other) requires(!std::is_const_v<T>) {
        std::as_const(*this) = other.get();
        return *this;
    }
    // NOLINTEND(bugprone-unhandled-self-assignment)
    global_ptr<T> operator&() const { return {home_, pe_}; }
    // Exchanges the objects, by gets and puts, for std::sort and its like. `swap(x, y)`, and not
    // `std::swap(x, y)`, which takes plain references only.
    friend void swap(reference a, reference b) requires(!std::is_const_v<T>) {
        const value_type was = a.get();
        a = b.get();
        b = was;
    }
    friend void swap(value_type& a, reference b) requires(!std::is_const_v<T>) {
        const value_type was = b.get();
        b = a;
        a = was;
    }
    friend void swap(reference a, value_type& b) requires(!std::is_const_v<T>) { swap(b, a); }

  private:
    T* home_;
    int pe_;
};

// Of both kinds.
template <pointable T>
requires(!std::is_const_v<T>) void swap(reference<T, Memory::any> a, reference<T, Memory::heap> b) {
    swap(a, *&b);
}
template <pointable T>
requires(!std::is_const_v<T>) void swap(reference<T, Memory::heap> a, reference<T, Memory::any> b) {
    swap(*&a, b);
}

}  // namespace detail

// What *p and p[i] are: assigning is one put, reading is one get, which sees what this PE assigned
// or put by address before. `auto v = *p;` is such a
// reference still; write the type, or get(). There is no `+=`: it would be a get and a put with a
// gap between them; see global_atomic. An assignment is a store and wakes nobody: a waiter that
// sleeps on the object notices it within ISTHMUS_WAKE_MILLISECONDS. put() and async_put() of spans
// wake it at once, as do the operations that isthmus/event.h lists.
template <pointable T>
using global_ref = detail::reference<T, detail::Memory::any>;

// What x[i] of a shared_array is: the same of an object that lies in the symmetric heap, which
// makes the assignment to a PE of another host shorter. As a global_ref it is `*&x[i]`.
template <pointable T>
using element_ref = detail::reference<T, detail::Memory::heap>;

// {PE, address}. The address is the one that the object, or its counterpart, has at this PE;
// objects of the symmetric heap and of segments have the same at every PE, so a global_ptr to one
// may be sent to other PEs. One to a static variable may not: executables are loaded at different
// addresses.
template <pointable T>
class global_ptr {
  public:
    using element_type = T;
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    // References are objects; algorithms take it for random access all the same, as vector<bool>'s.
    using iterator_category = std::random_access_iterator_tag;
    using iterator_concept = std::random_access_iterator_tag;
    using reference = global_ref<T>;

    global_ptr() = default;
    global_ptr(std::nullptr_t) {}
    // The counterpart at PE `pe` of the symmetric object `home` of this PE.
    global_ptr(T* home, int pe) : home_(home), pe_(pe) {}
    // T to const T; nothing else by itself. global_cast for the rest.
    template <typename Other>
    requires(std::same_as<const Other, T> && !std::same_as<Other, T>)
        global_ptr(const global_ptr<Other>& other)
        : home_(other.home()), pe_(other.where()) {}

    // The PE whose memory it points into; -1 for null.
    int where() const { return pe_; }
    bool is_local() const { return pe_ == isthmus_pe(); }
    // A plain pointer if the object is this PE's own, else null.
    T* local() const { return home_ && is_local() ? home_ : nullptr; }
    // A plain pointer if this PE can load and store there (same host), else null.
    T* direct() const {
        return home_ ? static_cast<T*>(isthmus_symmetric_address(home_, pe_)) : nullptr;
    }
    // The address of the counterpart at this PE.
    T* home() const { return home_; }
    explicit operator bool() const { return home_ != nullptr; }

    [[gnu::always_inline]] reference operator*() const { return {home_, pe_, detail::Placing()}; }
    [[gnu::always_inline]] reference operator[](difference_type i) const {
        return {home_ + i, pe_, detail::Placing()};
    }
    // `p.member(&point::x)` is p->x.
    template <typename Member, typename Class>
    requires std::same_as<std::remove_const_t<T>, Class>
    auto member(Member Class::*which) const {
        auto* const place = &(home_->*which);
        return global_ptr<std::remove_pointer_t<decltype(place)>>(place, pe_);
    }

    global_ptr& operator+=(difference_type n) {
        home_ += n;
        return *this;
    }
    global_ptr& operator-=(difference_type n) { return *this += -n; }
    global_ptr& operator++() { return *this += 1; }
    global_ptr& operator--() { return *this -= 1; }
    global_ptr operator++(int) {
        const global_ptr before = *this;
        ++*this;
        return before;
    }
    global_ptr operator--(int) {
        const global_ptr before = *this;
        --*this;
        return before;
    }
    friend global_ptr operator+(global_ptr p, difference_type n) { return p += n; }
    friend global_ptr operator+(difference_type n, global_ptr p) { return p += n; }
    friend global_ptr operator-(global_ptr p, difference_type n) { return p -= n; }
    // Only between pointers into one PE's memory.
    friend difference_type operator-(const global_ptr& a, const global_ptr& b) {
        return a.home_ - b.home_;
    }
    // Ordered by PE, then by address; equal if both are.
    friend std::strong_ordering operator<=>(const global_ptr& a, const global_ptr& b) {
        if (const auto by_pe = a.pe_ <=> b.pe_; std::is_neq(by_pe)) return by_pe;
        return std::compare_three_way()(a.home_, b.home_);
    }
    friend bool operator==(const global_ptr& a, const global_ptr& b) = default;
    // For algorithms that move objects out of a range: values, not references into it.
    friend value_type iter_move(const global_ptr& p) { return (*p).get(); }
    friend void iter_swap(const global_ptr& a, const global_ptr& b) requires(!std::is_const_v<T>) {
        swap(*a, *b);
    }

  private:
    T* home_ = nullptr;
    int pe_ = -1;
};

// The same place as another type.
template <pointable To, typename From>
global_ptr<To> global_cast(const global_ptr<From>& p) {
    if (!p) return nullptr;
    return {reinterpret_cast<To*>(p.home()), p.where()};
}

// ---- blocks of objects

namespace detail {
// Not deduced: T comes from the pointer, and vectors, arrays and spans convert.
template <typename T>
using source_span = std::type_identity_t<std::span<const T>>;
template <typename T>
using target_span = std::type_identity_t<std::span<std::remove_const_t<T>>>;
}  // namespace detail

// To and from `local.size()` objects beginning at `remote`. BOUNDS, ARGUMENT.
template <movable_as_bytes T>
requires(!std::is_const_v<T>) status put(detail::source_span<T> local, global_ptr<T> remote) {
    return status(isthmus_symmetric_put(remote.home(), local.data(), local.size_bytes(),
                                        remote.where(), nullptr));
}
template <movable_as_bytes T>
status get(global_ptr<T> remote, detail::target_span<T> local) {
    return status(isthmus_symmetric_get(local.data(), remote.home(), local.size_bytes(),
                                        remote.where(), nullptr));
}
// The same, issued. The local objects must stay until the event is ready: a temporary that owns
// them is refused.
template <movable_as_bytes T, lasting_object_range R>
requires(!std::is_const_v<T> && std::constructible_from<detail::source_span<T>, R>) event
    async_put(R&& local, global_ptr<T> remote) {
    const detail::source_span<T> objects(local);
    return event::of([&](isthmus_event* e) {
        return isthmus_symmetric_put(remote.home(), objects.data(), objects.size_bytes(),
                                     remote.where(), e);
    });
}
template <movable_as_bytes T, lasting_object_range R>
requires std::constructible_from<detail::target_span<T>, R> event async_get(global_ptr<T> remote,
                                                                            R&& local) {
    const detail::target_span<T> objects(local);
    return event::of([&](isthmus_event* e) {
        return isthmus_symmetric_get(objects.data(), remote.home(), objects.size_bytes(),
                                     remote.where(), e);
    });
}

// ---- atomics

// Integers of 32 and 64 bits.
template <typename T>
concept atomic_word = std::integral<T> && !std::is_const_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

// Atomic operations on the word that `p` points to; also against those of the C interface and of
// OpenSHMEM. Sequentially consistent, as those of the C interface; OpenSHMEM's acquire and release,
// and have no order common to all PEs. None of them wakes: a waiter that sleeps on the word notices
// within ISTHMUS_WAKE_MILLISECONDS (on another host perhaps at once). The atomics of class segment
// wake it at once.
template <atomic_word T>
class global_atomic {
  public:
    explicit global_atomic(global_ptr<T> p) : p_(p) {}
    T load() const {
        return done(ISTHMUS_ATOMIC_FETCH, T{}, T{},
                    [](T* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); });
    }
    void store(T value) const {
        done(ISTHMUS_ATOMIC_SWAP, value, T{}, [value](T* word) {
            __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
            return value;
        });
    }
    T exchange(T value) const {
        return done(ISTHMUS_ATOMIC_SWAP, value, T{}, [value](T* word) {
            return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
        });
    }
    T fetch_add(T value) const {
        return done(ISTHMUS_ATOMIC_ADD, value, T{},
                    [value](T* word) { return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST); });
    }
    T fetch_and(T value) const {
        return done(ISTHMUS_ATOMIC_AND, value, T{},
                    [value](T* word) { return __atomic_fetch_and(word, value, __ATOMIC_SEQ_CST); });
    }
    T fetch_or(T value) const {
        return done(ISTHMUS_ATOMIC_OR, value, T{},
                    [value](T* word) { return __atomic_fetch_or(word, value, __ATOMIC_SEQ_CST); });
    }
    T fetch_xor(T value) const {
        return done(ISTHMUS_ATOMIC_XOR, value, T{},
                    [value](T* word) { return __atomic_fetch_xor(word, value, __ATOMIC_SEQ_CST); });
    }
    // Stores `value` if the word is `expected`; else `expected` becomes the word. True if stored.
    bool compare_exchange(T& expected, T value) const {
        if (detail::reaches(p_.where())) [[likely]]
            return __atomic_compare_exchange_n(detail::there(p_.home(), p_.where()), &expected,
                                               value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        const T wanted = expected;
        expected = done_slowly(ISTHMUS_ATOMIC_COMPARE_SWAP, value, wanted);
        return expected == wanted;
    }

  private:
    // By the window, if that reaches it.
    template <typename Near>
    [[gnu::always_inline]] T done(isthmus_atomic_kind kind, T operand, T compare,
                                  Near&& near) const {
        if (detail::reaches(p_.where())) [[likely]]
            return near(detail::there(p_.home(), p_.where()));
        return done_slowly(kind, operand, compare);
    }
    [[gnu::cold, gnu::noinline]] T done_slowly(isthmus_atomic_kind kind, T operand,
                                               T compare) const {
        std::int64_t before = 0;
        status(isthmus_symmetric_atomic(p_.home(), p_.where(), kind, sizeof(T),
                                        static_cast<std::int64_t>(operand),
                                        static_cast<std::int64_t>(compare), &before))
            .or_fail();
        return static_cast<T>(before);
    }
    global_ptr<T> p_;
};

}  // namespace isthmus::inline cpp

#endif
