#include "base/module_version.hpp"

#include <dlfcn.h>

namespace isthmus {

std::string module_mismatch(void* module, const std::string& path) {
    const std::string own = ISTHMUS_MODULE_VERSION;
    const auto* const told = static_cast<const char*>(dlsym(module, "isthmus_module_version"));
    if (told && own == told) return "";
    return path + " is of version " + (told ? told : "none") +
           ", and the library that loads it of " + own +
           ": they are of different builds; build and install the library and its modules " +
           "together";
}

}  // namespace isthmus
