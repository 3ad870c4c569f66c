/* OpenSHMEM and MPI in one program (docs/with-mpi.md): each PE is the rank of the same number, and
 * what one interface has moved the other one adds up. `mpi_first`: MPI is begun and ended outside.
 */
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static int inbox = -1;

int main(int argc, char** argv) {
    const int mpi_first = argc > 1 && strcmp(argv[1], "mpi_first") == 0;
    if (mpi_first) MPI_Init(&argc, &argv);
    shmem_init();
    if (!mpi_first) MPI_Init(&argc, &argv);

    int rank = -1, size = 0, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int me = shmem_my_pe(), pes = shmem_n_pes();
    shmem_int_atomic_set(&inbox, me, (me + 1) % pes);
    shmem_int_wait_until(&inbox, SHMEM_CMP_NE, -1);
    MPI_Allreduce(&inbox, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int right = rank == me && size == pes && pes > 1 && sum == pes * (pes - 1) / 2;
    if (right) printf("ok\n");

    if (!mpi_first) MPI_Finalize();
    shmem_finalize();
    if (mpi_first) MPI_Finalize();
    return !right;
}
