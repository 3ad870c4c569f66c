"""`isthmus run` from outside: a PE under a debugger or a checker."""
import re
import shutil
import unittest

from job import ACTOR, LauncherTest


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
    unittest.main(verbosity=2)
