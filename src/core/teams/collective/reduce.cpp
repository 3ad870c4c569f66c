// Reductions and scans.
//
// Short: everyone sends to everyone and computes all of it. Long: PE i computes the i-th part of
// the result, from all sources, and stores it into every dest; a part is read only by the PE that
// computes it, so in place needs no copy.
#include <algorithm>

#include "core/job/road.hpp"
#include "core/teams/collective/across.hpp"
#include "core/teams/collective/collective.hpp"
#include "core/teams/collective/fold.hpp"

namespace isthmus {

using namespace collective;

namespace {

// A staged reduction reads every source at every PE; beyond this it is better shared out.
constexpr std::size_t kStagedBytesInAll = 2 * kStageBytes;

template <typename T>
T* at(const Team& team, T* address, int peer) {
    return translate(address, team.world_pe(peer));
}

// Everyone's short vector at everyone, in cells or on the stage. Returns the epoch.
std::uint64_t share(Team& team, Routine routine, const void* source, std::size_t bytes) {
    const std::uint64_t epoch = ++team.epoch;
    if (bytes <= kInlineBytes) {
        post_all(team, epoch, source, bytes);
    } else {
        team.exchange_buffer ^= 1;
        copy(stage(team, team.exchange_buffer), source, bytes);
        post_all(team, epoch);
    }
    await_all(team, routine, epoch);
    team.settled = epoch;
    return epoch;
}

const char* shared(const Team& team, int peer, std::uint64_t epoch, const void* own,
                   std::size_t bytes) {
    if (peer == team.my_index) return static_cast<const char*>(own);
    return bytes <= kInlineBytes
               ? reinterpret_cast<const char*>(cell_from(team, peer, epoch).payload)
               : stage_of(team, peer, team.exchange_buffer);
}

bool is_short(const Team& team, std::size_t bytes) {
    return team.meeting < Meeting::rounds &&
           (bytes <= kInlineBytes ||
            (bytes <= team.staged &&
             bytes * static_cast<std::size_t>(team.size - 1) <= kStagedBytesInAll));
}

}  // namespace

Routine routine_of(Operation operation) {
    constexpr Routine kRoutines[] = {Routine::and_reduce, Routine::or_reduce,  Routine::xor_reduce,
                                     Routine::max_reduce, Routine::min_reduce, Routine::sum_reduce,
                                     Routine::prod_reduce};
    static_assert(std::size(kRoutines) == static_cast<std::size_t>(Operation::count));
    return kRoutines[static_cast<int>(operation)];
}

void reduce(Team& team, void* dest, const void* source, std::size_t elements, Operation operation,
            Kind kind) {
    const Routine routine = routine_of(operation);
    const std::size_t element_bytes = kKindBytes[static_cast<int>(kind)];
    const std::size_t bytes = elements * element_bytes;
    if (bytes == 0) return;
    far::serve_by_call();
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (team.size == 1) {
        if (to != from) copy(to, from, bytes);
        return;
    }
    const Combine combine = kernel(operation, kind);
    if (is_short(team, bytes)) {
        const std::uint64_t epoch = share(team, routine, source, bytes);
        fold(
            team.size, combine, to, {0, elements}, element_bytes,
            [&](int peer) { return shared(team, peer, epoch, source, bytes); },
            [](std::size_t, std::size_t) {});
        return;
    }
    if (team.meeting >= Meeting::psync)
        return across::reduce(team, dest, source, elements, operation, kind);
    await_arrivals(team, routine, arrive(team, routine));
    fold(
        team.size, combine, to, part_of(elements, element_bytes, team.size, team.my_index),
        element_bytes, [&](int peer) { return at(team, from, peer); },
        [&](std::size_t offset, std::size_t length) {
            for_each_peer(
                team, [&](int peer) { copy(at(team, to, peer) + offset, to + offset, length); });
        });
    depart(team, routine);
}

void scan(Team& team, void* dest, const void* source, std::size_t elements, Kind kind,
          bool inclusive) {
    const Routine routine = inclusive ? Routine::sum_inscan : Routine::sum_exscan;
    const std::size_t element_bytes = kKindBytes[static_cast<int>(kind)];
    const std::size_t bytes = elements * element_bytes;
    if (bytes == 0) return;
    far::serve_by_call();
    const Combine combine = kernel(Operation::sum, kind);
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (team.size == 1 || is_short(team, bytes)) {
        const std::uint64_t epoch = team.size == 1 ? 0 : share(team, routine, source, bytes);
        fold_up_to(inclusive ? team.my_index : team.my_index - 1, combine, to, elements,
                   element_bytes,
                   [&](int peer) { return shared(team, peer, epoch, source, bytes); });
        return;
    }
    if (team.meeting >= Meeting::psync)
        return across::scan(team, dest, source, elements, kind, inclusive);
    await_arrivals(team, routine, arrive(team, routine));
    const Part part = part_of(elements, element_bytes, team.size, team.my_index);
    const std::size_t step = kTileBytes / element_bytes;
    Tile running;
    Tile next;
    for (std::size_t begin = part.begin; begin < part.end; begin += step) {
        const std::size_t count = std::min(step, part.end - begin);
        const std::size_t offset = begin * element_bytes;
        const std::size_t length = count * element_bytes;
        copy(running.bytes, at(team, from, 0) + offset, length);
        if (inclusive) {
            if (to != from) copy(at(team, to, 0) + offset, running.bytes, length);
        } else {
            std::memset(at(team, to, 0) + offset, 0, length);
        }
        for (int peer = 1; peer < team.size; ++peer) {
            char* const result = at(team, to, peer) + offset;
            const char* const term = at(team, from, peer) + offset;
            if (inclusive) {
                combine(running.bytes, running.bytes, term, count);
                copy(result, running.bytes, length);
            } else {
                combine(next.bytes, running.bytes, term, count);  // before `term` is overwritten
                copy(result, running.bytes, length);
                std::swap(running, next);
            }
        }
    }
    depart(team, routine);
}

}  // namespace isthmus
