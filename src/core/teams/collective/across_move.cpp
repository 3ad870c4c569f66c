// Across hosts: collectives that move data and do not compute.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "core/job/job_layout.hpp"
#include "core/teams/collective/across.hpp"
#include "core/teams/collective/by_fetch.hpp"
#include "core/teams/collective/strided.hpp"
#include "core/teams/collective/two_level.hpp"

namespace isthmus::collective::across {
namespace {

void copy_unless_same(void* dest, const void* source, std::size_t bytes) {
    if (dest != source && bytes != 0) copy(dest, source, bytes);
}

// ---- broadcast

// A binomial tree of hosts, whose root is the broadcast's root's. Each host is spoken for by its
// head: the root at its own, else the leader.
class HostTree {
  public:
    HostTree(const Levels& levels, int root) : levels_(levels), root_(root) {
        const int relative = relative_to_root(levels.my_host);
        int bit = 1;
        while (bit < levels.hosts && (relative & bit) == 0)
            bit *= 2;
        parent_ = relative == 0 ? -1 : head(relative - bit);
        for (bit /= 2; bit != 0; bit /= 2) {
            if (relative + bit < levels.hosts) children_[count_++] = head(relative + bit);
        }
    }
    int head() const { return head(relative_to_root(levels_.my_host)); }
    int parent() const { return parent_; }  // -1: none
    std::span<const int> children() const { return {children_.data(), count_}; }

  private:
    int relative_to_root(int host) const {
        return (host - levels_.host(root_) + levels_.hosts) % levels_.hosts;
    }
    int head(int relative) const {
        if (relative == 0) return root_;
        return levels_.leader((relative + levels_.host(root_)) % levels_.hosts);
    }
    const Levels& levels_;
    int root_;
    int parent_ = -1;
    std::array<int, std::bit_width(static_cast<unsigned>(kMaxPes))> children_{};
    std::size_t count_ = 0;
};

template <typename Each>
void for_each_mate(const Team& team, const Each& each) {
    for (const int mate : team.levels->mates()) {
        if (mate != team.my_index) each(mate);
    }
}

// In cells, or on the stages of the heads. Heads may run ahead.
void broadcast_short(Team& team, const HostTree& tree, void* dest, const void* source,
                     std::size_t bytes) {
    constexpr Routine routine = Routine::broadcast;
    const std::uint64_t epoch = open_one_way(team, routine);
    const bool inlined = bytes <= kInlineBytes;
    const std::uint64_t buffer = inlined ? 0 : one_way_buffer(team, epoch);
    if (tree.head() != team.my_index) {
        const Cell& cell = hear(team, routine, tree.head(), epoch);
        copy(dest,
             inlined ? reinterpret_cast<const char*>(cell.payload)
                     : stage_of(team, tree.head(), buffer),
             bytes);
        return;
    }
    const void* data = source;
    if (tree.parent() >= 0) {
        const Cell& cell = hear(team, routine, tree.parent(), epoch);
        data = inlined ? reinterpret_cast<const char*>(cell.payload) : stage(team, buffer);
    }
    for (const int child : tree.children()) {
        if (inlined)
            tell(team, routine, child, epoch, data, bytes);
        else
            tell(team, routine, child, epoch, stage(team, buffer), data, bytes);
    }
    if (!inlined && team.levels->mates().size() > 1)
        copy_unless_same(stage(team, buffer), data, bytes);
    for_each_mate(team, [&](int mate) { notify(team, mate, epoch, data, inlined ? bytes : 0); });
    if (tree.parent() >= 0) copy(dest, data, bytes);
}

// Straight to the heads' dests, piece by piece. A head says that it is there; its mates read from
// its dest, the root's from the source, and say when they have.
void broadcast_long(Team& team, const HostTree& tree, void* dest, const void* source,
                    std::size_t bytes) {
    constexpr Routine routine = Routine::broadcast;
    const std::uint64_t epoch = open_one_way(team, routine);
    char* const to = static_cast<char*>(dest);
    const int head = tree.head();
    if (head != team.my_index) {
        // What the head tells is its parent, from whom the pieces come; -1 if it is the root.
        std::int32_t parent = -1;
        std::memcpy(&parent, hear(team, routine, head, epoch).payload, sizeof parent);
        const char* const from = at(team, parent < 0 ? static_cast<const char*>(source) : to, head);
        for_each_piece(bytes, [&](std::size_t offset, std::size_t length, std::uint64_t number) {
            if (parent >= 0) await_piece(team, routine, head, parent, epoch, number);
            copy(to + offset, from + offset, length);
        });
        return notify(team, head, epoch);
    }
    const std::int32_t parent = tree.parent();
    for_each_mate(team, [&](int mate) { notify(team, mate, epoch, &parent, sizeof parent); });
    if (parent >= 0) tell(team, routine, parent, epoch);
    for (const int child : tree.children())
        hear(team, routine, child, epoch);
    const char* const from = parent < 0 ? static_cast<const char*>(source) : to;
    for_each_piece(bytes, [&](std::size_t offset, std::size_t length, std::uint64_t number) {
        if (parent >= 0) await_piece(team, routine, head, parent, epoch, number);
        for (const int child : tree.children())
            send_piece(team, routine, child, epoch, number, to + offset, from + offset, length);
    });
    for_each_mate(team, [&](int mate) { hear(team, routine, mate, epoch); });
}

}  // namespace

void broadcast(Team& team, void* dest, const void* source, std::size_t bytes, int root,
               bool root_dest) {
    if (team.psync) return by_fetch::broadcast(team, dest, source, bytes, root, root_dest);
    if (bytes == 0) return;
    const HostTree tree(*team.levels, root);
    if (bytes <= kStageBytes)
        broadcast_short(team, tree, dest, source, bytes);
    else
        broadcast_long(team, tree, dest, source, bytes);
    if (team.my_index == root && root_dest) copy_unless_same(dest, source, bytes);
}

namespace {

// ---- collections

// Everyone's part at everyone; PE i's is begin(i) to begin(i + 1) of every dest. All have entered.
// Each sends its own to one PE of each other host, from where that one's mates copy it.
template <typename Begin>
void gather_parts(Team& team, Routine routine, void* dest, const void* source, const Begin& begin) {
    const Levels& levels = *team.levels;
    const std::uint64_t epoch = ++team.epoch;
    char* const to = static_cast<char*>(dest);
    const auto length = [&](int peer) { return begin(peer + 1) - begin(peer); };
    char* const mine = to + begin(team.my_index);
    for (int distance = 1; distance < levels.hosts; ++distance) {
        const int host = (levels.my_host + distance) % levels.hosts;
        send(team, routine, levels.counterpart(team.my_index, host), epoch, mine, source,
             length(team.my_index));
    }
    for_each_mate(team, [&](int mate) {
        copy_unless_same(to + begin(mate), at(team, static_cast<const char*>(source), mate),
                         length(mate));
    });
    copy_unless_same(mine, source, length(team.my_index));
    for_each_peer(team, [&](int peer) {
        if (is_mate(team, peer)) return;
        const int receiver = levels.counterpart(peer, levels.my_host);
        char* const part = to + begin(peer);
        for_each_piece(length(peer),
                       [&](std::size_t offset, std::size_t bytes, std::uint64_t number) {
                           await_piece(team, routine, receiver, peer, epoch, number);
                           if (receiver != team.my_index)
                               copy(part + offset, at(team, part, receiver) + offset, bytes);
                       });
    });
    meet_on_host(team, routine);
}

// What a PE says first in a collect: how long its part is, and the part itself if that is short.
struct Contribution {
    std::uint64_t bytes;
    char data[kInlineBytes - sizeof(std::uint64_t)];
};
static_assert(sizeof(Contribution) == kInlineBytes);

}  // namespace

void collect(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::collect;
    if (team.psync) return by_fetch::collect(team, dest, source, bytes);
    static_assert(sizeof(Contribution::bytes) * kMaxPes <= kStageBytes);
    const Levels& levels = *team.levels;
    Contribution mine{bytes, {}};
    if (bytes <= sizeof mine.data) copy(mine.data, source, bytes);
    // A large team says only how long.
    const bool whole = fits_zone(team, sizeof mine);
    const std::size_t said = whole ? sizeof mine : sizeof mine.bytes;
    const char* zone = share_blocks(team, routine, &mine, said);
    const auto contribution = [&](int peer) {
        return reinterpret_cast<const Contribution*>(block_of(team, zone, peer, said));
    };
    // By number in the team, and by position host by host.
    std::array<std::size_t, kMaxPes + 1> begins;
    std::array<std::size_t, kMaxPes + 1> positions;
    begins[0] = positions[0] = 0;
    bool inlined = whole;
    for (std::size_t i = 0; i < static_cast<std::size_t>(team.size); ++i) {
        const auto length = contribution(static_cast<int>(i))->bytes;
        inlined &= length <= sizeof mine.data;
        begins[i + 1] = begins[i] + length;
        positions[i + 1] = positions[i] + contribution(levels.order[i])->bytes;
    }
    const auto begin = [&](int peer) { return begins[static_cast<std::size_t>(peer)]; };
    char* const to = static_cast<char*>(dest);
    if (inlined) {
        for (int peer = 0; peer < team.size; ++peer)
            copy(to + begin(peer), contribution(peer)->data, begin(peer + 1) - begin(peer));
    } else if (begin(team.size) <= kStageBytes) {
        const auto position = [&](int index) { return positions[static_cast<std::size_t>(index)]; };
        zone = share_blocks(team, routine, source, bytes, position);
        for (int index = 0; index < team.size; ++index) {
            const int peer = levels.order[static_cast<std::size_t>(index)];
            copy(to + begin(peer), zone + position(index), begin(peer + 1) - begin(peer));
        }
    } else {
        gather_parts(team, routine, dest, source, begin);
    }
}

void fcollect(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::fcollect;
    if (team.psync) return by_fetch::fcollect(team, dest, source, bytes);
    if (bytes == 0) return;
    const auto begin = [bytes](int peer) { return static_cast<std::size_t>(peer) * bytes; };
    if (!fits_zone(team, bytes)) {
        enter(team, routine);
        return gather_parts(team, routine, dest, source, begin);
    }
    char* const to = static_cast<char*>(dest);
    const char* const zone = share_blocks(team, routine, source, bytes);
    if (team.levels->in_order) return copy(to, zone, begin(team.size));
    for (int peer = 0; peer < team.size; ++peer)
        copy(to + begin(peer), block_of(team, zone, peer, bytes), bytes);
}

namespace {

// ---- all to all

// Up to here the blocks go by the stages of the leaders, whose first half is for what comes and
// whose second half for what goes.
constexpr std::size_t kHalfStage = kStageBytes / 2;
bool fits_half(const Team& team, std::size_t bytes) {
    const auto blocks =
        static_cast<std::size_t>(team.size) * static_cast<std::size_t>(team.levels->largest);
    return bytes <= kHalfStage / blocks;
}

// What two hosts have for each other is one put each way. It lies by receiver, then by sender.
// pack(peer, to) lays down my block for a PE, unpack(peer, from) takes in its for me.
template <typename Pack, typename Unpack>
void exchange_blocks(Team& team, Routine routine, std::size_t bytes, const Pack& pack,
                     const Unpack& unpack) {
    const Levels& levels = *team.levels;
    const int me = levels.my_host;
    const std::uint64_t epoch = ++team.epoch;
    team.exchange_buffer ^= 1;
    const auto blocks = [bytes](int a, int b) {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * bytes;
    };
    char* const zone = zone_of_leader(team);
    // Of what comes from host `from` to host `to`, and of what goes there.
    const auto coming = [&](int from, int to) {
        return blocks(levels.begin_of(from), levels.size_of(to));
    };
    const auto going = [&](int to) {
        return kHalfStage + blocks(levels.begin_of(to), levels.size_of(me));
    };
    for (int peer = 0; peer < team.size; ++peer) {
        const int host = levels.host(peer);
        char* const part = zone + (host == me ? coming(me, me) : going(host));
        pack(peer,
             part + blocks(levels.place(peer), levels.size_of(me)) + blocks(levels.my_place, 1));
    }
    meet_at_leader(team, routine, epoch, [&] {
        for (int distance = 1; distance < levels.hosts; ++distance) {
            const int host = (me + distance) % levels.hosts;
            tell(team, routine, levels.leader(host), epoch, zone + coming(me, host),
                 zone + going(host), blocks(levels.size_of(host), levels.size_of(me)));
        }
        for (int host = 0; host < levels.hosts; ++host) {
            if (host != me) hear(team, routine, levels.leader(host), epoch);
        }
    });
    team.settled = epoch;
    for (int peer = 0; peer < team.size; ++peer) {
        const int host = levels.host(peer);
        unpack(peer, zone + coming(host, me) + blocks(levels.my_place, levels.size_of(host)) +
                         blocks(levels.place(peer), 1));
    }
}

}  // namespace

void alltoall(Team& team, void* dest, const void* source, std::size_t bytes) {
    constexpr Routine routine = Routine::alltoall;
    if (team.psync) return by_fetch::alltoall(team, dest, source, bytes);
    if (bytes == 0) return;
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    const auto block = [bytes](int index) { return static_cast<std::size_t>(index) * bytes; };
    if (fits_half(team, bytes))
        return exchange_blocks(
            team, routine, bytes,
            [&](int peer, char* place) { copy(place, from + block(peer), bytes); },
            [&](int peer, const char* place) { copy(to + block(peer), place, bytes); });
    enter(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    for_each_peer(team, [&](int peer) {
        if (!is_mate(team, peer))
            send(team, routine, peer, epoch, to + block(team.my_index), from + block(peer), bytes);
    });
    for (const int mate : team.levels->mates())
        copy_unless_same(to + block(mate), at(team, from, mate) + block(team.my_index), bytes);
    for_each_peer(team, [&](int peer) {
        if (!is_mate(team, peer)) await_all_of(team, routine, team.my_index, peer, epoch, bytes);
    });
    meet_on_host(team, routine);
}

namespace {

// Without gaps at the dest: each far PE's block is packed and put where it belongs.
void send_packed(Team& team, char* to, const char* from, const Strided& shape) {
    constexpr Routine routine = Routine::alltoalls;
    const std::size_t packed = shape.count * shape.element_bytes;
    const auto block = [&](int index) {
        return from + static_cast<std::size_t>(index) * shape.source_stride * packed;
    };
    const std::uint64_t epoch = ++team.epoch;
    std::vector<char> piece(std::min(packed, kPieceBytes));
    char* const mine = to + static_cast<std::size_t>(team.my_index) * packed;
    for_each_peer(team, [&](int peer) {
        if (is_mate(team, peer)) return;
        for_each_piece(packed, [&](std::size_t offset, std::size_t length, std::uint64_t number) {
            copy_strided(piece.data(), 1, block(peer) + offset * shape.source_stride,
                         shape.source_stride, length / shape.element_bytes, shape.element_bytes);
            send_piece(team, routine, peer, epoch, number, mine + offset, piece.data(), length);
        });
    });
    for_each_peer(team, [&](int peer) {
        if (!is_mate(team, peer)) await_all_of(team, routine, team.my_index, peer, epoch, packed);
    });
}

// With gaps, which no put may write to: packed pieces by the stage of the receiver, which takes
// them apart. Each PE sends a piece to all far ones, then waits for one of each; so who sends
// the next but one has heard that its place is free.
void exchange_pieces(Team& team, char* to, const char* from, const Strided& shape) {
    constexpr Routine routine = Routine::alltoalls;
    const std::size_t element = shape.element_bytes;
    const std::size_t packed = shape.count * element;
    const auto pes = static_cast<std::size_t>(team.size);
    static_assert(kStageBytes / kMaxPes >= 16);            // the longest element
    const std::size_t step = kStageBytes / pes / element;  // elements of a piece
    const std::uint64_t epoch = ++team.epoch;
    std::vector<char> piece(step * element);
    std::uint64_t number = 0;
    const auto place = [&](int sender) {
        return stage(team, number & 1) + static_cast<std::size_t>(sender) * step * element;
    };
    for (std::size_t first = 0; first < shape.count; first += step) {
        const std::size_t count = std::min(step, shape.count - first);
        ++number;
        for_each_peer(team, [&](int peer) {
            if (is_mate(team, peer)) return;
            const std::size_t block = static_cast<std::size_t>(peer) * packed;
            copy_strided(piece.data(), 1, from + (block + first * element) * shape.source_stride,
                         shape.source_stride, count, element);
            send_piece(team, routine, peer, epoch, number, place(team.my_index), piece.data(),
                       count * element);
        });
        for_each_peer(team, [&](int peer) {
            if (is_mate(team, peer)) return;
            await_piece(team, routine, team.my_index, peer, epoch, number);
            const std::size_t block = static_cast<std::size_t>(peer) * packed;
            copy_strided(to + (block + first * element) * shape.dest_stride, shape.dest_stride,
                         place(peer), 1, count, element);
        });
    }
}

}  // namespace

void alltoalls(Team& team, void* dest, const void* source, const Strided& shape) {
    constexpr Routine routine = Routine::alltoalls;
    if (team.psync) return by_fetch::alltoalls(team, dest, source, shape);
    if (shape.count == 0) return;
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    const std::size_t packed = shape.count * shape.element_bytes;
    const auto block = [&](auto* base, int index, std::size_t stride) {
        return base + static_cast<std::size_t>(index) * stride * packed;
    };
    if (fits_half(team, packed))
        return exchange_blocks(
            team, routine, packed,
            [&](int peer, char* place) {
                copy_strided(place, 1, block(from, peer, shape.source_stride), shape.source_stride,
                             shape.count, shape.element_bytes);
            },
            [&](int peer, const char* place) {
                copy_strided(block(to, peer, shape.dest_stride), shape.dest_stride, place, 1,
                             shape.count, shape.element_bytes);
            });
    enter(team, routine);
    for (const int mate : team.levels->mates())
        copy_strided(block(to, mate, shape.dest_stride), shape.dest_stride,
                     block(at(team, from, mate), team.my_index, shape.source_stride),
                     shape.source_stride, shape.count, shape.element_bytes);
    if (shape.dest_stride == 1) {
        send_packed(team, to, from, shape);
        meet_on_host(team, routine);
    } else {
        exchange_pieces(team, to, from, shape);
        enter(team, routine);  // the stages are free again
    }
}

}  // namespace isthmus::collective::across
