/* A library of the program's that calls OpenSHMEM on variables of its own. */
#include <shmem.h>

#include "library_data.h"

static long hidden[512];
static long lock;
long calling_initialised[4] = {7, 8, 9, 10};
static char wide[200000];

long* calling_hidden(void) {
    return hidden;
}
long* calling_shown(void) {
    return calling_initialised;
}
long* calling_lock(void) {
    return &lock;
}
char* calling_wide(void) {
    return wide;
}
void calling_put(long value, int pe) {
    shmem_long_p(&hidden[3], value, pe);
    shmem_long_atomic_add(&hidden[4], value, pe);
}
__attribute__((constructor)) static void construct(void) {
    wide[100000] = 'c';
}
