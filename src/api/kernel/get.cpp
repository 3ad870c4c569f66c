// Gets: the road or the window reads, and the handler runs at the kernel that asked.
#include <cstring>

#include "api/kernel/check.hpp"
#include "api/kernel/face.hpp"
#include "api/kernel/pieces.hpp"
#include "core/copy/pieces.hpp"
#include "message/fetch.hpp"
#include "message/send.hpp"

using namespace isthmus;
using namespace isthmus::kernel_face;

namespace {

using Call = isthmus_kernel_call;

char* at(std::uint64_t offset) {
    return face->memory + offset;
}

// What runs here: a reply from the kernel that was read.
void answer(messages::Fetch& fetch, const Call& call, unsigned kind, void* payload,
            std::size_t first, std::uint64_t bytes) {
    Arguments block;
    block.wire = {call.token, kind == messages::kLong ? static_cast<std::uint32_t>(bytes) : 0};
    if (call.argument_count != 0)
        std::memcpy(block.words, call.arguments, call.argument_count * sizeof(std::int64_t));
    messages::Parcel parcel{};
    parcel.handler =
        static_cast<std::uint16_t>(kFirstAsync + static_cast<std::uint32_t>(call.handler));
    parcel.kind = static_cast<std::uint8_t>(kind | messages::kReply);
    parcel.argument_bytes =
        static_cast<std::uint16_t>(sizeof(Wire) + call.argument_count * sizeof(std::int64_t));
    parcel.arguments = &block;
    parcel.dest = payload;
    parcel.size = first;
    fetch.answer(parcel);
}

template <typename Source, typename Dest>
int get_pieces(const Call& call, const Source& source, const Dest& dest, std::uint64_t bytes,
               const char* routine) {
    note(Routine::native_kernel_get);
    messages::Fetch fetch(call.kernel, routine);
    walk_pieces(dest, source, [&](std::uint64_t to, std::uint64_t from, std::uint64_t size) {
        fetch.add(at(to), at(from), size);
    });
    const Piece first = dest.empty() ? Piece{0, 0} : dest.piece();
    answer(fetch, call, messages::kLong, at(first.at), first.bytes, bytes);
    return ISTHMUS_OK;
}

}  // namespace

ISTHMUS_API int isthmus_kernel_get_medium(const isthmus_kernel_call* call, uint64_t source,
                                          size_t size) {
    const char* routine = "isthmus_kernel_get_medium";
    int status = check_call(*call, 0, routine);
    if (status == 0) status = check_payload(size, routine);
    if (status == 0) status = check_range(call->kernel, source, size, ISTHMUS_READ, routine);
    if (status != 0) return status;
    note(Routine::native_kernel_get);
    messages::Fetch fetch(call->kernel, routine);
    char* const buffer = fetch.buffer(size);
    fetch.add(buffer, at(source), size);
    answer(fetch, *call, messages::kMedium, buffer, size, size);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_kernel_get_long(const isthmus_kernel_call* call, uint64_t source,
                                        size_t size, uint64_t dest) {
    const char* routine = "isthmus_kernel_get_long";
    const isthmus_kernel_range from{source, size};
    const isthmus_kernel_range to{dest, size};
    int status = check_call(*call, 0, routine);
    if (status == 0) status = check_payload(size, routine);
    if (status == 0) status = check_range(call->kernel, source, size, ISTHMUS_READ, routine);
    if (status == 0) status = check_range(job.me, dest, size, ISTHMUS_WRITE, routine);
    return status != 0 ? status
                       : get_pieces(*call, Vectored(&from, 1), Vectored(&to, 1), size, routine);
}

ISTHMUS_API int isthmus_kernel_get_strided(const isthmus_kernel_call* call,
                                           const isthmus_kernel_blocks* source,
                                           const isthmus_kernel_blocks* dest) {
    const char* routine = "isthmus_kernel_get_strided";
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    int status = check_call(*call, 0, routine);
    if (status == 0) status = check_pieces(call->kernel, *source, ISTHMUS_READ, from, routine);
    if (status == 0) status = check_pieces(job.me, *dest, ISTHMUS_WRITE, to, routine);
    if (status == 0) status = check_totals(from, to, routine);
    return status != 0 ? status : get_pieces(*call, Strided(*source), Strided(*dest), to, routine);
}

ISTHMUS_API int isthmus_kernel_get_vectored(const isthmus_kernel_call* call,
                                            const isthmus_kernel_range* source, size_t source_count,
                                            const isthmus_kernel_range* dest, size_t dest_count) {
    const char* routine = "isthmus_kernel_get_vectored";
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    int status = check_call(*call, 0, routine);
    if (status == 0)
        status = check_pieces(call->kernel, source, source_count, ISTHMUS_READ, from, routine);
    if (status == 0) status = check_pieces(job.me, dest, dest_count, ISTHMUS_WRITE, to, routine);
    if (status == 0) status = check_totals(from, to, routine);
    return status != 0 ? status
                       : get_pieces(*call, Vectored(source, source_count),
                                    Vectored(dest, dest_count), to, routine);
}
