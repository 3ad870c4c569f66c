/* Library setup, exit and query routines (9.1), threads (9.2), errors. */
#define _DEFAULT_SOURCE /* on_exit */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Written once, before any constructor; const for everybody else. */
uint32_t isthmus_own_pe __asm__("isthmus_window_me") = 0;
uint32_t isthmus_own_pes __asm__("isthmus_window_pes") = 1;
static uint64_t isthmus_shared_bytes, isthmus_shared_at;

static int isthmus_sessions, isthmus_level;
static bool isthmus_over;

/* Numbers of the machine's own calls; the simulator's list is in sim/linux/abi.hpp. */
enum { kCallEndJob = 0x69730001, kCallJoinJob = 0x69730002 };

static long isthmus_call(long number, long argument) {
    register long a0 __asm__("a0") = argument;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

void isthmus_end_job(int status) {
    fflush(NULL);
    isthmus_call(kCallEndJob, status);
    _exit(status);
}

/* Before any constructor. Every node has the same layout, so this needs nobody else. */
static void isthmus_read_machine(void) {
    struct isthmus_road_machine machine;
    isthmus_road_start(&machine);
    isthmus_own_pe = machine.pe;
    isthmus_own_pes = machine.pes;
    isthmus_shared_bytes = machine.shared_bytes;
    isthmus_shared_at = machine.shared_base;
    const size_t areas = isthmus_area_bytes((int)machine.pes);
    isthmus_teams_start((void*)machine.shared_base, (int)machine.pes);
    isthmus_heap_start((char*)machine.shared_base + areas,
                       isthmus_shared_bytes > areas ? isthmus_shared_bytes - areas : 0);
}
__attribute__((section(".preinit_array"),
               used)) static void (*const isthmus_before_main)(void) = isthmus_read_machine;

uint64_t isthmus_shared_base(void) {
    return isthmus_shared_at;
}
uint64_t isthmus_shared_size(void) {
    return isthmus_shared_bytes;
}

void isthmus_fail(const char* routine, const char* format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "isthmus: PE %d: %s: %s\n", isthmus_me(), routine, text);
    isthmus_end_job(1);
}
void isthmus_refuse_pe(const char* routine, int pe, int pes) {
    isthmus_fail(routine, "pe %d is out of range 0..%d", pe, pes - 1);
}
void isthmus_refuse_context(const char* routine) {
    isthmus_fail(routine, "the context is SHMEM_CTX_INVALID or has been destroyed");
}
void isthmus_require_running(const char* routine) {
    if (ISTHMUS_UNLIKELY(isthmus_sessions == 0))
        isthmus_fail(routine, isthmus_over
                                  ? "the library has been finalised"
                                  : "the library is not initialised: call shmem_init first");
}

static void isthmus_leave(void) {
    isthmus_road_quiet();
    isthmus_team_sync(&isthmus_team_world);
    isthmus_sessions = 0;
    isthmus_over = true;
    isthmus_team_close(&isthmus_team_world);
    isthmus_team_close(&isthmus_team_shared);
    isthmus_call(kCallJoinJob, 0);
}

/* A program that returns without finalising: OpenSHMEM 1.2 and older allow it, and a clean exit
 * then waits for the others. An exit with an error must not. */
static void isthmus_at_exit(int status, void* nothing) {
    (void)nothing;
    if (isthmus_sessions != 0 && status == 0) isthmus_leave();
}

/* The heap is what the machine gives (--shared); a program that is told of a larger one must know.
 */
static void isthmus_check_size(size_t heap) {
    const char* const text = getenv("SHMEM_SYMMETRIC_SIZE");
    if (text == NULL || *text == '\0') return;
    char* end;
    double bytes = strtod(text, &end);
    static const char kSuffixes[] = "KMGT";
    const char* const suffix = *end != '\0' ? strchr(kSuffixes, *end & ~32) : NULL;
    if (suffix != NULL) ++end;
    if (suffix != NULL && *end == 'i') ++end;
    if (*end == 'B') ++end;
    if (*end == '%' && end[1] == '\0') return; /* of what there is */
    for (const char* step = kSuffixes; suffix != NULL && step <= suffix; ++step)
        bytes *= 1024;
    if (*end != '\0' || end == text || !(bytes >= 0))
        isthmus_fail("shmem_init", "SHMEM_SYMMETRIC_SIZE=%s is no size such as 512M, 1.5G or 50%%",
                     text);
    if (bytes > (double)heap)
        isthmus_fail(
            "shmem_init",
            "SHMEM_SYMMETRIC_SIZE=%s, but the heap of a node has %zu bytes: raise --shared", text,
            heap);
}

static void isthmus_enter(int level) {
    static bool prepared;
    if (isthmus_sessions++ > 0) return;
    isthmus_over = false;
    isthmus_team_open(&isthmus_team_world, 0);
    isthmus_team_open(&isthmus_team_shared, 1);
    isthmus_level = level < ROAD_MAX_LEVEL ? level : ROAD_MAX_LEVEL;
    const size_t areas = isthmus_area_bytes(isthmus_pes());
    if (isthmus_shared_bytes < areas + 4096)
        isthmus_fail("shmem_init",
                     "the shared region of %llu bytes is too small for %d PEs: raise --shared to "
                     "%zu or more",
                     (unsigned long long)isthmus_shared_bytes, isthmus_pes(), areas + (1 << 20));
    isthmus_check_size(isthmus_shared_bytes - areas);
    isthmus_call(kCallJoinJob, 1);
    if (!prepared) on_exit(isthmus_at_exit, NULL);
    prepared = true;
    isthmus_team_sync(&isthmus_team_world);
}

void pshmem_init(void) {
    isthmus_enter(SHMEM_THREAD_SINGLE);
}
int pshmem_init_thread(int requested, int* provided) {
    if (requested < SHMEM_THREAD_SINGLE) requested = SHMEM_THREAD_SINGLE;
    isthmus_enter(requested);
    if (provided) *provided = isthmus_level;
    return 0;
}
void pshmem_finalize(void) {
    isthmus_require_running("shmem_finalize");
    if (isthmus_sessions > 1) { /* the inner calls of a series are barriers too */
        --isthmus_sessions;
        pshmem_barrier_all();
        return;
    }
    isthmus_leave();
}
void pshmem_global_exit(int status) {
    isthmus_end_job(status);
}
int pshmem_my_pe(void) {
    return isthmus_me();
}
int pshmem_n_pes(void) {
    return isthmus_pes();
}
int pshmem_pe_accessible(int pe) {
    return (unsigned)pe < isthmus_window_pes;
}
int pshmem_addr_accessible(const void* addr, int pe) {
    return (unsigned)pe < isthmus_window_pes && isthmus_is_symmetric(addr);
}
void pshmem_info_get_version(int* major, int* minor) {
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}
void pshmem_info_get_name(char* name) {
    strcpy(name, SHMEM_VENDOR_STRING);
}
void pshmem_query_initialized(int* initialized) {
    *initialized = isthmus_sessions != 0;
}
void pshmem_query_thread(int* provided) {
    isthmus_require_running("shmem_query_thread");
    *provided = isthmus_level;
}
void pshmem_pcontrol(int level, ...) {
    (void)level;
}
SHMEM_TABLE_SETUP(ISTHMUS_ALIAS)
void shmem_global_exit(int status) __attribute__((weak, alias("pshmem_global_exit")));
void shmem_pcontrol(int level, ...) __attribute__((weak, alias("pshmem_pcontrol")));

/* Names from before 1.2. start_pes may be called again and again, and is never matched. */
__attribute__((weak)) void start_pes(int npes) {
    (void)npes;
    if (isthmus_sessions == 0) isthmus_enter(SHMEM_THREAD_SINGLE);
}
__attribute__((weak)) int _my_pe(void) {
    return isthmus_me();
}
__attribute__((weak)) int _num_pes(void) {
    return isthmus_pes();
}
/* In parentheses, or they would be the macros of shmem.h. */
__attribute__((weak)) int(my_pe)(void) {
    return isthmus_me();
}
__attribute__((weak)) int(num_pes)(void) {
    return isthmus_pes();
}
