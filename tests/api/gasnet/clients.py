#!/usr/bin/env python3
"""Programs of clients of GASNet that their user has built against an installed library.

    clients.py ISTHMUS      TEST_GASNET_CLIENTS names a file, a line a program:

        # nodes program arguments...
        2 testam 50
        4 /opt/realm/bin/serializing -ll:cpu 2

Paths are relative to the file. Each must end with 0 within five minutes and say nothing of an error.
LD_LIBRARY_PATH decides which library they find. Exit status 77: there is no such file.
"""

import os
import re
import shlex
import subprocess
import sys

SECONDS = 300
ERROR = re.compile(r"\bERROR\b|isthmus: PE \d+|[Aa]ssertion .*failed")


def run(isthmus, folder, nodes, program, *arguments):
    words = [isthmus, "run", "-n", nodes, "--timeout", str(SECONDS),
             os.path.join(folder, program), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace",
                          timeout=SECONDS + 30)
    said = done.stdout + done.stderr
    wrong = [line for line in said.splitlines() if ERROR.search(line)]
    good = done.returncode == 0 and not wrong
    print(f"{'ok  ' if good else 'FAIL'} {nodes} {program}", flush=True)
    if not good:
        print(f"  status {done.returncode}\n  " + "\n  ".join(wrong[:3] or said.splitlines()[-3:]))
    return good


def main():
    listed = os.environ.get("TEST_GASNET_CLIENTS", "")
    if not os.path.isfile(listed):
        print("skipped: TEST_GASNET_CLIENTS names no file (docs/gasnet.md, \"What was tried\")")
        return 77
    with open(listed) as file:
        lines = [shlex.split(line, comments=True) for line in file]
    folder = os.path.dirname(os.path.abspath(listed))
    results = [run(sys.argv[1], folder, *words) for words in lines if words]
    print(f"{sum(results)} of {len(results)} end well")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
