#!/bin/sh
# isthmus rtl core: a program on four nodes in a mesh, what it counts, a program that ends with an error, mistakes.
set -eu
tool=$1 programs=$2
fail() { echo "tool_test: $1" >&2; exit 1; }
"$tool" core "$programs/runtime64" --core node64 -n 4 --memory 1 --compare --json core.json > out.txt
grep -q "simulator's alone, 0 differ" out.txt || fail "memory was not compared"
grep -q '"equal": true' core.json && grep -q '"words_differ": 0' core.json || fail "no json"
[ "$(grep -c '"table_reads"' core.json)" = 4 ] || fail "not four nodes"
# A program that leaves how many cycles it took: the simulator alone counts others.
status=0; "$tool" core "$programs/cycles64" -n 2 --memory 1 --compare > out.txt 2> err.txt || status=$?
[ $status = 125 ] && grep -q "^node 0, 0x8.*gates 0x.*simulator 0x" err.txt || fail "another memory was not told: $status"
status=0; "$tool" core "$programs/runtime64" -n 4 --memory 1 --cycles 500 > out.txt 2> err.txt || status=$?
[ $status = 124 ] && grep -q "500 cycles are over" err.txt || fail "too few cycles were enough"
status=0; "$tool" core "$programs/runtime64" --core node64 -n 13 2> err.txt || status=$?
[ $status = 2 ] && grep -q "no mesh of up to 8 columns and rows has 13 nodes" err.txt || fail "13 nodes were taken"
echo "tool_test: passed"
