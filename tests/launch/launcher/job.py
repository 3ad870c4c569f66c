"""A running `isthmus run`, and what its tests from outside have in common.

A test's command line: TEST.py --isthmus FILE --actor FILE [unittest arguments]. The files are taken
from it when this is loaded.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

_parser = argparse.ArgumentParser(add_help=False)
_parser.add_argument("--isthmus", required=True)
_parser.add_argument("--actor", required=True)
_known, sys.argv[1:] = _parser.parse_known_args()
ISTHMUS, ACTOR = os.path.abspath(_known.isthmus), os.path.abspath(_known.actor)
# Binding two PEs of several tests at once to the same cores would only slow them down.
os.environ.setdefault("ISTHMUS_BIND", "none")
# Sanitizers make everything slower, the end of a process as well.
SLOW = float(os.environ.get("TEST_SLOWNESS", "1"))
MARK = "LAUNCH_TEST_MARK"


def processes_marked(mark):
    """Pids whose environment holds the mark: this test's launcher, keeper, PEs and their children."""
    found = []
    needle = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if needle not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{name}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(name))
        except OSError:
            continue
    return found


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def state_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


class Job:
    """One running `isthmus run`."""

    def __init__(self, arguments, before=(), environment=None, **options):
        self.mark = uuid.uuid4().hex
        self.folder = tempfile.mkdtemp(prefix="launch-test-")
        os.chmod(self.folder, 0o777)
        variables = dict(os.environ, **{MARK: self.mark, "TMPDIR": self.folder})
        variables.update(environment or {})
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            [*before, ISTHMUS, "run", *map(str, arguments)], env=variables, text=True, **options)

    def finish(self, text=None, timeout=60):
        try:
            self.out, self.err = self.process.communicate(text, timeout)
        except subprocess.TimeoutExpired:
            for pid in processes_marked(self.mark):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.out, self.err = self.process.communicate()
            raise AssertionError(f"the job hangs; output {self.out!r}, errors {self.err!r}")
        self.seconds = time.monotonic() - self.begin
        self.status = self.process.returncode
        return self

    def wait_until_ready(self, count):
        """Reads `ready PE PID` lines; returns {PE: pid}."""
        ready = {}
        while len(ready) < count:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"ended early: {self.process.stderr.read()!r}")
            match = re.search(r"ready (\d+) (\d+)", line)
            if match:
                ready[int(match[1])] = int(match[2])
        return ready

    def keeper(self):
        for pid in processes_marked(self.mark):
            if name_of(pid) == "isthmus-keeper":
                return pid
        raise AssertionError("there is no keeper")


class LauncherTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.jobs = []

    def start(self, *arguments, **options):
        job = Job(arguments, **options)
        self.jobs.append(job)
        return job

    def run_job(self, *arguments, text=None, **options):
        if text is not None:
            options["stdin"] = subprocess.PIPE
        return self.start(*arguments, **options).finish(text)

    def assert_nothing_left(self, job, within=1.0):
        limit = time.monotonic() + within * SLOW
        while (left := processes_marked(job.mark)) and time.monotonic() < limit:
            time.sleep(0.01)
        self.assertEqual([(pid, name_of(pid)) for pid in left], [])
        self.assertEqual(os.listdir(job.folder), [], "files left in TMPDIR")
        if os.path.isdir("/dev/shm"):
            self.assertEqual([f for f in os.listdir("/dev/shm") if "isthmus" in f], [])

    def tearDown(self):
        for job in self.jobs:
            job.process.wait(10)
            for stream in (job.process.stdout, job.process.stderr, job.process.stdin):
                if stream:
                    stream.close()
            self.assert_nothing_left(job)
            shutil.rmtree(job.folder)
