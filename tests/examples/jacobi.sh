#!/bin/sh
# jacobi.sh ISTHMUS PROGRAM KERNELS NODES PROTOCOL GRID STEPS RESIDUAL
# Jacobi on so many kernels, compared with kernel 0's own serial result cell by cell, and its residual with
# the reference; NODES is a list for ISTHMUS_NODES, or 1.
set -eu
isthmus=$1 program=$2 kernels=$3 nodes=$4 protocol=$5 grid=$6 steps=$7 residual=$8
if [ "$nodes" != 1 ]; then
    ISTHMUS_NODES=$nodes ISTHMUS_TRANSPORT=auto,packet:0-$((kernels - 1)) ISTHMUS_PACKET_PROTOCOL=$protocol
    export ISTHMUS_NODES ISTHMUS_TRANSPORT ISTHMUS_PACKET_PROTOCOL
fi
said=$("$isthmus" run -n "$kernels" --timeout 280 "$program" "$grid" "$steps" check)
wanted="grid $grid, $steps steps: residual $residual"
[ "$said" = "$wanted" ] || { echo "$said, and not $wanted"; exit 1; }
