#include "core/directory.hpp"

#include "core/internal_layout.hpp"
#include "core/wait.hpp"
#include "core/window.hpp"

namespace isthmus {
namespace {

struct Table {
    std::atomic<std::uint32_t> lock;  // 0 free, else PE + 1; guards changes, not look-ups
    alignas(64) DirectoryEntry entries[kDirectoryEntries];
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

std::uint32_t next(std::uint32_t index) {
    return (index + 1) % kDirectoryEntries;
}
std::uint32_t previous(std::uint32_t index) {
    return (index - 1) % kDirectoryEntries;
}

// An even number, which a cell counts on from. Sessions and generations of a cell may be so many
// that they meet again; this finds mistakes, and need not find all.
constexpr int kGenerationBits = 20;
std::uint32_t first_generation = 0;

bool is_alive(std::uint32_t generation) {
    return (generation & 1) != 0;
}

class TableLock {
  public:
    explicit TableLock(Table& table) : table_(table) {
        const auto me = static_cast<std::uint32_t>(job.me) + 1;
        wait_for({Routine::native_segment_create, -1, &table.lock}, [&] {
            std::uint32_t nobody = 0;
            // Acquire: pairs with the release below.
            return table_.lock.compare_exchange_weak(nobody, me, std::memory_order_acquire,
                                                     std::memory_order_relaxed);
        });
    }
    TableLock(const TableLock&) = delete;
    TableLock& operator=(const TableLock&) = delete;
    ~TableLock() { table_.lock.store(0, std::memory_order_release); }

  private:
    Table& table_;
};

struct Home {
    int pe;
    std::uint32_t first;  // where its probe sequence begins
};

Home home_of(std::uint64_t id) {
    const std::uint64_t hash = mix(id);
    return {static_cast<int>(hash % static_cast<std::uint64_t>(job.pes)),
            static_cast<std::uint32_t>(hash >> 40) % kDirectoryEntries};
}

// Cells behind which a probe need not go on become never-used again, so that ids that come and go
// do not lengthen the search for those that are not there.
void clean_up(Table& table, std::uint32_t index) {
    if (table.entries[next(index)].key.load(std::memory_order_relaxed) != 0) return;
    while (table.entries[index].key.load(std::memory_order_relaxed) != 0 &&
           !is_alive(table.entries[index].generation.load(std::memory_order_relaxed))) {
        table.entries[index].key.store(0, std::memory_order_relaxed);
        index = previous(index);
    }
}

}  // namespace

DirectoryEntry* DirectoryPlace::entry() const {
    return &table_at(home).entries[index];
}

void begin_generations_at(std::uint32_t sessions) {
    first_generation = sessions << kGenerationBits;
}

PublishResult publish(const Publication& publication, DirectoryPlace& place) {
    const Home home = home_of(publication.id);
    Table& table = table_at(home.pe);
    const TableLock lock(table);
    const std::uint64_t key = publication.id + 1;
    std::int32_t dead = -1;
    std::uint32_t index = home.first;
    for (std::uint32_t probes = 0; probes < kDirectoryEntries; ++probes, index = next(index)) {
        DirectoryEntry& entry = table.entries[index];
        const std::uint64_t found = entry.key.load(std::memory_order_relaxed);
        const std::uint32_t generation = entry.generation.load(std::memory_order_relaxed);
        if (is_alive(generation)) {
            if (found != key) continue;
            place = {home.pe, static_cast<std::int32_t>(index), generation};
            return PublishResult::exists;
        }
        if (dead < 0) dead = static_cast<std::int32_t>(index);
        if (found == 0) break;
    }
    if (dead < 0) return PublishResult::full;
    DirectoryEntry& entry = table.entries[dead];
    const std::uint32_t before = entry.generation.load(std::memory_order_relaxed);
    const std::uint32_t generation = (before == 0 ? first_generation : before) + 1;
    entry.key.store(key, std::memory_order_relaxed);
    entry.access.store(publication.access, std::memory_order_relaxed);
    entry.place.store(publication.place, std::memory_order_relaxed);
    entry.size.store(publication.size, std::memory_order_relaxed);
    entry.owner.store(publication.owner, std::memory_order_relaxed);
    entry.generation.store(generation, std::memory_order_release);  // partner: look_up
    place = {home.pe, dead, generation};
    return PublishResult::done;
}

bool look_up(std::uint64_t id, Publication& publication, DirectoryPlace& place) {
    const Home home = home_of(id);
    Table& table = table_at(home.pe);
    const std::uint64_t key = id + 1;
    std::uint32_t index = home.first;
    for (std::uint32_t probes = 0; probes < kDirectoryEntries; ++probes, index = next(index)) {
        DirectoryEntry& entry = table.entries[index];
        const std::uint32_t generation = entry.generation.load(std::memory_order_acquire);
        const std::uint64_t found = entry.key.load(std::memory_order_relaxed);
        if (found == 0) return false;
        if (found != key || !is_alive(generation)) continue;
        publication = {id, entry.place.load(std::memory_order_relaxed),
                       entry.size.load(std::memory_order_relaxed),
                       entry.access.load(std::memory_order_relaxed),
                       entry.owner.load(std::memory_order_relaxed)};
        std::atomic_thread_fence(std::memory_order_acquire);  // the fields before the second look
        if (entry.generation.load(std::memory_order_relaxed) != generation) return false;
        place = {home.pe, static_cast<std::int32_t>(index), generation};
        return true;
    }
    return false;
}

void withdraw(const DirectoryPlace& place) {
    Table& table = table_at(place.home);
    const TableLock lock(table);
    DirectoryEntry& entry = table.entries[place.index];
    entry.generation.store(place.generation + 1, std::memory_order_release);
    clean_up(table, static_cast<std::uint32_t>(place.index));
}

bool count_if_published(std::uint64_t id, const std::uint32_t* generation_now,
                        std::uint32_t generation, std::atomic<std::uint64_t>& counter) {
    const TableLock lock(table_at(home_of(id).pe));
    // Relaxed: the lock orders it, and the counter, with withdraw.
    if (__atomic_load_n(generation_now, __ATOMIC_RELAXED) != generation) return false;
    counter.fetch_add(1, std::memory_order_relaxed);
    return true;
}

}  // namespace isthmus
