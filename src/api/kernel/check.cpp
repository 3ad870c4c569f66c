#include "api/kernel/check.hpp"

#include "message/post.hpp"

namespace isthmus::kernel_face {
int check_call(const isthmus_kernel_call& call, unsigned flags, const char* routine) {
    require_attached(routine);
    if (call.kernel < 0 || call.kernel >= job.pes)
        return refuse(ISTHMUS_ARGUMENT, routine, "kernel ", call.kernel, " is out of range 0..",
                      job.pes - 1);
    if (call.handler < 0 || call.handler >= ISTHMUS_KERNEL_HANDLERS)
        return refuse(ISTHMUS_ARGUMENT, routine, "handler ", call.handler, " is out of range 0..",
                      ISTHMUS_KERNEL_HANDLERS - 1);
    if (call.handler > ISTHMUS_KERNEL_ARRIVE && !is_own_handler(call.handler))
        return refuse(ISTHMUS_ARGUMENT, routine, "handler ", call.handler,
                      " means nothing; those of the program begin with ",
                      int{ISTHMUS_KERNEL_FIRST_HANDLER});
    if (call.argument_count > ISTHMUS_KERNEL_ARGUMENTS)
        return refuse(ISTHMUS_TOO_LARGE, routine, call.argument_count, " arguments; at most ",
                      ISTHMUS_KERNEL_ARGUMENTS, " travel with a message");
    if ((call.flags & ~flags) != 0)
        return refuse(ISTHMUS_ARGUMENT, routine, "flags ", call.flags,
                      " has bits that mean nothing here");
    if (messages::is_in_handler())
        return refuse(ISTHMUS_ARGUMENT, routine, "called from a handler, which may only reply");
    return ISTHMUS_OK;
}

int check_payload(std::uint64_t bytes, const char* routine) {
    if (bytes <= ISTHMUS_KERNEL_PAYLOAD) return ISTHMUS_OK;
    return refuse(ISTHMUS_TOO_LARGE, routine, "a payload of ", bytes, " bytes; at most ",
                  ISTHMUS_KERNEL_PAYLOAD);
}

int check_range(int kernel, std::uint64_t offset, std::uint64_t bytes, unsigned right,
                const char* routine) {
    const Segment& segment = face->segments[static_cast<std::size_t>(kernel)];
    if (offset > segment.bytes || bytes > segment.bytes - offset)
        return refuse(ISTHMUS_BOUNDS, routine, bytes, " bytes at offset ", offset,
                      " do not lie in the segment of kernel ", kernel, ", which has ",
                      segment.bytes, " bytes");
    if (kernel != job.me && (segment.rights & right) == 0)
        return refuse(ISTHMUS_RIGHTS, routine, "the segment of kernel ", kernel,
                      right == ISTHMUS_WRITE ? " may not be written" : " may not be read");
    return ISTHMUS_OK;
}

int check_pieces(int kernel, const isthmus_kernel_blocks& blocks, unsigned right,
                 std::uint64_t& bytes, const char* routine) {
    bytes = 0;
    if (blocks.block == 0 || blocks.count == 0)
        return check_range(kernel, blocks.offset, 0, right, routine);
    if (right == ISTHMUS_WRITE && blocks.count > 1 && blocks.stride < blocks.block)
        return refuse(ISTHMUS_ARGUMENT, routine, "blocks of ", blocks.block,
                      " bytes with a stride "
                      "of ",
                      blocks.stride, " write over each other");
    std::uint64_t extent = 0;
    if (__builtin_mul_overflow(blocks.stride, blocks.count - 1, &extent) ||
        __builtin_add_overflow(extent, blocks.block, &extent) ||
        __builtin_mul_overflow(blocks.block, blocks.count, &bytes))
        return refuse(ISTHMUS_BOUNDS, routine, "the blocks reach beyond 2^64 bytes");
    return check_range(kernel, blocks.offset, extent, right, routine);
}

int check_pieces(int kernel, const isthmus_kernel_range* ranges, std::size_t count, unsigned right,
                 std::uint64_t& bytes, const char* routine) {
    bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (const int status =
                check_range(kernel, ranges[i].offset, ranges[i].size, right, routine))
            return status;
        if (__builtin_add_overflow(bytes, ranges[i].size, &bytes))
            return refuse(ISTHMUS_BOUNDS, routine, "the ranges have more than 2^64 bytes");
    }
    return ISTHMUS_OK;
}

int check_totals(std::uint64_t source, std::uint64_t dest, const char* routine) {
    if (source != dest)
        return refuse(ISTHMUS_ARGUMENT, routine, "the source has ", source,
                      " bytes and the destination ", dest);
    return check_payload(source, routine);
}

}  // namespace isthmus::kernel_face
