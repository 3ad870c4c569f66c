// Waiting for handles and events, one by one and in tables.
#include "api/gasnet/events.hpp"

#include <memory>

#include "base/known_objects.hpp"
#include "base/lasting.hpp"
#include "core/wait/in_handler.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace isthmus::gasnet::events {
namespace {

using Collective = isthmus_gasnet_collective;

// In the lowest bits of the word; those of a far operation are 0. GEX_EVENT_NO_OP is 1.
constexpr std::uintptr_t kCollective = 2;
constexpr std::uintptr_t kLeaf = 4;
constexpr std::uintptr_t kKinds = kCollective | kLeaf;
static_assert(alignof(far::Handle) > kKinds && alignof(std::max_align_t) > kKinds);

std::uintptr_t word_of(gasnet_handle_t event) {
    return reinterpret_cast<std::uintptr_t>(event);
}
gasnet_handle_t event_of(std::uintptr_t word) {
    return reinterpret_cast<gasnet_handle_t>(word);  // NOLINT(performance-no-int-to-ptr)
}
bool is_collective(gasnet_handle_t event) {
    return (word_of(event) & kCollective) != 0;
}
Collective* collective_of(gasnet_handle_t event) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<Collective*>(word_of(event) & ~kKinds);
}

Lasting<KnownObjects> under_way;  // collectives that have an event, in checked mode

bool is_known(gasnet_handle_t event) {
    if (!is_collective(event)) return far::is_taken_handle(&handle_of(event));
    return under_way->contains(collective_of(event));
}

}  // namespace

gasnet_handle_t of(far::Handle& handle) {
    return reinterpret_cast<gasnet_handle_t>(&handle);
}
far::Handle& handle_of(gasnet_handle_t event) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return *reinterpret_cast<far::Handle*>(word_of(event) & ~kKinds);
}
gasnet_handle_t of(Collective* collective) {
    if (job.checked) under_way->add(collective);
    return event_of(reinterpret_cast<std::uintptr_t>(collective) | kCollective);
}
gasnet_handle_t leaf_of(gasnet_handle_t root) {
    return event_of(word_of(root) | kLeaf);
}

bool test(gasnet_handle_t event) {
    const bool is_leaf = (word_of(event) & kLeaf) != 0;
    if (!is_collective(event)) {
        far::Handle& handle = handle_of(event);
        return is_leaf ? far::road->test(handle.completion) : far::test(handle);
    }
    std::unique_ptr<Collective> collective(collective_of(event));
    const bool complete = collectives::is_complete(*collective);
    if (!complete || is_leaf)
        (void)collective.release();
    else if (job.checked)
        under_way->remove(collective.get());
    return complete;
}

}  // namespace isthmus::gasnet::events

namespace {

// Tests those that are valid; how many still are, and how many became complete.
struct Count {
    std::size_t under_way = 0;
    std::size_t complete = 0;
};
// Leaves first: a root that is complete takes its leaves with it.
Count test_all(gasnet_handle_t* events, std::size_t count) {
    Count found;
    for (const bool leaves : {true, false}) {
        for (std::size_t i = 0; i < count; ++i) {
            if (events[i] == GASNET_INVALID_HANDLE) continue;
            const bool is_leaf = (events::word_of(events[i]) & events::kLeaf) != 0;
            if (is_leaf != leaves) continue;
            if (events::test(events[i])) {
                events[i] = GASNET_INVALID_HANDLE;
                ++found.complete;
            } else {
                ++found.under_way;
            }
        }
    }
    return found;
}
bool is_some(const Count& found) {
    return found.complete != 0 || found.under_way == 0;
}
bool is_all(const Count& found) {
    return found.under_way == 0;
}
int code(bool done) {
    return done ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void require_events(const gasnet_handle_t* events, std::size_t count, const char* routine) {
    for (std::size_t i = 0; i < count && job.checked; ++i) {
        if (events[i] == GASNET_INVALID_HANDLE || events::is_known(events[i])) continue;
        fail(routine, Text("handle ", InHex(events[i]),
                           " is none that an operation has given, or has been waited for"));
    }
}

// A handler does not go on with collectives: one that is under way stays so until it has ended.
[[gnu::cold]] void refuse_collectives(const gasnet_handle_t* events, std::size_t count,
                                      const char* routine) {
    for (std::size_t i = 0; i < count; ++i)
        if (events[i] != GASNET_INVALID_HANDLE && events::is_collective(events[i]))
            refuse_wait_in_handler(routine);
}

template <typename Enough>
void wait_for_events(gasnet_handle_t* events, std::size_t count, Enough enough, const char* routine,
                     Routine noted) {
    require_events(events, count, routine);
    const bool in_handler = messages::is_in_handler();
    if (!in_handler) poll();  // which would be refused by a name that is not this call's
    if (enough(test_all(events, count))) return;
    if (in_handler) [[unlikely]]
        refuse_collectives(events, count, routine);
    note(noted);
    wait_for({noted, -1, nullptr, WaitFor::memory}, [&] {
        poll_if_come();
        return enough(test_all(events, count));
    });
}

}  // namespace

void events::wait(gasnet_handle_t event, const char* routine, Routine noted) {
    if (event == GASNET_INVALID_HANDLE) return;
    if ((word_of(event) & kKinds) != 0) return wait_for_events(&event, 1, is_all, routine, noted);
    require_events(&event, 1, routine);
    poll(routine);
    note(noted);
    far::await(handle_of(event));
    far::give_back(handle_of(event));
}

ISTHMUS_API void isthmus_gasnet_wait_handle(gasnet_handle_t handle) {
    events::wait(handle, "gex_Event_Wait", Routine::gex_Event_Wait);
}
ISTHMUS_API void isthmus_gasnet_wait_syncnb(gasnet_handle_t handle) {
    events::wait(handle, "gasnet_wait_syncnb", Routine::gasnet_wait_syncnb);
}
ISTHMUS_API int isthmus_gasnet_try_handle(gasnet_handle_t handle) {
    require_events(&handle, 1, "gex_Event_Test");
    return code(events::test(handle));
}
ISTHMUS_API int isthmus_gasnet_try_syncnb(gasnet_handle_t handle) {
    require_events(&handle, 1, "gasnet_try_syncnb");
    return code(events::test(handle));
}

ISTHMUS_API void gasnet_wait_syncnb_all(gasnet_handle_t* handles, size_t count) {
    wait_for_events(handles, count, is_all, "gasnet_wait_syncnb_all",
                    Routine::gasnet_wait_syncnb_all);
}
ISTHMUS_API void gasnet_wait_syncnb_some(gasnet_handle_t* handles, size_t count) {
    wait_for_events(handles, count, is_some, "gasnet_wait_syncnb_some",
                    Routine::gasnet_wait_syncnb_some);
}
ISTHMUS_API int gasnet_try_syncnb_all_nopoll(gasnet_handle_t* handles, size_t count) {
    return code(is_all(test_all(handles, count)));
}
ISTHMUS_API int gasnet_try_syncnb_some_nopoll(gasnet_handle_t* handles, size_t count) {
    return code(is_some(test_all(handles, count)));
}
ISTHMUS_API int gasnet_try_syncnb_all(gasnet_handle_t* handles, size_t count) {
    poll("gasnet_try_syncnb_all");
    return gasnet_try_syncnb_all_nopoll(handles, count);
}
ISTHMUS_API int gasnet_try_syncnb_some(gasnet_handle_t* handles, size_t count) {
    poll("gasnet_try_syncnb_some");
    return gasnet_try_syncnb_some_nopoll(handles, count);
}

ISTHMUS_API void gex_Event_WaitSome(gex_Event_t* events, size_t count, gex_Flags_t) {
    wait_for_events(events, count, is_some, "gex_Event_WaitSome", Routine::gex_Event_WaitSome);
}
ISTHMUS_API void gex_Event_WaitAll(gex_Event_t* events, size_t count, gex_Flags_t) {
    wait_for_events(events, count, is_all, "gex_Event_WaitAll", Routine::gex_Event_WaitAll);
}
ISTHMUS_API int gex_Event_TestSome(gex_Event_t* events, size_t count, gex_Flags_t) {
    return gasnet_try_syncnb_some_nopoll(events, count);
}
ISTHMUS_API int gex_Event_TestAll(gex_Event_t* events, size_t count, gex_Flags_t) {
    return gasnet_try_syncnb_all_nopoll(events, count);
}
ISTHMUS_API gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t) {
    return root == GEX_EVENT_INVALID ? GEX_EVENT_INVALID : events::leaf_of(root);
}
