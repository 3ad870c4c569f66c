#!/usr/bin/env python3
"""Runs the official RISC-V unit tests (github.com/riscv-software-src/riscv-tests) on the machine.

    riscv_tests.py --bin DIR [--suite DIR] [--gcc COMPILER] [--only TEXT] [--spike PROGRAM]

The suite is a checkout with its submodule env, from --suite or the environment variable
ISTHMUS_RISCV_TESTS; it is others' and not part of this repository. Each test that the suite's own lists
name is compiled for one hart, without address translation (the environment p) and, those of user mode, behind
page tables of 4 KB that are filled on demand (v), and runs without time and in time. Where there is Spike, what each retires is compared with its commit log, line by line. Exit
status: 0 all that concern the machine passed, 1 one failed or could not be built or the suite cannot be
read, 77 no suite or no compiler.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

SIMULATED = {
    "ui": "base integer", "um": "multiplication and division", "ua": "atomics",
    "uf": "single precision", "ud": "double precision", "uc": "compressed", "mi": "machine level",
    "si": "supervisor level",
}
# Tests, in groups that do concern the machine, of what it lacks.
LACKING = {"pmpaddr": "the machine has no physical memory protection"}
# Where Spike retires something else, rightly so by both.
UNLIKE_SPIKE = {"breakpoint": "the machine has no triggers, and Spike none without its own",
                "lrsc": "Spike's reservations end with its time slices",
                "csr": "it reads misa, which tells of the simulator", "mcsr": "it reads misa and marchid",
                "ma_fetch": "Spike can do without compressed instructions, by a bit of misa"}
SPIKE = ["--priv=msu", "--triggers=0", "--log-commits"]
MRET = "(0x30200073)"
FLAGS = ["-static", "-mcmodel=medany", "-fvisibility=hidden", "-nostdlib", "-nostartfiles",
         # Debian's compiler makes position-independent code by default; these programs have one place.
         "-fno-pic", "-no-pie", "-Wl,--build-id=none"]
SECONDS = 60

# What the environment v takes from a C library.
HEADERS = {
    "string.h": "#pragma once\n#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\n"
                "void *memset(void *, int, size_t);\nint memcmp(const void *, const void *, size_t);\n"
                "size_t strlen(const char *);\nint strcmp(const char *, const char *);\n"
                "char *strcpy(char *, const char *);\nlong atol(const char *);\n",
    "stdio.h": "#pragma once\n#include <stddef.h>\n",
    "ctype.h": "#pragma once\n",
}

Outcome = collections.namedtuple("Outcome", "group name kind reason")
PASSED, FAILED, NOT_BUILT, NOT_APPLICABLE = "passed", "failed", "not built", "not applicable"


def listed(group):
    """Names in the suite's own list of a group; a folder may hold more, which its makefile leaves out."""
    text = (group / "Makefrag").read_text(encoding="utf-8").replace("\\\n", " ")
    names = []
    for words in re.findall(rf"^{group.name}_(?:sc|mc)_tests\s*[+:]?=(.*)$", text, re.MULTILINE):
        names += words.split()
    return names


def test_itself(log):
    """Lines of a commit log behind the environment's set-up, without registers of control and status."""
    lines = [re.sub(r" c\d+_\w+ +0x[0-9a-f]+", "", line).rstrip() for line in log.splitlines()]
    begin = next((i + 1 for i, line in enumerate(lines) if MRET in line), 0)
    return lines[begin:]


def row(group, environment):
    """The table's name of a group in an environment."""
    return group.name + ("" if environment == "p" else f"-{environment}")


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"


class Suite:
    """A checkout and the tools that build and run it."""

    user_environments = "pv"  # in which user mode's tests run

    def __init__(self, root, gcc, bin_folder, scratch, spike=None):
        self.root, self.gcc, self.scratch, self.spike = root, gcc, pathlib.Path(scratch), spike
        self.sim = str(bin_folder / "isthmus-sim")
        # What the environment v includes of a C library, which the compiler has not for this ABI.
        self.headers = self.scratch / "include"
        self.headers.mkdir()
        for name, text in HEADERS.items():
            (self.headers / name).write_text(text, encoding="utf-8")

    def groups(self):
        return sorted(path.parent for path in self.root.glob("isa/rv*/Makefrag"))

    def build(self, group, name, environment):
        """The program and None, or None and why there is none."""
        wide = group.name.startswith("rv64")
        program = self.scratch / f"{group.name}-{environment}-{name}"
        folder = self.root / "env" / environment
        sources = [str(group / f"{name}.S")]
        if environment == "v":
            # Its kernel is C without a library, and wants a number at random for its order of pages.
            sources += [str(path) for path in sorted(folder.glob("*.[cS]"))]
            sources += [f"-DENTROPY={zlib.crc32(program.name.encode()) & 0x7ffffff:#x}", "-std=gnu99", "-O2", "-w",
                        "-ffreestanding", "-fno-builtin", "-fno-stack-protector", f"-I{self.headers}"]
        done = subprocess.run(
            [self.gcc, "-march=rv64g" if wide else "-march=rv32g", "-mabi=lp64" if wide else "-mabi=ilp32",
             *FLAGS, f"-I{folder}", f"-I{self.root / 'isa' / 'macros' / 'scalar'}",
             f"-T{folder / 'link.ld'}", *sources, "-o", str(program)],
            capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return program, None
        errors = [line for line in done.stderr.splitlines() if re.search("error|relocation", line, re.I)]
        return None, errors[0].strip() if errors else last_line(done.stderr)

    def run(self, program, *options):
        """None, or what was wrong."""
        try:
            done = subprocess.run([self.sim, "--quiet", "-n", "1", *options, str(program)],
                                  capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"still running after {SECONDS} s"
        if done.returncode == 0:
            return None
        # A test exits with the number of its case that failed; the simulator's own codes begin at 124.
        if done.returncode < 124:
            return f"case {done.returncode}"
        return f"exit status {done.returncode}: {last_line(done.stderr)}"

    def compare(self, program, wide):
        """None, or the first instruction that Spike retires otherwise."""
        logs = {who: self.scratch / f"{program.name}.{who}" for who in ("ours", "spike")}
        isa = ("rv64" if wide else "rv32") + "gc_zicntr_zihpm_zicclsm"  # the last: misaligned accesses
        for command in ([self.sim, "--quiet", "-n", "1", "--log-commits", str(logs["ours"]), str(program)],
                        [self.spike, f"--isa={isa}", *SPIKE, f"--log={logs['spike']}", str(program)]):
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        ours, spikes = (test_itself(log.read_text()) for log in logs.values())
        for log in logs.values():
            log.unlink()
        if not ours or len(spikes) < len(ours):  # Spike's goes on behind the end
            return f"{len(ours)} instructions, Spike {len(spikes)}"
        for mine, theirs in zip(ours, spikes):
            if mine != theirs:
                return f"retires `{mine}`, Spike `{theirs}`"
        return None

    def test(self, group, name, environment):
        program, reason = self.build(group, name, environment)
        if program is None:
            return Outcome(row(group, environment), name, NOT_BUILT, reason)
        faults = [f"{when}: {fault}" for when, fault in
                  (("without time", self.run(program)), ("in time", self.run(program, "--timed"))) if fault]
        if self.spike and name not in UNLIKE_SPIKE and environment == "p":
            fault = self.compare(program, group.name.startswith("rv64"))
            faults += [fault] if fault else []
        return Outcome(row(group, environment), name, FAILED if faults else PASSED, "; ".join(faults))


def why_not(group, name):
    """Why a test cannot concern this machine; None if it does."""
    part = group[len("rv64"):]
    if part not in SIMULATED:
        return f"the machine has no extension {part[1:].capitalize()}"
    return LACKING.get(name)


def outcomes(suite, only):
    """All outcomes, in the order of the suite."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        waiting = []
        for group in suite.groups():
            for name in listed(group):
                if only not in f"{group.name}-{name}":
                    continue
                reason = why_not(group.name, name)
                if reason:
                    waiting.append(Outcome(group.name, name, NOT_APPLICABLE, reason))
                    continue
                # The others have levels of their own.
                for environment in suite.user_environments if group.name[4] == "u" else "p":
                    waiting.append(pool.submit(suite.test, group, name, environment))
        return [one if isinstance(one, Outcome) else one.result() for one in waiting]


def print_table(found):
    counts = collections.defaultdict(collections.Counter)
    for one in found:
        counts[one.group][one.kind] += 1
        counts["all"][one.kind] += 1
    kinds = [PASSED, FAILED, NOT_BUILT, NOT_APPLICABLE]
    print(f"{'group':<12} {'':<28}" + "".join(f"{kind:>16}" for kind in kinds))
    for group in [*(name for name in counts if name != "all"), "all"]:
        print(f"{group:<12} {SIMULATED.get(group[4:6], ''):<28}" +
              "".join(f"{counts[group][kind]:>16}" for kind in kinds))
    whole = collections.Counter()  # what does not apply, by group and reason
    for one in found:
        if one.kind == NOT_APPLICABLE:
            whole[one.group, one.reason] += 1
        elif one.kind != PASSED:
            print(f"{one.kind}: {one.group}-{one.name}: {one.reason}")
    for (group, reason), count in whole.items():
        print(f"{NOT_APPLICABLE}: {count} of {group}: {reason}")


def main():
    parser = argparse.ArgumentParser(description="Runs the official RISC-V unit tests on the machine.")
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of isthmus-sim")
    parser.add_argument("--suite", default=os.environ.get("ISTHMUS_RISCV_TESTS", ""),
                        help="checkout of riscv-tests; default: ISTHMUS_RISCV_TESTS")
    parser.add_argument("--gcc", default="riscv64-linux-gnu-gcc")
    parser.add_argument("--only", default="", help="only tests with this in their name, as in rv64ui-add")
    parser.add_argument("--spike", default=shutil.which("spike"),
                        help="Spike, to compare what is retired; default: the one on the PATH")
    arguments = parser.parse_args()
    if not arguments.suite:
        print("skipped: no suite; set ISTHMUS_RISCV_TESTS to a checkout of riscv-tests")
        return 77
    if not arguments.gcc or not shutil.which(arguments.gcc):
        print(f"skipped: {arguments.gcc or 'riscv64-linux-gnu-gcc'} is not installed")
        return 77
    root = pathlib.Path(arguments.suite).resolve()
    for needed, hint in (("isa/macros/scalar/test_macros.h", "it is no checkout of riscv-tests"),
                         ("env/p/link.ld", "run `git submodule update --init` in it")):
        if not (root / needed).exists():
            print(f"{root} has no {needed}: {hint}")
            return 1
    with tempfile.TemporaryDirectory() as scratch:
        suite = Suite(root, arguments.gcc, arguments.bin.resolve(), scratch, arguments.spike)
        found = outcomes(suite, arguments.only)
    print_table(found)
    print(f"what is retired is compared with {arguments.spike or 'nothing: Spike is not installed'}")
    if arguments.spike:
        for name, why in UNLIKE_SPIKE.items():
            print(f"not compared with Spike: {name}: {why}")
    passed = sum(one.kind == PASSED for one in found)
    if not passed:
        print("nothing passed: no test was built, or none has such a name")
    return 1 if not passed or any(one.kind in (FAILED, NOT_BUILT) for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
