/* Stands for the module of libfabric where a provider has hardware of its own. */
#include <stdbool.h>

extern const char isthmus_module_version[];
const char isthmus_module_version[] = ISTHMUS_MODULE_VERSION;
bool isthmus_transport_has_hardware(void);
bool isthmus_transport_has_hardware(void) {
    return true;
}
