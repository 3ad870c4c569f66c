#!/bin/sh
# mistakes.sh ISTHMUS PROGRAM CASE [PES]: with the mistake some of eight seeds must end with 1, without it
# all with 0. What ends otherwise (a hang, a crash) is no answer.
run() {
    ISTHMUS_DELAY=$1 timeout 60 "$launcher" run -n "$pes" "$program" "$case" "$2"
    status=$?
    [ $status -le 1 ] || { echo "seed $1, $2: status $status"; exit 2; }
    return $status
}
launcher=$1 program=$2 case=$3 pes=${4:-3} shown=0
for seed in 1 2 3 4; do
    run $seed right || { echo "seed $seed: the right program fails"; exit 1; }
done
for seed in 1 2 3 4 5 6 7 8; do
    run $seed wrong || { shown=1; break; }
done
[ $shown -eq 1 ] || { echo "no seed shows the mistake"; exit 1; }
