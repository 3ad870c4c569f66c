// How the PEs of a team tell each other something: by stores into each other's inbox.
//
// The slot of a team has, at every PE:
//     stage   kDepth buffers; what is too long for a cell, for the others to fetch
//     lanes   one a sender, of kDepth cells; a cell is one cache line: an epoch and 56 bytes
//
// A sender writes the payload, then the epoch (release); the receiver polls for exactly that epoch
// (acquire). Cell number epoch % kDepth serves again kDepth epochs later, and nothing is ever
// acknowledged. Invariant that makes this safe: when an epoch e begins,
// e - settled < kDepth, so every PE has entered an epoch later than e - kDepth, hence is done with
// it. An exchange of all with all settles its epoch; a one-way operation (broadcast) does not, and
// leaves room for one exchange: open_one_way().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/copy/copy.hpp"
#include "core/job/team.hpp"
#include "core/job/window.hpp"
#include "core/wait/wait.hpp"

namespace isthmus::collective {

inline constexpr std::uint64_t kDepth = 8;
inline constexpr std::size_t kInlineBytes = 56;
inline constexpr std::size_t kStageBytes = 16384;

struct alignas(64) Cell {
    std::atomic<std::uint64_t> epoch;
    unsigned char payload[kInlineBytes];
};
static_assert(sizeof(Cell) == 64);

struct Lane {
    Cell cells[kDepth];
    // Where this PE and the sender find out who of them came later (rendezvous.hpp); used in the
    // lane at the PE with the lower number.
    alignas(64) std::atomic<std::uint64_t> met;
    // How far the sender's long data have come (two_level.hpp).
    std::atomic<std::uint64_t> progress;
};
static_assert(sizeof(Lane) == (kDepth + 1) * 64);

inline constexpr std::size_t kLanesOffset = kDepth * kStageBytes;
constexpr std::size_t area_bytes(int pes) {
    return kLanesOffset + static_cast<std::size_t>(pes) * sizeof(Lane);
}

// Buffers of the stage. Exchanges take 0 and 1 in turn: who enters one has left the last but one.
// One-way operations take 2 and up, by how long ago all PEs met.
inline char* stage(const Team& team, std::uint64_t buffer) {
    return team.area + buffer * kStageBytes;
}
inline const char* stage_of(const Team& team, int peer, std::uint64_t buffer) {
    return translate(stage(team, buffer), team.world_pe(peer));
}
inline std::uint64_t one_way_buffer(const Team& team, std::uint64_t epoch) {
    return 1 + epoch - team.settled;
}

inline Lane* lanes(const Team& team) {
    return reinterpret_cast<Lane*>(team.area + kLanesOffset);
}
inline Cell& cell_from(const Team& team, int sender, std::uint64_t epoch) {
    return lanes(team)[sender].cells[epoch % kDepth];
}
inline Cell& cell_at(const Team& team, int receiver, std::uint64_t epoch) {
    return *translate(&cell_from(team, team.my_index, epoch), team.world_pe(receiver));
}

inline void post(const Team& team, int receiver, std::uint64_t epoch) {
    // Release: partner is await().
    cell_at(team, receiver, epoch).epoch.store(epoch, std::memory_order_release);
}
inline void post(const Team& team, int receiver, std::uint64_t epoch, const void* data,
                 std::size_t bytes) {
    Cell& cell = cell_at(team, receiver, epoch);
    copy(cell.payload, data, bytes);
    cell.epoch.store(epoch, std::memory_order_release);
}

// The waiting part of await(); returns when the cell shows the epoch.
[[gnu::noinline]] void await_cell(const Team& team, Routine routine, int sender, const Cell& cell,
                                  std::uint64_t epoch);

inline const Cell& await(const Team& team, Routine routine, int sender, std::uint64_t epoch) {
    const Cell& cell = cell_from(team, sender, epoch);
    // Acquire: partner is post().
    if (cell.epoch.load(std::memory_order_acquire) != epoch)
        await_cell(team, routine, sender, cell, epoch);
    return cell;
}

// Walks the other PEs of the team, beginning behind this one, so that not all start at the same.
template <typename Each>
inline void for_each_peer(const Team& team, Each&& each) {
    int peer = team.my_index;
    for (int left = team.size; --left > 0;) {
        if (++peer == team.size) peer = 0;
        each(peer);
    }
}

// What a loop over the peers needs, held in registers: the stores in the loop might be to anything.
class PeerWalk {
  public:
    explicit PeerWalk(const Team& team)
        : left_(team.size),
          peer_(team.my_index),
          size_(team.size),
          start_(team.start),
          stride_(team.stride),
          me_(window.me),
          shift_(window.shift) {}
    bool next() {
        if (--left_ <= 0) return false;
        if (++peer_ == size_) peer_ = 0;
        return true;
    }
    int peer() const { return peer_; }
    template <typename T>
    T* translate(T* address) const {
        const auto slot =
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(start_ + peer_ * stride_) ^ me_);
        return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + (slot << shift_));
    }

  private:
    int left_;
    int peer_;
    int size_;
    int start_;
    int stride_;
    std::uint32_t me_;
    std::uint32_t shift_;
};

inline void post_all(const Team& team, std::uint64_t epoch) {
    Cell* const mine = &cell_from(team, team.my_index, epoch);
    for (PeerWalk walk(team); walk.next();)
        walk.translate(mine)->epoch.store(epoch, std::memory_order_release);
}
inline void post_all(const Team& team, std::uint64_t epoch, const void* data, std::size_t bytes) {
    Cell* const mine = &cell_from(team, team.my_index, epoch);
    for (PeerWalk walk(team); walk.next();) {
        Cell& cell = *walk.translate(mine);
        copy(cell.payload, data, bytes);
        cell.epoch.store(epoch, std::memory_order_release);
    }
}
inline void await_all(const Team& team, Routine routine, std::uint64_t epoch) {
    const Lane* const first = lanes(team);
    for (PeerWalk walk(team); walk.next();) {
        const Cell& cell = first[walk.peer()].cells[epoch % kDepth];
        if (cell.epoch.load(std::memory_order_acquire) != epoch)
            await_cell(team, routine, walk.peer(), cell, epoch);
    }
}

}  // namespace isthmus::collective
