/* Crashes that need some preparation. The first writes to a page of a mapped file that somebody has
   cut off. */
#define _GNU_SOURCE
#include <shmem.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "crash_inlined.h"
void write_beyond_file(void) {
    const int file = memfd_create("cut", 0);
    if (file < 0 || ftruncate(file, 8192) != 0) _exit(3);
    volatile char* const page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4096);
    if ((void*)page == MAP_FAILED || ftruncate(file, 4096) != 0) _exit(3);
    page[1] = 1; /* line 15 */
}

/* A handler of the program's own that gives the signal back to who had it before. */
static struct sigaction before;
static void pass_on(int number) {
    sigaction(number, &before, NULL);
}
void begin_next_session(void) {
    struct sigaction own = {.sa_handler = pass_on};
    sigaction(SIGSEGV, &own, &before);
    shmem_finalize();
    shmem_init();
    shmem_barrier_all();
}
void crash_in_child(void) {
    const pid_t child = fork();
    if (child == 0) *(volatile int*)0x10 = 1;
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) _exit(3);
}
__attribute__((noinline)) static void write_in_handler(int number) {
    *(volatile int*)0x10 = number;
}
void crash_in_handler(void) {
    signal(SIGUSR1, write_in_handler);
    raise(SIGUSR1);
}
