/* By this name in a conduit's folder clients' scripts know that the conduit is there. */
#include <gasnetex.h>
