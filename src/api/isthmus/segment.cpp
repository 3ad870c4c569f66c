// Segments (isthmus/segment.h).
#include "core/segments/segment.hpp"

#include <bit>

#include "api/isthmus/export.hpp"
#include "base/error.hpp"
#include "core/segments/segment_allocator.hpp"
#include "core/wait/event.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

namespace {

int allocate(const Segment& segment, std::uint64_t alignment, std::uint64_t size,
             std::uint64_t* offset, Event* event, const char* routine) {
    if (const int status =
            refuse_access(segment, 0, 0, ISTHMUS_READ_WRITE, ISTHMUS_ALLOCATOR, 1, routine))
        return status;
    if (!std::has_single_bit(alignment) || alignment > 4096)
        return refuse(ISTHMUS_ARGUMENT, routine, "alignment ", alignment,
                      " is not a power of two up to 4096");
    if (size == 0) return refuse(ISTHMUS_ARGUMENT, routine, "the size is 0");
    if (alignment < kAllocatorAlignment) alignment = kAllocatorAlignment;
    AllocatorReport report{};
    const AllocatorResult result =
        is_far(segment)
            ? allocator_allocate_far(segment.owner, {home_of(segment), segment.size}, size,
                                     alignment, *offset, report)
            : allocator_allocate({segment.base, segment.size}, size, alignment, *offset);
    switch (result) {
        case AllocatorResult::done: complete(event); return ISTHMUS_OK;
        case AllocatorResult::no_room: {
            if (!is_far(segment)) report = allocator_report({segment.base, segment.size});
            return refuse(ISTHMUS_NO_MEMORY, routine, "no room for ", size,
                          " bytes: ", report.free_bytes, " of ", report.size, " are free, ",
                          report.largest, " in one piece");
        }
        default:
            return refuse(ISTHMUS_ARGUMENT, routine,
                          "the segment's lists are damaged: something wrote over them");
    }
}

int refuse_address(const Segment& segment) {
    return refuse(ISTHMUS_PROTOCOL, "isthmus_segment_address", "the segment of PE ", segment.owner,
                  " is on another host, where no address of this PE leads; use put and get");
}

}  // namespace

ISTHMUS_API int isthmus_segment_create(isthmus_segment* segment, uint64_t id, void* memory,
                                       uint64_t size, uint32_t access) {
    const char* routine = begin(Routine::native_segment_create);
    if (access & ISTHMUS_QUEUE)
        return refuse(ISTHMUS_ARGUMENT, routine, "ISTHMUS_QUEUE is for isthmus_queue_create");
    return without_exceptions(
        routine, [&] { return create_segment(*segment, id, memory, size, access, routine); });
}

ISTHMUS_API int isthmus_segment_clone(isthmus_segment* segment, uint64_t id, double timeout) {
    const char* routine = begin(Routine::native_segment_clone);
    return without_exceptions(routine,
                              [&] { return clone_segment(*segment, id, timeout, routine); });
}

ISTHMUS_API int isthmus_segment_default(isthmus_segment* segment, int pe) {
    require_session("isthmus_segment_default");
    return default_segment(*segment, pe, "isthmus_segment_default");
}

ISTHMUS_API int isthmus_segment_destroy(isthmus_segment* segment) {
    // Also without a session: objects may outlive it.
    if (!attached() && !forked_child)
        return refuse(ISTHMUS_STALE, "isthmus_segment_destroy", kSessionEnded);
    const char* routine = begin(Routine::native_segment_destroy);
    return whole(routine, [&] { return destroy_segment(*segment, routine); });
}

ISTHMUS_API int isthmus_segment_offset(const isthmus_segment* segment, const void* address,
                                       uint64_t* offset) {
    if (const int status = refuse_stale(*segment, "isthmus_segment_offset")) return status;
    const auto distance =
        static_cast<std::uint64_t>(static_cast<const char*>(address) - segment->base);
    if (distance >= segment->size) {
        return refuse(ISTHMUS_BOUNDS, "isthmus_segment_offset", "address ", InHex(address),
                      " is not within ", InHex(segment->base), "..",
                      InHex(segment->base + segment->size));
    }
    *offset = distance;
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_segment_address(const isthmus_segment* segment, uint64_t offset,
                                        void** address) {
    if (const int status = refuse_stale(*segment, "isthmus_segment_address")) return status;
    if (is_far(*segment)) return refuse_address(*segment);
    if (offset >= segment->size)
        return refuse(ISTHMUS_BOUNDS, "isthmus_segment_address", "offset ", offset,
                      " is not within 0..", segment->size);
    *address = segment->base + offset;
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_segment_malloc(const isthmus_segment* segment, uint64_t size,
                                       uint64_t* offset, isthmus_event* event) {
    return allocate(*segment, 16, size, offset, event, begin(Routine::native_segment_malloc));
}

ISTHMUS_API int isthmus_segment_memalign(const isthmus_segment* segment, uint64_t alignment,
                                         uint64_t size, uint64_t* offset, isthmus_event* event) {
    return allocate(*segment, alignment, size, offset, event,
                    begin(Routine::native_segment_memalign));
}

ISTHMUS_API int isthmus_segment_free(const isthmus_segment* segment, uint64_t offset,
                                     isthmus_event* event) {
    const char* routine = begin(Routine::native_segment_free);
    if (const int status =
            refuse_access(*segment, 0, 0, ISTHMUS_READ_WRITE, ISTHMUS_ALLOCATOR, 1, routine))
        return status;
    const AllocatorResult result =
        is_far(*segment)
            ? allocator_free_far(segment->owner, {home_of(*segment), segment->size}, offset)
            : allocator_free({segment->base, segment->size}, offset);
    switch (result) {
        case AllocatorResult::done: complete(event); return ISTHMUS_OK;
        case AllocatorResult::not_a_block:
            return refuse(ISTHMUS_ARGUMENT, routine, "offset ", offset,
                          " is not the beginning of an allocated block");
        default:
            return refuse(ISTHMUS_ARGUMENT, routine,
                          "the segment's lists are damaged: something wrote over them");
    }
}
