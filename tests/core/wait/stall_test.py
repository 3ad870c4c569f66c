#!/usr/bin/env python3
"""Hangs jobs on purpose for a moment and reads the stall report: who waits for what, since when.

stall_test.py ISTHMUS STALL_PROGRAM [THE_SAME_OTHERWISE_LINKED...]
"""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import time

LATE = 40  # seconds: on a machine that is busy, a PE may not run for a while
NUMBER = r"\d+\.\d s"
NOBODY = "nobody can end this"
IN_BLOCK = r"0x[0-9a-f]+8 inside the block of 128 bytes at 0x[0-9a-f]+"


def run(launcher, program, what, limit, patterns=(), late=LATE, told_by=signal.SIGUSR1, **settings):
    """What the job has told until it goes on, as soon as all of these have been, or at all."""
    job = subprocess.Popen([launcher, "run", "-n", "3", program, what, str(late)], text=True,
                           env={**os.environ, "ISTHMUS_STALL_SECONDS": str(limit), **settings},
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    report = ""
    for line in job.stderr if patterns else ():
        report += line
        if all(re.search(pattern, report, re.MULTILINE) for pattern in patterns):
            break
    if patterns:
        job.send_signal(told_by)  # the launcher passes it on
    output, rest = job.communicate(timeout=50)
    assert job.returncode == 0, f"{what}: status {job.returncode}\n{report}{rest}"
    assert "went on" in output, f"{what} did not go on"
    return report if patterns else rest


def check(launcher, program, what, patterns, never=(), limit=0.3, **settings):
    """Lines of that kind come, at last, and none of the others meanwhile."""
    report = run(launcher, program, what, limit, patterns, **settings)
    for pattern in patterns:
        assert re.search(pattern, report, re.MULTILINE), f"{what}: no line matches\n  {pattern}\nin\n{report}"
    for pattern in never:
        assert not re.search(pattern, report, re.MULTILINE), f"{what}: there is\n  {pattern}\nin\n{report}"
    return report


def barrier(launcher, program):
    begin = time.monotonic()
    report = check(launcher, program, "barrier", [
        rf"^isthmus: PE [01] \(host \S+\): shmem_barrier_all: no progress for {NUMBER}, waiting for PE \d "
        r"\(ISTHMUS_STALL_SECONDS\)$",
        "|".join(rf"^isthmus: PE {speaker} .*\n(isthmus:   .*\n)*"
                 rf"isthmus:   PE {1 - speaker}: in shmem_barrier_all for {NUMBER}, waiting for PE \d$" for speaker in (0, 1)),
        r"waiting for PE 2",
        r"^isthmus:   PE 2: asleep in a call of the system; last noted call shmem_barrier_all$",
        r"no progress(.|\n)*no progress"])
    # One PE speaks for all, again and again as long as it lasts, but no more often than asked.
    count, lasted = report.count("no progress"), time.monotonic() - begin
    assert count <= 1 + lasted / 0.3, f"{count} reports in {lasted} s\n{report}"


def flag(launcher, program, watched):
    report = check(launcher, program, "flag", [
        r"^isthmus:   PE 2: asleep in a call of the system; last noted call",
        rf"shmem_wait_until: no progress for {NUMBER}{watched} \(ISTHMUS_STALL_SECONDS\)$|"
        rf"PE 0: in shmem_wait_until for {NUMBER}{watched}$"], [NOBODY])
    # Who does not wait is told first.
    others = re.findall(r"^isthmus:   PEs? \S+: (asleep|in)", report.split("no progress")[1], re.MULTILINE)
    assert others[0] == "asleep", report


def main():
    launcher, program, *others = sys.argv[1:]
    watched = r", watching flag \(is 0; waits for == 1\)"
    advice = r"^isthmus:   ISTHMUS_CHECK=1 tells what PEs poll that compute$"
    computing = r"^isthmus:   PE 2: computing; last noted call shmem_barrier_all$"
    in_queue = rf"isthmus_dequeue: no progress for {NUMBER}, watching 0x[0-9a-f]+ in queue 0x7"
    loop = {"ISTHMUS_TRANSPORT": "loop"}
    slow = {**loop, "ISTHMUS_LOOP_DELAY": "100000", "limit": 0.1}
    checked = {"ISTHMUS_CHECK": "1"}
    # With a road each closes its window by itself, of one thread or of several, also where the window does not
    # reach all that is near: PE 2 reaches itself.
    closes = {**loop, "TEST_ONE_THREAD": "1"}
    nodes = {"ISTHMUS_NODES": "1,2"}
    cases = [
        # Of a collective of a team that is not the world, which one.
        ("team", [rf"shmem_team_sync: no progress for {NUMBER}, waiting for PE \d, in team 2 \(PEs 0-2\) "
                  r"\(ISTHMUS_STALL_SECONDS\)$",
                  rf"^isthmus:   PE [01]: in shmem_team_sync for {NUMBER}, waiting for PE \d, in team 2 \(PEs 0-2\)$"]),
        # All wait: that is said, and those that wait for the same variable share a line.
        ("all", [r"^isthmus:   nobody can end this: all PEs wait \(unless a thread of the program goes on\)$",
                 r"^isthmus:   PEs \d,\d: in shmem_wait_until for [0-9.s to]+, watching flag "
                 r"\(is 0; waits for >= [34] to [45]\)$"]),
        # Of a job that goes on, though all are in waits, it is not said.
        ("begins", [r"no progress(.|\n)*PE 0 .*: shmem_wait_until: no progress"], [NOBODY], {"limit": 2}),
        # Who runs is asked what it fetches, and goes on as before. Where its fetches cannot be seen, that is
        # said; of another interface's window is open meanwhile.
        ("busy", [computing], [advice]),
        ("busy", [computing], [advice], checked),
        ("busy", [computing], [advice], loop),
        ("busy", [computing], [advice], closes),
        ("busy", [computing], [advice], nodes),
        ("kept", [advice]),
        ("stopped", [r"^isthmus:   PE 2: stopped, by a signal or a debugger; last noted call shmem_barrier_all$"], [],
         {"told_by": signal.SIGCONT}),
        # Who ends early says so, and not that it waits in what it never called.
        ("exits", [r"^isthmus: PE 2 \(host \S+\): has exited without shmem_finalize, and waits for the others: "
                   rf"no progress for {NUMBER}, waiting for PE [01] \(ISTHMUS_STALL_SECONDS\)$"]),
        # Who waits for no more than an answer of another's road goes on by itself. The answers take so
        # long that nearly each look meets such a wait.
        ("fetches", [r"no progress(.|\n)*PE 2: .*\n"], [NOBODY], slow),
        # Nor is it in the call that it noted last.
        ("adds", [r"\A.*\n(isthmus:   .*\n)*isthmus:   PE 2: (in operations that wait for their answers|computing|asleep "
                  r"in a call of the system); last noted call shmem_barrier_all$"], [], slow),
        ("lock", [rf"shmem_set_lock: no progress for {NUMBER}, waiting for PE 2, watching lock, which PE 2 holds |"
                  rf"PE 0: in shmem_set_lock for {NUMBER}, waiting for PE 2, watching lock, which PE 2 holds$"]),
        # A loop of tests of a lock is a wait as well, but nobody knows that it ends only so.
        *(("test-lock", [rf"shmem_test_lock: no success for {NUMBER}, watching lock, which PE 2 holds "
                         r"\(ISTHMUS_STALL_SECONDS\)$|"
                         rf"PE 0: calls shmem_test_lock in vain for {NUMBER}, watching lock, which PE 2 holds$"], [NOBODY], env)
          for env in ({}, checked, loop)),
        ("own-lock", [rf"PE 2 \(host \S+\): shmem_test_lock: no success for {NUMBER}, watching lock, which PE 2 holds |"
                      rf"PE 2: calls shmem_test_lock in vain for {NUMBER}, watching lock, which PE 2 holds$"], [NOBODY]),
        # Of two in turn the first; and the one that fails, whatever else the loop takes and clears.
        *((what, [rf"shmem_test_lock: no success for {NUMBER}, watching {which}, which PE 2 holds \(ISTHMUS_STALL_SECONDS\)$|"
                  rf"PE 0: calls shmem_test_lock in vain for {NUMBER}, watching {which}, which PE 2 holds$"], [NOBODY], env)
          for what, which in (("test-locks", "lock"), ("both-locks", "other_lock")) for env in ({}, loop)),
        # The first report already, where few yields have taken long.
        ("slow-yields", [rf"\A.*(PE 1 .*: shmem_barrier_all: no progress for|\n(isthmus:   .*\n)*"
                         rf"isthmus:   PE 1: in shmem_barrier_all for {NUMBER}, waiting for PE \d$)"], [], {"limit": 1}),
        # Of a PE's threads the one that waits longest, with the call that is its own.
        ("threads", [rf"^isthmus:   PE 0: in shmem_wait_until for {NUMBER}, watching boxes(\.\d)?\+8 bytes "
                     r"\(is 0; waits for == 1\)$"]),
        # Of several that wait for a lock.
        ("queue", [r"watching lock, which PE 2 holds"]),
        # A loop of tests is a wait.
        ("test", [rf"shmem_test: no success for {NUMBER}{watched} |"
                  rf"PE 0: calls shmem_test in vain for {NUMBER}{watched}$"], [NOBODY]),
        # Of several words, those that are waited for.
        ("any", [r"shmem_wait_until_any: no progress for .*, watching flags(\.\d)? \(are 0, 0, -2; waits for any >= 7\) |"
                 r"PE 0: in shmem_wait_until_any for .*, watching flags(\.\d)? "
                 r"\(are 0, 0, 0, -2; waits for any >= 7\)$"]),
        ("vector", [r"shmem_wait_until_some_vector: .*, watching flags(\.\d)? "
                    r"\(are 0, 0, -2; waits for any == 5, 7, 8\) |"
                    r"PE 0: in shmem_wait_until_some_vector for .*, watching flags(\.\d)? "
                    r"\(are 0, 0, 0, -2; waits for any == its own value\)$"]),
        ("malloc", [rf"shmem_malloc: no progress for {NUMBER}, waiting for PE [02] \(every PE must call it\)"]),
        # Who has allocated alone, between hosts; on one host the call itself ends the job.
        ("alone", [r"shmem_barrier_all: no progress for .*; calls that allocate or free symmetric memory: "
                   r"1 at PE 2, 0 at PE [01]; every PE must make each of them "], [], loop),
        ("segment", [rf"isthmus_event_wait: no progress for {NUMBER}, watching 0x[0-9a-f]+ in segment "
                     rf"0x5 \+ 16 \(is 0; waits for == 1\) |"
                     rf"PE 0: in isthmus_event_wait for {NUMBER} \(waits for == 1\)$"]),
        # The id of a queue, and whether there is something in it that cannot be dequeued.
        ("queue-empty", [rf"{in_queue}; the queue is empty "]),
        ("queue-reserved", [rf"{in_queue}; of the queue's 4096 bytes 128 are taken, by messages that are reserved and not "
                            r"committed, or dequeued and not released "]),
        ("event", [rf"isthmus_event_wait: no progress for {NUMBER}, watching flag \(is 0; waits for == 3\) |"
                   rf"PE 0: in isthmus_event_wait for {NUMBER}, watching flag \(is 0; waits for == 3\)$"]),
        *((what, [rf"isthmus_event_wait_any: no progress for {NUMBER}, watching words(\.\d)? \(are 0, 0, 0; "
                  rf"waits for any >= {own}\) |PE 0: in isthmus_event_wait_any for {NUMBER}, watching words(\.\d)? "
                  rf"\(are 0, 0, 0, 0; waits for any >= {others_see}\)$"])
          for what, own, others_see in (("event-any", "5", "5"), ("event-values", "5, 6, 7", "its own value"))),
        # Of whom others may wait for in vain: not that it waits for these.
        ("message", [rf"isthmus_message_wait: no progress for {NUMBER}, watching flag \(is 0; waits for == 3\) |"
                     rf"PE 0: in isthmus_message_wait for {NUMBER}, watching flag \(is 0; waits for == 3\)$"]),
        # Reductions and scans by their types, from whoever tells of them.
        *((what, [rf"^isthmus: PE [01] .*: shmem_long_{name}: no progress for {NUMBER}, waiting for PE \d(, watching sync.*)? \(",
                  rf"^isthmus:   PE [01]: in shmem_long_{name} for {NUMBER}, waiting for PE \d(, watching sync.*)?$"])
          for what, name in (("reduce", "sum_reduce"), ("scan", "sum_inscan"), ("to-all", "max_to_all"))),
        # What a wait that is for no word of the program's is for.
        *((what, [rf"{name}: no progress for {NUMBER}, waiting for id 0x1d to be published |"
                  rf"PE 0: in {name} for {NUMBER}, waiting for id 0x1d to be published$"])
          for what, name in (("clone", "isthmus_segment_clone"), ("clone-queue", "isthmus_queue_clone"))),
        ("kernel-arrivals", [rf"isthmus_kernel_wait_arrivals: no progress for {NUMBER}, waiting for 3 arrivals |"
                             rf"PE 0: in isthmus_kernel_wait_arrivals for {NUMBER}, waiting for 3 arrivals$"]),
        ("kernel-barrier", [rf"isthmus_kernel_barrier: no progress for {NUMBER}, waiting for PE \d |"
                            rf"PE [01]: in isthmus_kernel_barrier for {NUMBER}, waiting for PE \d$"]),
        ("finalize", [r"shmem_finalize: no progress",
                      rf"PE [01]: has called shmem_finalize, and waits for the others for {NUMBER}$"]),
        # Whoever has asked is stopped meanwhile.
        ("held", [r"no progress"]),
    ]

    # A loop of fetches notes nothing, and who runs is asked: the call that was noted in front of it stays.
    def polls(what, told, settings={}, started=program):
        last = r"shmem_\w+" if settings else "shmem_barrier_all"
        check(launcher, started, what, [rf"^isthmus:   PE 2: {told}; last noted call {last}$"], [NOBODY], **settings)

    again = r"again and again, value now"
    number = rf"fetches number(\.\d)? of PE 0 {again} 7"
    polling = [
        ("polls-g", number),
        *(("polls-g", number, {}, each) for each in others),
        ("leaves", number),
        ("polls-call", number),
        ("polls-packed", "computing"),
        ("polls-get", rf"fetches {IN_BLOCK} of PE 0 {again} 0", checked),
        ("polls-own", rf"fetches {IN_BLOCK} of PE 2 {again} 0"),
        ("polls-fraction", rf"fetches fraction(\.\d)? of PE 0 {again} 0\.5", checked),
        ("polls-swap", rf"compares and swaps lock of PE 0 {again} 0"),
        ("polls-signal", rf"fetches signal(\.\d)? of PE 2 {again} 9"),
        ("polls-heap", rf"fetches {IN_BLOCK} of PE 0 {again} 0", loop),
        ("polls-swap", rf"compares and swaps lock of PE 0 {again} 0", loop),
        ("polls-two", "computing"),
        # By the window, and by short and long calls on the road.
        ("polls-own", rf"fetches {IN_BLOCK} of PE 2 {again} 0", closes),
        ("polls-own", rf"fetches {IN_BLOCK} of PE 2 {again} 0", nodes),
        ("polls-signal", rf"fetches signal(\.\d)? of PE 2 {again} 9", closes),
        ("polls-heap", rf"fetches {IN_BLOCK} of PE 0 {again} 0", closes),
        ("polls-g", number, closes),
        ("leaves", number, closes),
    ]

    # Most of their time they sleep.
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(barrier, launcher, program), pool.submit(flag, launcher, program, watched)]
        for what, patterns, *more in cases:
            never, settings = (more + [[], {}][len(more):])
            jobs.append(pool.submit(check, launcher, program, what, patterns, never, **settings))
        jobs += [pool.submit(polls, *each) for each in polling]
        quiet = [pool.submit(run, launcher, program, "barrier", limit, late=0.5) for limit in (0, 20)]
        for job in jobs:
            job.result()
        assert quiet[0].result() == "", "0 turns the report off"
        assert quiet[1].result() == "", "a short wait is no stall"
    print("the stall report tells who waits for what, and the jobs went on")


if __name__ == "__main__":
    main()
