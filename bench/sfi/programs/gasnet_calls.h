/* Calls of GASNet as a client's compiler makes them: partly inlined, and so in an object of their
 * own, where what has been inlined is counted as the library's (inlined.h). The last two are what a
 * compiler of UPC makes of x[1] = y and of upc_fence: the write is a blocking put, and so a fence
 * has nothing to wait for. */
#ifndef ISTHMUS_BENCH_SFI_GASNET_CALLS_H
#define ISTHMUS_BENCH_SFI_GASNET_CALLS_H

enum { kTakesNothing = 200, kTakesPayload = 201, kPayload = 64 };

void call_short0(unsigned node);
void call_medium0(unsigned node, void* payload);
void call_put_nbi(unsigned node, void* dest, void* source);
void call_wait_puts(void);
void call_poll(void);
void call_upc_write(unsigned node, int* place, int value);
void call_upc_fence(void);

#endif
