/* What the machine's runtime (sim/runtime) needs of a system, for programs without one: its start,
 * its errors, and the few functions of the C library that it calls. The symmetric region is an
 * array of the program, which lies at the same address on every node. */
#include "runtime.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { kRegion = 640 << 10 };
static char region[kRegion] __attribute__((aligned(4096)));

uint32_t isthmus_own_pe __asm__("isthmus_window_me") = 0;
uint32_t isthmus_own_pes __asm__("isthmus_window_pes") = 1;

uint64_t isthmus_shared_base(void) {
    return (uint64_t)region;
}
uint64_t isthmus_shared_size(void) {
    return kRegion;
}

/* The exit code says that it was not a check: those count from 1. */
void isthmus_end_job(int status) {
    extern volatile uint64_t tohost;
    (void)status;
    tohost = 99 << 1 | 1;
    for (;;) {
    }
}
void isthmus_fail(const char* routine, const char* format, ...) {
    (void)routine;
    (void)format;
    isthmus_end_job(1);
}
void isthmus_refuse_pe(const char* routine, int pe, int pes) {
    isthmus_fail(routine, "pe %d of %d", pe, pes);
}
void isthmus_refuse_context(const char* routine) {
    isthmus_fail(routine, "context");
}
void isthmus_require_running(const char* routine) {
    (void)routine;
}

void bare_start(void) {
    struct isthmus_road_machine machine;
    isthmus_road_start(&machine);
    isthmus_own_pe = machine.pe;
    isthmus_own_pes = machine.pes;
    const size_t areas = isthmus_area_bytes((int)machine.pes);
    if (areas + 4096 > kRegion) isthmus_fail("start", "too small");
    isthmus_teams_start(region, (int)machine.pes);
    isthmus_heap_start(region + areas, kRegion - areas);
    isthmus_team_open(&isthmus_team_world, 0);
    isthmus_team_open(&isthmus_team_shared, 1);
    isthmus_team_sync(&isthmus_team_world);
}

void* memcpy(void* to, const void* from, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
        ((volatile char*)to)[i] = ((const char*)from)[i];
    return to;
}
void* memmove(void* to, const void* from, size_t bytes) {
    if ((uintptr_t)to <= (uintptr_t)from) return memcpy(to, from, bytes);
    while (bytes-- > 0)
        ((volatile char*)to)[bytes] = ((const char*)from)[bytes];
    return to;
}
void* memset(void* to, int value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
        ((volatile char*)to)[i] = (char)value;
    return to;
}
