// message_handler: a function object at every PE, called by messages with typed arguments.
//
//   isthmus::message_handler add(7, [&](const isthmus::incoming& from, int row, double value) {
//       sum[row] += value;
//       from.reply(done, row);
//   });
//   isthmus::barrier();               // registered everywhere
//   add.request(pe, 3, 0.5);
#ifndef ISTHMUS_CPP_MESSAGE_HPP
#define ISTHMUS_CPP_MESSAGE_HPP

#include <isthmus/message.h>
#include <isthmus/cpp/result.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace isthmus::inline cpp {

class incoming;

// Memory in pieces, for messages that move it (isthmus/message.h): `count` blocks of `block`
// objects, their beginnings `stride` objects apart;
template <typename T>
struct object_blocks {
    T* first;
    std::size_t stride;
    std::size_t block;
    std::size_t count;
};
// and one of a list of ranges, of all objects of a range: an element of what is given to
// request_vectored and get_vectored.
using message_range = isthmus_message_range;
template <object_range R>
message_range message_range_of(R&& objects) {
    using object = std::remove_cv_t<std::ranges::range_value_t<R>>;
    return {const_cast<object*>(std::ranges::data(objects)), detail::bytes_of(objects)};
}

namespace detail {

template <typename T>
isthmus_message_blocks blocks_of(const object_blocks<T>& blocks) {
    return {const_cast<std::remove_const_t<T>*>(blocks.first), blocks.stride * sizeof(T),
            blocks.block * sizeof(T), blocks.count};
}

// Arguments of a message as bytes: each at a multiple of its alignment, of 8 at most.
template <typename... Arguments>
struct packed {
    static constexpr std::size_t count = sizeof...(Arguments);
    static constexpr auto places = [] {
        std::array<std::size_t, count + 1> found{};
        const std::size_t sizes[] = {sizeof(Arguments)..., 0};
        const std::size_t alignments[] = {alignof(Arguments)..., 1};
        std::size_t end = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t alignment = alignments[i] < 8 ? alignments[i] : 8;
            found[i] = (end + alignment - 1) / alignment * alignment;
            end = found[i] + sizes[i];
        }
        found[count] = end;
        return found;
    }();
    static constexpr std::size_t bytes = places[count];
    static_assert(bytes <= ISTHMUS_MESSAGE_ARGUMENT_BYTES,
                  "the arguments of a message have 128 bytes together at most");
    alignas(8) std::byte block[bytes == 0 ? 1 : bytes];

    explicit packed(const Arguments&... arguments) {
        if constexpr (count == 0) block[0] = {};
        std::size_t i = 0;
        ((void)std::memcpy(block + places[i++], &arguments, sizeof arguments), ...);
    }
    template <std::size_t index>
    using argument = std::tuple_element_t<index, std::tuple<Arguments...>>;
    template <std::size_t index>
    static argument<index> get(const void* from) {
        union Place {
            Place() {}
            argument<index> value;
        } place;
        std::memcpy(static_cast<void*>(&place.value),
                    static_cast<const std::byte*>(from) + places[index], sizeof place.value);
        return place.value;
    }
    template <typename Function>
    static void call(Function& function, const incoming& from, const void* block) {
        [&]<std::size_t... index>(std::index_sequence<index...>) {
            function(from, get<index>(block)...);
        }
        (std::index_sequence_for<Arguments...>());
    }
};

// What a handler is called with, from the type of its call operator.
template <typename Call>
struct handler_arguments;
template <typename Class, typename... Arguments>
struct handler_arguments<void (Class::*)(const incoming&, Arguments...) const> {
    using packed = detail::packed<std::remove_cvref_t<Arguments>...>;
};
template <typename Class, typename... Arguments>
struct handler_arguments<void (Class::*)(const incoming&, Arguments...)> {
    using packed = detail::packed<std::remove_cvref_t<Arguments>...>;
};
template <typename Class, typename... Arguments>
struct handler_arguments<void (Class::*)(const incoming&, Arguments...) const noexcept> {
    using packed = detail::packed<std::remove_cvref_t<Arguments>...>;
};
template <typename Class, typename... Arguments>
struct handler_arguments<void (Class::*)(const incoming&, Arguments...) noexcept> {
    using packed = detail::packed<std::remove_cvref_t<Arguments>...>;
};

}  // namespace detail

template <movable_as_bytes... Arguments>
class tracked_id;
class message_completion;

// An id and the types that its handler takes: what others send to. A message_handler is one; where
// the handler itself is not in sight, `isthmus::message_id<int, double>(7)` is.
template <movable_as_bytes... Arguments>
class message_id {
  public:
    constexpr explicit message_id(int id) : id_(id) {}
    constexpr int id() const { return id_; }

    // As isthmus_message_request: waits for room, and runs handlers meanwhile.
    status request(int pe, const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request(pe, id_, packed.block, block::bytes, 0));
    }
    // Does not wait: AGAIN.
    status try_request(int pe, const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(
            isthmus_message_request(pe, id_, packed.block, block::bytes, ISTHMUS_MESSAGE_TRY));
    }
    // With a payload: all objects of a range, which the handler finds by incoming::payload<T>().
    template <object_range R>
    status request_with(int pe, const R& payload,
                        const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request_medium(pe, id_, packed.block, block::bytes,
                                                     std::ranges::data(payload),
                                                     detail::bytes_of(payload), 0));
    }
    // With a payload that is put to `dest` at the PE first: symmetric memory, by its address here.
    template <object_range R>
    status request_into(int pe, const R& payload,
                        std::remove_cv_t<std::ranges::range_value_t<R>>* dest,
                        const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request_long(pe, id_, packed.block, block::bytes,
                                                   std::ranges::data(payload),
                                                   detail::bytes_of(payload), dest, 0));
    }

    // With a payload in pieces on both sides, put to `dest` at the PE first: symmetric memory, by
    // its addresses here. incoming::payload is the first piece.
    template <typename Source, movable_as_bytes T>
    requires std::same_as<std::remove_const_t<Source>, T> status
    request_strided(int pe, const object_blocks<Source>& source, const object_blocks<T>& dest,
                    const std::type_identity_t<Arguments>&... arguments)
    const {
        const block packed(arguments...);
        const isthmus_message_blocks from = detail::blocks_of(source);
        const isthmus_message_blocks to = detail::blocks_of(dest);
        return status(
            isthmus_message_request_strided(pe, id_, packed.block, block::bytes, &from, &to, 0));
    }
    status request_vectored(int pe, std::span<const message_range> source,
                            std::span<const message_range> dest,
                            const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request_vectored(pe, id_, packed.block, block::bytes,
                                                       source.data(), source.size(), dest.data(),
                                                       dest.size(), 0));
    }
    // Gets: memory of `pe` is read, and when it is here, the handler of this id runs at THIS PE, as
    // that of a reply from `pe`: from PEs of this host before the call returns, else in a later
    // poll. `source` is symmetric memory, by its addresses here. With a buffer, which the handler
    // finds by incoming::payload<T>();
    template <object_range R>
    status get_with(int pe, const R& source,
                    const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_get_medium(pe, id_, packed.block, block::bytes,
                                                 std::ranges::data(source),
                                                 detail::bytes_of(source)));
    }
    // or into memory of this PE, in use until then.
    template <object_range R>
    status get_into(int pe, const R& source, std::remove_cv_t<std::ranges::range_value_t<R>>* dest,
                    const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_get_long(pe, id_, packed.block, block::bytes,
                                               std::ranges::data(source), detail::bytes_of(source),
                                               dest));
    }
    template <typename Source, movable_as_bytes T>
    requires std::same_as<std::remove_const_t<Source>, T> status
    get_strided(int pe, const object_blocks<Source>& source, const object_blocks<T>& dest,
                const std::type_identity_t<Arguments>&... arguments)
    const {
        const block packed(arguments...);
        const isthmus_message_blocks from = detail::blocks_of(source);
        const isthmus_message_blocks to = detail::blocks_of(dest);
        return status(isthmus_message_get_strided(pe, id_, packed.block, block::bytes, &from, &to));
    }
    status get_vectored(int pe, std::span<const message_range> source,
                        std::span<const message_range> dest,
                        const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_get_vectored(pe, id_, packed.block, block::bytes,
                                                   source.data(), source.size(), dest.data(),
                                                   dest.size()));
    }

    // The same calls, of whose completion this PE learns (isthmus_message_completion): by a word
    // of symmetric memory that goes up by one, by an event, by a handle.
    //   isthmus::message_completion done;
    //   add.by(done).request(pe, 3, 0.5).or_fail();
    //   done.finish().or_fail();
    tracked_id<Arguments...> by(std::int64_t& counter) const {
        return {id_, isthmus_message_completion{&counter, nullptr, nullptr}};
    }
    tracked_id<Arguments...> by(isthmus_event& event) const {
        return {id_, isthmus_message_completion{nullptr, &event, nullptr}};
    }
    tracked_id<Arguments...> by(message_completion& handle) const { return {id_, handle}; }

  private:
    friend class incoming;
    using block = detail::packed<Arguments...>;
    int id_;
};

// A request or get of whose completion this PE learns: a handle, of plain words.
class message_completion {
  public:
    // Whether the handler has returned; runs handlers of what has come, as poll().
    bool is_complete() const { return isthmus_message_test(&handle_) != 0; }
    // Polls until it has.
    status finish(double seconds = -1) const {
        return status(isthmus_message_finish(&handle_, seconds));
    }

  private:
    template <movable_as_bytes... Arguments>
    friend class tracked_id;
    isthmus_message_handle handle_{isthmus_event_words, 0};  // complete
};

// What message_id::by() makes: the same requests and gets, of whose completion the sender learns.
// What is told lives until the call has returned; a counter, as it says, until it has gone up.
template <movable_as_bytes... Arguments>
class tracked_id {
  public:
    tracked_id(int id, const isthmus_message_completion& completion)
        : id_(id), completion_(completion) {}
    status request(int pe, const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(
            isthmus_message_request_tracked(pe, id_, packed.block, block::bytes, 0, &completion_));
    }
    status try_request(int pe, const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request_tracked(pe, id_, packed.block, block::bytes,
                                                      ISTHMUS_MESSAGE_TRY, &completion_));
    }
    template <object_range R>
    status request_with(int pe, const R& payload,
                        const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request_medium_tracked(
            pe, id_, packed.block, block::bytes, std::ranges::data(payload),
            detail::bytes_of(payload), 0, &completion_));
    }
    template <object_range R>
    status request_into(int pe, const R& payload,
                        std::remove_cv_t<std::ranges::range_value_t<R>>* dest,
                        const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request_long_tracked(
            pe, id_, packed.block, block::bytes, std::ranges::data(payload),
            detail::bytes_of(payload), dest, 0, &completion_));
    }
    template <typename Source, movable_as_bytes T>
    requires std::same_as<std::remove_const_t<Source>, T> status
    request_strided(int pe, const object_blocks<Source>& source, const object_blocks<T>& dest,
                    const std::type_identity_t<Arguments>&... arguments)
    const {
        const block packed(arguments...);
        const isthmus_message_blocks from = detail::blocks_of(source);
        const isthmus_message_blocks to = detail::blocks_of(dest);
        return status(isthmus_message_request_strided_tracked(pe, id_, packed.block, block::bytes,
                                                              &from, &to, 0, &completion_));
    }
    status request_vectored(int pe, std::span<const message_range> source,
                            std::span<const message_range> dest,
                            const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_request_vectored_tracked(
            pe, id_, packed.block, block::bytes, source.data(), source.size(), dest.data(),
            dest.size(), 0, &completion_));
    }
    template <object_range R>
    status get_with(int pe, const R& source,
                    const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_get_medium_tracked(pe, id_, packed.block, block::bytes,
                                                         std::ranges::data(source),
                                                         detail::bytes_of(source), &completion_));
    }
    template <object_range R>
    status get_into(int pe, const R& source, std::remove_cv_t<std::ranges::range_value_t<R>>* dest,
                    const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_get_long_tracked(
            pe, id_, packed.block, block::bytes, std::ranges::data(source),
            detail::bytes_of(source), dest, &completion_));
    }
    template <typename Source, movable_as_bytes T>
    requires std::same_as<std::remove_const_t<Source>, T> status
    get_strided(int pe, const object_blocks<Source>& source, const object_blocks<T>& dest,
                const std::type_identity_t<Arguments>&... arguments)
    const {
        const block packed(arguments...);
        const isthmus_message_blocks from = detail::blocks_of(source);
        const isthmus_message_blocks to = detail::blocks_of(dest);
        return status(isthmus_message_get_strided_tracked(pe, id_, packed.block, block::bytes,
                                                          &from, &to, &completion_));
    }
    status get_vectored(int pe, std::span<const message_range> source,
                        std::span<const message_range> dest,
                        const std::type_identity_t<Arguments>&... arguments) const {
        const block packed(arguments...);
        return status(isthmus_message_get_vectored_tracked(pe, id_, packed.block, block::bytes,
                                                           source.data(), source.size(),
                                                           dest.data(), dest.size(), &completion_));
    }

  private:
    friend class message_id<Arguments...>;
    tracked_id(int id, message_completion& handle)
        : tracked_id(id, isthmus_message_completion{nullptr, nullptr, &handle.handle_}) {}
    using block = detail::packed<Arguments...>;
    int id_;
    isthmus_message_completion completion_;
};

// A message, while its handler runs.
class incoming {
  public:
    explicit incoming(isthmus_message* message) : message_(message) {}
    int source() const { return message_->source; }
    bool is_request() const { return (message_->kind & ISTHMUS_MESSAGE_REQUEST) != 0; }
    // The objects that request_with or request_into sent. Ends the job if the bytes are no number
    // of objects.
    template <movable_as_bytes T>
    requires(alignof(T) <= 16) std::span<T> payload()
    const {
        if (message_->size % sizeof(T) != 0)
            detail::give_up(
                "incoming::payload: a payload of %zu bytes does not consist of objects of %zu",
                message_->size, sizeof(T));
        return {static_cast<T*>(message_->payload), message_->size / sizeof(T)};
    }
    // Answers a request, once.
    template <typename... Arguments>
    status reply(const message_id<Arguments...>& to,
                 const std::type_identity_t<Arguments>&... arguments) const {
        const detail::packed<Arguments...> packed(arguments...);
        return status(isthmus_message_reply(message_, to.id(), packed.block, packed.bytes, 0));
    }
    template <object_range R, typename... Arguments>
    status reply_with(const message_id<Arguments...>& to, const R& payload,
                      const std::type_identity_t<Arguments>&... arguments) const {
        const detail::packed<Arguments...> packed(arguments...);
        return status(isthmus_message_reply_medium(message_, to.id(), packed.block, packed.bytes,
                                                   std::ranges::data(payload),
                                                   detail::bytes_of(payload), 0));
    }
    template <object_range R, typename... Arguments>
    status reply_into(const message_id<Arguments...>& to, const R& payload,
                      std::remove_cv_t<std::ranges::range_value_t<R>>* dest,
                      const std::type_identity_t<Arguments>&... arguments) const {
        const detail::packed<Arguments...> packed(arguments...);
        return status(isthmus_message_reply_long(message_, to.id(), packed.block, packed.bytes,
                                                 std::ranges::data(payload),
                                                 detail::bytes_of(payload), dest, 0));
    }
    template <typename Source, movable_as_bytes T, typename... Arguments>
    requires std::same_as<std::remove_const_t<Source>, T> status
    reply_strided(const message_id<Arguments...>& to, const object_blocks<Source>& source,
                  const object_blocks<T>& dest, const std::type_identity_t<Arguments>&... arguments)
    const {
        const detail::packed<Arguments...> packed(arguments...);
        const isthmus_message_blocks here = detail::blocks_of(source);
        const isthmus_message_blocks there = detail::blocks_of(dest);
        return status(isthmus_message_reply_strided(message_, to.id(), packed.block, packed.bytes,
                                                    &here, &there, 0));
    }
    template <typename... Arguments>
    status reply_vectored(const message_id<Arguments...>& to, std::span<const message_range> source,
                          std::span<const message_range> dest,
                          const std::type_identity_t<Arguments>&... arguments) const {
        const detail::packed<Arguments...> packed(arguments...);
        return status(isthmus_message_reply_vectored(message_, to.id(), packed.block, packed.bytes,
                                                     source.data(), source.size(), dest.data(),
                                                     dest.size(), 0));
    }
    isthmus_message* native() const { return message_; }

  private:
    isthmus_message* message_;
};

namespace detail {
template <typename Packed>
struct id_of;
template <typename... Arguments>
struct id_of<packed<Arguments...>> {
    using type = message_id<Arguments...>;
};
template <typename Handler>
using packed_of = typename handler_arguments<decltype(&Handler::operator())>::packed;
}  // namespace detail

// Registers `handler` under `id` at this PE, while the object lives: each PE makes its own, and a
// barrier stands between that and the first message, and between the last one and the end. Handlers
// run inside calls that poll (isthmus::poll and wait_polling, requests), never on a thread of the
// library's; what they may do is said with isthmus_message_handler. A handler must not throw. The
// object stays where it is.
template <typename Handler>
class message_handler : public detail::id_of<detail::packed_of<Handler>>::type {
    using packed = detail::packed_of<Handler>;
    using base = typename detail::id_of<packed>::type;

  public:
    // Ends the job if the id is taken. `takes` as of isthmus_message_register.
    message_handler(int id, Handler handler, unsigned takes = 0)
        : base(id), handler_(std::move(handler)) {
        status(isthmus_message_register(id, &handle, this, takes, packed::bytes)).or_fail();
    }
    message_handler(const message_handler&) = delete;
    message_handler& operator=(const message_handler&) = delete;
    ~message_handler() { (void)isthmus_message_unregister(this->id()); }

  private:
    // The border to C: nothing is thrown across it.
    static void handle(void* self, isthmus_message* message) noexcept {
        packed::call(static_cast<message_handler*>(self)->handler_, incoming(message),
                     message->arguments);
    }
    Handler handler_;
};

// Runs handlers of what has come, without waiting; how many.
inline int poll() {
    return isthmus_message_poll();
}
// Polls until the event is true.
inline status wait_polling(const isthmus_event& event, double seconds = -1) {
    return status(isthmus_message_wait(&event, seconds));
}

// A handler-safe lock, for std::lock_guard.
class message_lock {
  public:
    message_lock() = default;
    message_lock(const message_lock&) = delete;
    message_lock& operator=(const message_lock&) = delete;
    void lock() { isthmus_message_lock_take(&lock_); }
    bool try_lock() { return isthmus_message_lock_try(&lock_) == ISTHMUS_OK; }
    void unlock() { isthmus_message_lock_release(&lock_); }

  private:
    isthmus_message_lock lock_ = ISTHMUS_MESSAGE_LOCK_FREE;
};

}  // namespace isthmus::inline cpp

#endif
