"""Instructions of operations in checked mode (docs/checking.md): it stays cheap enough to be left on.

    checked_counts.py PROGRAM     77: there is no valgrind
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from callgrind import totals_by_probe

BUDGETS = {
    "probe_p": 56,
    "probe_g": 50,
    "probe_atomic": 53,
    "probe_variable": 60,
    "probe_put64": 210,
    "probe_get64": 250,
}
WARM_CALLS = 3


def count(program):
    """By probe: the totals of its calls, without the first ones."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=probe_*",
                        "--combine-dumps=yes", "--dump-line=no", f"--callgrind-out-file={out}",
                        *[f"--dump-after={probe}" for probe in BUDGETS], program], check=True,
                       env={"PATH": os.environ["PATH"], "ISTHMUS_CHECK": "1", "LD_BIND_NOW": "1",
                            "SHMEM_SYMMETRIC_SIZE": "16M"})
        totals = totals_by_probe(out.read_text())
    return {probe: values[WARM_CALLS:] for probe, values in totals.items()}


def main():
    if not shutil.which("valgrind"):
        print("skipped: no valgrind: tools/install-packages.sh --test")
        sys.exit(77)
    totals, bad = count(sys.argv[1]), []
    for probe, budget in BUDGETS.items():
        counted = max(totals.get(probe, [0]))
        print(f"{probe}: {counted}, at most {budget}")
        if not counted or counted > budget:
            bad.append(f"{probe}: {counted or 'not counted'}, above {budget}")
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
