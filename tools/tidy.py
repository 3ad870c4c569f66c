#!/usr/bin/env python3
"""clang-tidy over many sources in a tenth of its time.

    tools/tidy.py BUILD FILE...    FILE as BUILD/compile_commands.json has it; those that are not there are left out

Most of clang-tidy's time goes into the headers of a source, the same ones again for each. So sources
that are compiled alike are looked at together, as one that includes them all. Those whose own names look
as if they would clash are kept apart. Where names clash all the same, or anything is found, the sources in
which it is are looked at alone, and the others together once more; where it is in none or in many, the batch
is halved. What is said is said of one source alone. What only a source by itself shows (it uses what it does
not include) the build shows.
Prints what was found. Exit status: 1 if anything was, 2 for a wrong call.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

BATCH = 20
# The sources of a batch are, to clang-tidy, headers of it: those of bench/ and examples/ would not be looked at.
HEADERS = r"(src|sim|include|bench|examples)/.*"
# The static analyzer follows the paths of a source, not of its headers, unless the source is called so.
UNIFIED = "UnifiedSource.cpp"
# It goes into small functions only; otherwise a batch takes five times as long, and the typed routines minutes.
SHALLOW = ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")


def by_command(build, wanted):
    """{(folder, words of the compiler's command without source and object): [source]}, in the build's order."""
    groups = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        for entry in json.load(commands):
            if entry["file"] not in wanted:
                continue
            wanted.discard(entry["file"])  # a source of two targets is looked at once
            words = shlex.split(entry["command"])
            at = words.index("-o")
            del words[at:at + 2]
            words = [word for word in words if word not in ("-c", entry["file"])]
            groups.setdefault((entry["directory"], tuple(words)), []).append(entry["file"])
    return groups


# What stands at the beginning of a line and is no comment, directive, label or closing brace: a declaration.
DECLARATION = re.compile(r"^(?!(?:namespace|extern|return|case|public|private|using namespace|static_assert|alignas)\b)"
                         r"(?=[a-z])[^=({;\n]*?\b([a-z]\w*[a-z]\w*) *[=({;\[]", re.M | re.I)
USING = re.compile(r"^using namespace .*", re.M)


def batches(sources):
    """Lists of at most BATCH sources that use the same namespaces and declare, as far as lines tell, no name twice."""
    made = []  # (namespaces, names, sources)
    for source in sources:
        with open(source, encoding="utf-8") as file:
            text = file.read()
        using = set(USING.findall(text))
        names = {match[1] for match in DECLARATION.finditer(text)
                 if "::" + match[1] not in match[0] and not match[1].isupper()}
        for namespaces, taken, batch in made:
            if namespaces == using and len(batch) < BATCH and not names & taken:
                batch.append(source)
                taken |= names
                break
        else:
            made.append((using, names, [source]))
    return [batch for _, _, batch in made]


# A name inside a source and one outside functions of another of its batch.
SHADOW = re.compile(r"^(\S+):\d+:\d+: error: declaration shadows (?:.*\n)*?(\S+):\d+:\d+: note: previous declaration", re.M)


ERROR = re.compile(r"^(\S+):\d+:\d+: error: ", re.M)
# More that clash than these, and halves of the batch are soonest done.
MOST_APART = 3


def said_in(said, sources):
    """Where `said`, of sources looked at together, finds more than that: a set of files, headers among them."""
    shadows = {match.start() for match in SHADOW.finditer(said) if match[1] != match[2] and match[2] in sources}
    return {match[1] for match in ERROR.finditer(said) if match.start() not in shadows}


def smaller(sources, files):
    """Batches to look at instead of `sources`, of which something is said in `files`."""
    named = [source for source in sources if source in files]
    if 0 < len(named) <= MOST_APART:
        rest = [source for source in sources if source not in files]
        return [[source] for source in named] + ([rest] if rest else [])
    half = len(sources) // 2
    return [sources[:half], sources[half:]]


def tidy(arguments):
    """What clang-tidy prints if it does not end well, else None."""
    run = subprocess.run(["clang-tidy", "--quiet", *arguments], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    return run.stdout if run.returncode else None


def look(build, folder, number, batch):
    """Findings of `batch`: ((folder, words), sources)."""
    (directory, words), sources = batch
    if len(sources) == 1:
        return tidy(["-p", build, *(f"--extra-arg={word}" for word in SHALLOW), sources[0]])
    together = os.path.join(folder, str(number))
    os.mkdir(together)
    source = os.path.join(together, UNIFIED)
    with open(source, "w", encoding="utf-8") as file:
        file.writelines(f'#include "{each}"  // NOLINT(bugprone-suspicious-include)\n' for each in sources)
    with open(os.path.join(together, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump([{"directory": directory, "file": source,
                    "command": shlex.join([*words, *SHALLOW, "-c", source])}], file)
    return tidy(["-p", together, f"--header-filter={HEADERS}", f"--config-file={os.path.abspath('.clang-tidy')}", source])


def main():
    if len(sys.argv) < 3 or not os.path.exists(os.path.join(sys.argv[1], "compile_commands.json")):
        print(__doc__, file=sys.stderr)
        return 2
    build = sys.argv[1]
    groups = by_command(build, {os.path.abspath(name) for name in sys.argv[2:]})
    waiting = [(key, batch) for key, sources in groups.items() for batch in batches(sources)]
    count = sum(len(sources) for _, sources in waiting)
    found = False
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        number = 0
        while waiting:
            looked = []
            for batch in waiting:
                number += 1
                looked.append((batch, pool.submit(look, build, folder, number, batch)))
            waiting = []
            for (key, sources), result in looked:
                said = result.result()
                if said is None:
                    continue
                if len(sources) == 1:
                    print(said, end="")
                    print(f"lint: {os.path.relpath(sources[0])}", flush=True)
                    found = True
                elif files := said_in(said, sources):
                    waiting += [(key, batch) for batch in smaller(sources, files)]
    if not found:
        print(f"lint: clang-tidy finds nothing in {count} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
