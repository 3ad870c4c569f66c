/* How a program marks a call whose instructions are counted by programs/step.cpp. */
#ifndef ISTHMUS_BENCH_SFI_MARKS_H
#define ISTHMUS_BENCH_SFI_MARKS_H

#include <stddef.h>
#include <unistd.h>

enum { kWarm = 3, kCalls = 9, kPause_us = 3000 };

/* A breakpoint for the tracer, with the case's name in the first register. */
static inline void mark(const char* name) {
    __asm__ __volatile__("int3" ::"D"(name) : "memory");
}

/* BEFORE brings about what the call finds; the pause lets what is under way come to rest. */
#define CASE(NAME, BEFORE, CALL)               \
    for (int i = 0; i < kWarm + kCalls; ++i) { \
        BEFORE;                                \
        usleep(kPause_us);                     \
        if (i >= kWarm) mark(NAME);            \
        CALL;                                  \
        if (i >= kWarm) mark(NULL);            \
    }

#endif
