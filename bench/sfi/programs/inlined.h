/* What is inlined into programs: UPC's "shared int x[THREADS]", the write of an element and the
 * fence, as the paper's Figure 8 counts them; and a put of 8 bytes to a segment. In an object of
 * their own, so that what the compiler has inlined into them is counted as the library's. */
#ifndef ISTHMUS_BENCH_SFI_INLINED_H
#define ISTHMUS_BENCH_SFI_INLINED_H

#include <isthmus.h>

#ifdef __cplusplus
extern "C" {
#endif
void segment_open(const isthmus_segment* segment);
void segment_put(const void* value); /* to offset 64 */
void upc_open(void);
void upc_write(int value); /* x[1] = value */
void upc_fence(void);
void upc_close(void);
#ifdef __cplusplus
}
#endif
#endif
