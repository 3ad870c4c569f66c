// Records in words.
#pragma once

#include <string>

#include "sim/step/stepped_hart.hpp"

namespace isthmus::sim {

/// The last record in the form of the commit log.
std::string commit_line(const SteppedHart& hart);

/// 0x and the digits of one register of the hart.
std::string hexadecimal(std::uint64_t value, bool narrow);

}  // namespace isthmus::sim
