/* The machine without xBGAS: the memory of other PEs is reached through the RDMA NIC alone, so
 * there is no window. Stands in front of include/isthmus/window.h; shmem.h is the same file. */
#ifndef ISTHMUS_WINDOW_H
#define ISTHMUS_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* This PE and the number of PEs. Set before any constructor runs; they never change again. */
extern const uint32_t isthmus_window_me, isthmus_window_pes;
#ifdef __cplusplus
}
#endif

#endif
