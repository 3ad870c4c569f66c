/* A library that libfabric loads with the others of its folder (FI_PROVIDER_PATH), and asks for its
   network: at the PE that has NETWORK_DOES it does that instead. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_by_signal(int signal) {
    (void)signal;
    exit(3);
}

static void act(const char* when) {
    const char* const does = getenv("NETWORK_DOES");
    if (!does || strncmp(does, when, strlen(when)) != 0) return;
    const char* const what = does + strlen(when);
    if (strcmp(what, "exits") == 0) exit(0);
    if (strcmp(what, "crashes") == 0) {
        signal(SIGSEGV, end_by_signal);
        volatile int* volatile nothing = NULL;
        *nothing = 1;
    }
    while (strcmp(what, "loops") == 0) {
    }
    if (strcmp(what, "sleeps") == 0) sleep(100);
    if (strcmp(what, "is slow") == 0) sleep(4);
    if (strcmp(what, "is stopped") == 0) {
        const pid_t self = getpid();
        if (fork() == 0) {
            kill(self, SIGSTOP);
            sleep(7);
            kill(self, SIGCONT);
            _exit(0);
        }
        usleep(200000);
    }
}

__attribute__((constructor)) static void begin(void) {
    act("loaded ");
}

void* fi_prov_ini(void);
void* fi_prov_ini(void) {
    act("");
    return NULL;
}
