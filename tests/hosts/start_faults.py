#!/usr/bin/env python3
"""What happens at the start, on two hosts made of namespaces; while a PE loads libfabric by
start_faults.c.

    start_faults.py PROGRAM PRELOAD SECOND     PROGRAM is core_whole_life, SECOND second_start

Its network goes down for a moment: the job goes on, and nobody takes the loop-back device for it. It
goes down for good: the PEs of both hosts end. A signal comes, for which a library has just installed
a handler that exits without a word: the job ends, and not with 0. It crashes, or another process sends it SIGSEGV, within a
shell that lives on: it says so itself, in one line, and the job ends at once. The process manager's process of a
host is stopped before its PEs have asked it anything; a PE does not come to the second shmem_init:
the PEs of both hosts end, with a line a host. Exit status 77: not possible here.
"""

import os
import signal
import subprocess
import sys
import time

from hosts import try_on_hosts
from processes import fields, kill_all, marked
from random_faults import DETECT, LIMIT, launch

SHORT = "ip link set e2 down; (sleep 1.5; ip link set e2 up) > /dev/null 2>&1 &"


# What a PE's program has ended of is not seen by the process manager.
LIVES_ON = """#!/bin/sh
"$PROGRAM" "$@" || sleep 60
"""
# PE 2 stops the process that has started it. That hands on nothing of what its PEs say, neither then
# nor later: it finds that they have gone, and breaks off.
STOPS_MANAGER = """#!/bin/sh
[ "$PMI_RANK" = 2 ] && kill -STOP $PPID
exec "$PROGRAM" "$@" 2>> "$SAID"
"""


def is_running(pid):
    try:
        return fields(pid)[0] not in "ZXT"
    except OSError:
        return False


def proceed(mark):
    """The manager's processes, so that the launcher learns of the end."""
    for pid in marked(mark, "hydra_pmi_proxy"):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


def run(hosts, program, preload, fault, limit=LIMIT + 5, script=None):
    mark = f"START_{os.getpid()}_{time.time_ns()}"
    environment = dict(os.environ, TEST_MARK=mark, ISTHMUS_SPIN="0", START_FAULT=fault,
                       START_FAULT_PE="2", LD_PRELOAD=preload, ISTHMUS_DETECT_SECONDS=str(DETECT),
                       ISTHMUS_JOIN_SECONDS=str((6 if script else 2) * DETECT), PROGRAM=program,
                       SAID=f"{script}.said")
    began = time.monotonic()
    job = launch(hosts, script or program, 4, environment)
    name = os.path.basename(program)
    seen = set()
    while time.monotonic() - began < limit and job.poll() is None:
        seen |= set(marked(mark, name))
        if seen and not any(is_running(pid) for pid in seen) and len(seen) == 4:
            break
        if script and sum(not is_running(pid) for pid in seen) >= 2:
            proceed(mark)
        time.sleep(0.05)
    took = time.monotonic() - began
    # The launcher may go before the last PE that it has ended.
    end = time.monotonic() + 2
    if took >= limit:
        print(f"seen {sorted(seen)}, running {[pid for pid in seen if is_running(pid)]}")
    while (running := [pid for pid in marked(mark, name) if is_running(pid)]):
        if time.monotonic() > end:
            break
        time.sleep(0.05)
    try:
        output = job.communicate(timeout=3)[0]
    except subprocess.TimeoutExpired:  # the launcher waits for its other half
        kill_all(marked(mark))
        output = job.communicate()[0]
    subprocess.run(["ip", "-n", hosts.space(2), "link", "set", "e2", "up"], check=True)
    print(f"{fault.split(';')[0]}: status {job.returncode} after {took:.1f} s\n{output}", flush=True)
    return job.returncode, output, running


def try_all(hosts, folder, program, preload, second):
    wrong = []
    status, output, running = run(hosts, program, preload, SHORT, 60)
    if status != 0 or "isthmus" in output or running:
        wrong.append("a short cut is not survived")
    status, output, running = run(hosts, program, preload, "signal")
    if status == 0 or running or not output.strip():
        wrong.append("a PE ended without a word")
    script = os.path.join(folder, "lives-on")
    with open(script, "w") as file:
        file.write(LIVES_ON)
    os.chmod(script, 0o755)
    for fault, says in (("crash", "SIGSEGV"), ("kill -SEGV $PPID", "killed by SIGSEGV, sent by process")):
        status, output, running = run(hosts, program, preload, fault, LIMIT / 2, script)
        if status == 0 or running or output.count("isthmus: PE") != 1 or says not in output:
            wrong.append(f"a PE does not end as it should by {fault}")
    status, output, running = run(hosts, program, preload, "ip link set e2 down")
    if status == 0 or running or output.count("isthmus: PE") != 1:
        wrong.append("the job of a host without a network does not end as it should")
    script = os.path.join(folder, "stops-manager")
    with open(script, "w") as file:
        file.write(STOPS_MANAGER)
    os.chmod(script, 0o755)
    _, output, running = run(hosts, program, "", "manager stopped", script=script)
    with open(f"{script}.said") as file:
        output = file.read()
    print(output)
    lines = [line for line in output.splitlines() if "isthmus: PE" in line]
    silent = [line for line in lines if "the process manager has not answered" in line]
    if running or len(lines) != 1 or len(silent) != 1:
        wrong.append("a stopped process manager is not noticed")
    status, output, running = run(hosts, second, "", "second start")
    lines = [line for line in output.splitlines() if "isthmus: PE" in line]
    if status == 0 or running or not 1 <= len(lines) <= 2:
        wrong.append("a second shmem_init is not watched")
    return wrong


def main():
    program, preload, second = map(os.path.abspath, sys.argv[1:])
    return try_on_hosts(2, lambda hosts, folder: try_all(hosts, folder, program, preload, second),
                        "survived, or ended, as it should")


if __name__ == "__main__":
    sys.exit(main())
