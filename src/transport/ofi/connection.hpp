// What the kernel knows of the TCP connections to a host.
#pragma once

#include <vector>

#include "transport/ofi/watch.hpp"

namespace isthmus::transport::ofi {

// How long, at least, a connection between this process and the host of `peer` has sent again and
// again and got no acknowledgement: one to the port of `peer`, or one that came from there to the
// port of `own` (socket addresses of IP). 0: there is no such connection, or none is made yet; the
// provider may not use TCP at all.
Milliseconds stalled_connection(const std::vector<char>& own, const std::vector<char>& peer);

}  // namespace isthmus::transport::ofi
