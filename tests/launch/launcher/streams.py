"""`isthmus run` from outside: input and output."""
import os
import re
import tempfile
import unittest

from job import ACTOR, LauncherTest


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


if __name__ == "__main__":
    unittest.main(verbosity=2)
