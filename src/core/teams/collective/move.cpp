// Collectives that move data and do not compute.
#include <algorithm>
#include <array>

#include "core/job/job_layout.hpp"
#include "core/job/road.hpp"
#include "core/teams/collective/across.hpp"
#include "core/teams/collective/collective.hpp"
#include "core/teams/collective/rendezvous.hpp"
#include "core/teams/collective/strided.hpp"

namespace isthmus {

using namespace collective;

namespace {

// The broadcast tree over numbers relative to the root: flat, or with four branches a node.
constexpr int kBranches = 4;

struct Tree {
    int parent = 0;  // team numbers
    int first = 0;   // relative numbers of the children
    int last = 0;
};

int rotate(const Team& team, int relative, int root) {
    const int index = relative + root;
    return index >= team.size ? index - team.size : index;
}

Tree tree_of(const Team& team, int root) {
    int relative = team.my_index - root;
    if (relative < 0) relative += team.size;
    if (team.meeting != Meeting::rounds) return {root, 1, relative == 0 ? team.size : 1};
    const int first = relative * kBranches + 1;
    const int last = first + kBranches < team.size ? first + kBranches : team.size;
    return {rotate(team, relative == 0 ? 0 : (relative - 1) / kBranches, root), first, last};
}

void forward(const Team& team, const Tree& tree, int root, std::uint64_t epoch, const void* data,
             std::size_t bytes) {
    for (int child = tree.first; child < tree.last; ++child)
        post(team, rotate(team, child, root), epoch, data, bytes);
}

template <typename T>
T* at(const Team& team, T* address, int peer) {
    return translate(address, team.world_pe(peer));
}

void broadcast_directly(Team& team, void* dest, const void* source, std::size_t bytes, int root,
                        bool root_dest) {
    constexpr Routine routine = Routine::broadcast;
    const std::uint64_t epoch = open_one_way(team, routine);
    const Tree tree = tree_of(team, root);
    if (team.my_index == root) {
        forward(team, tree, root, epoch, nullptr, 0);
        if (root_dest && dest != source) copy(dest, source, bytes);
        await_all(team, routine, epoch);
    } else {
        await(team, routine, tree.parent, epoch);
        forward(team, tree, root, epoch, nullptr, 0);
        copy(dest, at(team, source, root), bytes);
        // The parent in the tree may be the root, which then reads this cell and not the one that
        // came from it: lanes are by sender.
        post(team, root, epoch);
    }
}

// Everything but a cell's worth in a flat team.
[[gnu::noinline]] void broadcast_otherwise(Team& team, void* dest, const void* source,
                                           std::size_t bytes, int root, bool root_dest) {
    constexpr Routine routine = Routine::broadcast;
    if (bytes == 0) return;
    if (team.size == 1) {
        far::serve_by_call();
        if (root_dest && dest != source) copy(dest, source, bytes);
        return;
    }
    if (team.my_index == root && root_only_posts(team, bytes))
        return broadcast_from_root(team, dest, source, bytes, root_dest);
    if (team.meeting >= Meeting::psync)
        return across::broadcast(team, dest, source, bytes, root, root_dest);
    if (bytes > std::max<std::size_t>(team.staged, kInlineBytes))
        return broadcast_directly(team, dest, source, bytes, root, root_dest);
    const std::uint64_t epoch = open_one_way(team, routine);
    const Tree tree = tree_of(team, root);
    const bool inlined = bytes <= kInlineBytes;
    if (team.my_index == root) {
        if (!inlined) copy(stage(team, one_way_buffer(team, epoch)), source, bytes);
        forward(team, tree, root, epoch, source, inlined ? bytes : 0);
        if (root_dest && dest != source) copy(dest, source, bytes);
    } else {
        const Cell& cell = await(team, routine, tree.parent, epoch);
        forward(team, tree, root, epoch, cell.payload, inlined ? bytes : 0);
        copy(dest,
             inlined ? reinterpret_cast<const char*>(cell.payload)
                     : stage_of(team, root, one_way_buffer(team, epoch)),
             bytes);
    }
}

}  // namespace

// Budget: 70 instructions for 8 bytes and one other PE; 120 with the routine of the standard.
void broadcast_from_root(Team& team, void* dest, const void* source, std::size_t bytes,
                         bool root_dest) {
    const std::uint64_t epoch = open_one_way(team, Routine::broadcast);
    Cell* const* const to = team.to;
    const int peers = team.size - 1;
    const std::size_t cell = epoch % kDepth;
    if (bytes <= kInlineBytes) {
        for (int i = 0; i < peers; ++i)
            copy(to[i][cell].payload, source, bytes);
    } else {
        copy(stage(team, one_way_buffer(team, epoch)), source, bytes);
    }
    // Release: partner is await().
    for (int i = 0; i < peers; ++i)
        to[i][cell].epoch.store(epoch, std::memory_order_release);
    if (root_dest && dest != source) copy(dest, source, bytes);
}

void broadcast(Team& team, void* dest, const void* source, std::size_t bytes, int root,
               bool root_dest) {
    if (team.meeting != Meeting::flat || bytes - 1 >= kInlineBytes || team.size == 1 ||
        team.my_index == root)
        return broadcast_otherwise(team, dest, source, bytes, root, root_dest);
    const std::uint64_t epoch = open_one_way(team, Routine::broadcast);
    copy(dest, await(team, Routine::broadcast, root, epoch).payload, bytes);
}

namespace {

// What a PE says in a collect: how long its part is, and the part itself if that is short.
struct Contribution {
    std::uint64_t bytes;
    unsigned char data[kInlineBytes - sizeof(std::uint64_t)];
};
static_assert(sizeof(Contribution) == kInlineBytes);
inline constexpr std::size_t kContributionInline = sizeof(Contribution::data);

void contribute(Team& team, std::uint64_t epoch, const void* source, std::size_t bytes) {
    team.exchange_buffer ^= 1;
    if (bytes > kContributionInline && bytes <= team.staged)
        copy(stage(team, team.exchange_buffer), source, bytes);
    Cell* const mine = &cell_from(team, team.my_index, epoch);
    for (PeerWalk walk(team); walk.next();) {
        Cell& cell = *walk.translate(mine);
        auto* const message = reinterpret_cast<Contribution*>(cell.payload);
        message->bytes = bytes;
        if (bytes <= kContributionInline) copy(message->data, source, bytes);
        cell.epoch.store(epoch, std::memory_order_release);
    }
}

const Contribution& contribution(const Cell& cell) {
    return *reinterpret_cast<const Contribution*>(cell.payload);
}

void fetch(const Team& team, int peer, std::uint64_t epoch, char* dest, const void* source,
           std::size_t bytes) {
    if (bytes <= kContributionInline)
        copy(dest, contribution(cell_from(team, peer, epoch)).data, bytes);
    else if (bytes <= team.staged)
        copy(dest, stage_of(team, peer, team.exchange_buffer), bytes);
    else
        copy(dest, at(team, source, peer), bytes);
}

}  // namespace

void collect(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::collect;
    far::serve_by_call();
    char* const to = static_cast<char*>(dest);
    if (team.size == 1) {
        if (dest != source) copy(to, source, bytes);
        return;
    }
    if (team.meeting >= Meeting::psync) return across::collect(team, to, source, bytes);
    const std::uint64_t epoch = ++team.epoch;
    contribute(team, epoch, source, bytes);
    std::array<std::uint64_t, kMaxPes> lengths;
    std::size_t offset = 0;
    std::size_t mine = 0;
    bool direct = bytes > team.staged;
    for (int peer = 0; peer < team.size; ++peer) {
        if (peer == team.my_index) {
            lengths[peer] = bytes;
            mine = offset;
        } else {
            lengths[peer] = contribution(await(team, routine, peer, epoch)).bytes;
            direct |= lengths[peer] > team.staged;
        }
        offset += lengths[peer];
    }
    team.settled = epoch;
    offset = 0;
    for (int peer = 0; peer < team.size; ++peer) {
        if (peer != team.my_index) fetch(team, peer, epoch, to + offset, source, lengths[peer]);
        offset += lengths[peer];
    }
    if (to + mine != source) copy(to + mine, source, bytes);
    if (direct) depart(team, routine);
}

void fcollect(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::fcollect;
    if (bytes == 0) return;
    far::serve_by_call();
    char* const to = static_cast<char*>(dest);
    char* const mine = to + static_cast<std::size_t>(team.my_index) * bytes;
    if (team.meeting == Meeting::rooted && bytes > kContributionInline) {
        if (mine != source) copy(mine, source, bytes);
        return rendezvous(team, routine, [&](int peer) {
            copy(to + static_cast<std::size_t>(peer) * bytes, at(team, source, peer), bytes);
            copy(at(team, mine, peer), source, bytes);
        });
    }
    std::uint64_t epoch = 0;
    if (team.meeting >= Meeting::psync) return across::fcollect(team, dest, source, bytes);
    if (team.size > 1) {
        epoch = ++team.epoch;
        contribute(team, epoch, source, bytes);
    }
    if (mine != source) copy(mine, source, bytes);
    if (team.size == 1) return;
    for_each_peer(team, [&](int peer) {
        await(team, routine, peer, epoch);
        fetch(team, peer, epoch, to + static_cast<std::size_t>(peer) * bytes, source, bytes);
    });
    team.settled = epoch;
    if (bytes > team.staged) depart(team, routine);
}

void alltoall(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::alltoall;
    if (bytes == 0) return;
    far::serve_by_call();
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    const auto block = [bytes](int index) { return static_cast<std::size_t>(index) * bytes; };
    const std::size_t all = block(team.size);
    const auto copy_own = [&] {
        if (to != from)
            copy_within(all, to + block(team.my_index), from + block(team.my_index), bytes);
    };
    if (team.size == 1) return copy_own();
    if (team.meeting == Meeting::rooted && bytes > kInlineBytes) {
        copy_own();
        return rendezvous(team, routine, [&](int peer) {
            copy(to + block(peer), at(team, from, peer) + block(team.my_index), bytes);
            copy(at(team, to, peer) + block(team.my_index), from + block(peer), bytes);
        });
    }
    if (team.meeting >= Meeting::psync) return across::alltoall(team, dest, source, bytes);
    if (bytes > kInlineBytes && all > team.staged) {
        const std::uint64_t epoch = arrive(team, routine);
        copy_own();
        for_each_peer(team, [&](int peer) {
            await_arrival(team, routine, peer, epoch);
            copy_within(all, to + block(peer), at(team, from, peer) + block(team.my_index), bytes);
        });
        if (epoch != 0) team.settled = epoch;
        depart(team, routine);
        return;
    }
    const std::uint64_t epoch = ++team.epoch;
    const bool inlined = bytes <= kInlineBytes;
    if (inlined) {
        for_each_peer(team, [&](int peer) { post(team, peer, epoch, from + block(peer), bytes); });
    } else {
        team.exchange_buffer ^= 1;
        copy(stage(team, team.exchange_buffer), from, all);
        post_all(team, epoch);
    }
    copy_own();
    for_each_peer(team, [&](int peer) {
        const Cell& cell = await(team, routine, peer, epoch);
        copy(to + block(peer),
             inlined ? reinterpret_cast<const char*>(cell.payload)
                     : stage_of(team, peer, team.exchange_buffer) + block(team.my_index),
             bytes);
    });
    team.settled = epoch;
}

void alltoalls(Team& team, void* dest, const void* source, const Strided& shape) {
    constexpr Routine routine = Routine::alltoalls;
    const auto dest_stride = shape.dest_stride;
    const auto source_stride = shape.source_stride;
    const auto count = shape.count;
    const auto element = shape.element_bytes;
    if (count == 0) return;
    if (dest_stride == 1 && source_stride == 1)
        return alltoall(team, dest, source, count * element);
    far::serve_by_call();
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    const std::size_t packed = count * element;
    const auto dest_block = [&](int index) {
        return to + static_cast<std::size_t>(index) * dest_stride * packed;
    };
    const auto source_block = [&](const char* base, int index) {
        return base + static_cast<std::size_t>(index) * source_stride * packed;
    };
    const auto copy_own = [&] {
        if (to != from)
            copy_strided(dest_block(team.my_index), dest_stride, source_block(from, team.my_index),
                         source_stride, count, element);
    };
    if (team.size == 1) return copy_own();
    if (team.meeting == Meeting::rooted) {
        copy_own();
        return rendezvous(team, routine, [&](int peer) {
            copy_strided(dest_block(peer), dest_stride,
                         source_block(at(team, from, peer), team.my_index), source_stride, count,
                         element);
            copy_strided(at(team, dest_block(team.my_index), peer), dest_stride,
                         source_block(from, peer), source_stride, count, element);
        });
    }
    if (team.meeting >= Meeting::psync) return across::alltoalls(team, dest, source, shape);
    if (packed * static_cast<std::size_t>(team.size) > team.staged) {
        const std::uint64_t epoch = arrive(team, routine);
        copy_own();
        for_each_peer(team, [&](int peer) {
            await_arrival(team, routine, peer, epoch);
            copy_strided(dest_block(peer), dest_stride,
                         source_block(at(team, from, peer), team.my_index), source_stride, count,
                         element);
        });
        if (epoch != 0) team.settled = epoch;
        depart(team, routine);
        return;
    }
    // The stage holds the blocks without their gaps.
    const std::uint64_t epoch = ++team.epoch;
    team.exchange_buffer ^= 1;
    for_each_peer(team, [&](int peer) {
        copy_strided(stage(team, team.exchange_buffer) + static_cast<std::size_t>(peer) * packed, 1,
                     source_block(from, peer), source_stride, count, element);
        post(team, peer, epoch);
    });
    copy_own();
    for_each_peer(team, [&](int peer) {
        await(team, routine, peer, epoch);
        copy_strided(dest_block(peer), dest_stride,
                     stage_of(team, peer, team.exchange_buffer) +
                         static_cast<std::size_t>(team.my_index) * packed,
                     1, count, element);
    });
    team.settled = epoch;
}

}  // namespace isthmus
