// Channels (isthmus/channel.h). On one host an operation is the initiator's own stores and loads,
// so nothing is ever under way when a call returns: what is left to do is to order, and to count.
//
// What goes to PEs of other hosts is left under way on a channel of the road's, which the program's
// has from its first such operation until it is quiet. Both fences wait for it, whatever PE it has
// gone to: a flag at one must not be seen before the data at another.
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "api/isthmus/export.hpp"
#include "base/lasting.hpp"
#include "core/reach/channel.hpp"
#include "core/segments/far_segment.hpp"
#include "core/wait/event.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;

namespace {

int count(isthmus_channel* channel, int status) {
    if (status == ISTHMUS_OK) ++channel->issued;
    return status;
}

// Those that no channel of the program's has now.
std::mutex guard;
Lasting<std::vector<std::unique_ptr<far::OwnChannel>>> spare;

far::OwnChannel* between(const isthmus_channel& channel) {
    return static_cast<far::OwnChannel*>(channel.between);
}

far::Channel& open(isthmus_channel& channel) {
    if (!channel.between) {
        const std::lock_guard lock(guard);
        // One of a session that has ended has gone with its road.
        while (!spare->empty() && !spare->back()->is_open())
            spare->pop_back();
        if (spare->empty()) spare->push_back(std::make_unique<far::OwnChannel>());
        channel.between = spare->back().release();
        spare->pop_back();
    }
    return *between(channel)->get();
}

// When it is quiet. Without memory it keeps it, for its next operation.
void give_back(isthmus_channel& channel) {
    const std::lock_guard lock(guard);
    try {
        spare->reserve(spare->size() + 1);
    } catch (const std::bad_alloc&) {
        return;
    }
    spare->emplace_back(between(channel));
    channel.between = nullptr;
}

void await_far(const isthmus_channel& channel) {
    if (!channel.between) return;
    if (far::Channel* const on = between(channel)->get()) on->quiet();
}

// Of a segment on another host, by issue(channel of the road's), if it may be so used; of others
// nothing is done, and false returned.
template <typename Issue>
bool is_issued(isthmus_channel* channel, const Segment& segment, std::uint32_t needed,
               std::uint64_t offset, std::uint64_t size, const char* routine, int& status,
               Issue&& issue) {
    if (!far::present || !takes_far(segment, offset, size, needed)) [[likely]]
        return false;
    status = without_exceptions(routine, [&] {
        issue(open(*channel));
        return ISTHMUS_OK;
    });
    return true;
}

int post(isthmus_channel* channel, const isthmus_segment* segment, std::uint64_t offset,
         std::uint32_t right, const far::Atomic& atomic, const char* routine, int& status) {
    const bool aligned = offset % atomic.width == 0;
    return aligned && is_issued(channel, *segment, ISTHMUS_ATOMICS | right, offset, atomic.width,
                                routine, status, [&](far::Channel& on) {
                                    post_on(on, *segment, offset, atomic, routine);
                                });
}

}  // namespace

ISTHMUS_API int isthmus_channel_put(isthmus_channel* channel, const void* local,
                                    const isthmus_segment* segment, uint64_t offset,
                                    uint64_t size) {
    int status = ISTHMUS_OK;
    const auto issue = [&](far::Channel& on) {
        put_on(on, *segment, offset, local, size, "isthmus_put");
    };
    if (!is_issued(channel, *segment, ISTHMUS_WRITE | ISTHMUS_TRANSFERS, offset, size,
                   "isthmus_put", status, issue))
        status = isthmus_put(local, segment, offset, size, nullptr);
    return count(channel, status);
}

ISTHMUS_API int isthmus_channel_get(isthmus_channel* channel, void* local,
                                    const isthmus_segment* segment, uint64_t offset,
                                    uint64_t size) {
    int status = ISTHMUS_OK;
    const auto issue = [&](far::Channel& on) {
        get_on(on, local, *segment, offset, size, "isthmus_get");
    };
    if (!is_issued(channel, *segment, ISTHMUS_READ | ISTHMUS_TRANSFERS, offset, size, "isthmus_get",
                   status, issue))
        status = isthmus_get(local, segment, offset, size, nullptr);
    return count(channel, status);
}

ISTHMUS_API int isthmus_channel_postadd(isthmus_channel* channel, const isthmus_segment* segment,
                                        uint64_t offset, int64_t value) {
    int status = ISTHMUS_OK;
    const far::Atomic atomic{far::AtomicKind::add, 8, static_cast<std::uint64_t>(value), 0};
    if (!post(channel, segment, offset, ISTHMUS_READ_WRITE, atomic, "isthmus_postadd", status))
        status = isthmus_postadd(segment, offset, value);
    return count(channel, status);
}

ISTHMUS_API int isthmus_channel_poke(isthmus_channel* channel, const isthmus_segment* segment,
                                     uint64_t offset, int64_t value) {
    int status = ISTHMUS_OK;
    const far::Atomic atomic{far::AtomicKind::set, 8, static_cast<std::uint64_t>(value), 0};
    if (!post(channel, segment, offset, ISTHMUS_WRITE, atomic, "isthmus_poke", status))
        status = isthmus_poke(segment, offset, value);
    return count(channel, status);
}

// seq_cst: an earlier put is before a later get, too.
ISTHMUS_API int isthmus_channel_fence(isthmus_channel* channel) {
    await_far(*channel);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return ISTHMUS_OK;
}

// seq_cst: the stores have left this processor before any later load.
ISTHMUS_API int isthmus_channel_quiet(isthmus_channel* channel) {
    if (channel->between) {
        await_far(*channel);
        end_quiets_of(&channel->completed);
        give_back(*channel);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    channel->completed = channel->issued;
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_channel_event(isthmus_channel* channel, isthmus_event* event) {
    far::Channel* const on = channel->between ? between(*channel)->get() : nullptr;
    if (!event || !on || far::is_zero(on->before_quiet())) {
        isthmus_channel_quiet(channel);
        complete(event);
        return ISTHMUS_OK;
    }
    begin_quiet(*on, *event, &channel->completed, channel->issued);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return ISTHMUS_OK;
}
