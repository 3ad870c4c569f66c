#!/bin/sh
# crash.sh lines|no_lines|CASE ISTHMUS PROGRAM: runs it, with or without what finds lines.
case $1 in
    lines) "$2" run -n 2 --timeout 30 "$3" ;;
    no_lines) "$2" run -n 2 --timeout 30 --env PATH=/nonexistent "$3" ;;
    *) "$2" run -n 2 --timeout 30 "$3" "$1" ;;
esac
echo "status $?"
