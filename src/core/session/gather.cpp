// A host's PEs share a board in the job file: each lays its own down,
// the first one swaps with the other hosts' first ones, and all read. So what crosses between hosts
// goes there once for all of its PEs, and the process manager is asked by one PE a host.
#include "core/session/gather.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/session/manager.hpp"
#include "core/session/start_barrier.hpp"
#include "core/session/start_watch.hpp"

namespace isthmus {
namespace {

// Far behind the header of the job file.
constexpr std::uint64_t kBoardOffset = std::uint64_t{1} << 30;
static_assert(sizeof(JobHeader) <= kBoardOffset && kBoardOffset < region(0));

class Board {
  public:
    explicit Board(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
        if (kBoardOffset + bytes_ > region(0)) fail("shmem_init", "too much to exchange");
        void* const place = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED,
                                 memory_file(header_owner()), static_cast<off_t>(kBoardOffset));
        if (place == MAP_FAILED)
            fail("shmem_init", std::string("cannot map the job file: ") + std::strerror(errno));
        place_ = static_cast<char*>(place);
    }
    ~Board() { munmap(place_, bytes_); }
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;
    char* at(std::size_t offset) { return place_ + offset; }

  private:
    std::size_t bytes_;
    char* place_;
};

// `entries` says which entries of `bytes` each host's first PE gives, the same at every PE; `mine`
// is the entry of this PE, if it has one (else -1). All of them are in `all` at the end.
void gather_on_board(const void* data, std::size_t bytes, int mine,
                     const std::vector<std::vector<int>>& entries, std::size_t count, void* all) {
    const WatchedWait wait;
    Board board(count * bytes);
    const auto at = [&](int entry) { return board.at(static_cast<std::size_t>(entry) * bytes); };
    if (mine >= 0) std::memcpy(at(mine), data, bytes);
    meet_on_host();
    Exchange* const exchange = process_manager();
    if (exchange && entries.size() > 1) {
        const std::vector<int>& firsts = first_pes();
        std::string own;
        std::vector<std::string> theirs(entries.size());
        std::vector<Exchange::Part> parts;
        for (std::size_t host = 0; host < entries.size() && header_owner() == job.me; ++host) {
            if (firsts[host] == job.me) {
                for (const int entry : entries[host])
                    own.append(at(entry), bytes);
                continue;
            }
            theirs[host].resize(entries[host].size() * bytes);
            parts.push_back({firsts[host], theirs[host].data(), theirs[host].size()});
        }
        exchange->share(own.data(), own.size(), parts);
        for (std::size_t host = 0; host < entries.size(); ++host) {
            for (std::size_t i = 0; i * bytes < theirs[host].size(); ++i)
                std::memcpy(at(entries[host][i]), theirs[host].data() + i * bytes, bytes);
        }
        meet_on_host();
    }
    std::memcpy(all, board.at(0), count * bytes);
    meet_on_host();  // the board is free
}

// What a process manager throws ends the job.
template <typename Work>
void or_fail(Work&& work) {
    try {
        work();
    } catch (const std::exception& problem) {
        const WatchedWait wait;
        await_managers_end();
        fail(process_manager() ? process_manager()->name() : "shmem_init", problem.what());
    }
}

}  // namespace

void gather(const void* mine, std::size_t bytes, void* all) {
    std::vector<std::vector<int>> entries;
    for (const int first : first_pes()) {
        entries.emplace_back();
        for (int pe = first; pe < job.pes; ++pe) {
            if (host_number(pe) == host_number(first)) entries.back().push_back(pe);
        }
    }
    or_fail([&] {
        gather_on_board(mine, bytes, job.me, entries, static_cast<std::size_t>(job.pes), all);
    });
}

void gather_of_hosts(const void* mine, std::size_t bytes, void* all) {
    const std::size_t hosts = first_pes().size();
    std::vector<std::vector<int>> entries(hosts);
    for (std::size_t host = 0; host < hosts; ++host)
        entries[host] = {static_cast<int>(host)};
    const int entry = header_owner() == job.me ? host_number(job.me) : -1;
    or_fail([&] { gather_on_board(mine, bytes, entry, entries, hosts, all); });
}

void send_to_hosts(void* data, std::size_t bytes) {
    Exchange* const exchange = process_manager();
    if (!exchange || first_pes().size() < 2) return;
    const WatchedWait wait;
    std::vector<Exchange::Part> parts;
    if (job.me != 0 && header_owner() == job.me) parts.push_back({0, data, bytes});
    or_fail([&] { exchange->share(data, job.me == 0 ? bytes : 0, parts); });
}

void share_on_host(void* data, std::size_t bytes) {
    const WatchedWait wait;
    Board board(bytes);
    if (header_owner() == job.me) std::memcpy(board.at(0), data, bytes);
    meet_on_host();
    std::memcpy(data, board.at(0), bytes);
    meet_on_host();  // the board is free
}

void forget_exchanges() {
    if (header_owner() == job.me) os::discard(job.file, kBoardOffset, region(0) - kBoardOffset);
}

// In groups, whose first members put what their groups have together, so that a PE asks for
// sqrt(PEs) values and not for as many as there are PEs.
void gather_by_groups(Exchange& exchange, const void* mine, std::size_t bytes, void* all,
                      const std::function<void()>& all_have_come) {
    const int pes = exchange.size();
    const int rank = exchange.rank();
    const int group = std::max(static_cast<int>(std::ceil(std::sqrt(pes))),
                               static_cast<int>(std::size_t{480} / bytes));
    const int first = rank / group * group;
    auto* const whole = static_cast<char*>(all);
    const auto place = [&](int pe) { return whole + static_cast<std::size_t>(pe) * bytes; };
    const auto length = [&](int from) {
        return static_cast<std::size_t>(std::min(group, pes - from)) * bytes;
    };
    std::vector<Exchange::Part> parts;
    for (int pe = first; pe < pes && pe < first + group && rank == first; ++pe)
        parts.push_back({pe, place(pe), bytes});
    exchange.share(mine, bytes, parts);
    all_have_come();
    parts.clear();
    for (int other = 0; other < pes; other += group)
        parts.push_back({other, place(other), length(other)});
    exchange.share(place(first), rank == first ? length(first) : 0, parts);
}

}  // namespace isthmus
