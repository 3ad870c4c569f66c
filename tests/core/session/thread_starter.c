// A plugin that starts a thread and waits for it while it is loaded, and again while it is
// unloaded: the dynamic linker's lock is held then.
#include <pthread.h>
#include <stdlib.h>

static void* run(void* argument) {
    return argument;
}

static void start_and_wait(void) {
    pthread_t thread;
    void* result = NULL;
    int argument = 0;
    if (pthread_create(&thread, NULL, run, &argument) != 0 || pthread_join(thread, &result) != 0 ||
        result != &argument)
        abort();
}

__attribute__((constructor)) static void load(void) {
    start_and_wait();
}

__attribute__((destructor)) static void unload(void) {
    start_and_wait();
}
