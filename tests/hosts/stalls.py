"""Hangs jobs of three hosts, made of namespaces, for a moment and reads the stall reports: what the PEs
of other hosts do is what they have answered.

    stalls.py PROGRAM     PROGRAM is stall_program (tests/core/wait/stall.c)

Exit status 77: not possible here.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from hosts import Hosts, Unavailable

LATE = (3, 6, 12)  # seconds: it takes 0.6 to ask the others, and a busy machine takes its time
NUMBER = r"\d+\.\d s"
HOLDER = r"watching lock, which PE 2 holds"


def run(hosts, program, what, late):
    names = hosts.names()
    done = subprocess.run([hosts.shell, names[0], "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
                           hosts.shell, "-hosts", ",".join(names), "-ppn", "1", "-n", "3", program,
                           what, str(late)], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "ISTHMUS_STALL_SECONDS": "0.5"})
    if done.returncode != 0 or "went on" not in done.stdout:
        sys.exit(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr


def expect(hosts, program, what, patterns, never=None):
    for late in LATE:
        report = run(hosts, program, what, late)
        missing = [each for each in patterns if not re.search(each, report, re.MULTILINE)]
        if never and never in report:
            sys.exit(f"{what}: \"{never}\" is not so:\n{report}")
        if not missing:
            return
    sys.exit(f"{what}: no line matches\n  {missing[0]}\nin\n{report}")


def main():
    program = sys.argv[1]
    if not shutil.which("mpiexec.hydra"):
        raise Unavailable("no mpiexec.hydra (package hydra)")
    with tempfile.TemporaryDirectory() as folder, Hosts(3, folder) as hosts:
        # The queue of a lock is followed to who holds it.
        expect(hosts, program, "queue",
               [rf"^isthmus: PE 0 \(host \S+\): shmem_set_lock: no progress for {NUMBER}, "
                rf"waiting for PE 2, {HOLDER} ",
                rf"^isthmus: PE 1 \(host \S+\): shmem_set_lock: no progress for {NUMBER}, "
                rf"waiting for PE 0, {HOLDER} ",
                rf"^isthmus:   PE 0: on host \S+, in shmem_set_lock for {NUMBER}, waiting for PE 2, {HOLDER}$",
                r"^isthmus:   PE 2: on host \S+, computing; last noted call shmem_sync_all$"],
               never="nobody can end this")
        expect(hosts, program, "all",
               [r"^isthmus:   nobody can end this: all PEs wait",
                rf"^isthmus:   PE \d: on host \S+, in shmem_wait_until for {NUMBER}, "
                r"watching flag \(is 0; waits for >= \d\)$"])
        expect(hosts, program, "polls-heap",
               [r"^isthmus:   PE 2: on host \S+, fetches 0x[0-9a-f]+8 inside the block of 128 bytes at 0x[0-9a-f]+ "
                r"of PE 0 again and again, value now 0; last noted call shmem_barrier_all$"],
               never="nobody can end this")
        expect(hosts, program, "barrier",
               [rf"^isthmus:   PE \d: on host \S+, in shmem_barrier_all for {NUMBER}, waiting for PE \d$",
                r"^isthmus:   PE 2: on host \S+, computing; last noted call shmem_barrier_all$"],
               never="nobody can end this")
        expect(hosts, program, "test",
               [r"^isthmus:   PE 2: on host \S+, computing"], never="nobody can end this")
    print("what PEs of other hosts do stands in the stall reports")


if __name__ == "__main__":
    try:
        main()
    except Unavailable as reason:
        print(reason)
        sys.exit(77)
