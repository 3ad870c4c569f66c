#!/bin/sh
# with_mpi.sh OSHCC mpich|openmpi SOURCE: compiles the program with this MPI and runs it under its
# launcher, MPI begun first and second, within the host and between PEs as if each were a host. Exit
# status 77: there is no such MPI here.
set -eu
oshcc=$1 mpi=$2 source=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $mpi in
    mpich)
        command -v mpicc.mpich >/dev/null && command -v mpiexec.hydra >/dev/null || { echo "skipped: no mpich"; exit 77; }
        flags="$(mpicc.mpich -compile_info) $(mpicc.mpich -link_info)"
        launch="mpiexec.hydra -n 3" ;;
    openmpi)
        command -v mpicc.openmpi >/dev/null && command -v mpirun.openmpi >/dev/null || { echo "skipped: no Open MPI"; exit 77; }
        flags="$(mpicc.openmpi --showme:compile) $(mpicc.openmpi --showme:link)"
        launch="mpirun.openmpi --oversubscribe -n 3"
        [ "$(id -u)" != 0 ] || launch="$launch --allow-run-as-root" ;;
    *) echo "with_mpi.sh: no MPI named $mpi" >&2; exit 2 ;;
esac
# What only says where the headers and libraries are; the compiler's own flags stay ours.
flags=$(printf '%s\n' $flags | grep -E '^-(I|L|l)' | grep -v -e '-flto' || true)
if ! echo '#include <mpi.h>' | "$oshcc" -E $flags -x c - -o /dev/null 2>/dev/null; then
    echo "skipped: the headers of $mpi are not installed"
    exit 77
fi
"$oshcc" -std=gnu11 -O1 "$source" -o "$folder/program" $flags
for order in mpi_first shmem_first; do
    for transport in auto ofi; do
        export ISTHMUS_TRANSPORT=$transport
        lines=$($launch "$folder/program" $order) || { echo "$order, $transport: status $?"; exit 1; }
        # Launchers put the PEs' words together as they come, not line by line.
        [ "$(printf '%s\n' "$lines" | grep -o ok | wc -l)" = 3 ] ||
            { echo "$order, $transport: $lines"; exit 1; }
    done
done
