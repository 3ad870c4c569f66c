#!/usr/bin/env python3
"""Which lines of the engine's gates its tests in ctest reach. By hand, minutes, in a build folder of its own.

    coverage.py run [--toggle] [PATTERN]   builds, runs the tests (^rtl\\.engine\\.), compares with coverage.toml
    coverage.py report                     the same without building and running: what was counted last
    coverage.py table                      coverage.json as docs/engine.md has it

A point is what Verilator counts: a block of statements, or one way of a branch. It counts as reached if any instance
of its module has been there. A point that no test reaches has a reason in coverage.toml, or the run fails; so
does a reason for a point that is reached, or that is not there.

With --toggle the bits that change are counted, too: the score is of those that can, which are all but those of
coverage_bits.toml. There, too, a reason for a bit that changes, or that is not there, is wrong.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ISTHMUS_RTL_BUILD", RTL.parent / "build/rtl")) / "coverage"
COUNTS = BUILD / "counts"
HOLES = RTL / "tests/coverage.toml"
STILL = RTL / "tests/coverage_bits.toml"
RESULTS = RTL / "tests/coverage.json"
TARGETS = ["engine_random", "engine_directed", "engine_numbers", "engine_atomics", "isthmus_rtl"]
PAIR = re.compile("\x01([^\x02]*)\x02([^\x01']*)")

# kind: line or toggle; what: the branch's way, or the signal's bit.
Point = collections.namedtuple("Point", "file line column kind what")


def build(kinds):
    wanted = ["cmake", "-S", RTL.parent, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DISTHMUS_SIM=OFF",
              f"-DISTHMUS_RTL_COVERAGE={';'.join(kinds)}"]
    for command in (wanted, ["cmake", "--build", BUILD, "--target", *TARGETS]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit("coverage: not built:\n" + (done.stdout + done.stderr)[-3000:])


def run(pattern):
    COUNTS.mkdir(exist_ok=True)
    for old in COUNTS.glob("*.dat"):
        old.unlink()
    done = subprocess.run(["ctest", "--test-dir", BUILD, "-R", pattern, "-j", str(os.cpu_count()), "--output-on-failure"],
                          env={**os.environ, "ISTHMUS_RTL_COUNTS": str(COUNTS)})
    if done.returncode or not any(COUNTS.glob("*.dat")):
        sys.exit("coverage: the tests failed, or nothing was counted")


def counted():
    """How often each point of engine/ and prim/ was reached, in all models and instances together."""
    files = sorted(COUNTS.glob("*.dat"))
    if not files:
        sys.exit("coverage: nothing was counted; coverage.py run")
    counts, known = collections.Counter(), {}
    for file in files:
        for row in file.read_text().splitlines():
            if not row.startswith("C '"):
                continue
            text, count = row.rsplit(" ", 1)
            if text not in known:
                known[text] = point(dict(PAIR.findall(text)))
            if known[text]:
                counts[known[text]] += int(count)
    return counts


def point(keys):
    source = Path(keys.get("f", ""))
    if source.parent.name not in ("engine", "prim"):
        return None
    kind = "toggle" if keys["page"].startswith("v_toggle") else "line"
    return Point(f"{source.parent.name}/{source.name}", int(keys["l"]), int(keys["n"]), kind, keys.get("o", ""))


def text_of(place, cache={}):
    if place.file not in cache:
        cache[place.file] = (RTL / place.file).read_text().splitlines()
    return cache[place.file][place.line - 1].strip()


def unexplained(counts):
    """Lines of output for what coverage.toml does not explain, or explains for nothing."""
    reasons = {(h["file"], h["line"], h["what"]): h["reason"] for h in tomllib.loads(HOLES.read_text()).get("hole", [])}
    holes = {(p.file, text_of(p), p.what) for p, count in counts.items() if p.kind == "line" and not count}
    wrong = [f"not reached: {file}: {what}: {line}" for file, line, what in sorted(holes - set(reasons))]
    wrong += [f"explained, but no hole: {file}: {what}: {line}" for file, line, what in sorted(set(reasons) - holes)]
    return wrong + [f"no reason: {key}" for key, reason in reasons.items() if not reason.strip()]


def names(said):
    """The bits of 'signal' or 'signal[HIGH:LOW]', as Verilator names them; the last pair of brackets are the bits."""
    found = re.fullmatch(r"(.*)\[(\d+):(\d+)\]", said)
    return [f"{found[1]}[{i}]" for i in range(int(found[3]), int(found[2]) + 1)] if found else [said]


def still(rows):
    """Bits that cannot change, with their reason."""
    return {(file, bit): row["reason"] for row in rows for file, said in row["bits"].items() for s in said for bit in names(s)}


def wrongly_still(counts, reasons):
    """Bits that are said not to change, and do; that are not there; and those without a reason."""
    seen = collections.Counter()
    for place, count in counts.items():
        if place.kind == "toggle":
            seen[place.file, place.what] += count
    wrong = [f"cannot change, and does: {file}: {bit}" for file, bit in reasons if seen[file, bit]]
    wrong += [f"cannot change, and is not there: {file}: {bit}" for file, bit in reasons if (file, bit) not in seen]
    return wrong + [f"no reason: {key}" for key, reason in reasons.items() if not reason.strip()]


def summary(counts, reasons):
    rows = {}
    for place, count in counts.items():
        if place.kind == "toggle" and (place.file, place.what) in reasons:
            continue
        row = rows.setdefault(place.file, {"line": [0, 0], "toggle": [0, 0]})[place.kind]
        row[0] += count > 0
        row[1] += 1
    return {f: {k: v for k, v in r.items() if v[1]} for f, r in sorted(rows.items())}


def table():
    known = json.loads(RESULTS.read_text())
    modules = known["modules"]
    kinds = [k for k in ("line", "toggle") if any(k in r for r in modules.values())]
    say = lambda row, k: f"{row[k][0]} of {row[k][1]}, {100 * row[k][0] / row[k][1]:.1f} %" if k in row else "-"
    total = {k: [sum(r[k][i] for r in modules.values() if k in r) for i in (0, 1)] for k in kinds}
    kind = {"line": "blocks and branches", "toggle": "bits that changed, of those that can"}
    lines = ["| module | " + " | ".join(kind[k] for k in kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for file, row in modules.items():
        lines.append(f"| `{Path(file).stem}` | " + " | ".join(say(row, k) for k in kinds) + " |")
    lines.append("| all | " + " | ".join(say(total, k) for k in kinds) + " |")
    return "\n".join(lines)


def report():
    counts = counted()
    with_bits = any(p.kind == "toggle" for p in counts)
    reasons = still(tomllib.loads(STILL.read_text())["still"]) if with_bits else {}
    version = subprocess.run(["verilator", "--version"], capture_output=True, text=True).stdout.split()[1]
    RESULTS.write_text(json.dumps({"verilator": version, "still": len(reasons), "modules": summary(counts, reasons)}, indent=1) + "\n")
    print(table())
    if with_bits:
        print(f"coverage: {len(reasons)} more bits cannot change")
    wrong = unexplained(counts) + wrongly_still(counts, reasons)
    print("\n".join(wrong) or "coverage: every hole is explained")
    sys.exit(1 if wrong else 0)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--toggle"]
    if arguments[:1] == ["run"] and len(arguments) <= 2:
        build(["line", "toggle"] if "--toggle" in sys.argv else ["line"])
        run(arguments[1] if len(arguments) == 2 else r"^rtl\.engine\.")
        report()
    elif arguments == ["report"]:
        report()
    elif arguments == ["table"]:
        print(table())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
