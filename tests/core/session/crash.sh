#!/bin/sh
# crash.sh lines|no_lines|CASE ISTHMUS PROGRAM: runs it, with or without what finds lines.
case $1 in
    lines) "$2" run -n 2 --timeout 30 "$3" ;;
    no_lines) "$2" run -n 2 --timeout 30 --env PATH=/nonexistent "$3" ;;
    no_lines_*) "$2" run -n 2 --timeout 30 --env PATH=/nonexistent "$3" "${1#no_lines_}" ;;
    threads*)  # one of them reports, and the others do not end it: in how many of 5 tries
        told=0
        for try in 1 2 3 4 5; do
            out=$("$2" run -n 2 --timeout 30 "$3" "$1" 2>&1)
            status=$?
            echo "$out"
            lines=$(echo "$out" | grep -c "$4")
            [ $status -eq "$5" ] && [ "$lines" -eq 1 ] && told=$((told + 1))
        done
        echo "told $told"
        exit ;;
    *) "$2" run -n 2 --timeout 30 "$3" "$1" ;;
esac
echo "status $?"
