#!/usr/bin/env python3
"""The process manager's process of a host is killed while its PEs ask nothing of it: who waits ends
soon and says so, and so does every PE with a road.

    manager_gone.py ACTOR     ACTOR is launch_actor; 77 if mpiexec.hydra is not installed
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LINE = "the process manager's part on this host has ended"
# Nobody passes on any more what a PE writes.
SCRIPT = 'echo $$ $PPID > "$SAID.$PMI_RANK"; exec "$ACTOR" wait 0 > "$SAID.ready.$PMI_RANK" 2>> "$SAID"'


def content(path):
    try:
        with open(path) as file:
            return file.read()
    except FileNotFoundError:
        return ""


def is_alive(pid):
    return content(f"/proc/{pid}/stat").rpartition(")")[2].split()[:1] not in ([], ["Z"], ["X"])


def await_all(condition, seconds):
    end = time.monotonic() + seconds * float(os.environ.get("TEST_SLOWNESS", "1"))
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def try_one(name, actor, folder, ending, settings):
    said = os.path.join(folder, name)
    job = subprocess.Popen(["mpiexec.hydra", "-n", "2", "sh", "-c", SCRIPT], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=dict(os.environ, SAID=said, ACTOR=actor, ISTHMUS_STALL_SECONDS="0", **settings))
    is_ready = await_all(lambda: all("ready" in content(f"{said}.ready.{pe}") for pe in (0, 1)), 30)
    numbers = [content(f"{said}.{pe}").split() for pe in (0, 1)]
    pes, manager = [int(each[0]) for each in numbers], int(numbers[0][1])
    os.kill(manager, signal.SIGKILL)
    # Far below ISTHMUS_DETECT_SECONDS.
    has_ended = await_all(lambda: not any(is_alive(pes[pe]) for pe in ending), 6)
    for pid in pes:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
    job.wait()
    lines = [line for line in content(said).splitlines() if line.startswith("isthmus:")]
    # One a host, as everywhere; here each PE with a road is a host of its own.
    if is_ready and has_ended and lines and all(LINE in line for line in lines):
        return []
    return [f"{name}: ready {is_ready}, ended {has_ended}, {lines}"]


def main():
    if not shutil.which("mpiexec.hydra"):
        print("mpiexec.hydra is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        # PE 0 waits for nothing.
        problems = try_one("waits", sys.argv[1], folder, [1], {})
        problems += try_one("road", sys.argv[1], folder, [0, 1], {"ISTHMUS_TRANSPORT": "packet"})
    print("\n".join(problems) or "noticed at once")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
