/* A header of the program's, in a folder that is named as the library's. */
#ifndef MODEL_H
#define MODEL_H

#include <shmem.h>

static inline void put_behind_block(long* block, int pe) {
    shmem_long_put(block + 10, block, 1, pe);
}

#endif
