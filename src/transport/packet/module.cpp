// What the core and `isthmus info` find in this module.
#include <algorithm>
#include <string>

#include "transport/packet/link.hpp"
#include "transport/service/whole_road.hpp"

template class isthmus::transport::service::Road<isthmus::transport::packet::Link>;

extern "C" __attribute__((visibility("default"), used)) const char isthmus_road_needs[];
const char isthmus_road_needs[] = ISTHMUS_ROAD_NEEDS "libsodium";

extern "C" __attribute__((visibility("default"))) isthmus::transport::Transport*
isthmus_open_transport(const isthmus::transport::Services& services) {
    using namespace isthmus::transport;
    if (services.version != kContractVersion) return nullptr;
    return new service::Road<packet::Link>(services);
}

extern "C" __attribute__((visibility("default"))) void isthmus_explain_transport(
    const char* setting, char* text, std::size_t bytes) {
    using namespace isthmus::transport::packet;
    std::string why;
    const std::vector<Interface> all = interfaces();
    const Interface* chosen = choose_interface(all, setting, true, why);
    const std::string alone = why;
    if (!chosen && *setting == '\0') {
        chosen = choose_interface(all, setting, false, why);
        why = alone;
    }
    std::string answer = "!" + why;
    if (chosen)
        answer =
            "TCP at " + text_of(chosen->address) + " on " + chosen->name + "\n" + why +
            " (ISTHMUS_PACKET_ADDRESS chooses another); puts, gets, atomics and signals by the "
            "target's progress thread";
    answer.copy(text, bytes - 1);
    text[std::min(answer.size(), bytes - 1)] = '\0';
}
