// Plugins that wait for threads while they are loaded, before and within the library's session.
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>

static int load_and_unload(const char* path) {
    void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) fprintf(stderr, "%s\n", dlerror());
    return !plugin || dlclose(plugin) != 0;
}

int main(int count, char** words) {
    if (count != 2 || load_and_unload(words[1])) return 1;
    shmem_init();
    if (load_and_unload(words[1])) return 1;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
