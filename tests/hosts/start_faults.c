/* Loaded before libfabric: something happens while PE START_FAULT_PE loads it, in fi_getinfo.
 *
 *   START_FAULT=signal   a handler that exits without a word is installed, and the signal sent
 *   START_FAULT=crash    an address that is not mapped is written to; libraries that come with
 * libfabric have a handler of their own for that START_FAULT=COMMAND  a command of the shell, first
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void vanish(int signal) {
    (void)signal;
    _exit(0);
}

static void disturb(void) {
    static int done;
    const char* const what = getenv("START_FAULT");
    const char* const where = getenv("START_FAULT_PE");
    const char* const rank = getenv("PMI_RANK");
    if (!what || !where || !rank || strcmp(where, rank) != 0 || done++) return;
    if (strcmp(what, "signal") == 0) {
        signal(SIGTERM, vanish);
        kill(getpid(), SIGTERM);
        usleep(10000);
    } else if (strcmp(what, "crash") == 0) {
        *(volatile int*)8 = 1;
    } else if (system(what) == -1) {
        abort();
    }
}

int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
               const struct fi_info* hints, struct fi_info** info) {
    int (*real)(uint32_t, const char*, const char*, uint64_t, const struct fi_info*,
                struct fi_info**);
    void* const library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    *(void**)&real = library ? dlsym(library, "fi_getinfo") : NULL;
    if (!real) abort();
    disturb();
    return real(version, node, service, flags, hints, info);
}
