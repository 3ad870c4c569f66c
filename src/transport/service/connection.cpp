#include "transport/service/connection.hpp"

#include <dirent.h>
#include <linux/tcp.h>  // newer than what the C library has
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "transport/service/socket_address.hpp"

namespace isthmus::transport::service {
namespace {

// False if one of them is no address of IP.
bool is_same_host(const sockaddr_storage& a, const sockaddr_storage& b) {
    if (a.ss_family != b.ss_family) return false;
    if (a.ss_family == AF_INET)
        return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
               reinterpret_cast<const sockaddr_in&>(b).sin_addr.s_addr;
    return a.ss_family == AF_INET6 &&
           std::memcmp(&reinterpret_cast<const sockaddr_in6&>(a).sin6_addr,
                       &reinterpret_cast<const sockaddr_in6&>(b).sin6_addr, sizeof(in6_addr)) == 0;
}

}  // namespace

// The provider does not tell which descriptors are its own, so all of the process are asked; those
// of the program go to other ports. By this thread: the first one may have ended.
Traffic traffic(const std::vector<char>& own, const std::vector<char>& peer) {
    sockaddr_storage here = socket_address(own.data(), own.size());
    sockaddr_storage there = socket_address(peer.data(), peer.size());
    const std::unique_ptr<DIR, int (*)(DIR*)> files(opendir("/proc/thread-self/fd"), closedir);
    Traffic found;
    while (const dirent* const entry = files ? readdir(files.get()) : nullptr) {
        const int file = std::atoi(entry->d_name);  // 0 for "." and "..": as good as others
        sockaddr_storage ends[2]{};
        socklen_t lengths[] = {sizeof ends[0], sizeof ends[1]};
        tcp_info facts{};
        socklen_t room = sizeof facts;
        if (getsockname(file, reinterpret_cast<sockaddr*>(&ends[0]), &lengths[0]) != 0 ||
            getpeername(file, reinterpret_cast<sockaddr*>(&ends[1]), &lengths[1]) != 0 ||
            !is_same_host(ends[1], there) ||
            (port_of(ends[1]) != port_of(there) && port_of(ends[0]) != port_of(here)) ||
            getsockopt(file, IPPROTO_TCP, TCP_INFO, &facts, &room) != 0)
            continue;
        found.carried += facts.tcpi_bytes_acked + facts.tcpi_bytes_received;
        if (facts.tcpi_unacked == 0 || facts.tcpi_retransmits == 0) continue;
        // The last acknowledgement may be much older than what is not acknowledged. The time to the
        // next attempt doubles with each, so the attempts so far have taken about as long.
        const Milliseconds next = facts.tcpi_rto / 1000;
        const Milliseconds tried = next - (next >> std::min<unsigned>(facts.tcpi_retransmits, 31));
        found.stalled =
            std::max(found.stalled, std::min<Milliseconds>(facts.tcpi_last_ack_recv, tried));
    }
    return found;
}

}  // namespace isthmus::transport::service
