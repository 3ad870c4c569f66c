// What the collectives of teams that reach across hosts are made of.
//
// Within a host PEs tell each other by stores (inbox.hpp), between hosts by signals behind the data
// (Transport::tell), which nobody flushes: whoever gets one goes on, and that is how its sender
// comes to know. Short data go by way of a stage: that of the leader is where its host's PEs lay
// down what they have, where the other leaders put theirs, and where all of the host read. Long
// data go from operand to operand, once all are in the call; how far they have come is a number in
// the receiver's lane for the sender, which the receiver's mates may read as well.
#pragma once

#include <array>

#include "core/job/job_layout.hpp"
#include "core/teams/collective/inbox.hpp"
#include "core/teams/collective/levels.hpp"

namespace isthmus::collective {

// Like post(), to a PE near or far. The payload is there before the epoch is.
void tell(const Team& team, Routine routine, int peer, std::uint64_t epoch,
          const void* data = nullptr, std::size_t bytes = 0);
// The same with the data elsewhere: `dest` as an address of this PE.
void tell(const Team& team, Routine routine, int peer, std::uint64_t epoch, void* dest,
          const void* data, std::size_t bytes);

// As await() and post() of the inbox, for PEs that are scarce of processors: whoever waits sleeps,
// for a mate until that one wakes it, for a far PE until the network has something.
const Cell& hear(const Team& team, Routine routine, int sender, std::uint64_t epoch);
void notify(const Team& team, int mate, std::uint64_t epoch, const void* data = nullptr,
            std::size_t bytes = 0);

// The PEs of this host come to their leader, who does `between` and lets them go.
template <typename Between>
void meet_at_leader(Team& team, Routine routine, std::uint64_t epoch, const Between& between) {
    const Levels& levels = *team.levels;
    if (!levels.leads()) {
        notify(team, levels.leader(), epoch);
        hear(team, routine, levels.leader(), epoch);
        return;
    }
    for (const int mate : levels.mates().subspan(1))
        hear(team, routine, mate, epoch);
    between();
    for (const int mate : levels.mates().subspan(1))
        notify(team, mate, epoch);
}

// "All are in the call": what they stored before is visible, their operands may be used. An epoch,
// which it settles.
void enter(Team& team, Routine routine);
// The same of the PEs of this host. An epoch, which is not settled.
void meet_on_host(Team& team, Routine routine);

// One PE of each host calls it, when all of its host have said so. Then all hosts have.
void meet_hosts(Team& team, Routine routine, std::uint64_t epoch);
// The leaders of up to so many hosts tell each other directly, not in rounds.
inline constexpr int kDirectHosts = 4;

// ---- short data: everyone's block at everyone

// By position in Levels::order: where a block begins; one more than there are PEs: the end.
inline char* zone_of_leader(const Team& team) {
    return translate(stage(team, team.exchange_buffer), team.world_pe(team.levels->leader()));
}
// The leaders give each other the blocks of their hosts, which lie in their zones.
void exchange_zones(Team& team, Routine routine, std::uint64_t epoch,
                    const std::size_t* begin_of_host);

// Everyone lays down `bytes` at begin(its position). Returns where all of it lies, until the next
// exchange but one. begin(team.size) is at most kStageBytes. Settles its epoch.
template <typename Begin>
const char* share_blocks(Team& team, Routine routine, const void* mine, std::size_t bytes,
                         const Begin& begin) {
    const Levels& levels = *team.levels;
    const std::uint64_t epoch = ++team.epoch;
    team.exchange_buffer ^= 1;
    char* const zone = zone_of_leader(team);
    copy(zone + begin(levels.begin_of(levels.my_host) + levels.my_place), mine, bytes);
    meet_at_leader(team, routine, epoch, [&] {
        std::array<std::size_t, kMaxPes + 1> begins;
        for (int host = 0; host <= levels.hosts; ++host)
            begins[static_cast<std::size_t>(host)] = begin(levels.begin_of(host));
        exchange_zones(team, routine, epoch, begins.data());
    });
    team.settled = epoch;
    return zone;
}
inline bool fits_zone(const Team& team, std::size_t bytes) {
    return bytes <= kStageBytes / static_cast<std::size_t>(team.size);
}
// Blocks of one length.
inline const char* share_blocks(Team& team, Routine routine, const void* mine, std::size_t bytes) {
    return share_blocks(team, routine, mine, bytes, [bytes](int position) {
        return static_cast<std::size_t>(position) * bytes;
    });
}
inline const char* block_of(const Team& team, const char* zone, int peer, std::size_t bytes) {
    return zone +
           static_cast<std::size_t>(team.levels->position[static_cast<std::size_t>(peer)]) * bytes;
}

// ---- long data, in pieces

// Whole elements of every kind.
inline constexpr std::size_t kPieceBytes = std::size_t{128} << 10;

// Calls each(offset, length, number of the piece, from 1).
template <typename Each>
void for_each_piece(std::size_t bytes, Each&& each) {
    std::uint64_t number = 0;
    for (std::size_t offset = 0; offset < bytes; offset += kPieceBytes)
        each(offset, bytes - offset < kPieceBytes ? bytes - offset : kPieceBytes, ++number);
}

// Bits of the pieces in Lane::progress; the epoch is above them.
inline constexpr int kPieceBits = 20;

// Puts a piece to `dest` (an address of this PE) at the peer and counts it there.
void send_piece(const Team& team, Routine routine, int peer, std::uint64_t epoch,
                std::uint64_t number, void* dest, const void* source, std::size_t bytes);
// All of it, in pieces.
void send(const Team& team, Routine routine, int peer, std::uint64_t epoch, void* dest,
          const void* source, std::size_t bytes);
// Waits until so many pieces from `sender` have come to `receiver`, this PE or a mate.
void await_piece(const Team& team, Routine routine, int receiver, int sender, std::uint64_t epoch,
                 std::uint64_t number);
// Waits for all of it.
void await_all_of(const Team& team, Routine routine, int receiver, int sender, std::uint64_t epoch,
                  std::size_t bytes);

template <typename T>
T* at(const Team& team, T* address, int mate) {
    return translate(address, team.world_pe(mate));
}
inline bool is_mate(const Team& team, int peer) {
    return team.levels->host(peer) == team.levels->my_host;
}

}  // namespace isthmus::collective
