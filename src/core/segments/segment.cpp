#include "core/segments/segment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/heap.hpp"
#include "core/job/job.hpp"
#include "core/job/mapping.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/segments/arena.hpp"
#include "core/segments/directory.hpp"
#include "core/segments/segment_allocator.hpp"
#include "core/wait/status.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kDefaultIds = ISTHMUS_DEFAULT_ID(0);  // and on; below: of created ones
constexpr std::uint64_t kChosenByLibrary = std::uint64_t{1} << 61;
constexpr std::uint32_t kKnownAccess =
    ISTHMUS_READ_WRITE | ISTHMUS_TRANSFERS | ISTHMUS_ATOMICS | ISTHMUS_ALLOCATOR | ISTHMUS_QUEUE;

const std::uint32_t no_generation = 0;
constexpr const char* kOfNoSegment =
    "this view is of no segment: destroyed, moved from, or never made";

bool is_of_nothing(const Segment& segment) {
    return !segment.base || !segment.generation_now || segment.generation_now == &no_generation;
}

// How many sessions have ended: the generation of the default segments, which nobody destroys.
std::uint32_t sessions_ended = 0;

// In the access of views, to tell what ended with its session from what its owner destroyed.
std::uint32_t session_mark() {
    return kOfSession | __atomic_load_n(&sessions_ended, __ATOMIC_RELAXED) << kSessionBits;
}

bool is_of_earlier_session(const Segment& segment) {
    if (segment.generation_now == &sessions_ended || !attached()) return true;
    return (segment.access & kOfSession) != 0 &&
           segment.access >> kSessionBits != session_mark() >> kSessionBits;
}

// What this PE has made: to undo it.
struct Made {
    DirectoryPlace place;
    void* block = nullptr;    // of the arena, if the library provided or adopted
    void* adopted = nullptr;  // the user's pages, if adopted
    void* ring = nullptr;     // of a queue: of the arena as well, but not this record's
    std::uint64_t size = 0;
    std::vector<Range> executable;  // of the adopted
};
std::mutex guard;
Lasting<std::map<std::uint64_t, Made>> made_here;
constinit std::map<std::uint64_t, Made>& made = *made_here;  // by id
std::uint64_t next_id = 0;

Text name(std::uint64_t id) {
    if (id >= kDefaultIds) return Text("the default segment of PE ", id - kDefaultIds);
    return Text("segment ", InHex(id));
}

Text default_ids_text() {
    return Text("ids from 2^62 on are those of the default segments, ISTHMUS_DEFAULT_ID(0..",
                job.pes - 1, ")");
}

std::uint64_t choose_id() {
    return kChosenByLibrary | static_cast<std::uint64_t>(job.me) << 40 | next_id++;
}

// Of a far one, whose generation is written with all bits turned.
void set_short_put(Segment& segment) {
    const std::uint32_t needed = ISTHMUS_WRITE | ISTHMUS_TRANSFERS;
    transport::Address to;
    if ((segment.access & needed) != needed || segment.size < kShortPut ||
        !far::find_address(home_of(segment), segment.size, segment.owner, to))
        return;
    const transport::ShortCalls& call = far::express.call;
    static_assert(sizeof(*call.written) == 1);
    segment.short_put = {segment.size - kShortPut + 1,
                         to.offset,
                         to.key,
                         call.put,
                         call.put_road,
                         reinterpret_cast<const unsigned char*>(call.written + segment.owner),
                         ~segment.generation};
}

void set_ends(Segment& segment) {
    segment.transfer_end = 0;
    segment.atomic_end = 0;
    if (!is_near(segment.owner)) {
        segment.access |= ISTHMUS_FAR;
        segment.generation = ~segment.generation;
        segment.sleepers = &no_generation;
        set_short_put(segment);
        return;
    }
    if (segment.access & ISTHMUS_TRANSFERS) {
        segment.transfer_end = segment.size;
        if (!job.checked) segment.access |= (segment.access & ISTHMUS_READ_WRITE) << kTransferBits;
    }
    const std::uint32_t needed = ISTHMUS_ATOMICS | ISTHMUS_READ_WRITE;
    segment.atomic_end =
        (segment.access & needed) == needed && segment.size >= 8 ? segment.size - 7 : 0;
}

// Static data lies elsewhere at each PE, the heap and the arena do not. So a place is an offset
// from the beginning of the one or the other, and the top bit tells which.
constexpr std::uint64_t kInStaticData = std::uint64_t{1} << 63;

std::uint64_t symmetric_place(std::uintptr_t address) {
    const auto* const memory = reinterpret_cast<const void*>(address);
    if (in_static_data(memory)) return static_offset(memory) | kInStaticData;
    return address - heap_base();
}

char* address_of_place(std::uint64_t place) {
    const std::uint64_t offset = place & ~kInStaticData;
    return reinterpret_cast<char*>((place & kInStaticData) != 0 ? static_address(offset)
                                                                : heap_base() + offset);
}

Segment view(const Publication& publication, const DirectoryPlace& place) {
    Segment segment{};
    segment.base = translate(address_of_place(publication.place), publication.owner);
    segment.size = publication.size;
    segment.generation_now = generation_word(place);
    segment.generation = place.generation;
    segment.sleepers =
        reinterpret_cast<const std::uint32_t*>(&job.header->pe[publication.owner].sleepers);
    segment.id = publication.id;
    segment.access = publication.access | session_mark();
    segment.owner = publication.owner;
    segment.entry = -1;  // the creator's alone names its place: only that takes the id back
    if (publication.owner == job.me) segment.access |= ISTHMUS_READ_WRITE;
    set_ends(segment);
    return segment;
}

bool is_symmetric_memory(const void* memory, std::uint64_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    for (const Range& range : {heap.range(), static_range(memory).range}) {
        if (range.size != 0 && range.contains(memory)) return size <= range.end() - begin;
    }
    return false;
}

// 0 if the memory begins where the kinds of operation need it: at the widest atomic, at the
// allocator's unit.
int check_alignment(const void* memory, std::uint32_t access, const char* routine) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const auto refuse_below = [&](std::uint64_t alignment, const char* kind) {
        return refuse(ISTHMUS_ARGUMENT, routine, kind,
                      " needs memory that begins at a multiple of ", alignment, " bytes, and ",
                      InHex(memory), " is none: align it, or leave ", kind, " out of the access");
    };
    if ((access & ISTHMUS_ALLOCATOR) != 0 && begin % kAllocatorAlignment != 0)
        return refuse_below(kAllocatorAlignment, "ISTHMUS_ALLOCATOR");
    if ((access & ISTHMUS_ATOMICS) != 0 && begin % sizeof(std::int64_t) != 0)
        return refuse_below(sizeof(std::int64_t), "ISTHMUS_ATOMICS");
    return ISTHMUS_OK;
}

// 0 if the pages at `memory` may become a segment's. `guard` is held.
int check_adoptable(const void* memory, std::uint64_t size, std::vector<Range>& executable,
                    const char* routine) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    if (begin % os::page_size() != 0 || size % os::page_size() != 0)
        return refuse(ISTHMUS_ARGUMENT, routine,
                      "the memory is neither symmetric nor whole pages of ", os::page_size(),
                      " bytes; pass null to let the library provide it");
    if (size > std::uint64_t{0} - begin)
        return refuse(ISTHMUS_ARGUMENT, routine, size, " bytes at ", InHex(memory),
                      " reach beyond the address space");
    for (const auto& [id, record] : made) {
        const auto other = reinterpret_cast<std::uintptr_t>(record.adopted);
        if (other == 0 || begin >= other + record.size || other >= begin + size) continue;
        return refuse(ISTHMUS_ARGUMENT, routine, "the memory overlaps ", name(id),
                      ", which has adopted ", record.size, " bytes at ", InHex(record.adopted),
                      "; destroy that first");
    }
    Mappings mappings;
    if (mappings.error() != 0)
        return refuse(ISTHMUS_NO_MEMORY, routine,
                      "/proc/self/maps, which tells what the memory is, "
                      "cannot be opened: ",
                      std::strerror(mappings.error()));
    const Text why = why_not_adoptable(begin, size, mappings, executable);
    if (why.empty()) return ISTHMUS_OK;
    return refuse(ISTHMUS_ARGUMENT, routine, why,
                  "; only private memory that may be read and written is adopted");
}

// Finds or makes the shared memory behind a segment. Status 0, or a refusal.
int provide_memory(void* memory, std::uint64_t size, std::uint32_t access, Made& record,
                   std::uintptr_t& shared, const char* routine) {
    if (memory) {
        // Of the arena a ring alone is published here, by who has allocated it.
        const bool ring = (access & ISTHMUS_QUEUE) != 0;
        if (!ring && job.arena.contains(memory))
            return refuse(ISTHMUS_ARGUMENT, routine, "the memory at ", InHex(memory),
                          " lies in the arena, where the library provides segments and "
                          "queues with theirs; pass null to let it provide more");
        if (ring || is_symmetric_memory(memory, size)) {
            if (const int status = check_alignment(memory, access, routine)) return status;
            shared = reinterpret_cast<std::uintptr_t>(memory);
            if (ring) record.ring = memory;
            return ISTHMUS_OK;
        }
        if (const int status = check_adoptable(memory, size, record.executable, routine))
            return status;
    }
    record.block = arena_allocate(size, access);
    if (!record.block)
        return refuse(ISTHMUS_NO_MEMORY, routine, "no room for ", size,
                      " bytes in the arena: ", arena_free_bytes(), " of ", arena_size(),
                      " are free; raise ISTHMUS_ARENA_SIZE");
    if (memory) {
        if (!adopt_pages(memory, size, record.block)) {
            const int reason = errno;
            arena_release(record.block);
            return refuse(ISTHMUS_NO_MEMORY, routine,
                          "cannot share these pages: ", std::strerror(reason));
        }
        allow_execution(record.executable);
        record.adopted = memory;
    }
    shared = reinterpret_cast<std::uintptr_t>(record.block);
    return ISTHMUS_OK;
}

// False and errno if adopted pages cannot become private again. Then the block must stay: they lie
// on it, and releasing it would empty them.
bool make_private(const Made& record) {
    if (!record.adopted) return true;
    const bool returned = return_pages(record.adopted, record.size, record.block);
    const int reason = errno;
    allow_execution(record.executable);
    errno = reason;
    return returned;
}

Text why_still_shared(std::uint64_t id, const Made& record, int reason) {
    return Text("the ", record.size, " bytes that ", name(id),
                " adopted cannot become private memory again: ", std::strerror(reason));
}

void release_block(const Made& record) {
    if (record.block) arena_release(record.block);
}

// Where there is no way back: at the end of a session, or of a create that failed.
void give_back(std::uint64_t id, const Made& record, const char* routine) {
    if (!make_private(record)) fail(routine, why_still_shared(id, record, errno));
    release_block(record);
}

int refuse_ended(const Segment& segment, const char* routine) {
    return refuse(ISTHMUS_STALE, routine, name(segment.id),
                  " ended with its session, by isthmus_finalize or shmem_finalize");
}

int refuse_taken(std::uint64_t id, int owner, const char* routine) {
    return refuse(ISTHMUS_EXISTS, routine, name(id), " is already published by PE ", owner);
}

}  // namespace

int create_segment(Segment& segment, std::uint64_t id, void* memory, std::uint64_t size,
                   std::uint32_t access, const char* routine) {
    if (size == 0) return refuse(ISTHMUS_ARGUMENT, routine, "the size is 0");
    if (access & kOfSession) access &= (kOfSession - 1) & ~kViewBits;  // taken from another view
    if (access == 0) access = ISTHMUS_DEFAULT_ACCESS;
    if (access & ~kKnownAccess)
        return refuse(ISTHMUS_ARGUMENT, routine, "access ", access, " has unknown bits");
    const std::lock_guard lock(guard);
    const bool any = id == ISTHMUS_ANY_ID;
    if (any)
        id = choose_id();
    else if (id >= kDefaultIds)
        return refuse(ISTHMUS_ARGUMENT, routine, "the id is not below 2^62; ", default_ids_text());
    Made record;
    record.size = size;
    // Room for the record, which may throw, before there is something to record.
    std::map<std::uint64_t, Made> room{{id, record}};
    auto node = room.extract(room.begin());
    std::uintptr_t shared = 0;
    if (const int status = provide_memory(memory, size, access, record, shared, routine))
        return status;
    // Before anybody finds it. The memory may be the program's, to which a refusal does nothing:
    // what was there comes back, and an id that is taken is seen before.
    char before[kFormattedBytes];
    auto* const beginning = reinterpret_cast<char*>(shared);
    const bool formats = (access & ISTHMUS_ALLOCATOR) != 0;
    if (formats) {
        Publication other;
        if (!any && look_up(id, other, record.place)) {
            give_back(id, record, routine);
            return refuse_taken(id, other.owner, routine);
        }
        std::memcpy(before, beginning, std::min<std::uint64_t>(size, sizeof before));
        if (!format_allocator(beginning, size)) {
            give_back(id, record, routine);
            return refuse(ISTHMUS_ARGUMENT, routine, "too small for an allocator: at least ",
                          kSmallestAllocator, " bytes");
        }
    }
    Publication publication{id, symmetric_place(shared), size, access, job.me};
    std::int32_t taken_by = -1;
    PublishResult published = publish(publication, record.place, &taken_by);
    // A program has chosen the same number; or the id's home is full, and others may not be.
    for (int homes = 0; any && (published == PublishResult::exists ||
                                (published == PublishResult::full && ++homes < 4 * job.pes));) {
        publication.id = id = choose_id();
        published = publish(publication, record.place, &taken_by);
    }
    if (formats && published != PublishResult::done) std::memcpy(beginning, before, sizeof before);
    switch (published) {
        case PublishResult::done: break;
        case PublishResult::exists:
            give_back(id, record, routine);
            return refuse_taken(id, taken_by, routine);
        case PublishResult::full:
            give_back(id, record, routine);
            return refuse(ISTHMUS_NO_MEMORY, routine, "the directory has no room for ", name(id),
                          ": PE ", record.place.home, ", where ids like this are kept, holds ",
                          kDirectoryEntries,
                          " segments and queues, which is the limit of a PE; destroy some of them");
    }
    // Of an id whose home is on another host it keeps a copy of the generation, and others see it.
    segment = whole(routine, [&] { return view(publication, record.place); });
    segment.entry = record.place.index;
    if (memory) segment.base = static_cast<char*>(memory);
    node.key() = id;
    node.mapped() = std::move(record);
    made.insert(std::move(node));
    return ISTHMUS_OK;
}

int clone_segment(Segment& segment, std::uint64_t id, double timeout, const char* routine) {
    if (id >= kDefaultIds) {
        if (id - kDefaultIds < static_cast<std::uint64_t>(job.pes))
            return default_segment(segment, static_cast<int>(id - kDefaultIds), routine);
        return refuse(ISTHMUS_ARGUMENT, routine,
                      "nobody has this id, and nobody will: ", default_ids_text());
    }
    Publication publication;
    DirectoryPlace place;
    if (!(timeout >= 0)) timeout = seconds(Setting::clone_seconds);
    const std::uint64_t start = os::monotonic_nanoseconds();
    bool told = false;
    WaitTarget target{Routine::native_segment_clone};
    target.value = id;
    Waiter waiter(target);
    // Asking a home on another host is a request that it serves: the longer nobody has published
    // the id, the seldomer.
    const bool near_home = has_near_home(id);
    constexpr std::uint64_t kLongestPause = 4'000'000;  // nanoseconds
    std::uint64_t pause = 20'000;
    while (!look_up(id, publication, place)) {
        const double waited = static_cast<double>(os::monotonic_nanoseconds() - start) * 1e-9;
        if (waited >= timeout) {
            return refuse(ISTHMUS_TIMEOUT, routine, name(id), " was not published within ",
                          seconds_text(timeout), " (ISTHMUS_CLONE_SECONDS, or the argument)");
        }
        if (waited > 1.0 && !told) {
            told = true;
            say_from(routine, Text("still waiting for ", name(id), " to be published"));
        }
        if (!near_home) {
            os::sleep_nanoseconds(pause);
            pause = std::min(2 * pause, kLongestPause);
            waiter.look();
        } else {
            waiter.step();
        }
    }
    segment = view(publication, place);
    return ISTHMUS_OK;
}

int default_segment(Segment& segment, int pe, const char* routine) {
    if (pe < 0 || pe >= job.pes)
        return refuse(ISTHMUS_ARGUMENT, routine, "pe ", pe, " is out of range 0..", job.pes - 1);
    segment = Segment{};
    segment.base = translate(reinterpret_cast<char*>(heap.range().begin), pe);
    segment.size = heap.range().size;
    segment.generation_now = &sessions_ended;
    segment.generation = __atomic_load_n(&sessions_ended, __ATOMIC_RELAXED);
    segment.sleepers = reinterpret_cast<const std::uint32_t*>(&job.header->pe[pe].sleepers);
    segment.id = ISTHMUS_DEFAULT_ID(pe);
    segment.access = ISTHMUS_DEFAULT_ACCESS | session_mark();
    segment.owner = pe;
    segment.entry = -1;
    set_ends(segment);
    return ISTHMUS_OK;
}

int destroy_segment(Segment& segment, const char* routine) {
    if (is_of_nothing(segment)) return refuse(ISTHMUS_STALE, routine, kOfNoSegment);
    if (segment.entry >= 0 && segment.owner == job.me) {
        const std::lock_guard lock(guard);
        const auto found = made.find(segment.id);
        // A cell counts its own generations: the same one in another cell is another segment.
        if (found == made.end() || found->second.place.index != segment.entry ||
            found->second.place.generation != segment.generation)
            return is_of_earlier_session(segment)
                       ? refuse_ended(segment, routine)
                       : refuse(ISTHMUS_STALE, routine, name(segment.id), " was already destroyed");
        if (!make_private(found->second))
            return refuse(ISTHMUS_NO_MEMORY, routine,
                          why_still_shared(segment.id, found->second, errno));
        withdraw(found->second.place);
        release_block(found->second);
        made.erase(found);
    }
    segment = Segment{};
    segment.generation_now = &no_generation;
    segment.generation = 1;  // any use of the view is stale
    segment.sleepers = &no_generation;
    segment.entry = -1;
    return ISTHMUS_OK;
}

void release_segments() {
    const std::lock_guard lock(guard);
    for (const auto& [id, record] : made) {
        withdraw_at_end(record.place);
        give_back(id, record, "isthmus_finalize");
    }
    made.clear();
    end_default_segments();
    close_directory();
}

void end_default_segments() {
    // Relaxed: operations that are under way while their session ends are a mistake.
    __atomic_fetch_add(&sessions_ended, 1, __ATOMIC_RELAXED);
}

Text describe_in_segment(const void* address) {
    const std::unique_lock lock(guard, std::try_to_lock);
    if (!lock) return Text();
    for (const auto& [id, record] : made) {
        const void* const begin = record.ring      ? record.ring
                                  : record.adopted ? record.adopted
                                                   : record.block;
        const auto offset =
            reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin);
        if (!begin || offset >= record.size) continue;
        return record.ring ? Text("queue ", InHex(id)) : Text(name(id), " + ", offset);
    }
    return Text();
}

void hold_segments() {
    guard.lock();
}

void let_segments_go() {
    guard.unlock();
}

void visit_adopted(void (*visit)(const Range& pages, std::uint64_t offset)) {
    for (const auto& [id, record] : made) {
        if (!record.adopted) continue;
        const auto pages = reinterpret_cast<std::uintptr_t>(record.adopted);
        visit({pages, os::page_up(record.size)},
              job_file_offset(reinterpret_cast<std::uintptr_t>(record.block)));
        allow_execution(record.executable);
    }
}

int refuse_stale(const Segment& segment, const char* routine) {
    if (is_of_nothing(segment)) return refuse(ISTHMUS_STALE, routine, kOfNoSegment);
    if (!is_gone(segment)) return ISTHMUS_OK;
    if (is_of_earlier_session(segment)) return refuse_ended(segment, routine);
    return refuse(ISTHMUS_STALE, routine, name(segment.id), " was destroyed by its owner, PE ",
                  segment.owner);
}

int refuse_access(const Segment& segment, std::uint64_t offset, std::uint64_t size,
                  std::uint32_t right, std::uint32_t kind, std::uint64_t width,
                  const char* routine) {
    if (const int status = refuse_stale(segment, routine)) return status;
    if ((segment.access & kind) == 0)
        return refuse(ISTHMUS_PROTOCOL, routine, name(segment.id),
                      kind == ISTHMUS_ATOMICS     ? " does not accept atomics"
                      : kind == ISTHMUS_ALLOCATOR ? " has no allocator: none was asked for "
                                                    "(ISTHMUS_ALLOCATOR) when it was created"
                                                  : " does not accept put and get");
    if ((segment.access & right) != right)
        return refuse(ISTHMUS_RIGHTS, routine, name(segment.id), " of PE ", segment.owner,
                      segment.access & ISTHMUS_READ    ? " is read-only"
                      : segment.access & ISTHMUS_WRITE ? " is write-only"
                                                       : " allows no access");
    if (offset > segment.size || size > segment.size - offset)
        return refuse(ISTHMUS_BOUNDS, routine, size, " bytes at offset ", offset,
                      " are not within 0..", segment.size, " of ", name(segment.id));
    if (offset % width != 0)
        return refuse(ISTHMUS_BOUNDS, routine, "offset ", offset, " is not a multiple of ", width);
    return ISTHMUS_OK;
}

bool overlap(const void* a, const void* b, std::uint64_t size) {
    const auto first = reinterpret_cast<std::uintptr_t>(a);
    const auto second = reinterpret_cast<std::uintptr_t>(b);
    return first != second && (first < second ? second - first : first - second) < size;
}

int refuse_overlap(const char* routine) {
    return refuse(ISTHMUS_ARGUMENT, routine,
                  "the bytes to read and those to write overlap; copy by way of other memory");
}

Checked check_transfer_slowly(const Segment& segment, std::uint64_t offset, std::uint64_t size,
                              std::uint32_t right, const void* local, const char* routine) {
    if (const int status =
            refuse_access(segment, offset, size, right, ISTHMUS_TRANSFERS, 1, routine))
        return {TransferWay::refused, status};
    if (is_far(segment)) return {TransferWay::road};
    if (job.checked && local && overlap(local, segment.base + offset, size))
        return {TransferWay::refused, refuse_overlap(routine)};
    return {TransferWay::loads_and_stores};
}

}  // namespace isthmus
