/* What glibc has and musl has not, as far as libisthmus.a and the C++ runtime within a static
 * program ask for it. Both are compiled for glibc; where they meet musl their layouts are alike on
 * 64-bit Linux. For programs that `oshcc -cc=musl-gcc -static` links. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

/* True until the program starts a thread: __wrap_pthread_create. */
char __libc_single_threaded = 1;

int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument) {
    __libc_single_threaded = 0;
    return __real_pthread_create(thread, attributes, start, argument);
}

/* musl walks no stacks; the compiler's own library does, as exceptions need it. */
struct Walk {
    void** frames;
    int count, room; /* from -1 on: backtrace itself is none of them */
};
static _Unwind_Reason_Code note_frame(struct _Unwind_Context* context, void* argument) {
    struct Walk* walk = argument;
    void* const at = (void*)_Unwind_GetIP(context);
    if (walk->count == walk->room || !at) return _URC_END_OF_STACK;
    if (walk->count >= 0) walk->frames[walk->count] = at;
    ++walk->count;
    return _URC_NO_REASON;
}
int backtrace(void** frames, int count) {
    struct Walk walk = {frames, -1, count};
    _Unwind_Backtrace(note_frame, &walk);
    return walk.count < 0 ? 0 : walk.count;
}
void backtrace_symbols_fd(void* const* frames, int count, int descriptor) {
    (void)frames, (void)count, (void)descriptor;
}

uint32_t arc4random(void) {
    uint32_t word = 0;
    while (getrandom(&word, sizeof word, 0) != sizeof word)
        if (errno != EINTR) abort();
    return word;
}

const char* strerrordesc_np(int error) {
    return strerror(error);
}

long __sysconf(int name) {
    return sysconf(name);
}

/* There are no other objects in a static program. */
int dladdr1(const void* address, Dl_info* info, void** extra, int flags) {
    (void)address, (void)info, (void)extra, (void)flags;
    return 0;
}

/* By the wall clock; who waits looks again. */
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
    struct timespec now, then;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &then);
    then.tv_sec += until->tv_sec - now.tv_sec;
    then.tv_nsec += until->tv_nsec - now.tv_nsec;
    if (then.tv_nsec < 0) {
        then.tv_nsec += 1000000000;
        --then.tv_sec;
    } else if (then.tv_nsec >= 1000000000) {
        then.tv_nsec -= 1000000000;
        ++then.tv_sec;
    }
    return pthread_cond_timedwait(condition, mutex, &then);
}

/* on_exit: the status is what __wrap_exit was called with. */
static struct Handler {
    void (*function)(int, void*);
    void* argument;
} handlers[16];
static int handler_count;
static int exit_status;

static void run_handler(void) {
    const struct Handler last = handlers[--handler_count];
    last.function(exit_status, last.argument);
}

int on_exit(void (*function)(int, void*), void* argument) {
    if (handler_count == sizeof handlers / sizeof *handlers || atexit(run_handler) != 0) return -1;
    handlers[handler_count++] = (struct Handler){function, argument};
    return 0;
}

_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status) {
    exit_status = status;
    __real_exit(status);
}

/* Where the unwinder finds the tables of a function. */
struct Search {
    uintptr_t address;
    struct dl_find_object* found;
};

static int look(struct dl_phdr_info* object, size_t size, void* argument) {
    struct Search* const search = argument;
    uintptr_t begin = UINTPTR_MAX, end = 0, tables = 0;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* const part = &object->dlpi_phdr[i];
        const uintptr_t from = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME) tables = from;
        if (part->p_type != PT_LOAD) continue;
        if (from < begin) begin = from;
        if (from + part->p_memsz > end) end = from + part->p_memsz;
    }
    if (search->address - begin >= end - begin || !tables) return 0;
    memset(search->found, 0, sizeof *search->found);
    search->found->dlfo_map_start = (void*)begin;
    search->found->dlfo_map_end = (void*)end;
    search->found->dlfo_eh_frame = (void*)tables;
    return 1;
}

int _dl_find_object(void* address, struct dl_find_object* result) {
    struct Search search = {(uintptr_t)address, result};
    return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
