// The directory: which segment has which id. A hash table spread over the PEs: an id has one home,
// found by arithmetic, and one look-up there finds it, whoever made it and however many there are.
//
// Homes that the window reaches are read and written in place; the others are asked
// (core/segments/far_directory.cpp), and who has looked an id up there has a copy of its
// generation, which the owner sees to when it takes the id back.
#pragma once

#include <atomic>
#include <cstdint>

namespace isthmus {

// What the directory knows of a segment.
struct Publication {
    std::uint64_t id = 0;
    std::uint64_t place = 0;  // of the first byte at the owner; see core/segments/segment.cpp
    std::uint64_t size = 0;
    std::uint32_t access = 0;
    std::int32_t owner = -1;
};

// One cell of a home's table; where it lies does not change while its segment lives. `generation`
// is odd then: a seqlock for readers (release by the writer, acquire before and after by readers),
// and what a view compares with to learn that its segment is gone. A home gives each generation
// once (in 2^31), in later sessions too. The other fields are written only while it is even, under
// the home's lock; but for `next`.
struct alignas(64) DirectoryEntry {
    std::atomic<std::uint64_t> id;
    std::atomic<std::uint32_t> generation;
    std::atomic<std::uint32_t> access;
    std::atomic<std::uint64_t> place;
    std::atomic<std::uint64_t> size;
    std::atomic<std::int32_t> owner;
    std::atomic<std::uint32_t> next;  // of the chain, or of the free ones: index + 1; 0: the last
};
static_assert(sizeof(DirectoryEntry) == 64);

inline constexpr std::uint32_t kDirectoryEntries = 1u << 16;  // at each home

enum class PublishResult { done, exists, full };

// Place of an entry: its home and its number there.
struct DirectoryPlace {
    std::int32_t home = 0;
    std::int32_t index = -1;
    std::uint32_t generation = 0;
    DirectoryEntry* entry() const;  // of a home that the window reaches
};

// The home of this PE, when its memory is new and nobody publishes yet: generations go on where
// close_directory found them, so that views of earlier sessions stay stale.
void open_directory();
// At the end of a session, when nobody publishes any more.
void close_directory();

// On `exists`, `place` is the one that is there and `owner` (if not null) whose it is; on `full`,
// its home is the id's.
PublishResult publish(const Publication& publication, DirectoryPlace& place,
                      std::int32_t* owner = nullptr);
// False if nobody has published the id (now).
bool look_up(std::uint64_t id, Publication& publication, DirectoryPlace& place);
// By the owner. Returns when every PE that has looked the id up sees that it is gone.
void withdraw(const DirectoryPlace& place);
// The same at the end of a session, when nobody looks any more; asks nobody.
void withdraw_at_end(const DirectoryPlace& place);
// The word that says of a published segment which generation its entry has: the entry's own, or
// this PE's copy.
const std::uint32_t* generation_word(const DirectoryPlace& place);
// A look-up of the id is a few loads, not a request.
bool has_near_home(std::uint64_t id);
// Counts one more in `counter`, which lies in a segment of `owner`, a PE that the window reaches,
// if `generation_now`, the segment's generation_word, is still `generation`; false if not. Not
// during a withdraw: who has withdrawn sees all that were counted.
bool count_if_published(int owner, const std::uint32_t* generation_now, std::uint32_t generation,
                        std::atomic<std::uint64_t>& counter);

// Around a fork: nobody changes copies between the two. In the child they are no segment's.
void hold_directory();
void let_directory_go();
void end_directory_in_child();

// For tests: that all structures of a home agree with each other, and how many entries a look-up
// there looks at, at most.
bool directory_is_valid(int home);
std::uint32_t longest_chain(int home);

}  // namespace isthmus
