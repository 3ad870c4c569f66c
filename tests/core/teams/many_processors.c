/* Loaded before the launcher: as many processors as MANY_PROCESSORS says, so that PEs do not
 * outnumber them and teams of more than 8 meet in rounds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) {
    int (*real)(pid_t, size_t, cpu_set_t*) = dlsym(RTLD_NEXT, "sched_getaffinity");
    const char* const text = getenv("MANY_PROCESSORS");
    const int result = real(process, bytes, set);
    for (int i = 0; text && result >= 0 && i < atoi(text); ++i)
        CPU_SET_S((size_t)i, bytes, set);
    return result;
}
