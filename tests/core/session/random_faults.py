#!/usr/bin/env python3
"""Faults at random times over the whole life of a job on one host, by `isthmus run` and by Hydra.

    random_faults.py ISTHMUS PROGRAM [TRIALS [SEED]]     PROGRAM is core_whole_life

A PE is killed, aborts, is stopped, or is stopped for a moment; the launcher's process above the PEs
is killed or stopped. A job that lost a PE ends within LIMIT seconds, not with 0, and says why; one
that only was slow ends well; one that hangs is ended by its launcher's own time limit, which says
so. PEs without a launcher end, or finish what they do. A line names nobody who is not lost. Nothing is
left: no process, no file in /dev/shm of any process of the job.
Every third round of faults the program runs within a shell that lives on where it has failed, for
longer than a job may take to end.
Prints a table of what was tried, also where it is interrupted, and each trial that went wrong with the seed that repeats it.
"""

import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../hosts"))
from processes import fields, is_ending, kill_all, marked, rank_of  # noqa: E402

PES = 4
DETECT = 2
# The start is watched by twice that, then a PE ends itself within seven seconds.
SLOW = float(os.environ.get("TEST_SLOWNESS", "1"))
LIMIT = (2 * DETECT + 7) * SLOW                           # seconds from the fault to the end
ROUNDS = 25                                               # at least, so that the job outlives the faults
HANG = 3                                                  # the launcher's limit where a PE stops
LIFE = 0.6                                                # seconds over which faults are spread
FAULTS = {"kill": signal.SIGKILL, "abort": signal.SIGABRT, "freeze": signal.SIGSTOP,
          "short freeze": signal.SIGSTOP, "launcher killed": signal.SIGKILL,
          "launcher stopped": signal.SIGSTOP}
# What it says of its own is on lines that are not ours.
SHELL = ["sh", "-c", '"$0" "$@" || sleep 60']
DEADLY = ("kill", "abort", "freeze", "launcher killed")
# The process above the PEs, or above their shells.
LAUNCHERS = {"run": "isthmus", "hydra": "hydra_pmi_proxy"}
OURS = re.compile(r"^(?:\[.*\] )?isthmus: (?:PE (\d+) \([^)]*\): )?(.*)$", re.MULTILINE)
# By the launcher, of the PE in front of it, or by that PE of itself.
OWN_END = re.compile(r"killed by|exited with|its process ended|SIG[A-Z]+: |has called")
IS_STOPPED = re.compile(r"its process \d+ has been stopped, by a signal, for \d+ s, and PE \d+ waits; ")
NAMED = re.compile(r"\bPEs? (\d+)")
# Where all were, which blames nobody.
CALLS = re.compile(r"; last noted calls?: .*")


def parents(pids, program):
    """Of those, what runs that program: its own children that are to become PEs do for a moment."""
    found = set()
    for pid in pids:
        try:
            for _ in range(2):
                pid = int(fields(pid)[1])
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == program:
                    found.add(pid)
                    break
        except OSError:
            continue
    return sorted(found)


def rounds_for(life, isthmus, program):
    """So many that a job lasts longer than that on this machine."""
    began = time.monotonic()
    subprocess.run([isthmus, "run", "-n", str(PES), program, str(ROUNDS)], check=True)
    return max(ROUNDS, int(ROUNDS * 1.2 * life / (time.monotonic() - began)))


def launch(launcher, isthmus, within, program, rounds, hangs, environment):
    if launcher == "run":
        words = [isthmus, "run", "-n", str(PES)]
        words += ["--timeout", str(HANG)] if hangs else []
    else:
        words = ["mpiexec.hydra", "-n", str(PES)]
        if hangs:
            environment["MPIEXEC_TIMEOUT"] = str(HANG)
    return subprocess.Popen(words + within + [program, str(rounds)], env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, start_new_session=True)


def wrongly_named(lines, lost):
    """Lines that name a PE that is not lost."""
    found = []
    for speaker, text in lines:
        named = {int(pe) for pe in NAMED.findall(CALLS.sub("", text))}
        if speaker and OWN_END.match(text):
            named.add(int(speaker))
        if named - lost:
            found.append(text)
    return found


def disturb(job, launcher, mark, program, fault, delay, chosen):
    """Whose process was disturbed, None if there was none; which PEs are lost by it, None if that is not
    known; and all processes of the job."""
    deadline = time.monotonic() + 20
    while not (there := marked(mark, program)):
        if job.poll() is not None or time.monotonic() > deadline:
            return None, set(), set()
    time.sleep(delay)
    there = marked(mark, program)
    all_there = set(marked(mark))
    if there and fault.startswith("launcher"):
        there = parents(there, LAUNCHERS[launcher])
    if not there:
        return None, set(), all_there
    victim = there[chosen % len(there)]
    lost = set(range(PES)) if fault.startswith("launcher") else {rank_of(victim)}
    if is_ending(victim):
        return None, set(), all_there
    try:
        os.kill(victim, FAULTS[fault])
        if fault == "short freeze":
            time.sleep(0.3)
            os.kill(victim, signal.SIGCONT)
    except ProcessLookupError:
        return None, set(), all_there
    return victim, None if None in lost else lost, all_there


def trial(number, seed, launcher, isthmus, program, rounds):
    dice = random.Random(f"{seed}/{number}")
    fault = list(FAULTS)[number // 2 % len(FAULTS)]
    within = SHELL if number // 2 // len(FAULTS) % 3 == 2 else []
    # The start is short: half of these come in it.
    life = dice.choice((LIFE / 6, LIFE)) if within else LIFE
    delay, chosen = dice.uniform(0, life), dice.randrange(PES)
    mark = f"FAULTS_{os.getpid()}_{number}_{time.time_ns()}"
    hangs = fault == "freeze"
    ended = fault == "launcher killed"
    alone = fault == "launcher stopped"
    files = set(os.listdir("/dev/shm"))
    environment = dict(os.environ, TEST_MARK=mark, ISTHMUS_SPIN="0",
                       ISTHMUS_DETECT_SECONDS=str(DETECT), ISTHMUS_JOIN_SECONDS=str(2 * DETECT))
    job = launch(launcher, isthmus, within, program, rounds, hangs, environment)
    victim, lost, pids = disturb(job, launcher, mark, program, fault, delay, chosen)
    pids |= set(marked(mark))
    began = time.monotonic()
    wrong = []
    happened = victim is not None
    # Who has lost nothing goes on, as fast as the machine lets it.
    survives = not happened or alone or fault == "short freeze"
    limit = 60 * SLOW if survives else LIMIT + (HANG if hangs else 0)
    if happened and alone:
        while marked(mark, program) and time.monotonic() < began + limit:
            time.sleep(0.05)
        if marked(mark, program):
            wrong.append(f"PEs still run after {limit} s")
        try:
            os.kill(victim, signal.SIGCONT)
        except ProcessLookupError:
            pass  # a line of its own has ended it
    # Nobody is left to end a shell that sleeps.
    if happened and ended and within and launcher == "hydra":
        while marked(mark, program) and time.monotonic() < began + limit:
            time.sleep(0.05)
        if marked(mark, program):
            wrong.append(f"PEs still run after {limit} s")
        kill_all(marked(mark))
    try:
        output = job.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        wrong.append(f"still runs after {limit} s")
        kill_all(marked(mark))
        output = job.communicate()[0]
    took = time.monotonic() - began
    # That a PE is stopped is told while the job waits for it; more is said at its end.
    said = [(who, text) for who, text in OURS.findall(output)
            if not (fault == "freeze" and IS_STOPPED.match(text) and lost in (None, {int(who)}))]
    lines = len(said)
    died = happened and fault != "short freeze" and not alone
    # A PE may be stopped when it has nothing to do any more but to end; that is a hang, too.
    if died and job.returncode == 0:
        wrong.append("ended with status 0")
    if not died and not (happened and alone) and (job.returncode != 0 or lines != 0):
        wrong.append(f"status {job.returncode}, although no PE was lost")
    # Nobody can speak for a launcher that is killed.
    silent = ended and launcher == "run"
    if died and not silent and (lines != 1 if launcher == "run" else lines > 1):
        wrong.append(f"{lines} lines of ours")
    if died and lost is not None and (named := wrongly_named(said, lost)):
        wrong.append(f"lost were only {sorted(lost)}: {named}")
    end = time.monotonic() + 2
    # Hydra ends what it has started, and not what a shell has, if that has just done so.
    ours = program if within and launcher == "hydra" else None
    while (left := marked(mark, ours)) and time.monotonic() < end:
        time.sleep(0.05)
    kill_all(marked(mark))
    if left:
        wrong.append(f"left processes {left}")
    new = [name for name in set(os.listdir("/dev/shm")) - files
           if pids & {int(number) for number in re.findall(r"\d+", name)}]
    if new:
        wrong.append(f"left /dev/shm/{new}")
    if wrong:
        print(f"trial {number}, seed {seed}: {launcher}{', in a shell' if within else ''}, {fault} of PE process "
              f"{chosen} after {delay:.3f} s: {'; '.join(wrong)}\n{output}")
    # Hydra says nothing of a process that has gone before its first word.
    what = fault if happened else "ended before"
    return what + (", in a shell" if within else ""), took, bool(wrong), not output.strip()


def main():
    isthmus, program = map(os.path.realpath, sys.argv[1:3])
    trials = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    launchers = ["run", "hydra"]
    if not shutil.which("mpiexec.hydra"):
        print("no mpiexec.hydra: by isthmus run alone")
        launchers = ["run"]
    rounds = rounds_for(LIFE, isthmus, program)
    table = collections.defaultdict(list)
    try:
        for number in range(trials):
            launcher = launchers[number % len(launchers)]
            what, *result = trial(number, seed, launcher, isthmus, program, rounds)
            table[launcher, what].append(result)
    except KeyboardInterrupt:
        print("Interrupted; these trials were over:")
    print("| launcher | fault | trials | longest to the end | without a word | wrong |\n"
          "|---|---|---|---|---|---|")
    for (launcher, what), results in sorted(table.items()):
        longest = max(took for took, _, _ in results)
        print(f"| {launcher} | {what} | {len(results)} | {longest:.1f} s | "
              f"{sum(silent for _, _, silent in results) if what.startswith(DEADLY) else ''} | "
              f"{sum(wrong for _, wrong, _ in results)} |")
    return 1 if any(wrong for results in table.values() for _, wrong, _ in results) else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # a trial that went wrong is seen at once
    sys.exit(main())
