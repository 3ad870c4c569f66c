// Messages whose payload is in pieces, and gets that a handler answers (isthmus/message.h).
#include <algorithm>

#include "api/isthmus/message_checks.hpp"
#include "api/isthmus/message_tracking.hpp"
#include "core/copy/geometry.hpp"
#include "core/copy/pieces.hpp"
#include "core/reach/operation.hpp"
#include "core/reach/scattered.hpp"
#include "message/fetch.hpp"
#include "message/send.hpp"

using namespace isthmus;
using namespace isthmus::native;
using namespace isthmus::messages;
using namespace isthmus::native::message_checks;

namespace {

using Blocks = isthmus_message_blocks;

struct Piece {
    char* at;
    std::size_t bytes;
};

// What a side of a transfer is made of, as something that gives its pieces one after the other.
class Strided {
  public:
    explicit Strided(const Blocks& blocks)
        : blocks_(blocks), left_(blocks.block == 0 ? 0 : blocks.count) {}
    bool empty() const { return left_ == 0; }
    Piece piece() const { return {static_cast<char*>(blocks_.first), blocks_.block}; }
    void advance() {
        blocks_.first = static_cast<char*>(blocks_.first) + blocks_.stride;
        --left_;
    }
    std::size_t left() const { return left_; }
    std::size_t stride() const { return blocks_.stride; }

  private:
    Blocks blocks_;
    std::size_t left_;
};

Piece piece_of(const isthmus_message_range& range) {
    return {static_cast<char*>(range.address), range.size};
}
using Vectored = RangeList<isthmus_message_range, piece_of>;

// Whose memory a side is, and what is done with it.
enum class Side { own_source, own_dest, source_there, dest_there };

bool is_dest(Side side) {
    return side == Side::own_dest || side == Side::dest_there;
}

int check_memory(const void* address, std::size_t bytes, Side side, const char* routine) {
    if (side == Side::own_source || side == Side::own_dest || bytes == 0) return ISTHMUS_OK;
    if (far::is_published(address, bytes)) return ISTHMUS_OK;
    if (side == Side::dest_there) return refuse_dest(address, bytes, routine);
    const Text why = why_not_symmetric(address, bytes);  // constants may be read
    return why.empty() ? static_cast<int>(ISTHMUS_OK) : refuse(ISTHMUS_BOUNDS, routine, why);
}

int too_far(const char* routine) {
    return refuse(ISTHMUS_BOUNDS, routine, "the pieces reach beyond 2^64 bytes");
}

// 0 if the side is right; and its bytes.
int check_side(const Blocks& blocks, Side side, std::size_t& bytes, const char* routine) {
    bytes = 0;
    if (blocks.block == 0 || blocks.count == 0) return ISTHMUS_OK;
    if (is_dest(side) && blocks.count > 1 && blocks.stride < blocks.block)
        return refuse(ISTHMUS_ARGUMENT, routine, "blocks of ", blocks.block,
                      " bytes with a stride of ", blocks.stride, " write over each other");
    std::size_t all = 0;
    if (!extent({blocks.block, blocks.count}, {blocks.stride}, all) ||
        __builtin_mul_overflow(blocks.block, blocks.count, &bytes))
        return too_far(routine);
    return check_memory(blocks.first, all, side, routine);
}

struct List {
    const isthmus_message_range* ranges;
    std::size_t count;
};
int check_side(const List& list, Side side, std::size_t& bytes, const char* routine) {
    bytes = 0;
    for (const isthmus_message_range* range = list.ranges; range != list.ranges + list.count;
         ++range) {
        if (__builtin_add_overflow(bytes, range->size, &bytes)) return too_far(routine);
        if (const int status = check_memory(range->address, range->size, side, routine))
            return status;
    }
    return ISTHMUS_OK;
}

Strided pieces_of(const Blocks& blocks) {
    return Strided(blocks);
}
Vectored pieces_of(const List& list) {
    return {list.ranges, list.count};
}

// Both sides, and what they have in common.
template <typename Form>
int check_sides(const Form& source, Side from, const Form& dest, Side to, std::size_t& bytes,
                const char* routine) {
    std::size_t taken = 0;
    if (const int status = check_side(source, from, taken, routine)) return status;
    if (const int status = check_side(dest, to, bytes, routine)) return status;
    if (taken != bytes)
        return refuse(ISTHMUS_ARGUMENT, routine, "the source has ", taken,
                      " bytes and the destination ", bytes);
    return ISTHMUS_OK;
}

// On this host, `dest` as this PE's addresses.
void copy_pieces(const Vectored& dest, const Vectored& source, int pe) {
    walk_pieces(dest, source, [pe](char* to, const char* from, std::size_t bytes) {
        copy(translate(to, pe), from, bytes);
    });
}
void copy_pieces(const Strided& dest, const Strided& source, int pe) {
    if (dest.empty()) return;
    const Piece to = dest.piece();
    const Piece from = source.piece();
    if (to.bytes == from.bytes)
        return copy_rows(translate(to.at, pe), dest.stride(), from.at, source.stride(), to.bytes,
                         dest.left());
    walk_pieces(dest, source, [pe](char* there, const char* here, std::size_t bytes) {
        copy(translate(there, pe), here, bytes);
    });
}

// Before the message, which comes behind them.
template <typename Pieces>
void put_pieces(const Pieces& dest, const Pieces& source, int pe, const char* routine) {
    if (is_near(pe)) return copy_pieces(dest, source, pe);
    {
        ScatteredPut puts(pe, routine);
        walk_pieces(dest, source, [&](char* to, const char* from, std::size_t bytes) {
            puts.add(to, from, bytes);
        });
    }
    far::order_puts();
}

Parcel parcel_of(int handler, unsigned kind, const void* arguments, std::size_t argument_bytes) {
    Parcel parcel{};
    parcel.handler = static_cast<std::uint16_t>(handler);
    parcel.kind = static_cast<std::uint8_t>(kind);
    parcel.argument_bytes = static_cast<std::uint16_t>(argument_bytes);
    parcel.arguments = arguments;
    return parcel;
}

// What its handler is shown: the first piece.
template <typename Pieces>
void show_first(Parcel& parcel, const Pieces& dest) {
    if (dest.empty()) return;
    const Piece first = dest.piece();
    parcel.dest = first.at;
    parcel.size = first.bytes;
}

template <typename Form>
int send_request(int pe, int handler, const void* arguments, std::size_t argument_bytes,
                 const Form& source, const Form& dest, unsigned flags,
                 const isthmus_message_completion* completion, const char* routine) {
    constexpr std::uint8_t kKind = kLong | kRequest;
    if (const int status = check_request(pe, handler, argument_bytes, kKind, 0, flags, routine))
        return status;
    std::size_t bytes = 0;
    if (const int status =
            check_sides(source, Side::own_source, dest, Side::dest_there, bytes, routine))
        return status;
    if (const int status = check_request(pe, handler, argument_bytes, kKind, bytes, flags, routine))
        return status;
    if (is_in_handler()) return refuse_in_handler(routine);
    note(Routine::native_message_request);
    Parcel parcel = parcel_of(handler, kKind, arguments, argument_bytes);
    show_first(parcel, pieces_of(dest));
    if (const int status = find_place(parcel, routine)) return status;
    const Wait wait = flags == 0 ? Wait::yes : Wait::no;
    if (wait == Wait::no && !has_room(pe, message_bytes(parcel) + Tracking::more(completion)))
        return no_room(routine);
    Tracking tracking;
    if (const int status = tracking.begin(completion, wait, routine)) return status;
    put_pieces(pieces_of(dest), pieces_of(source), pe, routine);
    return tracking.send(pe, parcel, wait, routine);
}

template <typename Form>
int send_reply(Message* message, int handler, const void* arguments, std::size_t argument_bytes,
               const Form& source, const Form& dest, unsigned flags, const char* routine) {
    constexpr std::uint8_t kKind = kLong | kReply;
    if (const int status = check_reply(*message, handler, argument_bytes, kKind, 0, flags, routine))
        return status;
    std::size_t bytes = 0;
    if (const int status =
            check_sides(source, Side::own_source, dest, Side::dest_there, bytes, routine))
        return status;
    if (const int status =
            check_reply(*message, handler, argument_bytes, kKind, bytes, flags, routine))
        return status;
    Parcel parcel = parcel_of(handler, kKind, arguments, argument_bytes);
    show_first(parcel, pieces_of(dest));
    if (const int status = find_place(parcel, routine)) return status;
    put_pieces(pieces_of(dest), pieces_of(source), message->source, routine);
    if (reply(*message, parcel, flags == 0 ? Wait::yes : Wait::no) != Sent::done)
        return no_room(routine);
    return ISTHMUS_OK;
}

// 0 if such a get may be made; notes it.
int begin_get(int pe, int handler, std::size_t argument_bytes, unsigned kind, std::size_t size,
              const char* routine) {
    if (const int status = check_request(pe, handler, argument_bytes,
                                         static_cast<std::uint8_t>(kind), size, 0, routine))
        return status;
    if (const int status = check_restrictions(routine)) return status;
    note(Routine::native_message_get);
    return ISTHMUS_OK;
}

template <typename Form>
int get(int pe, int handler, const void* arguments, std::size_t argument_bytes, const Form& source,
        const Form& dest, const isthmus_message_completion* completion, const char* routine) {
    if (const int status = begin_get(pe, handler, argument_bytes, kLong, 0, routine)) return status;
    std::size_t bytes = 0;
    if (const int status =
            check_sides(source, Side::source_there, dest, Side::own_dest, bytes, routine))
        return status;
    if (const int status = begin_get(pe, handler, argument_bytes, kLong, bytes, routine))
        return status;
    Tracking tracking;
    if (const int status = tracking.begin(completion, Wait::yes, routine)) return status;
    Parcel parcel = parcel_of(handler, kLong | kReply, arguments, argument_bytes);
    show_first(parcel, pieces_of(dest));
    Fetch fetch(pe, routine);
    walk_pieces(
        pieces_of(dest), pieces_of(source),
        [&fetch](char* to, const char* from, std::size_t size) { fetch.add(to, from, size); });
    tracking.answer(fetch, parcel);
    return ISTHMUS_OK;
}

int get_medium(int pe, int handler, const void* arguments, std::size_t argument_bytes,
               const void* source, std::size_t size, const isthmus_message_completion* completion,
               const char* routine) {
    if (const int status = begin_get(pe, handler, argument_bytes, kMedium, size, routine))
        return status;
    if (const int status = check_memory(source, size, Side::source_there, routine)) return status;
    Tracking tracking;
    if (const int status = tracking.begin(completion, Wait::yes, routine)) return status;
    Parcel parcel = parcel_of(handler, kMedium | kReply, arguments, argument_bytes);
    Fetch fetch(pe, routine);
    parcel.dest = fetch.buffer(size);
    parcel.size = size;
    fetch.add(parcel.dest, source, size);
    tracking.answer(fetch, parcel);
    return ISTHMUS_OK;
}

int get_long(int pe, int handler, const void* arguments, std::size_t argument_bytes,
             const void* source, std::size_t size, void* dest,
             const isthmus_message_completion* completion, const char* routine) {
    const isthmus_message_range from{const_cast<void*>(source), size};
    const isthmus_message_range to{dest, size};
    return get(pe, handler, arguments, argument_bytes, List{&from, 1}, List{&to, 1}, completion,
               routine);
}

}  // namespace

ISTHMUS_API int isthmus_message_request_strided(int pe, int handler, const void* arguments,
                                                size_t argument_bytes,
                                                const isthmus_message_blocks* source,
                                                const isthmus_message_blocks* dest,
                                                unsigned flags) {
    return send_request(pe, handler, arguments, argument_bytes, *source, *dest, flags, nullptr,
                        "isthmus_message_request_strided");
}

ISTHMUS_API int isthmus_message_request_strided_tracked(
    int pe, int handler, const void* arguments, size_t argument_bytes,
    const isthmus_message_blocks* source, const isthmus_message_blocks* dest, unsigned flags,
    const isthmus_message_completion* completion) {
    if (!completion) return refuse_completion("isthmus_message_request_strided_tracked");
    return send_request(pe, handler, arguments, argument_bytes, *source, *dest, flags, completion,
                        "isthmus_message_request_strided_tracked");
}

ISTHMUS_API int isthmus_message_request_vectored(int pe, int handler, const void* arguments,
                                                 size_t argument_bytes,
                                                 const isthmus_message_range* source,
                                                 size_t source_count,
                                                 const isthmus_message_range* dest,
                                                 size_t dest_count, unsigned flags) {
    return send_request(pe, handler, arguments, argument_bytes, List{source, source_count},
                        List{dest, dest_count}, flags, nullptr, "isthmus_message_request_vectored");
}

ISTHMUS_API int isthmus_message_request_vectored_tracked(
    int pe, int handler, const void* arguments, size_t argument_bytes,
    const isthmus_message_range* source, size_t source_count, const isthmus_message_range* dest,
    size_t dest_count, unsigned flags, const isthmus_message_completion* completion) {
    if (!completion) return refuse_completion("isthmus_message_request_vectored_tracked");
    return send_request(pe, handler, arguments, argument_bytes, List{source, source_count},
                        List{dest, dest_count}, flags, completion,
                        "isthmus_message_request_vectored_tracked");
}

ISTHMUS_API int isthmus_message_reply_strided(isthmus_message* message, int handler,
                                              const void* arguments, size_t argument_bytes,
                                              const isthmus_message_blocks* source,
                                              const isthmus_message_blocks* dest, unsigned flags) {
    return send_reply(message, handler, arguments, argument_bytes, *source, *dest, flags,
                      "isthmus_message_reply_strided");
}

ISTHMUS_API int isthmus_message_reply_vectored(isthmus_message* message, int handler,
                                               const void* arguments, size_t argument_bytes,
                                               const isthmus_message_range* source,
                                               size_t source_count,
                                               const isthmus_message_range* dest, size_t dest_count,
                                               unsigned flags) {
    return send_reply(message, handler, arguments, argument_bytes, List{source, source_count},
                      List{dest, dest_count}, flags, "isthmus_message_reply_vectored");
}

ISTHMUS_API int isthmus_message_get_medium(int pe, int handler, const void* arguments,
                                           size_t argument_bytes, const void* source, size_t size) {
    return get_medium(pe, handler, arguments, argument_bytes, source, size, nullptr,
                      "isthmus_message_get_medium");
}

ISTHMUS_API int isthmus_message_get_medium_tracked(int pe, int handler, const void* arguments,
                                                   size_t argument_bytes, const void* source,
                                                   size_t size,
                                                   const isthmus_message_completion* completion) {
    if (!completion) return refuse_completion("isthmus_message_get_medium_tracked");
    return get_medium(pe, handler, arguments, argument_bytes, source, size, completion,
                      "isthmus_message_get_medium_tracked");
}

ISTHMUS_API int isthmus_message_get_long(int pe, int handler, const void* arguments,
                                         size_t argument_bytes, const void* source, size_t size,
                                         void* dest) {
    return get_long(pe, handler, arguments, argument_bytes, source, size, dest, nullptr,
                    "isthmus_message_get_long");
}

ISTHMUS_API int isthmus_message_get_long_tracked(int pe, int handler, const void* arguments,
                                                 size_t argument_bytes, const void* source,
                                                 size_t size, void* dest,
                                                 const isthmus_message_completion* completion) {
    if (!completion) return refuse_completion("isthmus_message_get_long_tracked");
    return get_long(pe, handler, arguments, argument_bytes, source, size, dest, completion,
                    "isthmus_message_get_long_tracked");
}

ISTHMUS_API int isthmus_message_get_strided(int pe, int handler, const void* arguments,
                                            size_t argument_bytes,
                                            const isthmus_message_blocks* source,
                                            const isthmus_message_blocks* dest) {
    return get(pe, handler, arguments, argument_bytes, *source, *dest, nullptr,
               "isthmus_message_get_strided");
}

ISTHMUS_API int isthmus_message_get_strided_tracked(int pe, int handler, const void* arguments,
                                                    size_t argument_bytes,
                                                    const isthmus_message_blocks* source,
                                                    const isthmus_message_blocks* dest,
                                                    const isthmus_message_completion* completion) {
    if (!completion) return refuse_completion("isthmus_message_get_strided_tracked");
    return get(pe, handler, arguments, argument_bytes, *source, *dest, completion,
               "isthmus_message_get_strided_tracked");
}

ISTHMUS_API int isthmus_message_get_vectored(int pe, int handler, const void* arguments,
                                             size_t argument_bytes,
                                             const isthmus_message_range* source,
                                             size_t source_count, const isthmus_message_range* dest,
                                             size_t dest_count) {
    return get(pe, handler, arguments, argument_bytes, List{source, source_count},
               List{dest, dest_count}, nullptr, "isthmus_message_get_vectored");
}

ISTHMUS_API int isthmus_message_get_vectored_tracked(
    int pe, int handler, const void* arguments, size_t argument_bytes,
    const isthmus_message_range* source, size_t source_count, const isthmus_message_range* dest,
    size_t dest_count, const isthmus_message_completion* completion) {
    if (!completion) return refuse_completion("isthmus_message_get_vectored_tracked");
    return get(pe, handler, arguments, argument_bytes, List{source, source_count},
               List{dest, dest_count}, completion, "isthmus_message_get_vectored_tracked");
}
