#!/usr/bin/env python3
"""Ends of a start (start_ends.py) with times in the ratio of the defaults: a stall is reported after the time after
which nothing may be silent, and a start that waits for somebody to come ends after ten times that. The reports come
in front of the end then, and end nothing.

    start_ratio.py ISTHMUS PROGRAM PRELOAD    as start_ends.py

Exit status 77: not possible here.
"""

import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import start_ends
from hosts import Hosts, Unavailable
from processes import kill_all, marked
from start_ends import LAUNCHERS, LINE, SLOW, is_named, launch, settings_of

UNIT = 1.5
TIMES = {"ISTHMUS_DETECT_SECONDS": str(UNIT), "ISTHMUS_STALL_SECONDS": str(UNIT),
         "ISTHMUS_JOIN_SECONDS": str(10 * UNIT)}
# The turns of those who can name the PE and of other hosts, and the launcher's own time, as there.
LIMIT = (2 * UNIT + 3 + 6 + 4) * SLOW
# Launcher, PEs a host, wrapper, fault, when of all its calls, PE, whether it is named.
CASES = [("ssh", 2, "plain", "stop", 0.5, 3, True), ("hydra", 2, "plain", "stop", 0.6, 2, True),
         ("hydra", 2, "lives", "kill", 0.7, 3, True), ("ssh", 1, "lives", "kill", 0.4, 1, True),
         ("hydra", 1, "plain", "stop", 0.6, 1, False),
         # `isthmus run` itself stops: no host is to blame alone.
         ("ssh", 2, "plain", "head", 0.6, 3, False)]
CUTS = [("hydra", 2, "plain", "cut", 0.6, 3, False)]
# What tells of a wait and ends nothing.
REPORT = re.compile(r"\(ISTHMUS_STALL_SECONDS\)|isthmus:   ")


def hold_head(mark, program):
    """Until its PEs have ended; it passes on what they say when it goes on."""
    def words_of(pid):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                return file.read().split("\0")
        except OSError:
            return []
    heads = [pid for pid in marked(mark) if words_of(pid)[1:2] == ["run"]]
    for pid in heads:
        os.kill(pid, signal.SIGSTOP)
    until = time.monotonic() + LIMIT
    while time.monotonic() < until and any(map(start_ends.runs, marked(mark, program))):
        time.sleep(0.1)
    for pid in heads:
        os.kill(pid, signal.SIGCONT)


def problem_of(hosts, isthmus, program, preload, case, number):
    launcher, each, wrapper, fault, part, chosen, must_name = case
    calls = start_ends.calls_of(hosts, isthmus, launcher, each, "packet", program, preload, number)
    mark = f"RATIO_{os.getpid()}_{number}_{time.time_ns()}"
    settings = dict(settings_of("packet", preload), **TIMES, START_END_PE=str(chosen),
                    START_END_AT=str(max(1, int(part * calls))), START_END_HOW="cut" if fault == "head" else fault)
    job = launch(hosts, isthmus, launcher, each, mark, settings, wrapper, program)
    began = time.monotonic()
    output = ""
    for line in job.stdout if fault in ("cut", "head") else ():
        output += line
        if line == "here\n":
            break
    if fault == "cut":
        hosts.cut_off(hosts.count)
    elif fault == "head":
        hold_head(mark, os.path.basename(program))
    # Behind a cut those of the other side end by themselves, and their launcher does not hear of it.
    try:
        output += job.communicate(timeout=LIMIT)[0]
        hangs = False
    except subprocess.TimeoutExpired:
        hangs = True
        kill_all(marked(mark))
        output += job.communicate()[0]
    took = time.monotonic() - began
    kill_all(marked(mark))
    lines = [line for line in LINE.findall(output) if not REPORT.search(line)]
    is_told = (len(lines) == 1 and (is_named(lines[0], chosen) or
                                    (not must_name and re.search(r"\bof (?:an)?other hosts?\b", lines[0])))
               or (not lines and launcher == "hydra" and start_ends.OF_LAUNCHER.search(output)))
    if fault == "head":
        is_told = is_told and "or `isthmus run`, has stopped" in lines[0]
    print(f"{case}: status {job.returncode} after {took:.1f} s")
    if not hangs and job.returncode != 0 and is_told:
        return ""
    return f"{case}: {'hangs, ' if hangs else ''}status {job.returncode} after {took:.1f} s\n{output}\n"


def problems_of(isthmus, program, preload, cases):
    with tempfile.TemporaryDirectory() as folder, Hosts(2, folder) as hosts, \
            concurrent.futures.ThreadPoolExecutor(len(cases)) as at_once:
        return "".join(at_once.map(lambda case: problem_of(hosts, isthmus, program, preload, case[1], case[0]),
                                   enumerate(cases)))


def main():
    isthmus, program, preload = map(os.path.abspath, sys.argv[1:4])
    groups = [[case for case in cases if shutil.which(LAUNCHERS[case[0]])] for cases in (CASES, CUTS)]
    try:
        with concurrent.futures.ProcessPoolExecutor(2) as both:  # who cuts has hosts of its own
            tried = [both.submit(problems_of, isthmus, program, preload, cases) for cases in groups if cases]
            problems = "".join(each.result() for each in tried)
    except Unavailable as reason:
        print(reason)
        return 77
    print(problems, end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    sys.exit(main())
