// Sending. A message for a handler of the program's is one of the layer's; what the library's
// handlers do is done by puts and atomics, and needs nothing of the target's program.
#include <cstring>
#include <optional>

#include "api/kernel/check.hpp"
#include "api/kernel/face.hpp"
#include "api/kernel/pieces.hpp"
#include "core/copy/copy.hpp"
#include "core/copy/pieces.hpp"
#include "core/reach/far.hpp"
#include "core/reach/operation.hpp"
#include "core/reach/scattered.hpp"
#include "core/wait/sleep.hpp"
#include "message/post.hpp"
#include "message/send.hpp"

using namespace isthmus;
using namespace isthmus::kernel_face;

namespace {

using Call = isthmus_kernel_call;

bool wants_reply(const Call& call) {
    return (call.flags & ISTHMUS_KERNEL_ASYNC) == 0;
}
char* at(std::uint64_t offset) {
    return face->memory + offset;
}

// The effect of one of the library's handlers at the target, behind what has been put there, and
// the reply to it.
void finish_without_message(const Call& call, const char* routine) {
    if (call.handler == ISTHMUS_KERNEL_REPLY)
        count_at(face->control->replies, call.kernel, 1, routine);
    if (call.handler == ISTHMUS_KERNEL_ARRIVE)
        count_at(face->control->arrivals, call.kernel, 1, routine);
    if (call.handler == ISTHMUS_KERNEL_ADD) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < call.argument_count; ++i)
            sum += static_cast<std::uint64_t>(call.arguments[i]);
        count_at(face->control->counter, call.kernel, sum, routine);
    }
    if (!wants_reply(call)) return;
    if (is_near(call.kernel))
        // Relaxed: this thread waits for it.
        face->control->replies.fetch_add(1, std::memory_order_relaxed);
    else
        expect_reply(call.kernel);
}

messages::Parcel parcel_of(const Call& call, unsigned kind, Arguments& block) {
    if (call.argument_count != 0)
        std::memcpy(block.words, call.arguments, call.argument_count * sizeof(std::int64_t));
    const std::uint32_t first = wants_reply(call) ? kFirstReplied : kFirstAsync;
    messages::Parcel parcel{};
    parcel.handler = static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(call.handler));
    parcel.kind = static_cast<std::uint8_t>(kind | messages::kRequest);
    parcel.argument_bytes =
        static_cast<std::uint16_t>(sizeof(Wire) + call.argument_count * sizeof(std::int64_t));
    parcel.arguments = &block;
    return parcel;
}

int send(const Call& call, const messages::Parcel& parcel) {
    messages::request(call.kernel, parcel, messages::Wait::yes);
    return ISTHMUS_OK;
}

// A medium payload that is too long for one message of the layer.
std::uint32_t send_parts(const Call& call, const char* payload, std::size_t size) {
    if (++face->long_mediums == 0) ++face->long_mediums;
    for (std::size_t offset = 0; offset < size; offset += messages::kLargestMedium) {
        const Part part{face->long_mediums, static_cast<std::uint32_t>(size), offset};
        messages::Parcel parcel{};
        parcel.handler = kPart;
        parcel.kind = messages::kMedium | messages::kRequest;
        parcel.argument_bytes = sizeof part;
        parcel.arguments = &part;
        parcel.payload = payload + offset;
        parcel.size = std::min(size - offset, messages::kLargestMedium);
        messages::request(call.kernel, parcel, messages::Wait::yes);
    }
    return face->long_mediums;
}

int send_medium(const Call& call, const void* payload, std::size_t size) {
    note(Routine::native_kernel_send);
    Arguments block;
    block.wire = {call.token, 0};
    messages::Parcel parcel = parcel_of(call, messages::kMedium, block);
    if (size > messages::kLargestMedium) {
        block.wire.number = send_parts(call, static_cast<const char*>(payload), size);
    } else {
        parcel.payload = payload;
        parcel.size = size;
    }
    return send(call, parcel);
}

int send_long(const Call& call, const void* payload, std::size_t size, std::uint64_t dest,
              const char* routine) {
    note(Routine::native_kernel_send);
    if (is_own_handler(call.handler)) {
        Arguments block;
        block.wire = {call.token, 0};
        messages::Parcel parcel = parcel_of(call, messages::kLong, block);
        parcel.payload = payload;
        parcel.size = size;
        parcel.dest = at(dest);
        if (size != 0) parcel.place = far::place_of(parcel.dest, size, routine);
        return send(call, parcel);
    }
    if (call.kernel == job.me)
        std::memmove(at(dest), payload, size);
    else
        operation::put(operation::find(at(dest), call.kernel), at(dest), payload, size, call.kernel,
                       routine);
    if (!is_near(call.kernel)) far::order_puts();  // before what is counted
    finish_without_message(call, routine);
    return ISTHMUS_OK;
}

// The pieces are right, and have so many bytes.
template <typename Source, typename Dest>
int send_pieces(const Call& call, const Source& source, const Dest& dest, std::uint64_t bytes,
                const char* routine) {
    note(Routine::native_kernel_send);
    if (is_near(call.kernel)) {
        walk_pieces(dest, source, [&](std::uint64_t to, std::uint64_t from, std::uint64_t size) {
            copy(translate(at(to), call.kernel), at(from), size);
        });
    } else {
        {
            ScatteredPut puts(call.kernel, routine);
            walk_pieces(dest, source,
                        [&](std::uint64_t to, std::uint64_t from, std::uint64_t size) {
                            puts.add(at(to), at(from), size);
                        });
        }
        far::order_puts();
    }
    if (!is_own_handler(call.handler)) {
        finish_without_message(call, routine);
        return ISTHMUS_OK;
    }
    Arguments block;
    block.wire = {call.token, static_cast<std::uint32_t>(bytes)};
    messages::Parcel parcel = parcel_of(call, messages::kLong, block);
    if (!dest.empty()) {
        const Piece first = dest.piece();
        parcel.dest = at(first.at);
        parcel.size = first.bytes;
        parcel.place = far::place_of(parcel.dest, parcel.size, routine);
    }
    return send(call, parcel);
}

}  // namespace

ISTHMUS_API int isthmus_kernel_send_short(const isthmus_kernel_call* call) {
    const char* routine = "isthmus_kernel_send_short";
    if (const int status = check_call(*call, ISTHMUS_KERNEL_ASYNC, routine)) return status;
    note(Routine::native_kernel_send);
    if (!is_own_handler(call->handler)) {
        finish_without_message(*call, routine);
        return ISTHMUS_OK;
    }
    Arguments block;
    block.wire = {call->token, 0};
    return send(*call, parcel_of(*call, messages::kShort, block));
}

ISTHMUS_API int isthmus_kernel_send_medium(const isthmus_kernel_call* call, const void* payload,
                                           size_t size) {
    const char* routine = "isthmus_kernel_send_medium";
    int status = check_call(*call, ISTHMUS_KERNEL_ASYNC, routine);
    if (status == 0) status = check_payload(size, routine);
    return status != 0 ? status : send_medium(*call, payload, size);
}

ISTHMUS_API int isthmus_kernel_send_medium_from(const isthmus_kernel_call* call, uint64_t source,
                                                size_t size) {
    const char* routine = "isthmus_kernel_send_medium_from";
    int status = check_call(*call, ISTHMUS_KERNEL_ASYNC, routine);
    if (status == 0) status = check_payload(size, routine);
    if (status == 0) status = check_range(job.me, source, size, ISTHMUS_READ, routine);
    return status != 0 ? status : send_medium(*call, at(source), size);
}

ISTHMUS_API int isthmus_kernel_send_long(const isthmus_kernel_call* call, const void* payload,
                                         size_t size, uint64_t dest) {
    const char* routine = "isthmus_kernel_send_long";
    int status = check_call(*call, ISTHMUS_KERNEL_ASYNC, routine);
    if (status == 0) status = check_payload(size, routine);
    if (status == 0) status = check_range(call->kernel, dest, size, ISTHMUS_WRITE, routine);
    return status != 0 ? status : send_long(*call, payload, size, dest, routine);
}

ISTHMUS_API int isthmus_kernel_send_long_from(const isthmus_kernel_call* call, uint64_t source,
                                              size_t size, uint64_t dest) {
    const char* routine = "isthmus_kernel_send_long_from";
    int status = check_call(*call, ISTHMUS_KERNEL_ASYNC, routine);
    if (status == 0) status = check_payload(size, routine);
    if (status == 0) status = check_range(job.me, source, size, ISTHMUS_READ, routine);
    if (status == 0) status = check_range(call->kernel, dest, size, ISTHMUS_WRITE, routine);
    return status != 0 ? status : send_long(*call, at(source), size, dest, routine);
}

ISTHMUS_API int isthmus_kernel_send_strided(const isthmus_kernel_call* call,
                                            const isthmus_kernel_blocks* source,
                                            const isthmus_kernel_blocks* dest) {
    const char* routine = "isthmus_kernel_send_strided";
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    int status = check_call(*call, ISTHMUS_KERNEL_ASYNC, routine);
    if (status == 0) status = check_pieces(job.me, *source, ISTHMUS_READ, from, routine);
    if (status == 0) status = check_pieces(call->kernel, *dest, ISTHMUS_WRITE, to, routine);
    if (status == 0) status = check_totals(from, to, routine);
    return status != 0 ? status : send_pieces(*call, Strided(*source), Strided(*dest), to, routine);
}

ISTHMUS_API int isthmus_kernel_send_vectored(const isthmus_kernel_call* call,
                                             const isthmus_kernel_range* source,
                                             size_t source_count, const isthmus_kernel_range* dest,
                                             size_t dest_count) {
    const char* routine = "isthmus_kernel_send_vectored";
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    int status = check_call(*call, ISTHMUS_KERNEL_ASYNC, routine);
    if (status == 0)
        status = check_pieces(job.me, source, source_count, ISTHMUS_READ, from, routine);
    if (status == 0)
        status = check_pieces(call->kernel, dest, dest_count, ISTHMUS_WRITE, to, routine);
    if (status == 0) status = check_totals(from, to, routine);
    return status != 0 ? status
                       : send_pieces(*call, Vectored(source, source_count),
                                     Vectored(dest, dest_count), to, routine);
}
