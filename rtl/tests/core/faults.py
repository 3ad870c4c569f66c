#!/usr/bin/env python3
"""Puts the faults of faults.toml into copies of the core and of the node, as switches in one Verilated model of each, and
runs the tests with one of them on after the other. A file of another folder than rtl/core has its name with it.

    faults.py check                      each text stands once in its file
    faults.py run BUILD [ID...]          BUILD is a build folder with isthmus-core, core_random, core_mesh and their programs

A fault is caught if a test says so, or an assertion of the gates. Exit status 1: one was not, or a test failed
without a fault.
"""
import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RTL = ROOT / "rtl"
CORE = RTL / "core"
sys.path.insert(0, str(RTL / "tools"))
from single_faults import catalogue, chosen  # noqa: E402  (the path first)
SWITCH = "rv_core_pkg::core_fault"
FUNCTION = '  import "DPI-C" pure function int core_fault(input int number);\nendpackage\n'
SERVER = """
#include <cstdlib>
#include "cosim/gates.hpp"
extern "C" int core_fault(int number) {
    static const int on = std::getenv("CORE_FAULT") ? std::atoi(std::getenv("CORE_FAULT")) : 0;
    return number == on;
}
namespace isthmus::rtl {
std::unique_ptr<CoreGates> make_rv64();
std::unique_ptr<CoreGates> make_node64();
std::unique_ptr<CoreGates> make_rv64posted();
std::unique_ptr<CoreGates> make_node64posted();
#define ISA "rv64imac_zicsr_zifencei_xbgas_xbgasamo_xbgasbulk"
static const CoreKind kKinds[] = {{"rv64", 64, ISA, true, "profile=b", make_rv64},
                                  {"node64", 64, ISA, true, "profile=b", make_node64, 64},
                                  {"rv64posted", 64, ISA, true, "profile=b", make_rv64posted, 0, 4},
                                  {"node64posted", 64, ISA, true, "profile=b", make_node64posted, 64, 4}};
const CoreKind* core_kind(const std::string& name) {
    for (const CoreKind& kind : kKinds) {
        if (name == kind.name) return &kind;
    }
    return nullptr;
}
std::string core_kinds() { return "rv64, node64, rv64posted, node64posted"; }
}
"""
SECONDS = 300


def path_of(name):
    return RTL / name if "/" in name else CORE / name


def switched(name, faults):
    text = path_of(name).read_text()
    if name == "rv_core_pkg.sv":
        return text.replace("endpackage\n", FUNCTION)
    for fault in faults:
        if fault["file"] != name:
            continue
        on = f"{SWITCH}({fault['number']}) != 0"
        old, new = fault["text"], fault["instead"]
        by = f"if ({on}) begin {new} end else begin {old} end" if old.endswith(";") else f"(({on}) ? ({new}) : ({old}))"
        text = text.replace(old, by)
    return text


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"faults.py: {command[0]}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def build(tree, faults):
    """The two programs over gates with switches."""
    folder = tree / "core-faults"
    (folder / "sources").mkdir(parents=True, exist_ok=True)
    names = sorted(f.name for f in CORE.glob("*.sv")) + sorted(f"node/{f.name}" for f in RTL.glob("node/*.sv"))
    (folder / "sources/node").mkdir(exist_ok=True)
    for name in names:
        (folder / "sources" / name).write_text(switched(name, faults))
    package = tree / "generated/isthmus/sim/isa/xbgas_decode_pkg.sv"
    modules = [folder / "sources" / name for name in names if not name.endswith("_pkg.sv") and "/" not in name]
    of_node = [folder / "sources" / name for name in names if not name.endswith("_pkg.sv") and "/" in name]
    mesh = [f for f in sorted(RTL.glob("noc/*.sv")) if not f.name.endswith("_pkg.sv")]
    core = [RTL / "cosim/trace_pkg.sv", RTL / "prim/round_robin.sv", *modules]
    node = [RTL / "cosim/trace_pkg.sv", RTL / "noc/noc_pkg.sv", folder / "sources/node/node_pkg.sv", RTL / "prim/round_robin.sv",
            RTL / "prim/fifo.sv", RTL / "prim/credit_sender.sv", *modules, *of_node, *mesh]
    # Of the core and of the node one with a remote access at a time, and one with four.
    models = {f"{kind}{posted}": (f"{top}_ports", [*sources, RTL / f"cosim/{top}_ports.sv"], ["-GHasA=1'b1", *(["-GOutstanding=4"] if posted else [])])
              for posted in ("", "posted") for kind, top, sources in (("rv64", "core", core), ("node64", "node", node))}
    for name, (top, sources, parameters) in models.items():
        run(["verilator", "--cc", "--trace", "--assert", "-O3", "--x-assign", "fast", "--x-initial", "unique", "--prefix", f"V{name}",
             "--top", top, "--Mdir", folder / name, "-Wno-fatal", *parameters, RTL / "lint/waive.vlt", package,
             folder / "sources/rv_core_pkg.sv", *sources])
    (folder / "server.cpp").write_text(SERVER)
    include = os.environ.get("VERILATOR_ROOT", "/usr/share/verilator") + "/include"
    flags = ["-std=c++20", "-w", *(f"-I{folder / name}" for name in models), "-I", include, "-I", include + "/vltstd", "-I", ROOT / "rtl",
             "-I", ROOT, "-I", ROOT / "sim/step/include", "-I", tree / "generated",
             '-DISTHMUS_TEST_AS="riscv64-linux-gnu-as"', '-DISTHMUS_TEST_GCC=""', '-DISTHMUS_TEST_INCLUDE=""']
    gates = [f for name in models for f in sorted((folder / name).glob("*.cpp"))]
    model = [*gates, Path(include) / "verilated.cpp",
             Path(include) / "verilated_dpi.cpp", Path(include) / "verilated_vcd_c.cpp", Path(include) / "verilated_threads.cpp"]
    compiler = ["ccache", "c++"] if subprocess.run(["which", "ccache"], capture_output=True).returncode == 0 else ["c++"]
    adapters = []
    for name, (top, *_) in models.items():
        adapter, which = f"verilated_{top.removesuffix('_ports')}", top.removesuffix("_ports").upper()
        adapters.append(folder / f"{name}_adapter.cpp")
        adapters[-1].write_text(f'#define {which}_CLASS V{name}\n#define {which}_HEADER "V{name}.h"\n#define {which}_MAKE make_{name}\n'
                                f'#include "cosim/{adapter}.cpp"\n')
    names = ["cosim/checked_core", "cosim/ports", "cosim/transfer", "cosim/posted", "cosim/machine", "cosim/mesh", "cosim/alone",
             "tool/core_main", "tests/core/mesh_test", "tests/core/random_test"]
    compiled = [*model, *adapters, folder / "server.cpp", *(RTL / f"{name}.cpp" for name in names),
                ROOT / "sim/hart/translator_none.cpp"]

    def compile_one(source):
        out = folder / (source.stem + ".o")
        run([*compiler, "-O0" if "Slow" in source.name or "Trace" in source.name else "-O1", *flags, "-c", source, "-o", out])
        return out

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, compiled))
    shared = [o for o in objects if o.stem not in ("core_main", "random_test", "mesh_test")]
    libraries = [tree / "lib" / f"libisthmus_sim_{name}.a" for name in ("step", "hart", "isa", "machine")] + ["-lgtest", "-lz", "-pthread"]
    for main in ("core_main", "random_test", "mesh_test"):
        run([*compiler, folder / f"{main}.o", *shared, *libraries, "-o", folder / main])
    return folder


def tests(tree, folder):
    programs = tree / "rtl/tests/core/programs"
    yield "traps", [folder / "core_main", programs / "traps64", "--stall", "200", "--late", "200", "--cycles", "20000"]
    yield "remote, 4 nodes", [folder / "core_main", programs / "remote64", "-n", "4", "--late", "300", "--cycles", "40000"]
    yield "runtime, 6 nodes in the mesh", [folder / "mesh_test", programs / "runtime64", "6", "node64", "50", "100"]
    yield "remote, 4 nodes in the mesh", [folder / "core_main", "--core", "node64", programs / "remote64", "-n", "4", "--cycles", "60000"]
    yield "random in a node", [folder / "random_test", "node64", "interrupts", "20000"]
    yield "atomics, stalls", [folder / "core_main", programs / "atomics64", "-n", "2", "--stall", "200", "--late", "200", "--cycles", "200000"]
    yield "atomics in the mesh", [folder / "core_main", "--core", "node64", programs / "atomics64", "-n", "4", "--cycles", "400000"]
    yield "bulk", [folder / "core_main", programs / "bulk64", "--stall", "100", "--cycles", "2000000"]
    yield "posted", [folder / "core_main", "--core", "rv64posted", programs / "posted64", "-n", "3", "--stall", "200", "--late", "600", "--cycles", "60000"]
    yield "posted, interrupts", [folder / "core_main", "--core", "rv64posted", programs / "posted64", "-n", "2", "--late", "900", "--irq", "60", "--cycles", "60000"]
    yield "posted in the mesh", [folder / "core_main", "--core", "node64posted", programs / "posted64", "-n", "4", "--stall", "100", "--late", "200", "--cycles", "60000"]
    yield "spread in the mesh", [folder / "core_main", "--core", "node64posted", programs / "spread64", "-n", "6", "--cycles", "60000"]
    yield "gather", [folder / "core_main", "--core", "rv64posted", programs / "gather64", "-n", "2", "--least-ipc", "0.35", "--cycles", "60000"]
    yield "gather in the mesh", [folder / "core_main", "--core", "node64posted", programs / "gather64", "-n", "2", "--least-ipc", "0.17", "--cycles", "60000"]
    for scenario in ("errors", "stalls"):
        yield f"random, {scenario}, posted", [folder / "random_test", "rv64posted", scenario, "20000"]
    yield "random, errors, posted, in a node", [folder / "random_test", "node64posted", "errors", "20000"]
    for scenario in ("smooth", "storm", "errors", "interrupts"):
        yield f"random, {scenario}", [folder / "random_test", "rv64", scenario, "20000"]


def first_that_fails(tree, folder, number):
    environment = {**os.environ, "CORE_FAULT": str(number)}
    for name, command in tests(tree, folder):
        try:
            done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, timeout=SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired:
            return name
        if done.returncode:
            return name
    return None


def main():
    faults = catalogue(HERE / "faults.toml", path_of)
    if sys.argv[1:] == ["check"]:
        print(f"{len(faults)} faults")
        return
    if len(sys.argv) < 3 or sys.argv[1] != "run":
        sys.exit(__doc__)
    tree = Path(sys.argv[2]).resolve()
    folder = build(tree, faults)
    failed = first_that_fails(tree, folder, 0)
    if failed:
        sys.exit(f"faults.py: {failed} fails without a fault")
    survivors = 0
    for fault in chosen(faults, sys.argv[3:]):
        failed = first_that_fails(tree, folder, fault["number"])
        print(f"{fault['id']:<28}{'caught by ' + failed if failed else 'SURVIVES'}", flush=True)
        survivors += not failed
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
