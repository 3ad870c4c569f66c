// The wait of who closes, for the others' ends: what lies unread here would make the system break
// the connections off.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/service/attention.hpp"

namespace isthmus::transport::packet {

// Of these sockets, each asked for POLLIN; `room` for what is thrown away. Leaves those that have
// not ended in time. A signal ends no wait.
inline void await_ends(std::vector<pollfd>& ends, int milliseconds, std::span<char> room) {
    const std::uint64_t began = service::now_nanoseconds();
    while (!ends.empty()) {
        const auto passed = static_cast<int>((service::now_nanoseconds() - began) / 1'000'000);
        if (passed >= milliseconds) return;
        const int count = ::poll(ends.data(), ends.size(), milliseconds - passed);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        std::erase_if(ends, [&](const pollfd& end) {
            return end.revents != 0 && recv(end.fd, room.data(), room.size(), MSG_DONTWAIT) <= 0;
        });
    }
}

}  // namespace isthmus::transport::packet
