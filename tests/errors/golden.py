#!/usr/bin/env python3
"""Runs the cases of golden.ini and compares what they print; compares docs/errors.md with them.

golden.py run ISTHMUS BINARIES [--no-faults] [PART OF A CASE'S NAME]
golden.py docs ERRORS_MD
"""
import configparser
import os
import pathlib
import re
import subprocess
import sys

RANGES = (r"symmetric memory here is the heap 0x[0-9a-f]+\.\.0x[0-9a-f]+ and static data "
          r"0x[0-9a-f]+\.\.0x[0-9a-f]+")
PLACEHOLDERS = {
    "{pe}": r"\d+",
    "{n}": r"\d+",
    "{address}": r"0x[0-9a-f]+",
    "{size}": r"[\d.]+ (?:[KMGTP]i)?B",
    "{name}": r"\w+",
    "{road}": r"(?:auto|loop)",
    # Whatever this machine has.
    "{addresses}": r"[0-9a-f.:]+ \(\S+\)(?:, [0-9a-f.:]+ \(\S+\))*",
    # What the processor tells of a fault depends on where the system placed the memory.
    "{kind}": r"a put(?: or atomic|, get or atomic)",
    # Whose mapping it is depends on how much there was before.
    "{malloc}": r"memory of malloc(?: or mmap)?",
    # The copy loop may have been jumped to from the routine.
    "{place}": r"(?:shmem_putmem|a put(?: or atomic|, get or atomic) in \w+)",
    "{either}": r"(?:address 0x[0-9a-f]+ for PE \d+ is not symmetric: it is (?:memory of malloc(?: or "
                r"mmap)?|on the stack)|the address is not symmetric \(on the stack, or from malloc\?\)); " + RANGES,
}
SPEAKER = r"isthmus: PE \d+ \(host \S+\): "


def read_cases():
    parser = configparser.ConfigParser(delimiters=(":",), comment_prefixes=("#",))
    parser.read(pathlib.Path(__file__).with_name("golden.ini"), encoding="utf-8")
    return parser


def pattern_of(text):
    pattern = "".join(PLACEHOLDERS.get(part, re.escape(part))
                      for part in re.split(r"(\{\w+\})", text))
    return ("" if text.startswith("isthmus") else SPEAKER) + pattern


def command_of(case, launcher, binaries):
    if "shell" in case:
        script = case["shell"].replace("$RUN", f"{launcher} run").replace("$BIN", binaries)
        return ["sh", "-c", script]
    program, *arguments = case["run"].split()
    pes = case.getint("pes", 2)
    prefix = [launcher, "run", "-n", str(pes)] if pes else []
    return prefix + [f"{binaries}/errors_{program}"] + arguments


# What a road refuses, checked mode refuses on one host.
ALIKE = ("ISTHMUS_TRANSPORT=loop", "ISTHMUS_CHECK=1")


def check(case, launcher, binaries):
    """What is wrong with the case; empty if nothing."""
    if not case.getboolean("alike", False):
        return check_once(case, launcher, binaries, case.get("env", ""))
    problems = {way: check_once(case, launcher, binaries, way) for way in ALIKE}
    return "\n  ".join(f"{way}: {problem}" for way, problem in problems.items() if problem)


LAUNCHERS = ("OMPI_", "PMI", "MPI_", "SLURM_", "PALS_", "ALPS_", "FLUX_", "JSM_", "MV2_", "MPIRUN_")


def check_once(case, launcher, binaries, settings):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("ISTHMUS_", "SHMEM_", "SMA_", *LAUNCHERS))}
    environment.update(entry.split("=", 1) for entry in settings.split())
    try:
        run = subprocess.run(command_of(case, launcher, binaries), env=environment, timeout=60,
                             capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return "it did not end within 60 s"
    wanted = case.getint("exit", 1)
    expected = pattern_of(case["text"]) + "\n" if case["text"] else ""
    problems = []
    if run.returncode != wanted:
        problems.append(f"exit status {run.returncode}, expected {wanted}")
    if not re.fullmatch(expected, run.stderr):
        problems.append(f"printed   {run.stderr.rstrip()}\n  expected  {case['text']}")
    if case.get("output", "") not in run.stdout:
        problems.append(f"output {run.stdout!r} lacks {case['output']!r}")
    return "\n  ".join(problems)


def run_cases(launcher, binaries, options):
    faults = "--no-faults" not in options
    part = "".join(option for option in options if not option.startswith("--"))
    failed = total = 0
    cases = read_cases()
    for name in cases.sections():
        if part not in name:
            continue
        if not faults and cases[name].getboolean("faults", False):
            print(f"skipped  {name}: the sanitizer takes the fault first")
            continue
        total += 1
        problem = check(cases[name], launcher, binaries)
        if problem:
            failed += 1
            print(f"FAILED   {name}\n  {problem}")
    print(f"{total - failed} of {total} texts are as they should be")
    return 1 if failed or total == 0 else 0


def compare_docs(page):
    """Every text is one of the page's, and every one of the page's is provoked by a case."""
    cases = read_cases()
    ranges = "; symmetric memory here is the heap {address} and static data {address}"
    either = ("address {address} for PE 1 is not symmetric: it is on the stack" + ranges,
              "the address is not symmetric (on the stack, or from malloc?)" + ranges)
    texts = [(name, re.sub(r"^isthmus: ", "", cases[name]["text"].replace("{either}", one)))
             for name in cases.sections() for one in either]
    source = pathlib.Path(page).read_text(encoding="utf-8")
    entries = re.findall(r"^### `` ?(.+?) ?``$|^### `([^`]+)`$", source, re.MULTILINE)
    bodies = re.split(r"^### (?:`` ?.+? ?``|`[^`]+`)$", source, flags=re.MULTILINE)[1:]
    problems = []
    used = set()
    templates = []
    for (double, single), body in zip(entries, bodies):
        template = double or single
        pattern = "".join(".+?" if part.startswith("<") else re.escape(part)
                          for part in re.split(r"(<[^<>]+>)", template))
        templates.append((template, re.compile(pattern)))
        if "Remedy:" not in body:
            problems.append(f"no remedy for: {template}")
        if "Not provoked by a test" in body:
            used.add(template)
    for name, text in texts:
        matching = [template for template, pattern in templates if pattern.fullmatch(text)]
        if text and not matching:
            problems.append(f"[{name}] is not on the page: {text}")
        used.update(matching)
    problems += [f"no case provokes: {template}" for template, _ in templates
                 if template not in used]
    print("\n".join(problems) or f"{len(templates)} texts, all explained and all provoked")
    return 1 if problems or not templates else 0


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "run":
        return run_cases(arguments[1], arguments[2], arguments[3:])
    if len(arguments) == 2 and arguments[0] == "docs":
        return compare_docs(arguments[1])
    print(__doc__)
    return 64


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
