// What the kernel knows of the TCP connections to a host.
#pragma once

#include <vector>

#include "transport/service/watch.hpp"

namespace isthmus::transport::service {

// Of the connections between this process and the host of a peer that go to its port, or that came
// from there to this one's. All 0: there is none, or none is made yet; the provider may not use TCP
// at all.
struct Traffic {
    // How long, at least, one has sent again and again and got no acknowledgement.
    Milliseconds stalled = 0;
    // Bytes, both ways, as far as they have been acknowledged.
    std::uint64_t carried = 0;
};
// `own` and `peer` are socket addresses of IP.
Traffic traffic(const std::vector<char>& own, const std::vector<char>& peer);

}  // namespace isthmus::transport::service
