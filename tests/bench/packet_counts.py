"""Instructions to write and read the commonest packets: none may grow unseen.

    packet_counts.py PROGRAM ROOT [--table]     77: there is no valgrind
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from callgrind import totals_by_probe

# Probe: (instructions at most, the file whose comment states it).
ENCODE, DECODE, ADMIT = "src/packet/encode.hpp", "src/packet/decode.hpp", "src/packet/admit.hpp"
BUDGETS = {
    "probe_encode_put8": (75, ENCODE),
    "probe_encode_get": (25, ENCODE),
    "probe_encode_data8": (75, ENCODE),
    "probe_encode_short2": (25, ENCODE),
    "probe_decode_put8": (95, DECODE),
    "probe_decode_get": (130, DECODE),
    "probe_decode_data8": (95, DECODE),
    "probe_decode_short2": (95, DECODE),
    "probe_admit_put8": (85, ADMIT),
}
WARM_CALLS = 3


def count(program):
    """By probe: the totals of its calls, without the first ones."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=probe_*",
                        "--combine-dumps=yes", "--dump-line=no", f"--callgrind-out-file={out}",
                        *[f"--dump-after={probe}" for probe in BUDGETS], program], check=True)
        totals = totals_by_probe(out.read_text())
    return {probe: values[WARM_CALLS:] for probe, values in totals.items()}


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    if not shutil.which("valgrind"):
        print("skipped: no valgrind: tools/install-packages.sh --test")
        sys.exit(77)
    totals, bad = count(program), []
    for probe, (budget, stated) in BUDGETS.items():
        counted = max(totals.get(probe, [0]))
        print(f"{probe}: {counted}, at most {budget}")
        if not counted or counted > budget:
            bad.append(f"{probe}: {counted or 'not counted'}, above {budget}")
        if not re.search(rf"//.*\b{budget}\b.*\(bench\.packet\.counts\)", (root / stated).read_text()):
            bad.append(f"{stated}: no comment states {budget}")
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
