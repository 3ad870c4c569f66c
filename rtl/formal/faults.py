#!/usr/bin/env python3
"""Puts single faults into copies of the gates and has the proof that should see it run: it must not pass.

    faults.py check                each text of faults.toml stands once in its file
    faults.py run [ID...]          all, or those named
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parent
sys.path.insert(0, str(RTL / "tools"))
from single_faults import catalogue, chosen  # noqa: E402  (the path first)


def result_of(fault, folder):
    """What the proof says of the gates with it."""
    shutil.copytree(RTL, folder / "rtl")
    shutil.copytree(RTL.parent / "sim/isa", folder / "sim/isa")
    file = folder / "rtl" / fault["file"]
    file.write_text(file.read_text().replace(fault["text"], fault["instead"]))
    done = subprocess.run([sys.executable, folder / "rtl/formal/prove.py", fault["proof"]], capture_output=True, text=True,
                          env={**os.environ, "ISTHMUS_RTL_BUILD": str(folder / "build")}, check=False)
    words = done.stdout.split()
    return words[1] if len(words) > 1 else "ERROR"


def main():
    faults = catalogue(HERE / "faults.toml", lambda name: RTL / name)
    if sys.argv[1:] == ["check"]:
        print(f"{len(faults)} faults")
        return
    if sys.argv[1:2] != ["run"]:
        sys.exit(__doc__)
    missed = 0
    for fault in chosen(faults, sys.argv[2:]):
        with tempfile.TemporaryDirectory() as name:
            result = result_of(fault, Path(name))
        seen = result in ("FAIL", "UNKNOWN")
        print(f"{fault['id']:<28}{fault['proof']:<20}{result if seen else result + ': NOT SEEN'}", flush=True)
        missed += not seen
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
