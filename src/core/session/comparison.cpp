#include "core/session/comparison.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/library_data.hpp"
#include "core/job/road.hpp"
#include "core/session/alike.hpp"
#include "core/session/gather.hpp"
#include "core/session/host.hpp"
#include "core/session/road_choice.hpp"
#include "core/session/secret.hpp"

namespace isthmus {
namespace {

// Those libraries that all PEs of this host could move.
std::uint64_t libraries_of_host() {
    std::uint64_t common = ~std::uint64_t{0};
    for (int pe = 0; pe < job.pes; ++pe) {
        if (job.host.test(static_cast<std::size_t>(pe)))
            common &= job.header->pe[pe].libraries.load(std::memory_order_relaxed);
    }
    return common;
}

// The PEs of another host have another header; what is compared is filled in there and here. A
// host's first PE speaks for it: its mates compare with it there.
void fill_in_far_status() {
    struct Card {
        std::uint64_t heap_size;
        std::uint64_t data_size;
        std::uint64_t data_checksum;
        std::uint64_t window_shift;
        std::uint64_t libraries;
        AlikeSettings settings;
        HostFacts host;
        transport::HostKey shown;
    };
    const PeStatus& mine = job.status();
    const SecretExchange exchange;
    const Card card{mine.heap_size.load(std::memory_order_relaxed),
                    mine.data_size.load(std::memory_order_relaxed),
                    mine.data_checksum.load(std::memory_order_relaxed),
                    mine.window_shift.load(std::memory_order_relaxed),
                    libraries_of_host(),
                    settings_of(mine),
                    own_host_facts(),
                    exchange.shown()};
    std::vector<Card> cards(first_pes().size());
    gather_of_hosts(&card, sizeof card, cards.data());
    std::vector<HostFacts> hosts;
    std::vector<transport::HostKey> shown;
    for (const Card& each : cards) {
        hosts.push_back(each.host);
        shown.push_back(each.shown);
    }
    note_host_facts(hosts);
    job.secret = exchange.agree(shown);
    for (int pe = 0; pe < job.pes; ++pe) {
        if (job.host.test(static_cast<std::size_t>(pe))) continue;
        PeStatus& far = job.header->pe[pe];
        const Card& theirs = cards[static_cast<std::size_t>(host_number(pe))];
        far.heap_size.store(theirs.heap_size, std::memory_order_relaxed);
        far.data_size.store(theirs.data_size, std::memory_order_relaxed);
        far.data_checksum.store(theirs.data_checksum, std::memory_order_relaxed);
        far.window_shift.store(static_cast<std::uint32_t>(theirs.window_shift),
                               std::memory_order_relaxed);
        far.libraries.store(theirs.libraries, std::memory_order_relaxed);
        set_settings(far, theirs.settings);
    }
}

// Of this PE and another one, that whose program's variables have not been moved, where the other
// one's have; -1: they are alike, or it is another program.
int one_without_data(int pe, const PeStatus& peer) {
    const std::uint64_t theirs = peer.data_size.load(std::memory_order_relaxed);
    if ((theirs == 0) == (job.data.size == 0)) return -1;
    return theirs == 0 ? pe : job.me;
}

}  // namespace

void compare_with_peers() {
    // Before anything that they decide: who asks other hosts would wait for who does not.
    const auto is_near = [](int pe) { return job.host.test(static_cast<std::size_t>(pe)); };
    for (int pe = 0; pe < job.pes; ++pe) {
        if (pe != job.me && is_near(pe)) compare_settings(pe);
    }
    if (far::present) fill_in_far_status();
    const PeStatus& mine = job.status();
    std::uint64_t common = ~std::uint64_t{0};  // libraries
    for (int pe = 0; pe < job.pes; ++pe) {
        if (pe == job.me) continue;
        const PeStatus& peer = job.header->pe[pe];
        if (!is_near(pe)) compare_settings(pe);
        const auto peer_heap = peer.heap_size.load(std::memory_order_relaxed);
        if (peer_heap != job.heap.size)
            fail("shmem_init",
                 "the symmetric heap has " + format_size(job.heap.size - kInternalSize) +
                     " here and " + format_size(peer_heap - kInternalSize) + " at PE " +
                     std::to_string(pe) + "; set SHMEM_SYMMETRIC_SIZE alike everywhere");
        if (const int without = one_without_data(pe, peer); without >= 0)
            fail("shmem_init",
                 "PE " + std::to_string(without) + " has no symmetric static variables, and PE " +
                     std::to_string(without == pe ? job.me : pe) +
                     " has: where threads have been started before the library is loaded (by "
                     "NumPy's OpenBLAS, of a PE that has more than one processor) it leaves them "
                     "alone; set "
                     "OPENBLAS_NUM_THREADS=1, start with --bind none, or do whatever makes all PEs "
                     "alike");
        if (peer.window_shift.load(std::memory_order_relaxed) !=
                mine.window_shift.load(std::memory_order_relaxed) ||
            peer.data_size.load(std::memory_order_relaxed) != job.data.size ||
            (job.data.size != 0 && peer.data_checksum.load(std::memory_order_relaxed) !=
                                       mine.data_checksum.load(std::memory_order_relaxed)))
            fail("shmem_init", "PE " + std::to_string(pe) +
                                   " runs another program than this PE; a job is one executable");
        common &= peer.libraries.load(std::memory_order_relaxed);
    }
    if (job.pes > 1) keep_libraries(common);
}

}  // namespace isthmus
