#!/usr/bin/env python3
"""Lints the gates by three front ends: Verilator, slang (pyslang) and Verible. Fails on any finding.

Waivers, each with its reason: waive.vlt for Verilator; below for the others.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
VENV = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "isthmus/rtl"
TOPS = ["ht_engine", "axi_engine", "noc_mesh", "core_ports", "node_ports"]
TABLE = RTL.parent / "sim/isa"

# `unique case` with a default: the default says what an unreachable state does, the house style wants both.
# A cast to a width that is a parameter is none at one value and needed at others.
SLANG_WAIVERS = ["-Wno-case-redundant-default", "-Wno-useless-cast"]
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


def sources(folder):
    """All of them, one that is generated in that folder."""
    decoder = Path(folder) / "xbgas_decode_pkg.sv"
    subprocess.run([sys.executable, TABLE / "decoder_package.py", TABLE / "instructions.toml", decoder], check=True)
    packages = [RTL / "engine/ht_pkg.sv", RTL / "engine/engine_pkg.sv", RTL / "noc/noc_pkg.sv", RTL / "core/rv_core_pkg.sv",
                RTL / "node/node_pkg.sv", RTL / "cosim/trace_pkg.sv"]
    rest = [f for room in ("prim", "engine", "axi", "noc", "core", "node", "cosim") for f in sorted((RTL / room).glob("*.sv"))
            if f not in packages]
    return [str(decoder)] + [str(f.relative_to(RTL)) for f in packages + rest]


def run(name, command):
    done = subprocess.run(command, cwd=RTL, capture_output=True, text=True)
    print(f"lint: {name}: {'clean' if done.returncode == 0 else 'findings'}")
    if done.returncode:
        print((done.stdout + done.stderr)[-6000:])
    return done.returncode == 0


def lint(files):
    ok, missing = True, []
    for top in TOPS:
        if shutil.which("verilator"):
            ok &= run(f"verilator {top}", ["verilator", "--lint-only", "-Wall", "lint/waive.vlt", *files, "--top-module", top])
        else:
            missing.append("verilator")
        if (VENV / "bin/python").exists():
            ok &= run(f"slang {top}", [VENV / "bin/python", "-c", SLANG, *SLANG_WAIVERS, *files, "--top", top])
        else:
            missing.append("pyslang")
    verible = VENV / "bin/verible-verilog-lint"
    if verible.exists():
        # engine_regs.sv is written by a program.
        ok &= run("verible", [verible, f"--rules={VERIBLE_RULES}", *[f for f in files if "engine_regs" not in f]])
    else:
        missing.append("verible")
    ok &= run("registers are up to date", [sys.executable, "tools/registers.py"])
    if missing:
        sys.exit(f"lint: missing: {', '.join(sorted(set(missing)))}; tools/install-packages.sh --rtl installs them")
    return ok


def main():
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(0 if lint(sources(folder)) else 1)


if __name__ == "__main__":
    main()
