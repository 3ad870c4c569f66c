// An exchange of long data with one wait instead of two, for jobs with more PEs than processors,
// where every wait costs turns of the scheduler: of each two PEs the one that comes later copies
// both ways, because it knows that the other one's operands are ready; the earlier one finds the
// work done. Otherwise both would have to wait for each other and then again until both are done.
#pragma once

#include "core/teams/collective/inbox.hpp"

namespace isthmus::collective {

inline constexpr int kRendezvousPes = 64;

// True if this PE comes later than the peer in this epoch.
inline bool met(const Team& team, int peer, std::uint64_t epoch) {
    const int low = peer < team.my_index ? peer : team.my_index;
    const int high = peer < team.my_index ? team.my_index : peer;
    auto& word = translate(&lanes(team)[high], team.world_pe(low))->met;
    // acq_rel: the later one sees what the earlier one wrote before.
    return word.exchange(epoch, std::memory_order_acq_rel) == epoch;
}

// copy_both(peer) copies this PE's data to the peer and the peer's to this PE.
template <typename CopyBoth>
void rendezvous(Team& team, Routine routine, CopyBoth&& copy_both) {
    const std::uint64_t epoch = ++team.epoch;
    std::uint64_t later_than = 0;
    for_each_peer(team, [&](int peer) {
        if (met(team, peer, epoch)) later_than |= std::uint64_t{1} << peer;
    });
    for_each_peer(team, [&](int peer) {
        if ((later_than >> peer & 1) == 0) return;
        copy_both(peer);
        post(team, peer, epoch);
    });
    for_each_peer(team, [&](int peer) {
        if ((later_than >> peer & 1) == 0) await(team, routine, peer, epoch);
    });
    team.settled = epoch;
}

}  // namespace isthmus::collective
