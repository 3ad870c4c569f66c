"""`isthmus run` from outside: limits, files and what other launchers leave in the environment."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from job import ACTOR, ISTHMUS, SLOW, LauncherTest


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


if __name__ == "__main__":
    unittest.main(verbosity=2)
