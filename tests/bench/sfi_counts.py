"""Instructions up to the network's call are the same on every machine: none may grow unseen.

    sfi_counts.py ISTHMUS          runs `ISTHMUS bench sfi --quick --only counts`

Each row must hold. What does not hold yet is listed with what it takes today, which is its bound
here until it does.
"""

import json
import os
import subprocess
import sys
import tempfile

NOT_YET = {}


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows_file = os.path.join(folder, "rows.json")
        done = subprocess.run([sys.argv[1], "bench", "sfi", "--quick", "--only", "counts", "--json",
                               rows_file], capture_output=True, text=True)
        if not os.path.exists(rows_file):
            sys.exit(f"the bench ended with exit status {done.returncode}: {done.stderr[-1000:]}")
        with open(rows_file, encoding="utf-8") as file:
            rows = [row for row in json.load(file)["rows"] if row.get("bound") is not None]
    bad = []
    for row in rows:
        claim, bound = row["claim"], NOT_YET.get(row["claim"], row["bound"])
        if row.get("ours") is None:
            bad.append(f"{claim}: {row.get('reason', 'not measured')}")
        elif row["ours"] > bound:
            bad.append(f"{claim}: {row['ours']:g}, above {bound:g}")
        elif claim in NOT_YET and row["holds"]:
            bad.append(f"{claim}: holds now; take it off this test's list")
    missing = set(NOT_YET) - {row["claim"] for row in rows}
    bad += [f"{claim}: no such row" for claim in sorted(missing)]
    print(f"{len(rows)} rows, {len(NOT_YET)} of which do not hold yet")
    if not rows or bad:
        sys.exit("\n".join(bad) or "no rows")


if __name__ == "__main__":
    main()
