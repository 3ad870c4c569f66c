#!/usr/bin/env python3
"""Counts the calls of profile.c with the profiling library, and reads the traces; then the same of
programs that were compiled as usual, by `isthmus run --stats` and `--trace`.

profile_test.py ISTHMUS DIRECTORY_OF_PROGRAMS TOOL     TOOL is built of tool.c
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PES = 3


class Runner:
    """Runs the programs with settings; files go to a directory of their own."""

    def __init__(self, launcher, programs, directory, compiled_as_usual):
        self.launcher, self.programs, self.directory = launcher, programs, pathlib.Path(directory)
        self.compiled_as_usual = compiled_as_usual

    def run(self, *arguments, program="profile_program", status=0, pes=PES, cwd=None,
            **settings):
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("ISTHMUS_", "SHMEM_"))}
        options = ["-n", str(pes)]
        if self.compiled_as_usual:
            program += "_as_usual"
            if settings.pop("ISTHMUS_STATS", None):
                options.append("--stats")
            if "ISTHMUS_TRACE" in settings:
                options += ["--trace", settings.pop("ISTHMUS_TRACE")]
        environment.update(settings)
        result = subprocess.run(
            [self.launcher, "run", *options, f"{self.programs}/{program}", *arguments],
            env=environment, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
        assert result.returncode == status, f"{arguments}: {result.returncode}\n{result.stderr}"
        return result.stderr

    def statistics(self, *arguments, **options):
        path = self.directory / "stats.json"
        path.unlink(missing_ok=True)
        text = self.run(*arguments, ISTHMUS_STATS="1", ISTHMUS_STATS_FILE=str(path), **options)
        assert text == "", f"{arguments} printed {text}"
        report = json.loads(path.read_text(encoding="utf-8"))
        report["calls"] = {one["name"]: (one["calls"], one["bytes"]) for one in report["routines"]}
        return report

    def trace(self, *arguments, **options):
        path = self.directory / "trace.json"
        path.unlink(missing_ok=True)
        self.run(*arguments, ISTHMUS_TRACE=str(path), **options)
        return check_trace(json.loads(path.read_text(encoding="utf-8")), options.get("pes", PES))


def check_trace(trace, pes):
    """What Perfetto asks of a trace; returns the events that are calls."""
    calls = []
    named = set()
    assert trace["displayTimeUnit"] in ("ns", "ms")
    for event in trace["traceEvents"]:
        for key in ("ph", "ts", "pid", "tid", "name"):
            assert key in event, event
        assert event["ph"] in ("X", "M", "s", "f") and isinstance(event["name"], str)
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        assert isinstance(event["ts"], (int, float)) and event["ts"] >= 0
        assert 0 <= event["pid"] < pes
        if event["ph"] == "M":
            if event["name"] == "process_name":
                assert event["args"]["name"] == f"PE {event['pid']}"
                named.add(event["pid"])
            continue
        if event["ph"] in "sf":
            continue
        assert event["name"].startswith("shmem_") and event["dur"] >= 0
        assert event["args"]["bytes"] >= 0 and -1 < event["args"].get("pe", 0) < pes
        calls.append(event)
    assert named == set(range(pes)), named
    return calls


def test_counts(runner):
    report = runner.statistics("finalize")
    assert report["pes"] == PES
    expected = {
        "shmem_init_thread": (PES, 0),
        "shmem_malloc": (PES, 1000 * PES),
        "shmem_free": (PES, 0),
        "shmem_int_p": (10 * PES, 40 * PES),
        "shmem_long_g": (5 * PES, 40 * PES),
        "shmem_putmem": (PES, 801 * PES),
        "shmem_put32": (PES, 80 * PES),
        "shmem_double_iput": (PES, 56 * PES),
        "shmem_ibput64": (PES, 80 * PES),
        "shmem_long_put_signal": (PES, 48 * PES),
        "shmem_signal_wait_until": (PES, 0),
        "shmem_long_sum_reduce": (PES, 24 * PES),
        "shmem_broadcastmem": (PES, 5 * PES),
        "shmem_sync_all": (PES, 0),
        "shmem_barrier_all": (PES, 0),
        "shmem_set_lock": (PES, 0),
        "shmem_clear_lock": (PES, 0),
        "shmem_quiet": (PES, 0),
        "shmem_fence": (PES, 0),
        "shmem_my_pe": (PES, 0),
        "shmem_n_pes": (PES, 0),
        "shmem_team_split_strided": (PES, 0),
    }
    assert report["calls"] == expected, report["calls"]
    right_bytes, right_operations = 40 + 801 + 80 + 56 + 80 + 48, 10 + 5
    for source in range(PES):
        operations, received = [0] * PES, [0] * PES
        operations[(source + 1) % PES] += right_operations
        received[(source + 1) % PES] += right_bytes
        operations[0] += 5
        received[0] += 40
        assert report["operations"][source] == operations, report["operations"]
        assert report["bytes"][source] == received, report["bytes"]
    taken = report["heap"]["high_water"]
    assert len(taken) == PES and 1000 <= min(taken) == max(taken) < report["heap"]["size"], taken
    for one in report["routines"]:
        assert len(one["by_pe"]) == PES
        assert sum(pe["calls"] for pe in one["by_pe"]) == one["calls"]
        assert one["seconds"] >= 0 and one["section"][0] in "9A"


def test_table(runner):
    text = runner.run("finalize", ISTHMUS_STATS="1")
    lines = text.splitlines()
    assert all(line.startswith("isthmus: ") for line in lines), text
    assert lines[0].startswith("isthmus: calls of 3 PEs"), text
    row = next(line for line in lines if line.endswith("  shmem_int_p"))
    assert row.split()[1:4] == ["30", "120", "B"], row
    assert sum(line.startswith("isthmus: symmetric heap: at most ") for line in lines) == 1, text
    assert sum("from PE (down) to PE (across)" in line for line in lines) == 2, text


def test_ends(runner):
    """A program that ends without finalize is counted as well, if it ends in peace."""
    for how in ("exit", "return"):
        assert runner.statistics(how)["calls"]["shmem_int_p"] == (10 * PES, 40 * PES)
    report = runner.statistics(program="profile_old_names")
    assert report["calls"]["shmem_long_inc"] == (PES - 1, 8 * (PES - 1)), report["calls"]
    assert report["calls"]["shmem_init"][0] == PES and report["calls"]["shmem_malloc"][0] == PES


def test_threads(runner):
    report = runner.statistics("threads")
    assert report["calls"]["shmem_long_atomic_add"] == (400 * PES, 3200 * PES)
    calls = runner.trace("threads")
    for pe in range(PES):
        tracks = {call["tid"] for call in calls
                  if call["pid"] == pe and call["name"] == "shmem_long_atomic_add"}
        assert len(tracks) == 4, tracks


def test_team(runner):
    report = runner.statistics("team")
    assert report["calls"]["shmem_ctx_long_put"] == (1, 80)
    assert report["bytes"] == [[0, 0, 80], [0, 0, 0], [0, 0, 0]], report["bytes"]


def test_control(runner):
    # In checked mode, too, what is inlined calls the routines that count.
    for check in ("0", "1"):
        calls = runner.statistics("control", ISTHMUS_CHECK=check)["calls"]
        assert calls["shmem_int_p"] == (3 * PES, 12 * PES), calls


def test_fork(runner):
    assert runner.statistics("fork")["calls"]["shmem_int_p"] == (PES, 4 * PES)


def test_trace(runner):
    calls = runner.trace("finalize")
    puts = [call for call in calls if call["name"] == "shmem_putmem"]
    assert len(puts) == PES
    for put in puts:
        assert put["args"] == {"bytes": 801, "pe": (put["pid"] + 1) % PES}, put
    for pe in range(PES):  # the calls of a thread follow one another
        mine = [call for call in calls if call["pid"] == pe]
        assert mine[0]["name"] == "shmem_init_thread"
        for earlier, later in zip(mine, mine[1:]):
            assert earlier["ts"] + earlier["dur"] <= later["ts"] + 0.002, (earlier, later)
    # A barrier ends nowhere before it has begun everywhere: the PEs' clocks agree.
    barriers = [call for call in calls if call["name"] == "shmem_barrier_all"]
    assert len(barriers) == PES
    assert max(b["ts"] for b in barriers) <= min(b["ts"] + b["dur"] for b in barriers) + 0.002


def arrows_of(trace):
    """Pairs of a call that wrote a word and the wait that saw it."""
    calls = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    ends = {event["id"]: event for event in trace["traceEvents"] if event["ph"] == "f"}

    def call_around(end):
        found = [call for call in calls if (call["pid"], call["tid"]) == (end["pid"], end["tid"])
                 and call["ts"] - 0.0005 <= end["ts"] <= call["ts"] + call["dur"] + 0.0005]
        assert found, end
        return found[-1] if end["ph"] == "s" else found[0]

    begins = [event for event in trace["traceEvents"] if event["ph"] == "s"]
    assert len(begins) == len(ends) == len({event["id"] for event in begins})
    assert all(ends[event["id"]]["bp"] == "e" for event in begins)
    return [(call_around(event), call_around(ends[event["id"]])) for event in begins]


def test_arrows(runner):
    """From each signal to the wait that saw it, and from an add to a wait on static data."""
    path = runner.directory / "trace.json"
    runner.trace("arrows")
    pairs = arrows_of(json.loads(path.read_text(encoding="utf-8")))
    rounds = [(begin, end) for begin, end in pairs if end["name"] == "shmem_signal_wait_until"]
    assert len(rounds) == 5 * PES, pairs
    for begin, end in rounds:
        assert begin["name"] == "shmem_long_put_signal" and begin["args"]["pe"] == end["pid"], (begin, end)
        assert begin["ts"] <= end["ts"] + end["dur"]
    adds = [(begin, end) for begin, end in pairs if end["name"] == "shmem_long_wait_until"]
    assert len(adds) == PES and all(begin["name"] == "shmem_long_atomic_add" for begin, end in adds), adds
    every = [(begin, end) for begin, end in pairs if end["name"] == "shmem_long_wait_until_all"]
    assert len(every) == 2 * PES and len(pairs) == 8 * PES, pairs


def test_long_trace(runner):
    """More events than a thread keeps in memory."""
    calls = runner.trace("many")
    assert sum(call["name"] == "shmem_long_p" for call in calls) == 20000 * PES


def test_long_trace_of_threads(runner):
    """They write the same file at once."""
    calls = runner.trace("many_in_threads")
    assert sum(call["name"] == "shmem_long_p" for call in calls) == 80000 * PES


def test_fork_under_trace(runner):
    """A child that exits says nothing and fails nothing."""
    runner.trace("fork")


def test_trace_of_other_ends(runner):
    """The file is valid however the program ends; what was written out is in it."""
    for how in ("exit", "return"):
        assert sum(c["name"] == "shmem_putmem" for c in runner.trace(how)) == PES
    calls = runner.trace("global_exit", status=7)
    assert any(c["pid"] == 0 and c["name"] == "shmem_putmem" for c in calls)
    runner.trace("die", status=134)


def test_alone(runner):
    report = runner.statistics("finalize", pes=1)
    assert report["operations"] == [[20]], report["operations"]
    runner.trace("finalize", pes=1)


def test_refusals(runner):
    missing = str(runner.directory / "missing" / "trace.json")
    text = runner.run("finalize", ISTHMUS_TRACE=missing)  # the job goes on
    assert text.endswith(f": shmem_init: cannot create ISTHMUS_TRACE={missing}: No such file or "
                         "directory; the job goes on without\n") and text.count("\n") == 1, text
    text = runner.run("finalize", ISTHMUS_STATS="1", ISTHMUS_STATS_FILE=missing)
    assert f"cannot write ISTHMUS_STATS_FILE={missing}: No such file or directory" in text, text


def test_exit_handler(runner):
    """What handlers of the program call is counted, whoever finalises, and is in the trace."""
    assert runner.statistics("exit_handler")["calls"]["shmem_int_p"] == (11 * PES, 44 * PES)
    calls = runner.trace("exit_handler")
    assert sum(call["name"] == "shmem_int_p" for call in calls) == 11 * PES
    assert {call["tid"] for call in calls} == {0}


def test_own_finalize(runner):
    """Past the profiling library that is linked: the trace is written, the counts are gone."""
    text = runner.run(program="profile_own_finalize", ISTHMUS_STATS="1")
    if runner.compiled_as_usual:
        assert re.search(rf"^isthmus: +{PES} .* shmem_long_p$", text, re.MULTILINE) and "lost" not in text, text
    else:
        assert "shmem_finalize: the counts are lost: " in text and text.count("\n") == 1, text
    calls = runner.trace(program="profile_own_finalize")
    assert sum(call["name"] == "shmem_long_p" for call in calls) == PES


def test_own_routines(runner):
    """What a program's own wrappers pass on is counted, or told."""
    if not runner.compiled_as_usual:
        return
    result = subprocess.run([runner.launcher, "run", "-n", "2", "--stats", f"{runner.programs}/profile_own_routines"],
                            capture_output=True, text=True, timeout=60, check=True)
    assert re.search(r"^isthmus: +2 .* shmem_long_p$", result.stderr, re.MULTILINE), result.stderr
    assert len(re.findall(r"^isthmus: PE 0 .*: shmem_init: the program itself defines shmem_barrier_all and 1 more, "
                          r"in front of what counts: these calls are not counted; define them in a library ",
                          result.stderr, re.MULTILINE)) == 1, result.stderr


def test_early_exit(runner):
    """The gathering of the counts meets nobody who is in another routine."""
    text = runner.run("early_exit", ISTHMUS_STATS="1", status=1)
    assert "waits in vain for PE 1, which has exited" in text, text


def test_relative_file(runner):
    """It lies where the program began, not where it went."""
    runner.run("chdir", ISTHMUS_STATS="1", ISTHMUS_STATS_FILE="relative.json", cwd=runner.directory)
    report = json.loads((runner.directory / "relative.json").read_text(encoding="utf-8"))
    assert report["pes"] == PES


def test_behind_a_shell(runner):
    """What is loaded into the shell as well needs nothing there that only the program has."""
    if not runner.compiled_as_usual:
        return
    for before in (("sh", "-c", '"$0" "$@"'), ("env",)):
        result = subprocess.run(
            [runner.launcher, "run", "-n", "2", "--stats", *before,
             f"{runner.programs}/profile_program_as_usual", "finalize"],
            capture_output=True, text=True, timeout=60, check=False)
        assert result.returncode == 0 and "shmem_" in result.stderr, result.stderr


def test_tool_of_the_user(runner):
    """It is called, and what it passes on is counted once."""
    if not runner.compiled_as_usual:
        return
    path = runner.directory / "stats.json"
    for program, preload in (("profile_tool_user", sys.argv[3]), ("profile_tool_linked", "")):
        for options in (["--stats"], []):
            environment = {**os.environ, "ISTHMUS_STATS_FILE": str(path)}
            if preload:
                environment["LD_PRELOAD"] = preload
            result = subprocess.run([runner.launcher, "run", "-n", "2", *options,
                                     f"{runner.programs}/{program}"], env=environment,
                                    capture_output=True, text=True, timeout=60, check=False)
            assert result.returncode == 0, result.stderr
            assert result.stdout == "tool: 3 barriers, 2 words, 1 blocks\n", result.stdout
        report = json.loads(path.read_text(encoding="utf-8"))
        calls = {one["name"]: one["calls"] for one in report["routines"]}
        for name, count in (("barrier_all", 3), ("long_p", 2), ("putmem", 1), ("long_g", 1)):
            assert calls["shmem_" + name] == 2 * count, calls
        path.unlink()


def test_off(runner):
    assert runner.run("finalize") == ""


def main():
    launcher, programs = sys.argv[1:3]
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    with tempfile.TemporaryDirectory() as directory:
        for compiled_as_usual in (False, True):
            for test in tests:
                test(Runner(launcher, programs, directory, compiled_as_usual))
                print(f"passed {test.__name__}{', compiled as usual' if compiled_as_usual else ''}",
                      flush=True)


if __name__ == "__main__":
    main()
