/* A crash in a shared library of the program's. */
#include "crash_inlined.h"

void write_in_library(volatile int* where);

void write_in_library(volatile int* where) {
    write_inlined(where); /* line 7 */
    *where += 1;
}
