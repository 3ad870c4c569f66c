#!/bin/sh
# Format and clang-tidy; fails on the first thing that either finds fault with.
#
#   tools/lint.sh              all of src/, examples/ and bench/, but for the programs that bench/ measures
#   tools/lint.sh FILE...      only these (clang-tidy), for use while working
#
# clang-tidy needs to know how files are compiled: the release preset must be configured.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
jobs=${JOBS:-$(nproc)}

tools/format.sh --check
if ! command -v clang-tidy >/dev/null; then
    echo "lint: clang-tidy is missing; tools/install-packages.sh --lint installs it" >&2
    exit 1
fi
if [ ! -f "$build/compile_commands.json" ]; then
    echo "lint: $build/compile_commands.json is missing; run \`cmake --preset release\` first" >&2
    exit 1
fi
if [ $# -eq 0 ]; then
    # What the build compiles: files for other machines are not in the list.
    set -- $(git ls-files --cached --others --exclude-standard 'src/*.cpp' 'examples/*.cpp' \
        'bench/*.cpp' ':!bench/*/programs/*' |
        while read -r file; do
            grep -q "\"file\": \".*/$file\"" "$build/compile_commands.json" && echo "$file" || true
        done)
fi
# clang-tidy says on standard error how many warnings it kept to itself; nobody needs to know.
if printf '%s\n' "$@" | xargs -P "$jobs" -n 1 sh -c '
        clang-tidy -p "$0" --quiet "$1" 2>/dev/null || { echo "lint: $1"; exit 255; }' "$build"; then
    echo "lint: clang-tidy finds nothing in $# files"
else
    exit 1
fi
