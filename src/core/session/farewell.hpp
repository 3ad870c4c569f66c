// What a PE that ends the job tells those of other hosts (Transport::say_end): the exit status, and
// whether somebody has read the line that says why. Where a part of the process manager has
// stopped, nobody reads what its PEs write, and another host's have to speak.
#pragma once

namespace isthmus {

inline constexpr int kExitStatus = 0xff;
inline constexpr int kUnheard = 0x100;

constexpr int unheard(int status) {
    return (status & kExitStatus) | kUnheard;
}
constexpr bool is_unheard(int farewell) {
    return (farewell & kUnheard) != 0;
}

}  // namespace isthmus
