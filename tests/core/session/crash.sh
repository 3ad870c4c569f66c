#!/bin/sh
# crash.sh lines|no_lines|sent ISTHMUS PROGRAM: runs it, with or without what finds lines.
case $1 in
    lines) "$2" run -n 2 --timeout 30 "$3" ;;
    no_lines) "$2" run -n 2 --timeout 30 --env PATH=/nonexistent "$3" ;;
    sent) "$2" run -n 2 --timeout 30 "$3" sent ;;
esac
echo "status $?"
