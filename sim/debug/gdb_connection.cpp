#include "sim/debug/gdb_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace isthmus::sim {

bool parse_hex(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return error == std::errc{} && end == text.data() + text.size();
}

GdbConnection::~GdbConnection() {
    if (socket_ >= 0) close(socket_);
    if (listener_ >= 0) close(listener_);
}

int GdbConnection::listen(int port) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof address;
    if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 1) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("cannot listen on localhost port " + std::to_string(port) + ": " +
                                 std::strerror(errno) + " (--gdb)");
    return ntohs(address.sin_port);
}

void GdbConnection::accept() {
    socket_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket_ < 0)
        throw std::runtime_error(std::string("no debugger could connect: ") + std::strerror(errno));
    const int yes = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool GdbConnection::receive(std::string& packet) {
    for (;;) {
        // Everything up to a complete $...#xx; acknowledgements and stray interrupts in between are
        // dropped.
        const auto start = input_.find('$');
        if (start != std::string::npos) {
            const auto end = input_.find('#', start);
            if (end != std::string::npos && end + 2 < input_.size()) {
                packet = input_.substr(start + 1, end - start - 1);
                std::uint64_t sum = 0;
                const bool readable = parse_hex(std::string_view(input_).substr(end + 1, 2), sum);
                input_.erase(0, end + 3);
                std::uint8_t actual = 0;
                for (const char c : packet)
                    actual = static_cast<std::uint8_t>(actual + static_cast<unsigned char>(c));
                const bool good = readable && sum == actual;
                if (acknowledge_ && ::send(socket_, good ? "+" : "-", 1, MSG_NOSIGNAL) != 1)
                    return false;
                if (good) return true;
                continue;
            }
        }
        if (input_.size() > kMaxGdbPacket) return false;
        char buffer[4096];
        const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
        if (got <= 0) return false;
        input_.append(buffer, static_cast<std::size_t>(got));
    }
}

bool GdbConnection::send(const std::string& packet) {
    std::uint8_t sum = 0;
    for (const char c : packet)
        sum = static_cast<std::uint8_t>(sum + static_cast<unsigned char>(c));
    char tail[4];
    std::snprintf(tail, sizeof tail, "#%02x", sum);
    const std::string text = "$" + packet + tail;
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
}

bool GdbConnection::interrupted() {
    if (socket_ < 0) return false;
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, 0) <= 0) return false;
    char c = 0;
    if (recv(socket_, &c, 1, MSG_PEEK) <= 0) return true;
    if (c != 3 && c != '+') return false;
    if (recv(socket_, &c, 1, 0) != 1) return true;
    return c == 3;
}

}  // namespace isthmus::sim
