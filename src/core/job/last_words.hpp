// The moment before a job ends: the PEs of a host learn that one of them ends it, before its
// launcher or process manager kills them.
#pragma once

#include <cstdint>

namespace isthmus {

// Of JobHeader::ended, between kEnding and kEnded: exit_status is what there is to be told. Who
// waits writes its output meanwhile, and waits on.
inline constexpr std::uint32_t kTold = 3;

// What the system keeps of a status: beyond it a farewell says more (core/session/farewell.hpp).
inline constexpr int kExitStatus = 0xff;

// For those who wait, if they have so long. Nothing but for who has claimed the end.
void give_last_words(int farewell, std::uint64_t nanoseconds);

// What a program that the user ends may have: of each wait's 5 milliseconds many, for a loaded
// host.
inline constexpr std::uint64_t kLastWords = 100'000'000;

}  // namespace isthmus
