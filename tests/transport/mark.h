/* For the tests of faults: writes this process's number to RING_MARK followed by its PE. */
#ifndef ISTHMUS_TESTS_TRANSPORT_MARK_H
#define ISTHMUS_TESTS_TRANSPORT_MARK_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void mark_under_way(int me) {
    if (!getenv("RING_MARK")) return;
    char name[4096];
    snprintf(name, sizeof name, "%s%d.new", getenv("RING_MARK"), me);
    char place[4096];
    snprintf(place, sizeof place, "%s%d", getenv("RING_MARK"), me);
    FILE* file = fopen(name, "w");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    rename(name, place);
}

#endif
