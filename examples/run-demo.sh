#!/usr/bin/env bash
# The demo: heat flow over a picture on 4 PEs, then on one, and the two answers compared bit by bit.
# Builds nothing. Arguments go to heat: --input PICTURE --output FILE --iterations N --tolerance R.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${BUILD:-$here/../build/release}
pes=${PES:-4}
launcher=$build/bin/isthmus
heat=$build/bin/examples/heat
for program in "$launcher" "$heat"; do
    if [ ! -x "$program" ]; then
        echo "run-demo.sh: $program is missing; run \`make build\` first" >&2
        exit 1
    fi
done

input=$here/heat/isthmus.png
output=heat.png
rest=()
while [ $# -gt 0 ]; do
    case $1 in
        --input | --output)
            [ $# -ge 2 ] || { echo "run-demo.sh: $1 needs a file" >&2; exit 2; }
            if [ "$1" = --input ]; then input=$2; else output=$2; fi
            shift 2 ;;
        --input=*) input=${1#*=}; shift ;;
        --output=*) output=${1#*=}; shift ;;
        *) rest+=("$1"); shift ;;
    esac
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "== heat on $pes PEs"
"$launcher" run -n "$pes" "$heat" --input "$input" --output "$output" --field "$scratch/many" \
    ${rest[@]+"${rest[@]}"}
echo "== heat on 1 PE, to compare"
"$launcher" run -n 1 "$heat" --input "$input" --output "$scratch/one.png" --field "$scratch/one" \
    ${rest[@]+"${rest[@]}"} > "$scratch/one.txt"
grep '^time per iteration' "$scratch/one.txt" || true

if ! cmp "$scratch/many" "$scratch/one"; then
    echo "run-demo.sh: the answers of $pes PEs and of one PE differ" >&2
    exit 1
fi
echo "== the answers of $pes PEs and of one PE are the same to the last bit"
echo "== the picture is $(realpath "$output")"
