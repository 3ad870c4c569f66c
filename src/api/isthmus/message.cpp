// Active messages (isthmus/message.h).
#include "api/isthmus/message_checks.hpp"
#include "base/os.hpp"
#include "core/reach/far.hpp"
#include "core/wait/event.hpp"
#include "core/wait/status.hpp"
#include "message/handler_lock.hpp"
#include "message/lanes.hpp"
#include "message/send.hpp"

using namespace isthmus;
using namespace isthmus::native;
using namespace isthmus::messages;
using namespace isthmus::native::message_checks;

namespace {

// Whether the numbers are such that only what is longer is to be looked at.
[[gnu::always_inline]] inline bool is_plain(int handler, std::size_t argument_bytes,
                                            std::uint8_t kind, std::size_t size, unsigned flags) {
    return static_cast<std::uint32_t>(handler) < kNativeHandlers &&
           argument_bytes <= kArgumentBytes && flags <= ISTHMUS_MESSAGE_TRY && size <= limit(kind);
}

// The same of a request, whose arguments and payload whoever sends it looks at; two branches, as
// in fits_line().
[[gnu::always_inline]] inline bool is_plain_request(int pe, int handler, unsigned flags) {
    if (static_cast<std::uint32_t>(pe) >= post.plain_pes ||
        static_cast<std::uint32_t>(handler) >= kNativeHandlers)
        return false;
    __asm__ __volatile__("");
    return flags <= ISTHMUS_MESSAGE_TRY;
}

[[gnu::always_inline]] inline bool is_plain_reply(const Message& message, int handler,
                                                  unsigned flags) {
    return post.plain_pes != 0 && may_be_answered(message) &&
           static_cast<std::uint32_t>(handler) < kNativeHandlers && flags <= ISTHMUS_MESSAGE_TRY;
}

constexpr std::uint8_t kind_of(unsigned size, unsigned direction) {
    return static_cast<std::uint8_t>(size | direction);
}

[[gnu::always_inline]] inline Parcel parcel_of(int handler, std::uint8_t kind,
                                               const void* arguments, std::size_t argument_bytes,
                                               const void* payload, std::size_t size, void* dest) {
    return {static_cast<std::uint16_t>(handler),
            kind,
            static_cast<std::uint16_t>(argument_bytes),
            arguments,
            payload,
            size,
            dest};
}

template <unsigned size_kind>
[[gnu::always_inline]] inline int send_request(int pe, int handler, const void* arguments,
                                               std::size_t argument_bytes, const void* payload,
                                               std::size_t size, void* dest, unsigned flags,
                                               const char* routine) {
    constexpr std::uint8_t kKind = kind_of(size_kind, kRequest);
    if (static_cast<std::uint32_t>(pe) >= post.plain_pes ||
        !is_plain(handler, argument_bytes, kKind, size, flags)) [[unlikely]] {
        if (const int status =
                check_request(pe, handler, argument_bytes, kKind, size, flags, routine))
            return status;
    }
    Parcel parcel = parcel_of(handler, kKind, arguments, argument_bytes, payload, size, dest);
    if constexpr (size_kind == kLong) {
        if (const int status = find_place(parcel, routine)) return status;
    }
    const Sent sent = request(pe, parcel, flags == 0 ? Wait::yes : Wait::no);
    if (sent != Sent::done) [[unlikely]]
        return sent == Sent::no_room ? no_room(routine) : refuse_in_handler(routine);
    return ISTHMUS_OK;
}

template <unsigned size_kind>
[[gnu::always_inline]] inline int send_reply(Message* message, int handler, const void* arguments,
                                             std::size_t argument_bytes, const void* payload,
                                             std::size_t size, void* dest, unsigned flags,
                                             const char* routine) {
    constexpr std::uint8_t kKind = kind_of(size_kind, kReply);
    if ((message->kind & kReply) != 0 || message->replied || job.checked ||
        !is_plain(handler, argument_bytes, kKind, size, flags)) [[unlikely]] {
        if (const int status =
                check_reply(*message, handler, argument_bytes, kKind, size, flags, routine))
            return status;
    }
    Parcel parcel = parcel_of(handler, kKind, arguments, argument_bytes, payload, size, dest);
    if constexpr (size_kind == kLong) {
        if (const int status = find_place(parcel, routine)) return status;
    }
    if (reply(*message, parcel, flags == 0 ? Wait::yes : Wait::no) != Sent::done) [[unlikely]]
        return no_room(routine);
    return ISTHMUS_OK;
}

[[gnu::noinline]] int poll_otherwise() {
    if (post.looks_further) {
        require_session("isthmus_message_poll");
        if (job.checked && check_restrictions("isthmus_message_poll") != ISTHMUS_OK) return -1;
    }
    return poll_both();
}

[[gnu::noinline]] int request_otherwise(int pe, int handler, const void* arguments,
                                        std::size_t argument_bytes, unsigned flags) {
    return send_request<kShort>(pe, handler, arguments, argument_bytes, nullptr, 0, nullptr, flags,
                                "isthmus_message_request");
}

// A line by this thread's lane, if it has one to that PE, as fast as by the ring.
[[gnu::noinline]] int request_by_lane(Target& to, int handler, const void* arguments,
                                      std::size_t argument_bytes, unsigned flags) {
    Lane* const lane = own_lane(to.pe);
    if (!lane || !lane->append_line(static_cast<unsigned>(handler), arguments, argument_bytes))
        [[unlikely]]
        return request_otherwise(to.pe, handler, arguments, argument_bytes, flags);
    return lane->finish_line(to);
}

template <unsigned size_kind>
[[gnu::noinline]] int request_payload_otherwise(int pe, int handler, const void* arguments,
                                                std::size_t argument_bytes, const void* payload,
                                                std::size_t size, void* dest, unsigned flags) {
    return send_request<size_kind>(
        pe, handler, arguments, argument_bytes, payload, size, dest, flags,
        size_kind == kMedium ? "isthmus_message_request_medium" : "isthmus_message_request_long");
}

template <unsigned size_kind>
[[gnu::noinline]] int reply_payload_otherwise(Message* message, int handler, const void* arguments,
                                              std::size_t argument_bytes, const void* payload,
                                              std::size_t size, void* dest, unsigned flags) {
    return send_reply<size_kind>(
        message, handler, arguments, argument_bytes, payload, size, dest, flags,
        size_kind == kMedium ? "isthmus_message_reply_medium" : "isthmus_message_reply_long");
}

[[gnu::noinline]] int reply_otherwise(Message* message, int handler, const void* arguments,
                                      std::size_t argument_bytes, unsigned flags) {
    return send_reply<kShort>(message, handler, arguments, argument_bytes, nullptr, 0, nullptr,
                              flags, "isthmus_message_reply");
}

}  // namespace

ISTHMUS_API int isthmus_message_register(int id, isthmus_message_handler handler, void* context,
                                         unsigned takes, size_t argument_bytes) {
    const char* routine = begin(Routine::native_message_register);
    if (id < 0 || static_cast<std::uint32_t>(id) >= kNativeHandlers) return refuse_id(id, routine);
    if (!handler) return refuse(ISTHMUS_ARGUMENT, routine, "handler is null");
    if (argument_bytes > kArgumentBytes && argument_bytes != ISTHMUS_MESSAGE_ANY_ARGUMENTS)
        return refuse_argument_bytes(argument_bytes, routine);
    constexpr unsigned kAll = kShort | kMedium | kLong | kRequest | kReply;
    if ((takes & ~kAll) != 0)
        return refuse(ISTHMUS_ARGUMENT, routine, "takes ", takes, " has bits that mean nothing");
    if (!enter_handler(static_cast<std::uint32_t>(id), handler, context, takes,
                       static_cast<std::uint32_t>(argument_bytes)))
        return refuse(ISTHMUS_EXISTS, routine, "handler ", id, " is registered already");
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_message_unregister(int id) {
    const char* routine = "isthmus_message_unregister";
    if (post.pes == 0 && !forked_child)
        return refuse(ISTHMUS_STALE, routine, "the registration ended with its session");
    begin(Routine::native_message_register, routine);
    if (id < 0 || static_cast<std::uint32_t>(id) >= kNativeHandlers) return refuse_id(id, routine);
    if (!remove_handler(static_cast<std::uint32_t>(id)))
        return refuse(ISTHMUS_ARGUMENT, routine, "handler ", id, " is not registered");
    return ISTHMUS_OK;
}

// Budget with its poll: 90, and 4 for each argument of 32 bits; to this PE itself 60.
ISTHMUS_API int isthmus_message_request(int pe, int handler, const void* arguments,
                                        size_t argument_bytes, unsigned flags) {
    if (static_cast<std::uint32_t>(pe) >= post.plain_pes ||
        static_cast<std::uint32_t>(handler) >= kNativeHandlers || !fits_line(argument_bytes) ||
        flags > ISTHMUS_MESSAGE_TRY) [[unlikely]]
        return request_otherwise(pe, handler, arguments, argument_bytes, flags);
    Target& to = post.targets[static_cast<std::uint32_t>(pe)];
    if (to.where == Where::self) [[unlikely]]
        return run_line(pe, handler, arguments, argument_bytes);
    if (to.where != Where::near) [[unlikely]]
        return request_otherwise(pe, handler, arguments, argument_bytes, flags);
    if (!append_line(to.requests, kShort | kRequest, handler, arguments, argument_bytes))
        [[unlikely]]
        return request_by_lane(to, handler, arguments, argument_bytes, flags);
    return wake_for_line(to);
}

ISTHMUS_API int isthmus_message_request_medium(int pe, int handler, const void* arguments,
                                               size_t argument_bytes, const void* payload,
                                               size_t size, unsigned flags) {
    if (!is_plain_request(pe, handler, flags)) [[unlikely]]
        return request_payload_otherwise<kMedium>(pe, handler, arguments, argument_bytes, payload,
                                                  size, nullptr, flags);
    Target& to = post.targets[static_cast<std::uint32_t>(pe)];
    if (!append_medium(to, to.requests, kRequest, handler, arguments, argument_bytes, payload,
                       size)) [[unlikely]]
        return request_payload_otherwise<kMedium>(pe, handler, arguments, argument_bytes, payload,
                                                  size, nullptr, flags);
    return wake_for_line(to);
}

ISTHMUS_API int isthmus_message_request_long(int pe, int handler, const void* arguments,
                                             size_t argument_bytes, const void* payload,
                                             size_t size, void* dest, unsigned flags) {
    if (!is_plain_request(pe, handler, flags)) [[unlikely]]
        return request_payload_otherwise<kLong>(pe, handler, arguments, argument_bytes, payload,
                                                size, dest, flags);
    Target& to = post.targets[static_cast<std::uint32_t>(pe)];
    if (!append_long(to, to.requests, kRequest, handler, arguments, argument_bytes, payload, size,
                     dest, pe)) [[unlikely]]
        return request_payload_otherwise<kLong>(pe, handler, arguments, argument_bytes, payload,
                                                size, dest, flags);
    return wake_for_line(to);
}

ISTHMUS_API int isthmus_message_reply(isthmus_message* message, int handler, const void* arguments,
                                      size_t argument_bytes, unsigned flags) {
    Target& to = post.targets[message->source];
    if (post.plain_pes == 0 || !may_be_answered(*message) ||
        static_cast<std::uint32_t>(handler) >= kNativeHandlers || !fits_line(argument_bytes) ||
        flags > ISTHMUS_MESSAGE_TRY ||
        !reply_line(to, *message, handler, arguments, argument_bytes)) [[unlikely]]
        return reply_otherwise(message, handler, arguments, argument_bytes, flags);
    return wake_for_line(to);
}

ISTHMUS_API int isthmus_message_reply_medium(isthmus_message* message, int handler,
                                             const void* arguments, size_t argument_bytes,
                                             const void* payload, size_t size, unsigned flags) {
    Target& to = post.targets[message->source];
    if (!is_plain_reply(*message, handler, flags) ||
        !append_medium(to, to.replies, kReply, handler, arguments, argument_bytes, payload, size))
        [[unlikely]]
        return reply_payload_otherwise<kMedium>(message, handler, arguments, argument_bytes,
                                                payload, size, nullptr, flags);
    message->replied = 1;
    return wake_for_line(to);
}

ISTHMUS_API int isthmus_message_reply_long(isthmus_message* message, int handler,
                                           const void* arguments, size_t argument_bytes,
                                           const void* payload, size_t size, void* dest,
                                           unsigned flags) {
    Target& to = post.targets[message->source];
    if (!is_plain_reply(*message, handler, flags) ||
        !append_long(to, to.replies, kReply, handler, arguments, argument_bytes, payload, size,
                     dest, message->source)) [[unlikely]]
        return reply_payload_otherwise<kLong>(message, handler, arguments, argument_bytes, payload,
                                              size, dest, flags);
    message->replied = 1;
    return wake_for_line(to);
}

// Budget with nothing there: 16; with one short request and a handler that does nothing 70, and
// with its reply 140.
ISTHMUS_API int isthmus_message_poll(void) {
    if (!is_zero(post.beyond)) [[unlikely]]
        return poll_otherwise();
    if (post.replies.reader.has_come()) return poll_rings();
    return post.requests.reader.has_come() ? poll_requests() : 0;
}

ISTHMUS_API int isthmus_message_wait(const isthmus_event* event, double timeout) {
    const char* routine = begin(Routine::native_message_wait);
    if (const int status = check_restrictions(routine)) return status;
    const WaitTarget target = target_of(*event, Routine::native_message_wait);
    const bool done = wait_wakeable(target, deadline_after(timeout), [&] {
        const int handled = has_come() ? poll_both() : 0;
        return look_of(is_true(*event), handled);
    });
    if (done) return ISTHMUS_OK;
    return refuse(ISTHMUS_TIMEOUT, routine, "not true within ", seconds_text(timeout));
}

ISTHMUS_API size_t isthmus_message_limit(int pe, unsigned kind) {
    require_session("isthmus_message_limit");
    if (pe < 0 || pe >= job.pes) return 0;
    return kind == kMedium ? kLargestMedium : kind == kLong ? kLargestLong : 0;
}

ISTHMUS_API void isthmus_message_lock_take(isthmus_message_lock* lock) {
    take_lock(lock->taken, "isthmus_message_lock_take");
}
ISTHMUS_API int isthmus_message_lock_try(isthmus_message_lock* lock) {
    return try_lock(lock->taken) ? ISTHMUS_OK : ISTHMUS_AGAIN;
}
ISTHMUS_API void isthmus_message_lock_release(isthmus_message_lock* lock) {
    give_back_lock(lock->taken, "isthmus_message_lock_release");
}
