#!/usr/bin/env python3
"""Hangs jobs on purpose for a moment and reads the stall report: who waits for what, since when.

stall_test.py ISTHMUS STALL_PROGRAM
"""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys

LATE = (1.0, 3.0, 9.0)  # on a machine that is busy, a PE may not run for a second
NUMBER = r"\d+\.\d s"
IN_BLOCK = r"0x[0-9a-f]+8 inside the block of 128 bytes at 0x[0-9a-f]+"


def stall(launcher, program, what, limit, **settings):
    """The report, and how long what it is about lasted; longer and longer until there is one."""
    for late in LATE:
        report = run(launcher, program, what, limit, late, **settings)
        if "no progress" in report or "no success" in report:
            break
    return report, late


def run(launcher, program, what, limit, late=LATE[0], **settings):
    environment = {**os.environ, "ISTHMUS_STALL_SECONDS": str(limit), **settings}
    result = subprocess.run([launcher, "run", "-n", "3", program, what, str(late)],
                            env=environment, capture_output=True, text=True, timeout=50, check=False)
    assert result.returncode == 0, f"{what}: status {result.returncode}\n{result.stderr}"
    assert "went on" in result.stdout, f"{what} did not go on"
    return result.stderr


def stopped(launcher, program):
    """A PE that stops itself, until the others have told."""
    job = subprocess.Popen([launcher, "run", "-n", "3", program, "stopped", "0"], text=True,
                           env={**os.environ, "ISTHMUS_STALL_SECONDS": "0.3"},
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    lines = []
    for line in job.stderr:
        lines.append(line)
        if re.search(r"PE 2: stopped", line):
            break
    job.send_signal(signal.SIGCONT)  # the launcher passes it on
    _, rest = job.communicate(timeout=50)
    assert job.returncode == 0, rest
    return "".join(lines)


def expect(what, pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f"{what}: no line matches\n  {pattern}\nin\n{text}"
    return found.group(found.lastindex or 0)


def main():
    launcher, program = sys.argv[1:]

    report, late = stall(launcher, program, "barrier", 0.3)
    speaker = expect("barrier", rf"^isthmus: PE ([01]) \(host \S+\): shmem_barrier_all: no progress "
                                rf"for {NUMBER}, waiting for PE \d \(ISTHMUS_STALL_SECONDS\)$", report)
    other = 1 - int(speaker)
    expect("barrier", rf"^isthmus:   PE {other}: in shmem_barrier_all for {NUMBER}, waiting for PE \d$",
           report)
    expect("barrier", r"waiting for PE 2", report)
    expect("barrier", r"^isthmus:   PE 2: asleep in a call of the system; last noted call shmem_barrier_all$", report)
    # One PE speaks for all, again and again as long as it lasts, but no more often than asked.
    count = report.count("no progress")
    assert 1 <= count <= 4 * late, f"{count} reports in {late} s\n{report}"

    report, _ = stall(launcher, program, "flag", 0.3)
    expect("flag", r"^isthmus:   PE 2: asleep in a call of the system; last noted call", report)
    watched = r", watching flag \(is 0; waits for == 1\)"
    expect("flag", rf"shmem_wait_until: no progress for {NUMBER}{watched} \(ISTHMUS_STALL_SECONDS\)$|"
                   rf"PE 0: in shmem_wait_until for {NUMBER}{watched}$", report)
    # Who does not wait is told first.
    others = re.findall(r"^isthmus:   PEs? \S+: (asleep|in)", report.split("no progress")[1], re.MULTILINE)
    assert others[0] == "asleep", report
    assert "nobody can end this" not in report, report

    # Of a collective of a team that is not the world, which one.
    report, _ = stall(launcher, program, "team", 0.3)
    expect("team", rf"shmem_team_sync: no progress for {NUMBER}, waiting for PE \d, in team 2 \(PEs 0-2\) "
                   rf"\(ISTHMUS_STALL_SECONDS\)$", report)
    expect("team", rf"^isthmus:   PE [01]: in shmem_team_sync for {NUMBER}, waiting for PE \d, in team 2 "
                   rf"\(PEs 0-2\)$", report)

    # All wait: that is said, and those that wait for the same variable share a line.
    report, _ = stall(launcher, program, "all", 0.3)
    expect("all", r"^isthmus:   nobody can end this: all PEs wait \(unless a thread of the program goes on\)$",
           report)
    expect("all", rf"^isthmus:   PEs \d,\d: in shmem_wait_until for [0-9.s to]+, watching flag "
                  r"\(is 0; waits for >= [34] to [45]\)$", report)

    # Who runs, and who is stopped.
    report, _ = stall(launcher, program, "busy", 0.3)
    expect("busy", r"^isthmus:   PE 2: computing; last noted call shmem_barrier_all$", report)
    # Who may poll is told how to learn of it; in checked mode it is asked, and goes on as before.
    advice = r"^isthmus:   ISTHMUS_CHECK=1 tells what PEs poll that compute$"
    expect("busy", advice, report)
    report, _ = stall(launcher, program, "busy", 0.3, ISTHMUS_CHECK="1")
    expect("busy, checked", r"^isthmus:   PE 2: computing; last noted call shmem_barrier_all$", report)
    assert not re.search(advice, report, re.MULTILINE), report
    report = stopped(launcher, program)
    expect("stopped", r"^isthmus:   PE 2: stopped, by a signal or a debugger; last noted call shmem_barrier_all$",
           report)

    # Who ends early says so, and not that it waits in what it never called.
    report, _ = stall(launcher, program, "exits", 0.3)
    expect("exits", rf"^isthmus: PE 2 \(host \S+\): has exited without shmem_finalize, and waits for the others: "
                    rf"no progress for {NUMBER}, waiting for PE [01] \(ISTHMUS_STALL_SECONDS\)$", report)

    # Who waits for no more than an answer of another's road goes on by itself. The answers take so
    # long that nearly each look meets such a wait.
    report = run(launcher, program, "fetches", 0.1, 1, ISTHMUS_TRANSPORT="loop", ISTHMUS_LOOP_DELAY="100000")
    assert "no progress" in report and "nobody can end this" not in report, report

    # Nor is it in the call that it noted last. (The first report, before it comes to the barrier.)
    report = run(launcher, program, "adds", 0.1, 1, ISTHMUS_TRANSPORT="loop", ISTHMUS_LOOP_DELAY="100000")
    first = report.split("no progress")[1]
    expect("adds", r"^isthmus:   PE 2: (in operations that wait for their answers|computing|asleep in a call of the "
                   r"system); last noted call shmem_barrier_all$", first)

    report, _ = stall(launcher, program, "lock", 0.3)
    expect("lock", rf"shmem_set_lock: no progress for {NUMBER}, waiting for PE 2, watching lock, which PE 2 holds |"
                   rf"PE 0: in shmem_set_lock for {NUMBER}, waiting for PE 2, watching lock, which PE 2 holds$", report)

    # Of several that wait for a lock.
    report, _ = stall(launcher, program, "queue", 0.3)
    expect("queue", r"watching lock, which PE 2 holds", report)

    # A loop of tests is a wait.
    report, _ = stall(launcher, program, "test", 0.3)
    expect("test", rf"shmem_test: no success for {NUMBER}{watched} |"
                   rf"PE 0: calls shmem_test in vain for {NUMBER}{watched}$", report)
    assert "nobody can end this" not in report, report

    # So is a loop of fetches, which notes nothing: who runs is asked what it does. That is seen in
    # checked mode, and over a road.
    def polls(what, told, road=""):
        checked = "0" if road else "1"
        settings = {"ISTHMUS_TRANSPORT": road} if road else {}
        line = rf"^isthmus:   PE 2: {told}; last noted call shmem_\w+$"
        for late in LATE:  # a PE that has no processor for long does not answer
            report = run(launcher, program, what, 0.3, late, ISTHMUS_CHECK=checked, **settings)
            assert "nobody can end this" not in report, report
            if re.search(line, report, re.MULTILINE):
                return
        expect(what, line, report)

    again = r"again and again, value now"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(polls, *each) for each in (
                ("polls-g", rf"fetches number(\.\d)? of PE 0 {again} 7"),
                ("polls-get", rf"fetches {IN_BLOCK} of PE 0 {again} 0"),
                ("polls-own", rf"fetches {IN_BLOCK} of PE 2 {again} 0"),
                ("polls-fraction", rf"fetches fraction(\.\d)? of PE 0 {again} 0\.5"),
                ("polls-swap", rf"compares and swaps lock of PE 0 {again} 0"),
                ("polls-signal", rf"fetches signal(\.\d)? of PE 2 {again} 9"),
                ("polls-heap", rf"fetches {IN_BLOCK} of PE 0 {again} 0", "loop"),
                ("polls-swap", rf"compares and swaps lock of PE 0 {again} 0", "loop"),
                ("polls-two", "computing"))]:
            done.result()

    # Of several words, those that are waited for.
    report, _ = stall(launcher, program, "any", 0.3)
    expect("any", r"shmem_wait_until_any: no progress for .*, watching flags(\.0)? \(are 0, 0, -2; waits for any >= 7\) |"
                  r"PE 0: in shmem_wait_until_any for .*, watching flags(\.0)? \(are 0, 0, 0, -2; waits for any >= 7\)$",
           report)
    report, _ = stall(launcher, program, "vector", 0.3)
    expect("vector", r"shmem_wait_until_some_vector: .*, watching flags(\.0)? "
                     r"\(are 0, 0, -2; waits for any == 5, 7, 8\) |"
                     r"PE 0: in shmem_wait_until_some_vector for .*, watching flags(\.0)? "
                     r"\(are 0, 0, 0, -2; waits for any == its own value\)$", report)

    report, _ = stall(launcher, program, "malloc", 0.3)
    expect("malloc", rf"shmem_malloc: no progress for {NUMBER}, waiting for PE [02] \(every PE must call it\)", report)

    # Who has allocated alone, between hosts; on one host the call itself ends the job.
    report, _ = stall(launcher, program, "alone", 0.3, ISTHMUS_TRANSPORT="loop")
    expect("alone", r"shmem_barrier_all: no progress for .*; calls that allocate or free symmetric memory: "
                    r"1 at PE 2, 0 at PE [01]; every PE must make each of them ", report)

    report, _ = stall(launcher, program, "segment", 0.3)
    expect("segment", rf"isthmus_event_wait: no progress for {NUMBER}, watching 0x[0-9a-f]+ in segment "
                      rf"0x5 \+ 16 \(is 0; waits for == 1\) |"
                      rf"PE 0: in isthmus_event_wait for {NUMBER} \(waits for == 1\)$", report)
    report, _ = stall(launcher, program, "event", 0.3)
    expect("event", rf"isthmus_event_wait: no progress for {NUMBER}, watching flag \(is 0; waits for == 3\) |"
                    rf"PE 0: in isthmus_event_wait for {NUMBER}, watching flag \(is 0; waits for == 3\)$", report)

    report, _ = stall(launcher, program, "finalize", 0.3)
    expect("finalize", r"shmem_finalize: no progress", report)
    # Of whom others may wait for in vain: not that it waits for these.
    expect("finalize", rf"PE [01]: has called shmem_finalize, and waits for the others for {NUMBER}$", report)

    assert run(launcher, program, "barrier", 0) == "", "0 turns the report off"
    assert run(launcher, program, "barrier", 20) == "", "a short wait is no stall"
    print("the stall report tells who waits for what, and the jobs went on")


if __name__ == "__main__":
    main()
