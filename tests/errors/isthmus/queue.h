/* A header of the program's, in a folder and with a name as the library's. */
#ifndef QUEUE_H
#define QUEUE_H

#include <shmem.h>

static inline void reduce_behind_block(long* block) {
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block, block + 5, 11);
}

#endif
