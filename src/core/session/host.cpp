#include "core/session/host.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/fnv1a.hpp"
#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/session/credentials.hpp"
#include "core/session/file_swap.hpp"
#include "core/session/gather.hpp"
#include "core/session/handshake.hpp"
#include "core/session/host_speaker.hpp"
#include "core/session/kept_signals.hpp"
#include "core/session/manager.hpp"
#include "core/session/road_choice.hpp"
#include "core/session/start_watch.hpp"
#include "transport/preferred_road.hpp"

namespace isthmus {
namespace {

// What each PE tells all others about itself.
struct Card {
    std::uint64_t socket;  // number in the name of its socket
    // One running kernel (its boot) and one network namespace; 0: not known.
    std::uint64_t kernel : 48;
    std::uint64_t slots : 16;  // of its window
    Secret secret;             // what who calls it has to know
};
static_assert(sizeof(Card) == 32);

static_assert(sizeof(HostFacts::name) == sizeof(decltype(HostTable::names)::value_type));

// Of this host; its first PE speaks for it.
transport::PreferredRoad own_preference() {
    if (first_pes().size() < 2 || header_owner() != job.me) return {transport::kPacket, ""};
    const KeptSignals kept;
    return transport::preferred_road(value(Setting::fabric).text, road_folder());
}

// Without both facts nothing is claimed, and what is claimed is proved. A want of descriptors is
// not one of facts: each PE would be a host of its own.
std::uint64_t own_kernel() {
    constexpr const char* kBoot = "/proc/sys/kernel/random/boot_id";
    struct stat space {};
    if (stat(os::own_proc("ns/net").c_str(), &space) != 0) return 0;
    const int file = open(kBoot, O_RDONLY | O_CLOEXEC);
    if (file < 0 && (errno == EMFILE || errno == ENFILE)) {
        const int error = errno;
        throw std::runtime_error(std::string(kBoot) + ": " + std::strerror(error) +
                                 os::advice_on_call(error));
    }
    if (file < 0) return 0;
    char boot[64];
    const auto count = read(file, boot, sizeof boot);
    close(file);
    if (count < 36) return 0;
    const std::uint64_t number = space.st_ino;
    const std::uint64_t hash = fnv1a(&number, sizeof number, fnv1a(boot, 36));
    return std::max<std::uint64_t>(hash >> 16, 1);
}

Card own_card() {
    Card card{0, own_kernel(), static_cast<std::uint16_t>(window_slots()), draw_secret()};
    if (!os::fill_with_random(&card.socket, sizeof card.socket))
        throw std::runtime_error(without_random_numbers());
    return card;
}

// From here on the PEs of this host share the header that its first PE made.
std::string share_header(int first) {
    if (first != job.me) {
        JobHeader* const own = job.header;
        const int file = host_table.files[static_cast<std::size_t>(first)];
        void* const place =
            mmap(nullptr, sizeof(JobHeader), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (place == MAP_FAILED) return memory_failed("mmap", first);
        auto* const shared = static_cast<JobHeader*>(place);
        if (shared->magic != kJobMagic)
            return "PE " + std::to_string(first) + " runs another version of the library";
        const PeStatus& from = own->pe[job.me];
        PeStatus& to = shared->pe[job.me];
        const auto relaxed = std::memory_order_relaxed;
        to.process.store(from.process.load(relaxed), relaxed);
        to.process_space.store(from.process_space.load(relaxed), relaxed);
        to.window_shift.store(from.window_shift.load(relaxed), relaxed);
        to.data_size.store(from.data_size.load(relaxed), relaxed);
        to.data_checksum.store(from.data_checksum.load(relaxed), relaxed);
        to.libraries.store(from.libraries.load(relaxed), relaxed);
        to.routine.store(from.routine.load(relaxed), relaxed);
        to.waiting_for.store(-1, relaxed);
        to.state.store(PeState::loaded, std::memory_order_release);
        job.header = shared;
        job.noted = &shared->pe[job.me].routine;
    }
    return "";
}

// A host's number is that of its first PE among the first PEs. The slots of a window reach an
// aligned group of as many PEs; a machine whose PEs lie in several groups counts as several hosts.
void number_hosts(const std::vector<Card>& cards) {
    std::map<std::array<std::uint64_t, 3>, int> known;  // by kernel, slots and group
    for (std::size_t pe = 0; pe < cards.size(); ++pe) {
        host_table.one_machine &= cards[pe].kernel != 0 && cards[pe].kernel == cards[0].kernel;
        const auto next = static_cast<int>(host_table.firsts.size());
        const std::array<std::uint64_t, 3> group{cards[pe].kernel, cards[pe].slots,
                                                 pe / cards[pe].slots};
        const auto [found, is_new] = known.emplace(group, next);
        if (cards[pe].kernel == 0 || is_new) host_table.firsts.push_back(static_cast<int>(pe));
        host_table.numbers.push_back(cards[pe].kernel == 0 ? next : found->second);
    }
}

std::string why_no_socket(const char* call) {
    return std::string("cannot open a socket for this host: ") + call + ": " +
           std::strerror(errno) + os::advice_on_call(errno);
}

std::string join(const Descriptor& listener) {
    if (listener.file() < 0) return why_no_socket("socket");
    const Card card = own_card();
    sockaddr_un address;
    const socklen_t length = name_socket(card.socket, address);
    if (bind(listener.file(), reinterpret_cast<sockaddr*>(&address), length) != 0)
        return why_no_socket("bind");
    if (listen(listener.file(), kMaxHostPes) != 0) return why_no_socket("listen");
    std::vector<Card> cards(static_cast<std::size_t>(job.pes));
    note_start_phase(StartWatch::Phase::joining);
    {
        std::optional<WatchedWait> wait(std::in_place);
        gather_by_groups(*process_manager(), &card, sizeof card, cards.data(), [&] {
            wait.reset();
            note_start_phase(StartWatch::Phase::all_here);
            wait.emplace();
        });
    }
    number_hosts(cards);
    std::vector<Mate> mates;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (host_number(pe) != host_number(job.me)) continue;
        const Card& of = cards[static_cast<std::size_t>(pe)];
        mates.push_back({pe, of.socket, of.secret});
        job.host.set(static_cast<std::size_t>(pe));
    }
    note_start_phase(StartWatch::Phase::together);
    host_table.files.assign(cards.size(), -1);
    host_table.files[static_cast<std::size_t>(job.me)] = job.file;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof processors, &processors);
    if (std::string why = swap_files(listener, mates, processors); !why.empty()) return why;
    job.header->pes = static_cast<std::uint32_t>(job.pes);
    job.header->processors = static_cast<std::uint32_t>(CPU_COUNT(&processors));
    {
        const WatchedWait wait;
        process_manager()->meet();
    }
    std::string why = share_header(mates.front().pe);
    note_start_phase(StartWatch::Phase::sharing);
    return why;
}

}  // namespace

std::string join_managed_job(const std::string& problem) {
    std::string why;
    try {
        begin_start_watch(job.me, StartWatch::Phase::asking, false);
        {
            const WatchedWait wait;
            if (!find_manager(why))
                return why.empty() ? "the process manager does not answer" : why;
        }
        const Exchange& exchange = *process_manager();
        if (exchange.rank() != job.me)
            return std::string(exchange.name()) + " gives this process rank " +
                   std::to_string(exchange.rank()) + ", its environment " + std::to_string(job.me);
        if (exchange.size() > kMaxPes)
            return std::to_string(exchange.size()) + " PEs are too many: at most " +
                   std::to_string(kMaxPes) + " in a job";
        job.pes = exchange.size();
        {
            const WatchedWait wait;
            note_job_name(exchange.job_name());
            note_host_ranks(process_manager()->host_ranks());
        }
        if (!problem.empty()) return problem;
        Descriptor listener = open_socket(kMatesPatience);
        why = join(listener);
        // Kept to the end of the process: who has called must not see it close, and speak of that,
        // before this PE has said why.
        if (!why.empty()) listener.release();
        return why;
    } catch (const std::exception& failure) {
        note_failed_exchange();
        const WatchedWait wait;
        await_managers_end();
        return std::string(process_manager() ? process_manager()->name() : "process manager") +
               ": " + failure.what();
    }
}

HostFacts own_host_facts() {
    HostFacts mine{};
    host_name().copy(mine.name.data(), mine.name.size() - 1);
    const transport::PreferredRoad own = own_preference();
    mine.prefers_ofi = own.name == transport::kOfi ? 1 : 0;
    host_table.road_reason = own.why;
    return mine;
}

void note_host_facts(const std::vector<HostFacts>& all) {
    if (all.size() < 2) return;
    const bool prefers_ofi = all[static_cast<std::size_t>(host_number(job.me))].prefers_ofi != 0;
    host_table.road_between = transport::kOfi;
    for (const HostFacts& host : all) {
        host_table.names.push_back(host.name);
        if (host.prefers_ofi != 0) continue;
        if (prefers_ofi)
            host_table.road_reason = std::string(
                                         "not all hosts have a network that libfabric drives, "
                                         "such as ") +
                                     host.name.data();
        host_table.road_between = transport::kPacket;
    }
}

}  // namespace isthmus
