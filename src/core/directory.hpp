// The directory: which segment has which id. A hash table spread over the PEs: an id has one home,
// found by arithmetic, and one look-up there finds it, whoever made it and however many there are.
#pragma once

#include <atomic>
#include <cstdint>

namespace isthmus {

// What the directory knows of a segment.
struct Publication {
    std::uint64_t id = 0;
    std::uint64_t place = 0;  // of the first byte at the owner; see core/segment.cpp
    std::uint64_t size = 0;
    std::uint32_t access = 0;
    std::int32_t owner = -1;
};

// One cell of a home's table. `generation` is odd while the segment lives: a seqlock for readers
// (release by the writer, acquire before and after by readers), and what a view compares with to
// learn that its segment is gone. It begins elsewhere in each session (begin_generations_at). The
// other fields are written only while it is even, under the home's lock.
struct alignas(64) DirectoryEntry {
    std::atomic<std::uint64_t> key;  // id + 1; 0: never used since the last clean-up
    std::atomic<std::uint32_t> generation;
    std::atomic<std::uint32_t> access;
    std::atomic<std::uint64_t> place;
    std::atomic<std::uint64_t> size;
    std::atomic<std::int32_t> owner;
};
static_assert(sizeof(DirectoryEntry) == 64);

inline constexpr std::uint32_t kDirectoryEntries = 1u << 16;  // at each home

enum class PublishResult { done, exists, full };

// Place of an entry: its home and its number there.
struct DirectoryPlace {
    std::int32_t home = 0;
    std::int32_t index = -1;
    std::uint32_t generation = 0;
    DirectoryEntry* entry() const;
};

// At the end of a session, when entries become zero again: later segments have other generations
// than those of the `sessions` before, so that views of these stay stale.
void begin_generations_at(std::uint32_t sessions);

// On `exists`, `place` is the one that is there.
PublishResult publish(const Publication& publication, DirectoryPlace& place);
// False if nobody has published the id (now).
bool look_up(std::uint64_t id, Publication& publication, DirectoryPlace& place);
void withdraw(const DirectoryPlace& place);
// Counts one more in `counter`, which lies in the segment, if `generation_now`, which lies in the
// id's entry, is still `generation`; false if not. Not during a withdraw: who has withdrawn sees
// all that were counted.
bool count_if_published(std::uint64_t id, const std::uint32_t* generation_now,
                        std::uint32_t generation, std::atomic<std::uint64_t>& counter);

}  // namespace isthmus
