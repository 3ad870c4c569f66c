#include "core/collective.hpp"

#include <string>

#include "base/error.hpp"
#include "core/job.hpp"
#include "core/team.hpp"
#include "core/window.hpp"

extern "C" {
__attribute__((visibility("default"))) isthmus_team isthmus_team_world;
__attribute__((visibility("default"))) isthmus_team isthmus_team_shared;
}

namespace isthmus {

void create_first_teams() {
    for (Team* team : {&isthmus_team_world, &isthmus_team_shared})
        *team = Team{0, 1, job.pes, job.me, team == &isthmus_team_world ? 0 : 1, 0, 0};
}

void release_teams() {}

void barrier_world() { start_barrier(); }

void check_agreement(const char* routine, const char* what, std::uint64_t value) {
    auto* const mine = reinterpret_cast<std::uint64_t*>(job.heap.begin + kInternalSize) - 1;
    *mine = value;
    barrier_world();
    for (int pe = 0; pe < job.pes; ++pe) {
        const std::uint64_t theirs = *translate(mine, pe);
        if (theirs != value)
            fail(routine, std::string(what) + " is " + std::to_string(value) + " here and " +
                              std::to_string(theirs) + " at PE " + std::to_string(pe));
    }
    barrier_world();
}

}  // namespace isthmus
