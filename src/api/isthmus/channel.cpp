// Channels (isthmus/channel.h). On one host an operation is the initiator's own stores and loads,
// so nothing is ever under way when a call returns: what is left to do is to order, and to count.
// With PEs of other hosts both fences wait, for what has gone to whatever PE: a flag at one must
// not be seen before the data at another.
#include <atomic>

#include "api/isthmus/export.hpp"
#include "core/event.hpp"
#include "core/far_segment.hpp"

using namespace isthmus;

namespace {

int count(isthmus_channel* channel, int status) {
    if (status == ISTHMUS_OK) ++channel->issued;
    return status;
}

}  // namespace

ISTHMUS_API int isthmus_channel_put(isthmus_channel* channel, const void* local,
                                    const isthmus_segment* segment, uint64_t offset,
                                    uint64_t size) {
    return count(channel, isthmus_put(local, segment, offset, size, nullptr));
}

ISTHMUS_API int isthmus_channel_get(isthmus_channel* channel, void* local,
                                    const isthmus_segment* segment, uint64_t offset,
                                    uint64_t size) {
    return count(channel, isthmus_get(local, segment, offset, size, nullptr));
}

ISTHMUS_API int isthmus_channel_postadd(isthmus_channel* channel, const isthmus_segment* segment,
                                        uint64_t offset, int64_t value) {
    return count(channel, isthmus_postadd(segment, offset, value));
}

ISTHMUS_API int isthmus_channel_poke(isthmus_channel* channel, const isthmus_segment* segment,
                                     uint64_t offset, int64_t value) {
    return count(channel, isthmus_poke(segment, offset, value));
}

// seq_cst: an earlier put is before a later get, too.
ISTHMUS_API int isthmus_channel_fence(isthmus_channel*) {
    if (far::present) [[unlikely]]
        fence_far();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return ISTHMUS_OK;
}

// seq_cst: the stores have left this processor before any later load.
ISTHMUS_API int isthmus_channel_quiet(isthmus_channel* channel) {
    if (far::present) [[unlikely]]
        fence_far();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    channel->completed = channel->issued;
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_channel_event(isthmus_channel* channel, isthmus_event* event) {
    isthmus_channel_quiet(channel);
    complete(event);
    return ISTHMUS_OK;
}
