#!/bin/sh
# with_mpi.sh OSHCC mpich|openmpi SOURCE PAGE: compiles the program with this MPI, by the lines of the
# page, and runs it under its launcher, MPI begun first and second, within the host and between PEs as
# if each were a host. Exit status 77: there is no such MPI here.
set -eu
oshcc=$1 mpi=$2 source=$3 page=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $mpi in
    mpich)
        command -v mpiexec.hydra >/dev/null || { echo "skipped: no mpich"; exit 77; }
        name=MPICH launch="mpiexec.hydra -n 3" ;;
    openmpi)
        command -v mpirun.openmpi >/dev/null || { echo "skipped: no Open MPI"; exit 77; }
        name="Open MPI" launch="mpirun.openmpi --oversubscribe -n 3"
        [ "$(id -u)" != 0 ] || launch="$launch --allow-run-as-root" ;;
    *) echo "with_mpi.sh: no MPI named $mpi" >&2; exit 2 ;;
esac
mpicc=$(command -v mpicc.$mpi) || { echo "skipped: no mpicc.$mpi"; exit 77; }
mkdir "$folder/bin"
ln -s "$mpicc" "$folder/bin/mpicc"
PATH=$folder/bin:$(dirname "$oshcc"):$PATH
if ! echo '#include <mpi.h>' | mpicc -E -x c - -o /dev/null 2>/dev/null; then
    echo "skipped: the headers of $mpi are not installed"
    exit 77
fi
cp "$source" "$folder/program.c"
cd "$folder"
run() {
    lines=$($launch ./program $1) || { echo "$1, $ISTHMUS_TRANSPORT: status $?"; exit 1; }
    # Launchers put the PEs' words together as they come, not line by line.
    [ "$(printf '%s\n' "$lines" | grep -o ok | wc -l)" = 3 ] ||
        { echo "$1, $ISTHMUS_TRANSPORT: $lines"; exit 1; }
}
for whose in "any MPI" "$name"; do
    line=$(sed -n "s/^    \(.*cc program.c .*[^ ]\) *# $whose\$/\1/p" "$page")
    [ -n "$line" ] || { echo "$page has no line for $whose"; exit 1; }
    rm -f program
    eval "$line" || { echo "does not link: $line"; exit 1; }
    ISTHMUS_TRANSPORT=auto
    export ISTHMUS_TRANSPORT
    run mpi_first
done
for transport in auto ofi; do
    ISTHMUS_TRANSPORT=$transport
    run shmem_first
done
run mpi_first
