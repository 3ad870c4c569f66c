"""Processes of a trial, known by a mark in their environment."""

import os
import signal
import subprocess
import time

PF_EXITING = 4  # of the kernel's include/linux/sched.h


def marked(mark, program=None):
    """Processes of this trial; with a program, or the name of one, those that run it."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark.encode() not in file.read():
                    continue
            if program is None or program in (os.path.basename(os.readlink(f"/proc/{name}/exe")),
                                              os.path.realpath(f"/proc/{name}/exe")):
                found.append(int(name))
        except OSError:
            continue
    return sorted(found)


def fields(pid):
    """Of /proc/PID/stat, from the state on."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


def rank_of(pid):
    """Which PE a process is, by what its launcher has given it; None if it is none, or has gone."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            there = dict(word.split(b"=", 1) for word in file.read().split(b"\0") if b"=" in word)
        if b"PMI_RANK" in there:
            return int(there[b"PMI_RANK"])
        return int(there[b"ISTHMUS_BOOTSTRAP"].split(b":")[2])
    except (OSError, KeyError, IndexError, ValueError):
        return None


def is_alive(pid):
    try:
        return fields(pid)[0] not in "ZX"
    except OSError:
        return False


def is_ending(pid):
    """Whether its exit status stands already: whatever comes now changes nothing."""
    try:
        return not is_alive(pid) or bool(int(fields(pid)[6]) & PF_EXITING)
    except OSError:
        return True


def kill_all(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run_to_end(words, environment, limit):
    """A launcher's job, of which nothing is left if it takes longer than that. Its status, what it has
    said, and its seconds."""
    mark = f"TRIAL_{os.getpid()}_{time.time_ns()}"
    began = time.monotonic()
    job = subprocess.Popen(words, env=dict(environment, TEST_MARK=mark), text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = job.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        kill_all(marked(mark))
        output = "HANGS\n" + job.communicate()[0]
    return job.returncode, output, time.monotonic() - began
