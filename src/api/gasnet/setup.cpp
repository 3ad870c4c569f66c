// Coming and the segments: gasnet_init, gasnet_attach, and what can be asked.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <gasnet_tools.h>

#include "api/gasnet/face.hpp"
#include "core/job/heap.hpp"
#include "core/job/host_table.hpp"
#include "core/session/session.hpp"
#include "core/teams/collective.hpp"
#include "core/teams/collective/agreement.hpp"
#include "message/handlers.hpp"

// A program may define it: the largest segment that it wants.
extern "C" __attribute__((weak)) std::uint64_t gasnet_max_segsize;
extern "C" {
__attribute__((visibility("default"))) void (*gasnet_client_attach_hook)(void* base,
                                                                         uintptr_t size) = nullptr;
}

namespace isthmus::gasnet {

Lasting<Face> face;

namespace {

constexpr std::uint64_t kPage = GASNET_PAGESIZE;
constexpr gasnet_handler_t kFirstIndex = 128;

std::uint64_t whole_pages(std::uint64_t bytes) {
    return bytes / kPage * kPage;
}

// "512M", "2GB", "1 GB/P" (of each PE), "8GB/H" (of a host's PEs together), "0.85/H" (of the host's
// memory); 0 if it is none.
std::uint64_t segment_limit(const char* text) {
    char* end = nullptr;
    double bytes = std::strtod(text, &end);
    if (end == text || !std::isfinite(bytes) || bytes <= 0) return 0;
    while (*end == ' ')
        ++end;
    constexpr const char* kUnits = "KMGT";
    const bool has_byte = *end == 'B' || *end == 'b';
    if (const char* const unit =
            *end ? std::strchr(kUnits, std::toupper(static_cast<unsigned char>(*end))) : nullptr) {
        for (const char* step = kUnits; step <= unit; ++step)
            bytes *= 1024;
        ++end;
    } else if (bytes <= 1 && !has_byte) {
        bytes *= static_cast<double>(gasnett_getPhysMemSz(0));
    }
    if (*end == 'B' || *end == 'b') ++end;
    if (end[0] == '/' && std::strchr("HhPp", end[1]) && end[1] != 0) {
        if (end[1] == 'H' || end[1] == 'h') bytes /= static_cast<double>(job.near.count());
        end += 2;
    }
    while (*end == ' ')
        ++end;
    return *end == 0 ? static_cast<std::uint64_t>(std::min(bytes, 0x1p62)) : 0;
}

constexpr const char* kLimitVariable = "GASNET_MAX_SEGSIZE";

std::uint64_t largest_segment() {
    std::uint64_t most = 0;
    {
        const std::lock_guard lock(heap_guard);
        most = heap.largest_hole();
    }
    // Room for this face's own words.
    constexpr std::uint64_t kOwn = 2 * kPage;
    most = most > kOwn ? most - kOwn : 0;
    if (&gasnet_max_segsize != nullptr && gasnet_max_segsize != 0)
        most = std::min(most, gasnet_max_segsize);
    if (const char* const text = std::getenv(kLimitVariable))
        most = std::min(most, segment_limit(text));
    return whole_pages(most);
}

// Gives those that leave it open an index, in order, the lowest that is free. 0 if the table is
// good.
int complete_table(gasnet_handlerentry_t* table, int count) {
    constexpr const char* kRoutine = "gasnet_attach";
    std::array<bool, kFaceHandlers> taken{};
    for (int i = 0; i < count; ++i) {
        const gasnet_handler_t index = table[i].index;
        if (!table[i].fnptr)
            return refuse_argument(kRoutine, "entry ", i, " of the table has a null handler");
        if (index != 0 && index < kFirstIndex)
            return refuse_argument(kRoutine, "entry ", i, " of the table has index ", int{index},
                                   "; those of clients are 128..255");
        if (index != 0 && taken[index])
            return refuse_argument(kRoutine, "index ", int{index}, " is in the table twice");
        taken[index] = true;
    }
    unsigned next = kFirstIndex;
    for (int i = 0; i < count; ++i) {
        if (table[i].index != 0) continue;
        while (next < kFaceHandlers && taken[next])
            ++next;
        if (next == kFaceHandlers)
            return refuse_argument(kRoutine, "the table has more entries than the 128 indices");
        taken[next] = true;
        table[i].index = static_cast<gasnet_handler_t>(next);
    }
    return GASNET_OK;
}

// As what is wrong with a segment's size.
int check_size(const char* routine, std::uint64_t size) {
    if (size % kPage != 0)
        return refuse_argument(routine, "a segment of ", size,
                               " bytes; a multiple of the page size, ", kPage, ", is wanted");
    if (size > largest_segment())
        return refuse_argument(routine, "a segment of ", size, " bytes; at most ",
                               largest_segment(),
                               " (gasnet_getMaxLocalSegmentSize; SHMEM_SYMMETRIC_SIZE is the heap "
                               "that it lies in)");
    return GASNET_OK;
}

struct Offer {
    std::uint64_t segment_size;
    std::uint64_t bad;
};

int first_near_pe() {
    int pe = 0;
    while (!is_near(pe))
        ++pe;
    return pe;
}

char* allocate(std::uint64_t bytes) {
    const std::lock_guard lock(heap_guard);
    return static_cast<char*>(heap.allocate(bytes, kPage));
}

int attach(gasnet_handlerentry_t* table, int count, std::uint64_t size) {
    constexpr const char* kRoutine = "gasnet_attach";
    int error = complete_table(table, count);
    if (error == GASNET_OK) {
        for (int i = 0; i < count; ++i)
            messages::enter_handler_without_form(kFirstHandler + table[i].index,
                                                 reinterpret_cast<void*>(table[i].fnptr));
    }
    const int found = error;
    error = make_segments(kRoutine, Routine::gasnet_attach, size, error);
    for (int i = 0; error != GASNET_OK && found == GASNET_OK && i < count; ++i)
        messages::remove_handler(kFirstHandler + table[i].index);
    return error;
}

}  // namespace

void require_segment_limit(const char* routine) {
    const char* const text = std::getenv(kLimitVariable);
    if (!text || segment_limit(text) >= kPage) return;
    fail(routine, Text(kLimitVariable, "=", text,
                       " is no size of a page or more, as 512M, 2GB/P (of "
                       "each process), 8GB/H (of a host's) or 0.5/H (of the host's memory)"));
}

bool initialised = false;

// Who is near whom, and the largest segment that all nodes can have.
void meet_nodes() {
    struct Node {
        std::uint64_t segment;
        std::uint64_t first_near;
    };
    Face& made = *face;
    made.supernodes.clear();
    made.first_members.clear();
    const Node mine{largest_segment(), static_cast<std::uint64_t>(first_near_pe())};
    std::vector<Node> nodes(static_cast<std::size_t>(job.pes));
    share_words(isthmus_team_world, Routine::gasnet_init, &mine, sizeof mine, nodes.data());
    made.common_segment = mine.segment;
    for (int pe = 0; pe < job.pes; ++pe) {
        const Node& node = nodes[static_cast<std::size_t>(pe)];
        const auto first = static_cast<gasnet_node_t>(node.first_near);
        made.common_segment = std::min(made.common_segment, node.segment);
        if (first == static_cast<gasnet_node_t>(pe)) made.first_members.push_back(first);
        const auto found = std::find(made.first_members.begin(), made.first_members.end(), first);
        made.supernodes.push_back(static_cast<gasnet_node_t>(found - made.first_members.begin()));
    }
}

bool open_calls() {
    if (face->begun) return true;
    char* const words = allocate(sizeof(Control));
    if (!words) return false;
    std::memset(words, 0, sizeof(Control));
    control = reinterpret_cast<Control*>(words);
    open_barriers(first_near_pe(), static_cast<int>(job.near.count()),
                  static_cast<int>(face->first_members.size()));
    face->begun = true;
    return true;
}

int make_segments(const char* routine, Routine noted, std::uint64_t size, int error) {
    if (const int wrong = check_size(routine, size)) error = wrong;
    // All come to this, so that nobody waits for one that was refused.
    const Offer mine{size, error != GASNET_OK ? 1U : 0U};
    std::vector<Offer> offers(static_cast<std::size_t>(job.pes));
    share_words(isthmus_team_world, noted, &mine, sizeof mine, offers.data());
    std::uint64_t largest = 0;
    for (int pe = 0; pe < job.pes; ++pe) {
        const Offer& offer = offers[static_cast<std::size_t>(pe)];
        largest = std::max(largest, offer.segment_size);
        if (offer.bad != 0 && error == GASNET_OK)
            error = refuse_argument(routine, "what node ", pe, " asks for is refused there");
    }
    if (error != GASNET_OK) return error;
    const bool may_begin = open_calls();
    char* const segment = largest != 0 ? allocate(largest) : nullptr;
    if (!may_begin || (largest != 0 && !segment)) {
        refuse(ISTHMUS_NO_MEMORY, routine, "the symmetric heap has no room for a segment of ",
               largest, " bytes; raise SHMEM_SYMMETRIC_SIZE");
        return GASNET_ERR_RESOURCE;
    }
    face->segments.clear();
    for (const Offer& offer : offers)
        face->segments.push_back({offer.segment_size != 0 ? segment : nullptr, offer.segment_size});
    face->attached = true;
    if (gasnet_client_attach_hook) gasnet_client_attach_hook(size != 0 ? segment : nullptr, size);
    barrier_world();  // nobody sends or puts before all are here
    return GASNET_OK;
}

int check_initialised(const char* routine) {
    if (initialised && messages::post.pes != 0) [[likely]]
        return GASNET_OK;
    refuse(ISTHMUS_STALE, routine, "called before gasnet_init or after the end of the session");
    return GASNET_ERR_NOT_INIT;
}

void require_attached(const char* routine) {
    if (isthmus::attached() && face->begun) [[likely]]
        return;
    fail(routine, forked_child ? "called in a forked child, which is no node"
                               : "called before gasnet_attach or after the end of the session");
}

namespace {

bool is_within(const gasnet_seginfo_t& segment, const void* address, std::size_t bytes) {
    const std::uint64_t offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(segment.addr);
    return segment.addr && offset <= segment.size && bytes <= segment.size - offset;
}

}  // namespace

bool is_in_segment(const void* address, std::size_t bytes, int pe) {
    const auto at = static_cast<std::size_t>(pe);
    if (at < face->segments.size() && is_within(face->segments[at], address, bytes)) return true;
    if (at >= face->published.size()) return false;
    const auto& others = face->published[at];
    return std::any_of(others.begin(), others.end(), [=](const gasnet_seginfo_t& segment) {
        return is_within(segment, address, bytes);
    });
}

Text why_not_in_segment(const void* address, std::size_t bytes, int pe) {
    if (static_cast<std::size_t>(pe) >= face->segments.size())
        return Text("there are no segments before gasnet_attach");
    const gasnet_seginfo_t& segment = face->segments[static_cast<std::size_t>(pe)];
    if (segment.size == 0) return Text("node ", pe, " has no segment");
    const auto begin = reinterpret_cast<std::uintptr_t>(segment.addr);
    return Text("address ", InHex(address), " with ", bytes,
                " bytes is not in the segment of node ", pe, ", ", InHex(begin), "..",
                InHex(begin + segment.size));
}

}  // namespace isthmus::gasnet

using namespace isthmus;
using namespace isthmus::gasnet;

ISTHMUS_API int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                              uintptr_t) {
    constexpr const char* kRoutine = "gasnet_attach";
    if (const int error = check_initialised(kRoutine)) return error;
    if (face->attached) {
        refuse(ISTHMUS_ARGUMENT, kRoutine, "called again");
        return GASNET_ERR_NOT_INIT;
    }
    note(Routine::gasnet_attach);
    return whole(kRoutine, [&] { return attach(table, table ? numentries : 0, segsize); });
}

ISTHMUS_API uintptr_t gasnet_getMaxLocalSegmentSize(void) {
    return check_initialised("gasnet_getMaxLocalSegmentSize") == GASNET_OK ? largest_segment() : 0;
}
// What has been allocated since is the same at all nodes.
ISTHMUS_API uintptr_t gasnet_getMaxGlobalSegmentSize(void) {
    return check_initialised("gasnet_getMaxGlobalSegmentSize") == GASNET_OK
               ? std::min(face->common_segment, largest_segment())
               : 0;
}

ISTHMUS_API gasnet_node_t gasnet_nodes(void) {
    return window.pes;
}

ISTHMUS_API int gasnet_getSegmentInfo(gasnet_seginfo_t* table, int numentries) {
    if (!face->attached) {
        refuse(ISTHMUS_ARGUMENT, "gasnet_getSegmentInfo", "called before gasnet_attach");
        return GASNET_ERR_NOT_INIT;
    }
    std::copy_n(face->segments.begin(), std::clamp(numentries, 0, job.pes), table);
    return GASNET_OK;
}

ISTHMUS_API int gasnet_getNodeInfo(gasnet_nodeinfo_t* table, int numentries) {
    if (const int error = check_initialised("gasnet_getNodeInfo")) return error;
    for (int pe = 0; pe < std::min(numentries, job.pes); ++pe) {
        const std::uintptr_t zero = 0;
        const std::uintptr_t offset =
            is_near(pe)
                ? reinterpret_cast<std::uintptr_t>(translate(reinterpret_cast<char*>(zero), pe))
                : 0;
        table[pe] = {static_cast<gasnet_node_t>(host_number(pe)),
                     face->supernodes[static_cast<std::size_t>(pe)], offset};
    }
    return GASNET_OK;
}

ISTHMUS_API int gasnet_set_waitmode(int mode) {
    if (mode >= GASNET_WAIT_SPIN && mode <= GASNET_WAIT_SPINBLOCK) return GASNET_OK;
    return refuse_argument("gasnet_set_waitmode", "mode ", mode,
                           " is none of GASNET_WAIT_SPIN, _BLOCK and _SPINBLOCK");
}

namespace {

struct NamedError {
    int error;
    const char* name;
    const char* description;
};
constexpr NamedError kErrors[] = {
    {GASNET_OK, "GASNET_OK", "no error"},
    {GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT",
     "called before gasnet_init or gasnet_attach, or twice"},
    {GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE", "there is no room for it"},
    {GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG",
     "an argument is wrong; with ISTHMUS_CHECK=1 the library says which"},
    {GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY", "not complete yet"},
    {GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH", "the names of the barrier differ"},
};
const NamedError* find_error(int error) {
    const auto* const found =
        std::find_if(std::begin(kErrors), std::end(kErrors),
                     [error](const NamedError& one) { return one.error == error; });
    return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace

ISTHMUS_API const char* gasnet_ErrorName(int error) {
    const NamedError* const found = find_error(error);
    return found ? found->name : "unknown error";
}
ISTHMUS_API const char* gasnet_ErrorDesc(int error) {
    const NamedError* const found = find_error(error);
    return found ? found->description : "no code of GASNet's";
}

ISTHMUS_API char* gasnet_getenv(const char* name) {
    return std::getenv(name);
}
