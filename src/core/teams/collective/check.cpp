#include "core/teams/collective/check.hpp"

#include <shmem.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/reach/far.hpp"
#include "core/teams/collective.hpp"
#include "core/teams/collective/agreement.hpp"
#include "core/teams/collective/barrier.hpp"
#include "core/teams/collective/kernels.hpp"
#include "core/teams/collective/psync.hpp"
#include "core/teams/collective/two_level.hpp"

namespace isthmus {

using namespace collective;

void share_words(Team& team, Routine routine, const void* mine, std::size_t bytes, void* all) {
    char* const to = static_cast<char*>(all);
    std::memcpy(to + static_cast<std::size_t>(team.my_index) * bytes, mine, bytes);
    if (team.size == 1) return;
    if (team.meeting == Meeting::far) {
        const Levels& levels = *team.levels;
        const int my_position = levels.position[static_cast<std::size_t>(team.my_index)];
        // As many at a time as a stage holds.
        const int most = static_cast<int>(kStageBytes / bytes);
        for (int first = 0; first < team.size; first += most) {
            const int end = std::min(first + most, team.size);
            const auto begin = [&](int position) {
                return static_cast<std::size_t>(std::clamp(position, first, end) - first) * bytes;
            };
            const bool is_mine = first <= my_position && my_position < end;
            const char* const zone = share_blocks(team, routine, mine, is_mine ? bytes : 0, begin);
            for (int position = first; position < end; ++position) {
                const int peer = levels.order[static_cast<std::size_t>(position)];
                std::memcpy(to + static_cast<std::size_t>(peer) * bytes, zone + begin(position),
                            bytes);
            }
        }
        return;
    }
    const std::uint64_t epoch = ++team.epoch;
    post_all(team, epoch, mine, bytes);
    for_each_peer(team, [&](int peer) {
        std::memcpy(to + static_cast<std::size_t>(peer) * bytes,
                    await(team, routine, peer, epoch).payload, bytes);
    });
    team.settled = epoch;
}

namespace {

// The first PE that differs from PE 0 of the team speaks; the others wait for the end of the job.
// `differs(i)` compares PE i with PE 0.
template <typename Differs, typename Speak>
void one_speaks(const Team& team, Routine routine, const Differs& differs, const Speak& speak) {
    for (int index = 1; index < team.size; ++index) {
        if (!differs(index)) continue;
        if (index == team.my_index) speak();
        wait_for({routine, team.world_pe(index), nullptr}, [] { return false; });
    }
}

std::string address_text(std::uint64_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(address));
    return text;
}

// Static data lies elsewhere in every process; what is the same is the offset.
constexpr std::uint64_t kInData = std::uint64_t{1} << 63;
constexpr std::uint64_t kInConstants = std::uint64_t{1} << 62;

std::string place_text(std::uint64_t place) {
    return std::string(place & kInData        ? "static data + "
                       : place & kInConstants ? "constants + "
                                              : "heap + ") +
           address_text(place & ~(kInData | kInConstants));
}

const char* kind_name(std::uint16_t kind) {
    constexpr const char* kNames[] = {"none",           "int8_t",         "int16_t",  "int32_t",
                                      "int64_t",        "uint8_t",        "uint16_t", "uint32_t",
                                      "uint64_t",       "float",          "double",   "long double",
                                      "float _Complex", "double _Complex"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(Kind::count) + 1);
    return kind < std::size(kNames) ? kNames[kind] : "none";
}

// Of another PE's call on an active set, whose type is not known.
std::string name_in_set(Routine routine) {
    std::string name = routine_name(routine);
    const std::size_t at = name.rfind("_reduce");
    if (set_routine && at != std::string::npos) name.replace(at, name.size() - at, "_to_all");
    return name;
}

std::string difference(const Team& team, const Signature& first, const Signature& mine) {
    const auto pe = [](int world) { return "PE " + std::to_string(world); };
    const std::string they = pe(team.world_pe(0));
    const std::string we = pe(team.world_pe(team.my_index));
    const auto say_both = [&](const char* what, const std::string& theirs,
                              const std::string& ours) {
        return they + " passes " + what + " " + theirs + " and " + we + " passes " + what + " " +
               ours + "; all PEs of the collective must pass the same";
    };
    if (first.routine == Routine::none || mine.routine == Routine::none)
        return they + " and " + we + " do not meet in one collective: " +
               (team.psync
                    ? "two calls use pSync at once, or it was not SHMEM_SYNC_VALUE at all PEs"
                    : "two threads of a PE call collectives of one team at once");
    if (first.routine != mine.routine)
        return they + " is in " + name_in_set(first.routine) + " and " + we + " in " +
               called_routine(mine.routine) +
               "; all PEs of a team must call its collectives in the same order";
    const bool split = mine.routine == Routine::team_split_strided;
    if (first.root != mine.root)
        return say_both(split ? "start" : "PE_root", std::to_string(first.root),
                        std::to_string(mine.root));
    if (first.kind != mine.kind)
        return say_both("elements of type", kind_name(first.kind), kind_name(mine.kind));
    if (first.element_bytes != mine.element_bytes)
        return say_both("elements of", std::to_string(first.element_bytes) + " bytes",
                        std::to_string(mine.element_bytes) + " bytes");
    if (first.count != mine.count && mine.routine != Routine::collect)
        return say_both(split                                    ? "size"
                        : mine.routine == Routine::team_split_2d ? "xrange"
                                                                 : "nelems",
                        std::to_string(first.count), std::to_string(mine.count));
    if (first.dest != mine.dest)
        return say_both("dest", place_text(first.dest), place_text(mine.dest));
    if (first.source != mine.source)
        return say_both("source", place_text(first.source), place_text(mine.source));
    if (first.dest_stride != mine.dest_stride)
        return say_both(split ? "stride" : "stride dst", std::to_string(first.dest_stride),
                        std::to_string(mine.dest_stride));
    return say_both("stride sst", std::to_string(first.source_stride),
                    std::to_string(mine.source_stride));
}

// The work array carries the signatures of an active set that has no team.
void share_by_psync(Team& team, const Signature& mine, std::vector<Signature>& all) {
    long* const words = team.psync + kPsyncSignature;
    std::memcpy(words, &mine, sizeof mine);
    barrier(team, mine.routine);
    for (int peer = 0; peer < team.size; ++peer)
        fetch_from(&all[static_cast<std::size_t>(peer)], words, sizeof mine, team.world_pe(peer));
    barrier(team, mine.routine);
    std::memset(words, 0, sizeof mine);
}

std::vector<Signature> share_signatures(Team& team, const Signature& mine) {
    std::vector<Signature> all(static_cast<std::size_t>(team.size));
    if (team.psync)
        share_by_psync(team, mine, all);
    else
        share_words(team, mine.routine, &mine, sizeof mine, all.data());
    return all;
}

bool is_alike(const Signature& left, const Signature& right) {
    if (std::memcmp(&left, &right, sizeof left) == 0) return true;
    if (left.routine != Routine::collect || right.routine != Routine::collect) return false;
    Signature same = left;
    same.count = right.count;
    return std::memcmp(&same, &right, sizeof same) == 0;
}

}  // namespace

void check_agreement(const char* routine, const char* what, std::uint64_t value) {
    Team& team = isthmus_team_world;
    if (team.size == 1) return;  // nobody who may differ
    const Routine noted = job.status().routine.load(std::memory_order_relaxed);
    // In the shape of what checked mode shares before every collective, so that a PE that is in
    // another one is told as such. By name: what is noted may be another thread's call.
    const Signature mine{
        .routine = routine_name(noted) == routine ? noted : routine_named(routine),
        .count = value,
    };
    std::vector<Signature> all(static_cast<std::size_t>(team.size));
    share_words(team, noted, &mine, sizeof mine, all.data());
    one_speaks(
        team, noted,
        [&](int index) {
            return std::memcmp(&all[static_cast<std::size_t>(index)], &all[0], sizeof mine) != 0;
        },
        [&] {
            if (all[0].routine != mine.routine) {
                // Without checks other collectives share nothing that tells what they are.
                if (job.checked) refuse(routine, difference(isthmus_team_world, all[0], mine));
                refuse(routine,
                       "PE 0 is in another call; all PEs must make collective calls in the same "
                       "order");
            }
            const bool is_block = std::strcmp(what, "the block") == 0;
            const auto text = [is_block](std::uint64_t number) {
                return number == kNull ? std::string("null")
                                       : (is_block ? "at heap + " : "") + std::to_string(number);
            };
            refuse(routine, std::string(what) + " is " + text(value) + " here and " +
                                text(all[0].count) + " at PE 0");
        });
}

namespace collective {

constinit thread_local const char* set_routine = nullptr;

std::uint64_t symmetric_place(const void* address) {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    if (job.heap.contains(address)) return at - job.heap.begin;
    if (in_static_data(address)) return kInData | static_offset(address);
    for (const Range& range : job.constants) {
        if (range.contains(address)) return kInConstants | (at - job.constants[0].begin);
    }
    return at - job.heap.begin;
}

namespace {

void compare(const Team& team, const std::vector<Signature>& all, const Signature& mine) {
    one_speaks(
        team, mine.routine,
        [&](int index) { return !is_alike(all[static_cast<std::size_t>(index)], all[0]); },
        [&] { refuse(called_routine(mine.routine), difference(team, all[0], mine)); });
}

// What all have shown is in the cells of this epoch.
[[gnu::noinline]] void compare_cells(Team& team, std::uint64_t epoch, const Signature& mine) {
    std::vector<Signature> all(static_cast<std::size_t>(team.size), mine);
    for_each_peer(team, [&](int peer) {
        std::memcpy(&all[static_cast<std::size_t>(peer)], cell_from(team, peer, epoch).payload,
                    sizeof mine);
    });
    compare(team, all, mine);
}

}  // namespace

bool check_signature(Team& team, const Signature& mine, const Laid& laid, std::uint64_t* counts) {
    if (team.meeting >= Meeting::psync) {
        const std::vector<Signature> all = share_signatures(team, mine);
        compare(team, all, mine);
        for (std::size_t i = 0; counts && i < all.size(); ++i)
            counts[i] = all[i].count;
        return false;
    }
    // Who enters this exchange has left the last but one, and with it this buffer of the stage.
    team.exchange_buffer ^= 1;
    if (laid.bytes != 0) copy(stage(team, team.exchange_buffer), laid.data, laid.bytes);
    // As share_words; if not all are alike, each PE sees one that is not as it is itself.
    const std::uint64_t epoch = ++team.epoch;
    Cell* const place = &cell_from(team, team.my_index, epoch);
    for (PeerWalk walk(team); walk.next();) {
        Cell& cell = *walk.translate(place);
        std::memcpy(cell.payload, &mine, sizeof mine);  // inlined
        cell.epoch.store(epoch, std::memory_order_release);
    }
    bool all_alike = true;
    for_each_peer(team, [&](int peer) {
        const auto* const theirs =
            reinterpret_cast<const Signature*>(await(team, mine.routine, peer, epoch).payload);
        all_alike &= is_alike(*theirs, mine);
        if (counts) counts[peer] = theirs->count;
    });
    if (counts) counts[team.my_index] = mine.count;
    team.settled = epoch;
    if (!all_alike) [[unlikely]]
        compare_cells(team, epoch, mine);
    return true;
}

void check_operands(const char* name, const void* dest, std::size_t dest_bytes, const void* source,
                    std::size_t source_bytes, Meet meet) {
    if (dest_bytes != 0 && !is_surely_usable(dest, dest_bytes)) [[unlikely]] {
        if (const auto why = why_not_usable(dest, dest_bytes); !why.empty())
            refuse(name, Text("dest: ", why));
    }
    if (source_bytes != 0 && !is_surely_usable(source, source_bytes)) [[unlikely]] {
        if (const auto why = why_not_usable(source, source_bytes); !why.empty())
            refuse(name, Text("source: ", why));
    }
    const auto to = reinterpret_cast<std::uintptr_t>(dest);
    const auto from = reinterpret_cast<std::uintptr_t>(source);
    if (dest_bytes == 0 || source_bytes == 0 || (meet == Meet::wholly && to == from)) return;
    if (to < from + source_bytes && from < to + dest_bytes && meet != Meet::between)
        refuse(name, "dest (" + std::to_string(dest_bytes) + " bytes at " + address_text(to) +
                         ") overlaps source (" + std::to_string(source_bytes) + " bytes at " +
                         address_text(from) + "); they must be " +
                         (meet == Meet::wholly ? "the same or disjoint" : "disjoint"));
}

void check_collected(const char* routine, const void* dest, std::uint64_t bytes) {
    if (bytes == 0 || is_surely_usable(dest, bytes)) return;
    if (const auto why = why_not_usable(dest, bytes); !why.empty())
        refuse(routine, Text("dest: ", why));
}

namespace {

bool is_unused(const long* psync) {
    long differs = 0;
#pragma GCC unroll 32
    for (int i = 0; i < kPsyncSize; ++i)
        differs |= __atomic_load_n(psync + i, __ATOMIC_RELAXED) ^ SHMEM_SYNC_VALUE;
    return differs == 0;
}

[[noreturn]] void refuse_psync(const char* routine, int element, long now) {
    refuse(
        routine,
        Text("pSync[", element, "] is ", now,
             ", not SHMEM_SYNC_VALUE; set all its elements to that at all PEs, and let a barrier "
             "follow, before its first use"));
}

}  // namespace

bool check_psync(const char* routine, const long* psync) {
    constexpr std::size_t kBytes = kPsyncSize * sizeof(long);
    if (!is_surely_usable(psync, kBytes)) [[unlikely]] {
        if (const auto why = why_not_usable(psync, kBytes); !why.empty())
            refuse(routine, Text("pSync: ", why));
    }
    if (is_unused(psync)) [[likely]]
        return true;
    for (int i = 0; i < kPsyncSize; ++i) {
        // Each counter holds at most what is added once before this PE comes, and for the next call
        // already: by one PE in a round, by each where the root waits.
        const long most = i < kPsyncRoot ? 2 : i <= kPsyncDone ? 2L * job.pes : SHMEM_SYNC_VALUE;
        const long now = __atomic_load_n(psync + i, __ATOMIC_RELAXED);
        if (now < SHMEM_SYNC_VALUE || now > most) refuse_psync(routine, i, now);
    }
    return false;
}

void check_work(const char* routine, const void* work, std::size_t bytes) {
    if (const auto why = why_not_usable(work, bytes); !why.empty())
        refuse(routine, Text("pWrk: ", why));
}

void check_unused_psync(const char* routine, const long* psync) {
    for (int i = 0; i < kPsyncSize; ++i) {
        const long now = __atomic_load_n(psync + i, __ATOMIC_RELAXED);
        if (now != SHMEM_SYNC_VALUE) refuse_psync(routine, i, now);
    }
}

}  // namespace collective
}  // namespace isthmus
