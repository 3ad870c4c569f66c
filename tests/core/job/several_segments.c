/* Static data in more than one writable segment: a variable that asks for more alignment than a
 * page makes the linker leave a gap. Each is symmetric; a fork leaves both alone. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((aligned(65536))) long aligned_data[4] = {1, 2, 3, 4};
static __attribute__((aligned(65536))) long aligned_zeros[40000];
static long plain_data[4] = {5, 6, 7, 8}, plain_zeros[4];

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
    int wrong = (uintptr_t)aligned_data % 65536 != 0 || aligned_data[3] != 4 || plain_data[0] != 5;
    shmem_barrier_all();
    shmem_long_p(&aligned_data[1], 100 + me, right);
    shmem_long_p(&aligned_zeros[39999], 200 + me, right);
    shmem_long_p(&plain_data[2], 300 + me, right);
    shmem_long_p(&plain_zeros[1], 400 + me, right);
    shmem_barrier_all();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    wrong |= aligned_data[1] != 100 + left || aligned_zeros[39999] != 200 + left ||
             plain_data[2] != 300 + left || plain_zeros[1] != 400 + left || aligned_zeros[0] != 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int seen = aligned_data[1] == 100 + left && aligned_zeros[39999] == 200 + left;
        aligned_data[1] = plain_zeros[1] = -1;
        _exit(seen ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    wrong |= status != 0 || aligned_data[1] != 100 + left || plain_zeros[1] != 400 + left;
    shmem_barrier_all();
    shmem_finalize();
    return wrong;
}
