/* OpenSHMEM 1.0: old header directory, start_pes, no finalisation. */
#include <mpp/shmem.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int me, npes;
    (void)argc;
    (void)argv;
    start_pes(0);
    me = _my_pe();
    npes = _num_pes();
    printf("Hello from %d of %d\n", me, npes);
    return 0;
}
