#!/usr/bin/env python3
"""A job under a process manager of which one process never calls shmem_init: the others say so, and
end. And one whose processes come late, but do come.

    start_watch.py LAUNCHER PROGRAM     LAUNCHER: hydra or mpirun; 77 if it is not installed
"""

import os
import shutil
import subprocess
import sys
import time

COMMANDS = {"hydra": ["mpiexec.hydra"], "mpirun": ["mpirun", "--oversubscribe"]}
SETTINGS = {"ISTHMUS_STALL_SECONDS": "0.5", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(launcher, join_seconds, first, others):
    began = time.monotonic()
    done = subprocess.run(
        COMMANDS[launcher] + ["-n", "1"] + first + [":", "-n", "3"] + others,
        env=dict(os.environ, **SETTINGS, ISTHMUS_JOIN_SECONDS=join_seconds), capture_output=True,
        text=True, timeout=100)
    return done, time.monotonic() - began


def main():
    launcher, program = sys.argv[1:]
    if not shutil.which(COMMANDS[launcher][0]):
        print(f"{COMMANDS[launcher][0]} is not installed")
        return 77
    waited = "shmem_init: has waited 0.5 s for the other PEs of the job"
    ended = "shmem_init: not all PEs of the job have called it within 1.5 s (ISTHMUS_JOIN_SECONDS)"
    problems = []
    for name, first, others in (("the first", ["true"], [program, "1"]),
                                ("all others", [program, "1"], ["true"])):
        done, seconds = run(launcher, "1.5", first, others)
        # mpirun sometimes sees by itself that a process has gone without a word, before it is time.
        said = done.stderr.count(waited) == 1 and ended in done.stderr
        if done.returncode == 0 or not (said or launcher == "mpirun"):
            problems.append(f"{name} missing: status {done.returncode}, {done.stderr}")
        if seconds > 20:
            problems.append(f"{name} missing: ended after {seconds:.1f} s")
    late = ["sh", "-c", f"sleep 2; exec {program} 1"]
    for join_seconds in ("0", "60"):
        done, _ = run(launcher, join_seconds, late, [program, "1"])
        if done.returncode != 0 or done.stderr.count(waited) != 1:
            problems.append(f"late, {join_seconds}: status {done.returncode}, {done.stderr}")
    print("\n".join(problems) or "ended, or waited, as told")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
