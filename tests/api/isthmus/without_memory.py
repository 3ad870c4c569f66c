#!/usr/bin/env python3
"""Collective calls in which one PE's memory runs out, at each of its allocations in turn.

Such a call cannot go on, and nor can the other PEs: the job ends, with a sentence that names the
routine, and not by an exception.
"""

import argparse
import re
import subprocess
import sys

CALLS = ["isthmus_symmetric_malloc", "isthmus_symmetric_free", "isthmus_aggregator_create",
         "shmemx_aggregate_create", "shmemx_queue_create", "symmetric_block",
         "isthmus_symmetric_malloc refused", "isthmus_aggregator_create refused",
         "shmemx_aggregate_create refused", "shmemx_queue_create refused"]
MOST = 100  # allocations of a call


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", help="bin/isthmus")
    parser.add_argument("program", help="without_memory.cpp, compiled")
    arguments = parser.parse_args()
    problems = []
    for call in CALLS:
        # A block is freed again.
        routine = ("isthmus_symmetric_(malloc|free)" if call == "symmetric_block" else
                   call.split()[0])
        for nth in range(1, MOST):
            result = subprocess.run([arguments.tool, "run", "-n", "2", "--timeout", "20",
                                     arguments.program, call, str(nth)],
                                    text=True, capture_output=True)
            if result.returncode == 0 and "done" in result.stdout:
                print(f"{call}: {nth - 1} allocations")
                if nth == 1 and "refused" not in call:
                    problems.append(f"{call}: none of its allocations was seen")
                break
            if not re.search(f"{routine}: the system has no memory", result.stderr):
                problems.append(f"{call}, allocation {nth}: {result.returncode}, {result.stderr}")
                break
        else:
            problems.append(f"{call}: did not end")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
