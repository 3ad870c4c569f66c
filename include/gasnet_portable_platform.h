/* What clients of GASNet ask of compiler and machine, in its names. */
#ifndef ISTHMUS_GASNET_PORTABLE_PLATFORM_H
#define ISTHMUS_GASNET_PORTABLE_PLATFORM_H
#include <isthmus/gasnet_names.h>
#endif
