"""`isthmus run` from outside: signals from the terminal and from others."""
import os
import pty
import select
import signal
import time
import unittest
import uuid

from job import ACTOR, ISTHMUS, MARK, SLOW, LauncherTest, processes_marked, state_of


def await_line(job, text):
    return next((line for line in job.process.stderr if text in line), "")


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

    def test_a_stopped_pe_is_told(self):
        job = self.start("-n", 3, "--env", "ISTHMUS_DETECT_SECONDS=0.5", "--env", "ISTHMUS_STALL_SECONDS=0.5", ACTOR,
                         "wait", 1)
        pes = job.wait_until_ready(3)
        await_line(job, "no progress")  # of who waits: a job in which nobody does is not looked at
        # All of them are: that is the user's own doing.
        for pid in pes.values():
            os.kill(pid, signal.SIGSTOP)
        time.sleep(2.5)
        for pe in (0, 2):
            os.kill(pes[pe], signal.SIGCONT)
        line = await_line(job, "has been stopped")
        self.assertRegex(line, rf"^isthmus: PE 1 \(host \S+\): its process {pes[1]} has been stopped, by a signal, "
                               rf"for \d+ s, and PE [02] waits; kill -CONT {pes[1]} lets it go on\n$")
        os.kill(pes[1], signal.SIGCONT)
        job.process.send_signal(signal.SIGINT)
        job.finish()
        self.assertEqual(job.status, 130)
        self.assertNotIn("has been stopped", job.err)

    def test_a_pe_that_is_stopped_in_a_wait_does_not_wait(self):
        job = self.start("-n", 3, "--env", "ISTHMUS_STALL_SECONDS=2", ACTOR, "wait", 0)
        pes = job.wait_until_ready(3)
        time.sleep(0.5)
        os.kill(pes[1], signal.SIGSTOP)
        for line in job.process.stderr:
            if " PE 1: " in line or "PEs 1" in line:
                break
        os.kill(pes[1], signal.SIGCONT)
        job.process.send_signal(signal.SIGINT)
        job.finish()
        self.assertRegex(line, r"^isthmus:   PE 1: stopped, by a signal or a debugger; last noted call "
                               r"shmem_barrier_all$")

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
