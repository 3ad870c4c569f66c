#!/usr/bin/env python3
"""Strangers call the socket of a PE that waits for its mates under a process manager: another user's
process, silent ones, one without the job's secret, one with too many files. Nobody is answered, each
refusal is told, and the job starts as if nobody had called.

    strangers.py PROGRAM     77 if mpiexec.hydra is not installed
"""

import array
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HELLO = 16 + 8 + 128             # secret, PE, processors
NOBODY = 65534


def socket_of_job(mark):
    """The abstract name that /proc/net/unix shows of the PE that is there already."""
    inodes = {}
    with open("/proc/net/unix") as table:
        for line in table.read().splitlines()[1:]:
            words = line.split()
            # Not the one by which the PEs of a host know that they have come.
            if len(words) == 8 and words[7].startswith("@isthmus-") and not words[7].startswith("@isthmus-came-"):
                inodes[f"socket:[{words[6]}]"] = words[7]
    for environment in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(environment, "rb") as file:
                if mark.encode() not in file.read():
                    continue
            for entry in glob.glob(os.path.dirname(environment) + "/fd/*"):
                name = inodes.get(os.readlink(entry))
                if name:
                    return "\0" + name[1:]
        except OSError:
            continue  # it has gone
    return None


def call(name):
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    made.settimeout(20)
    made.connect(name)
    return made


def say(made, secret, files):
    hello = secret + (1).to_bytes(8, "little") + b"\xff" * 128
    assert len(hello) == HELLO
    rights = array.array("i", files)
    made.sendmsg([hello], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])


def was_answered(made):
    """With anything but an end of the connection."""
    try:
        data, rights, _, _ = made.recvmsg(1000, 1000)
        return bool(data or rights)
    except OSError:
        return False


def call_as_nobody(name, secret, file):
    """In a process of another user; returns what to wait for, once it has called."""
    called, calls = os.pipe()
    child = os.fork()
    if child == 0:
        status = 3
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            made = call(name)
            try:
                say(made, secret, [file])
            except OSError:
                pass  # hung up on already
            os.close(calls)
            status = 1 if was_answered(made) else 0
        finally:
            os._exit(status)
    os.close(calls)
    os.read(called, 1)  # to its end
    os.close(called)
    return child


def main():
    program = sys.argv[1]
    if not shutil.which("mpiexec.hydra"):
        print("skipped: no mpiexec.hydra")
        return 77
    mark = f"STRANGERS_{os.getpid()}_{time.time_ns()}"
    late = ["sh", "-c", f"sleep 2; exec {program} 1"]
    began = time.monotonic()
    job = subprocess.Popen(["mpiexec.hydra", "-n", "1", program, "1", ":", "-n", "2"] + late,
                           env=dict(os.environ, TEST_MARK=mark, ISTHMUS_SPIN="0"), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    name = None
    while name is None and time.monotonic() - began < 1.8:
        name = socket_of_job(mark)
        time.sleep(0.02)
    problems = []
    if name is None:
        print("no socket of PE 0 before the others came:", job.communicate())
        return 1
    # What everybody can read is no secret.
    number = int(name.split("-")[1], 16).to_bytes(8, "little") * 2
    with tempfile.TemporaryFile() as file:
        # First, so that it is named.
        nobody = call_as_nobody(name, number, file.fileno()) if os.geteuid() == 0 else None
        silent = [call(name) for _ in range(3)]
        without_secret = call(name)
        say(without_secret, number, [file.fileno()])
        many_files = call(name)
        say(many_files, number, [file.fileno(), file.fileno()])
        half = call(name)
        half.send(b"x")
    output, errors = job.communicate(timeout=100)
    took = time.monotonic() - began
    for what, made in (("no secret", without_secret), ("two files", many_files),
                       ("one byte", half), *(("silence", each) for each in silent)):
        if was_answered(made):
            problems.append(f"{what} was answered")
    expected = 6  # those that are silent to the end with them
    if nobody is not None:
        expected = 7
        if os.waitstatus_to_exitcode(os.waitpid(nobody, 0)[1]) != 0:
            problems.append("another user was answered, or could not call")
        # Not for want of the secret: whoever it is would have that refused.
        if f"user {NOBODY} (another user)" not in errors:
            problems.append("another user is not told as such")
    else:
        print("not root: no call of another user")
    problems += [f"not told: {why}" for why in ("silent", "no greeting of this library", "not of this job")
                 if why not in errors]
    told = re.search(r"PE 0 \(host [^)]*\): shmem_init: (\d+) calls of strangers were refused: "
                     r"process \d+ of user \d+ \(", errors)
    if not told or int(told[1]) != expected or errors.count("refused") != 1:
        problems.append(f"not told of {expected} refusals")
    if job.returncode != 0 or took > 15:
        problems.append(f"status {job.returncode} after {took:.1f} s")
    print("\n".join(problems) or f"{expected} calls refused, the job took {took:.1f} s")
    if problems:
        print(output, errors)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
