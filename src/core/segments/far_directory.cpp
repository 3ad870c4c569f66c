// The directory between hosts: homes that the window does not reach are asked, and serve here.
//
// A PE that has found an id by asking cannot look at the entry's generation any more. It keeps a
// copy, and its home knows that it does: who takes the id back tells all of these and waits until
// they know. So a view of a far segment goes stale when one of a near segment does, before
// isthmus_segment_destroy returns, and using it asks nobody.
#include <deque>
#include <mutex>
#include <type_traits>
#include <unordered_map>

#include "base/lasting.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "core/reach/request.hpp"
#include "core/segments/directory_table.hpp"

namespace isthmus {
namespace directory {
namespace {

// ---- copies of generations

std::mutex guard;  // for a moment only, by who serves requests too
struct Copies {
    std::unordered_map<std::uint64_t, std::atomic<std::uint32_t>*> by_place;
    std::deque<std::atomic<std::uint32_t>> words;  // never fewer: views point to them
};
Lasting<Copies> kept_copies;
constinit Copies& copies = *kept_copies;

// `guard` is held. 0, which is no segment's generation, if it is new.
std::atomic<std::uint32_t>& word_of(std::int32_t home, std::int32_t index) {
    const std::uint64_t key =
        static_cast<std::uint64_t>(home) << 32 | static_cast<std::uint32_t>(index);
    auto& word = copies.by_place[key];
    if (!word) word = &copies.words.emplace_back(0);
    return *word;
}

// Answers and tidings come from different PEs and may overtake each other: the later generation
// counts. They grow, in later sessions too.
std::atomic<std::uint32_t>& raise(std::int32_t home, std::int32_t index, std::uint32_t to) {
    const std::lock_guard lock(guard);
    auto& word = word_of(home, index);
    const std::uint32_t now = word.load(std::memory_order_relaxed);
    // Release: who sees that a segment is gone (is_stale) may see what its owner did before.
    if (now == 0 || static_cast<std::int32_t>(to - now) > 0)
        word.store(to, std::memory_order_release);
    return word;
}

// ---- what goes between PEs

struct Question {
    std::uint64_t id;
};
struct Entry {
    std::int32_t index;
    std::uint32_t generation;
};
struct MovedOn {
    std::int32_t home;
    std::int32_t index;
    std::uint32_t generation;
};
// Without gaps, which would send what lies on the stack.
struct Found {
    std::uint32_t result;  // of publish; of a look-up 1 or 0
    std::int32_t owner;
    Entry entry;
    std::uint64_t place;
    std::uint64_t size;
    std::uint32_t access;
    std::uint32_t unused;
};
static_assert(std::has_unique_object_representations_v<Found>);
struct Nothing {};

}  // namespace

PublishResult publish_far(int home, const Publication& publication, DirectoryPlace& place,
                          std::int32_t* owner) {
    const auto made = ask<Found>(home, RequestId::directory_publish, publication);
    place = {home, made.entry.index, made.entry.generation};
    if (owner) *owner = made.owner;
    return static_cast<PublishResult>(made.result);
}

bool look_up_far(int home, std::uint64_t id, Publication& publication, DirectoryPlace& place) {
    const auto found = ask<Found>(home, RequestId::directory_look_up, Question{id});
    place = {home, found.entry.index, found.entry.generation};
    publication = {id, found.place, found.size, found.access, found.owner};
    return found.result != 0;
}

PeSet withdraw_far(const DirectoryPlace& place) {
    raise(place.home, place.index, place.generation + 1);
    return ask<PeSet>(place.home, RequestId::directory_withdraw,
                      Entry{place.index, place.generation});
}

void free_far(const DirectoryPlace& place) {
    request(place.home, RequestId::directory_free, Entry{place.index, place.generation});
}

const std::uint32_t* copy_of_generation(const DirectoryPlace& place) {
    return reinterpret_cast<const std::uint32_t*>(
        &raise(place.home, place.index, place.generation));
}

void raise_copies(const PeSet& pes, const DirectoryPlace& place) {
    const MovedOn entry{place.home, place.index, place.generation + 1};
    for_each_pe(pes, [&](int pe) {
        if (pe == job.me)
            raise(entry.home, entry.index, entry.generation);
        else
            request(pe, RequestId::directory_moved_on, entry);
    });
    far::quiet();  // returns when all have served it
}

void end_copies(bool locked) {
    std::unique_lock lock(guard, std::defer_lock);
    if (!locked) lock.lock();
    for (auto& word : copies.words)
        word.store(0, std::memory_order_relaxed);
}

}  // namespace directory

using namespace directory;

void hold_directory() {
    guard.lock();
}

void let_directory_go() {
    guard.unlock();
}

void end_directory_in_child() {
    end_copies(true);
}

// ---- serving

namespace {

Found serve_publish(int from, const Publication& asked, bool& good) {
    good = job.native && asked.owner == from;
    if (!good) return {};
    DirectoryPlace place;
    std::int32_t owner = -1;
    const PublishResult result = publish_at(job.me, asked, place, &owner);
    return {static_cast<std::uint32_t>(result), owner, {place.index, place.generation}, 0, 0, 0, 0};
}

Found serve_look_up(int from, const Question& asked, bool& good) {
    good = job.native;
    Publication publication;
    DirectoryPlace place;
    if (!good || !look_up_for(from, asked.id, publication, place)) return {};
    return {1,
            publication.owner,
            {place.index, place.generation},
            publication.place,
            publication.size,
            publication.access,
            0};
}

PeSet serve_withdraw(int, const Entry& asked, bool& good) {
    PeSet told{};
    good = job.native && withdraw_at({job.me, asked.index, asked.generation}, told);
    return told;
}

Nothing serve_free(int, const Entry& asked, bool& good) {
    good = job.native;
    if (good) free_at({job.me, asked.index, asked.generation});
    return {};
}

Nothing serve_moved_on(int, const MovedOn& entry, bool&) {
    raise(entry.home, entry.index, entry.generation);
    return {};
}

const RequestServer kServers[] = {
    {RequestId::directory_publish, serve_sized<Publication, Found, serve_publish>},
    {RequestId::directory_look_up, serve_sized<Question, Found, serve_look_up>},
    {RequestId::directory_withdraw, serve_sized<Entry, PeSet, serve_withdraw>},
    {RequestId::directory_free, serve_sized<Entry, Nothing, serve_free>},
    {RequestId::directory_moved_on, serve_sized<MovedOn, Nothing, serve_moved_on>},
};

}  // namespace

}  // namespace isthmus
