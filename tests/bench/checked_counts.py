"""Instructions of operations in checked mode (docs/checking.md): it stays cheap enough to be left on.

    checked_counts.py PROGRAM LAUNCHER     77: there is no valgrind
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from callgrind import totals_by_probe

BUDGETS = {
    "probe_p": 34,
    "probe_g": 34,
    "probe_atomic": 36,
    "probe_variable": 30,
    "probe_put64": 140,
    "probe_get64": 140,
}
# Without checks, of the inlined sequence alone: the budgets of docs/cost-classes.md.
PLAIN_BUDGETS = {"plain_p": 7, "plain_g": 7, "plain_fetch_add": 8}
WARM_CALLS = 3
# Loops of nothing else, whole: their second run, against the same without checks.
LOOPS = ["p", "g", "p_in_turn", "p_variable", "char_p", "double_g", "add", "add_fetch", "fetch", "set", "swap",
         "compare_swap", "fetch_or", "put1", "get1", "put8", "get8", "put8_heap", "put3", "put_nbi1", "put_signal", "put_signal8", "put_longs",
         "get_longs", "put_none", "put_one", "put_one_heap", "get_one", "put_nbi_one", "get_nbi_one", "put_nine", "get1_heap", "put1_heap",
         "put1_variable", "put1_heap_static", "get1_heap_static", "put1_apart", "put1_sweep", "put16", "put_sixteen", "get16", "put16_heap", "put_row", "put_row_mine", "get_row_stack", "put_long_row", "put2", "put_half", "p_three", "quiet", "fence", "inc", "xor", "malloc", "malloc_4k", "malloc_64k", "malloc_128k", "malloc_1m", "calloc_64k", "align_page", "iput", "iget", "ibput", "ibget", "test", "test_any", "wait", "wait_all", "wait_any", "signal_add",
         "signal_fetch", "fetch_nbi", "lock", "barrier", "sync", "sum", "broadcast", "alltoall", "fcollect", "collect"]
ROUNDS = 4096
MOST_TIMES = 5
# What a round takes without checks, the loop included; another compiler may take one more.
PLAIN_ROUND = {"p": 7, "g": 7, "p_in_turn": 11, "add": 7, "put1": 8, "get1": 8}


# Loops of two PEs, the waiting for each other left out.
PAIRS = ["barrier", "sync", "broadcast", "collect", "fcollect", "alltoall", "alltoalls", "sum", "inscan", "broadcast_4k", "collect_4k",
         "set_barrier", "set_broadcast", "set_collect", "set_fcollect", "set_alltoall", "set_sum"]
PAIR_ROUNDS = 256
WAITING = "isthmus::collective::await_cell(*"


def count(program, probes, checked=True, before=(), more=()):
    """By probe: the totals of its calls."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        subprocess.run([*before, "valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--toggle-collect={probes[0].split('_')[0]}_*",
                        "--combine-dumps=yes", "--dump-line=no", f"--callgrind-out-file={out}.%p", *more,
                        *[f"--dump-after={probe}" for probe in probes], program], check=True,
                       env={"PATH": os.environ["PATH"], "ISTHMUS_CHECK": str(int(checked)), "LD_BIND_NOW": "1",
                            "SHMEM_SYMMETRIC_SIZE": "16M"})
        totals = {}
        for part in sorted(pathlib.Path(folder).iterdir()):
            for probe, calls in totals_by_probe(part.read_text()).items():
                totals.setdefault(probe, []).append(calls)
        return {probe: [max(call) for call in zip(*calls)] for probe, calls in totals.items()}


def compare_pairs(program, launcher):
    """What is wrong with the collectives of two PEs, at the one that takes more."""
    probes = [f"pair_{name}" for name in PAIRS]
    with_two = {"before": [launcher, "run", "-n", "2"], "more": [f"--toggle-collect={WAITING}"]}
    checked, plain = count(program, probes, **with_two), count(program, probes, checked=False, **with_two)
    for probe in probes:
        if len(checked.get(probe, [])) != 2 or len(plain.get(probe, [])) != 2:
            yield f"{probe}: not counted"
            continue
        times = checked[probe][1] / plain[probe][1]
        print(f"{probe}: {plain[probe][1] / PAIR_ROUNDS:.0f}, checked {checked[probe][1] / PAIR_ROUNDS:.0f}: {times:.2f} x, at most {MOST_TIMES} x")
        if times > MOST_TIMES:
            yield f"{probe}: {times:.2f} x, above {MOST_TIMES} x"


def compare_loops(program):
    """What is wrong with the loops."""
    probes = [f"loop_{name}" for name in LOOPS]
    checked, plain = count(program, probes), count(program, probes, checked=False)
    for name, probe in zip(LOOPS, probes):
        if len(checked.get(probe, [])) != 2 or len(plain.get(probe, [])) != 2:
            yield f"{probe}: not counted"
            continue
        times = checked[probe][1] / plain[probe][1]
        rounds = plain[probe][1] / ROUNDS
        print(f"{probe}: {times:.2f} x {rounds:.2f} a long, at most {MOST_TIMES} x")
        if times > MOST_TIMES:
            yield f"{probe}: {times:.2f} x, above {MOST_TIMES} x"
        if rounds > PLAIN_ROUND.get(name, rounds) + 1:
            yield f"{probe}: {rounds:.2f} instructions a round without checks, above {PLAIN_ROUND[name]}"


def main():
    if not shutil.which("valgrind"):
        print("skipped: no valgrind: tools/install-packages.sh --test")
        sys.exit(77)
    totals, bad = count(sys.argv[1], list(BUDGETS)), list(compare_loops(sys.argv[1]))
    bad.extend(compare_pairs(sys.argv[1], sys.argv[2]))
    for probe, budget in BUDGETS.items():
        counted = max(totals.get(probe, [])[WARM_CALLS:], default=0)
        print(f"{probe}: {counted}, at most {budget}")
        if not counted or counted > budget:
            bad.append(f"{probe}: {counted or 'not counted'}, above {budget}")
    totals = count(sys.argv[1], list(PLAIN_BUDGETS), checked=False)
    for probe, budget in PLAIN_BUDGETS.items():
        counted = max(totals.get(probe, [])[WARM_CALLS:], default=0) - 1  # the return
        print(f"{probe}: {counted}, at most {budget}")
        if counted <= 0 or counted > budget:
            bad.append(f"{probe}: {counted if counted > 0 else 'not counted'}, above {budget}")
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
