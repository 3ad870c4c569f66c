// Sending active messages, for all faces of GASNet. What differs is in `Face`: the names, and what
// is to be looked at before the first call.
#pragma once

#include "api/gasnet/face.hpp"
#include "core/reach/far.hpp"
#include "message/lanes.hpp"
#include "message/send.hpp"

namespace isthmus::gasnet::sending {

using namespace isthmus::messages;

inline constexpr std::size_t kMaxArguments = 16;

// Where the caller has sent to in a message's words: "node", "rank".
struct Gasnet1 {
    static constexpr const char* kPeer = "node";
    static constexpr const char* kMaxArgs = " (gasnet_AMMaxArgs)";
    static constexpr const char* kMaxMedium = " (gasnet_AMMaxMedium)";
    static constexpr const char* kMaxLong = " (gasnet_AMMaxLongRequest)";
    static constexpr const char* name(unsigned size_kind, unsigned direction) {
        if (direction == kRequest)
            return size_kind == kShort    ? "gasnet_AMRequestShort"
                   : size_kind == kMedium ? "gasnet_AMRequestMedium"
                                          : "gasnet_AMRequestLong";
        return size_kind == kShort    ? "gasnet_AMReplyShort"
               : size_kind == kMedium ? "gasnet_AMReplyMedium"
                                      : "gasnet_AMReplyLong";
    }
};
struct Ex {
    static constexpr const char* kPeer = "rank";
    static constexpr const char* kMaxArgs = " (gex_AM_MaxArgs)";
    static constexpr const char* kMaxMedium = " (gex_AM_MaxRequestMedium)";
    static constexpr const char* kMaxLong = " (gex_AM_MaxRequestLong)";
    static constexpr const char* name(unsigned size_kind, unsigned direction) {
        if (direction == kRequest)
            return size_kind == kShort    ? "gex_AM_RequestShort"
                   : size_kind == kMedium ? "gex_AM_RequestMedium"
                                          : "gex_AM_RequestLong";
        return size_kind == kShort    ? "gex_AM_ReplyShort"
               : size_kind == kMedium ? "gex_AM_ReplyMedium"
                                      : "gex_AM_ReplyLong";
    }
};

int refuse_in_handler(const char* routine);
// GASNET_OK if this thread may send requests and poll.
int check_restrictions(const char* routine);

constexpr std::size_t most(unsigned size_kind) {
    return size_kind == kMedium ? kLargestMedium : size_kind == kLong ? kLargestLong : 0;
}

// What is wrong with a message to this PE; its place is found for a long one.
template <typename Face, unsigned size_kind>
int check_parcel(Parcel& parcel, int pe, const char* routine) {
    if (parcel.argument_bytes > kMaxArguments * sizeof(gasnet_handlerarg_t))
        return refuse_argument(routine, parcel.argument_bytes / sizeof(gasnet_handlerarg_t),
                               " arguments; at most ", kMaxArguments, Face::kMaxArgs);
    if (parcel.size > most(size_kind))
        return refuse_argument(routine, "a payload of ", parcel.size, " bytes; at most ",
                               most(size_kind),
                               size_kind == kMedium ? Face::kMaxMedium : Face::kMaxLong);
    if (job.checked && parcel.size != 0 && !parcel.payload)
        return refuse_argument(routine, "the payload of ", parcel.size, " bytes is null");
    if (size_kind != kLong || parcel.size == 0) return GASNET_OK;
    if (!far::is_published(parcel.dest, parcel.size) ||
        (job.checked && !is_in_segment(parcel.dest, parcel.size, pe)))
        return refuse_argument(routine, why_not_in_segment(parcel.dest, parcel.size, pe));
    parcel.place = far::place_of(parcel.dest, parcel.size, routine);
    return GASNET_OK;
}

inline Parcel parcel_of(unsigned kind, gasnet_handler_t handler,
                        const gasnet_handlerarg_t* arguments, std::size_t bytes,
                        const void* payload, std::size_t size, void* dest) {
    return {static_cast<std::uint16_t>(kFirstHandler + handler),
            static_cast<std::uint8_t>(kind),
            static_cast<std::uint16_t>(bytes),
            arguments,
            payload,
            size,
            dest};
}

// Of a request that is not sent for want of room, where the caller does not wait: no code of
// GASNet's.
inline constexpr int kNoRoom = 1;

template <typename Face, unsigned size_kind>
int send_request(gasnet_node_t node, gasnet_handler_t handler, const gasnet_handlerarg_t* arguments,
                 std::size_t bytes, const void* payload = nullptr, std::size_t size = 0,
                 void* dest = nullptr, Wait wait = Wait::yes) {
    constexpr const char* kName = Face::name(size_kind, kRequest);
    if (node >= post.plain_pes) [[unlikely]] {
        if (const int error = check_initialised(kName)) return error;
        if (node >= post.pes)
            return refuse_argument(kName, Face::kPeer, " ", node, " is out of range 0..",
                                   job.pes - 1);
        if (job.checked) {
            if (const int error = check_restrictions(kName)) return error;
        }
    }
    Parcel parcel = parcel_of(size_kind | kRequest, handler, arguments, bytes, payload, size, dest);
    if (const int error = check_parcel<Face, size_kind>(parcel, static_cast<int>(node), kName))
        return error;
    const Sent sent = request(static_cast<int>(node), parcel, wait);
    if (sent == Sent::no_room) return kNoRoom;
    if (sent != Sent::done) [[unlikely]]
        return refuse_in_handler(kName);
    if (post.targets[node].where == Where::self) note_handled(1);
    return poll();
}

template <typename Face, unsigned size_kind>
int send_reply(gasnet_token_t token, gasnet_handler_t handler, const gasnet_handlerarg_t* arguments,
               std::size_t bytes, const void* payload = nullptr, std::size_t size = 0,
               void* dest = nullptr) {
    constexpr const char* kName = Face::name(size_kind, kReply);
    Message& message = *static_cast<Message*>(token);
    if (const int error = check_initialised(kName)) return error;
    if (job.checked && !is_in_handler())
        return refuse_argument(
            kName, "called outside of a handler: a token ends when its handler returns");
    if (job.checked && !token) return refuse_argument(kName, "the token is null");
    if (job.checked && holds_lock())
        return refuse_argument(kName, "called while this thread holds a gasnet_hsl_t");
    if ((message.kind & kReply) != 0)
        return refuse_argument(kName, "the message is a reply, which is not answered");
    if (message.replied)
        return refuse_argument(kName, "the request from ", Face::kPeer, " ", message.source,
                               " for handler ", message.handler - kFirstHandler,
                               " has been answered");
    Parcel parcel = parcel_of(size_kind | kReply, handler, arguments, bytes, payload, size, dest);
    if (const int error = check_parcel<Face, size_kind>(parcel, message.source, kName))
        return error;
    reply(message, parcel, Wait::yes);
    return GASNET_OK;
}

// To this PE itself, of another host, without room now, in checked mode, or wrong.
template <typename Face>
[[gnu::noinline]] int request_short_otherwise(gasnet_node_t node, gasnet_handler_t handler,
                                              const gasnet_handlerarg_t* arguments,
                                              std::size_t bytes) {
    return send_request<Face, kShort>(node, handler, arguments, bytes);
}
// By this thread's lane, if it has one to that node.
template <typename Face>
[[gnu::noinline]] int request_short_by_lane(Target& to, unsigned handler,
                                            const gasnet_handlerarg_t* arguments,
                                            std::size_t bytes) {
    Lane* const lane = own_lane(to.pe);
    if (!lane || !lane->append_line(kFirstHandler + handler, arguments, bytes)) [[unlikely]]
        return request_short_otherwise<Face>(static_cast<gasnet_node_t>(to.pe),
                                             static_cast<gasnet_handler_t>(handler), arguments,
                                             bytes);
    lane->finish_line(to);
    return poll();
}
template <typename Face>
[[gnu::noinline]] int reply_short_otherwise(gasnet_token_t token, gasnet_handler_t handler,
                                            const gasnet_handlerarg_t* arguments,
                                            std::size_t bytes) {
    return send_reply<Face, kShort>(token, handler, arguments, bytes);
}
// Called as it is, so that the registers are in place.
int request_short_here(Target&, std::uint64_t handler, const gasnet_handlerarg_t* arguments,
                       std::size_t bytes);

// To another host, as it is called, so that the registers are in place. Budget up to the road's
// call: 60, its seal not counted.
template <typename Face>
// NOLINTNEXTLINE(clang-diagnostic-unknown-attributes)
[[gnu::noinline, gnu::noclone]] int request_short_far(Target& to, unsigned handler,
                                                      const gasnet_handlerarg_t* arguments,
                                                      std::size_t bytes) {
    if (!post_line(to, kShort | kRequest, kFirstHandler + handler, arguments, bytes)) [[unlikely]]
        return request_short_otherwise<Face>(static_cast<gasnet_node_t>(to.pe),
                                             static_cast<gasnet_handler_t>(handler), arguments,
                                             bytes);
    return poll();
}

// Budget with its poll: 90, and 4 for each argument.
template <typename Face>
[[gnu::always_inline]] inline int request_short(gasnet_node_t dest, unsigned handler,
                                                const gasnet_handlerarg_t* arguments,
                                                std::size_t bytes) {
    const auto otherwise = [&]() __attribute__((always_inline)) {
        return request_short_otherwise<Face>(dest, static_cast<gasnet_handler_t>(handler),
                                             arguments, bytes);
    };
    if (dest >= post.plain_pes) [[unlikely]]
        return otherwise();
    Target& to = post.targets[dest];
    static_assert(Where::near < Where::self && Where::self < Where::far);
    if (to.where > Where::self) [[unlikely]]
        return request_short_far<Face>(to, handler, arguments, bytes);
    if (to.where == Where::self) [[unlikely]]
        return fits_line(bytes) ? request_short_here(to, handler, arguments, bytes) : otherwise();
    if (!fits_line(bytes)) [[unlikely]]
        return otherwise();
    if (!append_line(to.requests, kShort | kRequest, static_cast<int>(kFirstHandler + handler),
                     arguments, bytes)) [[unlikely]]
        return request_short_by_lane<Face>(to, handler, arguments, bytes);
    wake_for_line(to);
    return poll();
}

// The same with payload; what the short ways do not take goes by request() and reply(). Budget with
// its poll, beyond the copy: 140, and 130 of a long one.
template <typename Face, unsigned size_kind>
[[gnu::noinline]] int request_payload_otherwise(gasnet_node_t node, gasnet_handler_t handler,
                                                const void* payload, std::size_t size, void* dest,
                                                const gasnet_handlerarg_t* arguments,
                                                std::size_t bytes) {
    return send_request<Face, size_kind>(node, handler, arguments, bytes, payload, size, dest);
}
template <typename Face, unsigned size_kind>
[[gnu::noinline]] int reply_payload_otherwise(gasnet_token_t token, gasnet_handler_t handler,
                                              const void* payload, std::size_t size, void* dest,
                                              const gasnet_handlerarg_t* arguments,
                                              std::size_t bytes) {
    return send_reply<Face, size_kind>(token, handler, arguments, bytes, payload, size, dest);
}
// Likewise; budget 110.
template <typename Face>
// NOLINTNEXTLINE(clang-diagnostic-unknown-attributes)
[[gnu::noinline, gnu::noclone]] int request_medium_far(Target& to, unsigned handler,
                                                       const void* payload, std::size_t size,
                                                       const gasnet_handlerarg_t* arguments,
                                                       std::size_t bytes) {
    if (!post_medium(to, kRequest, kFirstHandler + handler, arguments, bytes, payload, size))
        [[unlikely]]
        return request_payload_otherwise<Face, kMedium>(static_cast<gasnet_node_t>(to.pe),
                                                        static_cast<gasnet_handler_t>(handler),
                                                        payload, size, nullptr, arguments, bytes);
    return poll();
}
template <unsigned size_kind>
[[gnu::always_inline]] inline bool append_payload(Target& to, RingProducer& ring,
                                                  unsigned direction, int pe,
                                                  gasnet_handler_t handler, const void* payload,
                                                  std::size_t size, void* dest,
                                                  const gasnet_handlerarg_t* arguments,
                                                  std::size_t bytes) {
    const int id = static_cast<int>(kFirstHandler + handler);
    if constexpr (size_kind == kMedium)
        return append_medium(to, ring, direction, id, arguments, bytes, payload, size);
    else
        return append_long(to, ring, direction, id, arguments, bytes, payload, size, dest, pe);
}
template <typename Face>
[[gnu::noinline]] int request_medium_near(Target& to, gasnet_handler_t handler, const void* payload,
                                          std::size_t size, const gasnet_handlerarg_t* arguments,
                                          std::size_t bytes) {
    if (!append_payload<kMedium>(to, to.requests, kRequest, to.pe, handler, payload, size, nullptr,
                                 arguments, bytes)) [[unlikely]]
        return request_payload_otherwise<Face, kMedium>(static_cast<gasnet_node_t>(to.pe), handler,
                                                        payload, size, nullptr, arguments, bytes);
    wake_for_line(to);
    return poll();
}
template <typename Face, unsigned size_kind>
[[gnu::always_inline]] inline int request_payload(gasnet_node_t dest, gasnet_handler_t handler,
                                                  const void* payload, std::size_t size,
                                                  void* address,
                                                  const gasnet_handlerarg_t* arguments,
                                                  std::size_t bytes) {
    if (dest >= post.plain_pes) [[unlikely]]
        return request_payload_otherwise<Face, size_kind>(dest, handler, payload, size, address,
                                                          arguments, bytes);
    Target& to = post.targets[dest];
    // Each in a function of its own, that saves the registers it needs.
    if constexpr (size_kind == kMedium) {
        if (to.where == Where::far) [[unlikely]]
            return request_medium_far<Face>(to, handler, payload, size, arguments, bytes);
        return request_medium_near<Face>(to, handler, payload, size, arguments, bytes);
    }
    if (!append_payload<size_kind>(to, to.requests, kRequest, static_cast<int>(dest), handler,
                                   payload, size, address, arguments, bytes)) [[unlikely]]
        return request_payload_otherwise<Face, size_kind>(dest, handler, payload, size, address,
                                                          arguments, bytes);
    wake_for_line(to);
    return poll();
}
template <typename Face, unsigned size_kind>
[[gnu::always_inline]] inline int reply_payload(gasnet_token_t token, gasnet_handler_t handler,
                                                const void* payload, std::size_t size, void* dest,
                                                const gasnet_handlerarg_t* arguments,
                                                std::size_t bytes) {
    // First: in checked mode the token may be none.
    if (post.plain_pes == 0) [[unlikely]]
        return reply_payload_otherwise<Face, size_kind>(token, handler, payload, size, dest,
                                                        arguments, bytes);
    Message& message = *static_cast<Message*>(token);
    Target& to = post.targets[message.source];
    if (!may_be_answered(message) ||
        !append_payload<size_kind>(to, to.replies, kReply, message.source, handler, payload, size,
                                   dest, arguments, bytes)) [[unlikely]]
        return reply_payload_otherwise<Face, size_kind>(token, handler, payload, size, dest,
                                                        arguments, bytes);
    message.replied = 1;
    return wake_for_line(to);
}

template <typename Face>
[[gnu::always_inline]] inline int reply_short(gasnet_token_t token, gasnet_handler_t handler,
                                              const gasnet_handlerarg_t* arguments,
                                              std::size_t bytes) {
    if (post.plain_pes == 0) [[unlikely]]
        return reply_short_otherwise<Face>(token, handler, arguments, bytes);
    Message& message = *static_cast<Message*>(token);
    Target& to = post.targets[message.source];
    if (!may_be_answered(message) || !fits_line(bytes) ||
        !reply_line(to, message, static_cast<int>(kFirstHandler + handler), arguments, bytes))
        [[unlikely]]
        return reply_short_otherwise<Face>(token, handler, arguments, bytes);
    static_assert(GASNET_OK == 0);
    return wake_for_line(to);
}

}  // namespace isthmus::gasnet::sending
