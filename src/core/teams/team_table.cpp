#include "core/teams/team_table.hpp"
#include "core/job/internal_layout.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/reach/far.hpp"
#include "core/teams/collective.hpp"
#include "core/teams/collective/agreement.hpp"
#include "core/teams/collective/barrier.hpp"
#include "core/teams/collective/levels.hpp"
#include "core/teams/collective/rendezvous.hpp"

extern "C" {
__attribute__((visibility("default"))) struct isthmus_team isthmus_team_world;
__attribute__((visibility("default"))) struct isthmus_team isthmus_team_shared;
}

namespace isthmus {

using namespace collective;

HiddenTeam last_hidden;
HiddenTeam last_found;

namespace {

constexpr int kMaxSlots = 256;
constexpr int kWorldSlot = 0;
constexpr int kSharedSlot = 1;
// The last ones are for active sets, so that these and the program's own teams do not starve each
// other: this many, or a quarter of all.
constexpr int kHiddenSlots = 64;
// Above this many PEs one hop to everyone costs more than a few hops to few. Where PEs outnumber
// the processors a hop costs a turn of the scheduler, and the limit is higher; there PE 0 goes
// first after a barrier, because what follows is often a broadcast.
constexpr int kFlatPesCrowded = kRendezvousPes;
// Longer data goes through the stage only if a second meeting costs a turn of the scheduler.
constexpr std::uint32_t kStagedBytes = 512;
constexpr std::uint32_t kStagedBytesCrowded = kStageBytes;

constexpr std::uint64_t kBookOffset = std::uint64_t{1} << 20;
constexpr std::uint64_t kAreasOffset = kBookOffset + (std::uint64_t{64} << 10);

using SlotSet = std::array<std::uint64_t, kMaxSlots / 64>;

// Each PE's book of its slots, at the same place in the internal part of every heap. Zero at start.
struct Book {
    std::atomic<std::uint64_t> taken[kMaxSlots / 64];
    // Where the next team of the slot goes on counting, so that what the last one left in the
    // cells is never taken for news. Written when a team ends.
    std::atomic<std::uint64_t> last_epoch[kMaxSlots];
};
static_assert(sizeof(Book) <= kAreasOffset - kBookOffset);

Team pool[kMaxSlots];  // by slot
// Likewise, of teams that meet far.
Lasting<std::array<Levels, kMaxSlots>> levels_by_slot;
constinit std::array<Levels, kMaxSlots>& levels_of = *levels_by_slot;
bool multiple_anywhere = true;
bool crowded = false;  // PEs outnumber processors
std::atomic<bool> said_exhausted = false;

Lasting<std::vector<HiddenTeam>> hidden_teams;
constinit std::vector<HiddenTeam>& hidden = *hidden_teams;

Book& book() {
    return *reinterpret_cast<Book*>(job.heap.begin + kBookOffset);
}

std::uint64_t area_stride() {
    return (area_bytes(job.pes) + 4095) & ~std::uint64_t{4095};
}

char* area_of(int slot) {
    return reinterpret_cast<char*>(job.heap.begin + kAreasOffset +
                                   static_cast<std::uint64_t>(slot) * area_stride());
}

int first_hidden_slot() {
    return team_slots() - std::min(kHiddenSlots, team_slots() / 4);
}

bool contains(const SlotSet& set, int slot) {
    return set[slot / 64] >> (slot % 64) & 1;
}

// False if somebody (another thread of this PE) has it.
bool claim(int slot) {
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    // acq_rel: partner is release_slot, by another thread.
    return (book().taken[slot / 64].fetch_or(bit, std::memory_order_acq_rel) & bit) == 0;
}
void release_slot(int slot) {
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    book().taken[slot / 64].fetch_and(~bit, std::memory_order_acq_rel);
}

std::uint64_t last_epoch(int slot) {
    return book().last_epoch[slot].load(std::memory_order_relaxed);
}

bool reaches_across(const Team& team) {
    if (!far::present) return false;
    if (job.pes == 1) return true;  // with ISTHMUS_DELAY: its barrier completes what is late
    for (int index = 0; index < team.size; ++index) {
        if (!is_near(team.world_pe(index))) return true;
    }
    return false;
}

// Another PE's book, as it is now.
class BookOf {
  public:
    explicit BookOf(int pe) { fetch_from(bytes_, &book(), sizeof(Book), pe); }
    const Book& operator*() const { return *reinterpret_cast<const Book*>(bytes_); }

  private:
    alignas(Book) char bytes_[sizeof(Book)];
};

void begin_team(Team& team, const TeamShape& shape, int slot, std::uint64_t epoch) {
    team = Team{};
    team.start = shape.start;
    team.stride = shape.stride;
    team.size = shape.size;
    team.my_index = team.index_of(job.me);
    team.meeting = reaches_across(team)                                  ? Meeting::far
                   : shape.size > (crowded ? kFlatPesCrowded : kFlatPes) ? Meeting::rounds
                   : crowded                                             ? Meeting::rooted
                                                                         : Meeting::flat;
    team.staged = crowded ? kStagedBytesCrowded : kStagedBytes;
    team.epoch = team.settled = epoch;
    team.area = area_of(slot);
    if (team.meeting == Meeting::flat && team.my_index >= 0) {
        int place = 0;
        for_each_peer(team, [&](int peer) {
            team.to[place] = &cell_at(team, peer, 0);
            team.from[place++] = &cell_from(team, peer, 0);
        });
    }
    if (team.meeting == Meeting::far) {
        Levels& levels = levels_of[static_cast<std::size_t>(slot)];
        levels = find_levels(team);
        team.levels = &levels;
    }
    team.slot = slot;
}

void end_team(Team& team) {
    const int slot = team.slot;
    book().last_epoch[slot].store(team.epoch, std::memory_order_relaxed);
    team = Team{};
    release_slot(slot);  // last: another thread may take it at once
}

bool is_member(const TeamShape& shape) {
    Team team;
    team.start = shape.start;
    team.stride = shape.stride;
    team.size = shape.size;
    return team.index_of(job.me) >= 0;
}

}  // namespace

int team_slots() {
    static const int slots = static_cast<int>(
        std::min<std::uint64_t>(kMaxSlots, (kCollectiveSize - kAreasOffset) / area_stride()));
    return slots;
}

int team_waited_in(const void* address, int pe, const Team*& members) {
    members = nullptr;
    const std::uint64_t offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(area_of(0));
    const std::uint64_t slot = offset / area_stride();
    if (slot >= static_cast<std::uint64_t>(team_slots())) return 0;
    const Team& team = pool[slot];
    if (team.slot == static_cast<int>(slot) && team.index_of(pe) >= 0) members = &team;
    return static_cast<int>(slot);
}

bool is_team(const Team* team) {
    const std::less_equal<const Team*> before;
    if (team == &isthmus_team_world || team == &isthmus_team_shared) return true;
    return before(pool, team) && before(team, pool + kMaxSlots - 1) &&
           (reinterpret_cast<std::uintptr_t>(team) - reinterpret_cast<std::uintptr_t>(pool)) %
                   sizeof(Team) ==
               0;
}

namespace {

// Those that are near, if they can be a team: numbers at equal distances. Else this PE alone.
TeamShape shape_of_host() {
    TeamShape shape;
    int last = -1;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!is_near(pe)) continue;
        if (shape.size == 0) shape.start = pe;
        if (shape.size == 1) shape.stride = pe - last;
        if (shape.size > 1 && pe - last != shape.stride) return {job.me, 1, 1};
        ++shape.size;
        last = pe;
    }
    return shape;
}

}  // namespace

void create_first_teams(bool multiple) {
    claim(kWorldSlot);
    claim(kSharedSlot);
    multiple_anywhere = multiple;
    // The launcher counted the processors; all PEs must decide alike.
    crowded = job.pes > 1 && job.host.count() > job.header->processors;
    const TeamShape everyone{0, 1, job.pes};
    begin_team(isthmus_team_world, everyone, kWorldSlot, last_epoch(kWorldSlot));
    begin_team(isthmus_team_shared, shape_of_host(), kSharedSlot, last_epoch(kSharedSlot));
}

void release_teams() {
    for (Team& team : pool) {
        if (team.slot >= 0) end_team(team);
    }
    hidden.clear();
    last_hidden = last_found = {};
    end_team(isthmus_team_shared);
    end_team(isthmus_team_world);
}

bool split_shape(const Team& parent, int start, int stride, int size, TeamShape& shape) {
    if (size < 1 || (stride == 0 && size > 1) || start < 0 || start >= parent.size) return false;
    const std::int64_t last = start + static_cast<std::int64_t>(stride) * (size - 1);
    if (last < 0 || last >= parent.size) return false;
    shape = {parent.world_pe(start), size == 1 ? 1 : stride * parent.stride, size};
    return true;
}

namespace {

// First message of a creation.
struct Offer {
    SlotSet taken{};
    std::uint64_t valid = 0;
};
// Second message, when the slots have been chosen.
struct Claim {
    std::uint64_t claimed = 0;
    std::uint64_t last_epoch[2] = {};
};

// The `count` lowest free slots from `begin` on, circular in [first, last).
bool choose(const SlotSet& taken, int first, int last, int begin, int count, int* slots) {
    int found = 0;
    for (int step = 0; step < last - first && found < count; ++step) {
        const int slot = first + (begin + step) % (last - first);
        if (!contains(taken, slot)) slots[found++] = slot;
    }
    return found == count;
}

SlotSet taken_here() {
    SlotSet set{};
    for (std::size_t word = 0; word < set.size(); ++word)
        set[word] = book().taken[word].load(std::memory_order_acquire);
    return set;
}

void say_exhausted(const Team& parent, Routine routine) {
    if (parent.my_index != 0 || said_exhausted.exchange(true, std::memory_order_relaxed)) return;
    say_from(routine_name(routine),
             "no team slot is free at all PEs of the new team: a PE can be in " +
                 std::to_string(first_hidden_slot() - 2) +
                 " teams at once besides the predefined ones; destroy teams that are done "
                 "(said once)");
}

}  // namespace

// Threads of a PE may create teams from different parents at once, so a slot that was free when it
// was offered may be gone when it is claimed; then all try again, from another place.
bool create_teams(Team& parent, Routine routine, bool valid, const TeamRequest* requests, int count,
                  Team** teams) {
    const auto pes = static_cast<std::size_t>(parent.size);
    bool member[2] = {};
    for (int i = 0; i < count; ++i) {
        teams[i] = nullptr;
        member[i] = valid && is_member(requests[i].shape);
    }
    for (int attempt = 0;; ++attempt) {
        Offer offer;
        offer.valid = valid;
        if (member[0] || member[1]) offer.taken = taken_here();
        std::vector<Offer> offers(pes);
        share_words(parent, routine, &offer, sizeof offer, offers.data());
        for (const Offer& other : offers) {
            offer.valid &= other.valid;
            for (std::size_t word = 0; word < offer.taken.size(); ++word)
                offer.taken[word] |= other.taken[word];
        }
        if (!offer.valid) return false;
        int slots[2];
        if (!choose(offer.taken, 2, first_hidden_slot(), parent.slot * (attempt + 1), count,
                    slots)) {
            say_exhausted(parent, routine);
            return false;
        }
        bool mine[2] = {};
        Claim verdict;
        verdict.claimed = 1;
        for (int i = 0; i < count; ++i) {
            mine[i] = member[i] && claim(slots[i]);
            verdict.claimed &= mine[i] == member[i];
            verdict.last_epoch[i] = last_epoch(slots[i]);
        }
        std::vector<Claim> verdicts(pes);
        share_words(parent, routine, &verdict, sizeof verdict, verdicts.data());
        for (const Claim& other : verdicts) {
            verdict.claimed &= other.claimed;
            for (int i = 0; i < count; ++i)
                verdict.last_epoch[i] = std::max(verdict.last_epoch[i], other.last_epoch[i]);
        }
        for (int i = 0; i < count; ++i) {
            if (!mine[i]) continue;
            if (!verdict.claimed) {
                release_slot(slots[i]);
                continue;
            }
            teams[i] = &pool[slots[i]];
            begin_team(*teams[i], requests[i].shape, slots[i], verdict.last_epoch[i]);
            teams[i]->num_contexts = requests[i].num_contexts;
            teams[i]->config_mask = requests[i].config_mask;
        }
        if (verdict.claimed) return true;
    }
}

void destroy_team(Team& team) {
    // Others may still be fetching from the stage here; after this they are done.
    barrier(team, Routine::team_destroy);
    end_team(team);
}

namespace {

std::string set_text(int start, int log_stride, int size) {
    return "the active set (PE_start " + std::to_string(start) + ", logPE_stride " +
           std::to_string(log_stride) + ", PE_size " + std::to_string(size) + ")";
}

// The PEs of the set look into each other's books between two barriers; only this thread changes
// ours, so all see the same and choose the same.
Team* create_hidden(Routine routine, Team& set) {
    barrier(set, routine);
    SlotSet taken{};
    for (int peer = 0; peer < set.size; ++peer) {
        const BookOf copy(set.world_pe(peer));
        const Book& theirs = *copy;
        for (std::size_t word = 0; word < taken.size(); ++word)
            taken[word] |= theirs.taken[word].load(std::memory_order_relaxed);
    }
    int slot = -1;
    std::uint64_t epoch = 0;
    if (choose(taken, first_hidden_slot(), team_slots(), 0, 1, &slot)) {
        for (int peer = 0; peer < set.size; ++peer) {
            const BookOf copy(set.world_pe(peer));
            const Book& theirs = *copy;
            epoch = std::max(epoch, theirs.last_epoch[slot].load(std::memory_order_relaxed));
        }
    }
    barrier(set, routine);
    if (slot < 0) return nullptr;
    claim(slot);
    begin_team(pool[slot], {set.start, set.stride, set.size}, slot, epoch);
    return &pool[slot];
}

}  // namespace

Team& find_active_set_team(Routine routine, const char* name, int start, int log_stride, int size,
                           long* psync, Team& storage) {
    const HiddenTeam* known = nullptr;
    for (const HiddenTeam& each : hidden) {
        if (each.is(start, log_stride, size)) known = &each;
    }
    if (known && known->team) {
        last_found = *known;
        if (!job.checked) last_hidden = *known;
        return *known->team;
    }
    if (start < 0 || log_stride < 0 || log_stride > 30 || size < 1 ||
        start + (static_cast<std::int64_t>(size - 1) << log_stride) >= job.pes)
        refuse(name, set_text(start, log_stride, size) + " is no set of PEs out of 0.." +
                         std::to_string(job.pes - 1));
    storage = Team{};
    storage.start = start;
    storage.stride = 1 << log_stride;
    storage.size = size;
    storage.my_index = storage.index_of(job.me);
    storage.psync = psync;
    storage.meeting = Meeting::psync;
    if (storage.my_index < 0)
        refuse(name, set_text(start, log_stride, size) +
                         " does not contain this PE; only its members may call");
    if (size == 1) return storage;
    // Others count in it: what reaches that would not name it.
    if (const Text why = why_not_symmetric(psync, sizeof(long)); !why.empty())
        refuse(name, Text("pSync: ", why));
    if (multiple_anywhere || known) return storage;
    Team* const team = create_hidden(routine, storage);
    hidden.push_back({start, log_stride, size, team});
    return team ? *team : storage;
}

}  // namespace isthmus
