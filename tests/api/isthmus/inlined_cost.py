#!/usr/bin/env python3
"""Counts the instructions of the C++ face's inlined accesses and compares them with their budgets.

Takes the loop around the access off, so the numbers are what one access adds, itself included.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROUNDS = 4096
# The budgets of docs/shmem-and-native.md, and room for two instructions of another compiler.
BUDGETS = {"cost_pointer_put": 4, "cost_pointer_get": 4, "cost_cyclic": 13, "cost_blocked": 15,
           "cost_block4": 18, "cost_block_at_run_time": 22}
SLACK = 2
SKIPPED = 77


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("skipped: valgrind is missing, which counts the instructions")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "callgrind.out"
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--compress-strings=no",
                        f"--callgrind-out-file={profile}", arguments.program], check=True)
        counts: dict[str, int] = {}
        function = ""
        lines = iter(profile.read_text().splitlines())
        for line in lines:
            if line.startswith("fn="):
                function = line[3:]
            elif line.startswith("calls="):
                next(lines)  # what was called is not the function's own
            elif cost := re.match(r"[+\-*\d]\S* (\d+)$", line):
                counts[function] = counts.get(function, 0) + int(cost[1])
    missing = [name for name in ["cost_bare", *BUDGETS] if name not in counts]
    if missing:
        print(f"not in the profile: {', '.join(missing)}")
        return 1
    bare = counts["cost_bare"] / ROUNDS - 1  # the loop without its store
    failed = False
    for name, budget in BUDGETS.items():
        loop = bare + (name == "cost_pointer_get")  # stores what it has read
        cost = counts[name] / ROUNDS - loop
        over = cost > budget + SLACK
        failed |= over
        print(f"{name}: {cost:.1f} instructions, budget {budget}{', TOO MANY' if over else ''}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
