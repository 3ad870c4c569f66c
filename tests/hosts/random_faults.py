#!/usr/bin/env python3
"""Faults at random times over the whole life of a job on 2 or 3 hosts made of namespaces, by Hydra and
by `isthmus run --launcher ssh`.

    random_faults.py ISTHMUS PROGRAM [TRIALS [SEED [FAULT]]]     PROGRAM is core_whole_life

A PE is killed, aborts, is stopped, or is stopped for a moment; a host is cut off, or for a moment;
one of the process manager's proxies is killed or stopped. A job that lost something ends at every host within
limit_of() seconds of when it waits, not with 0, and says why in at most a line a host; one that was only
slow ends well. A line names nobody who is not lost. Nothing is left: no process, no file in /dev/shm.
One round of faults after the other is by Hydra, by ssh, by ssh and by Hydra in a shell that lives on
where its program has failed, for longer than a job may take to end; of two trials one is of a life of two
sessions, in which both interfaces begin.
Prints a table of what was tried, also where it is interrupted, and each trial that went wrong with the seed that
repeats it. Exit status 77: not possible here.

The launcher's own connections are not the library's: a cut waits until every PE runs, since the
launcher's other halves have made theirs by then; and behind one the next trial waits until all hosts
reach each other.
"""

import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from hosts import Hosts, Unavailable
from processes import fields, is_alive, is_ending, kill_all, marked, rank_of

DETECT = 3.0
SLOW = float(os.environ.get("TEST_SLOWNESS", "1"))
# By the constants of src/core/session/start_watch.cpp: a wait of the start that does not end is told by who can name a
# PE after twice the detection time. Others leave it NAMERS seconds, and hosts without PE 0 OTHERS more and half a
# second for each PE in front of their first, one after the other. Then a PE ends the job: its host has ended END
# seconds later, or KILLED where the part of the process manager there has stopped and does not read what is said.
NAMERS, OTHERS, END, KILLED = 3, 3, 2, 5
EACH = 2  # PEs a host
# Until it waits a PE does what it needs no others for: of the start with libfabric, on a busy machine (docs/start-up.md);
# at least; where a whole job that nothing disturbs takes longer, so long.
STILL = 3


def limit_of(hosts, end=END):
    """At the host that speaks last, from when its PEs wait."""
    return (2 * DETECT + NAMERS + OTHERS + min(EACH * (hosts - 1), 6) / 2 + end) * SLOW


LIMIT = limit_of(3)
ROUNDS = 25  # at least, so that the job outlives the faults
LAUNCHERS = {"mpiexec.hydra", "hydra_pmi_proxy", "isthmus", "sh", "dash", "bash", "nsenter", "sleep"}
# Who starts the PEs, and whether in a shell.
WAYS = [("hydra", False), ("ssh", False), ("ssh", True), ("hydra", True)]
LIVES_ON = '#!/bin/sh\n"$@" || sleep 60\n'
# Seconds over which faults are spread: the start, and all of the life.
START, LIFE = 0.5, 1.5
# Behind a cut the kernel may take a second until it asks for a neighbour's address again. So that the
# silence still is shorter than three quarters of the detection time, this is longer for short cuts.
SHORT_CUT, SHORT_CUT_DETECT = 1.5, 4.0
# On a busy machine it may take longer, and is then no promise: less one beat between hosts in doubt.
LONGEST_CUT = (3 / 4 - 1 / 16) * SHORT_CUT_DETECT
TOO_LONG = ("cut for too long",)
FAULTS = ["kill", "abort", "freeze", "short freeze", "cut", "short cut", "proxy killed",
          "proxy frozen"]
SIGNALS = {"kill": signal.SIGKILL, "abort": signal.SIGABRT, "proxy killed": signal.SIGKILL}
SURVIVED = ("short freeze", "short cut")
CUTS = ("cut", "short cut")
# The launcher's own words.
NOT_CONNECTED = re.compile(r"HYDU_sock_connect|unable to connect from", re.MULTILINE)
OURS = re.compile(r"^(?:\[.*\] )?isthmus: PE (\d+) \(host (\w+)\): (.*)$", re.MULTILINE)
NAMED = re.compile(r"\bPE (\d+)(?! waits in )")  # who waits for the one that is lost is no other cause


def rounds_for(life, hosts, program):
    """So many that a job lasts longer than that on this machine, and for how long one goes on by itself."""
    began = time.monotonic()
    job = launch(hosts, program, EACH * hosts.count, dict(os.environ, ISTHMUS_SPIN="0"))
    output = job.communicate()[0]
    if job.returncode != 0:
        sys.exit(f"an undisturbed job ends with status {job.returncode}: {output}")
    took = time.monotonic() - began
    return max(ROUNDS, int(ROUNDS * 1.2 * life / took)), max(STILL * SLOW, took)


def launch(hosts, program, pes, environment, rounds=ROUNDS, isthmus=None, in_shell=False, twice=False):
    """By Hydra, or by that tool over ssh."""
    each = pes // hosts.count
    words = [hosts.shell, hosts.names()[0]]
    if isthmus:
        environment = dict(environment, ISTHMUS_REMOTE_SHELL=hosts.shell)
        words += [isthmus, "run", "--launcher", "ssh", "--hosts",
                  ",".join(f"{name}:{each}" for name in hosts.names())]
    else:
        words += ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", hosts.shell, "-hosts",
                  ",".join(hosts.names()), "-ppn", str(each), "-n", str(pes)]
    if in_shell:
        script = os.path.join(hosts.folder, "lives-on")
        if not os.path.exists(script):
            with open(script, "w") as file:
                file.write(LIVES_ON)
            os.chmod(script, 0o755)
        words.append(script)
    words += [program, str(rounds)] + (["twice"] if twice else [])
    return subprocess.Popen(words, env=environment, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            start_new_session=True)


def ranks(pids, parent=None):
    """Of PEs, by process: only of those children, in a shell or not, if there is one. Those that have gone are left out."""
    found = {}
    for pid in pids:
        above = parent_of(pid)
        if parent is not None and parent not in (above, parent_of(above)):
            continue
        if (rank := rank_of(pid)) is not None:
            found[pid] = rank
    return found


def parent_of(pid):
    try:
        return int(fields(pid)[1])
    except OSError:
        return None


def wrongly_named(lines, lost, cut_off):
    """Lines that name a PE that is not lost. To those that are cut off all others are."""
    found = []
    for speaker, _, text in lines:
        named = {int(pe) for pe in NAMED.findall(text)}
        allowed = lost
        if cut_off and int(speaker) in lost:
            named, allowed = named & lost, {int(speaker)}
        if named - allowed:
            found.append(text)
    return found


def disturb(job, hosts, mark, program, pes, fault, delay, chosen):
    """Whose process was stopped, none where a host was cut off, TOO_LONG if that was no short cut any
    more; or None if nothing was there to be disturbed. And the PEs that are lost by it."""
    name = os.path.basename(program)
    deadline = time.monotonic() + 20
    awaited = pes if fault in CUTS else 1
    while len(marked(mark, name)) < awaited:
        if job.poll() is not None or time.monotonic() > deadline:
            return None, set()
    time.sleep(delay)
    there = marked(mark, name)
    if not there:
        return None, set()
    if fault in CUTS:
        began = time.monotonic()
        hosts.cut_off(hosts.count)
        if fault == "short cut":
            time.sleep(SHORT_CUT)
            hosts.join(hosts.count)
            return () if hosts.reached_again(hosts.count) - began < LONGEST_CUT else TOO_LONG, set()
        far = set(range(pes - pes // hosts.count, pes))
        return () if any(is_alive(pid) for pid in there) else None, far
    lost = ranks(there)
    if fault.startswith("proxy"):
        # Not their own children, which are to become PEs.
        proxies = marked(mark, "hydra_pmi_proxy")
        there = [pid for pid in proxies if parent_of(pid) not in proxies]
        if not there:
            return None, set()
    victim = there[chosen % len(there)]
    lost = set(ranks(lost, victim).values()) if fault.startswith("proxy") else {lost.get(victim)}
    if is_ending(victim):
        return None, set()
    try:
        os.kill(victim, SIGNALS.get(fault, signal.SIGSTOP))
        if fault == "short freeze":
            time.sleep(1)
            os.kill(victim, signal.SIGCONT)
    except ProcessLookupError:
        return None, set()
    return (victim,), lost


def is_launchers(pid):
    """Whether a process is of the process manager, which may wait for its other halves."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")) in LAUNCHERS
    except OSError:
        return True  # it has gone


def name_of(way):
    return way[0] + (", in a shell" if way[1] else "")


def way_of(number, faults):
    """By rounds of faults. What happens to the launcher's other halves is Hydra's."""
    launcher, in_shell = WAYS[number // 2 // len(faults) % len(WAYS)]
    return ("hydra" if faults[number // 2 % len(faults)].startswith("proxy") else launcher), in_shell


def is_twice(number, seed):
    return random.Random(f"{seed}/{number}/twice").random() < 0.5


def trial(number, seed, hosts, isthmus, program, rounds, still, fault, way):
    dice = random.Random(f"{seed}/{number}")
    delay, chosen = dice.uniform(0, dice.choice((START, LIFE))), dice.randrange(64)
    pes = EACH * hosts.count
    mark = f"FAULTS_{os.getpid()}_{number}_{time.time_ns()}"
    detect = SHORT_CUT_DETECT if fault == "short cut" else DETECT
    environment = dict(os.environ, TEST_MARK=mark, ISTHMUS_SPIN="0",
                       ISTHMUS_DETECT_SECONDS=str(detect), ISTHMUS_JOIN_SECONDS=str(2 * detect))
    files = hosts.shared_files()
    launcher, in_shell = way
    job = launch(hosts, program, pes, environment, rounds, isthmus if launcher == "ssh" else None, in_shell,
                 is_twice(number, seed))
    disturbed, lost = disturb(job, hosts, mark, program, pes, fault, delay, chosen)
    began = time.monotonic()
    wrong = []
    died = disturbed is not None and fault not in SURVIVED
    any_end = disturbed == TOO_LONG
    name = os.path.basename(program)
    # Who is stopped cannot end; all others must, by themselves.
    stopped = disturbed if died and "fr" in fault else ()
    limit = 60 * SLOW
    if died:
        # Nobody asks a frozen one anything before the job's own end.
        limit = limit_of(hosts.count, KILLED if fault == "proxy frozen" else END) + still
    others = [pid for pid in marked(mark, name) if pid not in stopped]
    while any(is_alive(pid) for pid in others) and time.monotonic() - began < limit:
        time.sleep(0.05)
        others = [pid for pid in set(others) | set(marked(mark, name)) if pid not in stopped]
    took = time.monotonic() - began
    if any(is_alive(pid) for pid in others):
        wrong.append(f"PEs {[pid for pid in others if is_alive(pid)]} still run after {took:.1f} s")
    # The launcher may wait for the other half of its own, or for who is stopped.
    ended = True
    try:
        output = job.communicate(timeout=3 if died else 20)[0]
    except subprocess.TimeoutExpired:
        ended = False
        kill_all(marked(mark))
        output = job.communicate()[0]
    if fault in CUTS:
        hosts.join(hosts.count)
        hosts.await_links()
    # That of a job which ended just then waits for its half on the host that was cut off.
    if not ended and not died and fault != "cut":
        wrong.append("the launcher does not end")
    # Where the launcher has no connections of its own to lose (ssh is faked), and the PEs were through.
    if fault == "cut" and job.returncode == 0 and not output.strip():
        died, disturbed = False, None
    lines = OURS.findall(output)
    of_hosts = collections.Counter(host for _, host, _ in lines)
    if died and job.returncode == 0:
        wrong.append("ended with status 0")
    launchers_own = fault in CUTS and NOT_CONNECTED.search(output)
    if not died and ended and (job.returncode != 0 or lines) and not (launchers_own or any_end):
        wrong.append(f"status {job.returncode}, although nothing was lost")
    if died and not output.strip() and ended:
        wrong.append("ended without a word")
    if any(count > 1 for count in of_hosts.values()):
        wrong.append(f"lines of ours: {dict(of_hosts)}")
    if died and None not in lost and (named := wrongly_named(lines, lost, fault in CUTS)):
        wrong.append(f"lost were only {sorted(lost)}: {named}")
    end = time.monotonic() + 2
    while (left := marked(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    ours = [pid for pid in left if pid not in stopped and not is_launchers(pid)]
    kill_all(left)
    if ours:
        wrong.append(f"left processes {ours}")
    # Whoever it was: nobody else is on these hosts.
    if new := hosts.shared_files() - files:
        wrong.append(f"left in /dev/shm {sorted(new)}")
    if wrong:
        print(f"trial {number}, seed {seed}: {name_of(way)}, {fault}, {chosen}, after {delay:.3f} s{', twice' * is_twice(number, seed)} on "
              f"{hosts.count} hosts: {'; '.join(wrong)}\n{output}", flush=True)
    what = fault if disturbed is not None else "ended before"
    if any_end:
        what = TOO_LONG[0]
    if launchers_own:
        what = "launcher could not connect"
    return what, took, bool(wrong), len(lines)


def main():
    isthmus, program = map(os.path.abspath, sys.argv[1:3])
    trials = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    faults = sys.argv[5:] or FAULTS
    if not shutil.which("mpiexec.hydra"):
        print("mpiexec.hydra is not installed (tools/install-packages.sh --hosts)")
        return 77
    table = collections.defaultdict(list)
    try:
        for count in (2, 3):
            with tempfile.TemporaryDirectory() as folder, Hosts(count, folder) as hosts:
                rounds, still = rounds_for(LIFE, hosts, program)
                for number in range(count - 2, trials, 2):
                    fault = faults[number // 2 % len(faults)]
                    way = way_of(number, faults)
                    result = trial(number, seed, hosts, isthmus, program, rounds, still, fault, way)
                    table[count, name_of(way), result[0]].append(result[1:])
    except Unavailable as reason:
        print(reason)
        return 77
    except KeyboardInterrupt:
        print("Interrupted; these trials were over:")
    print("| hosts | launcher | fault | trials | longest to the end | lines of ours: none | several | wrong |")
    print("|---|---|---|---|---|---|---|---|")
    for (count, way, what), results in sorted(table.items()):
        longest = max(took for took, _, _ in results)
        silent = sum(lines == 0 for _, _, lines in results)
        several = sum(lines > 1 for _, _, lines in results)
        print(f"| {count} | {way} | {what} | {len(results)} | {longest:.1f} s | {silent} | {several} | "
              f"{sum(wrong for _, wrong, _ in results)} |")
    return 1 if any(wrong for results in table.values() for _, wrong, _ in results) else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # a trial that went wrong is seen at once
    sys.exit(main())
