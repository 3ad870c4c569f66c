"""Instructions of active messages on one host: none may grow unseen.

    message_counts.py ISTHMUS PROGRAM [gasnet]    77: there is no valgrind
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from callgrind import totals_by_probe

# What is counted, less what; instructions at most. Each request with its poll; of a medium and a long
# one what is beyond shmem_putmem of as many bytes. 90 and 140 are what was asked for a short request and
# for a poll with a reply; their bounds are lower, so that a line claimed ahead in claim_cell, which costs
# more than its instructions, does not come back unseen.
BUDGETS = {
    "short request": ("probe_short0", "probe_empty", 78),
    "ten arguments, for each": ("probe_short10", "probe_short0", 10 * 4),
    "medium request of 512 B, beyond the copy": ("probe_medium512", "probe_put512", 140),
    "long request of 4 KB, beyond the copy": ("probe_long4096", "probe_put4096", 130),
    "short request to itself": ("probe_self", "probe_empty", 60),
    "poll, nothing there": ("probe_poll_idle", "probe_empty", 16),
    "poll, one request": ("probe_poll_one", "probe_empty", 70),
    "poll, one request, with its reply": ("probe_poll_reply", "probe_empty", 130),
}
# The same of GASNet's names, each with its poll.
GASNET_BUDGETS = {
    "AMRequestShort0": ("probe_short0", "probe_empty", 90),
    "AMRequestShort10, for each argument": ("probe_short10", "probe_short0", 10 * 4),
    "AMRequestMedium0 of 512 B, beyond the copy": ("probe_medium512", "probe_put512", 140),
    "AMRequestLong0 of 4 KB, beyond the copy": ("probe_long4096", "probe_put4096", 130),
    "AMRequestShort0 to itself": ("probe_self", "probe_empty", 60),
    "AMPoll, nothing there": ("probe_poll_idle", "probe_empty", 16),
    "AMPoll, one request": ("probe_poll_one", "probe_empty", 70),
    "AMPoll, one request, with its reply": ("probe_poll_reply", "probe_empty", 140),
    "put of 8 B": ("probe_put", "probe_empty", 8),
    "put_nb of 8 B, with its wait": ("probe_put_nb", "probe_empty", 12),
    "gex_AM_RequestShort0": ("probe_ex_short0", "probe_empty", 90),
    "gex_AM_RequestShort10, for each argument": ("probe_ex_short10", "probe_ex_short0", 10 * 4),
    "gex_AM_RequestMedium0 of 512 B, beyond the copy": ("probe_ex_medium512", "probe_put512", 140),
    "gex_AM_RequestLong0 of 4 KB, beyond the copy": ("probe_ex_long4096", "probe_put4096", 130),
    "gex_AM_RequestShort0 to itself": ("probe_ex_self", "probe_empty", 60),
    "poll, one request, with gex_AM_ReplyShort0": ("probe_ex_poll_reply", "probe_empty", 140),
    "gex_RMA_PutBlocking of 8 B": ("probe_ex_put", "probe_empty", 10),
    "gex_RMA_PutNB of 8 B, with its wait": ("probe_ex_put_nb", "probe_empty", 14),
}
# What does not hold yet, with what it takes today, which is its bound here until it does.
NOT_YET = {}
WARM_CALLS = 3
# Counts in PE 0 alone; a PE under valgrind and one that is not would not be taken for one program.
SCRIPT = ('case "$ISTHMUS_BOOTSTRAP" in local:*:0:*) exec valgrind -q --tool=callgrind '
          '--collect-atstart=no --toggle-collect="probe_*" --combine-dumps=yes --dump-line=no '
          '--callgrind-out-file={out} {dumps} "$0";; *) exec valgrind -q --tool=callgrind '
          '--instr-atstart=no --callgrind-out-file=/dev/null "$0";; esac')


def count(launcher, program, budgets):
    """By probe: the totals of its calls, without the first ones."""
    probes = sorted({probe for counted, base, _ in budgets.values() for probe in (counted, base)})
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        script = SCRIPT.format(out=out, dumps=" ".join(f"--dump-after={probe}" for probe in probes))
        subprocess.run([launcher, "run", "-n", "2", "--timeout", "100", "/bin/sh", "-c", script, program],
                       check=True, env={"PATH": "/usr/bin:/bin", "SHMEM_SYMMETRIC_SIZE": "64M",
                                        "LD_BIND_NOW": "1"})
        totals = totals_by_probe(out.read_text())
    return {probe: sorted(values[WARM_CALLS:]) for probe, values in totals.items()}


def main():
    if not shutil.which("valgrind"):
        print("skipped: no valgrind: tools/install-packages.sh --test")
        sys.exit(77)
    budgets = GASNET_BUDGETS if "gasnet" in sys.argv[3:] else BUDGETS
    totals, bad = count(sys.argv[1], sys.argv[2], budgets), []
    for name, (counted, base, budget) in budgets.items():
        if not totals.get(counted) or not totals.get(base):
            bad.append(f"{name}: not counted")
            continue
        middle = [values[len(values) // 2] for values in (totals[counted], totals[base])]
        instructions = middle[0] - middle[1]
        bound = NOT_YET.get(name, budget)
        print(f"{name}: {instructions}, at most {budget}" + (f" (today {bound})" if name in NOT_YET else ""))
        if instructions > bound:
            bad.append(f"{name}: {instructions}, above {bound}")
        elif name in NOT_YET and instructions <= budget:
            bad.append(f"{name}: {instructions} holds now; take it off this test's list")
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
