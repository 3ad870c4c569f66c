// A module of another build: whatever is called of it ends the process without a word. Without a
// version, or with one that no library has.
#include <cstdlib>

#if defined(ISTHMUS_MODULE_VERSION)
#include "base/module_version.hpp"
ISTHMUS_TELL_MODULE_VERSION
#endif

#define ENDS(FUNCTION)                                                 \
    extern "C" __attribute__((visibility("default"))) void FUNCTION(); \
    void FUNCTION() {                                                  \
        std::_Exit(3);                                                 \
    }
ENDS(isthmus_open_transport)
ENDS(isthmus_explain_transport)
ENDS(isthmus_transport_has_hardware)
ENDS(isthmus_open_pmix)
