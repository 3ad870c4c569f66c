// Sending: requests from outside of handlers, replies from within.
//
// Freedom from deadlock (docs/messages.md has the proof): who finds a ring of requests full polls
// both of its own rings until there is room; a handler that finds a ring of replies full polls its
// own replies alone; a reply's handler sends nothing.
#pragma once

#include <array>
#include <bit>
#include <cstring>

#include "core/copy/copy.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/reach/request.hpp"
#include "message/message.hpp"
#include "message/post.hpp"

namespace isthmus::messages {

// in_handler: it would have to wait, and this thread runs a handler.
enum class Sent : std::uint8_t { done, no_room, in_handler };
enum class Wait : bool { no, yes };

// Of a PE of the job; not from a handler.
Sent request(int pe, const Parcel& parcel, Wait wait);
// Of a request whose handler runs in this thread and that has not been answered; marks it.
Sent reply(Message& message, const Parcel& parcel, Wait wait);

// Whether a request of so many bytes (message_bytes) would find room now; others may take it.
bool has_room(int pe, std::size_t bytes);

inline constexpr std::size_t kLineArguments = 40;

// Whether so many bytes of arguments share a message's line, behind another test: two branches, for
// the compiler would make one of both, which takes two instructions more.
[[gnu::always_inline]] inline bool fits_line(std::size_t bytes) {
    __asm__ __volatile__("");
    return bytes <= kLineArguments;
}
// Whether the message is a request that may be answered: one look at two members.
[[gnu::always_inline]] inline bool may_be_answered(const Message& message) {
    std::uint16_t kind_and_replied;
    static_assert(offsetof(Message, replied) == offsetof(Message, kind) + 1);
    std::memcpy(&kind_and_replied, &message.kind, sizeof kind_and_replied);
    return (kind_and_replied & (0xff00 | kReply)) == 0;
}

// Up to kLineArguments bytes, by as few instructions as may be.
[[gnu::always_inline]] inline void copy_arguments(char* dest, const void* source,
                                                  std::size_t bytes) {
    using Vector = std::array<char, 16>;
    if (bytes == 0) return;
    if (bytes < sizeof(Vector)) return copy(dest, source, bytes);
    const char* const from = static_cast<const char*>(source);
    Vector first;
    Vector last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + bytes - sizeof last, sizeof last);
    if (bytes > 2 * sizeof(Vector)) std::memcpy(dest + sizeof first, from + sizeof first, 16);
    std::memcpy(dest, &first, sizeof first);
    std::memcpy(dest + bytes - sizeof last, &last, sizeof last);
}

// Up to kLineArguments bytes of arguments, and the head before them.
[[gnu::always_inline]] inline void write_line(char* place, unsigned kind, int handler,
                                              const void* arguments, std::size_t bytes) {
    const std::uint64_t head =
        post.head | kind << 16 | static_cast<std::uint32_t>(handler) | bytes << 48;
    std::memcpy(place, &head, sizeof head);
    copy_arguments(place + sizeof head, arguments, bytes);
}

// A short message of one line into a ring of this host. False: it has not been sent.
[[gnu::always_inline]] inline bool append_line(RingProducer& ring, unsigned kind, int handler,
                                               const void* arguments, std::size_t bytes) {
    std::uint64_t position;
    FrameHead* frame;
    if (!ring.claim_cell(position, frame)) [[unlikely]]
        return false;
    write_line(reinterpret_cast<char*>(frame + 1), kind, handler, arguments, bytes);
    ring.publish_cell(*frame, position, sizeof(Head) + bytes);
    return true;
}
// Behind it, the last thing that a call does. 0.
[[gnu::always_inline]] inline int wake_for_line(const Target& to) {
    // As wake() does, without a way to the PE's status.
    __asm__ __volatile__("" ::: "memory");
    if (to.sleepers->load(std::memory_order_relaxed) != 0) [[unlikely]]
        return wake_target(to);
    return 0;
}

// A short message of least cost to a PE of another host, in one frame. Up to
// kFrameArguments bytes of arguments; a request takes credit. False: it has not been sent.
inline constexpr std::size_t kFrameArguments =
    transport::kShortFrame - transport::kFrameRoom - sizeof(Head);
inline constexpr auto kLeast = static_cast<std::int64_t>(kLeastCost);
inline constexpr std::uint64_t kWholeMessage =
    transport::frame_code(static_cast<std::uint32_t>(RequestId::whole_message));
// The word, the head and the arguments of a message in a frame, whose last word but these is 0
// where a payload follows.
[[gnu::always_inline]] inline void write_frame(char* frame, FarPair& pair, unsigned kind,
                                               unsigned handler, const void* arguments,
                                               std::size_t bytes) {
    std::memcpy(frame + transport::kFrameWord, &post.far_word, sizeof post.far_word);
    std::uint64_t head = ((kind << 16) + handler) | bytes << 48;
    // Where the sender would be: the receiver knows that.
    if (pair.owed.is_some()) [[unlikely]] {
        FarPair* from = &pair;
        __asm__("" : "+r"(from));  // its address is made here, and not before
        head |= from->owed.with_a_message(0xffff) << 32;
    }
    char* const place = frame + transport::kFrameRoom;
    std::memcpy(place, &head, sizeof head);
    copy_arguments(place + sizeof head, arguments, bytes);
}
[[gnu::always_inline]] inline bool post_line(Target& to, unsigned kind, unsigned handler,
                                             const void* arguments, std::size_t bytes) {
    FarPair& pair = *to.pair;
    if (bytes > kFrameArguments || !pair.taken.take_behind(post.far_limit, kLeast)) [[unlikely]]
        return false;
    alignas(16) char frame[transport::kShortFrame];
    write_frame(frame, pair, kind, handler, arguments, bytes);
    std::size_t all = transport::kFrameRoom + sizeof(Head) + bytes;
    __asm__ __volatile__("" : "+r"(all) : : "memory");  // so that the PE is loaded where it goes
    post.far_post(frame, post.far_road, all, static_cast<std::uint32_t>(to.pe));
    return true;
}
// The same of a medium message of least cost, with arguments as those of a line.
[[gnu::always_inline]] inline bool post_medium(Target& to, unsigned direction, unsigned handler,
                                               const void* arguments, std::size_t bytes,
                                               const void* payload, std::size_t size) {
    const std::size_t offset = payload_offset(bytes);
    FarPair& pair = *to.pair;
    if (bytes > kLineArguments || size > kLeastCost - payload_offset(kLineArguments) ||
        !pair.taken.take_behind(post.far_limit, kLeast)) [[unlikely]]
        return false;
    alignas(16) char frame[transport::kFrameRoom + payload_offset(kLineArguments)];
    static_assert(sizeof frame >= transport::kShortFrame);
    // What is between the arguments and the payload.
    std::memset(frame + transport::kFrameRoom + offset - 16, 0, 16);
    write_frame(frame, pair, kMedium | direction, handler, arguments, bytes);
    post.far_post_more(frame, post.far_road, transport::kFrameRoom + offset,
                       static_cast<std::uint32_t>(to.pe), payload, size);
    return true;
}

// A payload, out of line: so the callers save few registers.
void copy_payload_shortly(void* dest, const void* source, std::size_t bytes);
[[gnu::always_inline]] inline void copy_payload(void* dest, const void* source, std::size_t bytes) {
    if (bytes > kMediumCopy) [[likely]]
        return copy_long(dest, source, bytes);
    copy_payload_shortly(dest, source, bytes);
}
// A medium message to a PE of this host, with up to kLineArguments bytes of arguments. False: it
// has not been sent; ask request() or reply(). Behind it wake_for_line().
[[gnu::always_inline]] inline bool append_medium(Target& to, RingProducer& ring, unsigned direction,
                                                 int handler, const void* arguments,
                                                 std::size_t bytes, const void* payload,
                                                 std::size_t size) {
    if (to.where != Where::near || !fits_line(bytes) || size > kLargestMedium) [[unlikely]]
        return false;
    const std::size_t offset = payload_offset(bytes);
    const std::uint64_t cells = frame_bytes(offset + size);
    std::uint64_t position;
    FrameHead* frame;
    if (!ring.claim_cells(cells, position, frame)) [[unlikely]]
        return false;
    RingProducer::write_size(*frame, offset + size, cells);
    char* const place = reinterpret_cast<char*>(frame + 1);
    write_line(place, kMedium | direction, handler, arguments, bytes);
    copy_payload(place + offset, payload, size);
    ring.publish_frame(*frame, position);
    return true;
}

// The same of a long one, whose arguments and landing share a line, and whose payload, at least a
// byte and no longer than a medium one's, lies in the heap or in static data of the program's. It
// is brought there when the line has been taken: what comes behind waits no longer than for others.
inline constexpr std::size_t kLandedArguments = kLineArguments - sizeof(Landing);
[[gnu::always_inline]] inline bool append_long(Target& to, RingProducer& ring, unsigned direction,
                                               int handler, const void* arguments,
                                               std::size_t bytes, const void* payload,
                                               std::size_t size, void* dest, int pe) {
    transport::Place at;
    std::uint64_t position;
    FrameHead* frame;
    if (to.where != Where::near || bytes > kLandedArguments || size - 1 >= kLargestMedium ||
        !far::find_common_place(dest, size, at) || !ring.claim_cell(position, frame)) [[unlikely]]
        return false;
    char* const place = reinterpret_cast<char*>(frame + 1);
    write_line(place, kLong | direction, handler, arguments, bytes);
    const std::size_t offset = landing_offset(bytes);
    const Landing landing{at.offset, static_cast<std::uint32_t>(size), at.segment};
    std::memcpy(place + offset, &landing, sizeof landing);
    RingProducer::write_size(*frame, offset + sizeof landing, kCell);
    copy_payload(translate(static_cast<char*>(dest), pe), payload, size);
    ring.publish_frame(*frame, position);
    return true;
}

// A short request to this PE itself, for handler `first` + `handler`, which runs here. The
// arguments, up to kLineArguments bytes aligned to 8, stay where they are, at the caller's. A face
// whose handlers of short messages are given no payload may leave it undefined.
enum class NoPayload : bool { null, undefined };
template <NoPayload no_payload = NoPayload::null>
[[gnu::always_inline]] inline void run_line_here(std::uint32_t first, std::uint64_t handler,
                                                 const void* arguments, std::size_t bytes) {
    const std::uint64_t head =
        (post.head | bytes << 48) + (((kShort | kRequest) << 16) + first + handler);
    Message message;
    message.arguments = arguments;
    if constexpr (no_payload == NoPayload::null) {
        message.payload = nullptr;
        message.size = 0;
    }
    std::memcpy(&message.handler, &head, sizeof head);
    const OwnHandler running;
    deliver(entries_from(first)[handler], message, head);
}
// The same of any arguments. 0. The arguments are in the order in
// which the callers have them.
int run_line(int pe, int handler, const void* arguments, std::size_t bytes);

// The shortest way: operands that have been looked at, up to kLineArguments bytes. False: ask
// reply(). Behind it wake_for_line().
[[gnu::always_inline]] inline bool reply_line(Target& to, Message& message, int handler,
                                              const void* arguments, std::size_t bytes) {
    if (to.where != Where::near ||
        !append_line(to.replies, kShort | kReply, handler, arguments, bytes)) [[unlikely]]
        return false;
    message.replied = 1;
    return true;
}

}  // namespace isthmus::messages
