#include "core/teams/collective/laid.hpp"

#include "core/teams/collective/inbox.hpp"

namespace isthmus::collective {

void take_broadcast(Team& team, void* dest, const void* source, std::size_t bytes, int root,
                    bool root_dest) {
    if (team.my_index != root)
        copy(dest, stage_of(team, root, team.exchange_buffer), bytes);
    else if (root_dest && dest != source)
        copy(dest, source, bytes);
}

void take_collected(Team& team, void* dest, const void* source, const std::uint64_t* counts,
                    std::size_t unit) {
    char* to = static_cast<char*>(dest);
    for (int peer = 0; peer < team.size; ++peer) {
        const std::size_t bytes = counts[peer] * unit;
        if (peer == team.my_index)
            copy(to, source, bytes);
        else
            copy(to, stage_of(team, peer, team.exchange_buffer), bytes);
        to += bytes;
    }
}

}  // namespace isthmus::collective
