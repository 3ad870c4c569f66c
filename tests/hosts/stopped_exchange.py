#!/usr/bin/env python3
"""A PE that is stopped in the last exchange of shmem_init (stopped_exchange.c), when the other host has its
part and goes on, and the PEs beside it wait for it: it is told as lost, and none of those who wait.

    stopped_exchange.py PROGRAM PRELOAD     PROGRAM is core_whole_life

Exit status 77: not possible here.
"""

import os
import re
import sys
import time

from hosts import try_on_hosts
from processes import kill_all, marked
from random_faults import OURS, SLOW, is_alive, launch, wrongly_named

DETECT = 1.0
PES = 8
STOPPED = PES // 2  # the first of the second host, which asks for all there


def try_once(hosts, program, preload):
    mark = f"STOPPED_{os.getpid()}_{time.time_ns()}"
    environment = dict(os.environ, TEST_MARK=mark, ISTHMUS_SPIN="0", LD_PRELOAD=preload,
                       STOPS_PE=str(STOPPED), ISTHMUS_DETECT_SECONDS=str(DETECT))
    job = launch(hosts, program, PES, environment)
    name = os.path.basename(program)
    end = time.monotonic() + (2 * DETECT + 1.5 + 4) * SLOW
    seen = set()
    while time.monotonic() < end and (len(seen) < PES or any(map(is_alive, seen - stopped(seen)))):
        seen |= set(marked(mark, name))
        time.sleep(0.02)
    running = [pid for pid in seen - stopped(seen) if is_alive(pid)]
    kill_all(marked(mark))
    output = job.communicate()[0]
    print(output)
    lines = OURS.findall(output)
    wrong = [f"named who is not lost: {text}" for text in wrongly_named(lines, {STOPPED}, False)]
    if not any(re.search(rf"\bPE {STOPPED}\b", text) for _, _, text in lines):
        wrong.append("who was stopped is not named")
    if running:
        wrong.append(f"PEs {running} still run")
    return wrong


def stopped(pids):
    found = set()
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "T":
                    found.add(pid)
        except OSError:
            pass
    return found


def main():
    program, preload = map(os.path.abspath, sys.argv[1:])
    # Each PE of the first host watches one of the second, and whoever is first speaks.
    return try_on_hosts(2, lambda hosts, _: [problem for _ in range(2)
                                             for problem in try_once(hosts, program, preload)],
                        "who was stopped is named, and nobody else")


if __name__ == "__main__":
    sys.exit(main())
