/* The window of the xBGAS machine: none is needed. A PE's memory is a namespace, the address in it
 * is the address here, and the instruction joins the two. This file stands in front of
 * include/isthmus/window.h when a program is compiled for the machine; shmem.h is the same file.
 *
 * The namespace of PE p is p + 1. A PE out of range lands in a namespace that is not mapped, and
 * the access traps; -1 alone would be the own memory (namespace 0), which the out-of-line routines
 * refuse and the inlined ones, like the hardware, do not see. */
#ifndef ISTHMUS_WINDOW_H
#define ISTHMUS_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <xbgas.h>

#ifdef __cplusplus
extern "C" {
#endif
/* This PE and the number of PEs. Set before any constructor runs; they never change again. */
extern const uint32_t isthmus_window_me, isthmus_window_pes;
#ifdef __cplusplus
}
#endif

#endif
