/* Writes to a page of a mapped file that somebody has cut off. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#include "crash_inlined.h"
void write_beyond_file(void) {
    const int file = memfd_create("cut", 0);
    if (file < 0 || ftruncate(file, 8192) != 0) _exit(3);
    volatile char* const page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4096);
    if ((void*)page == MAP_FAILED || ftruncate(file, 4096) != 0) _exit(3);
    page[1] = 1; /* line 11 */
}
