/* Puts whose own side is no memory. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "crash_inlined.h"
static char place[1 << 20];
static long words[4];
static void* volatile no_bytes;

void put_from_null(void) {
    shmem_putmem(place, no_bytes, 2000, 0); /* line 12 */
}
/* A long one begins at its end. */
void put_from_low(void) {
    shmem_putmem(place, no_bytes, sizeof place, 0); /* line 16 */
}
/* Checked mode looks at the source before the first of these, and not again. */
void put_given_back(void) {
    long* const mine =
        mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    shmem_long_put(words, mine, 4, 0);
    shmem_long_put(words, mine, 4, 0);
    munmap(mine, 16384);
    shmem_long_put(words, mine, 4, 0); /* line 25 */
    __asm__ volatile("" ::: "memory");
}
void allocate_unlike(void) {
    shmem_free(shmem_malloc(64 + (size_t)shmem_my_pe())); /* line 29 */
}
void fill_nowhere(void) {
    memset(no_bytes, 1, 2000 + (size_t)shmem_my_pe()); /* line 32 */
    __asm__ volatile("" ::: "memory");
}
static long* volatile low_words = (long*)0x40;
/* Between hosts: the road copies from there or to there, perhaps in a thread of its own. */
__attribute__((noinline)) void get_to_nowhere(void) {
    shmem_long_get(low_words, words, 1, 0); /* line 38 */
    __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void get_to_nowhere_later(void) {
    shmem_long_get_nbi(low_words, words, 1, 0);
    shmem_quiet(); /* line 43 */
}
__attribute__((noinline)) void put_from_nowhere(void) {
    shmem_long_put((long*)place, low_words, 100000, 0); /* line 46 */
    __asm__ volatile("" ::: "memory");
}
/* Deep in the C library, which has used all registers. */
__attribute__((noinline)) void print_nowhere(void) {
    char text[64];
    snprintf(text, sizeof text, "%s: %d", (char*)low_words, 3); /* line 52 */
    __asm__ volatile("" : : "r"(text) : "memory");
}
