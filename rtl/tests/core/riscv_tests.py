#!/usr/bin/env python3
"""Runs the official RISC-V unit tests on the core in gates, each instruction compared with the simulator's.

    riscv_tests.py --bin DIR [--suite DIR] [--gcc COMPILER] [--only TEXT]

As tests/sim/hart/riscv_tests.py, whose module this uses: the suite is a checkout from --suite or ISTHMUS_RISCV_TESTS and
not part of this repository. Exit status: 0 all that concern the core passed, 1 one did not, 77 no suite or no compiler.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/sim/hart"))
import riscv_tests as simulator  # noqa: E402  (the path first)

simulator.SIMULATED = {"ui": "base integer", "um": "multiplication and division", "ua": "atomics", "uc": "compressed", "mi": "machine level"}
simulator.LACKING = {"pmpaddr": "the core has no physical memory protection",
                     "ma_data": "misaligned accesses trap; their handler is software's"}


class Suite(simulator.Suite):
    """The same suite on isthmus-core, which has no page tables."""

    user_environments = "p"

    def __init__(self, root, gcc, bin_folder, scratch):
        super().__init__(root, gcc, bin_folder, scratch)
        self.core = str(bin_folder / "isthmus-core")

    def run(self, program, *options):
        kind = "rv64" if "rv64" in program.name else "rv32"
        stalls = ["--stall", "200", "--late", "200"] if options else []
        try:
            done = subprocess.run([self.core, "--core", kind, "--quiet", "--cycles", "2000000", *stalls, str(program)],
                                  capture_output=True, text=True, errors="replace", timeout=simulator.SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"still running after {simulator.SECONDS} s"
        if done.returncode == 0:
            return None
        return f"exit status {done.returncode}: {done.stderr.strip()[:600]}"


def main():
    parser = argparse.ArgumentParser(description="Runs the official RISC-V unit tests on the core in gates.")
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of isthmus-core")
    parser.add_argument("--suite", default=os.environ.get("ISTHMUS_RISCV_TESTS", ""),
                        help="checkout of riscv-tests; default: ISTHMUS_RISCV_TESTS")
    parser.add_argument("--gcc", default="riscv64-linux-gnu-gcc")
    parser.add_argument("--only", default="", help="only tests with this in their name, as in rv64ui-add")
    arguments = parser.parse_args()
    if not arguments.suite:
        print("skipped: no suite; set ISTHMUS_RISCV_TESTS to a checkout of riscv-tests")
        return 77
    if not arguments.gcc or not shutil.which(arguments.gcc):
        print(f"skipped: {arguments.gcc or 'riscv64-linux-gnu-gcc'} is not installed")
        return 77
    root = pathlib.Path(arguments.suite).resolve()
    if not (root / "env/p/link.ld").exists() or not (root / "isa").exists():
        print(f"{root}: it is no checkout of riscv-tests with its submodule env")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        found = simulator.outcomes(Suite(root, arguments.gcc, arguments.bin.resolve(), scratch), arguments.only)
    simulator.print_table(found)
    passed = sum(one.kind == simulator.PASSED for one in found)
    if not passed:
        print("nothing passed: no test was built, or none has such a name")
    return 1 if not passed or any(one.kind in (simulator.FAILED, simulator.NOT_BUILT) for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
