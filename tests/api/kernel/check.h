/* What the programs of this folder share: a check that ends the job with the line that failed. */
#ifndef ISTHMUS_TESTS_KERNEL_CHECK_H
#define ISTHMUS_TESTS_KERNEL_CHECK_H

#include <isthmus.h>
#include <isthmus/kernel.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "kernel %d: %s:%d: %s (%s)\n", isthmus_kernel_id(), __FILE__, \
                    __LINE__, #condition, isthmus_error_text());                          \
            isthmus_exit(1);                                                              \
        }                                                                                 \
    } while (0)
#define OK(call) CHECK((call) == ISTHMUS_OK)

#endif
