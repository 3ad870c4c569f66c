#include "core/job/guarded_blocks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/job/block_map.hpp"
#include "core/job/heap.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"

namespace isthmus {
namespace guarded {
namespace {

constexpr std::size_t kMostKept = 256;

// What becomes of a freed block, or of its whole pages.
enum class Way : std::uint8_t { filled, given_back, closed };

struct Kept {
    Range block;
    Way way;
};

bool may_be_whole(const Range& block) {
    return block.size > kFilled && block.size <= kMostWhole;
}

// First pages that were there when they were looked at, in the places that the low bits of their
// numbers name: with a number in their own low bits, which changes when pages are given back.
// Guarded by heap_guard.
constexpr std::size_t kFirstPages = 4096;
constexpr std::uintptr_t kTurns = 4096;  // no page is smaller
std::array<std::uintptr_t, kFirstPages> first_pages{};
std::uintptr_t turn = 1;

void forget_first_pages() {
    if (++turn < kTurns) return;
    first_pages.fill(0);
    turn = 1;
}

// Whether the first of them is there: blocks are written from their beginning on, and to ask for
// more costs more. Not by the file, whose descriptor the program may have closed.
bool has_pages(const Range& pages) {
    if (pages.size == 0) return false;
    std::uintptr_t& known = first_pages[pages.begin / os::page_size() % kFirstPages];
    if (known == (pages.begin | turn)) return true;
    unsigned char is_there = 0;
    if (mincore(reinterpret_cast<void*>(pages.begin), 1, &is_there) != 0 || (is_there & 1) == 0)
        return false;
    known = pages.begin | turn;
    return true;
}

void give_back(const Range& pages) {
    forget_first_pages();
    // Where the system does not take them back, they are filled as if it had.
    if (!discard_pages(pages.begin, pages.size))
        fill_bytes(reinterpret_cast<void*>(pages.begin), 0, pages.size);
    asan::poison(reinterpret_cast<void*>(pages.begin), pages.size);
}

// Nobody of this PE can load or store there until they are opened, and nothing is moved. Others'
// mappings stay as they are: but for pointers that they were given they ask before they transfer.
bool may_be_closed(const Range& block) {
    return block.size >= kClosed && block.size <= kMostWhole &&
           job.status().is_pointed_at.load(std::memory_order_relaxed) == 0;
}
bool close_pages(const Range& pages) {
    if (mprotect(reinterpret_cast<void*>(pages.begin), pages.size, PROT_NONE) != 0) return false;
    asan::poison(reinterpret_cast<void*>(pages.begin), pages.size);
    return true;
}
void open_pages(const char* routine, const Range& pages) {
    if (mprotect(reinterpret_cast<void*>(pages.begin), pages.size, PROT_READ | PROT_WRITE) != 0)
        fail(routine, Text("cannot open the pages of the freed block at ", InHex(pages.begin),
                           " again: ", std::strerror(errno)));
    asan::unpoison(reinterpret_cast<void*>(pages.begin), pages.size);
}

// Freed blocks, the oldest first: for each kind of lengths its own, so that long ones do not
// displace short ones. At all PEs the same. Guarded by heap_guard.
struct Quarantine {
    std::deque<Kept> blocks;
    std::uint64_t bytes = 0;
    void clear() {
        blocks.clear();
        bytes = 0;
    }
};
enum : std::size_t { kShort, kWhole, kLongest, kLengths };
using Quarantines = std::array<Quarantine, kLengths>;
Lasting<Quarantines> kept;
Quarantine& quarantine_of(const Range& block) {
    return (*kept)[block.size <= kFilled ? kShort : may_be_whole(block) ? kWhole : kLongest];
}

// Calls that give a block of more than kFilled another length. Guarded by heap_guard.
std::uint64_t long_resizes = 0;

const char* verifier = "";  // the routine that frees, or allocates where there is no room

std::uint64_t taken_by(std::uint64_t size) {
    return (size + BlockMap::kGranule - 1) / BlockMap::kGranule * BlockMap::kGranule + kGuard;
}

Range guard_of(const Range& block) {
    return {block.end(), taken_by(block.size) - block.size};
}

void fill(const Range& range, unsigned char byte) {
    fill_bytes(reinterpret_cast<void*>(range.begin), byte, range.size);
    asan::poison(reinterpret_cast<void*>(range.begin), range.size);
}

// Of at least one byte; readable from here on. The first that is not as it was filled; range.size
// if all are.
std::uint64_t first_change(const Range& range, unsigned char byte) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(range.begin);
    asan::unpoison(bytes, range.size);
    // The first ones as those before them, the others as those a line before: by the C library's
    // comparison, which is quicker where both sides are aligned alike.
    constexpr std::uint64_t kLine = 64;
    const std::uint64_t first = std::min(range.size, kLine);
    if (bytes[0] == byte && std::memcmp(bytes, bytes + 1, first - 1) == 0 &&
        std::memcmp(bytes, bytes + first, range.size - first) == 0)
        return range.size;
    const auto* const changed =
        std::find_if(bytes, bytes + range.size, [=](unsigned char now) { return now != byte; });
    return static_cast<std::uint64_t>(changed - bytes);
}

void verify_guard(const char* routine, const Range& block) {
    const Range guard = guard_of(block);
    const std::uint64_t at = first_change(guard, kGuardByte);
    if (at == guard.size) return;
    refuse(routine, Text("the ", guard.size, " bytes behind the block of ", block.size,
                         " bytes at ", InHex(block.begin), " have been written, first the one ", at,
                         " bytes past its end"));
}

// The first byte of the range that is not zero; its end if all are.
std::uintptr_t first_written(const Range& range) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(range.begin);
    return reinterpret_cast<std::uintptr_t>(
        std::find_if(bytes, bytes + range.size, [](unsigned char now) { return now != 0; }));
}

// The parts of a freed block. Its pages are whole ones, or none.
struct Freed {
    Freed(const Range& block, Way way) : first{block.begin, 0}, last{block.end(), 0} {
        constexpr std::uint64_t kFirst[] = {kMostWhole, kFilled, 0};
        first.size = std::min(block.size, kFirst[static_cast<std::size_t>(way)]);
        const std::uintptr_t begin = os::page_up(first.end());
        const std::uintptr_t end = os::page_down(block.end());
        if (begin >= end) {
            first = block;
            return;
        }
        first.size = begin - block.begin;
        pages = {begin, end - begin};
        last = {end, block.end() - end};
    }
    Range first;  // filled
    Range pages;  // given back, or closed
    Range last;   // filled
};

// The first byte of pages given back that has been written since; their end if none has.
std::uintptr_t first_written_again(const Range& pages) {
    asan::unpoison(reinterpret_cast<void*>(pages.begin), pages.size);
    std::uintptr_t from = pages.begin;
    while (from < pages.end()) {
        // What only has been read exists, too.
        const Range data = existing_pages({from, pages.end() - from});
        if (data.size == 0) break;
        if (const std::uintptr_t at = first_written(data); at != data.end()) return at;
        from = data.end();
    }
    return pages.end();
}

void verify_and_open(const char* routine, const Kept& one) {
    const Range& block = one.block;
    const Freed freed(block, one.way);
    const auto verify = [&](bool is_changed, std::uintptr_t at) {
        if (is_changed)
            refuse(routine,
                   Text("the freed block of ", block.size, " bytes at ", InHex(block.begin),
                        " has been written, first its byte ", at - block.begin));
    };
    const auto verify_filled = [&](const Range& part) {
        if (part.size == 0) return;
        const std::uint64_t at = first_change(part, kFreedByte);
        verify(at != part.size, part.begin + at);
    };
    verify_filled(freed.first);
    if (one.way == Way::closed) {
        open_pages(routine, freed.pages);
    } else if (freed.pages.size != 0) {
        const std::uintptr_t at = first_written_again(freed.pages);
        verify(at != freed.pages.end(), at);
    }
    verify_filled(freed.last);
}

void let_go(const char* routine, Quarantine& from) {
    const Kept one = from.blocks.front();
    const Range& block = one.block;
    verify_and_open(routine, one);
    from.bytes -= block.size;
    from.blocks.pop_front();
    heap.release(reinterpret_cast<void*>(block.begin));
}

// Which way it goes; its pages are closed.
Way put_away(const Range& block) {
    if (may_be_closed(block) && close_pages(Freed(block, Way::closed).pages)) return Way::closed;
    const Range pages = Freed(block, Way::given_back).pages;
    return may_be_whole(block) && has_pages(pages) ? Way::filled : Way::given_back;
}

bool is_too_much(const Quarantine& one) {
    const bool is_long =
        &one == &(*kept)[kWhole] && one.bytes > kMostWholeKept && one.blocks.size() > 1;
    return is_long || one.blocks.size() > kMostKept || one.bytes > heap.range().size / 4;
}

// Of what was never handed out that much is looked at, of the pages that exist.
constexpr std::uint64_t kMostSearched = std::uint64_t{64} << 20;

Range page_in_front() {
    return {heap.range().begin - kSparePage, kSparePage};
}

// Memory of the heap that no block has ever had: nobody but the program writes it.
void verify_untouched(const char* routine) {
    const Range before = page_in_front();
    asan::unpoison(reinterpret_cast<void*>(before.begin), before.size);
    if (const std::uintptr_t at = first_written(before); at != before.end())
        refuse(routine,
               Text("memory in front of the symmetric heap has been written, first the byte ",
                    heap.range().begin - at, " bytes before its first block"));
    std::uint64_t left = kMostSearched;
    std::uintptr_t from = heap.untouched();
    while (left != 0 && from < heap.range().end()) {
        Range data = existing_pages({from, heap.range().end() - from});
        data.size = std::min(data.size, left);
        if (data.size == 0) return;
        if (const std::uintptr_t at = first_written(data); at != data.end())
            refuse(routine, Text("memory of the symmetric heap that no block has had has been "
                                 "written, first address ",
                                 InHex(at), ", ", heap.describe(reinterpret_cast<void*>(at))));
        left -= data.size;
        from = data.end();
    }
}

// For the heap, where it has no room.
bool let_all_go() {
    bool has_gone = false;
    for (Quarantine& one : *kept) {
        for (; !one.blocks.empty(); has_gone = true)
            let_go(verifier, one);
    }
    return has_gone;
}

}  // namespace

bool open() {
    for (Quarantine& each : *kept)
        each.clear();
    forget_first_pages();
    long_resizes = 0;
    heap.set_reclaim(let_all_go);
    if (!passing_pages.open() || !block_map.open(heap.range())) return false;
    const Range before = page_in_front();
    asan::poison(reinterpret_cast<void*>(before.begin), before.size);
    return true;
}

void close(const char* routine) {
    if (!block_map.is_open()) return;
    const std::lock_guard lock(heap_guard);
    for (Quarantine& each : *kept) {
        for (const Kept& one : each.blocks)
            verify_and_open(routine, one);
        each.clear();
    }
    heap.for_each_block([&](const Range& block) {
        // Rings of queues and aggregators have none.
        if (block_map.covers(reinterpret_cast<const void*>(block.begin), block.size))
            verify_guard(routine, block);
    });
    verify_untouched(routine);
    heap.set_reclaim(nullptr);
    block_map.close();
}

void* allocate(std::uint64_t size, std::uint64_t alignment) {
    const std::uint64_t taken = taken_by(size);
    if (taken < size) return nullptr;
    verifier = routine_name(job.status().routine.load(std::memory_order_relaxed));
    void* const place = heap.allocate(taken, alignment);
    if (!place) return nullptr;
    heap.set_size(place, size);
    const Range block{reinterpret_cast<std::uintptr_t>(place), size};
    asan::unpoison(place, size);
    fill(guard_of(block), kGuardByte);
    block_map.add(block.begin, block.size);
    return place;
}

bool moves(std::uint64_t size) {
    if (size <= kFilled) return true;
    ++long_resizes;
    return long_resizes <= kFirstMoves || long_resizes % kBetweenMoves == 0;
}

bool resize(const char* routine, void* place, std::uint64_t size) {
    const Range old{reinterpret_cast<std::uintptr_t>(place), heap.block_size(place)};
    const std::uint64_t taken = taken_by(size);
    if (taken < size) return false;
    verifier = routine;
    verify_guard(routine, old);
    if (!heap.resize(place, taken)) {
        fill(guard_of(old), kGuardByte);
        return false;
    }
    heap.set_size(place, size);
    block_map.remove(old.begin, old.size);
    block_map.add(old.begin, size);
    // Nothing is poisoned here: the old guard was read, and what a block leaves is the heap's,
    // where rings come to lie that nobody unpoisons.
    fill(guard_of({old.begin, size}), kGuardByte);
    return true;
}

bool release(const char* routine, void* place) {
    const Range block{reinterpret_cast<std::uintptr_t>(place), heap.block_size(place)};
    if (block.size == 0) return false;
    verifier = routine;
    verify_guard(routine, block);
    block_map.remove(block.begin, block.size);
    heap.retire(place);
    const Way way = put_away(block);
    const Freed freed(block, way);
    fill(freed.first, kFreedByte);
    fill(freed.last, kFreedByte);
    if (way == Way::given_back && freed.pages.size != 0) give_back(freed.pages);
    Quarantine& mates = quarantine_of(block);
    mates.blocks.push_back({block, way});
    mates.bytes += block.size;
    while (is_too_much(mates))
        let_go(routine, mates);
    return true;
}

Text describe_closed(const void* address) {
    const std::unique_lock lock(heap_guard, std::try_to_lock);
    if (!lock || !block_map.is_open()) return Text();
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (const Quarantine& each : *kept) {
        for (const Kept& one : each.blocks) {
            if (one.way == Way::closed && one.block.contains(address))
                return Text("byte ", at - one.block.begin, " of a freed block of ", one.block.size,
                            " bytes");
        }
    }
    return Text();
}

}  // namespace guarded

std::uint64_t variables_bytes = 0;

Text why_in_no_object(const void* address, std::uint64_t bytes) {
    const void* const poisoned = asan::first_poisoned(address, bytes);
    if (!poisoned) [[likely]]
        return Text();
    return Text("address ", InHex(address), ": of its ", bytes, " bytes the one at ",
                InHex(poisoned), " is in no variable or block, says AddressSanitizer");
}

Text why_not_usable(const void* address, std::uint64_t bytes) {
    if (bytes != 0 && block_map.covers(address, bytes)) return Text();
    Text why = why_not_symmetric(address, bytes);
    if (!why.empty() || bytes == 0) return why;
    if (!block_map.contains(address)) {
        if (!job.checked) return why;
        const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - job.data.begin;
        if (offset < job.data.size && bytes + offset > variables_bytes)
            return Text("address ", InHex(address), ": ", bytes, " bytes reach ",
                        bytes - (offset < variables_bytes ? variables_bytes - offset : 0),
                        " bytes past the end of the static data");
        return why_in_no_object(address, bytes);
    }
    const std::lock_guard lock(heap_guard);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const Range block = heap.block_of(address);
    if (block.size != 0 && bytes <= block.end() - at) return why;
    if (block.size == 0)
        return Text("address ", InHex(address),
                    " is in no block of the symmetric heap: ", heap.describe(address));
    return Text("address ", InHex(address), ": ", bytes, " bytes reach ",
                bytes - (block.end() - at), " bytes past the end of the block of ", block.size,
                " bytes at ", InHex(block.begin));
}

}  // namespace isthmus
