#include "core/collective/barrier.hpp"

#include "core/collective.hpp"
#include "core/collective/psync.hpp"

namespace isthmus {

using namespace collective;

namespace {

// log2(size) rounds; in round k everyone tells the PE 2^k further on. Senders of different rounds
// are different PEs, so the rounds need no numbers.
void disseminate(Team& team, Routine routine, std::uint64_t epoch) {
    for (int distance = 1; distance < team.size; distance *= 2) {
        int to = team.my_index + distance;
        if (to >= team.size) to -= team.size;
        int from = team.my_index - distance;
        if (from < 0) from += team.size;
        post(team, to, epoch);
        await(team, routine, from, epoch);
    }
}

}  // namespace

// Budget: 80 instructions for 2 PEs, waiting not counted.
void barrier(Team& team, Routine routine) {
    if (team.psync) [[unlikely]]
        return psync_barrier(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    if (team.flat) [[likely]] {
        post_all(team, epoch);
        await_all(team, routine, epoch);
    } else {
        disseminate(team, routine, epoch);
    }
    team.settled = epoch;
}

// Under the name of the routine last noted.
void barrier_world() {
    barrier(isthmus_team_world, job.status().routine.load(std::memory_order_relaxed));
}

namespace collective {

// 0: everyone has arrived already.
std::uint64_t arrive(Team& team, Routine routine) {
    if (team.psync || !team.flat) {
        barrier(team, routine);
        return 0;
    }
    const std::uint64_t epoch = ++team.epoch;
    post_all(team, epoch);
    return epoch;
}

}  // namespace collective
}  // namespace isthmus
