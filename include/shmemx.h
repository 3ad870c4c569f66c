/* Extensions to OpenSHMEM (section 5 of the standard wants them in this header). There are none
 * yet; programs that include it get the whole of the standard interface. */
#ifndef ISTHMUS_SHMEMX_H
#define ISTHMUS_SHMEMX_H

#include <shmem.h>

#endif
