#include "transport/ofi/pulse.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include "transport/ofi/socket_address.hpp"

namespace isthmus::transport::ofi {
namespace {

// An address of IP with another port. False for any other network's.
struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;

    bool set(const void* bytes, std::size_t count, std::uint16_t port) {
        storage = socket_address(bytes, count);
        if (storage.ss_family == AF_INET && count >= sizeof(sockaddr_in))
            length = sizeof(sockaddr_in);
        else if (storage.ss_family == AF_INET6 && count >= sizeof(sockaddr_in6))
            length = sizeof(sockaddr_in6);
        if (length != 0) port_of(storage) = port;
        return length != 0;
    }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

}  // namespace

Pulse::Pulse(std::uint64_t secret, int me, int pes)
    : secret_(secret), me_(static_cast<std::uint32_t>(me)), pes_(static_cast<std::uint32_t>(pes)) {}

Pulse::~Pulse() {
    if (file_ >= 0) close(file_);
}

void Pulse::open(const void* address, std::size_t bytes) {
    Address own;
    if (!own.set(address, bytes, 0)) return;
    file_ = socket(own.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file_ < 0) return;
    Address bound;
    bound.length = sizeof bound.storage;
    if (bind(file_, own.get(), own.length) != 0 ||
        getsockname(file_, bound.get(), &bound.length) != 0) {
        close(file_);
        file_ = -1;
        return;
    }
    port_ = port_of(bound.storage);
}

void Pulse::send(const void* address, std::size_t bytes, std::uint16_t port, bool question) const {
    Address to;
    if (file_ < 0 || port == 0 || !to.set(address, bytes, port)) return;
    const Beat beat{secret_, me_, question ? 1u : 0u};
    // Lost or refused: the next one may get through.
    [[maybe_unused]] const auto sent =
        sendto(file_, &beat, sizeof beat, MSG_NOSIGNAL, to.get(), to.length);
}

bool Pulse::take(Beat& beat) {
    if (file_ < 0) return false;
    ssize_t bytes = -1;
    // An error that an earlier datagram met is told once, instead of one that has come.
    for (int tries = 0; bytes < 0 && tries < 2; ++tries)
        bytes = recv(file_, &beat, sizeof beat, MSG_TRUNC);
    if (bytes < 0) return false;
    if (bytes != sizeof beat) beat = {~secret_, 0, 0};
    return true;
}

}  // namespace isthmus::transport::ofi
