#include <shmem.h>

#include "globals.h"

struct particle particles[100];
struct settings settings = {1, "nowhere"};
int initialised = 12345;
static long counter; /* the same name as in other files */

void bump(int pe) {
    shmem_long_inc(&counter, pe);
}
long bumps(void) {
    return counter;
}
