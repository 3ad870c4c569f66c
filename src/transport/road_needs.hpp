// What a road needs that may not be installed, as its file says: of a module that cannot be loaded.
#pragma once

#include <string>

namespace isthmus::transport {

// "libfabric and libsodium"; empty if there is no such file, or it does not say. It is read, and
// not loaded.
std::string road_needs(const std::string& module);

}  // namespace isthmus::transport
