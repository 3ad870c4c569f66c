#include "core/session/departure.hpp"

#include <vector>

#include "base/os.hpp"

#include "core/job/host_table.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "core/session/last_thread.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {
namespace {

// Where the first PE of another host says that its part of the job leaves, by round.
struct alignas(64) Word {
    std::atomic<std::uint64_t> departures;
};
constexpr int kRounds = static_cast<int>(kDepartureSize / sizeof(Word));
static_assert(kRounds >= 32, "log2 of the hosts there can be");

// What the others are told of, at once or as soon as no other thread of this PE may be at work, or
// come to work again before this one has left: who waits for such a thread does not wait in vain.
class Leaving {
  public:
    Leaving(Departure how, bool once_alone) : how_(how) {
        if (!once_alone || !has_other_threads()) tell();
    }

    template <typename Done>
    void await(const WaitTarget& target, Done done) {
        while (!done()) {
            bool alone = false;
            wait_for(target, [&] { return done() || (alone = is_alone_now()); });
            if (alone) tell();
        }
    }

  private:
    // Who learns that this PE leaves must find all that it sent, and by which call: a thread that
    // has come to its end has noted its own.
    void tell() {
        far::settle();
        job.status().routine.store(routine_, std::memory_order_relaxed);
        // Release: partner is the Waiter of a PE that waits for this one.
        job.status().departure.store(how_, std::memory_order_release);
        is_told_ = true;
    }

    // A look costs system calls.
    bool is_alone_now() {
        constexpr std::uint64_t kInterval = 20'000'000;
        if (is_told_) return false;
        const std::uint64_t now = os::monotonic_nanoseconds();
        if (now - looked_at_ < kInterval) return false;
        looked_at_ = now;
        return !has_other_threads() || do_others_wait_for_this_one();
    }

    const Departure how_;
    const Routine routine_ = job.status().routine.load(std::memory_order_relaxed);
    bool is_told_ = false;
    std::uint64_t looked_at_ = 0;
};

// log2(hosts) rounds between the first PEs; in round k each tells the one 2^k hosts further on.
void meet_hosts_to_leave(Leaving& leaving, std::uint64_t departures) {
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
        leaving.await({Routine::finalize, firsts[(mine + hosts - distance) % hosts], &word}, [&] {
            return word.departures.load(std::memory_order_acquire) >= departures;
        });
    }
}

void leave(Departure how, bool once_alone) {
    PeStatus& mine = job.status();
    const std::uint64_t round = mine.departures.load(std::memory_order_relaxed) + 1;
    far::settle();
    Leaving leaving(how, once_alone);
    // Release and acquire, each PE with each: what was stored before is visible to all.
    mine.departures.store(round, std::memory_order_release);
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!is_near(pe)) continue;
        const PeStatus& peer = job.header->pe[pe];
        leaving.await({Routine::finalize, pe},
                      [&] { return peer.departures.load(std::memory_order_acquire) >= round; });
    }
    if (!far::present) return;
    const int first = first_on_host(job.me);
    std::atomic<std::uint64_t>& departed = job.header->pe[first].departed;
    if (first == job.me) {
        meet_hosts_to_leave(leaving, round);
        // Release: partner is the acquire of this host's others.
        departed.store(round, std::memory_order_release);
    } else {
        leaving.await({Routine::finalize, first},
                      [&] { return departed.load(std::memory_order_acquire) >= round; });
    }
}

}  // namespace

void leave_together(Departure how) {
    leave(how, false);
}

// Not by a barrier of all: that would meet one that another PE is in, and let it pass.
void leave_inner_session(bool calls_by_threads) {
    leave(Departure::finalize, calls_by_threads);
    job.status().departure.store(Departure::none, std::memory_order_release);
}

}  // namespace isthmus
