#!/bin/sh
# The demo: heat flow over a picture on 4 PEs, then on one, and the two answers compared bit by bit.
# Builds nothing. `make demo INPUT=photo.png` calls it; OUTPUT, ITERATIONS and TOLERANCE work alike.
# Arguments go to heat: --input PICTURE --output FILE --iterations N --tolerance R.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../build/release}
pes=${PES:-4}
launcher=$build/bin/isthmus
heat=$build/bin/examples/heat
for program in "$launcher" "$heat"; do
    if [ ! -x "$program" ]; then
        echo "run-demo: $program is missing; run \`make build\` first (heat needs libpng)" >&2
        exit 1
    fi
done

# Files are taken out of the arguments: the second run writes to other ones.
input=${INPUT:-$here/heat/isthmus.png}
output=${OUTPUT:-heat.png}
remaining=$#
while [ "$remaining" -gt 0 ]; do
    word=$1
    shift
    remaining=$((remaining - 1))
    case $word in
        --input | --output)
            if [ "$remaining" -eq 0 ]; then
                echo "run-demo: $word needs a file" >&2
                exit 2
            fi
            if [ "$word" = --input ]; then input=$1; else output=$1; fi
            shift
            remaining=$((remaining - 1)) ;;
        --input=*) input=${word#*=} ;;
        --output=*) output=${word#*=} ;;
        *) set -- "$@" "$word" ;;
    esac
done
[ -z "${ITERATIONS:-}" ] || set -- --iterations "$ITERATIONS" "$@"
[ -z "${TOLERANCE:-}" ] || set -- --tolerance "$TOLERANCE" "$@"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "== heat on $pes PEs"
"$launcher" run -n "$pes" "$heat" --input "$input" --output "$output" --field "$scratch/many" "$@"
echo "== heat on 1 PE, to compare"
"$launcher" run -n 1 "$heat" --input "$input" --output "$scratch/one.png" --field "$scratch/one" "$@" \
    > "$scratch/one.txt"
grep '^time per iteration' "$scratch/one.txt" || true

if ! cmp "$scratch/many" "$scratch/one"; then
    echo "run-demo: the answers of $pes PEs and of one PE differ" >&2
    exit 1
fi
echo "== the answers of $pes PEs and of one PE are the same to the last bit"
echo "== the picture is $(realpath "$output")"
