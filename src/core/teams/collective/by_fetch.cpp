#include "core/teams/collective/by_fetch.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/reach/far.hpp"
#include "core/teams/collective/psync.hpp"

namespace isthmus::collective::by_fetch {
namespace {

// Part of a vector that is fetched and combined at a time.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

void move(void* dest, const void* source, std::size_t bytes) {
    if (dest != source && bytes != 0) std::memmove(dest, source, bytes);
}

// [0, bytes) in pieces of whole elements.
template <typename Each>
void for_each_piece(std::size_t bytes, std::size_t element_bytes, Each&& each) {
    const std::size_t step = kPieceBytes / element_bytes * element_bytes;
    for (std::size_t offset = 0; offset < bytes; offset += step)
        each(offset, std::min(step, bytes - offset));
}

// sum = source(0) OP source(1) OP ... of the PEs [0, last], of one piece.
void combine_in_order(const Team& team, int last, Combine combine, char* sum, char* term,
                      const char* source, std::size_t bytes, std::size_t element_bytes) {
    for (int peer = 0; peer <= last; ++peer) {
        fetch_from(peer == 0 ? sum : term, source, bytes, team.world_pe(peer));
        if (peer != 0) combine(sum, sum, term, bytes / element_bytes);
    }
}

}  // namespace

void broadcast(Team& team, void* dest, const void* source, std::size_t bytes, int root,
               bool root_dest) {
    constexpr Routine routine = Routine::broadcast;
    if (bytes == 0) return;
    const bool is_root = team.my_index == root;
    isthmus::barrier(team, routine);
    if (!is_root) fetch_from(dest, source, bytes, team.world_pe(root));
    isthmus::barrier(team, routine);
    if (is_root && root_dest) move(dest, source, bytes);
}

void collect(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::collect;
    std::vector<std::uint64_t> lengths(static_cast<std::size_t>(team.size));
    std::atomic_ref word(team.psync[kPsyncBytes]);
    word.store(static_cast<long>(bytes), std::memory_order_relaxed);
    isthmus::barrier(team, routine);
    for (int peer = 0; peer < team.size; ++peer)
        fetch_from(&lengths[static_cast<std::size_t>(peer)], team.psync + kPsyncBytes, sizeof(long),
                   team.world_pe(peer));
    char* place = static_cast<char*>(dest);
    for (int peer = 0; peer < team.size; ++peer) {
        const std::size_t length = lengths[static_cast<std::size_t>(peer)];
        if (peer == team.my_index)
            move(place, source, length);
        else if (length != 0)
            fetch_from(place, source, length, team.world_pe(peer));
        place += length;
    }
    isthmus::barrier(team, routine);
    word.store(0L, std::memory_order_relaxed);
}

void fcollect(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::fcollect;
    if (bytes == 0) return;
    const auto place = [&](int peer) {
        return static_cast<char*>(dest) + static_cast<std::size_t>(peer) * bytes;
    };
    isthmus::barrier(team, routine);
    move(place(team.my_index), source, bytes);
    for_each_peer(team,
                  [&](int peer) { fetch_from(place(peer), source, bytes, team.world_pe(peer)); });
    isthmus::barrier(team, routine);
}

void alltoall(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::alltoall;
    if (bytes == 0) return;
    const auto block = [bytes](int index) { return static_cast<std::size_t>(index) * bytes; };
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    isthmus::barrier(team, routine);
    move(to + block(team.my_index), from + block(team.my_index), bytes);
    for_each_peer(team, [&](int peer) {
        fetch_from(to + block(peer), from + block(team.my_index), bytes, team.world_pe(peer));
    });
    isthmus::barrier(team, routine);
}

void alltoalls(Team& team, void* dest, const void* source, const Strided& shape) {
    constexpr Routine routine = Routine::alltoalls;
    if (shape.count == 0) return;
    const std::size_t packed = shape.count * shape.element_bytes;
    const std::size_t step = shape.source_stride * shape.element_bytes;
    // A block with its gaps, as it lies at the source; the last element has none behind it.
    const std::size_t extent = step * (shape.count - 1) + shape.element_bytes;
    std::vector<char> fetched(extent);
    isthmus::barrier(team, routine);
    for (int peer = 0; peer < team.size; ++peer) {
        const char* const from =
            static_cast<const char*>(source) +
            static_cast<std::size_t>(team.my_index) * shape.source_stride * packed;
        char* const to =
            static_cast<char*>(dest) + static_cast<std::size_t>(peer) * shape.dest_stride * packed;
        fetch_from(fetched.data(), from, extent, team.world_pe(peer));
        for (std::size_t i = 0; i < shape.count; ++i)
            std::memcpy(to + i * shape.dest_stride * shape.element_bytes, fetched.data() + i * step,
                        shape.element_bytes);
    }
    isthmus::barrier(team, routine);
}

// Long: PE i combines the i-th part and stores it into every dest. A part is read only by the PE
// that combines it, so in place needs no copy.
void reduce(Team& team, void* dest, const void* source, std::size_t elements, Operation operation,
            Kind kind) {
    const Routine routine = routine_of(operation);
    const std::size_t element_bytes = kKindBytes[static_cast<int>(kind)];
    const std::size_t bytes = elements * element_bytes;
    const Combine combine = kernel(operation, kind);
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    std::vector<char> sum(std::min(bytes, kPieceBytes));
    std::vector<char> term(sum.size());
    isthmus::barrier(team, routine);
    const auto pes = static_cast<std::size_t>(team.size);
    const auto mine = static_cast<std::size_t>(team.my_index);
    const std::size_t begin = elements * mine / pes * element_bytes;
    const std::size_t end = elements * (mine + 1) / pes * element_bytes;
    for_each_piece(end - begin, element_bytes, [&](std::size_t offset, std::size_t length) {
        offset += begin;
        combine_in_order(team, team.size - 1, combine, sum.data(), term.data(), from + offset,
                         length, element_bytes);
        for (int peer = 0; peer < team.size; ++peer)
            store_to(to + offset, sum.data(), length, team.world_pe(peer));
    });
    far::quiet();
    isthmus::barrier(team, routine);
}

void scan(Team& team, void* dest, const void* source, std::size_t elements, Kind kind,
          bool inclusive) {
    const Routine routine = inclusive ? Routine::sum_inscan : Routine::sum_exscan;
    const std::size_t element_bytes = kKindBytes[static_cast<int>(kind)];
    const std::size_t bytes = elements * element_bytes;
    const Combine combine = kernel(Operation::sum, kind);
    const int last = inclusive ? team.my_index : team.my_index - 1;
    // Not into `dest` before everybody has fetched: it may be the source.
    std::vector<char> result(bytes);
    std::vector<char> term(std::min(bytes, kPieceBytes));
    isthmus::barrier(team, routine);
    for_each_piece(bytes, element_bytes, [&](std::size_t offset, std::size_t length) {
        combine_in_order(team, last, combine, result.data() + offset, term.data(),
                         static_cast<const char*>(source) + offset, length, element_bytes);
    });
    isthmus::barrier(team, routine);
    std::memcpy(dest, result.data(), bytes);
}

}  // namespace isthmus::collective::by_fetch
