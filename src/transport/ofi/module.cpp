// What the core finds in this module.
#include "base/module_version.hpp"
#include "transport/ofi/link.hpp"
#include "transport/service/sealed_secret.hpp"
#include "transport/service/whole_road.hpp"

template class isthmus::transport::service::Road<isthmus::transport::ofi::Link>;

ISTHMUS_TELL_MODULE_VERSION
ISTHMUS_GIVE_SECRET_BOX

extern "C" __attribute__((visibility("default"))) const char isthmus_road_needs[];
__attribute__((used)) const char isthmus_road_needs[] =
    ISTHMUS_ROAD_NEEDS "libfabric and libsodium";

extern "C" __attribute__((visibility("default"))) isthmus::transport::Transport*
isthmus_open_transport(const isthmus::transport::Services& services) {
    using namespace isthmus::transport;
    return new service::Road<ofi::Link>(services);
}
