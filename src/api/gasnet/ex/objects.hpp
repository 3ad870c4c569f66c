// The objects of GASNet-EX. There is one client; its endpoint 0, the team of all and the segment of
// gex_Segment_Attach are what GASNet-1 works on as well.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/gasnet/exchange.hpp"

// Behind the words that a program has.
struct isthmus_gex_client {
    std::string name;
    gex_Flags_t flags = 0;
    const void* data = nullptr;
    bool asked_for_threads = false;
};
struct isthmus_gex_segment {
    void* address = nullptr;
    std::uint64_t size = 0;
    gex_Flags_t flags = 0;
    const void* data = nullptr;
    bool is_own = false;  // the memory is the library's, and goes with it
};
struct isthmus_gex_endpoint {
    gex_EP_Index_t index = 0;
    gex_EP_Capabilities_t capabilities = 0;
    gex_Flags_t flags = 0;
    isthmus_gex_segment* segment = nullptr;
    const void* data = nullptr;
};
struct isthmus_gex_team {
    isthmus::gasnet::collectives::Team* team = nullptr;
    std::unique_ptr<isthmus::gasnet::collectives::Team> own;  // of all but the team of all
    gex_Flags_t flags = 0;
    const void* data = nullptr;
    gex_Memvec_t scratch = {};
};

namespace isthmus::gasnet::ex {

struct Objects {
    std::mutex guard;  // of what is made
    bool is_made = false;
    isthmus_gex_client client;
    isthmus_gex_team all;
    std::vector<std::unique_ptr<isthmus_gex_endpoint>> endpoints;  // by index
};
extern Lasting<Objects> objects;

isthmus_gex_endpoint& make_endpoint(gex_EP_Capabilities_t capabilities, gex_Flags_t flags);
// Behind make_segments().
void note_first_segment();
// At the same time as the client: what messages behind transfers of pieces need.
void open_pieces();

// Ends the job with a message before gex_Client_Init (and gasnet_attach).
void require_client(const char* routine);

// The code, and a sentence in checked mode and if the client wants to hear it.
extern bool is_verbose;
int refuse_with_code(int code, const char* routine, const Text& sentence);
template <typename... Parts>
[[gnu::cold, gnu::noinline]] int refuse_object(int code, const char* routine, Parts... parts) {
    return refuse_with_code(code, routine, Text(parts...));
}

// A pair of endpoints, which stands for a team: the lowest bit, and both numbers.
inline std::uintptr_t word_of(gex_TM_t team) {
    return reinterpret_cast<std::uintptr_t>(team);
}
inline bool is_pair(gex_TM_t team) {
    return (word_of(team) & 1) != 0;
}
inline constexpr unsigned kLocalShift = 16;
inline constexpr unsigned kRemoteShift = 32;
inline gex_EP_Index_t local_index(gex_TM_t pair) {
    return static_cast<gex_EP_Index_t>(word_of(pair) >> kLocalShift);
}
inline gex_EP_Index_t remote_index(gex_TM_t pair) {
    return static_cast<gex_EP_Index_t>(word_of(pair) >> kRemoteShift);
}

// The team behind a word that is no pair; ends the job with a message if there is none.
isthmus_gex_team& team_of(gex_TM_t team, const char* routine);
// The node that a rank is; not looked at further where ranks are nodes. Ends the job with a message
// if the team has no such rank.
gasnet_node_t node_of(gex_TM_t team, gex_Rank_t rank, const char* routine);
// The same, not of a team where the flags say so.
gasnet_node_t node_of(gex_TM_t team, gex_Rank_t rank, gex_Flags_t flags, const char* routine);

// The segment that a node's endpoint has; null: there is none, or it is not published.
const gasnet_seginfo_t* bound_segment(gasnet_node_t node, gex_EP_Index_t index);

}  // namespace isthmus::gasnet::ex
