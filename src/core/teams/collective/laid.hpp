// Checked mode: the comparison before a collective serves its data, too. What a PE has for the
// others it lays on its stage before it shows what it passes, and they fetch it behind that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/job/team.hpp"

namespace isthmus::collective {

struct Laid {
    const void* data = nullptr;
    std::size_t bytes = 0;  // 0: nothing
};
inline bool lays(const Team& team, std::size_t bytes) {
    return bytes <= team.staged;
}

// Behind a check_signature that all PEs of the team have met in, and to which each has given what
// it has to lay: what broadcast() and collect() do.
void take_broadcast(Team& team, void* dest, const void* source, std::size_t bytes, int root,
                    bool root_dest);
// PE i has laid `counts[i]` times `unit` bytes.
void take_collected(Team& team, void* dest, const void* source, const std::uint64_t* counts,
                    std::size_t unit);

}  // namespace isthmus::collective
