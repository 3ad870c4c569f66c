// Collectives as an exchange of blocks: what a member takes from others and gives to them.
//
// A member that takes a block says so to the one that gives it ("ready"), which sends it when both
// have come: so nothing arrives that nobody awaits, and a member keeps only words of those that are
// ahead of it. A block for the segment is the payload of long messages; other memory gets it by
// medium ones. ALLSYNC, in and out, is a word to rank 0 and one back.
//
// Handlers note what comes; what is to be sent is sent from calls that poll.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "api/gasnet/face.hpp"

// What a handle stands for.
struct isthmus_gasnet_collective {
    std::atomic<int> under_way = 0;
};

namespace isthmus::gasnet::collectives {

struct Team {
    std::uint32_t id = 0;
    int rank = 0;
    std::vector<gasnet_node_t> members;  // by rank
    std::vector<int> ranks;              // by node; -1: no member
    std::uint32_t begun = 0;             // collectives so far

    int size() const { return static_cast<int>(members.size()); }
};

struct Give {
    int rank;
    const char* from;
    std::size_t bytes;
};
struct Take {
    int rank;
    char* to;
    std::size_t bytes;
};

// A word that the members agree in while they wait for each other: a name as barriers have it.
struct Name {
    bool is_named = false;
    bool mismatch = false;
    std::uint32_t id = 0;
};
Name merge(Name one, Name other);

struct Exchange {
    std::vector<Give> gives;
    std::vector<Take> takes;
    bool in_allsync = false;
    bool out_allsync = false;
    bool after_previous = false;           // begins when the team's last one is complete here
    Name name;                             // of a barrier
    Name* agreed = nullptr;                // where it is told, before `finish`
    std::vector<char> room;                // its own, until behind `finish`
    std::function<void()> finish = [] {};  // behind the last block
};

// A team of these nodes.
Team make_team(std::uint32_t id, std::vector<gasnet_node_t> members);
// Of all nodes.
Team& world_team();
// Numbers of new teams: each is that of the first member and of how many it has been first in.
// Every member of a new team learns led_teams() of its first, and tells note_new_team() then.
std::uint32_t led_teams();
std::uint32_t note_new_team(gasnet_node_t first, std::uint32_t led);
// Everyone's `bytes` at everyone: block i of `all` is rank i's.
void share(Team& team, const void* mine, std::size_t bytes, void* all, Routine routine);

// The team behind a handle; ends the job with a message if there is none.
Team& team_of(gasnet_team_handle_t handle, const char* routine);

// Begins the team's next one; counts in the handle until it is complete.
void begin(Team& team, Exchange exchange, isthmus_gasnet_collective& handle);

bool is_complete(const isthmus_gasnet_collective& handle);
// Waits for it.
void await(const isthmus_gasnet_collective& handle, Routine routine);

// Of gasnet_init: its handler.
void open();

}  // namespace isthmus::gasnet::collectives
