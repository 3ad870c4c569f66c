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
different=0
for file in "$@"; do
    if ! clang-format "$file" | cmp -s - "$file"; then
        echo "format: $file"
        different=$((different + 1))
    fi
done
if [ "$different" -ne 0 ]; then
    echo "format: $different files differ from .clang-format; tools/format.sh mends them"
    exit 1
fi
echo "format: $# files are as .clang-format wants them"
