/* Addresses that are not symmetric, ranges that leave what is. */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include "cases.h"

static long words[16];
static long last_words[1 << 16];

static void stack(int me, int pes) {
    long mine = zero;
    (void)pes;
    if (me == 0) shmem_long_p(&mine, 1, 1);
    sink = mine;
}
static __thread long of_thread;
static void thread_local(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_p(&of_thread, 1, 1);
}
long* library_of_thread(void);
static void thread_local_of_library(int me, int pes) {
    (void)pes;
    if (me == 0) sink = shmem_long_g(library_of_thread(), 1);
}
static void* put_of_thread(void* nothing) {
    long mine = zero;
    shmem_long_p(&mine, 1, 1);
    sink = mine;
    return nothing;
}
static void stack_of_thread(int me, int pes) {
    pthread_t thread;
    (void)pes;
    if (me != 0) return;
    pthread_create(&thread, NULL, put_of_thread, NULL);
    pthread_join(thread, NULL);
}
static void private_heap(int me, int pes) {
    long* mine = malloc(1 << 20);
    (void)pes;
    if (me == 0) shmem_long_p(mine, 1, 1);
    free(mine);
}
static void null(int me, int pes) {
    long* volatile nowhere = NULL;
    (void)pes;
    if (me == 0) shmem_long_p(nowhere, 1, 1);
}
static void null_here(int me, int pes) {
    long* volatile nowhere = NULL;
    (void)pes;
    if (me == 0) shmem_long_p(nowhere, 1, 0);
}
static void null_source(int me, int pes) {
    long* const there = (long*)shmem_malloc(8);
    long* volatile nowhere = NULL;
    (void)pes;
    if (me == 0) shmem_putmem(there, nowhere, 8, 1);
}
/* A long copy begins at its end. */
static void null_source_long(int me, int pes) {
    static char there[1 << 20];
    char* volatile nowhere = NULL;
    (void)pes;
    if (me == 0) shmem_putmem(there, nowhere, sizeof there, 1);
    sink = there[zero];
}
static const long constants[512] = {1, 2, 3};
static void constant(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_p((long*)(uintptr_t)(constants + zero), 1, 1);
}
static void constant_own(int me, int pes) {
    (void)pes;
    shmem_long_p((long*)(uintptr_t)(constants + zero), 1, me);
}
static void constant_atomic(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_atomic_inc((long*)(uintptr_t)(constants + zero), 1);
}
static void get_constant(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_getmem((void*)(uintptr_t)(constants + zero), last_words, 8 + (size_t)zero, 1);
}
static const struct {
    const char* name;
    long number;
} named_constants[512] = {{"one", 1}, {"two", 2}};
static void get_named_constant(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_getmem(words, &named_constants[1 + zero].number, 8 + (size_t)zero, 1);
}
const long* library_constants(void);
const long* library_named_constant(void);
static void get_constant_of_library(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_getmem(words, library_constants(), 8 + (size_t)zero, 1);
}
static void get_named_constant_of_library(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_getmem(words, library_named_constant(), 8 + (size_t)zero, 1);
}
static void get_read_only(int me, int pes) {
    void* const mine = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)pes;
    if (me == 0) shmem_getmem(mine, last_words, 8 + (size_t)zero, 1);
}
static void far_past(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_p(last_words + (1 << 28), 1, 1);
}
static long* const wild = (long*)0x123456780;
static void wild_source(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_put(words, wild, 8, 1);
}
static void wild_dest(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_get(wild, words, 8, 1);
}
static void null_strided(int me, int pes) {
    long* volatile nowhere = NULL;
    (void)pes;
    if (me == 0) shmem_long_iput(words, nowhere, 1, 2, 4, 1);
}
static void wild_signal(int me, int pes) {
    static uint64_t flag;
    (void)pes;
    if (me == 0) shmem_long_put_signal(words, wild, 8, &flag, 1, SHMEM_SIGNAL_SET, 1);
}
/* The second word of two that are aligned, two bytes further. */
static uint64_t* between_words(void) {
    static uint64_t two[3];
    return (uint64_t*)(void*)((char*)(two + 1) + 2 + zero);
}
static void misaligned_fetch(int me, int pes) {
    (void)pes;
    if (me == 0) sink = (long)shmem_uint64_atomic_fetch_add(between_words(), 1, 1);
}
static void misaligned_post(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_int_atomic_inc((int*)(void*)((char*)between_words() + 1), 1);
}
static void misaligned_signal(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_putmem_signal(words, words, 8, between_words(), 1, SHMEM_SIGNAL_ADD, 1);
}
static void misaligned_lock(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_set_lock((long*)(void*)between_words());
}
static void over_data(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_putmem(words, words, (size_t)1 << 30, 1);
}
extern char _end[]; /* behind the last variable, in the same page mostly */
static void past_variables(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_putmem(_end, words, 3, 1);
}
static void code(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_p((long*)(uintptr_t)&stack, 1, 1);
}
static void get_stack(int me, int pes) {
    long mine = zero;
    (void)pes;
    if (me == 0) sink = shmem_long_g(&mine, 1);
}
static void put_stack(int me, int pes) {
    long mine[64] = {0};
    (void)pes;
    if (me == 0) shmem_putmem(mine, words, sizeof words - (size_t)zero, 1);
    sink = mine[zero];
}
static void atomic_private_heap(int me, int pes) {
    long* mine = calloc(1, 1 << 20);
    (void)pes;
    if (me == 0) sink = shmem_long_atomic_fetch_inc(mine, 1);
    free(mine);
}
extern long library_counter[4];
long* library_hidden(void);
/* A variable of a library that the program loads while it runs. */
static long* late_variable(const char* function) {
    void* const library = dlopen(LATE_LIBRARY, RTLD_NOW);
    long* (*find)(void);
    if (!library) abort();
    *(void**)&find = dlsym(library, function);
    return find();
}
static void of_library(int me, int pes) {
    long* const variable = late_variable("library_hidden");
    (void)pes;
    if (me == 0) shmem_long_p(variable, 1, 1);
}
static void named_of_library(int me, int pes) {
    long* const variable = late_variable("library_named");
    (void)pes;
    if (me == 0) shmem_long_p(variable, 1, 1);
}
static void of_system(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_putmem(stdout, words, 1, 1);
}
/* Not by its name, which would give the program a copy of the variable. */
static void moved_of_library(int me, int pes) {
    shmem_long_p(library_hidden() + 1, me, (me + 1) % pes);
    shmem_barrier_all();
    if (library_hidden()[1] != (me + pes - 1) % pes) abort();
}
static void copied_of_library(int me, int pes) {
    shmem_long_p(library_counter + 1, me, (me + 1) % pes);
    shmem_barrier_all();
    if (library_counter[1] != (me + pes - 1) % pes) abort();
}
static void heap_end(int me, int pes) {
    char* block = shmem_malloc(4096);
    (void)pes;
    if (me == 0) shmem_putmem(block + (1 << 20) - 64, words, 128 - (size_t)zero, 1);
}
static void far_past_heap_end(int me, int pes) {
    long* block = shmem_malloc(4096);
    (void)pes;
    if (me == 0) shmem_long_p(block + (1 << 20), 1, 1);
}
static void data_end(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_p(last_words + (1 << 16) + 1024, 1, 1);
}
static void block_inside(int me, int pes) { /* past a block, within the heap: nothing to say */
    long* block = shmem_malloc(64);
    (void)pes;
    if (me == 0) shmem_long_p(block + 100, 1, 1);
}

const struct Case cases[] = {
    {"stack", stack},
    {"private_heap", private_heap},
    {"thread_local", thread_local},
    {"thread_local_of_library", thread_local_of_library},
    {"stack_of_thread", stack_of_thread},
    {"null", null},
    {"null_here", null_here},
    {"null_source", null_source},
    {"null_source_long", null_source_long},
    {"constant", constant},
    {"constant_own", constant_own},
    {"constant_atomic", constant_atomic},
    {"get_constant", get_constant},
    {"get_named_constant", get_named_constant},
    {"get_constant_of_library", get_constant_of_library},
    {"get_named_constant_of_library", get_named_constant_of_library},
    {"get_read_only", get_read_only},
    {"far_past", far_past},
    {"wild_source", wild_source},
    {"wild_dest", wild_dest},
    {"null_strided", null_strided},
    {"wild_signal", wild_signal},
    {"misaligned_fetch", misaligned_fetch},
    {"misaligned_post", misaligned_post},
    {"misaligned_signal", misaligned_signal},
    {"misaligned_lock", misaligned_lock},
    {"over_data", over_data},
    {"past_variables", past_variables},
    {"code", code},
    {"get_stack", get_stack},
    {"put_stack", put_stack},
    {"atomic_private_heap", atomic_private_heap},
    {"of_library", of_library},
    {"named_of_library", named_of_library},
    {"copied_of_library", copied_of_library},
    {"moved_of_library", moved_of_library},
    {"of_system", of_system},
    {"heap_end", heap_end},
    {"far_past_heap_end", far_past_heap_end},
    {"data_end", data_end},
    {"block_inside", block_inside},
    {NULL, NULL},
};
