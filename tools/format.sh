#!/bin/sh
# Formats C and C++ with clang-format as .clang-format says.
#
#   tools/format.sh            rewrites what differs
#   tools/format.sh --check    lists what differs and fails if anything does
#   tools/format.sh [--check] FILE...    only these
set -eu
cd "$(dirname "$0")/.."

check=no
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
if ! command -v clang-format >/dev/null; then
    echo "format: clang-format is missing; tools/install-packages.sh --lint installs it" >&2
    exit 1
fi
if [ $# -eq 0 ]; then
    # The tables of routines are laid out by hand: one entry a line, columns aligned.
    set -- $(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp' |
        grep -v -e '^include/isthmus/shmem_' -e '^include/shmem\.h$')
fi
if [ "$check" = no ]; then
    clang-format -i "$@"
    exit 0
fi
for file in "$@"; do
    [ -r "$file" ] || { echo "format: $file cannot be read" >&2; exit 1; }
done
# Many files a call, because most of a call's time is its start. What it names is looked at once more: it
# also names what it would replace by the same text. Each call's names go out a line at a time: the calls
# share one pipe, and clang-format writes a line in pieces.
different=$(printf '%s\n' "$@" | xargs -n 100 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
    clang-format --dry-run "$@" 2>&1 | sed -u -n "s/^\(.*\):[0-9]*:[0-9]*: .*\[-Wclang-format-violations\]$/\1/p"
    ' format | sort -u |
    while read -r file; do
        clang-format "$file" | cmp -s - "$file" || echo "$file"
    done)
if [ -n "$different" ]; then
    echo "$different" | sed 's/^/format: /'
    echo "format: $(echo "$different" | wc -l) files differ from .clang-format; tools/format.sh mends them"
    exit 1
fi
echo "format: $# files are as .clang-format wants them"
