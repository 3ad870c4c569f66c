#!/usr/bin/env python3
"""A PE stops, is killed or aborts within shmem_init (start_ends.c), on hosts made of namespaces: the job
ends in the documented time, not with 0, with one line, which names that PE.

    start_ends.py ISTHMUS PROGRAM PRELOAD [TRIALS [SEED [WORD...]]]   PROGRAM is core_whole_life

Of all combinations of launcher, hosts, road, wrapper and fault without TRIALS those of FEW, else that
many drawn by the seed; by a WORD only of those that have it (ssh, hydra, mpirun; 1, 2, 3; tcp, packet, udp;
plain, lives, ends; stop, kill, abort; alone: one PE a host). Prints a table, and each trial that went wrong.
TEST_AT_ONCE: that many at a time.

By `ssh` on one host it is `isthmus run` itself, which lets a stopped PE be.
Where the launcher itself tells of a process of its own that has died, that is the line; Hydra ends a job whose process
exits with a status at once, and leaves it at that status. `mpirun` may stay for long behind its PEs. Where no
process of ours is left on the host of the PE, and the manager does not tell, the others know the host alone:
their line says "another host".
Exit status 77: not possible here.
"""

import collections
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from hosts import Hosts, Unavailable
from processes import fields, kill_all, marked

SLOW = float(os.environ.get("TEST_SLOWNESS", "1"))
DETECT, JOIN = 2.0, 7.0
# Three seconds in which who can name the PE does, and six in which other hosts speak, one after the other, or under
# PMIx eleven; and four in which the launcher ends the others.
LIMIT = (max(2 * DETECT, JOIN) + 3 + 11 + 4) * SLOW
ROADS = {"tcp": {"ISTHMUS_FABRIC": "tcp;ofi_rxm", "ISTHMUS_TRANSPORT": "ofi"},
         "packet": {"ISTHMUS_TRANSPORT": "packet"},
         "udp": {"ISTHMUS_TRANSPORT": "packet", "ISTHMUS_PACKET_PROTOCOL": "udp"}}
WRAPPERS = {"plain": 'exec env $LOADS "$@"', "file": 'exec env $LOADS "$@" 2>>"$0.said"', "lives": 'env $LOADS "$@" || exec sleep 60',
            "ends": 'env $LOADS "$@"; exit $?'}
LAUNCHERS = {"ssh": "sh", "hydra": "mpiexec.hydra", "mpirun": "mpirun.openmpi"}
FAULTS = ("stop", "kill", "abort")
DRAWN_WRAPPERS = ("plain", "lives", "ends")
# Of the calls of a start, at which its PE stops the manager's process of its host. Behind the last word to that one
# nothing is wrong with the start.
MANAGER_STOPS = (0.1, 0.2, 0.35, 0.5, 0.6, 0.7)
# Launcher, hosts, PEs a host, road, wrapper, fault, when of all its calls, PE.
FEW = [("ssh", 2, 2, "packet", "plain", "stop", 0.5, 3), ("ssh", 2, 2, "udp", "lives", "kill", 0.6, 2),
       ("ssh", 2, 1, "packet", "lives", "stop", 0.5, 1), ("ssh", 2, 1, "packet", "lives", "kill", 0.4, 1),
       ("hydra", 2, 2, "packet", "lives", "kill", 0.5, 3), ("hydra", 2, 2, "packet", "plain", "stop", 0.6, 2),
       ("mpirun", 2, 2, "packet", "lives", "stop", 0.5, 3)]
SLOW_ONES = [("ssh", 0.97), ("hydra", 0.97)]
BEFORE = 14  # calls before a PE has said its first word to its manager, at most
LINE = re.compile(r"^.*isthmus: .*$", re.MULTILINE)
# What a launcher says by itself of a process that has died.
OF_LAUNCHER = re.compile(r"BAD TERMINATION|process rank \d+ with PID|Process name: |Primary job  terminated|mpiexec@\w+\] .*error")


def launch(hosts, isthmus, launcher, each, mark, settings, wrapper, program):
    """All settings by a script, since launchers differ in what they hand on."""
    script = os.path.join(hosts.folder, mark)
    exports = "".join(f"export {name}='{value}'\n" for name, value in settings.items())
    with open(script, "w") as file:
        file.write(f"#!/bin/sh\nexport TEST_MARK={mark}\n{exports}set -- {program} 1\n{WRAPPERS[wrapper]}\n")
    os.chmod(script, 0o755)
    pes = str(each * hosts.count)
    places = ",".join(f"{name}:{each}" for name in hosts.names())
    words = {"ssh": [isthmus, "run", "--launcher", "ssh", "--hosts", places],
             "hydra": ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", hosts.shell, "-hosts",
                       ",".join(hosts.names()), "-ppn", str(each), "-n", pes],
             "mpirun": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "plm_rsh_agent",
                        hosts.shell, "-H", places, "-n", pes]}[launcher]
    environment = dict(os.environ, TEST_MARK=mark, ISTHMUS_REMOTE_SHELL=hosts.shell, **settings)
    environment.pop("LOADS")
    return subprocess.Popen([hosts.shell, "h1"] + words + [script], env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            start_new_session=True)


def settings_of(road, preload):
    return dict(ROADS[road], LOADS=f"LD_PRELOAD={preload}", ISTHMUS_SPIN="0", ISTHMUS_JOIN_SECONDS=str(JOIN),
                ISTHMUS_DETECT_SECONDS=str(DETECT))


def calls_of(hosts, isthmus, launcher, each, road, program, preload, number):
    """How many there are in a start."""
    mark = f"ENDS_{os.getpid()}_{number}_{time.time_ns()}"
    settings = dict(settings_of(road, preload), START_END_COUNT="1")
    job = launch(hosts, isthmus, launcher, each, mark, settings, "plain", program)
    output = job.communicate(timeout=60 * SLOW)[0]
    counts = [int(count) for count in re.findall(r"calls (\d+)", output)]
    if job.returncode != 0 or not counts:
        sys.exit(f"an undisturbed job ends with status {job.returncode}: {output}")
    return min(counts)


def trial(hosts, isthmus, program, preload, case, calls, number):
    launcher, _, each, road, wrapper, fault, part, chosen = case
    mark = f"ENDS_{os.getpid()}_{number}_{time.time_ns()}"
    at = max(1, int(part * calls))
    settings = dict(settings_of(road, preload), START_END_PE=str(chosen), START_END_AT=str(at),
                    START_END_HOW=fault)
    job = launch(hosts, isthmus, launcher, each, mark, settings, wrapper, program)
    began = time.monotonic()
    hangs = False
    try:
        output = job.communicate(timeout=LIMIT + 2 * SLOW)[0]
    except subprocess.TimeoutExpired:
        hangs = launcher != "mpirun" or any(map(runs, marked(mark, os.path.basename(program))))
        kill_all(marked(mark))
        output = job.communicate()[0]
    took = time.monotonic() - began
    kill_all(marked(mark))
    lines = [line for line in LINE.findall(output) if not re.search(r"left \d+ process|isthmus:   #", line)]
    # On one host a crash is told by the PE and by who has started it.
    if len(lines) == 2 and "SIGABRT: " in lines[0] and re.search(r"killed by SIGABRT|\+ SIGABRT", lines[1]):
        del lines[0]
    if hangs:
        kind = "hangs"
    elif job.returncode == 0:
        kind = "status 0"
    elif len(lines) > 1:
        kind = "several lines"
    elif len(lines) == 1 and is_named(lines[0], chosen):
        kind = "named"
    elif len(lines) == 1 and re.search(r"\bof (?:an)?other hosts?\b", lines[0]):
        kind = "host"
    elif not lines and OF_LAUNCHER.search(output):
        kind = "by launcher"
    elif not lines and launcher == "hydra" and wrapper == "ends":
        kind = "by status"
    else:
        kind = "unnamed" if lines else "silent"
    expected = {"named", "by launcher", "by status"}
    if (each == 1 or wrapper == "ends") and (launcher != "ssh" or at <= BEFORE):
        expected.add("host")
    return kind, took, kind not in expected, at, output


def slow_problem(hosts, isthmus, program, preload, launcher, part, number):
    """A PE that is slow in the start ends nothing, however often the others tell of it meanwhile."""
    calls = calls_of(hosts, isthmus, launcher, 2, "packet", program, preload, number)
    mark = f"ENDS_{os.getpid()}_{number}_{time.time_ns()}"
    settings = dict(settings_of("packet", preload), START_END_PE="0", START_END_AT=str(int(part * calls)),
                    START_END_HOW="slow", ISTHMUS_STALL_SECONDS="1", ISTHMUS_DETECT_SECONDS="20", ISTHMUS_JOIN_SECONDS="60")
    job = launch(hosts, isthmus, launcher, 2, mark, settings, "plain", program)
    output = job.communicate(timeout=60 * SLOW)[0]
    # By Hydra its PEs differ in their calls, and the start may be over.
    is_told = "no progress" in output or launcher == "hydra"
    is_fine = job.returncode == 0 and is_told and "SIG" not in output and "is null" not in output
    return "" if is_fine else f"{launcher}, slow at {part} of {calls} calls: status {job.returncode}\n{output}"


def manager_problem(hosts, isthmus, program, preload, part, calls, number):
    """The manager's process of a host of three PEs stops: of those some have heard from it what others have not.
    Nobody reads what they write, nor ends them."""
    mark = f"ENDS_{os.getpid()}_{number}_{time.time_ns()}"
    settings = dict(settings_of("packet", preload), START_END_PE="1", START_END_AT=str(max(1, int(part * calls))),
                    START_END_HOW="manager")
    job = launch(hosts, isthmus, "hydra", 3, mark, settings, "file", program)
    name = os.path.basename(program)
    until = time.monotonic() + LIMIT
    seen = False
    while time.monotonic() < until and job.poll() is None:
        running = any(map(runs, marked(mark, name)))
        if seen and not running:
            break
        seen = seen or running
        time.sleep(0.1)
    still = [pid for pid in marked(mark, name) if runs(pid)]
    kill_all(marked(mark))
    job.communicate()
    with open(os.path.join(hosts.folder, mark + ".said")) as file:
        said = file.read()
    is_fine = len(LINE.findall(said)) == 1 and not still
    return "" if is_fine else f"the manager stopped at {part} of {calls} calls: {len(still)} PEs run on\n{said}"


def manager_problems(isthmus, program, preload):
    if not shutil.which(LAUNCHERS["hydra"]):
        return []
    with tempfile.TemporaryDirectory() as folder, Hosts(1, folder) as hosts:
        calls = calls_of(hosts, isthmus, "hydra", 3, "packet", program, preload, 0)
        with concurrent.futures.ThreadPoolExecutor(len(MANAGER_STOPS)) as at_once:
            return list(at_once.map(lambda case: manager_problem(hosts, isthmus, program, preload, case[1], calls, case[0]),
                                    enumerate(MANAGER_STOPS)))


def runs(pid):
    """Neither ended nor stopped."""
    try:
        return fields(pid)[0] not in "ZXT"
    except OSError:
        return False


def is_named(line, pe):
    """Either a PE speaks of another one, or the launcher of that."""
    told = re.search(r"isthmus: PE (\d+) \(host \w+\): (.*)$", line)
    if not told:
        return False
    speaker, text = told.groups()
    own = re.match(r"killed by|exited with|its process|SIGABRT: ", text)
    return speaker == str(pe) if own else re.search(rf"\bPE {pe}\b", text) is not None


def cases_of(trials, seed, words):
    if trials == 0:
        return FEW
    dice = random.Random(seed)
    every = [case for case in itertools.product(LAUNCHERS, (1, 2, 3), (2, 1), ROADS, DRAWN_WRAPPERS, FAULTS)
             if case[1:3] != (1, 1) and (case[0], case[1], case[5]) != ("ssh", 1, "stop")]
    asked = [set(word.split("+")) for word in words]
    every = [case for case in every
             if all(group & ({str(word) for word in case[:2] + case[3:]} | ({"alone"} if case[2] == 1 else set()))
                    for group in asked)]
    drawn = (every * (trials // len(every) + 1) if trials >= len(every) else every)
    dice.shuffle(drawn)
    return [case + (dice.uniform(0, 0.95), dice.randrange(case[1] * case[2])) for case in drawn[:trials]]


def try_cases(hosts, isthmus, program, preload, cases, table):
    calls = {}
    for number, case in enumerate(cases):
        key = case[0], case[2], case[3]
        if key not in calls:
            calls[key] = calls_of(hosts, isthmus, *key, program, preload, number)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("TEST_AT_ONCE", "4"))) as at_once:
        results = {at_once.submit(trial, hosts, isthmus, program, preload, case, calls[case[0], case[2], case[3]],
                                  number): case for number, case in enumerate(cases)}
        for result in concurrent.futures.as_completed(results):
            case = results[result]
            kind, took, is_wrong, at, output = result.result()
            table[case[0], case[1], "one" if case[2] == 1 else "two", case[4], case[5]].append((kind, took, is_wrong))
            if is_wrong:
                print(f"{kind} after {took:.1f} s: {case}, call {at}\n{output}", flush=True)


def main():
    isthmus, program, preload = map(os.path.abspath, sys.argv[1:4])
    trials = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    cases = cases_of(trials, int(sys.argv[5]) if len(sys.argv) > 5 else 1, sys.argv[6:])
    cases = [case for case in cases if shutil.which(LAUNCHERS[case[0]])]
    table = collections.defaultdict(list)
    problems = []
    try:
        for count in sorted({case[1] for case in cases}):
            with tempfile.TemporaryDirectory() as folder, Hosts(count, folder) as hosts:
                try_cases(hosts, isthmus, program, preload, [case for case in cases if case[1] == count], table)
                for launcher, part in SLOW_ONES if trials == 0 and count == 2 else ():
                    if shutil.which(LAUNCHERS[launcher]):
                        problems.append(slow_problem(hosts, isthmus, program, preload, launcher, part, len(problems)))
        if trials == 0:
            problems += manager_problems(isthmus, program, preload)
    except Unavailable as reason:
        print(reason)
        return 77
    kinds = ["named", "by launcher", "by status", "host"]
    print(f"| launcher | hosts | PEs a host | wrapper | fault | trials | {' | '.join(kinds)} | other | longest |")
    print("|---" * (9 + len(kinds) - 1) + "|")
    for key, results in sorted(table.items()):
        count = collections.Counter(kind for kind, _, _ in results)
        other = sum(count.values()) - sum(count[kind] for kind in kinds)
        print(f"| {' | '.join(map(str, key))} | {len(results)} | {' | '.join(str(count[kind]) for kind in kinds)} | "
              f"{other} | {max(took for _, took, _ in results):.1f} s |")
    print("".join(problems), end="")
    return 1 if any(problems) or any(wrong for results in table.values() for _, _, wrong in results) else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    sys.exit(main())
