// Teams: an ordered set of PEs, always an arithmetic progression of world numbers (every split
// that OpenSHMEM has yields one). Private to each PE; the memory through which a team synchronises
// is its slot in the internal part of the symmetric heap.
#pragma once

#include <cstdint>

struct isthmus_team {
    int start = 0;   // world number of team PE 0
    int stride = 1;  // may be negative
    int size = 0;
    int my_index = -1;  // this PE's number in the team
    int slot = -1;      // which sync area, -1: not a live team
    int num_contexts = 0;
    long config_mask = 0;

    // State of the team's collectives; touched only by the thread that is in one. Every PE of the
    // team counts the same epochs, because every PE makes the same calls in the same order.
    bool flat = true;           // small enough for one hop from everyone to everyone
    std::uint64_t epoch = 0;    // last one used
    std::uint64_t settled = 0;  // an epoch that every PE of the team is known to have entered
    char* area = nullptr;       // this PE's part of the slot (collective/inbox.hpp)
    long* psync = nullptr;      // an active set without a slot synchronises here instead

    int world_pe(int index) const { return start + index * stride; }
    // -1 if that PE is no member.
    int index_of(int world) const {
        const int distance = world - start;
        if (size == 1) return distance == 0 ? 0 : -1;
        if (distance % stride != 0) return -1;
        const int index = distance / stride;
        return index >= 0 && index < size ? index : -1;
    }
};

// A context: orders and completes its own operations. On one host every operation is a load or a
// store of this processor, so a context carries only its team and options.
struct isthmus_context {
    isthmus_team* team = nullptr;  // PE arguments are numbers in this team
    long options = 0;
    bool live = false;
};

extern "C" {
extern struct isthmus_team isthmus_team_world;
extern struct isthmus_team isthmus_team_shared;
}

namespace isthmus {
using Team = ::isthmus_team;
using Context = ::isthmus_context;
}  // namespace isthmus
