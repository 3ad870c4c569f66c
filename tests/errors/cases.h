/* What the programs of this folder share: each makes one mistake, chosen by name on the command
 * line. golden.ini says what it must print. */
#ifndef CASES_H
#define CASES_H

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Case {
    const char* name;
    void (*run)(int me, int pes);
};

extern const struct Case cases[]; /* ends with a null name */

/* Calls that must not be optimised away, values that the compiler must not know. */
extern volatile int zero;
extern volatile long sink;

#endif
