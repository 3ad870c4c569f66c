#!/usr/bin/env python3
"""Processor time of Linux programs on the simulator beside qemu-riscv64, turn and turn about.

    beside_qemu.py SIMULATOR [--turns N] [--json] COMMAND...

A COMMAND is the program with its arguments in one word, "< FILE" behind it for its standard input.
The outputs must be equal (--unlike for programs that print times). Exit status 1 if one is not, or the
geometric mean of qemu's times over ours is below 0.9, what the project promises of five programs of
different kinds: docs/benchmarks.md says which, and how they were built.
"""
import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys


def run(command, source):
    """Seconds of user and system time, and what the program wrote."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(source or os.devnull, "rb") as standard_input:
        ended = subprocess.run(command, stdin=standard_input, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != 0:
        sys.exit(f"{shlex.join(command)}: status {ended.returncode}: {ended.stderr.decode(errors='replace')[:300]}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, ended.stdout


def compare(simulator, command, turns):
    words, _, source = command.partition("<")
    words, source = shlex.split(words), source.strip()
    qemu, ours, equal = [], [], True
    for turn in range(turns):
        print(f"\r{words[0]}: turn {turn + 1} of {turns}  ", end="", file=sys.stderr, flush=True)
        of_qemu, expected = run(["qemu-riscv64", *words], source)
        of_ours, got = run([simulator, "--quiet", words[0], "--", *words[1:]], source)
        qemu.append(of_qemu)
        ours.append(of_ours)
        equal = equal and got == expected
    return {"program": words[0], "qemu": statistics.median(qemu), "simulator": statistics.median(ours),
            "spread": [min(ours), max(ours)], "ratio": statistics.median(qemu) / statistics.median(ours), "equal": equal}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simulator")
    parser.add_argument("commands", nargs="+", metavar="COMMAND")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--unlike", action="store_true", help="outputs may differ")
    options = parser.parse_args()
    rows = [compare(options.simulator, command, options.turns) for command in options.commands]
    print("\r", end="", file=sys.stderr)
    mean = statistics.geometric_mean(row["ratio"] for row in rows)
    if options.json:
        print(json.dumps({"rows": rows, "geometric_mean": mean}))
    else:
        for row in rows:
            print(f"{row['program']:24} qemu {row['qemu']:7.2f} s  simulator {row['simulator']:7.2f} s "
                  f"({row['spread'][0]:.2f} to {row['spread'][1]:.2f})  {row['ratio']:.2f}"
                  f"{'' if row['equal'] else '  OUTPUT DIFFERS'}")
        print(f"geometric mean {mean:.2f}, must be at least 0.9")
    sys.exit(mean < 0.9 or not (options.unlike or all(row["equal"] for row in rows)))


if __name__ == "__main__":
    main()
