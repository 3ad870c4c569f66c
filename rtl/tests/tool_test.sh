#!/bin/sh
# isthmus rtl engine: random traffic, a waveform, a program's addresses, and what it says to mistakes.
set -eu
tool=$1
fail() { echo "tool_test: $1" >&2; exit 1; }
"$tool" engine --nodes 3 --transactions 500 --json latencies.json --trace wave.vcd --trace-node 2 > out.txt
grep -q "every packet as the golden model has it" out.txt || fail "the traffic was not judged"
grep -q '"ok": true' latencies.json || fail "no json"
head -c 200 wave.vcd | grep -q version || fail "no waveform"
printf 'w 0x100 8\nr 0x100 8\nr 0x140 64\n' > addresses.txt
"$tool" engine --addresses addresses.txt | grep -q "^load .* 2 " || fail "two loads were not measured"
"$tool" engine --addresses addresses.txt --json latencies.json --trace near.vcd > out.txt
grep -q '"transactions": 3' latencies.json || fail "no json of the accesses"
"$tool" engine --addresses addresses.txt --trace far.vcd --trace-node 1 > out.txt
! cmp -s near.vcd far.vcd || fail "the other node's waveform is not the other node's"
for option in "--nodes 4" "--stalls 3" "--mask 64" "--transactions 9" "--trace-node 2"; do
    status=0; "$tool" engine --addresses addresses.txt $option > out.txt 2>&1 || status=$?
    [ $status = 2 ] || fail "$option with --addresses was taken"
done
printf 'r 0x13c 8\n' > addresses.txt
status=0; "$tool" engine --addresses addresses.txt 2> err.txt || status=$?
[ $status = 2 ] && grep -q "addresses.txt:1: 0x13c" err.txt || fail "a bad address was not named"
status=0; "$tool" engine --nodes 17 2> err.txt || status=$?
[ $status = 2 ] || fail "17 nodes were taken"
echo "tool_test: passed"
