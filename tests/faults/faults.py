#!/usr/bin/env python3
"""Puts faults into a copy of the tree, one at a time, and says which of them the tests notice.

    faults.py check                 every text of the catalogue is in the tree exactly once
    faults.py run [ID...]           all faults, or those named
    faults.py run --wing core --sample 20 --seed 7

The catalogue is the .toml files beside this one. A fault is text that is in one file exactly once
and what stands there instead. Most become switches in one build (`isthmus_fault(17) ? wrong :
right`), which the environment turns; what the compiler must know (constants, C, public headers) is
marked `how = "build"` and is built for itself, and `how = "plain"` in a second copy without switches
(tests that count instructions). A fault is caught if one of its tests fails.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Roads are modules, which no command names.
ALWAYS = ["isthmus", "isthmus_ofi", "isthmus_packet_road", "isthmus_loop", "isthmus_tool"]
KEYS = {"id", "file", "text", "instead", "breaks", "tests", "how"}
CAUGHT, SURVIVED, NOT_REACHED, NO_TEST, NO_BUILD = (
    "caught", "survived", "not reached", "no test ran", "does not build")


class Fault:
    def __init__(self, entry, wing, defaults, number):
        unknown = set(entry) - KEYS
        if unknown:
            raise SystemExit(f"{wing}: {entry.get('id')}: unknown keys {sorted(unknown)}")
        self.id = entry["id"]
        self.file = entry["file"]
        self.text = entry["text"].strip("\n")
        self.instead = entry["instead"].strip("\n")
        self.breaks = entry["breaks"]
        self.how = entry.get("how", "switch")
        if self.how not in ("switch", "build", "plain"):
            raise SystemExit(f"{wing}: {self.id}: there is no way {self.how}")
        self.wing = wing
        self.number = number
        folder = max((name for name in defaults if self.file.startswith(name)), key=len, default="")
        self.tests = entry.get("tests") or defaults.get(folder, [])


class Catalogue:
    def __init__(self, folder=HERE):
        self.faults = []
        self.units = {}  # wing: programs whose tests are known when they are built
        for path in sorted(folder.glob("*.toml")):
            with open(path, "rb") as file:
                data = tomllib.load(file)
            wing = data["wing"]["name"]
            self.units[wing] = data["wing"].get("units", [])
            for entry in data.get("fault", []):
                self.faults.append(
                    Fault(entry, wing, data.get("default", {}), len(self.faults) + 1))
        names = [fault.id for fault in self.faults]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SystemExit(f"ids that are there twice: {', '.join(twice)}")

    def wrong(self):
        """What keeps the catalogue from fitting the tree, as sentences."""
        for fault in self.faults:
            path = ROOT / fault.file
            found = path.read_text().count(fault.text) if path.is_file() else 0
            if found != 1:
                yield (f"{fault.id}: its text is {found} times in {fault.file}{elsewhere(fault)}:"
                       f" {fault.text!r}")
            elif fault.how == "switch" and begins_within(path.read_text(), fault.text):
                yield f"{fault.id}: its statements begin in the middle of another"
            elif fault.how == "switch" and found == 1 and begins_inside(path.read_text(), fault.text):
                yield f"{fault.id}: it begins within a statement, or declares what others use"
            elif fault.how == "switch" and found == 1 and is_initialiser(path.read_text(), fault.text):
                yield f"{fault.id}: it is the initialiser of a member, not only its value"
            elif fault.how == "switch" and found == 1 and parts_another(path.read_text(), fault.text):
                yield f"{fault.id}: it is a part of an expression that is taken together otherwise"
            if fault.how == "switch":
                for part in (fault.text, fault.instead):
                    if why := no_unit(part, is_statement(fault.text)):
                        yield f"{fault.id}: {part.strip()!r} cannot be switched: {why}"
            if fault.text == fault.instead:
                yield f"{fault.id}: changes nothing"
            if not fault.tests:
                yield f"{fault.id}: no test is named"

    def chosen(self, arguments):
        chosen = [fault for fault in self.faults
                  if (not arguments.wing or fault.wing in arguments.wing)
                  and (not arguments.ids or fault.id in arguments.ids)]
        unknown = set(arguments.ids) - {fault.id for fault in self.faults}
        if unknown:
            raise SystemExit(f"no such fault: {', '.join(sorted(unknown))}")
        if arguments.sample and arguments.sample < len(chosen):
            picked = random.Random(arguments.seed).sample(chosen, arguments.sample)
            chosen = sorted(picked, key=lambda fault: fault.number)
        return chosen


def begins_within(text, part):
    """Several statements behind `if (...)` without a brace: a switch would change what is right."""
    before = text[:text.index(part)].rstrip()
    return (is_statement(part) and before.endswith((")", "]]", "else"))
            and re.match(r"\s*(if|for|while)\b", part) is None
            and len(re.findall(r";\s*\n", part + "\n")) > 1)


def begins_inside(text, part):
    """A statement whose beginning is not there, or one that declares what is used behind it."""
    before = re.sub(r"//[^\n]*", "", text[:text.index(part)]).rstrip()
    if not is_statement(part):
        return False
    if before and not before.endswith((";", "{", "}", ")", "]]", ":", "else", ">")):
        return True
    declares = re.match(r"\s*(const|constexpr|static|auto)\b", part)
    return declares is not None and len(re.findall(r";", part)) == 1


def is_initialiser(text, part):
    """`member_(value)` in front of a constructor's body."""
    before = text[:text.index(part)].rstrip()
    return re.fullmatch(r"\w+_\s*[({].*[)}]", part.strip(), re.DOTALL) is not None and before.endswith((":", ","))


# Operators of which the text of a fault may have some and stand behind or in front of another, loosest first.
LEVELS = [("?",), ("||",), ("&&",), ("==", "!="), ("<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"), ("!",)]
LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
OPERATOR = re.compile(r"\|\||&&|[=!<>]=|<<|>>|[?+\-*/%!]")


def without_brackets(text):
    """What stands outside of all brackets, quotes and comments."""
    bare = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'|//[^\n]*', "0", text)
    while (less := re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|->|\+\+|--", "0", bare)) != bare:
        bare = less
    return bare


def parts_another(text, part):
    """An expression that others' operators take apart: a switch has it in parentheses, which changes what is right."""
    if is_statement(part):
        return False
    loosest = min((LEVEL[found] for found in re.findall(r"(?<=[\w)\s])(\|\||&&|[=!<>]=|<<|>>| [?+\-*/%] )",
                                                        without_brackets(part).replace("\n", " "))
                   for found in [found.strip()]), default=len(LEVELS))
    at = text.index(part)
    before = re.search(r"(\|\||&&|[=!]=| [<>]=| [+\-*/%]|!)\s*$", text[:at])
    behind = re.match(r"\s*(\|\||&&|[=!]=|[<>]=|[+\-*/%](?![+\-=>/*]))", text[at + len(part):])
    if before and (level := LEVEL[before[1].strip()]) >= loosest:
        return level > loosest or before[1].strip() in "-/%"
    return behind is not None and LEVEL[behind[1]] > loosest


def no_unit(part, are_statements):
    """Why a switch cannot stand around this text, as far as its brackets and ends tell; or None."""
    bare = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'|//[^\n]*', "0", part).strip()
    open_, outside = [], ""
    for sign in bare:
        if sign in "([{":
            open_.append(sign)
        elif sign in ")]}":
            if not open_ or open_.pop() + sign not in ("()", "[]", "{}"):
                return "a bracket closes that is not open"
        elif not open_:
            outside += sign
    if open_:
        return "a bracket is left open"
    if are_statements:
        return None if not bare or is_statement(bare) else "it is no whole statement"
    if ";" in outside or re.match(r"(if|for|while|switch|return|const|auto)\b", bare):
        return "it is a statement and a part of one"
    if outside.count("?") != outside.replace("::", "").count(":"):
        return "a condition has only one of its halves"
    if re.match(r"[=<>|,.?:/%^)]|&&|->|!=", bare) or re.search(r"([-=<>|&,?:/%^*!(.]|\breturn)$", bare):
        return "it is no whole expression"
    return None


def elsewhere(fault):
    """Where a file that was moved, or parted, has it now."""
    now = [str(path.relative_to(ROOT)) for folder in ("src", "sim", "include")
           for path in (ROOT / folder).rglob("*")
           if path.suffix in (".cpp", ".hpp", ".h", ".c", ".inl")
           and fault.text in path.read_text(errors="replace")]
    return f" (it is in {', '.join(now)})" if now else ""


def is_statement(text):
    """As opposed to an expression, an object with its values in braces among them."""
    return text.rstrip().endswith((";", "}")) and not re.fullmatch(r"\s*[\w:]+\{[^;]*\}\s*", text)


def switched(text, group):
    """`text` with switches to what each fault of the group has instead."""
    if is_statement(text):
        cases = "".join(f"if (isthmus_fault({fault.number})) {{ {fault.instead} }} else "
                        for fault in group)
        return f"{{ {cases}{{ {text} }} }}"
    cases = "".join(f"isthmus_fault({fault.number}) ? ({fault.instead}) : " for fault in group)
    return f"({cases}({text}))"


def with_switches(path, text, faults):
    """The file's text with a switch for each fault; faults that overlap others come back."""
    spans = {}
    for fault in faults:
        begin = text.index(fault.text)
        spans.setdefault((begin, begin + len(fault.text)), []).append(fault)
    left, pieces, at = [], [], 0
    for (begin, end), group in sorted(spans.items()):
        if begin < at:
            left += group
            continue
        pieces += [text[at:begin], switched(text[begin:end], group)]
        at = end
    pieces.append(text[at:])
    include = os.path.relpath(HERE / "switch.hpp", (ROOT / path).parent)
    return f'#include "{include}"\n#line 1\n' + "".join(pieces), left


def named_by(pattern, names):
    """Those whose whole name it is, or else those of which it is a part, as for `ctest -R`."""
    pattern = pattern.partition(" ")[0]
    return ([name for name in names if re.fullmatch(pattern, name)]
            or [name for name in names if re.search(pattern, name)])


def tests_in(build):
    said = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True,
                          text=True).stdout
    return {test["name"]: test for test in json.loads(said)["tests"] if "command" in test}


class Tree:
    """The copy, with its build folder."""

    def __init__(self, folder, preset, jobs):
        self.folder = folder
        self.build = folder / "build" / preset
        self.preset = preset
        self.jobs = jobs
        self.tests = {}
        self.known = set()  # what can be built

    def write(self, path, text):
        """Only what differs, so that only that is built again."""
        to = self.folder / path
        if to.is_file() and not to.is_symlink() and to.read_bytes() == text:
            return
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(text)
        os.chmod(to, (ROOT / path).stat().st_mode)

    def fill(self, changed):
        listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
                                check=True, capture_output=True).stdout.decode().split("\0")
        names = {name for name in listed if name and (ROOT / name).is_file()}
        for name in names:
            self.write(name, changed.get(name) or (ROOT / name).read_bytes())
        for path in self.folder.rglob("*"):
            name = str(path.relative_to(self.folder))
            if not name.startswith("build/") and path.is_file() and name not in names:
                path.unlink()

    def run(self, *words):
        done = subprocess.run(words, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode == 0, done.stdout

    def configure(self):
        good, said = self.run("cmake", "--preset", self.preset)
        if not good:
            raise SystemExit(said[-4000:])

    def make(self, targets):
        return self.run("ninja", "-C", str(self.build), "-k", "0", "-j", str(self.jobs), *sorted(targets))

    def read_tests(self):
        self.tests = tests_in(self.build)
        said = subprocess.run(["ninja", "-t", "targets", "all"], cwd=self.build, check=True, capture_output=True,
                              text=True).stdout
        self.known = {line.rpartition(": ")[0] for line in said.splitlines()}

    def named(self, patterns):
        """The names of tests, each with the word that the pattern gives its command."""
        return list(dict.fromkeys(name + "".join(pattern.partition(" ")[1:])
                                  for pattern in patterns for name in named_by(pattern, self.tests)))

    def test(self, name):
        name, _, word = name.partition(" ")
        test = self.tests[name]
        return {**test, "command": [*test["command"], word]} if word else test

    def targets_of(self, names):
        """The programs that the tests' commands name, as targets."""
        programs = re.compile(re.escape(str(self.build)) + r"/((?:bin|lib)/[\w./-]+)")
        found = set()
        for name in names:
            words = [str(word) for word in self.test(name)["command"]]
            properties = properties_of(self.test(name))
            for word in words + properties.get("ENVIRONMENT", []):
                found.update(programs.findall(word))
            # Where a command names the folder, its programs are further words, those of the OpenSHMEM face by their
            # short names, or all that the tests of its label have.
            if str(self.build / "bin") in words:
                short = {part for word in words for part in word.split()[:1]}
                found |= self.known & {"bin/" + prefix + part for part in short for prefix in ("", "shmem_")}
                found |= self.known & {"tests-" + label for label in properties.get("LABELS", [])}
        return found


def properties_of(test):
    return {each["name"]: each["value"] for each in test.get("properties", [])}


class Result:
    def __init__(self, fault, what, by="", seconds=0.0, said=""):
        self.fault, self.what, self.by, self.seconds, self.said = fault, what, by, seconds, said


def end(process):
    for number, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            return process.communicate(timeout=patience)[0]
        except subprocess.TimeoutExpired:
            continue
    return ""


def run_test(test, environment, limit):
    """'passed', 'failed', 'too long' or 'skipped', as ctest would say, and what was printed."""
    properties = properties_of(test)
    whole = dict(os.environ, **environment)
    whole.update(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
    limit = min(limit, float(properties.get("TIMEOUT", limit)))
    process = subprocess.Popen(
        test["command"], cwd=properties.get("WORKING_DIRECTORY"), env=whole, text=True,
        errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        return "too long", end(process)
    if process.returncode == properties.get("SKIP_RETURN_CODE", "none"):
        return "skipped", said
    wanted = properties.get("PASS_REGULAR_EXPRESSION")
    unwanted = properties.get("FAIL_REGULAR_EXPRESSION", [])
    good = process.returncode == 0
    if wanted:
        good = any(re.search(each, said) for each in wanted)
    if any(re.search(each, said) for each in unwanted):
        good = False
    if str(properties.get("WILL_FAIL", "")).upper() in ("TRUE", "ON", "1"):
        good = not good
    return ("passed" if good else "failed"), said


class Run:
    """Faults in one copy of the tree, with switches or without."""

    def __init__(self, catalogue, faults, arguments, has_switches):
        self.catalogue, self.faults, self.arguments = catalogue, faults, arguments
        self.has_switches = has_switches
        folder = arguments.folder if has_switches else arguments.folder + "-plain"
        self.tree = Tree(pathlib.Path(folder).resolve(), arguments.preset, arguments.jobs)
        self.sound = {}  # test: how it ends without a fault, and its seconds
        self.guard = threading.Lock()
        self.texts = {}
        self.results = []

    def prepare(self):
        switches = {}
        alone = []
        switchable = self.catalogue.faults if self.arguments.switches == "all" else self.faults
        for fault in self.catalogue.faults:
            if fault.how == "switch" and self.has_switches and fault in switchable:
                switches.setdefault(fault.file, []).append(fault)
            else:
                alone.append(fault)
        for path, group in switches.items():
            text, left = with_switches(path, (ROOT / path).read_text(), group)
            self.texts[path] = text.encode()
            alone += left
        self.alone = [fault for fault in self.faults if fault in alone]
        self.switched = [fault for fault in self.faults if fault not in alone]
        self.tree.fill(self.texts)
        self.tree.configure()
        units = {unit for fault in self.faults for unit in self.catalogue.units[fault.wing]}
        self.build(ALWAYS + sorted(units))
        self.tree.read_tests()
        targets = set()
        for fault in self.faults:
            names = self.tree.named(fault.tests)
            targets |= self.tree.targets_of(names)
        self.build(sorted(targets))
        self.tree.read_tests()

    def build(self, targets):
        began = time.monotonic()
        good, said = self.tree.make(targets)
        if not good:
            raise SystemExit(said[-6000:])
        print(f"built {len(targets)} targets, {time.monotonic() - began:.0f} s", flush=True)

    def is_sound(self, name):
        """A test that fails without a fault tells nothing."""
        with self.guard:
            known = self.sound.get(name)
        if known is None:
            for _ in range(2):
                began = time.monotonic()
                what, said = run_test(self.tree.test(name), {"TEST_FAULT": "0"}, 4 * self.arguments.limit)
                known = (what, time.monotonic() - began)
                if what not in ("failed", "too long"):
                    break
            with self.guard:
                self.sound[name] = known
                if what != "passed":
                    print(f"  without a fault {name}: {what}\n{said[-600:]}", flush=True)
        return known[0] == "passed"

    def limit_of(self, name):
        """What takes long without a fault may take longer with one, and is not caught by that."""
        return max(self.arguments.limit, 3 * self.sound[name][1])

    def try_tests(self, fault, environment):
        ran = False
        for name in self.tree.named(fault.tests):
            if not self.is_sound(name):
                continue
            ran = True
            what, said = run_test(self.tree.test(name), environment, self.limit_of(name))
            if what in ("failed", "too long"):
                return name + (" (time limit)" if what == "too long" else ""), said, ran
        return "", "", ran

    def try_switch(self, fault):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            mark = os.path.join(folder, "reached")
            times = 0
            by, said, ran = "", "", True
            while times < self.arguments.repeat:
                by, said, ran = self.try_tests(
                    fault, {"TEST_FAULT": str(fault.number), "TEST_FAULT_REACHED": mark})
                times += 1
                if not by:
                    break
            reached = os.path.exists(mark)
        what = CAUGHT if by else NO_TEST if not ran else SURVIVED if reached else NOT_REACHED
        return Result(fault, what, by, time.monotonic() - began, said)

    def try_build(self, fault):
        began = time.monotonic()
        right = self.texts.get(fault.file) or (ROOT / fault.file).read_bytes()
        text = right.decode()
        if text.count(fault.text) != 1:  # inside another fault's switch
            text = (ROOT / fault.file).read_text()
        self.tree.write(fault.file, text.replace(fault.text, fault.instead, 1).encode())
        try:
            names = self.tree.named(fault.tests)
            good, said = self.tree.make(set(ALWAYS) | self.tree.targets_of(names))
            if not good:
                return Result(fault, NO_BUILD, "", time.monotonic() - began, said[-3000:])
            by, said, ran = self.try_tests(fault, {"TEST_FAULT": "0"})
        finally:
            self.tree.write(fault.file, right)
        what = CAUGHT if by else SURVIVED if ran else NO_TEST
        return Result(fault, what, by, time.monotonic() - began, said)

    def note(self, result):
        with self.guard:
            self.results.append(result)
            print(f"[{len(self.results)}/{len(self.faults)}] {result.what:11} {result.fault.id}"
                  f"  {result.by}  {result.seconds:.1f} s", flush=True)
            if self.arguments.verbose or result.what == NO_BUILD:
                print("    " + "\n    ".join(result.said[-1500:].splitlines()), flush=True)

    def go(self):
        self.prepare()
        with concurrent.futures.ThreadPoolExecutor(self.arguments.at_once) as pool:
            for done in concurrent.futures.as_completed(
                    [pool.submit(self.try_switch, fault) for fault in self.switched]):
                self.note(done.result())
        for fault in self.alone:  # behind the first of them the build has a fault until the next one
            for name in self.tree.named(fault.tests):
                self.is_sound(name)
        for fault in self.alone:
            self.note(self.try_build(fault))
        if self.alone:  # the next run begins with the right ones
            self.tree.fill(self.texts)


def table(results):
    wings = {}
    for result in results:
        caught, every = wings.get(result.fault.wing, (0, 0))
        wings[result.fault.wing] = (caught + (result.what == CAUGHT), every + 1)
    lines = ["| wing | caught | faults | share |", "|---|---|---|---|"]
    rows = sorted(wings.items())
    rows.append(("all", tuple(sum(column) for column in zip(*wings.values()))))
    for name, (caught, every) in rows:
        lines.append(f"| {name} | {caught} | {every} | {100 * caught / every:.1f} % |")
    for result in sorted(results, key=lambda each: each.fault.number):
        if result.what != CAUGHT:
            lines.append(f"{result.what}: {result.fault.id}: {result.fault.breaks}"
                         f" ({result.fault.file})")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "list", "run"])
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--wing", action="append", help="only faults of this wing; may be repeated")
    parser.add_argument("--sample", type=int, default=0, help="so many of them, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=30, help="seconds for one test")
    parser.add_argument("--repeat", type=int, default=1,
                        help="a fault must be caught so many times in a row")
    parser.add_argument("--jobs", type=int, default=2, help="of the build")
    parser.add_argument("--at-once", type=int, default=2, help="faults that are tried at once")
    parser.add_argument("--switches", choices=["all", "chosen"], default="all",
                        help="all: the next run has nothing to build; chosen: a compiler cache knows most objects")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--folder", default=str(ROOT / "build" / "faults"),
                        help="of the copy of the tree")
    parser.add_argument("--least", type=float, default=95, help="per cent that must be caught")
    parser.add_argument("--json", help="a file for the results")
    parser.add_argument("--tests", metavar="BUILD", help="check: each test that is named is in this build of everything")
    parser.add_argument("--verbose", action="store_true", help="what the failing test printed")
    arguments = parser.parse_args()

    # A shell lets what it runs in the background ignore these, and the tests' jobs would inherit that.
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    catalogue = Catalogue()
    wrong = list(catalogue.wrong())
    for sentence in wrong:
        print(sentence)
    if wrong:
        return 1
    if arguments.what == "check":
        if arguments.tests:
            names = tests_in(arguments.tests)
            for fault in catalogue.faults:
                for pattern in fault.tests:
                    found = named_by(pattern, names)
                    if not found:
                        wrong.append(fault)
                        print(f"{fault.id}: {arguments.tests} has no test {pattern}")
                    # What is known only once it is built is built only where it is named.
                    programs = {pathlib.Path(names[name]["command"][0]) for name in found}
                    units = {program.name for program in programs - {pathlib.Path(arguments.tests, "bin/isthmus").resolve()}
                             if program.is_relative_to(pathlib.Path(arguments.tests).resolve())}
                    if len(units) == 1 and not units & set(catalogue.units[fault.wing]):
                        wrong.append(fault)
                        print(f"{fault.id}: {units.pop()} is none of the units of {fault.wing}")
            if wrong:
                return 1
        print(f"{len(catalogue.faults)} faults fit the tree")
        return 0
    faults = catalogue.chosen(arguments)
    if arguments.what == "list":
        for fault in faults:
            print(f"{fault.wing}: {fault.id}: {fault.breaks} ({fault.file})")
        return 0
    results = []
    for has_switches in (True, False):
        some = [fault for fault in faults if (fault.how != "plain") == has_switches]
        if some:
            run = Run(catalogue, some, arguments, has_switches)
            run.go()
            results += run.results
    print(table(results))
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump([{"id": each.fault.id, "wing": each.fault.wing, "file": each.fault.file,
                        "breaks": each.fault.breaks, "result": each.what, "by": each.by,
                        "seconds": round(each.seconds, 1)} for each in results], file, indent=1)
    caught = sum(each.what == CAUGHT for each in results)
    return 0 if 100 * caught >= arguments.least * len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
