// What a remote access means to who asks for it. The functional machine carries accesses out at
// once, a timing model moves their data itself; both end them here.
#pragma once

#include <array>
#include <cstdint>

#include "sim/hart/hart.hpp"
#include "sim/isa/atomic.hpp"

namespace isthmus::sim {

struct Node;

/// What a remote atomic does there.
AtomicOperation atomic_operation(Op op);

/// An esc may store only where the hart's elr has read, and as much.
bool is_reserved(const Hart& hart, const RemoteRequest& conditional);
/// It does if the value that elr has read is there still.
bool reservation_holds(const Hart& hart, const RemoteRequest& conditional, std::uint64_t found);

/// The access has taken place and found `value` in memory, its lowest byte first: the hart has its
/// result.
void give_result(Hart& hart, const RemoteRequest& request,
                 const std::array<std::uint64_t, 2>& value);

/// The same, and the node has counted it.
void complete_remote(Node& node, Hart& hart, const RemoteRequest& request,
                     const std::array<std::uint64_t, 2>& value);

}  // namespace isthmus::sim
