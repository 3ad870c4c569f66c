#!/usr/bin/env python3
"""Modules of another build beside the library: none is called, and each is told with both versions.

    stale_modules.py ISTHMUS PROGRAM LIBRARY STALE UNTOLD     STALE, UNTOLD: with and without a version
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ISTHMUS, PROGRAM, LIBRARY, STALE, UNTOLD = sys.argv[1:]
OWN = r"\d+\.\d+\.\d+-[0-9a-f]{8}"
ADVICE = "they are of different builds; build and install the library and its modules together"
SOURCES = pathlib.Path(__file__).parents[2] / "src"
# What the version is made of: the headers of what is called, once, where it is made.
CALLED = re.search(r"foreach\(header ([^)]*)\)", (SOURCES / "CMakeLists.txt").read_text())[1].split()
problems = []


def check(name, command, text, status, **settings):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **settings))
    said = done.stdout + done.stderr
    if done.returncode != status or not re.search(text, said):
        problems.append(f"{name}: status {done.returncode}, not {status}; expected: {text}\n{said}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        lib, tools = os.path.join(folder, "lib"), os.path.join(folder, "bin")
        os.mkdir(lib)
        os.mkdir(tools)
        for name in ("libisthmus.so", "libisthmus.so.0"):
            shutil.copy(LIBRARY, os.path.join(lib, name))
        tool = shutil.copy(ISTHMUS, tools)
        for module, version in ((STALE, "9.9.9-another"), (UNTOLD, "none")):
            for name in ("ofi", "packet", "loop", "pmix"):
                shutil.copy(module, os.path.join(lib, f"libisthmus-{name}.so"))

            def wrong(name):
                return (f"{lib}/libisthmus-{name}.so is of version {version}, and the library that loads it of "
                        f"{OWN}: {ADVICE}")
            for name in ("ofi", "packet", "loop"):
                check(f"road {name}, {version}", [ISTHMUS, "run", "-n", "2", PROGRAM],
                      "^isthmus: PE . .*: shmem_init: the job has PEs that this host does not hold, and the transport "
                      "between hosts cannot be loaded: " + wrong(name) + "\n", 1, ISTHMUS_TRANSPORT=name,
                      LD_LIBRARY_PATH=lib)
            check(f"pmix, {version}", [PROGRAM], "its PMIx needs a module: " + wrong("pmix"), 1, LD_LIBRARY_PATH=lib,
                  PMIX_RANK="0", PMIX_NAMESPACE="job", OMPI_COMM_WORLD_SIZE="2")
            for name in ("ofi", "packet"):
                check(f"info, {name}, {version}", [tool, "info"], wrong(name), 0, ISTHMUS_TRANSPORT=name)
                check(f"doctor, {name}, {version}", [tool, "doctor"], wrong(name), 1)
    called = set(CALLED)
    for header in CALLED:
        others = set(re.findall(r'#include "(.*)"', (SOURCES / header).read_text())) - called
        if others:
            problems.append(f"{header} includes {sorted(others)}, of which the version of modules knows nothing")
    print("\n".join(problems) or "each is refused with both versions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
