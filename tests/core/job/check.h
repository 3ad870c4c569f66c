/* Ends the job with the line that failed. */
#ifndef ISTHMUS_TESTS_JOB_CHECK_H
#define ISTHMUS_TESTS_JOB_CHECK_H

#include <shmem.h>
#include <stdio.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "PE %d: line %d: %s\n", shmem_my_pe(), __LINE__, #condition); \
            shmem_global_exit(1);                                                         \
        }                                                                                 \
    } while (0)

#endif
