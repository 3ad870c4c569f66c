"""`isthmus run` from outside: what is left when a PE, the launcher or its keeper dies."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from job import ACTOR, SLOW, Job, LauncherTest, name_of, processes_marked


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


if __name__ == "__main__":
    unittest.main(verbosity=2)
