/* xBGAS by hand, in a program of Linux: each node writes into its neighbour's memory.
 *
 *   riscv64-linux-gnu-gcc -O2 -static -I INCLUDE neighbour.c -o neighbour
 *   isthmus sim neighbour -n 4 */
#include <stdio.h>
#include <xbgas.h>

static volatile int64_t box; /* at the same address on every node */

int main(void) {
    const int me = (int)XBGAS_READ_E(10), nodes = (int)XBGAS_READ_E(11); /* as at reset */
    xbgas_ersd(xbgas_namespace((me + 1) % nodes), &box, 'A' + me);
    xbgas_fence();
    while (box == 0) {
    }
    printf("node %d got %c\n", me, (int)box);
    return 0;
}
