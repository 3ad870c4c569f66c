#include "core/session/departure.hpp"

#include <vector>

#include "core/job/host_table.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {
namespace {

// Where the first PE of another host says that its part of the job leaves, by round.
struct alignas(64) Word {
    std::atomic<std::uint64_t> departures;
};
constexpr int kRounds = static_cast<int>(kDepartureSize / sizeof(Word));
static_assert(kRounds >= 32, "log2 of the hosts there can be");

// log2(hosts) rounds between the first PEs; in round k each tells the one 2^k hosts further on.
void meet_hosts_to_leave(std::uint64_t departures) {
    std::vector<int> firsts;
    std::size_t mine = 0;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (first_on_host(pe) != pe) continue;
        if (pe == job.me) mine = firsts.size();
        firsts.push_back(pe);
    }
    auto* const words = internal_object<Word>(kDepartureOffset);
    const std::size_t hosts = firsts.size();
    std::size_t distance = 1;
    for (int round = 0; distance < hosts && round < kRounds; ++round, distance *= 2) {
        Word& word = words[round];
        far::tell(&word, nullptr, 0, reinterpret_cast<std::uint64_t*>(&word.departures), departures,
                  firsts[(mine + distance) % hosts], "shmem_finalize");
        // Acquire: partner is the far PE's signal.
        wait_for({Routine::finalize, firsts[(mine + hosts - distance) % hosts], &word},
                 [&] { return word.departures.load(std::memory_order_acquire) >= departures; });
    }
}

}  // namespace

void leave_together(Departure how) {
    PeStatus& mine = job.status();
    const std::uint64_t round = mine.departures.load(std::memory_order_relaxed) + 1;
    // Who learns that this PE leaves must find all that it sent.
    far::settle();
    // Release: partner is the Waiter of a PE that waits for this one.
    mine.departure.store(how, std::memory_order_release);
    // Release and acquire, each PE with each: what was stored before is visible to all.
    mine.departures.store(round, std::memory_order_release);
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!is_near(pe)) continue;
        const PeStatus& peer = job.header->pe[pe];
        wait_for({Routine::finalize, pe},
                 [&] { return peer.departures.load(std::memory_order_acquire) >= round; });
    }
    if (!far::present) return;
    const int first = first_on_host(job.me);
    std::atomic<std::uint64_t>& departed = job.header->pe[first].departed;
    if (first == job.me) {
        meet_hosts_to_leave(round);
        // Release: partner is the acquire of this host's others.
        departed.store(round, std::memory_order_release);
    } else {
        wait_for({Routine::finalize, first},
                 [&] { return departed.load(std::memory_order_acquire) >= round; });
    }
}

// Not by a barrier of all: that would meet one that another PE is in, and let it pass. Where
// another thread of this PE may be at work, nobody is told that the PE leaves: who waits for that
// thread does not wait in vain.
void leave_inner_session(bool other_threads) {
    leave_together(other_threads ? Departure::none : Departure::finalize);
    job.status().departure.store(Departure::none, std::memory_order_release);
}

}  // namespace isthmus
