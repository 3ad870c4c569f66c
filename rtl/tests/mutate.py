#!/usr/bin/env python3
"""Mutation score of blocks against their proofs: yosys changes one gate's input or output, and the proof
must fail. By hand, minutes; the last result is in docs/engine.md.

    mutate.py [--count N] [--seconds S] [NAME...]
                        names of prove.py (default: all unbounded ones); N mutants each, 40, chosen with random start 1;
                        S for each to be decided, 23, by the clock: more where the machine has other work

A mutant of an assertion is no mutant of the block and is left out. One that is not noticed is compared
with the block as it was, both in the bench of the proof and begun with zeros: those that give the same outputs for
ever change nothing and are no mutants. The others are printed: the line they sit in is one that no assertion notices.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(RTL / "formal"))
from prove import BUILD, LONG, PROOFS, VARIANTS, VENV  # noqa: E402

SECONDS = 23  # for one mutant; longer counts as not noticed


def assertions_begin(file):
    """The line where a module's assertions begin: its last banner."""
    lines = Path(file).read_text().splitlines()
    return next((i + 1 for i, line in enumerate(lines) if "// Assertions //" in line), len(lines) + 1)


class Block:
    def __init__(self, name, seconds=SECONDS):
        from pyosys import libyosys
        self.run = libyosys.run_pass
        self.design = libyosys.Design()
        self.folder = BUILD.parent / "mutants"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.seconds = seconds
        top, files, *_ = PROOFS[name]
        sources = [str(RTL / f) for f in files]
        self.files = [f for f in sources if "/formal/" not in f and not f.endswith("_pkg.sv")]
        # Bench and block come as one flat module. Alike cells are not merged before the mutant is in: one that stands for
        # both would change the bench as well.
        for command in (f"read_slang --threads 1 -D FORMAL {' '.join(sources)} --top {top}", f"hierarchy -check -top {top}",
                        "opt_expr -keepdc", "opt_clean", "design -save clean"):
            self.run(command, self.design)
        self.top = top

    def mutants(self, count):
        """Of each module of the block, spread over its cells; those of packages and assertions left out."""
        found = self.folder / f"{self.name}.txt"
        self.run("design -load clean", self.design)
        self.run(f"mutate -list {count * 40} -seed 1 -o {found}", self.design)
        limits = {Path(f).name: assertions_begin(f) for f in self.files}
        chosen = []
        for line in found.read_text().splitlines():
            places = re.findall(r"-src (\S+?):(\d+)", line)
            # The clock is no gate's input.
            if " -port CLK " not in line and places and all(Path(f).name in limits and int(n) < limits[Path(f).name] for f, n in places):
                chosen.append(line)
        step = max(1, len(chosen) // count)
        return chosen[::step][:count]

    def holds(self, mutant=None):
        """True: proved; False: noticed; None: neither in time."""
        return self.decide([mutant] if mutant else [], "formalff -setundef -clk2ff -ff2anyinit")

    def changes_nothing(self, mutant=None):
        """With the mutant and without, the block gives its bench the same outputs, for any inputs that the bench makes.
        As long as they are the same, both benches make the same inputs of theirs."""
        outputs = "w:u_*.*_o w:u_*.u_*.* %d"
        return self.decide(["chformal -assert -cover -live -fair -remove", f"expose {outputs}", f"copy {self.top} before",
                            *([mutant] if mutant else []), f"copy {self.top} after", "miter -equiv -flatten -make_assert before after compared",
                            "hierarchy -top compared"], "formalff -clk2ff", ["setundef -init -zero"]) is True

    def decide(self, commands, registers, values=()):
        """values: commands that give values to what has none, the memory's words and what is read while they are written."""
        aiger = self.folder / f"{self.name}.aig"
        self.run("design -load clean", self.design)
        for command in commands + [
                "prep -nordff", "flatten", "async2sync", "chformal -lower", "opt_clean", "memory_map -formal", *values, registers,
                "chformal -live -fair -cover -remove", "setundef -undriven -anyseq", "opt -fast", "simplemap",
                "techmap", "opt -fast", *values, "abc -g AND", "opt_clean", "dffunmap", "simplemap", "abc -g AND", "opt_clean", *values,
                f"write_aiger -I -B -zinit {aiger}"]:
            self.run(command, self.design)
        abc = next((VENV / "lib").glob("python3*/site-packages/pyosys/yosys-abc"))
        bounded = max(1, self.seconds // 8)
        done = subprocess.run([abc, "-c", f"read_aiger {aiger}; fold; strash; bmc3 -T {bounded} -F 60; pdr -T {max(1, self.seconds - bounded)}"],
                              capture_output=True, text=True)
        if "was asserted" in done.stdout:
            return False
        return True if "Property proved" in done.stdout else None


def main():
    if Path(sys.prefix) != VENV:
        if not (VENV / "bin/python").exists():
            sys.exit("mutate: no pyosys; tools/install-packages.sh --rtl installs it")
        os.execv(VENV / "bin/python", [VENV / "bin/python", __file__, *sys.argv[1:]])
    # yosys logs to standard output.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    arguments, given = sys.argv[1:], {"--count": 40, "--seconds": SECONDS}
    for option in given:
        if option in arguments[:-1]:
            at = arguments.index(option)
            given[option] = int(arguments[at + 1])
            del arguments[at:at + 2]
    count = given["--count"]
    for name in arguments or [n for n in PROOFS if n not in LONG and n not in VARIANTS]:
        block = Block(name, given["--seconds"])
        # One that needs its own engine is not decided here; its mutants are looked for all the same.
        if block.holds() is False:
            print(f"{name}: the proof itself does not hold here", file=out)
            continue
        mutants = block.mutants(count)
        alive = [m for m in mutants if block.holds(m) is not False]
        if alive and not block.changes_nothing():
            print(f"{name}: the block cannot be compared with itself; those that change nothing are counted", file=out)
        same = [m for m in alive if block.changes_nothing(m)]
        alive = [m for m in alive if m not in same]
        count_of = len(mutants) - len(same)
        print(f"{name:16} {count_of - len(alive)} of {count_of} noticed "
              f"({100 * (count_of - len(alive)) / max(1, count_of):.0f} %), {len(same)} more change nothing", file=out)
        for mutant in alive:
            print(f"    {re.sub(r'-src .*/', '-src ', mutant)}", file=out)


if __name__ == "__main__":
    main()
