#include "core/teams/collective/barrier.hpp"

#include "core/reach/channel.hpp"
#include "core/reach/far.hpp"
#include "core/teams/collective.hpp"
#include "core/teams/collective/psync.hpp"
#include "core/teams/collective/two_level.hpp"

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

void meet_at_root(Team& team, Routine routine, std::uint64_t epoch) {
    if (team.my_index == 0) {
        await_all(team, routine, epoch);
        post_all(team, epoch);
    } else {
        post(team, 0, epoch);
        await(team, routine, 0, epoch);
    }
}

// Every way of meeting but the flat one.
[[gnu::noinline]] void meet(Team& team, Routine routine) {
    if (team.meeting == Meeting::psync) return psync_barrier(team, routine);
    if (team.meeting == Meeting::far) {
        // The contexts, too. A sync need not, and with ISTHMUS_DELAY does not.
        const bool is_sync = routine == Routine::sync_all || routine == Routine::team_sync ||
                             routine == Routine::sync;
        if (!(far::view.is_late && is_sync)) far::quiet_all();
        return enter(team, routine);
    }
    const std::uint64_t epoch = ++team.epoch;
    if (team.meeting == Meeting::rooted)
        meet_at_root(team, routine, epoch);
    else
        disseminate(team, routine, epoch);
    team.settled = epoch;
}

}  // namespace

// Budget: 80 instructions for 2 PEs, waiting not counted.
void barrier(Team& team, Routine routine) {
    far::serve_by_call();  // it may find all that it waits for, or have nobody to wait for
    if (team.meeting != Meeting::flat) [[unlikely]]
        return meet(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    const int peers = team.size - 1;
    const std::uint64_t place = epoch % kDepth;
    for (int i = 0; i < peers; ++i)
        team.to[i][place].epoch.store(epoch, std::memory_order_release);
    for (int i = 0; i < peers; ++i) {
        const Cell& cell = team.from[i][place];
        if (cell.epoch.load(std::memory_order_acquire) != epoch)
            await_cell(team, routine, (team.my_index + 1 + i) % team.size, cell, epoch);
    }
    team.settled = epoch;
}

// Under the name of the routine last noted.
void barrier_world() {
    barrier(isthmus_team_world, job.status().routine.load(std::memory_order_relaxed));
}

namespace collective {

void await_cell(const Team& team, Routine routine, int sender, const Cell& cell,
                std::uint64_t epoch) {
    wait_for({routine, team.world_pe(sender), &cell},
             [&] { return cell.epoch.load(std::memory_order_acquire) == epoch; });
}

// 0: everyone has arrived already.
std::uint64_t arrive(Team& team, Routine routine) {
    if (team.meeting == Meeting::rounds || team.meeting == Meeting::psync) {
        barrier(team, routine);
        return 0;
    }
    const std::uint64_t epoch = ++team.epoch;
    post_all(team, epoch);
    return epoch;
}

// Not by way of a root: that would take another turn of the scheduler.
void depart(Team& team, Routine routine) {
    if (team.meeting != Meeting::rooted) return barrier(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    post_all(team, epoch);
    await_all(team, routine, epoch);
    team.settled = epoch;
}

}  // namespace collective
}  // namespace isthmus
