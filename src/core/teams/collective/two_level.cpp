#include "core/teams/collective/two_level.hpp"

#include <algorithm>

#include "core/reach/operation.hpp"
#include "core/wait/sleep.hpp"

namespace isthmus::collective {
namespace {

// How long a PE that sleeps for a mate goes without a look at the network.
constexpr std::uint64_t kNap = 100'000;  // nanoseconds

// Yields are quick where all wait, but who yields to a PE that computes comes back only when the
// scheduler's turn is over. So after one that took long the next waits sleep at once, and a wait
// yields a few times only.
constexpr std::uint64_t kLongYield = 100'000;  // nanoseconds
constexpr int kWaitsWithout = 100;
constexpr int kYields = 20;
thread_local int waits_without = 0;

template <typename Done>
bool yields_until(const Done& done) {
    if (waits_without > 0) {
        --waits_without;
        return false;
    }
    for (int left = kYields; left > 0; --left) {
        far::progress();
        if (done()) return true;
        const std::uint64_t before = os::monotonic_nanoseconds();
        os::yield();
        if (os::monotonic_nanoseconds() - before > kLongYield) {
            waits_without = kWaitsWithout;
            break;
        }
    }
    return done();
}

// As wait_for(), but soon sleeps where that one yields.
template <typename Done>
void sleep_until(const WaitTarget& target, const Done& done) {
    for (std::uint32_t polls = 0; polls < job.spin; ++polls) {
        if (done()) return;
        if (polls % 16 == 0) far::progress();
        os::pause();
    }
    if (yields_until(done)) return;
    Waiter waiter(target);
    if (is_near(target.peer)) {
        Sleeper sleeper{FencedWriters{}};
        for (far::progress(); !sleeper.sleep(kNap, done); far::progress())
            waiter.look();
        return;
    }
    for (far::progress(); !done(); far::progress()) {
        if (far::sleep())
            waiter.look();
        else
            waiter.step();
    }
}

}  // namespace

const Cell& hear(const Team& team, Routine routine, int sender, std::uint64_t epoch) {
    const Cell& cell = cell_from(team, sender, epoch);
    // Acquire: partner is post(), or the far PE's signal.
    const auto done = [&] { return cell.epoch.load(std::memory_order_acquire) == epoch; };
    if (!done()) sleep_until({routine, team.world_pe(sender), &cell}, done);
    return cell;
}

void notify(const Team& team, int mate, std::uint64_t epoch, const void* data, std::size_t bytes) {
    post(team, mate, epoch, data, bytes);
    wake_fenced(team.world_pe(mate));
}

void tell(const Team& team, Routine routine, int peer, std::uint64_t epoch, const void* data,
          std::size_t bytes) {
    tell(team, routine, peer, epoch, cell_from(team, team.my_index, epoch).payload, data, bytes);
}

void tell(const Team& team, Routine routine, int peer, std::uint64_t epoch, void* dest,
          const void* data, std::size_t bytes) {
    const int pe = team.world_pe(peer);
    Cell& cell = cell_from(team, team.my_index, epoch);
    // Partner: await().
    operation::tell(dest, data, bytes, cell.epoch, epoch, pe, routine_name(routine));
}

// Few hosts: all tell all, one hop. More: log2(hosts) rounds; in round k each tells the one 2^k
// further on.
void meet_hosts(Team& team, Routine routine, std::uint64_t epoch) {
    const Levels& levels = *team.levels;
    const int hosts = levels.hosts;
    const auto leader = [&](int distance) {
        return levels.leader((levels.my_host + distance + hosts) % hosts);
    };
    if (hosts <= kDirectHosts) {
        for (int distance = 1; distance < hosts; ++distance)
            tell(team, routine, leader(distance), epoch);
        for (int distance = 1; distance < hosts; ++distance)
            hear(team, routine, leader(-distance), epoch);
        return;
    }
    for (int distance = 1; distance < hosts; distance *= 2) {
        tell(team, routine, leader(distance), epoch);
        hear(team, routine, leader(-distance), epoch);
    }
}

void enter(Team& team, Routine routine) {
    const std::uint64_t epoch = ++team.epoch;
    meet_at_leader(team, routine, epoch, [&] { meet_hosts(team, routine, epoch); });
    team.settled = epoch;
}

void meet_on_host(Team& team, Routine routine) {
    meet_at_leader(team, routine, ++team.epoch, [] {});
}

// Few hosts: each leader sends its host's blocks to each other one, so that they cross once. More:
// in round k a leader passes on what it has of the 2^k hosts up to its own, to the one 2^k further
// on; blocks that wrap around the end of the zone are two puts.
void exchange_zones(Team& team, Routine routine, std::uint64_t epoch,
                    const std::size_t* begin_of_host) {
    const Levels& levels = *team.levels;
    const int hosts = levels.hosts;
    const int me = levels.my_host;
    char* const zone = stage(team, team.exchange_buffer);
    const auto leader = [&](int distance) {
        return levels.leader((me + distance + hosts) % hosts);
    };
    const auto tell_hosts = [&](int peer, int first, int last) {
        char* const from = zone + begin_of_host[first];
        tell(team, routine, peer, epoch, from, from, begin_of_host[last] - begin_of_host[first]);
    };
    if (hosts <= kDirectHosts) {
        for (int distance = 1; distance < hosts; ++distance)
            tell_hosts(leader(distance), me, me + 1);
        for (int distance = 1; distance < hosts; ++distance)
            hear(team, routine, leader(-distance), epoch);
        return;
    }
    for (int distance = 1; distance < hosts; distance *= 2) {
        const int count = std::min(distance, hosts - distance);
        const int to = leader(distance);
        if (const int first = me + 1 - count; first >= 0) {
            tell_hosts(to, first, me + 1);
        } else {
            char* const from = zone + begin_of_host[first + hosts];
            send_piece(team, routine, to, epoch, 1, from, from,
                       begin_of_host[hosts] - begin_of_host[first + hosts]);
            tell_hosts(to, 0, me + 1);
        }
        const int back = (me - distance + hosts) % hosts;
        if (back + 1 - count < 0)
            await_piece(team, routine, team.my_index, levels.leader(back), epoch, 1);
        hear(team, routine, levels.leader(back), epoch);
    }
}

void send_piece(const Team& team, Routine routine, int peer, std::uint64_t epoch,
                std::uint64_t number, void* dest, const void* source, std::size_t bytes) {
    const int pe = team.world_pe(peer);
    std::atomic<std::uint64_t>& progress = lanes(team)[team.my_index].progress;
    const std::uint64_t value = epoch << kPieceBits | number;
    // Partner: await_piece().
    operation::tell(dest, source, bytes, progress, value, pe, routine_name(routine));
}

void send(const Team& team, Routine routine, int peer, std::uint64_t epoch, void* dest,
          const void* source, std::size_t bytes) {
    for_each_piece(bytes, [&](std::size_t offset, std::size_t length, std::uint64_t number) {
        send_piece(team, routine, peer, epoch, number, static_cast<char*>(dest) + offset,
                   static_cast<const char*>(source) + offset, length);
    });
}

void await_piece(const Team& team, Routine routine, int receiver, int sender, std::uint64_t epoch,
                 std::uint64_t number) {
    const std::atomic<std::uint64_t>& progress = *at(team, &lanes(team)[sender].progress, receiver);
    const std::uint64_t value = epoch << kPieceBits | number;
    // Acquire: partner is send_piece(), or the far PE's signal.
    if (progress.load(std::memory_order_acquire) >= value) return;
    const auto done = [&] { return progress.load(std::memory_order_acquire) >= value; };
    const WaitTarget target{routine, team.world_pe(sender), &progress};
    if (receiver == team.my_index)
        sleep_until(target, done);
    else
        wait_for(target, done);  // nobody tells a mate of the receiver
}

void await_all_of(const Team& team, Routine routine, int receiver, int sender, std::uint64_t epoch,
                  std::size_t bytes) {
    if (bytes == 0) return;
    await_piece(team, routine, receiver, sender, epoch, (bytes + kPieceBytes - 1) / kPieceBytes);
}

}  // namespace isthmus::collective
