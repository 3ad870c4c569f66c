#!/usr/bin/env python3
"""Who listens on the network while a process manager starts a job on two hosts hears no key of it; and who
changes what the hosts tell each other of the job's secret ends the job, soon and by a line.

    listened.py LAUNCHER PROGRAM PRELOAD     hydra or mpirun; PROGRAM is core_whole_life, PRELOAD listened.c

Exit status 77: not possible here.
"""

import collections
import os
import re
import subprocess
import sys
import time

from hosts import try_on_hosts
from run import command

PES = 4
MORE_PES = 6  # three on a host, two of which wait for the one that is to speak
LIMIT = 20 * float(os.environ.get("TEST_SLOWNESS", "1"))
# What a manager that speaks PMI-1 is told wrong, and what a PE says of it.
CHANGED = "cannot be opened; it, or the key that it was sealed with, was changed on its way through the process manager"
CHANGES = {"seal": CHANGED, "key": CHANGED, "short": "rank 0 has put something else",
           "cards": "rank 0 has put something else",
           "no-key": "what host h2 shows through the process manager is no key to seal the job's secret with"}

# Prints "ready", takes all that comes and goes until its input ends, and writes it to a file.
LISTENER = """
import select, socket, sys
heard = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
heard.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
heard.bind((sys.argv[1], 0))
print("ready", flush=True)
with open(sys.argv[2], "wb") as file:
    ends = False
    while not ends or select.select([heard], [], [], 0)[0]:
        came = select.select([heard] if ends else [heard, sys.stdin], [], [])[0]
        ends = ends or sys.stdin in came
        if heard in came:
            frame = heard.recv(1 << 17)
            file.write(len(frame).to_bytes(4, "big") + frame)
"""


def streams(path):
    """What each TCP connection carried in each direction, one after the other, in order."""
    parts = collections.defaultdict(dict)
    with open(path, "rb") as file:
        while length := file.read(4):
            frame = file.read(int.from_bytes(length, "big"))
            if frame[12:14] != b"\x08\x00" or frame[23] != 6:
                continue
            tcp = 14 + 4 * (frame[14] & 15)
            data = frame[tcp + 4 * (frame[tcp + 12] >> 4):14 + int.from_bytes(frame[16:18], "big")]
            if data:
                parts[frame[26:34] + frame[tcp:tcp + 4]][frame[tcp + 4:tcp + 8]] = data
    return b"\0".join(b"".join(data for _, data in sorted(each.items())) for each in parts.values())


def listen(launcher, hosts, folder, program, preload):
    heard, keys_file = os.path.join(folder, "heard"), os.path.join(folder, "keys")
    open(keys_file, "w").close()
    ear = os.path.join(folder, "listener.py")
    with open(ear, "w") as file:
        file.write(LISTENER)
    listener = subprocess.Popen([hosts.shell, "h2", f"exec {sys.executable} {ear} e2 {heard}"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    listener.stdout.readline()
    job = subprocess.run(command(launcher, hosts, PES, [program, "1"]), capture_output=True, text=True, timeout=100,
                         stdin=subprocess.DEVNULL,
                         env=dict(os.environ, LD_PRELOAD=preload, KEYS_FILE=keys_file, ISTHMUS_SPIN="0"))
    listener.communicate()
    if job.returncode != 0:
        return [f"the job: status {job.returncode}, {job.stdout}{job.stderr}"]
    keys = collections.defaultdict(set)
    with open(keys_file) as file:
        for line in file:
            rank, key = line.split()
            keys[rank].add(bytes.fromhex(key))
    if len(keys) != PES or not set.intersection(*keys.values()):
        return [f"no secret was seen in use: {dict(keys)}"]
    said = streams(heard)
    if b"isthmus-2" not in said:  # the name of an exchange
        return [f"the exchanges were not heard, but {len(said)} bytes"]
    return [f"a key that PE {rank} uses is heard, as {kind}" for rank, each in sorted(keys.items()) for key in each
            for kind, there in (("bytes", key in said), ("digits", key.hex().encode() in said.lower())) if there]


def change(hosts, program, preload):
    """All at once: PMI-1 keeps them apart."""
    began = time.monotonic()
    jobs = {name: subprocess.Popen(
        command("hydra", hosts, MORE_PES if name == "cards" else PES, [program, "1"]), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env=dict(os.environ, LD_PRELOAD=preload, CHANGES=name, ISTHMUS_SPIN="0"))
        for name in CHANGES}
    wrong = []
    for name, job in jobs.items():
        try:
            said = job.communicate(timeout=max(began + LIMIT - time.monotonic(), 1))[0]
        except subprocess.TimeoutExpired:
            job.kill()
            wrong.append(f"changed: {name}: does not end: {job.communicate()[0]}")
            continue
        lines = re.findall(r"isthmus: .*", said)
        told = collections.Counter(re.findall(r"isthmus: PE \d+ \(host (\w+)\)", said))
        if job.returncode == 0 or not lines or not all(CHANGES[name] in line for line in lines) or \
                max(told.values(), default=0) != 1:
            wrong.append(f"changed: {name}: status {job.returncode}, {said}")
    return wrong


def main():
    launcher, (program, preload) = sys.argv[1], map(os.path.abspath, sys.argv[2:])

    def work(hosts, folder):
        wrong = listen(launcher, hosts, folder, program, preload)
        return wrong + (change(hosts, program, preload) if launcher == "hydra" else [])

    tool = {"hydra": "mpiexec.hydra", "mpirun": "mpirun.openmpi"}[launcher]
    return try_on_hosts(2, work, "no key is heard, and what is changed is told", tool)


if __name__ == "__main__":
    sys.exit(main())
