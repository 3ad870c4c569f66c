// The library's modules, its roads and PMIx, are found beside it while it runs, and one of another
// build may lie there. What is called of them is C++, which means nothing to another version of it.
// So each module tells its version, and it is looked at before anything else of the module.
#pragma once

#include <string>

// ISTHMUS_MODULE_VERSION: src/CMakeLists.txt, from the release and the headers of what is called.
#define ISTHMUS_TELL_MODULE_VERSION                                                        \
    extern "C" __attribute__((visibility("default"))) const char isthmus_module_version[]; \
    __attribute__((used)) const char isthmus_module_version[] = ISTHMUS_MODULE_VERSION;

namespace isthmus {

// What is wrong with a module that has been loaded from there; empty: it is of this library's
// version.
std::string module_mismatch(void* module, const std::string& path);

}  // namespace isthmus
