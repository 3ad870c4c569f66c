#!/bin/sh
# Format and clang-tidy; fails on the first thing that either finds fault with.
#
#   tools/lint.sh              all of src/, examples/ and bench/, but for the programs that bench/ measures
#   tools/lint.sh FILE...      only these (clang-tidy), for use while working
#   JOBS=N tools/lint.sh       so many at a time, not one a processor
#
# clang-tidy needs to know how files are compiled: the release preset must be configured.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}

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
    # tools/tidy.py leaves out what the build does not compile: files for other machines.
    set -- $(git ls-files --cached --others --exclude-standard 'src/*.cpp' 'examples/*.cpp' \
        'bench/*.cpp' ':!bench/*/programs/*')
fi
exec python3 tools/tidy.py "$build" "$@"
