#!/usr/bin/env python3
"""Lints the gates by three front ends: Verilator, slang (pyslang) and Verible. Fails on any finding.

Waivers, each with its reason: waive.vlt for Verilator; below for the others.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
VENV = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "isthmus/rtl"
TOPS = ["ht_engine", "axi_engine", "noc_mesh"]

# `unique case` with a default: the default says what an unreachable state does, the house style wants both.
SLANG_WAIVERS = ["-Wno-case-redundant-default"]
VERIBLE_RULES = ",".join([
    "line-length=length:130",         # port lists read better in long lines
    "-always-ff-non-blocking",        # the rule takes loop variables of always_ff for registers
])
SLANG = """
import sys
from pyslang.driver import Driver
d = Driver(); d.addStandardArgs()
sys.exit(0 if d.parseCommandLine("slang --lint-only -Wextra -Werror " + " ".join(sys.argv[1:])) and d.processOptions()
         and d.parseAllSources() and d.runFullCompilation(True) else 1)
"""


def sources():
    packages = [RTL / "engine/ht_pkg.sv", RTL / "engine/engine_pkg.sv", RTL / "noc/noc_pkg.sv"]
    rest = [f for folder in ("prim", "engine", "axi", "noc") for f in sorted((RTL / folder).glob("*.sv"))
            if f not in packages]
    return [str(f.relative_to(RTL)) for f in packages + rest]


def run(name, command):
    done = subprocess.run(command, cwd=RTL, capture_output=True, text=True)
    print(f"lint: {name}: {'clean' if done.returncode == 0 else 'findings'}")
    if done.returncode:
        print((done.stdout + done.stderr)[-6000:])
    return done.returncode == 0


def main():
    ok, missing = True, []
    for top in TOPS:
        if shutil.which("verilator"):
            ok &= run(f"verilator {top}", ["verilator", "--lint-only", "-Wall", "lint/waive.vlt", *sources(), "--top-module", top])
        else:
            missing.append("verilator")
        if (VENV / "bin/python").exists():
            ok &= run(f"slang {top}", [VENV / "bin/python", "-c", SLANG, *SLANG_WAIVERS, *sources(), "--top", top])
        else:
            missing.append("pyslang")
    verible = VENV / "bin/verible-verilog-lint"
    if verible.exists():
        # engine_regs.sv is written by a program.
        ok &= run("verible", [verible, f"--rules={VERIBLE_RULES}", *[f for f in sources() if "engine_regs" not in f]])
    else:
        missing.append("verible")
    ok &= run("registers are up to date", [sys.executable, "tools/registers.py"])
    if missing:
        sys.exit(f"lint: missing: {', '.join(sorted(set(missing)))}; tools/install-packages.sh --rtl installs them")
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
