// The symbol of one threading mode (isthmus/gasnet_mode.h); this file is compiled once for each.
#define ISTHMUS_GASNET_LIBRARY 1
#include <isthmus/gasnet_mode.h>

extern "C" {
extern const char ISTHMUS_GASNET_MODE_SYMBOL;
const char ISTHMUS_GASNET_MODE_SYMBOL = 0;
}
