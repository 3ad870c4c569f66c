#!/usr/bin/env python3
"""Mutation score of the engine's blocks against the engine's tests: yosys changes one gate of a block, and a
test must fail. By hand, hours; what is decided is kept in mutants.json beside this.

    mutate_engine.py build [--count N]   a model that holds all mutants, N of each block (12, random start 1)
    mutate_engine.py run [SECONDS]       decides those that are not decided yet, block by block in turn
    mutate_engine.py table               mutants.json as a table

All mutants are in one model: the environment variable ISTHMUS_MUTANT chooses one, 0 none. A run can be ended at any
time and goes on with what is left. The tests are ctest's, the random ones first for fewer transactions. A
mutant of an assertion is no mutant and is left out; one that changes nothing is not told apart; one whose test
does not end in a minute is noticed.
"""
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(RTL / "tests"))
sys.path.insert(0, str(RTL / "formal"))
from mutate import assertions_begin  # noqa: E402
from prove import BUILD, VENV  # noqa: E402

FOLDER = BUILD.parent / "engine-mutants"
RESULTS = RTL / "tests/mutants.json"
# Blocks whose parameters are the defaults. What they are made of (prims, tables) has proofs and mutate.py.
BLOCKS = ["translate", "requester_posted", "requester_nonposted", "prefetch", "flush_unit", "completer_response",
          "answer_expander", "target_posted", "target_nonposted", "matching_store", "responder", "atomic_unit",
          "bulk_unit", "link_rx", "link_tx", "engine_config"]
# Cells of these count as the block's: they are part of nothing else, or have no proof of their own.
PARTS = {"translate": ["centrifuge_control.sv", "centrifuge.sv", "centrifuge_inverse.sv"],
         "target_posted": ["window_check.sv", "packet_join.sv"], "target_nonposted": ["quota_counter.sv"],
         "responder": ["response_match.sv"]}
SCENARIOS = ["pair", "stalls", "interleaved", "holes", "hot", "quota", "few-tags", "lossy", "forgetful", "dying",
             "everything", "sixteen", "prefetch", "prefetch-lossy"]
SHORT = ["everything", "prefetch", "quota", "holes"]
SECONDS = 60  # of processor time for a test, which takes at most some ten
CHOSEN = ('  import "DPI-C" function int isthmus_mutant();\n  reg [15:0] mutant;\n'
          '  initial mutant = 16\'(isthmus_mutant());\n')


def in_venv():
    if Path(sys.prefix) != VENV:
        if not (VENV / "bin/python").exists():
            sys.exit("mutate_engine: no pyosys; tools/install-packages.sh --rtl installs it")
        os.execv(VENV / "bin/python", [VENV / "bin/python", __file__, *sys.argv[1:]])
    # yosys logs to standard output.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return out


def sources():
    packages = [RTL / "engine/ht_pkg.sv", RTL / "engine/engine_pkg.sv"]
    rest = sorted(f for folder in ("prim", "engine") for f in (RTL / folder).glob("*.sv") if f not in packages)
    return packages + rest


def digest(block):
    """Of a block's text: mutants of another text are others."""
    own = {f"{block}.sv", *PARTS.get(block, [])}
    return hashlib.sha256(b"".join(f.read_bytes() for f in sources() if f.name in own)).hexdigest()[:16]


class Netlist:
    """A block flat, with all that it is made of."""

    def __init__(self, block):
        from pyosys import libyosys
        self.run_pass = libyosys.run_pass
        self.design = libyosys.Design()
        self.block = block
        for command in (f"read_slang --threads 1 {' '.join(map(str, sources()))} --top {block}", f"hierarchy -top {block}",
                        "proc", "bwmuxmap", "opt_clean", "design -save clean"):
            self.run(command)

    def run(self, command):
        self.run_pass(command, self.design)

    def mutants(self, count):
        """Spread over the block's own cells; those of its parts and of assertions left out."""
        found = FOLDER / f"{self.block}.txt"
        own = [f"{self.block}.sv", *PARTS.get(self.block, [])]
        limits = {name: assertions_begin(next(f for f in sources() if f.name == name)) for name in own}
        self.run(f"mutate -list {count * 40} -seed 1 -o {found}")
        chosen = []
        for line in found.read_text().splitlines():
            places = re.findall(r"-src (\S+?):(\d+)", line)
            if places and all(Path(f).name in limits and int(n) < limits[Path(f).name] for f, n in places):
                chosen.append(re.sub(r"-src \S*/", "-src ", line))
        return chosen[::max(1, len(chosen) // count)][:count]

    def write(self, numbered):
        """As Verilog, the mutant chosen when the simulation begins."""
        for number, mutant in numbered:
            self.run(f"{mutant} -ctrl mutant 16 {number}")
        file = FOLDER / f"{self.block}.sv"
        self.run(f"write_verilog -noattr {file}")
        text = file.read_text()
        header = re.search(rf"module {self.block}\((.*?)\);", text, re.S)
        ports = ", ".join(p for p in re.split(r",\s*", header[1].strip()) if p != "mutant")
        body = re.sub(r"^\s*(?:input|wire) \[15:0\] mutant;\n", "", text[header.end():], flags=re.M)
        file.write_text(f"{text[:header.start()]}module {self.block}({ports});\n{CHOSEN}{body}")


def sources_of(test):
    """As CMake compiles it."""
    made = re.search(rf"add_executable\(engine_{test} ([^)]*)\)", (RTL / "tests/CMakeLists.txt").read_text())
    return [RTL / "tests" / name for name in made[1].split()]


def build(count, out):
    FOLDER.mkdir(parents=True, exist_ok=True)
    known, number = {"gates": {b: digest(b) for b in BLOCKS}, "mutants": []}, 0
    before = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"gates": {}, "mutants": []}
    decided = {m["mutant"]: m for m in before["mutants"] if before["gates"].get(m["block"]) == digest(m["block"])}
    for block in BLOCKS:
        netlist = Netlist(block)
        numbered = []
        for mutant in netlist.mutants(count):
            number += 1
            numbered.append((number, mutant))
            known["mutants"].append({**decided.get(mutant, {"verdict": None}), "number": number, "block": block, "mutant": mutant})
        netlist.write(numbered)
        print(f"{block}: {len(numbered)} mutants", file=out)
    files = [f for f in sources() if f.stem not in BLOCKS] + [FOLDER / f"{b}.sv" for b in BLOCKS]
    model = FOLDER / "model"
    subprocess.run(["verilator", "--cc", "--assert", "--trace", "--trace-depth", "1", "-O3", "--x-assign", "fast", "--x-initial",
                    "unique", "-DNETLIST", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", "ht_engine", "--prefix", "Vht_engine",
                    "--Mdir", str(model), *map(str, files)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["make", "-s", "-C", str(model), "-f", "Vht_engine.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", "Vht_engine__ALL.a",
                    "verilated.o", "verilated_vcd_c.o", "verilated_dpi.o", "verilated_threads.o"], check=True,
                   stdout=subprocess.DEVNULL)
    include = subprocess.run(["verilator", "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True, check=True).stdout.strip()
    (FOLDER / "chosen.cpp").write_text('#include <cstdlib>\nextern "C" int isthmus_mutant() {\n'
                                       '    const char* m = std::getenv("ISTHMUS_MUTANT");\n    return m ? std::atoi(m) : 0;\n}\n')
    common = [FOLDER / "chosen.cpp", *sorted((RTL / "model").glob("*.cpp"))]
    objects = [model / f"{f.stem}-host.o" for f in common]
    compile_ = ["g++", "-std=c++20", "-O1", "-w", f"-I{RTL}", f"-I{model}", f"-I{include}/include", f"-I{include}/include/vltstd"]
    for file, object_ in zip(common, objects):
        subprocess.run([*compile_, "-c", file, "-o", object_], check=True)
    libraries = [model / "Vht_engine__ALL.a", *(model / f"verilated{x}.o" for x in ("", "_vcd_c", "_dpi", "_threads")), "-lpthread"]
    for test, more in (("random", []), ("numbers", []), ("directed", ["-lgtest", "-lgtest_main"])):
        subprocess.run([*compile_, *sources_of(test), *objects, *libraries, *more, "-o", FOLDER / test], check=True)
    keep(known)


def keep(known):
    RESULTS.write_text(json.dumps(known, indent=1) + "\n")


def tests():
    yield from ([FOLDER / "random", s, "3000"] for s in SHORT)
    yield [FOLDER / "directed", "--gtest_brief=1"]
    yield from ([FOLDER / "random", s, "20000"] for s in SCENARIOS)
    yield [FOLDER / "numbers"]


def fails(test, number):
    done = subprocess.run(test, env={**os.environ, "ISTHMUS_MUTANT": str(number)}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
    return done.returncode != 0


def load():
    known = json.loads(RESULTS.read_text())
    changed = [b for b in BLOCKS if known["gates"].get(b) != digest(b)]
    if changed:
        sys.exit(f"mutate_engine: {', '.join(changed)} changed since these mutants were made; build them again")
    return known


def turn(mutants):
    """One of each block, then the next of each."""
    place = {}
    for m in mutants:
        place[m["number"]] = sum(1 for o in mutants if o["block"] == m["block"] and o["number"] < m["number"])
    return sorted(mutants, key=lambda m: place[m["number"]])


def run(seconds, out):
    known, end, sound = load(), time.monotonic() + seconds, set()
    for m in turn(known["mutants"]):
        if m["verdict"] is not None:
            continue
        if time.monotonic() > end:
            print("mutate_engine: time is up; run goes on with the rest", file=out)
            break
        by = next((t for t in tests() if fails(t, m["number"])), None)
        m["verdict"] = "alive" if by is None else "noticed"
        if by:
            # A test that fails in any case notices nothing.
            if str(by) not in sound and fails(by, 0):
                sys.exit(f"mutate_engine: {' '.join(map(str, by))} fails without a mutant")
            sound.add(str(by))
            m["by"] = " ".join([Path(by[0]).name, *map(str, by[1:2])])
        print(f"{m['number']:4} {m['block']:20} {m['verdict']:8} {m.get('by', '')}", file=out)
        keep(known)


def table():
    known = json.loads(RESULTS.read_text())
    lines = ["| block | noticed | not noticed, where |", "|---|---|---|"]
    for block in BLOCKS:
        of = [m for m in known["mutants"] if m["block"] == block]
        noticed = [m for m in of if m["verdict"] == "noticed"]
        alive = [m for m in of if m["verdict"] == "alive"]
        where = ", ".join(sorted({re.search(r"-src \S*?([^/\s]+:\d+)", m["mutant"])[1] for m in alive}))
        lines.append(f"| `{block}` | {len(noticed)} of {len(noticed) + len(alive)} | {where} |")
    return "\n".join(lines)


def main():
    command, rest = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if command == "table" and not rest:
        print(table())
    elif command == "build" and (not rest or (len(rest) == 2 and rest[0] == "--count")):
        build(int(rest[1]) if rest else 12, in_venv())
    elif command == "run" and len(rest) < 2:
        run(float(rest[0]) if rest else 1e9, in_venv())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
