// What the core and `isthmus info` find in this module.
#include <algorithm>
#include <string>

#include "base/module_version.hpp"
#include "transport/packet/link.hpp"
#include "transport/service/sealed_secret.hpp"
#include "transport/service/whole_road.hpp"

template class isthmus::transport::service::Road<isthmus::transport::packet::Link>;

ISTHMUS_TELL_MODULE_VERSION
ISTHMUS_GIVE_SECRET_BOX

extern "C" __attribute__((visibility("default"))) const char isthmus_road_needs[];
__attribute__((used)) const char isthmus_road_needs[] = ISTHMUS_ROAD_NEEDS "libsodium";

extern "C" __attribute__((visibility("default"))) isthmus::transport::Transport*
isthmus_open_transport(const isthmus::transport::Services& services) {
    using namespace isthmus::transport;
    return new service::Road<packet::Link>(services);
}

extern "C" __attribute__((visibility("default"))) void isthmus_explain_transport(
    const char* setting, char* text, std::size_t bytes) {
    using namespace isthmus::transport::packet;
    // Protocol, how, and address, such as "udp:eth0" or "tcp-bare:".
    std::string why;
    const std::string given = setting;
    const std::size_t colon = given.find(':');
    const std::string address = given.substr(colon + 1);
    std::string problem;
    const std::vector<Interface> all = interfaces(problem);
    const Interface* chosen = choose_interface(all, address, true, why);
    if (!problem.empty()) why = problem;
    const std::string alone = why;
    if (!chosen && address.empty()) {
        chosen = choose_interface(all, address, false, why);
        why = alone;
    }
    std::string answer = "!" + why;
    if (chosen)
        answer =
            (given.starts_with("udp")               ? "UDP, each datagram with its hash, at "
             : given.substr(0, colon) == "tcp-bare" ? "TCP, not hashed (ISTHMUS_PACKET_SEAL=0), at "
                                                    : "TCP, hashed, at ") +
            text_of(chosen->address) + " on " + chosen->name + "\n" + why +
            " (ISTHMUS_PACKET_ADDRESS chooses another); puts, gets, atomics and signals by the "
            "target's progress thread";
    answer.copy(text, bytes - 1);
    text[std::min(answer.size(), bytes - 1)] = '\0';
}
