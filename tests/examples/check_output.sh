#!/usr/bin/env bash
# check_output.sh EXPECTED COMMAND...: the command must succeed and print these lines. PEs print in
# any order, so both sides are sorted.
set -euo pipefail
expected=$1
shift
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$@" > "$output"
diff <(sort "$expected") <(sort "$output")
