#!/usr/bin/env python3
"""A library that libfabric loads ends its process, or does not come back: within the start's time the job ends, and
one line says what was in shmem_init. By the local launcher, and by Hydra where it is installed.

    network_library.py ISTHMUS PROGRAM LIBRARY
"""

import os
import re
import shutil
import subprocess
import sys
import time

DETECT = 1
JOIN = 4
ENDED = (r"shmem_init: a library that the transport between hosts loads has ended this process with status {}, by itself "
         r"or in its handler of a crash")
REPORTED = r"isthmus: PE 0 \(host \S+\): shmem_init: no progress for "
STATE = r"isthmus:   PE 1: in shmem_init, where it waits for nobody"
STUCK = (REPORTED, STATE,
         rf"isthmus: PE 0 \(host \S+\): shmem_init: PE 1 has called it, and not gone on in it for {JOIN} s "
         r"\(ISTHMUS_JOIN_SECONDS\)")
STUCK_BY_HYDRA = (REPORTED, STATE,
                  r"isthmus: PE 0 \(host \S+\): shmem_init: has waited 5 s for PE 1 of this host, which had come and does "
                  r"not go on \(twice ISTHMUS_DETECT_SECONDS, and 3 s more\)")
LAUNCHERS = {"isthmus": [sys.argv[1], "run", "-n", "2"], "hydra": ["mpiexec.hydra", "-n", "2"]}
CASES = {"exits": 0, "crashes": 3, "loaded exits": 0, "loaded crashes": 3, "loops": None, "sleeps": None}


def begin(command, does, **settings):
    """PE 1 has the library do that."""
    script = ('case "$ISTHMUS_BOOTSTRAP$PMI_RANK" in *:1:*|1) export NETWORK_DOES="$DOES";; esac; '
              f"exec {sys.argv[2]} 1")
    return subprocess.Popen(command + ["sh", "-c", script], text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=dict(os.environ, ISTHMUS_TRANSPORT="ofi", FI_PROVIDER_PATH=os.path.dirname(sys.argv[3]),
                                     DOES=does, **settings))


def problem_of(launcher, does, status):
    began = time.monotonic()
    job = begin(LAUNCHERS[launcher], does, ISTHMUS_DETECT_SECONDS=str(DETECT), ISTHMUS_JOIN_SECONDS=str(JOIN),
                ISTHMUS_STALL_SECONDS="1" if status is None else "60")
    try:
        said = job.communicate(timeout=40)[1]
    except subprocess.TimeoutExpired:
        job.kill()
        return "does not end: " + job.communicate()[1]
    seconds = time.monotonic() - began
    print(f"{launcher}, {does}: status {job.returncode} after {seconds:.1f} s\n{said}", end="")
    lines = [line for line in said.splitlines() if line.startswith("isthmus:")]
    expected = STUCK if launcher == "isthmus" else STUCK_BY_HYDRA
    if status is not None:
        expected = (rf"isthmus: PE 1 \(host \S+\): " + ENDED.format(status),)
    # A stall is reported every second.
    pairs, rest = divmod(len(lines), 2)
    told = list(expected[:-1]) * pairs + [expected[-1]]
    if job.returncode == 0 or rest != 1 or len(told) != len(lines) or (status is None and pairs == 0):
        return f"status {job.returncode}, {said}"
    wrong = [line for line, text in zip(lines, told) if not re.match(text, line)]
    return f"says {wrong}" if wrong else ""


def going_on_problem_of(command, does, **settings):
    """It comes back in its time: the job is as without it, whatever is told meanwhile."""
    job = begin(command, does, **settings)
    try:
        said = job.communicate(timeout=40)[1]
    except subprocess.TimeoutExpired:
        job.kill()
        return f"{does}: does not end: " + job.communicate()[1]
    print(f"{command}, {does}: status {job.returncode}\n{said}", end="")
    is_fine = job.returncode == 0 and "no progress" in said and "SIG" not in said and "given is null" not in said
    return "" if is_fine else f"{does}: status {job.returncode}, {said}"


problems = []
# A report while PEs of other hosts cannot be asked yet.
if problem := going_on_problem_of([sys.argv[1], "run", "-n", "4"], "is slow", ISTHMUS_NODES="2,2",
                                  ISTHMUS_STALL_SECONDS="1"):
    problems.append(problem)
# While it was stopped it was not waited for.
if problem := going_on_problem_of([sys.argv[1], "run", "-n", "2"], "is stopped", ISTHMUS_DETECT_SECONDS=str(DETECT),
                                  ISTHMUS_JOIN_SECONDS=str(JOIN), ISTHMUS_STALL_SECONDS="1"):
    problems.append(problem)
for launcher in LAUNCHERS:
    if launcher == "hydra" and not shutil.which("mpiexec.hydra"):
        continue
    for does, status in CASES.items():
        if problem := problem_of(launcher, does, status):
            problems.append(f"{launcher}, {does}: {problem}")
print("\n".join(problems))
sys.exit(bool(problems))
