"""Strangers at the ports of a running job over packets: garbage, joins without the job's secret,
joins that break off, callers that say nothing.

The job must go on, keep its memory, and say that it refuses requests, at its end how many.
"""

import argparse
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from stranger import ports_of  # noqa: E402

SILENT = 300


def opening(caller, target, session=0):
    """With a ticket that is guessed."""
    return (struct.pack("<8sIIQII", b"ISTHJOIN", 3, 0xFFFFFFFF, session, caller, target) + os.urandom(32) +
            os.urandom(32))


def call(place, line):
    """Says this line. What is answered, until it hangs up."""
    heard = b""
    with socket.create_connection(place, timeout=5) as connection:
        try:
            connection.sendall(line)
            connection.settimeout(5)
            while part := connection.recv(4096):
                heard += part
        except OSError:
            pass
    return heard


def attack(place, target):
    """How many of them have to be refused."""
    put = struct.pack("<QQQQ", 3 << 52 | 3 << 32 | target, 0, 0, 0x6666666666666666)
    calls = [
        b"GET / HTTP/1.0\r\n\r\n" + bytes(96), bytes(96), b"\xff" * 300, os.urandom(5000),
        b"ISTHJOIN" + bytes(88),                        # nobody calls nobody
        opening(target, target),                        # itself
        opening(7, target),                             # a PE that there is not
        opening(1 - target, target, session=5),         # another road
        put * 3,                                        # a packet without a join
        # Anybody may say these numbers, and nobody is answered for them.
        opening(1 - target, target), opening(1 - target, target)[:64] + bytes(32),
        opening(1 - target, target) + put,
    ]
    for line in calls:
        if call(place, line):
            print("an answer to", line)
            return 1 << 20
    return len(calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isthmus", required=True)
    parser.add_argument("--victim", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stop = os.path.join(folder, "stop")
        environment = dict(os.environ, ISTHMUS_TRANSPORT="packet", SHMEM_SYMMETRIC_SIZE="16M")
        job = subprocess.Popen([arguments.isthmus, "run", "-n", "2", "--timeout", "60",
                                arguments.victim, stop], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment)
        pids = [int(job.stdout.readline()) for _ in range(2)]
        places = [ports_of(pid)[0] for pid in pids]
        # Which of the two is which PE: by trying.
        sent = 0
        silent = [socket.create_connection(place) for place in places for _ in range(SILENT)]
        slow = [socket.create_connection(place) for place in places]
        for place in places:
            for target in range(2):
                sent += attack(place, target)
            for connection in slow:
                connection.sendall(b"I")
        # Breaks off in the middle of a join.
        for place in places:
            with socket.create_connection(place) as connection:
                connection.sendall(opening(0, 1)[:40])
        time.sleep(0.5)
        alive = job.poll() is None
        open(stop, "w").close()
        out, err = job.communicate(timeout=60)
        for connection in silent + slow:
            connection.close()
    print("job: status", job.returncode, "alive before the end:", alive)
    print(out, err)
    counts = re.findall(r"transport: (\d+) requests or connections that were none of this job's, or "
                        r"that came twice, reached the ports of this host", err)
    refused = sum(map(int, counts))
    print(f"{sent} joins that have to be refused, {refused} refused")
    # By one PE for both.
    told = err.count("none of this job's, or that came twice, has come to this PE's port and is refused") == 1 and len(counts) == 1
    return 0 if alive and job.returncode == 0 and told and refused >= sent else 1


if __name__ == "__main__":
    sys.exit(main())
