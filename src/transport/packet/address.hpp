// Which address of this host a PE is reached by.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <vector>

namespace isthmus::transport::packet {

// An address of an interface that is up.
struct Interface {
    std::string name;
    sockaddr_storage address{};
    bool is_loopback = false;
};

// Those that are up. `problem`: why the system does not tell them.
std::vector<Interface> interfaces(std::string& problem);

// The one that the setting names: an address ("10.0.0.7", "fd00::7"), a network ("10.0.0.0/8"), or
// an interface ("eth0", "eth0/6" for IPv6). Without a setting, where other machines are to reach
// it: the first one that is no loop-back, IPv4 before IPv6; else loop-back. Null, and why, if there
// is none.
const Interface* choose_interface(const std::vector<Interface>& all, const std::string& setting,
                                  bool leaves_machine, std::string& why);

// "10.0.0.7" or "fd00::7".
std::string text_of(const sockaddr_storage& address);
socklen_t length_of(const sockaddr_storage& address);

}  // namespace isthmus::transport::packet
