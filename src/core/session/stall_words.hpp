// What a stall report says of memory: the variable or block that a PE watches, what it holds and
// what would end the wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/job/activity.hpp"
#include "core/job/job_layout.hpp"
#include "core/session/telling.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {

// Whether it asks for a lock.
constexpr bool takes_lock(Routine routine) {
    return routine == Routine::set_lock || routine == Routine::test_lock;
}
// Whether it looks and does not wait, so that a loop of it may end otherwise.
constexpr bool is_look(Routine routine) {
    return is_test(routine) || routine == Routine::test_lock;
}

// "flag+8 bytes", "0x300000001000 inside the block of ...": symmetric memory.
void tell_place(const void* address, Telling& telling);

// ", watching flag+8 bytes" for the user's memory; of the library's own the team that it is for.
Telling watched(const void* address, int pe);

inline constexpr int kMostListed = 8;  // words of a set

// What a wait for words is about, of this PE or another one's. Of a set it is known here which
// elements are left out, and which values are theirs; of another PE's only what it publishes.
struct Watched {
    const void* words = nullptr;  // where they can be read here; null if they cannot
    std::size_t size = 1;
    int width = 8;  // bytes
    bool is_signed = false;
    Condition condition = Condition::none;
    std::uint64_t value = 0;
    bool is_set = false;
    bool has_own_values = false;
    const int* status = nullptr;
    const void* values = nullptr;
};

// " (is 0; waits for == 1)", " (are 0, 0; waits for any == 1)"; false if there is no condition.
bool tell_condition(const Watched& watched, Telling& telling);
bool tell_condition(const WaitTarget& target, Telling& telling);
bool tell_condition(int pe, const PublishedWait& wait, Telling& telling);

// What comes last of " flag of PE 1 again and again, value now 0".
void tell_fetched_value(const void* address, int pe, int width, std::uint64_t last,
                        Telling& telling);

bool is_here(int pe);
// What a PE has last said or shown. Of one that has not answered, or leaves: that it computes.
Activity activity_at(int pe, std::uint64_t now);

// ", which PE 2 holds": of a lock that somebody waits for, behind the PE `before` in its queue. Of
// other hosts nobody sees the lock, but whom each waits for.
std::string holder_text(const void* lock, int before, std::uint64_t now);

}  // namespace isthmus
