#!/usr/bin/env python3
"""A program closes its standard error and makes a mistake: the message goes to where that led. Or it is started
without some of its streams: what it reads and writes there reaches nothing of the library's.

closed_streams.py PROGRAM ISTHMUS
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

TOLD = r"^isthmus: PE \d+ \(host \S+\): shmem_long_p: pe {} is out of range 0\.\.{}$"


def closed(start, pes, program, what, folder):
    data = pathlib.Path(folder) / f"{what}{pes}"
    result = subprocess.run([*start, program, what, data], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode != 0, what
    assert re.search(TOLD.format(pes + 6, pes - 1), result.stdout + result.stderr, re.MULTILINE), result
    assert what != "stream" or data.read_bytes() == b"", "the message went into the program's file"


def without(start, program, streams):
    shell = " ".join(f"{stream}>&-" for stream in streams)
    result = subprocess.run([*start, "sh", "-c", f'exec "$@" {shell}', "sh", program, "without", streams],
                            capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, (streams, result)


def background(program):
    """Who reads the streams of a program that has gone on in the background sees their end."""
    job = subprocess.Popen([program, "background", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child = int(job.stdout.readline())
    late = threading.Timer(30, os.kill, (child, signal.SIGKILL))
    late.start()
    job.stderr.read()
    assert late.is_alive(), "the child keeps standard error open"
    late.cancel()
    os.kill(child, signal.SIGKILL)
    job.wait()


def main():
    program, launcher = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for what in ("descriptor", "stream"):
            closed([], 1, program, what, folder)
            if hydra := shutil.which("mpiexec.hydra"):
                closed([hydra, "-n", "2"], 2, program, what, folder)
        background(program)
    starts = [[], [launcher, "run", "-n", "2"]]
    starts += [[path, "-n", "2"] for path in (shutil.which("mpiexec.hydra"),) if path]
    starts += [[path, "--allow-run-as-root", "--oversubscribe", "-n", "2"] for path in (shutil.which("mpirun.openmpi"),) if path]
    for start in starts:
        for streams in ("0", "1", "2", "012"):
            without(start, program, streams)
    print("who closes standard error is told all the same")


if __name__ == "__main__":
    main()
