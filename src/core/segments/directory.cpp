#include "core/segments/directory.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/job/internal_layout.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/segments/directory_table.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {

namespace {

// Chains: each id belongs to a bucket, whose entries are linked. Entries that are withdrawn leave
// their chain at once and are used again, so a search is as short after any number of ids as it was
// before. Readers take no lock: a bucket counts its changes, and who has found nothing in a chain
// that has changed meanwhile looks again.
constexpr std::uint32_t kBuckets = kDirectoryEntries;

struct Table {
    std::atomic<std::uint32_t> lock;  // 0 free, else PE + 1; guards changes, not look-ups
    // Of this PE: it takes an id back, or somebody begins to use what lies in its segments. Not
    // taken by who serves a request, and so may be held while others are asked.
    std::atomic<std::uint32_t> leaving;
    // All below, up to the buckets, under the lock.
    std::uint32_t last_generation;  // even
    std::uint32_t begun;            // entries that have ever been used, the first ones
    std::uint32_t free;             // those of them that are free now: index + 1, linked; 0: none
    // Lower half: the first entry, index + 1, or 0. Upper half: how often the chain has changed.
    alignas(64) std::atomic<std::uint64_t> buckets[kBuckets];
    alignas(64) DirectoryEntry entries[kDirectoryEntries];
    // Who has a copy of the entry's generation: PEs of other hosts that have looked it up. Under
    // the lock; pages are occupied only where there are such.
    alignas(64) FoldedSet copies[kDirectoryEntries];
};
static_assert(sizeof(Table) <= kDirectorySize);

Table& table_at(int home) {
    return *translate(internal_object<Table>(kDirectoryOffset), home);
}

std::uint64_t mix(std::uint64_t id) {  // finaliser of splitmix64
    id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9;
    id = (id ^ (id >> 27)) * 0x94d049bb133111eb;
    return id ^ (id >> 31);
}

// What the home of this PE goes on from; 0 is what memory is before it is opened.
std::uint32_t kept_generation = 2;

bool is_alive(std::uint32_t generation) {
    return (generation & 1) != 0;
}

class Locked {
  public:
    explicit Locked(std::atomic<std::uint32_t>& word) : word_(word) {
        const auto me = static_cast<std::uint32_t>(job.me) + 1;
        wait_for({Routine::native_segment_create, -1, &word}, [&] {
            std::uint32_t nobody = 0;
            // Acquire: pairs with the release below.
            return word_.compare_exchange_weak(nobody, me, std::memory_order_acquire,
                                               std::memory_order_relaxed);
        });
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    ~Locked() { word_.store(0, std::memory_order_release); }

  private:
    std::atomic<std::uint32_t>& word_;
};

class TableLock : private Locked {
  public:
    explicit TableLock(Table& table) : Locked(table.lock) {}
};

struct Home {
    int pe;
    std::uint32_t bucket;
};

Home home_of(std::uint64_t id) {
    const std::uint64_t hash = mix(id);
    return {static_cast<int>(hash % static_cast<std::uint64_t>(job.pes)),
            static_cast<std::uint32_t>(hash >> 40) % kBuckets};
}

std::uint32_t first_of(std::uint64_t bucket) {
    return static_cast<std::uint32_t>(bucket);
}

// The chain has changed, and begins with this entry.
void change(std::atomic<std::uint64_t>& bucket, std::uint32_t first) {
    const std::uint64_t changes = (bucket.load(std::memory_order_relaxed) >> 32) + 1;
    bucket.store(changes << 32 | first, std::memory_order_release);  // partner: look_up
}

// An entry that is in no chain; 0: there is none. The lock is held, as below.
std::uint32_t take_entry(Table& table) {
    if (const std::uint32_t free = table.free) {
        table.free = table.entries[free - 1].next.load(std::memory_order_relaxed);
        return free;
    }
    return table.begun == kDirectoryEntries ? 0 : ++table.begun;
}

// Takes the entry out of its chain. A reader that stands on it reads a `next` of elsewhere only
// after the change is there to be seen.
void unlink(Table& table, std::uint32_t entry) {
    DirectoryEntry& gone = table.entries[entry - 1];
    auto& bucket = table.buckets[home_of(gone.id.load(std::memory_order_relaxed)).bucket];
    const std::uint32_t behind = gone.next.load(std::memory_order_relaxed);
    std::uint32_t first = first_of(bucket.load(std::memory_order_relaxed));
    if (first == entry) {
        first = behind;
    } else {
        std::uint32_t before = first;
        while (table.entries[before - 1].next.load(std::memory_order_relaxed) != entry)
            before = table.entries[before - 1].next.load(std::memory_order_relaxed);
        table.entries[before - 1].next.store(behind, std::memory_order_release);
    }
    change(bucket, first);
}

enum class Search { found, missing, disturbed };

// One walk along a chain.
Search search(Table& table, std::uint32_t first, std::uint64_t id, Publication& publication,
              DirectoryPlace& place) {
    std::uint32_t number = first;
    for (std::uint32_t steps = 0; number != 0; ++steps) {
        DirectoryEntry& entry = table.entries[number - 1];
        const std::uint32_t generation = entry.generation.load(std::memory_order_acquire);
        // All of a chain is alive; and only a walk that strays through several is so long.
        if (!is_alive(generation) || steps == kDirectoryEntries) return Search::disturbed;
        if (entry.id.load(std::memory_order_relaxed) == id) {
            publication = {id, entry.place.load(std::memory_order_relaxed),
                           entry.size.load(std::memory_order_relaxed),
                           entry.access.load(std::memory_order_relaxed),
                           entry.owner.load(std::memory_order_relaxed)};
            std::atomic_thread_fence(std::memory_order_acquire);  // fields before the second look
            if (entry.generation.load(std::memory_order_relaxed) != generation)
                return Search::disturbed;
            place.index = static_cast<std::int32_t>(number - 1);
            place.generation = generation;
            return Search::found;
        }
        number = entry.next.load(std::memory_order_acquire);  // partner: unlink, withdraw
    }
    return Search::missing;
}

}  // namespace

DirectoryEntry* DirectoryPlace::entry() const {
    return &table_at(home).entries[index];
}

void open_directory() {
    Table& table = table_at(job.me);
    if (table.last_generation == 0) table.last_generation = kept_generation;
}

void close_directory() {
    directory::end_copies();
    const std::uint32_t last = table_at(job.me).last_generation;
    if (last != 0) kept_generation = last;
}

namespace directory {

PublishResult publish_at(int home, const Publication& publication, DirectoryPlace& place,
                         std::int32_t* owner) {
    Table& table = table_at(home);
    const TableLock lock(table);
    place = {home, -1, 0};
    auto& bucket = table.buckets[home_of(publication.id).bucket];
    const std::uint32_t first = first_of(bucket.load(std::memory_order_relaxed));
    Publication other;
    if (search(table, first, publication.id, other, place) == Search::found) {
        if (owner) *owner = other.owner;
        return PublishResult::exists;
    }
    const std::uint32_t number = take_entry(table);
    if (number == 0) return PublishResult::full;
    DirectoryEntry& entry = table.entries[number - 1];
    const std::uint32_t generation = (table.last_generation += 2) + 1;
    entry.id.store(publication.id, std::memory_order_relaxed);
    entry.access.store(publication.access, std::memory_order_relaxed);
    entry.place.store(publication.place, std::memory_order_relaxed);
    entry.size.store(publication.size, std::memory_order_relaxed);
    entry.owner.store(publication.owner, std::memory_order_relaxed);
    entry.next.store(first, std::memory_order_release);
    entry.generation.store(generation, std::memory_order_release);  // partner: search
    change(bucket, number);
    place.index = static_cast<std::int32_t>(number - 1);
    place.generation = generation;
    return PublishResult::done;
}

bool look_up_at(int home, std::uint64_t id, Publication& publication, DirectoryPlace& place) {
    Table& table = table_at(home);
    auto& bucket = table.buckets[home_of(id).bucket];
    place.home = home;
    while (true) {
        const std::uint64_t seen = bucket.load(std::memory_order_acquire);
        const Search result = search(table, first_of(seen), id, publication, place);
        if (result == Search::found) return true;
        // Relaxed: the walk's last load was an acquire. A change means that a writer got on.
        if (bucket.load(std::memory_order_relaxed) == seen) return false;
    }
}

bool look_up_for(int pe, std::uint64_t id, Publication& publication, DirectoryPlace& place) {
    Table& table = table_at(job.me);
    const TableLock lock(table);
    if (!look_up_at(job.me, id, publication, place)) return false;
    table.copies[place.index].add(pe);
    return true;
}

namespace {

void free_entry(Table& table, std::int32_t index) {
    // Release: partner is search.
    table.entries[index].next.store(table.free, std::memory_order_release);
    table.free = static_cast<std::uint32_t>(index) + 1;
}

}  // namespace

bool withdraw_at(const DirectoryPlace& place, PeSet& told) {
    Table& table = table_at(place.home);
    const TableLock lock(table);
    told = {};
    // It may be another PE's word that this is an entry.
    if (static_cast<std::uint32_t>(place.index) >= table.begun) return false;
    DirectoryEntry& entry = table.entries[place.index];
    if (!is_alive(place.generation) ||
        entry.generation.load(std::memory_order_relaxed) != place.generation)
        return false;
    unlink(table, static_cast<std::uint32_t>(place.index) + 1);
    entry.generation.store(place.generation + 1, std::memory_order_release);
    // Without PEs of other hosts the pages of the copies are not touched.
    if (far::present)
        told = std::exchange(table.copies[place.index], {}).unfold(job.pes, [](int pe) {
            return !is_near(pe);
        });
    if (is_empty(told)) free_entry(table, place.index);
    return true;
}

void free_at(const DirectoryPlace& place) {
    Table& table = table_at(place.home);
    const TableLock lock(table);
    if (static_cast<std::uint32_t>(place.index) < table.begun) free_entry(table, place.index);
}

}  // namespace directory

PublishResult publish(const Publication& publication, DirectoryPlace& place, std::int32_t* owner) {
    const int home = home_of(publication.id).pe;
    return is_near(home) ? directory::publish_at(home, publication, place, owner)
                         : directory::publish_far(home, publication, place, owner);
}

bool look_up(std::uint64_t id, Publication& publication, DirectoryPlace& place) {
    const int home = home_of(id).pe;
    return is_near(home) ? directory::look_up_at(home, id, publication, place)
                         : directory::look_up_far(home, id, publication, place);
}

bool has_near_home(std::uint64_t id) {
    return is_near(home_of(id).pe);
}

void withdraw(const DirectoryPlace& place) {
    const Locked leaving(table_at(job.me).leaving);
    const bool near = is_near(place.home);
    PeSet told{};
    if (near)
        directory::withdraw_at(place, told);
    else
        told = directory::withdraw_far(place);
    if (is_empty(told)) return;
    directory::raise_copies(told, place);
    near ? directory::free_at(place) : directory::free_far(place);
}

void withdraw_at_end(const DirectoryPlace& place) {
    PeSet told{};
    if (is_near(place.home)) directory::withdraw_at(place, told);
}

const std::uint32_t* generation_word(const DirectoryPlace& place) {
    return is_near(place.home) ? reinterpret_cast<const std::uint32_t*>(&place.entry()->generation)
                               : directory::copy_of_generation(place);
}

bool count_if_published(int owner, const std::uint32_t* generation_now, std::uint32_t generation,
                        std::atomic<std::uint64_t>& counter) {
    const Locked leaving(table_at(owner).leaving);
    // Relaxed: the lock orders it, and the counter, with withdraw.
    if (__atomic_load_n(generation_now, __ATOMIC_RELAXED) != generation) return false;
    counter.fetch_add(1, std::memory_order_relaxed);
    return true;
}

std::uint32_t longest_chain(int home) {
    Table& table = table_at(home);
    const TableLock lock(table);
    std::uint32_t longest = 0;
    for (const auto& bucket : table.buckets) {
        std::uint32_t length = 0;
        for (std::uint32_t number = first_of(bucket.load(std::memory_order_relaxed)); number != 0;
             number = table.entries[number - 1].next.load(std::memory_order_relaxed))
            ++length;
        longest = std::max(longest, length);
    }
    return longest;
}

bool directory_is_valid(int home) {
    Table& table = table_at(home);
    const TableLock lock(table);
    std::vector<bool> seen(kDirectoryEntries);
    const auto meet = [&](std::uint32_t number) {
        if (number > table.begun || seen[number - 1]) return false;
        seen[number - 1] = true;
        return true;
    };
    std::uint32_t met = 0;
    for (std::uint32_t number = table.free; number != 0; ++met) {
        const DirectoryEntry& entry = table.entries[number - 1];
        if (!meet(number) || is_alive(entry.generation.load(std::memory_order_relaxed)))
            return false;
        number = entry.next.load(std::memory_order_relaxed);
    }
    for (std::uint32_t at = 0; at < kBuckets; ++at) {
        std::uint32_t number = first_of(table.buckets[at].load(std::memory_order_relaxed));
        for (; number != 0; ++met) {
            const DirectoryEntry& entry = table.entries[number - 1];
            const Home belongs = home_of(entry.id.load(std::memory_order_relaxed));
            if (!meet(number) || !is_alive(entry.generation.load(std::memory_order_relaxed)) ||
                belongs.pe != home || belongs.bucket != at)
                return false;
            number = entry.next.load(std::memory_order_relaxed);
        }
    }
    return met == table.begun;
}

}  // namespace isthmus
