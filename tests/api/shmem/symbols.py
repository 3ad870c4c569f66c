#!/usr/bin/env python3
"""Compares the library's exported symbols with the table of routines.

Every shmem_X must be there, weak, with a pshmem_X at the same address (so that a tool may replace
the one and call the other). Every shmemx_X that shmemx.h declares must be there too, and nothing
may be exported that is in none of the table, that header and the list of names from before 1.2.
"""

import argparse
import re
import subprocess
import sys

# Data that shmem.h refers to, and other faces of the library.
OWN_PREFIXES = ("isthmus_", "gasnet", "gex_", "aos_")
# What stands in front of the system's library (core/session/sudden_exit.cpp, quick_exit.cpp, thread_start.cpp).
IN_FRONT = {"_exit", "_Exit", "quick_exit", "pthread_create", "thrd_create"}


def output(*command: str) -> str:
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--list", required=True, help="program that prints the table")
    parser.add_argument("--library", required=True)
    parser.add_argument("--extensions", required=True, help="shmemx.h")
    arguments = parser.parse_args()

    names = {line.split("\t")[1] for line in output(arguments.list).splitlines()}
    routines = {name for name in names if name.startswith("shmem_")}
    old_names = names - routines  # from before 1.2, not part of the profiling interface
    with open(arguments.extensions, encoding="utf-8") as header:
        # Prototypes begin at the margin; inlined functions begin with static.
        extensions = set(re.findall(r"^(?!static)\w[\w *]*?\b(shmemx_\w+)\(", header.read(),
                                    re.MULTILINE))
    symbols = {}
    for line in output(arguments.nm, "-D", "--defined-only", arguments.library).splitlines():
        address, kind, name = line.split()
        symbols[name.split("@")[0]] = (address, kind)

    problems = []
    for routine in sorted(routines):
        profiled = "p" + routine
        if routine not in symbols:
            problems.append(f"{routine} is in the table but not in the library")
            continue
        if symbols[routine][1] not in "Ww":
            problems.append(f"{routine} is not weak: a profiling tool cannot replace it")
        if profiled not in symbols:
            problems.append(f"{profiled} is missing")
        elif symbols[profiled][0] != symbols[routine][0]:
            problems.append(f"{profiled} and {routine} are different code")
    if not extensions:
        problems.append(f"no prototypes found in {arguments.extensions}")
    for name in sorted((old_names | extensions) - symbols.keys()):
        problems.append(f"{name} is missing")
    for name in sorted(symbols):
        plain = re.sub(r"^pshmem_", "shmem_", name)
        if (plain not in routines and name not in old_names | extensions
                and name not in IN_FRONT and not name.startswith(OWN_PREFIXES)):
            problems.append(f"{name} is exported but not in the table or in shmemx.h")
    for problem in problems:
        print(problem)
    print(f"{len(routines)} routines, {len(extensions)} extensions, {len(symbols)} symbols, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
