#!/usr/bin/env bash
# heat.sh CASE LAUNCHER HEAT EXAMPLES: one case of the tests of examples/heat.
set -euo pipefail
case=$1 launcher=$2 heat=$3 examples=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# run PES ARGUMENT...: heat's output without what differs between runs.
run() {
    local pes=$1
    shift
    "$launcher" run -n "$pes" "$heat" "$@" 2> errors | grep -v '^time per iteration'
}

# pgm FILE WIDTH HEIGHT: a picture with something in every corner.
pgm() {
    awk -v w="$2" -v h="$3" 'BEGIN {
        printf "P2\n# a comment\n%d %d\n255\n", w, h
        for (y = 0; y < h; ++y) for (x = 0; x < w; ++x) print (x * 37 + y * 101 + x * y) % 256 }' > "$1"
}

# expect_error STATUS TEXT ARGUMENT...: heat must end with that status and say exactly that.
expect_error() {
    local status=$1 text=$2 got=0
    shift 2
    timeout 30 "$launcher" run -n 3 "$heat" "$@" > output 2> errors || got=$?
    [ "$got" -eq "$status" ] || fail "$*: exit status $got, not $status: $(cat errors)"
    [ "$(head -n 1 errors)" = "heat: $text" ] || fail "$*: said '$(head -n 1 errors)', not 'heat: $text'"
}

case $case in
    same_bits)  # any number of PEs, the same numbers
        for pes in 1 2 3 4 5; do
            run $pes --input "$examples/heat/isthmus.png" --iterations 210 --field field.$pes > out.$pes
            cmp field.1 field.$pes
            diff out.1 out.$pes
        done
        # Tolerance: all PEs stop at the same step.
        for pes in 1 4; do
            run $pes --input "$examples/heat/isthmus.png" --tolerance 1e-4 --field stop.$pes > out.$pes
            grep -q '^steps .*(tolerance reached)$' out.$pes || fail "did not stop: $(cat out.$pes)"
            cmp stop.1 stop.$pes
        done ;;
    any_shape)  # one row, one column, fewer rows than PEs, sizes that do not divide
        for size in 1x1 1x7 7x1 2x2 5x3 3x5 17x4 4x17; do
            pgm in.pgm "${size%x*}" "${size#*x}"
            for pes in 1 2 3 5; do
                run $pes --input in.pgm --iterations 60 --field field.$pes > out.$pes
                cmp field.1 field.$pes || fail "$size on $pes PEs"
            done
        done ;;
    pictures)  # heat neither appears nor vanishes; grey output can be read again
        pgm in.pgm 40 30
        mean() { od -An -v -t f8 -w8 "$1" | awk '{ sum += $1 } END { printf "%.9f\n", sum / NR }'; }
        run 2 --input in.pgm --iterations 0 --field before > out
        run 2 --input in.pgm --iterations 500 --field after --grey --output grey.png > out
        [ "$(mean before)" = "$(mean after)" ] || fail "mean $(mean before) became $(mean after)"
        run 2 --input grey.png --iterations 0 --field again > out
        paste <(od -An -v -t f8 -w8 after) <(od -An -v -t f8 -w8 again) |
            awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-5) exit 1 }' || fail "grey.png differs" ;;
    bad_files)
        expect_error 2 "missing.png: cannot open: No such file or directory" --input missing.png
        expect_error 2 ".: cannot read: Is a directory" --input .
        : > empty.png
        expect_error 2 "empty.png: the file is empty" --input empty.png
        echo "GIF89a" > photo.gif
        expect_error 2 "photo.gif: neither PNG nor PGM; convert the picture to PNG first" --input photo.gif
        head -c 20000 "$examples/heat/isthmus.png" > cut.png
        expect_error 2 "cut.png: not a valid PNG: read beyond end of data" --input cut.png
        printf 'P5\n100 100\n255\nxyz' > short.pgm
        expect_error 2 "short.pgm: the file is too short: 100 x 100 pixels need at least 10000 bytes, 3 are there" \
            --input short.pgm
        printf 'P2\n2 2\n255\n1 2 3 300\n' > bright.pgm
        expect_error 2 "bright.pgm: a pixel is 300, above the largest value 255" --input bright.pgm
        printf 'P2\n0 2\n255\n' > none.pgm
        expect_error 2 "none.pgm: the picture is empty (0 x 2 pixels)" --input none.pgm
        printf 'P5\n90000 90000\n255\n' > huge.pgm
        expect_error 2 "huge.pgm: the picture is 90000 x 90000 pixels; at most 100000000 in all are accepted" \
            --input huge.pgm
        expect_error 2 "/nowhere/out.png: cannot write: No such file or directory" \
            --input "$examples/heat/isthmus.png" --output /nowhere/out.png ;;
    bad_options)
        expect_error 2 "--input is missing"
        expect_error 2 "--input needs a value" --input
        expect_error 2 "--frobnicate is no option of heat" --frobnicate
        expect_error 2 "unexpected argument photo.png" --input a.png photo.png
        expect_error 2 "--iterations many: expected a number 0..1000000000" --input a.png --iterations many
        expect_error 2 "--tolerance -1: expected a number >= 0" --input a.png --tolerance -1 ;;
    demo)
        pgm in.pgm 64 48
        BUILD=$(dirname "$(dirname "$launcher")") INPUT=in.pgm sh "$examples/run-demo.sh" --output out.png \
            --iterations 100 > output 2> errors || fail "$(cat output errors)"
        grep -q 'the same to the last bit' output || fail "$(cat output)"
        [ "$(tail -n 1 output)" = "== the picture is $(realpath out.png)" ] || fail "$(cat output)" ;;
    *)
        fail "no case $case" ;;
esac
