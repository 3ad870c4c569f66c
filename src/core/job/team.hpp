// Teams: an ordered set of PEs, always an arithmetic progression of world numbers (every split
// that OpenSHMEM has yields one). Private to each PE; the memory through which a team synchronises
// is its slot in the internal part of the symmetric heap.
#pragma once

#include <isthmus/shmem_types.h>  // isthmus_team_world and isthmus_team_shared

#include <cstdint>

namespace isthmus {

// How the PEs of a team meet.
enum class Meeting : std::uint8_t {
    flat,    // everyone tells everyone: one hop
    rooted,  // all tell PE 0 of the team, which tells all; PE 0 leaves first, as roots do
    rounds,  // log2(size) rounds of one message each
    psync,   // through an active set's work array; no slot
    far      // some of its PEs are reached by the transport only (collective/across.hpp)
};

// The largest team that meets flat.
inline constexpr int kFlatPes = 8;

namespace collective {
struct Cell;
struct Levels;
}  // namespace collective

}  // namespace isthmus

// The predefined teams are objects of the program's (copy relocation), so the size is part of the
// binary interface: programs keep running with newer libraries as long as it stays.
struct alignas(64) isthmus_team {
    int start = 0;   // world number of team PE 0
    int stride = 1;  // may be negative
    int size = 0;
    int my_index = -1;  // this PE's number in the team
    int slot = -1;      // which sync area, -1: not a live team
    int num_contexts = 0;
    long config_mask = 0;

    // State of the team's collectives; touched only by the thread that is in one. Every PE of the
    // team counts the same epochs, because every PE makes the same calls in the same order.
    isthmus::Meeting meeting = isthmus::Meeting::flat;
    std::uint8_t exchange_buffer = 0;  // of the stage
    std::uint32_t staged = 0;   // bytes up to which the stage is quicker than a second meeting
    std::uint64_t epoch = 0;    // last one used
    std::uint64_t settled = 0;  // an epoch that every PE of the team is known to have entered
    char* area = nullptr;       // this PE's part of the slot (collective/inbox.hpp)
    // Flat teams: the lanes of the other PEs, beginning behind this one: mine at theirs, theirs
    // here.
    isthmus::collective::Cell* to[isthmus::kFlatPes - 1] = {};
    isthmus::collective::Cell* from[isthmus::kFlatPes - 1] = {};
    long* psync = nullptr;  // an active set without a slot synchronises here instead
    const isthmus::collective::Levels* levels = nullptr;  // of a team that meets far
    std::uint64_t user = 0;  // checked mode: who is in a collective of it (api/shmem/turn.hpp)

    int world_pe(int index) const { return start + index * stride; }
    // -1 if that PE is no member.
    int index_of(int world) const {
        const int distance = world - start;
        if (size == 1) return distance == 0 ? 0 : -1;
        if (distance % stride != 0) return -1;
        const int index = distance / stride;
        return index >= 0 && index < size ? index : -1;
    }

  private:
    [[maybe_unused]] char reserved_[48] = {};
};

static_assert(sizeof(isthmus_team) == 256);

// A context: orders and completes its own operations. On one host every operation is a load or a
// store of this processor, so a context carries only its team and options.
struct isthmus_context {
    isthmus_team* team = nullptr;  // PE arguments are numbers in this team
    long options = 0;
    bool live = false;
};

namespace isthmus {
using Team = ::isthmus_team;
using Context = ::isthmus_context;
}  // namespace isthmus
