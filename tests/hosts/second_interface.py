#!/usr/bin/env python3
"""A process manager's part on a host stops between shmem_init and isthmus_init (second_interface.c), or a PE at
the end of shmem_finalize, on two hosts made of namespaces, by each launcher that is installed: the PEs of both
hosts end in the documented time, and one of them says why; of a PE, which.

    second_interface.py ISTHMUS PROGRAM

Exit status 77: not possible here.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

from hosts import try_on_hosts
from processes import fields, kill_all, marked
from start_ends import LAUNCHERS, LINE, ROADS, SLOW, launch

DETECT = 0.5
PES = 4
STOPPED = re.compile(r"PE 2 \(host h2\): shmem_finalize: has waited 1 s for PE 3, whose process on this host is stopped")
TOLD = re.compile(r"PE [01] \(host h1\): isthmus_init: has waited 4 s for PEs 2,3 of other hosts, which had all come")
# Our own launcher asks its part there, and is the first to know.
TOLD_BY_OWN = re.compile(r"isthmus: host h2: `isthmus agent`, which has started the PEs there, has not answered for 2 s")
# Three seconds in which who can name a PE may, and four behind which the other host speaks; and seven in which a
# PE ends the job at a manager that does not answer.
LIMIT = (2 * DETECT + 3 + 4 + 7) * SLOW


def runs(pid):
    try:
        return fields(pid)[0] not in "ZX"
    except OSError:
        return False


def try_once(hosts, isthmus, program, launcher, stopper, in_end):
    mark = f"SECOND_{os.getpid()}_{launcher}_{time.time_ns()}"
    settings = dict(ROADS["packet"], LOADS="", ISTHMUS_SPIN="0", ISTHMUS_DETECT_SECONDS=str(DETECT),
                    STOPS_MANAGER=stopper, STOPS_IN_END=in_end)
    job = launch(hosts, isthmus, launcher, PES // 2, mark, settings, "plain", program)
    name = os.path.basename(program)
    end = time.monotonic() + LIMIT
    seen = set()
    while time.monotonic() < end and (len(seen) < PES or any(map(runs, seen))):
        seen |= set(marked(mark, name))
        if stopper == "-1" and job.poll() is not None:
            break
        time.sleep(0.05)
    running = [pid for pid in seen if runs(pid)]
    try:  # a launcher may wait for its part that is stopped
        output = job.communicate(timeout=1 if stopper != "-1" else 20)[0]
    except subprocess.TimeoutExpired:
        kill_all(marked(mark))
        output = job.communicate()[0]
    kill_all(marked(mark))
    print(f"{launcher}, {stopper}, {in_end}: status {job.returncode}\n{output}", flush=True)
    # The launcher's own line is of its part there.
    lines = [line for line in LINE.findall(output) if "does not answer and is given up" not in line]
    if stopper == in_end == "-1":
        return [] if job.returncode == 0 and not lines else [f"{launcher}: an undisturbed job ends with {job.returncode}"]
    wrong = [f"{launcher}: PEs {running} still run"] if running else []
    told = STOPPED if in_end != "-1" else TOLD_BY_OWN if launcher == "ssh" else TOLD
    if len(lines) != 1 or not told.search(lines[0]):
        wrong.append(f"{launcher}: not told in one line")
    return wrong


def try_all(hosts, isthmus, program):
    there = [launcher for launcher, needs in LAUNCHERS.items() if shutil.which(needs)]
    with concurrent.futures.ThreadPoolExecutor() as at_once:
        cases = [(launcher, *stopper) for launcher in there
                 for stopper in (("2", "-1"), ("-1", "-1"), ("-1", "3")) if launcher != "mpirun" or stopper[1] == "-1"]
        return [problem for found in at_once.map(lambda case: try_once(hosts, isthmus, program, *case), cases)
                for problem in found]


def main():
    isthmus, program = map(os.path.abspath, sys.argv[1:])
    return try_on_hosts(2, lambda hosts, _: try_all(hosts, isthmus, program), "told, and ended", "sh")


if __name__ == "__main__":
    sys.exit(main())
