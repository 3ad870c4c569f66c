// What the two halves of the directory share: the tables that the window reaches, and the requests
// of PEs that it does not.
#pragma once

#include <cstdint>

#include "core/job/pe_set.hpp"
#include "core/segments/directory.hpp"

namespace isthmus::directory {

// On homes that this PE's window reaches. The owner of the id that is there, on `exists`.
PublishResult publish_at(int home, const Publication& publication, DirectoryPlace& place,
                         std::int32_t* owner);
bool look_up_at(int home, std::uint64_t id, Publication& publication, DirectoryPlace& place);
// The same at this PE's own home for `pe`, which does not reach it: it keeps a copy of the
// generation, and is among those that withdraw_at returns.
bool look_up_for(int pe, std::uint64_t id, Publication& publication, DirectoryPlace& place);
// Takes the id back. Whom to tell that it is gone; then the entry stays unused until free_at. False
// if it is not there any more.
bool withdraw_at(const DirectoryPlace& place, PeSet& told);
void free_at(const DirectoryPlace& place);

// On others, by requests.
PublishResult publish_far(int home, const Publication& publication, DirectoryPlace& place,
                          std::int32_t* owner);
bool look_up_far(int home, std::uint64_t id, Publication& publication, DirectoryPlace& place);
PeSet withdraw_far(const DirectoryPlace& place);
void free_far(const DirectoryPlace& place);

// This PE's copy of the generation of an entry whose home it does not reach, which is at least this
// one. Stays where it is for ever.
const std::uint32_t* copy_of_generation(const DirectoryPlace& place);
// Tells all of them that the entry's generation has moved on; returns when all know it.
void raise_copies(const PeSet& pes, const DirectoryPlace& place);
// At the end of a session: no copy is that of a segment. `locked`: by hold_copies.
void end_copies(bool locked = false);

}  // namespace isthmus::directory
