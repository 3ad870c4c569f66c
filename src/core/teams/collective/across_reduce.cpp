// Across hosts: reductions and scans.
//
// Short: everyone's vector at every host, and each PE computes all it needs, in the order of the
// team. Long, and each host's PEs follow each other in the team: a chain of hosts. The vector is
// shared out over the PEs of a host (the lanes); each lane combines its part of its host's vectors
// behind what the lane of the host before has sent, and sends it on; the result comes back the same
// way, and from each lane to its mates. Each link carries the vector once each way, and the terms
// are combined in the order of the team. Long and interleaved, where the order matters: each PE
// combines a part, and fetches the terms.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/reach/far.hpp"
#include "core/teams/collective/across.hpp"
#include "core/teams/collective/by_fetch.hpp"
#include "core/teams/collective/fold.hpp"
#include "core/teams/collective/two_level.hpp"

namespace isthmus::collective::across {
namespace {

// Whether the terms of any order make the same bits.
bool is_order_free(Operation operation, Kind kind) {
    return operation <= Operation::bit_xor || kind <= Kind::u64;
}

// A PE's part of a chain. `source` is what to read as this PE's own: a copy where `dest`, to which
// the host before sends, is the source.
class ChainLane {
  public:
    ChainLane(const Team& team, char* dest, const char* source, std::size_t elements,
              std::size_t element_bytes)
        : team_(team), levels_(*team.levels), source_(source) {
        works_ = levels_.my_place < levels_.smallest;
        if (!works_) return;
        const Part part = part_of(elements, element_bytes, levels_.smallest, levels_.my_place);
        begin_ = part.begin * element_bytes;
        bytes_ = part.end * element_bytes - begin_;
        dest_ = dest + begin_;
        if (levels_.my_host > 0) before_ = levels_.member(levels_.my_host - 1, levels_.my_place);
        if (levels_.my_host + 1 < levels_.hosts)
            behind_ = levels_.member(levels_.my_host + 1, levels_.my_place);
        if (dest == source && before_ >= 0) own_.assign(source + begin_, source + begin_ + bytes_);
    }
    bool works() const { return works_; }
    int before() const { return before_; }  // -1: none
    int behind() const { return behind_; }
    std::size_t bytes() const { return bytes_; }
    char* dest() const { return dest_; }
    const char* term(int place) const {
        const int mate = levels_.member(levels_.my_host, place);
        if (mate == team_.my_index && !own_.empty()) return own_.data();
        return at(team_, source_, mate) + begin_;
    }

  private:
    const Team& team_;
    const Levels& levels_;
    const char* source_;
    std::vector<char> own_;
    bool works_ = false;
    int before_ = -1;
    int behind_ = -1;
    std::size_t begin_ = 0;
    std::size_t bytes_ = 0;
    char* dest_ = nullptr;
};

void copy_to_mates(const Team& team, char* place, std::size_t bytes) {
    for (const int mate : team.levels->mates()) {
        if (mate != team.my_index) copy(at(team, place, mate), place, bytes);
    }
}

void reduce_by_chain(Team& team, char* dest, const char* source, std::size_t elements,
                     std::size_t element_bytes, Combine combine, Routine routine) {
    const ChainLane lane(team, dest, source, elements, element_bytes);
    enter(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    const int terms = static_cast<int>(team.levels->mates().size());
    const int earlier = lane.before() >= 0 ? 1 : 0;
    for_each_piece(lane.bytes(), [&](std::size_t offset, std::size_t length, std::uint64_t number) {
        char* const sum = lane.dest() + offset;
        if (earlier) await_piece(team, routine, team.my_index, lane.before(), epoch, number);
        const auto from = [&](int index) {
            return index < earlier ? sum : lane.term(index - earlier) + offset;
        };
        fold_up_to(terms + earlier - 1, combine, sum, length / element_bytes, element_bytes, from);
        const int next = lane.behind() >= 0 ? lane.behind() : lane.before();
        send_piece(team, routine, next, epoch, number, sum, sum, length);
        if (lane.behind() < 0) copy_to_mates(team, sum, length);
    });
    if (lane.behind() >= 0) {
        for_each_piece(
            lane.bytes(), [&](std::size_t offset, std::size_t length, std::uint64_t number) {
                char* const sum = lane.dest() + offset;
                await_piece(team, routine, team.my_index, lane.behind(), epoch, number);
                if (earlier)
                    send_piece(team, routine, lane.before(), epoch, number, sum, sum, length);
                copy_to_mates(team, sum, length);
            });
    }
    meet_on_host(team, routine);
}

// The bytes of PE `index`'s part where all of the team share out the vector.
struct Share {
    std::size_t begin;
    std::size_t bytes;
};
Share share_of(const Team& team, std::size_t elements, std::size_t element_bytes, int index) {
    const Part part = part_of(elements, element_bytes, team.size, index);
    return {part.begin * element_bytes, (part.end - part.begin) * element_bytes};
}

void reduce_by_fetch(Team& team, char* dest, const char* source, std::size_t elements,
                     std::size_t element_bytes, Combine combine, Routine routine) {
    const Levels& levels = *team.levels;
    enter(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    const auto mine = share_of(team, elements, element_bytes, team.my_index);
    std::vector<char> term(std::min(mine.bytes, kPieceBytes));
    std::vector<char> sum(term.size());
    for_each_piece(mine.bytes, [&](std::size_t offset, std::size_t length, std::uint64_t number) {
        const std::size_t place = mine.begin + offset;
        for (int peer = 0; peer < team.size; ++peer) {
            fetch_from(peer == 0 ? sum.data() : term.data(), source + place, length,
                       team.world_pe(peer));
            if (peer != 0) combine(sum.data(), sum.data(), term.data(), length / element_bytes);
        }
        for (int host = 0; host < levels.hosts; ++host) {
            if (host != levels.my_host)
                send_piece(team, routine, levels.counterpart(team.my_index, host), epoch, number,
                           dest + place, sum.data(), length);
        }
        copy(dest + place, sum.data(), length);
        copy_to_mates(team, dest + place, length);
    });
    for_each_peer(team, [&](int peer) {
        if (is_mate(team, peer) || levels.counterpart(peer, levels.my_host) != team.my_index)
            return;
        const auto theirs = share_of(team, elements, element_bytes, peer);
        for_each_piece(theirs.bytes,
                       [&](std::size_t offset, std::size_t length, std::uint64_t number) {
                           await_piece(team, routine, team.my_index, peer, epoch, number);
                           copy_to_mates(team, dest + theirs.begin + offset, length);
                       });
    });
    meet_on_host(team, routine);
}

}  // namespace

void reduce(Team& team, void* dest, const void* source, std::size_t elements, Operation operation,
            Kind kind) {
    if (team.psync) return by_fetch::reduce(team, dest, source, elements, operation, kind);
    const Routine routine = routine_of(operation);
    const std::size_t element_bytes = kKindBytes[static_cast<int>(kind)];
    const std::size_t bytes = elements * element_bytes;
    const Combine combine = kernel(operation, kind);
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (fits_zone(team, bytes)) {
        const char* const zone = share_blocks(team, routine, source, bytes);
        fold_up_to(team.size - 1, combine, to, elements, element_bytes,
                   [&](int peer) { return block_of(team, zone, peer, bytes); });
    } else if (team.levels->in_order || is_order_free(operation, kind)) {
        reduce_by_chain(team, to, from, elements, element_bytes, combine, routine);
    } else {
        reduce_by_fetch(team, to, from, elements, element_bytes, combine, routine);
    }
}

namespace {

// The running sums of one piece: step(term, result) gives a PE its result and takes its term in.
class Running {
  public:
    Running(Combine combine, std::size_t element_bytes, bool inclusive)
        : combine_(combine), element_bytes_(element_bytes), inclusive_(inclusive) {}
    void begin(std::size_t bytes) {
        sum_.resize(bytes);
        empty_ = true;
    }
    void begin(const char* sum, std::size_t bytes) {
        sum_.assign(sum, sum + bytes);
        empty_ = false;
    }
    // `result` may be the term.
    void step(const char* term, char* result) {
        const std::size_t bytes = sum_.size();
        if (inclusive_) {
            add(sum_, term);
            return copy(result, sum_.data(), bytes);
        }
        next_ = sum_;
        const bool first = empty_;
        add(next_, term);
        if (first)
            std::memset(result, 0, bytes);
        else
            copy(result, sum_.data(), bytes);
        std::swap(sum_, next_);
    }
    const std::vector<char>& sum() const { return sum_; }

  private:
    void add(std::vector<char>& sum, const char* term) {
        if (empty_)
            copy(sum.data(), term, sum.size());
        else
            combine_(sum.data(), sum.data(), term, sum.size() / element_bytes_);
        empty_ = false;
    }
    Combine combine_;
    std::size_t element_bytes_;
    bool inclusive_;
    bool empty_ = true;
    std::vector<char> sum_;
    std::vector<char> next_;
};

void scan_by_chain(Team& team, char* dest, const char* source, std::size_t elements,
                   std::size_t element_bytes, Running& running, Routine routine) {
    const Levels& levels = *team.levels;
    const ChainLane lane(team, dest, source, elements, element_bytes);
    enter(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    for_each_piece(lane.bytes(), [&](std::size_t offset, std::size_t length, std::uint64_t number) {
        char* const place = lane.dest() + offset;
        if (lane.before() >= 0) {
            await_piece(team, routine, team.my_index, lane.before(), epoch, number);
            running.begin(place, length);
        } else {
            running.begin(length);
        }
        for (int index = 0; index < levels.size_of(levels.my_host); ++index)
            running.step(lane.term(index) + offset,
                         at(team, place, levels.member(levels.my_host, index)));
        if (lane.behind() >= 0)
            send_piece(team, routine, lane.behind(), epoch, number, place, running.sum().data(),
                       length);
    });
    meet_on_host(team, routine);
}

void scan_by_fetch(Team& team, char* dest, const char* source, std::size_t elements,
                   std::size_t element_bytes, Running& running, Routine routine) {
    enter(team, routine);
    const std::uint64_t epoch = ++team.epoch;
    const auto mine = share_of(team, elements, element_bytes, team.my_index);
    std::vector<char> term(std::min(mine.bytes, kPieceBytes));
    for_each_piece(mine.bytes, [&](std::size_t offset, std::size_t length, std::uint64_t number) {
        const std::size_t place = mine.begin + offset;
        running.begin(length);
        for (int peer = 0; peer < team.size; ++peer) {
            if (is_mate(team, peer)) {
                running.step(at(team, source + place, peer), at(team, dest + place, peer));
            } else {
                fetch_from(term.data(), source + place, length, team.world_pe(peer));
                running.step(term.data(), term.data());
                send_piece(team, routine, peer, epoch, number, dest + place, term.data(), length);
            }
        }
    });
    for_each_peer(team, [&](int peer) {
        if (!is_mate(team, peer))
            await_all_of(team, routine, team.my_index, peer, epoch,
                         share_of(team, elements, element_bytes, peer).bytes);
    });
    meet_on_host(team, routine);
}

}  // namespace

void scan(Team& team, void* dest, const void* source, std::size_t elements, Kind kind,
          bool inclusive) {
    if (team.psync) return by_fetch::scan(team, dest, source, elements, kind, inclusive);
    const Routine routine = inclusive ? Routine::sum_inscan : Routine::sum_exscan;
    const std::size_t element_bytes = kKindBytes[static_cast<int>(kind)];
    const std::size_t bytes = elements * element_bytes;
    const Combine combine = kernel(Operation::sum, kind);
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (fits_zone(team, bytes)) {
        const char* const zone = share_blocks(team, routine, source, bytes);
        return fold_up_to(inclusive ? team.my_index : team.my_index - 1, combine, to, elements,
                          element_bytes,
                          [&](int peer) { return block_of(team, zone, peer, bytes); });
    }
    Running running(combine, element_bytes, inclusive);
    if (team.levels->in_order)
        scan_by_chain(team, to, from, elements, element_bytes, running, routine);
    else
        scan_by_fetch(team, to, from, elements, element_bytes, running, routine);
}

}  // namespace isthmus::collective::across
