/* The library is loaded while the program runs, as an interpreter's modules do; with an argument
 * behind the start of a thread. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void* rest(void* unused) {
    pause();
    return unused;
}

int main(int argc, char** argv) {
    pthread_t thread;
    (void)argv;
    if (argc > 1) pthread_create(&thread, NULL, rest, NULL);
    void* const library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void (*init)(void);
    *(void**)&init = dlsym(library, "shmem_init");
    init();
    return 0;
}
