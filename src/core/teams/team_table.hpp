// The teams of this PE: the predefined ones, those that the program split off, and the hidden ones
// that stand behind active sets. A live team owns a slot of synchronisation memory; slots are given
// out by agreement of the PEs concerned and come back when the team is destroyed.
#pragma once

#include <cstdint>
#include <limits>

#include "base/routine.hpp"
#include "core/job/team.hpp"

namespace isthmus {

// Teams that can be live at once at this PE, the predefined ones included.
int team_slots();

// Whether a team lies there, live or not.
bool is_team(const Team* team);

// The number by which all members know the team that a wait of PE `pe` for `address` belongs to, as
// teams were made; 0: the world team, or none. `members`: that team, if this PE is in it as well.
int team_waited_in(const void* address, int pe, const Team*& members);

// The members of a team to be, seen from a PE of its parent.
struct TeamShape {
    int start = 0;  // world number
    int stride = 1;
    int size = 0;
};
// False unless start, start + stride ... are `size` different PEs of the parent.
bool split_shape(const Team& parent, int start, int stride, int size, TeamShape& shape);

struct TeamRequest {
    TeamShape shape;
    int num_contexts = 0;
    long config_mask = 0;
};

// Creates `count` (1 or 2) teams; collective over the parent. A PE that is no member of a shape
// gets null there. All PEs get the same answer; false if any of them passes `valid` as false or no
// slot is free at all members, which PE 0 of the parent then reports.
bool create_teams(Team& parent, Routine routine, bool valid, const TeamRequest* requests, int count,
                  Team** teams);
// Collective over the team.
void destroy_team(Team& team);

// The team behind an active set: {start, start + 2^log_stride ...}, `size` of them. It is made
// when the PEs first use the set and stays; `storage` stands in, synchronising through `psync`,
// where there is none (threads may run the same set at once, or slots are short). Ends the job
// with a message if the set is no set of PEs or this PE is outside it.
Team& find_active_set_team(Routine routine, const char* name, int start, int log_stride, int size,
                           long* psync, Team& storage);

// Only the thread that is in a collective touches hidden teams: where threads may run collectives
// at once (multiple_anywhere, agreed at init) none are made.
struct HiddenTeam {
    int start = std::numeric_limits<int>::min();
    int log_stride = 0;
    int size = 0;
    Team* team = nullptr;  // null: there was no slot
    bool is(int other_start, int other_stride, int other_size) const {
        return start == other_start && log_stride == other_stride && size == other_size;
    }
};
// The one that was found last; none in checked mode. Threads do not share it: where threads may run
// collectives at once there are no hidden teams.
extern HiddenTeam last_hidden __attribute__((visibility("hidden")));
// The same, in checked mode, too.
extern HiddenTeam last_found __attribute__((visibility("hidden")));

}  // namespace isthmus
