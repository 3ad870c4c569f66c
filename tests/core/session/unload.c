/* Loads the library, uses it, lets it go, and ends: unload LIBRARY */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "unload: %s\n", dlerror());
        return 1;
    }
    void (*const init)(void) = (void (*)(void))dlsym(library, "shmem_init");
    void (*const finalize)(void) = (void (*)(void))dlsym(library, "shmem_finalize");
    if (!init || !finalize) return 1;
    init();
    finalize();
    return dlclose(library) == 0 ? 0 : 1;
}
