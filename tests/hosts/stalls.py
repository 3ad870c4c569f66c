"""Hangs jobs of several hosts, made of namespaces, for a moment and reads the stall reports: what the PEs
of other hosts do is what they have answered.

    stalls.py PROGRAM     PROGRAM is stall_program (tests/core/wait/stall.c)

Exit status 77: not possible here.
"""

import concurrent.futures
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
IN_BLOCK = r"0x[0-9a-f]+8 inside the block of 128 bytes at 0x[0-9a-f]+"
NOBODY = "nobody can end this"
ASLEEP = "asleep in a call of the system"
FAR = r"on host \S+, "


def run(hosts, program, what, late, each, settings):
    names = hosts.names()
    done = subprocess.run([hosts.shell, names[0], "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
                           hosts.shell, "-hosts", ",".join(names), "-ppn", str(each), "-n", str(each * len(names)),
                           program, what, str(late)], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "ISTHMUS_STALL_SECONDS": "0.5", **settings})
    if done.returncode != 0 or "went on" not in done.stdout:
        raise AssertionError(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr


def expect(hosts, program, what, patterns, never=None, each=1, lates=LATE, **settings):
    for late in lates:
        report = run(hosts, program, what, late, each, settings)
        missing = [each for each in patterns if not re.search(each, report, re.MULTILINE)]
        assert not never or never not in report, f"{what}: \"{never}\" is not so:\n{report}"
        if not missing:
            return
    raise AssertionError(f"{what}: no line matches\n  {missing[0]}\nin\n{report}")


def on_three_hosts():
    """Of three PEs, each on its own; the last one comes late."""
    again = "again and again, value now"
    cases = [
        # The queue of a lock is followed to who holds it.
        ("queue", [rf"^isthmus: PE 0 \(host \S+\): shmem_set_lock: no progress for {NUMBER}, "
                   rf"waiting for PE 2, {HOLDER} ",
                   rf"^isthmus: PE 1 \(host \S+\): shmem_set_lock: no progress for {NUMBER}, "
                   rf"waiting for PE 0, {HOLDER} ",
                   rf"^isthmus:   PE 0: {FAR}in shmem_set_lock for {NUMBER}, waiting for PE 2, {HOLDER}$",
                   rf"^isthmus:   PE 2: {FAR}{ASLEEP}; last noted call shmem_sync_all$"], NOBODY),
        ("test-lock", [rf"^isthmus: PE 0 \(host \S+\): shmem_test_lock: no success for {NUMBER}, {HOLDER} ",
                       rf"^isthmus:   PE 0: {FAR}calls shmem_test_lock in vain for {NUMBER}, {HOLDER}$"], NOBODY),
        # Of two in turn the first. It tests all the time, though each test waits for an answer.
        ("test-locks", [rf"^isthmus: PE 0 \(host \S+\): shmem_test_lock: no success for {NUMBER}, {HOLDER} ",
                        rf"^isthmus:   PE 0: {FAR}calls shmem_test_lock in vain for {NUMBER}, {HOLDER}$"],
         "PE 0: on host h1, in operations"),
        ("all", [r"^isthmus:   nobody can end this: all PEs wait",
                 rf"^isthmus:   PE \d: {FAR}in shmem_wait_until for {NUMBER}, "
                 r"watching flag \(is 0; waits for >= \d\)$"], None),
        ("barrier", [rf"^isthmus:   PE \d: {FAR}in shmem_barrier_all for {NUMBER}, waiting for PE \d$",
                     rf"^isthmus:   PE 2: {FAR}{ASLEEP}; last noted call shmem_barrier_all$"], NOBODY),
        ("busy", [rf"^isthmus:   PE 2: {FAR}computing; last noted call shmem_barrier_all$"], ASLEEP),
        ("test", [rf"^isthmus:   PE 2: {FAR}{ASLEEP}",
                  rf"^isthmus:   PE 0: {FAR}calls shmem_test in vain for {NUMBER}, watching flag "
                  r"\(is 0; waits for == 1\)$"], NOBODY),
        ("stops", [rf"^isthmus:   PE 2: {FAR}does not answer: stopped, by a signal or a debugger, or without a "
                   r"processor"], NOBODY),
        # Of a set the words, of a team its number and PEs, of other waits what they are for.
        ("any", [rf"^isthmus:   PE 0: {FAR}in shmem_wait_until_any for {NUMBER}, watching flags(\.\d)? "
                 r"\(are 0, 0, 0, -2; waits for any >= 7\)$"], NOBODY),
        ("vector", [rf"^isthmus:   PE 0: {FAR}in shmem_wait_until_some_vector for {NUMBER}, watching flags(\.\d)? "
                    r"\(are 0, 0, 0, -2; waits for any == its own value\)$"], NOBODY),
        ("team", [rf"^isthmus:   PE [01]: {FAR}in shmem_team_sync for {NUMBER}, waiting for PE \d, "
                  r"in team 2 \(PEs 0-2\)$"], NOBODY),
        ("event", [rf"^isthmus:   PE 0: {FAR}in isthmus_event_wait for {NUMBER}, watching flag "
                   r"\(is 0; waits for == 3\)$"], NOBODY),
        ("segment", [rf"^isthmus:   PE 0: {FAR}in isthmus_event_wait for {NUMBER} \(waits for == 1\)$"], NOBODY),
        ("kernel-arrivals", [rf"^isthmus:   PE 0: {FAR}in isthmus_kernel_wait_arrivals for {NUMBER}, "
                             r"waiting for 3 arrivals$"], NOBODY),
        ("clone", [rf"^isthmus:   PE 0: {FAR}in isthmus_segment_clone for {NUMBER}, "
                   r"waiting for id 0x1d to be published$"], NOBODY),
        ("polls-g", [rf"^isthmus:   PE 2: {FAR}fetches number(\.\d)? of PE 0 {again} 7; "
                     r"last noted call shmem_barrier_all$"], NOBODY),
        ("polls-swap", [rf"^isthmus:   PE 2: {FAR}compares and swaps lock of PE 0 {again} 0; "
                        r"last noted call shmem_barrier_all$"], NOBODY),
    ]
    heap = rf"^isthmus:   PE 2: {FAR}fetches {IN_BLOCK} of PE 0 {again} 0; last noted call shmem_barrier_all$"
    settings = [(*case, {}) for case in cases]
    # Also the first report tells it.
    settings.append(("polls-heap", [heap], NOBODY, {"ISTHMUS_STALL_SECONDS": "2", "lates": (4, 4, 4)}))
    settings.append(("polls-heap", [heap], NOBODY, {"ISTHMUS_TRANSPORT": "ofi"}))
    # What lies on its own host it fetches by the window, which it closes, whether several threads may call or not.
    own = rf"^isthmus:   PE 2: {FAR}fetches {IN_BLOCK} of PE 2 {again} 0; last noted call shmem_barrier_all$"
    settings.append(("polls-own", [own], NOBODY, {"TEST_ONE_THREAD": "1"}))
    settings.append(("polls-own", [own], NOBODY, {}))
    return settings


def on_two_hosts():
    """Of two PEs on each of two hosts the last one polls its own memory: its neighbour tells it as well."""
    fetches = rf"fetches signal(\.\d)? of PE 3 again and again, value now 9; last noted call shmem_barrier_all$"
    stopped = r"stopped, by a signal or a debugger"
    return [("stops", [rf"^isthmus:   PE 3: {FAR}does not answer: {stopped}, or without a processor",
                       rf"^isthmus:   PE 3: {stopped}; last noted call shmem_barrier_all$",
                       r"^isthmus:   kill -CONT \d+ lets PE 3 go on$"], NOBODY, {"each": 2})] + [
            ("polls-signal", [rf"^isthmus:   PE 3: {FAR}{fetches}", rf"^isthmus:   PE 3: {fetches}"], NOBODY,
             {**threads, "each": 2}) for threads in ({"TEST_ONE_THREAD": "1"}, {})]


def main():
    program = sys.argv[1]
    if not shutil.which("mpiexec.hydra"):
        raise Unavailable("no mpiexec.hydra (package hydra)")
    for count, cases in ((3, on_three_hosts()), (2, on_two_hosts())):
        # Most of their time they sleep.
        with tempfile.TemporaryDirectory() as folder, Hosts(count, folder) as hosts, \
                concurrent.futures.ThreadPoolExecutor(4) as pool:
            for job in [pool.submit(expect, hosts, program, what, patterns, never, **settings)
                        for what, patterns, never, settings in cases]:
                job.result()
    print("what PEs of other hosts do stands in the stall reports")


if __name__ == "__main__":
    try:
        main()
    except Unavailable as reason:
        print(reason)
        sys.exit(77)
    except AssertionError as wrong:
        sys.exit(str(wrong))
