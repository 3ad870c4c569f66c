"""Jobs that `isthmus run` starts on several hosts by a remote shell, from outside.

    remote_test.py ISTHMUS RING ACTOR [CRASH ASKING]     core_ring, launch_actor, crash_program and
                                                         core_leaves_asking, of the library

The hosts are this one, under several names: the remote shell is a program that runs its command here. The
same between namespaces: tests/hosts, hosts.ssh.
"""

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ISTHMUS, RING, ACTOR = sys.argv[1:4]
MORE = [word for word in sys.argv[4:] if word]
CRASH, ASKING = (MORE.pop(0) if MORE and os.path.exists(MORE[0]) else "" for _ in range(2))
SLOW = float(os.environ.get("TEST_SLOWNESS", "1"))

# What NOISE says comes before the agent, as from start-up files.
SHELL = """#!{python}
import os, subprocess, sys, threading, time
host, command = sys.argv[1], " ".join(sys.argv[2:])
with open(os.environ["FOLDER"] + "/shells", "a") as file:
    print(os.getpid(), file=file)
if host == "nowhere":
    sys.exit(255)
if os.environ.get("NOISE"):
    with open(os.environ["NOISE"], "rb") as file:
        os.write(1, file.read())
there = subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def pump():
    try:
        while data := os.read(0, 65536):
            there.stdin.write(data)
            there.stdin.flush()
        there.stdin.close()
    except BrokenPipeError:
        pass  # the command has ended
threading.Thread(target=pump, daemon=True).start()
while data := os.read(there.stdout.fileno(), 65536):
    while data:
        data = data[os.write(1, data):]
os._exit(there.wait())
"""


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def runs(pid, script):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return script in file.read().split("\0")
    except OSError:
        return False


class Remote(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.shell = os.path.join(self.folder, "shell")
        with open(self.shell, "w") as file:
            file.write(SHELL.replace("{python}", sys.executable))
        os.chmod(self.shell, os.stat(self.shell).st_mode | stat.S_IXUSR)

    def tearDown(self):
        self.temporary.cleanup()

    def environment(self, **more):
        return {**os.environ, "ISTHMUS_REMOTE_SHELL": self.shell, "FOLDER": self.folder,
                "ISTHMUS_SPIN": "0", **more}

    def words(self, *words, hosts="a:2,b:1"):
        return [ISTHMUS, "run", "--launcher", "ssh", "--hosts", hosts, *words]

    def run_job(self, *words, hosts="a:2,b:1", text="", **more):
        return subprocess.run(self.words(*words, hosts=hosts), input=text, capture_output=True,
                              text=True, timeout=60 * SLOW, env=self.environment(**more))

    def begin(self, *words, **more):
        job = subprocess.Popen(self.words(*words), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=self.environment(**more), start_new_session=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def await_files(self, *names):
        deadline = time.monotonic() + 20 * SLOW
        paths = [os.path.join(self.folder, name) for name in names]
        while not all(os.path.exists(path) and os.path.getsize(path) for path in paths):
            self.assertLess(time.monotonic(), deadline, "the job does not start")
            time.sleep(0.02)
        words = []
        for path in paths:
            with open(path) as file:
                words.append(file.read().split())
        return words

    def await_end_of(self, pids):
        deadline = time.monotonic() + 15 * SLOW
        while any(is_alive(pid) for pid in pids):
            self.assertLess(time.monotonic(), deadline, f"{pids} still run")
            time.sleep(0.02)

    def test_program_of_the_library(self):
        done = self.run_job(RING)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_description_of_a_cluster(self):
        path = os.path.join(self.folder, "cluster.json")
        with open(path, "w") as file:
            file.write('{"nodes": [{"name": "left", "address": "a", "kernels": [0, 1]},'
                       ' {"name": "right", "address": "b", "kernels": [2]}]}')
        words = [ISTHMUS, "run", "--launcher", "ssh", "--cluster", path]
        for program in ([RING], ["sh", "-c", 'test "$PMI_SIZE $ISTHMUS_TRANSPORT" = "3 auto,packet:0-2"']):
            done = subprocess.run(words + program, capture_output=True, text=True, timeout=60 * SLOW,
                                  env=self.environment())
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_pe_knows_its_place(self):
        done = self.run_job("--env", "GIVEN=two words", "--wdir", "/",
                            "sh", "-c", 'echo "$PMI_RANK of $PMI_SIZE, $GIVEN, $(pwd)"')
        self.assertEqual(sorted(done.stdout.splitlines()),
                         [f"{pe} of 3, two words, /" for pe in range(3)])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "")

    def test_input_goes_to_pe_0_whole(self):
        text = "".join(f"line {i}\n" for i in range(50000))
        done = self.run_job("cat", text=text)
        self.assertEqual(done.stdout, text)

    def test_input_that_ends_with_the_orders(self):
        """Over a shell that costs no time they come together."""
        shell = os.path.join(self.folder, "plain")
        with open(shell, "w") as file:
            file.write('#!/bin/sh\nshift\nexec sh -c "$*"\n')
        os.chmod(shell, 0o755)
        for _ in range(8):
            for text in ("", "few words\n"):
                done = self.run_job("cat", text=text, ISTHMUS_REMOTE_SHELL=shell)
                self.assertEqual((done.returncode, done.stdout), (0, text))

    def test_output_and_errors_stay_apart(self):
        done = self.run_job("--prefix", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(sorted(done.stdout.splitlines()), ["[0] out", "[1] out", "[2] out"])
        self.assertEqual(sorted(done.stderr.splitlines()), ["[0] err", "[1] err", "[2] err"])

    def test_closed_standard_streams(self):
        """As cron and daemons may leave them: no pipe of the launcher's takes their numbers."""
        program = ["sh", "-c", 'cat; echo out; echo err >&2; echo > "$FOLDER/ran$PMI_RANK"']
        for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', *self.words(*program)],
                                  input="", capture_output=True, text=True, timeout=60 * SLOW,
                                  env=self.environment())
            self.assertEqual((closed, done.returncode, done.stdout, done.stderr),
                             (closed, 0, "" if ">&- " in f"{closed} ".replace("2>&-", "") else "out\n" * 3,
                              "" if "2>&-" in closed else "err\n" * 3))
            for pe in range(3):
                os.remove(f"{self.folder}/ran{pe}")

    def test_split(self):
        folder = os.path.join(self.folder, "made", "here")
        done = self.run_job("--split", folder, "sh", "-c", "echo out $PMI_RANK")
        self.assertEqual(done.stdout, "")
        for pe in range(3):
            with open(f"{folder}/pe-{pe}.out") as file:
                self.assertEqual(file.read(), f"out {pe}\n")

    def test_much_output_through_a_slow_reader(self):
        job = self.begin("sh", "-c", "head -c 3000000 /dev/zero")
        time.sleep(9)  # longer than the agents' farewell may take
        self.assertEqual(len(job.stdout.read()), 9000000)
        self.assertEqual(job.wait(), 0)

    def test_a_reader_who_goes_ends_the_job(self):
        job = self.begin("sh", "-c", "echo $$ > $FOLDER/pe$PMI_RANK; exec yes")
        pids = [int(words[0]) for words in self.await_files("pe0", "pe1", "pe2")]
        self.assertEqual(job.stdout.readline(), "y\n")
        job.stdout.close()
        self.assertEqual(job.wait(20 * SLOW), 128 + signal.SIGPIPE)
        self.assertEqual(job.stderr.read(), "")
        self.await_end_of(pids)
        job.stdout = None

    def test_stop_and_go_on(self):
        job = self.begin("sh", "-c", "echo $$ > $FOLDER/pe$PMI_RANK; exec sleep 60")
        pids = [int(words[0]) for words in self.await_files("pe0", "pe1", "pe2")]

        def await_state(wanted):
            deadline = time.monotonic() + 10 * SLOW
            for pid in pids:
                while True:
                    with open(f"/proc/{pid}/stat") as file:
                        if file.read().rpartition(")")[2].split()[0] in wanted:
                            break
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.02)
        job.send_signal(signal.SIGTSTP)
        await_state("T")
        job.send_signal(signal.SIGCONT)
        await_state("SR")

    def test_exit_status(self):
        for script, status, line in (
                ("exit 0", 0, ""),
                ("[ $PMI_RANK = 1 ] || sleep 30; exit 7", 7, "PE 1 (host a): exited with status 7"),
                ("[ $PMI_RANK = 2 ] || sleep 30; kill -9 $$", 137, "PE 2 (host b): killed by SIGKILL")):
            began = time.monotonic()
            done = self.run_job("sh", "-c", script)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(line, done.stderr)
            self.assertLessEqual(len(done.stderr.splitlines()), 1)
            self.assertLess(time.monotonic() - began, 10 * SLOW)

    @unittest.skipUnless(CRASH, "not under a sanitizer")
    def test_a_crash_names_its_last_call(self):
        done = self.run_job(CRASH, "write")
        self.assertEqual(done.returncode, 139, done.stderr)
        self.assertRegex(done.stderr, r"PE 1 \(host [^)]*\): SIGSEGV, write to address 0x10; "
                                      r"last noted call shmem_barrier_all\n")

    def test_a_death_in_a_shell_that_goes_on(self):
        """One line, of the PE that has died, although another one may end first for it; and its status."""
        for behind in ("", "; exit $?", "; r=$?; sleep 3; exit $r", "; sleep 3"):
            done = self.run_job("sh", "-c", f"{ACTOR} signal 1 {int(signal.SIGABRT)}{behind}", hosts="a:1,b:1,c:1")
            self.assertEqual(done.returncode, 128 + signal.SIGABRT, done.stderr)
            self.assertRegex(done.stderr, r"^(Aborted[^\n]*\n)?isthmus: PE 1 \(host b\): killed by SIGABRT \(aborted\)"
                                          r"[^\n]*; the job ends\n(Aborted[^\n]*\n)?$")
            if not CRASH:
                continue
            done = self.run_job("sh", "-c", f"{CRASH} write{behind}", hosts="a:1,b:1,c:1")
            self.assertEqual(done.returncode, 128 + signal.SIGSEGV, done.stderr)
            lines = re.findall(r"^isthmus: .*", done.stderr, re.MULTILINE)
            self.assertRegex("\n".join(line for line in lines if not line.startswith("isthmus:  ")),
                             r"^isthmus: PE 1 \(host [^)]*\): SIGSEGV, write to address 0x10; [^\n]*$")

    def test_the_stall_report_names_a_program_that_a_pe_has_executed(self):
        """Its agent cannot know: the process lives on."""
        job = self.begin(ACTOR, "exec", "1", ISTHMUS_STALL_SECONDS="0.5")
        report = []
        for line in job.stderr:
            report.append(line)
            if "another program" in line:
                break
        self.assertRegex(line, r"isthmus:   PE 1: has executed another program \(sleep\); last noted call "
                               r"shmem_barrier_all\n", "".join(report))
        job.terminate()

    def test_a_pe_that_never_calls_shmem_init(self):
        done = self.run_job("sh", "-c", f'[ $PMI_RANK = 2 ] && exit 0; exec {RING}')
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"PE 2 \(host b\): exited with status 0 without shmem_init, "
                                      r"which PE [01] has called; the job ends")

    def test_a_pe_that_is_stopped_before_it_comes(self):
        """Alone on its host: no PE there would see it."""
        done = self.run_job("sh", "-c", f'[ $PMI_RANK = 2 ] && kill -STOP $$; exec {RING}',
                            ISTHMUS_DETECT_SECONDS="0.5", ISTHMUS_STALL_SECONDS="0")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^isthmus: PE 2 \(host b\): its process has been stopped, by a signal, for "
                                      r"\d+ s \(twice ISTHMUS_DETECT_SECONDS\), and PE [01] waits in shmem_init; "
                                      r"the job ends\n$")

    @unittest.skipUnless(ASKING, "not under a sanitizer")
    def test_a_pe_that_leaves_while_its_connection_is_opened(self):
        for way, status in (("exit", 0), ("_exit", 3)):
            for command in ("init", "get_maxes", "get_my_kvsname"):
                done = self.run_job(ASKING, way, str(status), command)
                self.assertEqual(done.returncode, status or 1, done.stderr)
                self.assertRegex(done.stderr, rf"\Aisthmus: PE 1 [^\n]*: exited with status {status} in the "
                                              r"middle of shmem_init; the job ends\n\Z")

    def test_a_pe_that_is_stopped_beside_another_before_it_comes(self):
        """That one says so, and no end that it brings about is told."""
        for leads in ("kill -STOP $$", "setsid -w $0 wait"):
            script = os.path.join(self.folder, "stops")
            with open(script, "w") as file:
                file.write(f'#!/bin/sh\n[ "$1" = wait ] && kill -STOP $$\n[ $PMI_RANK = 1 ] && {leads}\nexec {RING}\n')
            os.chmod(script, 0o755)
            done = self.run_job(script, ISTHMUS_DETECT_SECONDS="0.5", ISTHMUS_STALL_SECONDS="0")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, r"^isthmus: PE 0 \([^)]*\): shmem_init: waits in vain for PE 1, whose process on "
                                          r"this host has been stopped for 1 s \(twice ISTHMUS_DETECT_SECONDS\)\n$")
            self.await_end_of([pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if runs(pid, script)])

    def test_no_end_without_a_word(self):
        """A PE ends the job and says nothing; and one has died meanwhile, of which the first may have heard."""
        silent = 'echo "cmd=abort exitcode=%d" >&$PMI_FD; exec sleep 9'
        done = self.run_job("sh", "-c", f"if [ $PMI_RANK = 2 ]; then {silent % 7}; fi; exec sleep 9")
        self.assertEqual((done.returncode, done.stderr),
                         (7, "isthmus: the job ends with status 7, and no PE has said why\n"))
        done = self.run_job("sh", "-c", f"if [ $PMI_RANK = 0 ]; then {silent % 3}; fi; trap 'kill -ABRT $$' TERM; "
                                        "if [ $PMI_RANK = 1 ]; then exec sleep 9; fi; sleep 9 & wait")
        self.assertEqual(done.returncode, 128 + signal.SIGABRT)
        self.assertRegex(done.stderr, r"^isthmus: PE 2 \(host b\): killed by SIGABRT[^\n]*; the job ends\n$")

    def test_no_end_without_a_word_of_who_has_died_in_a_shell(self):
        """It has told another one, by a signal."""
        begins = 'echo "cmd=init pmi_version=1 pmi_subversion=1" >&$PMI_FD'
        done = self.run_job("sh", "-c", f"if [ $PMI_RANK = 2 ]; then ({begins}); exec sleep 60; fi; "
                                        "if [ $PMI_RANK = 0 ]; then sleep 0.7; echo 'cmd=abort exitcode=134' >&$PMI_FD; fi; "
                                        "exec sleep 60")
        self.assertEqual(done.returncode, 134)
        self.assertRegex(done.stderr, r"^isthmus: PE 2 \(host b\): its process has ended by SIGABRT[^\n]*, and what it was "
                                      r"started in has gone on; the job ends\n$")

    def test_a_pe_that_becomes_another_program_behind_finalize(self):
        """It has left: what it does then is no end of the job, but for its status."""
        done = self.run_job(ACTOR, "exec-after", "1", "0")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_job(ACTOR, "exec-after", "1", "7")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr, r"^isthmus: PE 1 \(host a\): exited with status 7 after shmem_finalize\n$")
        # Who comes back is in the job again.
        done = self.run_job(ACTOR, "again", "9", "0")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_agent_that_has_stopped(self):
        """Before all have come, or later: nobody else would hear of an end there."""
        for action in (f"if [ $PMI_RANK = 2 ]; then kill -STOP $PPID; fi; exec {ACTOR} hello",
                       f"if [ $PMI_RANK = 2 ]; then (sleep 1; kill -STOP $PPID) & fi; exec {ACTOR} wait 0"):
            job = self.begin("sh", "-c", "echo $$ $PPID > $FOLDER/pe$PMI_RANK; " + action, ISTHMUS_DETECT_SECONDS="1")
            words = [[int(word) for word in one] for one in self.await_files("pe0", "pe1", "pe2")]
            agent = words[2][1]
            self.addCleanup(lambda pid: is_alive(pid) and os.kill(pid, signal.SIGKILL), agent)
            began = time.monotonic()
            self.assertEqual(job.wait(30 * SLOW), 1)
            self.assertLess(time.monotonic() - began, 3 + 7 * SLOW)
            self.assertRegex(job.stderr.read(), r"^isthmus: host b: `isthmus agent`, which has started the PEs there, has not "
                                                r"answered for 3 s [^\n]*; the job ends\n$")
            if is_alive(agent):
                os.kill(agent, signal.SIGCONT)
            self.await_end_of([pid for one in words for pid in one])
            for pe in range(3):
                os.remove(f"{self.folder}/pe{pe}")

    def test_a_program_that_ends_the_job_on_purpose(self):
        done = self.run_job(ACTOR, "global-exit", "1", "3")
        self.assertEqual((done.returncode, done.stderr), (3, ""))

    def test_one_line_for_all_hosts(self):
        """Each PE has found the same wrong."""
        words = "cmd=abort exitcode=1 isthmus_words=" + b"isthmus: PE ".hex()
        done = self.run_job("sh", "-c", f'echo "{words}3$PMI_RANK" >&$PMI_FD; exec sleep 9')
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^isthmus: PE [0-2]\n$")

    def test_a_pe_that_ends_in_a_shell_that_goes_on(self):
        """Alone on its host, within shmem_init: only who has started it can tell."""
        begins = 'echo "cmd=init pmi_version=1 pmi_subversion=1" >&$PMI_FD'
        # Before who has started it hears that it has come, or later.
        for ends in (f"kill -STOP $PPID; ({begins}); kill -CONT $PPID", f"({begins}; sleep 1)"):
            done = self.run_job("sh", "-c", f"if [ $PMI_RANK = 2 ]; then {ends}; exec sleep 60; fi; exec {RING}")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^isthmus: PE 2 \(host b\): its process has ended within shmem_init, and what "
                                          r"it was started in goes on; the job ends\n$")

    def test_a_pe_that_has_closed_its_files_before_it_comes(self):
        """It cannot tell its manager: who waits on its host does, and says nothing more."""
        done = self.run_job("sh", "-c", f"TEST_PE=$PMI_RANK exec {ACTOR} close-before-init 1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^isthmus: PE 1 \([^)]*\): shmem_init: the program has closed file descriptor \d+, "
                                      r"which it did not open: [^\n]*\n$")

    def test_a_program_of_another_library_behind_a_wrapper(self):
        """Open MPI's knows no process manager of ours; an MPICH program does."""
        for library, told in (("liboshmem.so.40", True), ("libmpi.so.12", False)):
            path = os.path.join(self.folder, library)
            shutil.copy("/bin/sh", path)
            code = (f"import mmap, time; file = open({path!r}); "
                    "map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ); time.sleep(1)")
            done = self.run_job("sh", "-c", f'exec {sys.executable} -c "{code}"')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("is linked with another OpenSHMEM"), int(told))

    def test_what_a_host_has_not(self):
        for words, status, line in (
                (["/no/such/program"], 127, "host [ab]: .*/no/such/program"),
                ([self.folder], 126, "host [ab]: "),
                (["--wdir", "/no/such/folder", "true"], 2, "there is no directory /no/such/folder")):
            done = self.run_job(*words)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertRegex(done.stderr, line)

    def test_a_host_where_nothing_starts(self):
        began = time.monotonic()
        done = self.run_job("sleep", "30", hosts="a:1,nowhere:1")
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr, r"host nowhere: nothing could be started there \(.* status 255")
        self.assertLess(time.monotonic() - began, 15 * SLOW)

    def test_noise_of_start_up_files(self):
        noise = os.path.join(self.folder, "noise")
        for text, status in (("Welcome\n\nISTHMUS\n", 0), ("x" * 100000, 125),
                             ("\nISTHMUS AGENT 0.0.0\n", 125)):
            with open(noise, "w") as file:
                file.write(text)
            done = self.run_job("echo", "out", NOISE=noise)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(done.stdout, "out\n" * 3 if status == 0 else "")
        self.assertIn("of version 0.0.0", done.stderr)

    def test_signals(self):
        script = ('trap "echo caught >> $FOLDER/caught$PMI_RANK; exit 0" TERM INT USR1;'
                  'echo $$ > $FOLDER/pe$PMI_RANK; while :; do sleep 0.05; done')
        for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGUSR1, 0)):
            job = self.begin("--grace", "10", "sh", "-c", script)
            pids = [int(words[0]) for words in self.await_files("pe0", "pe1", "pe2")]
            job.send_signal(number)
            job.wait(20 * SLOW)
            self.assertEqual(job.returncode, status)
            self.await_end_of(pids)
            for pe in range(3):
                os.remove(f"{self.folder}/caught{pe}")
                os.remove(f"{self.folder}/pe{pe}")

    def test_what_does_not_end_is_killed(self):
        limit = str(int(3 * SLOW))  # behind the start, for which a loaded machine takes a second
        job = self.begin("--timeout", limit, "sh", "-c",
                         'trap "" TERM; echo $$ > $FOLDER/pe$PMI_RANK; while :; do sleep 1; done')
        pids = [int(words[0]) for words in self.await_files("pe0", "pe1", "pe2")]
        self.assertEqual(job.wait(20 * SLOW), 124)
        self.assertIn(f"the time limit of {limit} s (--timeout) is over", job.stderr.read())
        self.await_end_of(pids)

    def test_the_end_names_last_calls(self):
        for words in ([], ["sh", "-c", '"$0" "$@"; exit']):
            job = self.begin(*words, ACTOR, "wait", "0")
            for _ in range(3):
                self.assertIn("ready", job.stdout.readline())
            job.send_signal(signal.SIGINT)
            self.assertEqual(job.wait(20 * SLOW), 130)
            self.assertIn("isthmus: SIGINT (interrupt); the job ends; last noted calls: "
                          "shmem_barrier_all at PE 0-2\n", job.stderr.read())
        done = self.run_job("--timeout", "1", "sleep", "60")
        self.assertEqual(done.stderr, "isthmus: the time limit of 1 s (--timeout) is over; the job ends\n")

    def test_a_frozen_agent_is_given_up(self):
        job = self.begin("sh", "-c", "echo $$ $PPID > $FOLDER/pe$PMI_RANK; exec sleep 60")
        words = [[int(word) for word in one] for one in self.await_files("pe0", "pe1", "pe2")]
        agent = words[2][1]
        os.kill(agent, signal.SIGSTOP)
        self.addCleanup(lambda: is_alive(agent) and os.kill(agent, signal.SIGKILL))
        began = time.monotonic()
        job.send_signal(signal.SIGTERM)
        self.assertNotEqual(job.wait(20 * SLOW), 0)
        self.assertLess(time.monotonic() - began, 4 * SLOW)
        self.assertIn("isthmus: host b does not answer and is given up", job.stderr.read())
        if is_alive(agent):  # the end of its shell may have taken it along
            os.kill(agent, signal.SIGCONT)
        self.await_end_of([pid for one in words for pid in one])

    def test_input_that_nobody_reads_holds_nothing_up(self):
        job = subprocess.Popen(self.words("sh", "-c", "echo $$ > $FOLDER/pe$PMI_RANK; exec sleep 60"),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=self.environment())
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        pids = [int(words[0]) for words in self.await_files("pe0", "pe1", "pe2")]
        os.set_blocking(job.stdin.fileno(), False)
        written = 0
        quiet = 0
        while quiet < 20:  # until nobody takes more, for a second
            try:
                written += os.write(job.stdin.fileno(), b"x" * 65536)
                quiet = 0
            except BlockingIOError:
                quiet += 1
                time.sleep(0.05)
            self.assertLess(written, 64 << 20, "nothing holds the input back")
        began = time.monotonic()
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(20 * SLOW), 143)
        self.assertLess(time.monotonic() - began, 4 * SLOW)
        self.await_end_of(pids)

    def test_when_something_dies_all_goes(self):
        script = "echo $$ > $FOLDER/pe$PMI_RANK; sleep 60 & echo $! > $FOLDER/child$PMI_RANK; wait"
        for victim in ("launcher", "shell"):
            job = self.begin("sh", "-c", script)
            pids = [int(words[0]) for words in
                    self.await_files(*[f"{kind}{pe}" for kind in ("pe", "child") for pe in range(3)])]
            if victim == "launcher":
                job.kill()
            else:
                shells = self.await_files("shells")[0]
                os.kill(int(shells[-1]), signal.SIGKILL)
                self.assertEqual(job.wait(20 * SLOW), 125)
                self.assertIn("the connection is lost", job.stderr.read())
            self.await_end_of(pids)
            for name in os.listdir(self.folder):
                if re.match("(pe|child|shells)", name):
                    os.remove(os.path.join(self.folder, name))

    def test_what_pes_leave_behind(self):
        done = self.run_job("sh", "-c", "setsid sleep 60 & echo $! > $FOLDER/left$PMI_RANK")
        self.assertEqual(done.returncode, 0)
        self.assertIn("left 3 processes behind; killed", done.stderr)
        self.await_end_of([int(words[0]) for words in self.await_files("left0", "left1", "left2")])

    def test_dry_run(self):
        done = self.run_job("--dry-run", "echo", "two words")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"PEs 0-1: \S+/shell a \S+/isthmus agent\n"
                                      r"PE 2: \S+/shell b \S+/isthmus agent\neach: echo 'two words'\n"
                                      r"directory: \S+\ninherited: (\S+ )*FOLDER (\S+ )*PATH( \S+)*\n$")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "shells")))

    def test_names_are_tried_first(self):
        environment = dict(os.environ)
        environment.pop("ISTHMUS_REMOTE_SHELL", None)
        began = time.monotonic()
        done = subprocess.run([ISTHMUS, "run", "--launcher", "ssh", "--hosts",
                               "no-such-host.invalid:1,localhost:1", "true"], capture_output=True,
                              text=True, timeout=60, env=environment)
        if "ssh was not found" in done.stderr:
            self.skipTest("no ssh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("isthmus: host no-such-host.invalid: its name is not known", done.stderr)
        self.assertLess(time.monotonic() - began, 20 * SLOW)

    def test_a_silent_host_is_told(self):
        """Its port takes the call and nobody says anything, as of a host without memory."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            shell = os.path.join(self.folder, "ssh")
            with open(shell, "w") as file:
                file.write(f'#!/bin/sh\n[ "$1" = -G ] || exec sleep 600\n[ "$2" = mute ] || exit 0\n'
                           f'echo "hostname 127.0.0.1"; echo "port {silent.getsockname()[1]}"\n')
            os.chmod(shell, 0o755)
            environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
            environment.pop("ISTHMUS_REMOTE_SHELL", None)
            for words in (["run", "-n", "2"], ["doctor"]):
                began = time.monotonic()
                more = ["true"] if words[0] == "run" else []
                done = subprocess.run([ISTHMUS, *words, "--launcher", "ssh", "--hosts", "localhost,mute",
                                       *more], capture_output=True, text=True, timeout=60 * SLOW,
                                      env=environment)
                self.assertIn("host mute: it takes connections at port", done.stdout + done.stderr)
                if words[0] == "doctor":
                    self.assertRegex(done.stdout, r"launchers for hosts .*; taken: \S*ssh\n")
                self.assertLess(time.monotonic() - began, 20 * SLOW)

    def test_doctor_tries_by_the_launcher_of_the_setting(self):
        done = subprocess.run([ISTHMUS, "doctor", "--hosts", "a,nowhere"], capture_output=True, text=True,
                              timeout=100 * SLOW, env=self.environment(ISTHMUS_LAUNCHER="ssh"))
        self.assertRegex(done.stdout, r"fail +job on these hosts +ended with status 125: isthmus: host "
                                      r"nowhere: nothing could be started there")
        self.assertIn("the same by hand: isthmus run --hosts a:1,nowhere:1 /", done.stdout)
        # One that a job would not take of itself where a remote shell is named.
        done = subprocess.run([ISTHMUS, "doctor", "--hosts", "a.invalid,nowhere"], capture_output=True, text=True,
                              timeout=100 * SLOW, env=self.environment(ISTHMUS_LAUNCHER="hydra"))
        self.assertRegex(done.stdout, r"fail +job on these hosts +ended with status 2: isthmus: (host a.invalid: its name "
                                      r"is not known|launcher hydra was not found)")

    def test_doctor_tries_a_job(self):
        done = subprocess.run([ISTHMUS, "doctor", "--hosts", "a,b", "--launcher", "ssh"],
                              capture_output=True, text=True, timeout=100 * SLOW,
                              env=self.environment())
        self.assertRegex(done.stdout, r"ok +job on these hosts +2 PEs ran")
        done = subprocess.run([ISTHMUS, "doctor", "--hosts", "a,nowhere", "--launcher", "ssh"],
                              capture_output=True, text=True, timeout=100 * SLOW,
                              env=self.environment())
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"fail +job on these hosts +ended with status 125: isthmus: host "
                                      r"nowhere: nothing could be started there")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + MORE, verbosity=1)
