/* PE 1 writes to no address, two calls deep; or ends by another signal, or one that it is sent. */
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "crash_inlined.h"
__attribute__((noinline)) void inner(volatile int* where) {
    *where = 1; /* line 8 */
    *where += 1;
}
__attribute__((noinline)) void outer(int pe) {
    inner(pe == 1 ? (volatile int*)0x10 : &pe);
    __asm__ volatile("" ::: "memory");
}

static volatile int something = 7, nothing;
__attribute__((noinline)) void divide(void) {
    something /= nothing; /* line 18 */
}
__attribute__((noinline)) void trap(void) {
    __builtin_trap(); /* line 21 */
}
__attribute__((noinline)) void stop(void) {
    abort(); /* line 24 */
}
__attribute__((noinline)) int recurse(volatile int* above) {
    volatile int here[256];
    here[0] = *above; /* line 28 */
    return here[0] == -1 ? 0 : recurse(here) + here[0];
}
__attribute__((noinline)) void jump(void (*volatile to)(void)) {
    to(); /* line 32 */
    __asm__ volatile("" ::: "memory");
}
/* Its stack is written over: what it returns to is no code, nor what that returns to. */
__attribute__((noinline, no_stack_protector)) void smash(int length) {
    char small[16];
    memset(small, 'x', (size_t)length);
    __asm__ volatile("" : : "r"(small) : "memory");
} /* line 40 */
__attribute__((noinline)) void smash_guarded(int length) {
    char small[16];
    memset(small, 'x', (size_t)length);
    __asm__ volatile("" : : "r"(small) : "memory");
} /* line 45 */
static void own_handler(int number) {
    (void)number;
    _Exit(55);
}
void write_in_library(volatile int* where);
int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "write";
    shmem_init();
    shmem_barrier_all();
    if (strncmp(what, "own_", 4) == 0) {
        signal(SIGFPE, own_handler);
        what += 4;
    }
    if (shmem_my_pe() != 1) what = "";
    if (strcmp(what, "sent") == 0) raise(SIGSEGV);
    if (strcmp(what, "sent_fpe") == 0) raise(SIGFPE);
    if (strcmp(what, "write") == 0) outer(1); /* line 62 */
    if (strcmp(what, "divide") == 0) divide();
    if (strcmp(what, "trap") == 0) trap();
    if (strcmp(what, "abort") == 0) stop();
    if (strcmp(what, "recurse") == 0) nothing = recurse(&nothing);
    if (strcmp(what, "jump_null") == 0) jump((void (*)(void))0);
    if (strcmp(what, "jump") == 0) jump((void (*)(void))0x123456780);
    if (strcmp(what, "smash") == 0) smash(64 + nothing);
    if (strcmp(what, "smash_guarded") == 0) smash_guarded(64 + nothing);
    if (strcmp(what, "private") == 0) shmem_long_p(malloc(8), 1, 0);            /* line 71 */
    if (strcmp(what, "inlined") == 0) write_inlined((volatile int*)0x10);       /* line 72 */
    if (strcmp(what, "library") == 0) write_in_library((volatile int*)0x10);    /* line 73 */
    if (strcmp(what, "refused") == 0) shmem_putmem(malloc(8), what, 8, 0);      /* line 74 */
    if (strcmp(what, "constant") == 0) shmem_putmem((void*)"text", what, 4, 0); /* line 75 */
    if (strcmp(what, "beyond_file") == 0) write_beyond_file();
    if (strcmp(what, "child") == 0) crash_in_child();
    if (argc > 1 && strcmp(argv[1], "next_session") == 0) begin_next_session();
    if (strcmp(what, "next_session") == 0) write_inlined((volatile int*)0x10);
    if (strcmp(what, "handler") == 0) crash_in_handler();
    if (argc > 1 && strcmp(argv[1], "sizes") == 0) allocate_unlike();
    if (strcmp(what, "null_source") == 0) put_from_null();
    if (strcmp(what, "low_source") == 0) put_from_low();
    if (strcmp(what, "given_back") == 0) put_given_back();
    if (strcmp(what, "memset") == 0) fill_nowhere();
    if (strcmp(what, "far_get") == 0) get_to_nowhere();
    if (strcmp(what, "far_get_later") == 0) get_to_nowhere_later();
    if (strcmp(what, "far_put") == 0) put_from_nowhere();
    if (strcmp(what, "print") == 0) print_nowhere();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
