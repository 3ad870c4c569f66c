"""Tests of `isthmus run` from outside: exit statuses, deaths, signals, output, limits, leftovers.

Usage: launcher_test.py --isthmus FILE --actor FILE [unittest arguments]
"""
import argparse
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

ISTHMUS = ""
ACTOR = ""
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


class ExitStatus(LauncherTest):
    def check(self, job, status, *patterns):
        """The patterns are the lines of standard error, all of them."""
        self.assertEqual(job.status, status, job.err)
        lines = job.err.splitlines()
        self.assertEqual(len(lines), len(patterns), job.err)
        for line, pattern in zip(lines, patterns):
            self.assertRegex(line, "^" + pattern + "$")

    def test_success(self):
        job = self.run_job("-n", 4, ACTOR, "hello")
        self.check(job, 0)
        self.assertEqual(sorted(job.out.splitlines()), [f"hello from {p} of 4" for p in range(4)])

    def test_program_that_is_not_ours(self):
        job = self.run_job("-n", 3, "echo", "x")
        self.check(job, 0)
        self.assertEqual(job.out, "x\n" * 3)

    def test_spellings_of_other_launchers(self):
        for words in (["-np", 2], ["-n2"], ["--np=2"], ["--oversubscribe", "-np", 2],
                      ["--allow-run-as-root", "-n", 2], ["--bind-to", "none", "-np", 2],
                      ["--bind-to", "core", "--map-by", "slot", "-n", 2],
                      ["--mca", "btl", "self", "-n", 2, "--"]):
            with self.subTest(words):
                job = self.run_job(*words, "echo", "-n", "x")
                self.check(job, 0)
                self.assertEqual(job.out, "xx")

    def test_global_exit(self):
        for status, seen in ((0, 0), (1, 1), (7, 7), (255, 255), (256, 0)):
            with self.subTest(status):
                job = self.run_job("-n", 3, ACTOR, "global-exit", 1, status)
                self.check(job, seen)
                self.assertEqual(job.out, "last words\n")
                self.assertLess(job.seconds, 1.5 * SLOW)

    def test_exit_before_finalize(self):
        # The library finalizes at exit(); the others are then in a barrier that cannot end.
        job = self.run_job("-n", 3, ACTOR, "quick-exit", 1, 3)
        self.check(job, 3, r"isthmus: PE 1 \(host \S+\): exited with status 3 before "
                           r"shmem_finalize; last noted call shmem_barrier_all; the job ends")
        self.assertLess(job.seconds, 1.5 * SLOW)

    def test_exit_with_zero_before_finalize(self):
        job = self.run_job("-n", 2, ACTOR, "quick-exit", 0, 0)
        self.check(job, 1, r"isthmus: PE 0 \(host \S+\): exited with status 0 before "
                           r"shmem_finalize; last noted call shmem_barrier_all; the job ends")

    def test_status_after_finalize_lets_the_others_finish(self):
        job = self.run_job("-n", 3, ACTOR, "return", 1, 9)
        self.check(job, 9, r"isthmus: PE 1 \(host \S+\): exited with status 9 after shmem_finalize")
        self.assertEqual(sorted(job.out.split()), ["0", "1", "2"] + ["finished"] * 3)

    def test_exit_before_init(self):
        # One PE never calls shmem_init, the others wait for it there.
        script = f'TEST_PE=${{ISTHMUS_BOOTSTRAP%:*}}; TEST_PE=${{TEST_PE##*:}} exec {ACTOR} ' \
                 'exit-before-init 1 0'
        job = self.run_job("-n", 3, "sh", "-c", script)
        self.check(job, 1, r"isthmus: PE 1 \(host \S+\): exited with status 0 without shmem_init, "
                           r"which PE [02] has called; the job ends")
        self.assertLess(job.seconds, 1.5 * SLOW)

    def test_another_program_in_its_place(self):
        other = r"isthmus: PE 1 \(host \S+\): has executed another program \(sleep\) "
        job = self.run_job("-n", 3, ACTOR, "exec", 1)
        self.check(job, 1, other + "before shmem_finalize; last noted call shmem_barrier_all; the job ends")
        self.assertLess(job.seconds, 4 * SLOW)
        script = f'TEST_PE=${{ISTHMUS_BOOTSTRAP%:*}}; TEST_PE=${{TEST_PE##*:}} exec {ACTOR} exec-before-init 1'
        job = self.run_job("-n", 3, "--env", "ISTHMUS_STALL_SECONDS=0.5", "sh", "-c", script)
        self.assertRegex(job.err, r"(?m)^isthmus:   PE 1: has not called shmem_init$")
        self.assertRegex(job.err, r"(?m)^isthmus:   PE [02]: in shmem_init for ")
        self.assertRegex(job.err, other + "without shmem_init, which PE [02] has called; the job ends\n$")
        # The program itself, without its file, and behind a shell.
        job = self.run_job("-n", 2, "sh", "-c", f"{ACTOR} close-all 1 3; exit $?")
        self.check(job, 0)

    def test_signals(self):
        for number, text in ((signal.SIGKILL, r"SIGKILL \(killed\)"),
                             (signal.SIGTERM, r"SIGTERM \(terminated\)"),
                             (signal.SIGUSR1, r"SIGUSR1 \(user defined signal 1\)")):
            with self.subTest(number):
                job = self.run_job("-n", 4, ACTOR, "signal", 2, int(number))
                self.check(job, 128 + number,
                           r"isthmus: PE 2 \(host \S+\): killed by " + text +
                           r"; last noted call shmem_barrier_all; the job ends")
                self.assertLess(job.seconds, 1.5 * SLOW)

    def test_status_of_a_program_that_is_not_ours(self):
        job = self.run_job("-n", 3, "sh", "-c", "exit 5")
        self.check(job, 5, r"isthmus: PE [012] \(host \S+\): exited with status 5; the job ends")

    def test_program_behind_a_shell(self):
        job = self.run_job("-n", 2, "sh", "-c", f"{ACTOR} signal 1 9; exit $?")
        self.assertEqual(job.status, 137)
        self.assertRegex(job.err, r"PE 1 \(host \S+\): exited with status 137 "
                                  r"\(128 \+ SIGKILL \(killed\)\)")

    def test_program_dies_and_its_shell_lives_on(self):
        job = self.run_job("-n", 2, "sh", "-c", f"{ACTOR} signal 1 9; sleep 60")
        # The shells have their own words for it, on lines before or after.
        self.assertEqual(job.status, 1)
        lines = [line for line in job.err.splitlines() if line not in ("Killed", "Terminated")]
        self.assertEqual(len(lines), 1, job.err)
        self.assertRegex(lines[0],
                         r"^isthmus: PE 1 \(host \S+\): its process ended before shmem_finalize; "
                         r"last noted call shmem_barrier_all; the job ends$")
        self.assertLess(job.seconds, 2 * SLOW)

    def test_global_exit_behind_a_shell(self):
        job = self.run_job("-n", 2, "sh", "-c", f"{ACTOR} global-exit 1 6; sleep 60")
        self.check(job, 6)
        self.assertLess(job.seconds, 2 * SLOW)

    def test_timeout(self):
        job = self.run_job("--timeout", "0.4", "-n", 2, ACTOR, "wait", 0)
        self.check(job, 124, r"isthmus: the time limit of 0\.4 s \(--timeout\) is over; the job ends; "
                             r"last noted calls: shmem_barrier_all at PE 0 and 1")
        self.assertLess(job.seconds, 1.5 * SLOW)

    def test_dry_run_runs_nothing(self):
        for words in ([], ["--hosts", "localhost"], ["--launcher", "hydra", "--per-host", 2]):
            job = self.run_job("--dry-run", *words, "-n", 2, "sh", "-c", "echo ran")
            self.assertEqual(job.status, 0, job.err)
            self.assertEqual(job.out,
                             "2 PEs on this host, by isthmus run itself: sh -c 'echo ran'\n")

    def test_dry_run_refuses_as_a_run_does(self):
        for words in (["./nosuch"], ["no-such-program"], ["/etc/passwd"], ["--wdir", "/nowhere", "true"],
                      ["--split", "/proc/x", "true"]):
            job = self.run_job("-n", 2, *words)
            dry = self.run_job("--dry-run", "-n", 2, *words)
            self.assertNotEqual(job.status, 0)
            self.assertEqual((dry.status, dry.out, dry.err), (job.status, job.out, job.err))

    def test_dry_run_leaves_no_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            job = self.run_job("--dry-run", "--split", f"{folder}/a/b", "-n", 2, "true")
            self.assertEqual((job.status, os.listdir(folder)), (0, []))

    def test_dry_run_judges_settings(self):
        for setting, text in (("ISTHMUS_CHECK=maybe", "expected 0 or 1"), ("ISTHMUS_DELAY=x", "is not valid"),
                              ("ISTHMUS_NOPE=1", "ISTHMUS_NOPE"), ("ISTHMUS_TRANSPORT=ofi:1-", "is not valid"),
                              ("SHMEM_SYMMETRIC_SIZE=12q", "is not valid"),
                              ("SHMEM_SYMMETRIC_SIZE=9999T", "fit in the window")):
            for words in ([], ["--launcher", "ssh", "--hosts", "a,b"]):
                dry = self.run_job("--dry-run", *words, "--env", setting, "-n", 2, "true")
                self.assertEqual((dry.status, dry.out), (2, ""))
                self.assertIn(text, dry.err)
            self.assertNotEqual(self.run_job("--env", setting, "-n", 2, ACTOR, "exit", 0).status, 0)

    def test_wrong_command_lines(self):
        for words, status, text in (
                (["-n", 0, "true"], 2, "-n 0: the number of PEs of a host must be 1..256"),
                (["-n", -1, "true"], 2, "-n -1: the number of PEs of a host must be 1..256"),
                (["-n", 257, "true"], 2, "-n 257: the number of PEs of a host must be 1..256"),
                (["-n", "4x", "true"], 2, "-n 4x: the number of PEs of a host must be 1..256"),
                (["-n", "", "true"], 2, "-n '': the number of PEs of a host must be 1..256"),
                (["-n", 2], 2, "which program?"),
                (["-n", 2, ""], 2, "which program?"),
                ([], 2, "which program?"),
                (["--colour", "true"], 2, "unknown option --colour ("),
                (["-hast", "localhost", "true"], 2, "unknown option -hast; did you mean -host? ("),
                (["--time-out=3", "true"], 2, "unknown option --time-out=3; did you mean --timeout?"),
                (["--gdb", 2, "-n", 2, "true"], 2,
                 "--gdb 2: there is no such PE; the job has PEs 0..1"),
                (["--gdb", "", "-n", 2, "true"], 2, "--gdb"),
                (["--valgrind", "x", "-n", 2, "true"], 2, "--valgrind x: there is no such PE"),
                (["--gdb", 1, "--valgrind", 1, "-n", 2, "true"], 2, "name the same PE"),
                (["--gdb", 0, "--hosts", "a,b", "-n", 2, "true"], 2, "only where all PEs are on this host"),
                (["-host", "local host", "true"], 2, "'local host' is no name of a host"),
                (["--hosts", "a,b", "true"], 2, "how many PEs?"),
                (["--hosts", "a", "-n", 2, "--launcher", "x", "true"], 2, "--launcher"),
                (["--bind", "knot", "true"], 2, "--bind knot: must be auto"),
                (["--timeout", "-3", "true"], 2, "--timeout"),
                (["--env", "=x", "true"], 2, "expected NAME=VALUE"),
                (["--env", "NO_SUCH_VARIABLE_HERE", "true"], 2, "is not set"),
                (["--wdir", "/no/such", "true"], 2, "there is no such directory"),
                (["-n", 4, "no-such-program"], 127, "cannot run no-such-program: it is not in PATH"),
                (["-n", 4, "./no-such-program"], 127, "cannot run ./no-such-program: no such file"),
                (["-n", 4, "/tmp"], 126, "cannot run /tmp: it is a directory"),
                (["-n", 4, "/etc/passwd"], 126, "cannot run /etc/passwd: it is not executable")):
            with self.subTest(words):
                job = self.run_job(*words)
                self.assertEqual(job.status, status)
                self.assertEqual(len(job.err.splitlines()), 1, job.err)
                self.assertIn(text, job.err)

    def test_bad_interpreter(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script")
            with open(script, "w") as file:
                file.write("#!/no/such/interpreter\n")
            os.chmod(script, 0o755)
            self.check(self.run_job("-n", 4, script), 127,
                       r"isthmus: cannot run \S+: its interpreter .* was not found")
            with open(script, "w") as file:
                file.write("echo plain $1\n")
            job = self.run_job("-n", 2, script, "text")
            self.assertEqual((job.status, job.out), (0, "plain text\n" * 2))

    def test_bad_setting(self):
        job = self.run_job("-n", 2, "true", environment={"ISTHMUS_BIND": "tightly"})
        self.check(job, 2, r"isthmus run: setting ISTHMUS_BIND=tightly is not valid: .*")

    def test_help(self):
        job = self.run_job("--help")
        self.assertEqual(job.status, 0)
        for word in ("--prefix", "--split", "--bind", "--timeout", "Exit status"):
            self.assertIn(word, job.out)


class Signals(LauncherTest):
    def test_interrupt(self):
        job = self.start("-n", 4, ACTOR, "wait", 0)
        job.wait_until_ready(4)
        begin = time.monotonic()
        job.process.send_signal(signal.SIGINT)
        job.finish()
        self.assertLess(time.monotonic() - begin, 1 * SLOW)
        self.assertEqual(job.status, 130)
        self.assertRegex(job.err, r"^isthmus: SIGINT \(interrupt\); the job ends; last noted calls: "
                                  r"shmem_barrier_all at PE 0-3\n$")

    def test_interrupt_of_pes_first(self):
        """A terminal's Ctrl-C may end PEs before the launcher hears of it: all are named."""
        job = self.start("-n", 4, ACTOR, "wait", 0)
        ready = job.wait_until_ready(4)
        for pe in (1, 2):
            os.kill(ready[pe], signal.SIGINT)
        time.sleep(0.05)
        job.process.send_signal(signal.SIGINT)
        job.finish()
        self.assertEqual(job.status, 130)
        self.assertRegex(job.err, r"^isthmus: SIGINT \(interrupt\); the job ends; last noted calls: "
                                  r"shmem_barrier_all at PE 0-3\n$")

    def test_interrupt_of_stubborn_pes(self):
        job = self.start("-n", 3, ACTOR, "stubborn")
        job.wait_until_ready(3)
        begin = time.monotonic()
        job.process.send_signal(signal.SIGINT)
        job.finish()
        self.assertLess(time.monotonic() - begin, 1 * SLOW)
        self.assertEqual(job.status, 130)

    def test_death_with_stubborn_pes(self):
        script = f'case $ISTHMUS_BOOTSTRAP in *:1:3) sleep 0.5; kill -ABRT $$;; esac; ' \
                 f'trap "" TERM INT; {ACTOR} stubborn'
        job = self.run_job("-n", 3, "sh", "-c", script)
        self.assertEqual(job.status, 128 + signal.SIGABRT)
        self.assertLess(job.seconds, 2 * SLOW)

    def test_ending_signals(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number):
                job = self.start("-n", 2, ACTOR, "wait", 0)
                job.wait_until_ready(2)
                job.process.send_signal(number)
                job.finish()
                self.assertEqual(job.status, 128 + number)
                self.assertLess(job.seconds, 3 * SLOW)

    def test_signal_that_the_pes_deal_with(self):
        job = self.start("-n", 3, ACTOR, "catch", int(signal.SIGTERM))
        job.wait_until_ready(3)
        job.process.send_signal(signal.SIGTERM)
        job.finish()
        self.assertEqual(job.status, 0)
        self.assertEqual(job.out.count(f"caught {int(signal.SIGTERM)}"), 3)

    def test_passed_signals(self):
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGCONT):
            for before in ([], ["sh", "-c", '"$0" "$@"; exit $?']):
                with self.subTest(number=number, before=before):
                    job = self.start("-n", 3, *before, ACTOR, "catch", int(number))
                    job.wait_until_ready(3)
                    job.process.send_signal(number)
                    job.finish()
                    self.assertEqual(job.status, 0, job.err)
                    self.assertEqual(job.out.count(f"caught {int(number)}"), 3)

    def test_stop_and_continue(self):
        job = self.start("-n", 2, ACTOR, "wait", 0)
        pes = job.wait_until_ready(2)
        watched = [job.process.pid, *pes.values()]
        for number, stopped in ((signal.SIGTSTP, True), (signal.SIGCONT, False)):
            job.process.send_signal(number)
            limit = time.monotonic() + 2 * SLOW
            while time.monotonic() < limit:
                if all((state_of(pid) == "T") == stopped for pid in watched):
                    break
                time.sleep(0.01)
            self.assertEqual([state_of(pid) == "T" for pid in watched], [stopped] * 3)
        job.process.send_signal(signal.SIGINT)
        self.assertEqual(job.finish().status, 130)

    def test_ignored_signal_stays_ignored(self):
        job = self.start("-n", 2, ACTOR, "wait", 0, before=["nohup"])
        job.wait_until_ready(2)
        job.process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(job.process.poll())
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.finish().status, 143)

    def test_control_c_at_a_terminal(self):
        mark = uuid.uuid4().hex
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ[MARK] = mark
            os.execv(ISTHMUS, [ISTHMUS, "run", "-n", "3", ACTOR, "wait", "0"])
        text = b""
        while text.count(b"ready") < 3:
            text += os.read(terminal, 4096)
        begin = time.monotonic()
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        self.assertLess(time.monotonic() - begin, 1 * SLOW)
        # A shell must see that it was the interrupt, or it would go on with its script.
        self.assertTrue(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT)
        while select.select([terminal], [], [], 0.1)[0]:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(terminal)
        self.assertEqual(text.count(b"the job ends"), 1, text)
        self.assertIn(b"SIGINT (interrupt); the job ends", text)
        self.assertEqual(processes_marked(mark), [])


class Death(LauncherTest):
    """kill -9 of anybody leaves nothing behind; tearDown looks."""

    def test_kill_a_pe(self):
        job = self.start("-n", 4, ACTOR, "wait", 2)
        pes = job.wait_until_ready(4)
        begin = time.monotonic()
        os.kill(pes[2], signal.SIGKILL)
        job.finish()
        self.assertLess(time.monotonic() - begin, 1 * SLOW)
        self.assertEqual(job.status, 137)
        self.assertRegex(job.err, r"^isthmus: PE 2 \(host \S+\): killed by SIGKILL \(killed\); "
                                  r"last noted call shmem_barrier_all; the job ends\n$")

    def test_a_core_dump_is_small_and_soon_written(self):
        with open("/proc/sys/kernel/core_pattern") as file:
            pattern = file.read()
        if pattern.startswith(("|", "/")):
            self.skipTest(f"core dumps go elsewhere: {pattern}")
        with tempfile.TemporaryDirectory() as folder:
            job = self.start("-n", 2, "sh", "-c",
                             f"ulimit -c unlimited; cd {folder}; exec {ACTOR} wait 0",
                             environment={"SHMEM_SYMMETRIC_SIZE": "4G"})
            pes = job.wait_until_ready(2)
            begin = time.monotonic()
            os.kill(pes[1], signal.SIGABRT)
            job.finish()
            self.assertLess(time.monotonic() - begin, 1 * SLOW)
            self.assertIn("killed by SIGABRT", job.err)
            cores = [os.stat(os.path.join(folder, name)) for name in os.listdir(folder)]
            for core in cores:
                self.assertLess(core.st_size, 64 << 20)
            if SLOW == 1:  # sanitizers switch dumps off
                self.assertEqual(len(cores), 1)

    def test_kill_the_launcher(self):
        job = self.start("-n", 4, ACTOR, "wait", 0)
        job.wait_until_ready(4)
        job.process.kill()
        self.assertEqual(job.process.wait(), -9)
        self.assert_nothing_left(job)
        self.assertEqual(job.process.stderr.read(),
                         "isthmus: the launcher was killed; the job ends\n")

    def test_kill_the_launcher_of_stubborn_pes(self):
        job = self.start("-n", 3, ACTOR, "stubborn")
        job.wait_until_ready(3)
        job.process.kill()
        job.process.wait()
        self.assert_nothing_left(job)

    def test_kill_the_launcher_with_wrappers_and_daemons(self):
        job = self.start("-n", 3, "sh", "-c", f"env {ACTOR} daemon 0 1; sleep 60")
        job.wait_until_ready(3)
        self.assertGreaterEqual(len(processes_marked(job.mark)), 2 + 3 * 3)
        job.process.kill()
        job.process.wait()
        self.assert_nothing_left(job)

    def test_kill_the_whole_process_group(self):
        job = self.start("-n", 3, "sh", "-c", f"{ACTOR} daemon 0 1; sleep 60",
                         start_new_session=True)
        job.wait_until_ready(3)
        os.killpg(job.process.pid, signal.SIGKILL)
        job.process.wait()
        self.assert_nothing_left(job)

    def test_kill_the_keeper(self):
        job = self.start("-n", 3, "sh", "-c", f"{ACTOR} daemon 0 1; sleep 60")
        job.wait_until_ready(3)
        os.kill(job.keeper(), signal.SIGKILL)
        job.finish()
        self.assertEqual(job.status, 137)
        self.assertEqual(job.err, "isthmus: the job's keeper process was killed by SIGKILL "
                                  "(killed); the job ends\n")

    def test_keeper_spares_children_of_the_shell_before(self):
        # The launcher replaces a shell that has a child of its own.
        job = Job(["-n", 2, ACTOR, "wait", 0], before=["sh", "-c", 'sleep 30 & exec "$0" "$@"'])
        job.wait_until_ready(2)
        os.kill(job.keeper(), signal.SIGKILL)
        job.process.wait(10)
        left = processes_marked(job.mark)
        self.assertEqual([name_of(pid) for pid in left], ["sleep"])
        os.kill(left[0], signal.SIGKILL)
        job.finish()
        shutil.rmtree(job.folder)

    def test_daemons_end_with_the_job(self):
        job = self.run_job("-n", 2, ACTOR, "daemon", 0, 0)
        self.assertEqual(job.status, 0)
        self.assertEqual(job.err, "isthmus: the PEs have ended and left 2 processes behind; killed\n")

    def test_reader_goes_away(self):
        job = self.start("-n", 2, "--prefix", ACTOR, "lines", 200000, stderr=subprocess.DEVNULL)
        job.process.stdout.readline()
        job.process.stdout.close()
        self.assertEqual(job.process.wait(20), 128 + signal.SIGPIPE)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            job = self.run_job("-n", 2, "--prefix", ACTOR, "hello", stdout=full)
        self.assertEqual(job.status, 1)
        self.assertEqual(job.err, "isthmus: output of the PEs is lost: cannot write standard "
                                  "output: No space left on device\n")

    def test_reader_that_does_not_read(self):
        job = self.start("-n", 2, "--prefix", ACTOR, "lines", 200000, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        job.process.kill()
        job.process.wait()
        self.assert_nothing_left(job)


class Streams(LauncherTest):
    def check_lines(self, text, count, pattern, numbers):
        seen = {}
        for line in text.splitlines():
            match = re.fullmatch(pattern, line)
            self.assertIsNotNone(match, line[:80])
            pe, index, length = int(match["pe"]), int(match["line"]), int(match["length"])
            self.assertEqual(match["body"], chr(ord("a") + pe) * length)
            seen.setdefault(pe, []).append(index)
        self.assertEqual(seen, {pe: list(numbers) for pe in range(count)})

    def test_prefix_keeps_lines_whole(self):
        job = self.run_job("-n", 4, "--prefix", ACTOR, "lines", 100)
        pattern = r"\[(?P<pe>\d)\] (?P=pe):(?P<line>\d+):(?P<length>\d+):(?P<body>\w*)\."
        self.assertEqual(job.status, 0)
        self.check_lines(job.out, 4, pattern, range(0, 100, 2))
        self.check_lines(job.err, 4, pattern, range(1, 100, 2))

    def test_prefix_by_setting_and_unfinished_lines(self):
        job = self.run_job("-n", 2, "sh", "-c", r"printf 'a\r\nb\rc'; printf oops >&2",
                           environment={"ISTHMUS_PREFIX": "1"})
        self.assertEqual(job.status, 0)
        for pe in "01":
            self.assertIn(f"[{pe}] c\n", job.process.stdout and job.out)
            self.assertIn(f"[{pe}] oops\n", job.err)
        self.assertEqual(job.out.count("["), 6)

    def test_message_comes_after_the_output(self):
        job = self.run_job("-n", 1, "--prefix", "sh", "-c", "echo before >&2; exit 4")
        self.assertEqual(job.status, 4)
        self.assertRegex(job.err, r"^\[0\] before\nisthmus: PE 0 .* exited with status 4; .*\n$")

    def test_split(self):
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "a", "b")
            job = self.run_job("-n", 3, "--split", target, ACTOR, "lines", 50)
            self.assertEqual((job.status, job.out, job.err), (0, "", ""))
            self.assertEqual(sorted(os.listdir(target)), ["pe-0.out", "pe-1.out", "pe-2.out"])
            for pe in range(3):
                with open(os.path.join(target, f"pe-{pe}.out")) as file:
                    lines = file.read().splitlines()
                self.assertEqual([line.split(":")[1] for line in lines],
                                 [str(i) for i in range(50)])

    def test_split_into_a_file(self):
        job = self.run_job("-n", 2, "--split", "/dev/null/x", "true")
        self.assertEqual(job.status, 125)
        self.assertIn("cannot make the directory /dev/null/x", job.err)

    def test_standard_input_goes_to_the_first_pe(self):
        text = "".join(f"line {i}\n" for i in range(50000))
        job = self.run_job("-n", 3, "sh", "-c", "wc -c", text=text)
        self.assertEqual(sorted(int(n) for n in job.out.split()), [0, 0, len(text)])

    def test_closed_standard_streams(self):
        job = self.run_job("-n", 2, ACTOR, "hello", before=["sh", "-c", 'exec "$0" "$@" <&- >&-'])
        self.assertEqual((job.status, job.err), (0, ""))

    def test_environment_and_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            real = os.path.realpath(folder)
            job = self.run_job("-n", 2, "--env", "A=1 2", "-x", "HOME", "--wdir", real, "sh", "-c",
                               'echo "$A|$HOME|$PWD"', environment={"A": "0", "HOME": "/h"})
            self.assertEqual(job.out, f"1 2|/h|{real}\n" * 2)

    def test_binding(self):
        processors = sorted(os.sched_getaffinity(0))
        if len(processors) < 2:
            self.skipTest("one processor: nothing to share out")
        command = ["grep", "Cpus_allowed_list", "/proc/self/status"]
        job = self.run_job("-n", 2, "--bind", "thread", *command)
        self.assertEqual(sorted(job.out.split()[1::2]), sorted(map(str, processors[:2])))
        job = self.run_job("-n", 2, "--bind", "none", *command)
        self.assertEqual(len(set(job.out.split()[1::2])), 1)
        job = self.run_job("-n", 2 * len(processors) + 1, "--show-binding", "true")
        self.assertIn("not bound", job.err)


class Surroundings(LauncherTest):
    def test_more_pes_than_cores(self):
        job = self.run_job("-n", 16, ACTOR, "barriers", 200)
        self.assertEqual((job.status, job.out), (0, "counter 16\n"), job.err)

    def test_many_pes(self):
        job = self.run_job("-n", 128, "true")
        self.assertEqual((job.status, job.err), (0, ""))

    def test_start_is_cheap(self):
        if SLOW > 1:
            self.skipTest("a sanitizer build is not what users start")
        best = 9.0
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            job = self.run_job("-n", 16, ACTOR, "hello")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(job.status, 0)
            best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        print(f"16 PEs: {best:.3f} s of processor time", file=sys.stderr)
        self.assertLess(best, 0.25)

    def test_few_open_files(self):
        shell = ["sh", "-c", 'ulimit -n 24; exec "$0" "$@"']
        job = self.run_job("-n", 8, ACTOR, "hello", before=shell)
        self.assertEqual((job.status, job.err), (0, ""))
        job = self.run_job("-n", 8, "--prefix", ACTOR, "hello", before=shell)
        self.assertEqual(job.status, 125)
        self.assertIn("raise it (ulimit -n)", job.err)
        job = self.run_job("-n", 2, "sh", "-c", "ulimit -Sn", before=["sh", "-c",
                           'ulimit -Sn 33; exec "$0" "$@"'])
        self.assertEqual(job.out, "33\n" * 2)

    def test_file_size_limit(self):
        job = self.run_job("-n", 2, ACTOR, "hello", before=["sh", "-c", 'ulimit -Sf 8; exec "$0" "$@"'])
        self.assertEqual((job.status, job.err), (0, ""))
        job = self.run_job("-n", 2, ACTOR, "hello", before=["sh", "-c", 'ulimit -f 8; exec "$0" "$@"'])
        self.assertEqual(job.status, 125)
        self.assertIn("ulimit -f", job.err)

    def as_nobody(self):
        if os.geteuid() != 0:
            return []
        setpriv = shutil.which("setpriv")
        if not setpriv:
            self.skipTest("runs as root, and there is no setpriv to become another")
        before = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs",
                  "--inh-caps=-all", "--bounding-set=-all"]
        if subprocess.run([*before, ACTOR, "hello"], capture_output=True).returncode == 126:
            self.skipTest("another user cannot reach the build folder")
        return before

    def test_ordinary_user(self):
        before = self.as_nobody()
        job = self.run_job("-n", 4, ACTOR, "barriers", 50, before=before)
        self.assertEqual((job.status, job.out), (0, "counter 4\n"), job.err)
        job = self.run_job("-n", 3, ACTOR, "signal", 1, 9, before=before)
        self.assertEqual(job.status, 137)
        job = self.start("-n", 3, "sh", "-c", f"{ACTOR} daemon 0 1; sleep 60", before=before)
        job.wait_until_ready(3)
        job.process.kill()
        job.process.wait()
        self.assert_nothing_left(job)

    def test_small_and_missing_shared_memory_file_system(self):
        for change in ("mount -t tmpfs -o size=64k tmpfs /dev/shm", "umount -l /dev/shm"):
            with self.subTest(change):
                before = ["unshare", "--mount", "sh", "-c", change + ' && exec "$0" "$@"']
                if subprocess.run([*before, "true"], capture_output=True).returncode != 0:
                    self.skipTest("mount namespaces are not permitted here")
                job = self.run_job("-n", 4, ACTOR, "barriers", 50, before=before)
                self.assertEqual((job.status, job.out), (0, "counter 4\n"), job.err)

    def test_job_within_a_job(self):
        job = self.run_job("-n", 2, ISTHMUS, "run", "-n", 2, ACTOR, "barriers", 10)
        self.assertEqual((job.status, job.out), (0, "counter 2\n" * 2), job.err)

    def test_second_program_in_a_shell(self):
        job = self.run_job("-n", 1, "sh", "-c", f"{ACTOR} hello && {ACTOR} hello")
        self.assertNotEqual(job.status, 0)
        self.assertIn("a job runs one program a PE", job.err)

    def test_another_library_behind_a_wrapper(self):
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "liboshmem.so.40")
            shutil.copy("/bin/sh", library)
            code = (f"import mmap, time; file = open({library!r}); "
                    "map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ); time.sleep(1.5)")
            job = self.run_job("-n", 2, "sh", "-c", f'exec {sys.executable} -c "{code}"')
        self.assertEqual(job.status, 0, job.err)
        self.assertRegex(job.err, r"^isthmus: \S+ is linked with another OpenSHMEM: each of its "
                                  r"processes will be a job of one PE; [^\n]*\n$")
        job = self.run_job("-n", 2, "sh", "-c", f"sleep 0.5; exec {ACTOR} barriers 3")
        self.assertEqual((job.status, job.err), (0, ""))

    def test_valgrind(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        if SLOW > 1:
            self.skipTest("valgrind does not run sanitizer builds")
        job = self.run_job("-n", 2, "valgrind", "-q", ACTOR, "barriers", 3)
        self.assertEqual((job.status, job.out), (0, "counter 2\n"), job.err)


class Tools(LauncherTest):
    """One PE under a debugger or a checker, the others beside it."""

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb_has_the_input_and_one_pe(self):
        job = self.run_job("-n", 3, "--gdb", 1, ACTOR, "hello",
                           text="set confirm off\nset breakpoint pending on\nbreak shmem_finalize\n"
                                "run\nbacktrace 2\ncontinue\nquit\n")
        self.assertEqual(job.status, 0, job.out + job.err)
        self.assertRegex(job.out, r"#1 .*main")
        self.assertRegex(job.out, r"exited normally")
        # The others run beside it, to the end.
        for pe in range(3):
            self.assertRegex(job.out, rf"hello from {pe} of 3")

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_valgrind_has_one_pe(self):
        job = self.run_job("-n", 2, "--valgrind", 1, ACTOR, "hello")
        self.assertEqual(job.status, 0, job.err)
        self.assertEqual(len(re.findall(r"(?m)^==(\d+)== Memcheck", job.err)), 1, job.err)

    def test_a_tool_that_is_missing(self):
        for option, tool in (("--gdb", "gdb"), ("--valgrind", "valgrind")):
            job = self.run_job("-n", 2, option, 0, ACTOR, "hello", environment={"PATH": "/nonexistent"})
            self.assertEqual(job.status, 125)
            self.assertEqual(job.err, f"isthmus: {option}: cannot run {tool}: it is not in PATH; install it, "
                                      "or leave the option out\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--isthmus", required=True)
    parser.add_argument("--actor", required=True)
    known, rest = parser.parse_known_args()
    ISTHMUS, ACTOR = os.path.abspath(known.isthmus), os.path.abspath(known.actor)
    # Binding two PEs of several tests at once to the same cores would only slow them down.
    os.environ.setdefault("ISTHMUS_BIND", "none")
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
