// What the core and `isthmus info` find in this module.
#include <string_view>

#include "base/module_version.hpp"
#include "transport/loop/link.hpp"
#include "transport/service/sealed_secret.hpp"
#include "transport/service/whole_road.hpp"

template class isthmus::transport::service::Road<isthmus::transport::loop::Link>;

ISTHMUS_TELL_MODULE_VERSION
ISTHMUS_GIVE_SECRET_BOX

extern "C" __attribute__((visibility("default"))) const char isthmus_road_needs[];
__attribute__((used)) const char isthmus_road_needs[] = ISTHMUS_ROAD_NEEDS "libsodium";

extern "C" __attribute__((visibility("default"))) isthmus::transport::Transport*
isthmus_open_transport(const isthmus::transport::Services& services) {
    using namespace isthmus::transport;
    return new service::Road<loop::Link>(services);
}

extern "C" __attribute__((visibility("default"))) void isthmus_explain_transport(
    const char* /*provider*/, char* text, std::size_t bytes) {
    constexpr std::string_view kAnswer =
        "Unix sockets of this host\nwhat is sent comes late and out of order, by "
        "ISTHMUS_LOOP_SEED; "
        "the target's progress thread does everything";
    const std::size_t length = kAnswer.copy(text, bytes - 1);
    text[length] = '\0';
}
