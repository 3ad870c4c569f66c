// Socket addresses of IP in the bytes that a provider hands out.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace isthmus::transport::service {

inline sockaddr_storage socket_address(const void* bytes, std::size_t count) {
    sockaddr_storage address{};
    if (count != 0) std::memcpy(&address, bytes, std::min(count, sizeof address));
    return address;
}

// In the byte order of the network; at the same place in both families.
inline in_port_t& port_of(sockaddr_storage& address) {
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    return reinterpret_cast<sockaddr_in&>(address).sin_port;
}

}  // namespace isthmus::transport::service
