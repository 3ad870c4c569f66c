#!/bin/sh
# run.sh ISTHMUS PES VERDICT COUNT PROGRAM: passes if the program ends with 0 (or prints "giving up"
# and ends with 42), COUNT lines hold the verdict as a word of its own and none holds WRONG.
output=$("$1" run -n "$2" --timeout 60 "$5" 2>&1)
status=$?
found=$(printf '%s\n' "$output" | grep -c -w -e "$3")
wanted_status=0
[ "$3" = "giving up" ] && wanted_status=42
printf '%s\n' "$output"
echo "status $status, $found lines with '$3', $4 wanted"
[ $status -eq $wanted_status ] && [ "$found" -ge "$4" ] && ! printf '%s' "$output" | grep -q WRONG
