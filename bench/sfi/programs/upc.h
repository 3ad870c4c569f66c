/* UPC's "shared int x[THREADS]": the write of an element and the fence, as the paper's Figure 8
 * counts them. In an object of their own, so that what the compiler has inlined into them is
 * counted as the library's. */
#ifndef ISTHMUS_BENCH_SFI_UPC_H
#define ISTHMUS_BENCH_SFI_UPC_H

#ifdef __cplusplus
extern "C" {
#endif
void upc_open(void);
void upc_write(int value); /* x[1] = value */
void upc_fence(void);
void upc_close(void);
#ifdef __cplusplus
}
#endif
#endif
