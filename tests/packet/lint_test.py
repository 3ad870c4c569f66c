#!/usr/bin/env python3
"""Lints the gates' package of packets by the front ends of rtl/lint/lint.py, as far as they are there.

    lint_test.py ROOT      77: none is
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "rtl/lint"))
from lint import SLANG, SLANG_WAIVERS, VENV, VERIBLE_RULES  # noqa: E402

FILES = [str(ROOT / "rtl/packet/packet_pkg.sv"), str(ROOT / "tests/packet/packet_check.sv")]


def commands():
    if shutil.which("verilator"):
        yield "verilator", ["verilator", "--lint-only", "-Wall", *FILES, "--top-module", "packet_check"]
    if (VENV / "bin/python").exists():
        yield "slang", [VENV / "bin/python", "-c", SLANG, *SLANG_WAIVERS, *FILES, "--top", "packet_check"]
    if (VENV / "bin/verible-verilog-lint").exists():
        yield "verible", [VENV / "bin/verible-verilog-lint", f"--rules={VERIBLE_RULES}", *FILES]


def main():
    front_ends, ok = list(commands()), True
    for name, command in front_ends:
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"{name}: {'clean' if done.returncode == 0 else 'findings'}")
        if done.returncode:
            print((done.stdout + done.stderr)[-4000:])
            ok = False
    if not front_ends:
        print("skipped: no Verilator, slang or Verible: tools/install-packages.sh --rtl")
        sys.exit(77)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
