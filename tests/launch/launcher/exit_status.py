"""`isthmus run` from outside: exit statuses, and the lines that explain them."""
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from job import ACTOR, ISTHMUS, SLOW, LauncherTest


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

    def test_no_init_within_its_time(self):
        script = f'case "$ISTHMUS_BOOTSTRAP" in *:1:*) exec sleep 60;; esac; exec {ACTOR} return 0 0'
        job = self.run_job("-n", 3, "--env", "ISTHMUS_JOIN_SECONDS=0.5", "sh", "-c", script)
        self.check(job, 1, r"isthmus: PE [02] \(host \S+\): shmem_init: PE 1 has not called it within "
                           r"0\.5 s \(ISTHMUS_JOIN_SECONDS\)")
        self.assertLess(job.seconds, 3 * SLOW)

    def test_no_second_init(self):
        # It counts for the first one as well, which comes later than that on a busy machine.
        job = self.run_job("-n", 3, "--env", "ISTHMUS_JOIN_SECONDS=3", "--env", "ISTHMUS_STALL_SECONDS=1",
                           ACTOR, "away", 1, 0)
        self.assertEqual(job.status, 1)
        self.assertRegex(job.err, r"(?m)^isthmus: PE [02] \(host \S+\): shmem_init: PE 1 has not called it within "
                                  r"3 s \(ISTHMUS_JOIN_SECONDS\)$")
        self.assertRegex(job.err, r"(?m)^isthmus:   PE 1: has called shmem_finalize or exit$")
        self.assertRegex(job.err, r"(?m)^isthmus:   PE [02]: in shmem_init for ")
        self.assertLess(job.seconds, 6 * SLOW)
        job = self.run_job("-n", 3, ACTOR, "away", 1, 1)
        self.check(job, 1, r"isthmus: PE 1 \(host \S+\): has executed another program \(sleep\) after "
                           r"shmem_finalize, and PE [02] has called shmem_init again; the job ends")
        self.assertLess(job.seconds, 4 * SLOW)

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

    def test_end_in_the_middle_of_init(self):
        ended = r"in the middle of shmem_init; the job ends"
        words = 'TEST_PE=${ISTHMUS_BOOTSTRAP%:*}; TEST_PE=${TEST_PE##*:}; export TEST_PE; '
        for behind, number, how in (("; sleep 60", 9, "its process ended"), ("; sleep 60", 0, "its process ended"),
                                    ("; exit $?", 0, "exited with status 0")):
            with self.subTest(behind + str(number)):
                job = self.run_job("-n", 3, "sh", "-c", f"{words} {ACTOR} end-in-init 1 {number}{behind}")
                self.assertEqual(job.status, 1)
                lines = [line for line in job.err.splitlines() if line not in ("Killed", "Terminated")]
                self.assertEqual(len(lines), 1, job.err)
                self.assertRegex(lines[0], rf"^isthmus: PE 1 \(host \S+\): {how} {ended}$")
                self.assertLess(job.seconds, 15 * SLOW)

    def test_program_that_ends_before_init_and_its_shell_lives_on(self):
        script = f'TEST_PE=${{ISTHMUS_BOOTSTRAP%:*}}; TEST_PE=${{TEST_PE##*:}} {ACTOR} ' \
                 'exit-before-init 1 0; sleep 60'
        job = self.run_job("-n", 3, "sh", "-c", script)
        self.assertEqual(job.status, 1)
        self.assertRegex(job.err, r"(?m)^isthmus: PE 1 \(host \S+\): its process ended without shmem_init, "
                                  r"which PE [02] has called; the job ends$")
        self.assertEqual(job.err.count("isthmus:"), 1, job.err)
        self.assertLess(job.seconds, 15 * SLOW)

    def test_a_pe_that_does_not_come_again(self):
        again = r"after shmem_finalize, and PE [02] has called shmem_init again; the job ends"
        job = self.run_job("-n", 3, ACTOR, "again", 1, 0)
        self.check(job, 1, r"isthmus: PE 1 \(host \S+\): exited with status 0 " + again)
        self.assertLess(job.seconds, 15 * SLOW)
        job = self.run_job("-n", 3, ACTOR, "again", 1, 7)
        left = r"isthmus: PE 1 \(host \S+\): exited with status 7 "
        self.check(job, 7, left + "after shmem_finalize", left + again)
        job = self.run_job("-n", 3, "sh", "-c", f"{ACTOR} again 1 0; sleep 60")
        self.assertEqual(job.status, 1)
        self.assertRegex(job.err, r"(?m)^isthmus: PE 1 \(host \S+\): its process ended " + again + "$")
        self.assertEqual(job.err.count("isthmus:"), 1, job.err)

    def test_pes_that_leave_one_after_the_other(self):
        """Also the last session, by an exit alone: `shmem_init` is what they have called last."""
        for words in ([ACTOR, "again", 9, 0], ["sh", "-c", f"{ACTOR} again 9 0; sleep 0.6"]):
            self.check(self.run_job("-n", 4, *words), 0)

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
            job = self.run_job("--dry-run", *words, "-n", 2, "sh", "-c", "echo ran",
                               environment={"ISTHMUS_BIND": "auto"})
            self.assertEqual(job.status, 0, job.err)
            self.assertEqual(job.out,
                             "2 PEs on this host, by isthmus run itself: sh -c 'echo ran'\n")

    def test_dry_run_shows_every_option(self):
        options = ["--bind", "core", "--show-binding", "--prefix", "--wdir", "/", "--timeout", "7.5",
                   "--grace", "2"]
        tools = ["--gdb", "0", "--valgrind", "1"]
        for words, expected in ((options, options), (["--split", "/x"], ["--split", "/x"]), (tools, tools)):
            job = self.run_job("--dry-run", "-n", 2, *words, "--env", "A=1 2", "--env", "B=3", "true",
                               environment={"ISTHMUS_BIND": "auto"})
            self.assertEqual((job.status, job.out.splitlines()[1:]),
                             (0, ["options: " + " ".join(expected), "variables: 'A=1 2' B=3"]), job.err)
        job = self.run_job("--dry-run", "--launcher", "ssh", "--hosts", "a,b", "-n", 2, *options, "--env", "A=1 2", "true",
                           environment={"ISTHMUS_REMOTE_SHELL": "true"})
        self.assertEqual((job.status, job.out.splitlines()[2:6]),
                         (0, ["each: true", "options: " + " ".join(options), "variables: 'A=1 2'", "directory: /"]), job.err)
        self.assertRegex(job.out.splitlines()[6], r"^inherited: (\S+ )*PATH( |$)")
        for launcher in ("hydra", "mpirun"):
            job = self.run_job("--dry-run", "--launcher", launcher, "--hosts", "a,b", "-n", 2, "--env", "A=1 2",
                               "--timeout", 7, "true")
            if "was not found in PATH" not in job.err and "without libpmix" not in job.err:
                self.assertRegex(job.out, r"^/usr/bin/env 'A=1 2' (MPIEXEC_TIMEOUT=7 )?/\S+ ")

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

    def test_dry_run_judges_roads_as_the_start_does(self):
        for settings, text in ((["ISTHMUS_TRANSPORT=nosuch"], "there is no road nosuch, but auto, ofi, "),
                               (["ISTHMUS_TRANSPORT=auto,loop:1-2"], "the road loop leads to PE 2, and the job has PEs 0..1"),
                               (["ISTHMUS_TRANSPORT=loop:0"], "no road leads to PE 1; one without "),
                               (["ISTHMUS_TRANSPORT=loop:0,packet:0-1"], "two roads lead to PE 0, loop and packet"),
                               (["ISTHMUS_TRANSPORT=loop,packet"], "two roads without PEs; "),
                               (["ISTHMUS_TRANSPORT=loop:@a,auto"], "the road loop leads to the host a, and no PE of the job runs there"),
                               (["ISTHMUS_NODES=1,2"], "ISTHMUS_NODES=1,2: expected numbers of PEs such as 2,2, in all 2")):
            words = [word for setting in settings for word in ("--env", setting)]
            dry = self.run_job("--dry-run", *words, "-n", 2, "true")
            self.assertEqual((dry.status, dry.out), (2, ""))
            self.assertIn(text, dry.err)
            self.assertIn(text, self.run_job(*words, "-n", 2, ACTOR, "hello").err)
        for setting in ("ISTHMUS_NODES=1,1", "ISTHMUS_TRANSPORT=auto,loop:1"):
            self.assertEqual(self.run_job("--dry-run", "--env", setting, "-n", 2, "true").status, 0)
        dry = self.run_job("--dry-run", "--launcher", "ssh", "--hosts", "a,b", "-n", 2, "--env", "ISTHMUS_NODES=1,1", "true")
        self.assertIn("the job's hosts are its nodes", dry.err)

    def test_stats_where_nothing_can_be_preloaded(self):
        """The system would say so once a process, and nothing would be counted."""
        for name in ("ab", "a b", "a:b"):
            with tempfile.TemporaryDirectory() as folder:
                for part in ("bin", "lib"):
                    os.makedirs(os.path.join(folder, name, part))
                tool = shutil.copy(ISTHMUS, os.path.join(folder, name, "bin"))
                for library in ("libisthmus.so", "libisthmus-preload.so"):
                    with open(os.path.join(folder, name, "lib", library), "w"):
                        pass
                if name == "ab":
                    done = subprocess.run([tool, "run", "--dry-run", "-n", "1", "--stats", "--trace", "x", "true"],
                                          capture_output=True, text=True, check=False,
                                          env={**os.environ, "ISTHMUS_BIND": "auto", "LD_PRELOAD": ""})
                    self.assertEqual(done.stdout.splitlines()[1:], [
                        "options: --stats --trace x",
                        f"variables: LD_PRELOAD={os.path.realpath(folder)}/ab/lib/libisthmus-preload.so "
                        "ISTHMUS_STATS=1 ISTHMUS_TRACE=x"], done.stderr)
                    continue
                for words in (["--stats"], ["--trace", "x"]):
                    done = subprocess.run([tool, "run", "-n", "1", *words, "true"], capture_output=True, text=True,
                                          check=False)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(f"--stats and --trace: {os.path.realpath(folder)}/{name}/lib/libisthmus-preload.so has a "
                                  "blank or a colon", done.stderr)

    def test_wrong_command_lines(self):
        for words, status, text in (
                (["-n", 0, "true"], 2, "-n 0: the number of PEs of a host must be 1..256"),
                (["-n", -1, "true"], 2, "-n -1: the number of PEs of a host must be 1..256"),
                (["-n", 257, "true"], 2, "-n 257: the number of PEs of a host must be 1..256"),
                (["-n", "4x", "true"], 2, "-n 4x: the number of PEs of a host must be 1..256"),
                (["-n", "", "true"], 2, "-n is empty: is a variable not set that it was given?"),
                (["-n", 2], 2, "which program?"),
                (["-n", 2, ""], 2, "which program?"),
                ([], 2, "which program?"),
                (["--colour", "true"], 2, "unknown option --colour ("),
                (["-N", "2", "true"], 2, "unknown option -N; did you mean -n (PEs in all), --per-host (PEs a host) or --hosts? ("),
                (["--nprocs=2", "true"], 2, "unknown option --nprocs=2; did you mean -n? ("),
                (["-hast", "localhost", "true"], 2, "unknown option -hast; did you mean -host? ("),
                (["--time-out=3", "true"], 2, "unknown option --time-out=3; did you mean --timeout?"),
                (["--gdb", 2, "-n", 2, "true"], 2,
                 "--gdb 2: there is no such PE; the job has PEs 0..1"),
                (["--gdb", "", "-n", 2, "true"], 2, "--gdb is empty"),
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
