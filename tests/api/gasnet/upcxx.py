#!/usr/bin/env python3
"""UPC++ built by its own scripts against an installed library, and its own tests by its own launcher.

    upcxx.py BUILD      TEST_UPCXX names UPC++'s source tree, from release 2020.10.0 on

The tree stays as it is. TEST_UPCXX_WORK names a folder in which all of it is built, and kept for
the next time; else it is a temporary one, and this takes many minutes. Exit status 77: there is no
such tree.
"""

import os
import re
import subprocess
import sys
import tempfile

# How many ranks, and where: one host, and two nodes of it with packets between them.
RUNS = (("1", {}), ("2", {}), ("4", {}), ("4", {"ISTHMUS_TRANSPORT": "packet", "ISTHMUS_NODES": "2,2"}))


def do(what, *words, cwd=None, **variables):
    """What it said; ends this program if it fails."""
    done = subprocess.run(words, cwd=cwd, env=dict(os.environ, **variables), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode != 0:
        print(done.stdout[-8000:])
        sys.exit(f"FAIL {what}: status {done.returncode}")
    return done.stdout


def test(build, source, work):
    os.makedirs(work, exist_ok=True)
    prefix, gasnet = os.path.join(work, "isthmus"), os.path.join(work, "gasnet")
    do("install", "cmake", "--install", build, "--prefix", prefix)
    isthmus = os.path.join(prefix, "bin", "isthmus")
    # `ibv` is the one name of a network between hosts that UPC++ of every year knows.
    do("folder", isthmus, "gasnet", "ibv", gasnet)
    do("configure", os.path.join(source, "configure"), f"--with-gasnet={gasnet}", "--enable-single=opt",
       "--with-default-network=ibv", cwd=work)
    do("make tests", "make", f"-j{os.cpu_count()}", "tests", cwd=work)
    for ranks, variables in RUNS:
        said = do(f"{ranks} ranks {variables}", "make", "run-tests", f"RANKS={ranks}", "UPCXX_QUIET=1",
                  "UPCXX_SKIP_REBUILD=1", cwd=work, **variables)
        passed = re.search(r"^PASSED running (\d+) tests", said, re.MULTILINE)
        if not passed or int(passed[1]) < 16:
            sys.exit(f"FAIL {ranks} ranks {variables}: {said[-2000:]}")
        where = " ".join(f"{name}={value}" for name, value in variables.items()) or "one host"
        print(f"ok   {passed[1]} tests of UPC++ on {ranks} ranks, {where}", flush=True)


def main():
    source = os.environ.get("TEST_UPCXX", "")
    if not os.path.isfile(os.path.join(source, "src", "upcxx.hpp")):
        print("skipped: TEST_UPCXX names no source tree of UPC++ (docs/clients/upcxx.md)")
        return 77
    source = os.path.abspath(source)
    work = os.environ.get("TEST_UPCXX_WORK")
    if work:
        test(sys.argv[1], source, os.path.abspath(work))
        return 0
    with tempfile.TemporaryDirectory(prefix="isthmus-upcxx-") as folder:
        test(sys.argv[1], source, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
