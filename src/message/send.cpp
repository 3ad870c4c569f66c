#include "message/send.hpp"

#include <algorithm>
#include <cstring>

#include "core/copy/copy.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/wait/wait.hpp"
#include "message/far_post.hpp"
#include "message/handlers.hpp"
#include "message/lanes.hpp"
#include "message/layout.hpp"
#include "message/traced.hpp"

namespace isthmus::messages {
namespace {

inline bool append(RingProducer& ring, const Parcel& parcel) {
    return ring.send_with(message_bytes(parcel),
                          [&](void* place) { write(static_cast<char*>(place), parcel); });
}

// Of a lane that is full, until the ring is used, which has more room.
constexpr int kPatience = 200;  // polls
// A request where claim_cell() fails, to a PE of this host. False: the ring is to be asked.
[[gnu::noinline]] bool append_to_lane(Target& to, const Parcel& parcel, bool may_poll) {
    Lane& lane = all_lanes()[to.pe];
    if (!lane.is_mine() && !lane.open_if_streaming(to)) return false;
    const std::uint64_t bytes = frame_bytes(message_bytes(parcel));
    if (lane.append(to, parcel)) return true;
    may_poll = may_poll && !is_in_handler();
    // Handlers that a poll runs may leave the lane.
    for (int polls = 0; may_poll && polls < kPatience && lane.is_mine(); ++polls) {
        if (lane.has_room(std::max(bytes, kLaneBytes / 4))) {
            if (lane.append(to, parcel)) return true;
        } else {
            poll_both();
        }
    }
    if (lane.is_mine()) lane.leave(to);
    return false;
}

// A request, by the ring or this thread's lane.
inline bool append_request(Target& to, const Parcel& parcel, bool may_poll) {
    if (to.requests.fails(frame_bytes(message_bytes(parcel)))) [[unlikely]] {
        if (append_to_lane(to, parcel, may_poll)) return true;
    }
    return append(to.requests, parcel);
}

// Whether the message has a payload that is still to be put to its place.
inline bool is_to_land(const Parcel& parcel) {
    return (parcel.kind & kLong) != 0 && parcel.payload;
}
// Before the message, which makes it visible.
inline void land(const Parcel& parcel, int pe) {
    if (is_to_land(parcel))
        copy(translate(static_cast<char*>(parcel.dest), pe), parcel.payload, parcel.size);
}

inline void fill_in(Message& message, const void* arguments, std::uint64_t head) {
    message.arguments = arguments;
    message.payload = nullptr;
    message.size = 0;
    std::memcpy(&message.handler, &head, sizeof head);
}

// To this PE itself: the handler runs here and now. A medium payload is copied, for its handler may
// change it and the sender's memory stays as it is.
[[gnu::noinline]] void run_medium_here(Message& message, std::uint64_t head, const Parcel& parcel) {
    alignas(64) char payload[kLargestMedium];
    if (parcel.size != 0) std::memcpy(payload, parcel.payload, parcel.size);
    message.payload = payload;
    message.size = parcel.size;
    deliver(message, head);
}

[[gnu::noinline]] void run_here(const Parcel& parcel) {
    Message message;
    const std::uint64_t head =
        head_word(parcel.handler, parcel.kind, window.me, parcel.argument_bytes);
    alignas(8) char arguments[kEnvelopedArguments];
    copy(arguments, parcel.arguments, parcel.argument_bytes);
    fill_in(message, arguments, head);
    if ((parcel.kind & kMedium) != 0) return run_medium_here(message, head, parcel);
    if ((parcel.kind & kLong) != 0) {
        message.size = parcel.size;
        if (parcel.size != 0) message.payload = parcel.dest;
        if (parcel.size != 0 && parcel.payload)
            std::memmove(parcel.dest, parcel.payload, parcel.size);
    }
    deliver(message, head);
}

// As run_line().
[[gnu::noinline]] int run_unaligned_line(int, int handler, const void* arguments,
                                         std::size_t bytes) {
    const OwnHandler running;
    run_here({static_cast<std::uint16_t>(handler), kShort | kRequest,
              static_cast<std::uint16_t>(bytes), arguments});
    return 0;
}

// Polls by `poll` until append() has found room.
template <typename Append, typename Poll>
void append_or_poll(Append&& append, const WaitTarget& target, Poll&& poll) {
    wait_for(target, [&] {
        if (append()) return true;
        poll();
        return false;
    });
}

[[gnu::noinline]] Sent request_far(int pe, const Parcel& parcel, Wait wait) {
    if (is_to_land(parcel))
        far_post::land(pe, parcel, routine_name(request_routine(parcel.handler)));
    if (far_post::send_request(pe, parcel)) return Sent::done;
    if (wait == Wait::no) return Sent::no_room;
    if (is_in_handler()) return Sent::in_handler;
    const WantsRoom wants(pe, false, message_bytes(parcel));
    wait_for({request_routine(parcel.handler), pe, nullptr, WaitFor::room}, [&] {
        poll_both();
        return far_post::send_request(pe, parcel);
    });
    return Sent::done;
}

[[gnu::noinline]] Sent request_otherwise(Target& to, int pe, const Parcel& parcel, Wait wait) {
    if (to.where == Where::self) {
        const OwnHandler running;
        run_here(parcel);
        return Sent::done;
    }
    if (to.where == Where::far) return request_far(pe, parcel, wait);
    if (wait == Wait::no) return Sent::no_room;
    if (is_in_handler()) return Sent::in_handler;
    const WantsRoom wants(pe, false, message_bytes(parcel));
    append_or_poll([&] { return append_request(to, parcel, false); },
                   {request_routine(parcel.handler), pe, nullptr, WaitFor::room}, poll_both);
    return Sent::done;
}

[[gnu::noinline]] Sent reply_otherwise(Target& to, int pe, const Parcel& parcel, Wait wait) {
    if (to.where == Where::self) {
        run_here(parcel);
        return Sent::done;
    }
    if (to.where == Where::far) {
        if (is_to_land(parcel))
            far_post::land(pe, parcel, routine_name(reply_routine(parcel.handler)));
        far_post::send_reply(pe, parcel);
        return Sent::done;
    }
    if (wait == Wait::no) return Sent::no_room;
    const WantsRoom wants(pe, true, message_bytes(parcel));
    append_or_poll([&] { return append(to.replies, parcel); },
                   {reply_routine(parcel.handler), pe, nullptr, WaitFor::room}, poll_replies);
    return Sent::done;
}

[[gnu::always_inline]] inline Sent send_request(int pe, const Parcel& parcel, Wait wait) {
    Target& to = post.targets[pe];
    if (to.where == Where::near) [[likely]] {
        land(parcel, pe);
        if (append_request(to, parcel, wait == Wait::yes)) [[likely]]
            return Sent::done;
    }
    return request_otherwise(to, pe, parcel, wait);
}

[[gnu::always_inline]] inline Sent send_reply(Message& message, const Parcel& parcel, Wait wait) {
    const int pe = message.source;
    Target& to = post.targets[pe];
    // First: handlers of replies may run within.
    message.replied = 1;
    if (to.where == Where::near) [[likely]] {
        land(parcel, pe);
        if (append(to.replies, parcel)) [[likely]]
            return Sent::done;
    }
    const Sent sent = reply_otherwise(to, pe, parcel, wait);
    if (sent == Sent::no_room) message.replied = 0;
    return sent;
}

}  // namespace

void copy_payload_shortly(void* dest, const void* source, std::size_t bytes) {
    copy(dest, source, bytes);
}

int run_line(int pe, int handler, const void* arguments, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(arguments) % 8 != 0) [[unlikely]]
        return run_unaligned_line(pe, handler, arguments, bytes);
    run_line_here(0, static_cast<std::uint32_t>(handler), arguments, bytes);
    return 0;
}

bool has_room(int pe, std::size_t bytes) {
    Target& to = post.targets[pe];
    if (to.where == Where::far) return far_post::has_credit(pe, bytes);
    if (to.where == Where::self || to.requests.has_room_for(bytes)) return true;
    Lane* const lane = own_lane(pe);
    return lane && lane->has_room(frame_bytes(bytes));
}

Sent request(int pe, const Parcel& parcel, Wait wait) {
    if (post.traces) [[unlikely]] {
        const TracedSending traced(parcel);
        const Sent sent = send_request(pe, traced.parcel(), wait);
        if (sent == Sent::done) traced.note(pe);
        return sent;
    }
    return send_request(pe, parcel, wait);
}

Sent reply(Message& message, const Parcel& parcel, Wait wait) {
    if (post.traces) [[unlikely]] {
        const TracedSending traced(parcel);
        const Sent sent = send_reply(message, traced.parcel(), wait);
        if (sent == Sent::done) traced.note(message.source);
        return sent;
    }
    return send_reply(message, parcel, wait);
}

}  // namespace isthmus::messages
