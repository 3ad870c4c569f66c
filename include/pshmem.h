/* The profiling interface (chapter 10 of the standard): pshmem_NAME for every shmem_NAME.
 * shmem.h declares both. */
#ifndef ISTHMUS_PSHMEM_H
#define ISTHMUS_PSHMEM_H

#include <shmem.h>

#endif
