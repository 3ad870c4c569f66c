// Synchronisation of an active set through the program's own work array, for sets that have no
// team behind them. The array holds counters: a PE adds to a peer's, waits for its own and takes
// away what it waited for, so that the array is back at SHMEM_SYNC_VALUE when nothing is under way.
// Each counter has one PE that adds to it, so calls that follow each other at once do not mix.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/job/team.hpp"
#include "core/job/window.hpp"
#include "core/reach/operation.hpp"
#include "core/wait/wait.hpp"

namespace isthmus::collective {

// Words of the work array; SHMEM_SYNC_SIZE of them.
enum PsyncWord : int {
    kPsyncRound = 0,       // one a round of the barrier: 2^8 PEs
    kPsyncRoot = 8,        // broadcast: the root is here
    kPsyncDone = 9,        // broadcast: leaves that have fetched
    kPsyncBytes = 10,      // collect: bytes that this PE contributes
    kPsyncSignature = 16,  // checked mode: 7 words
    kPsyncSize = 32
};

inline void psync_add(const Team& team, int peer, int word) {
    const int pe = team.world_pe(peer);
    long* const counter = team.psync + word;
    // Release: partner is psync_take(). A chain of adds stays one release sequence.
    operation::post_atomic(operation::find(counter, pe), counter, pe,
                           {far::AtomicKind::add, 8, 1, 0}, "pSync");
}

// Waits until `count` have been added to this PE's word and takes them away.
inline void psync_take(const Team& team, Routine routine, int peer, int word, long count = 1) {
    std::atomic_ref counter(team.psync[word]);
    wait_for({routine, peer < 0 ? -1 : team.world_pe(peer), team.psync + word},
             [&] { return counter.load(std::memory_order_acquire) >= count; });
    counter.fetch_sub(count, std::memory_order_acq_rel);
}

inline void psync_barrier(const Team& team, Routine routine) {
    int round = kPsyncRound;
    for (int distance = 1; distance < team.size; distance *= 2, ++round) {
        psync_add(team, (team.my_index + distance) % team.size, round);
        psync_take(team, routine, (team.my_index - distance + team.size) % team.size, round);
    }
}

}  // namespace isthmus::collective
