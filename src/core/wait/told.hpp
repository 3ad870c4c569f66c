// Which of this PE's waits others are told: each thread says its own, and the status shows that of
// the thread that waits longest.
#pragma once

#include <cstdint>

#include "core/job/published_wait.hpp"

namespace isthmus {

// From now on this thread's wait is this; none if `since` is 0. False if it cannot be told.
bool tell_wait(const PublishedWait& wait);

// This thread's loop of tests in vain, told unless the thread itself waits for more than an answer.
// Of several such threads one is told.
void tell_tests(const PublishedWait& tests);
void tell_tests_go_on(std::uint64_t now);
// Ends what is told of a loop whose thread has not tested for a second.
void forget_old_tests(std::uint64_t now);

}  // namespace isthmus
