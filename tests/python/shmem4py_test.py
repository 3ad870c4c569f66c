"""Builds the unmodified shmem4py of PyPI with oshcc and runs its own tests on 1, 2 and 4 PEs.

    shmem4py_test.py BIN WORK     BIN holds oshcc and oshrun; WORK is a folder to work in

Skips (77), saying why, where the packages cannot be had. shmem4py 1.0.0 needs NumPy 1.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

PACKAGE = "shmem4py==1.0.0"
TOOLS = ["setuptools", "wheel", "cffi", "numpy<2"]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)


def skip(reason, result):
    print(result.stdout[-2000:])
    print("skipped:", reason)
    sys.exit(77)


def main():
    binaries, work = Path(sys.argv[1]), Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    python = work / "environment" / "bin" / "python"
    if not python.exists():
        made = run(sys.executable, "-m", "venv", work / "environment")
        if made.returncode:
            skip("no virtual environment can be made (package python3-venv)", made)
    fetched = run(python, "-m", "pip", "install", "-q", *TOOLS)
    if fetched.returncode:
        skip("the package index cannot be reached", fetched)
    fetched = run(python, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation",
                  "--no-binary", ":all:", "-d", work, PACKAGE)
    if fetched.returncode:
        skip("the package index does not give " + PACKAGE, fetched)
    with tarfile.open(next(work.glob("shmem4py-*.tar.gz"))) as archive:
        archive.extractall(work)
    source = work / "shmem4py-1.0.0"
    # Not how fast it is, but that it is right; optimised, its one file compiles four times as long.
    environment = dict(os.environ, PATH=f"{binaries}:{os.environ['PATH']}", OSHCC="oshcc", CFLAGS="-O0 -g0")
    built = run(python, "-m", "pip", "install", "-q", "--force-reinstall", "--no-build-isolation",
                "--no-deps", source, env=environment)
    if built.returncode:
        print(built.stdout)
        return "shmem4py does not build with oshcc"
    for pes in (1, 2, 4):
        tested = run(binaries / "oshrun", "-n", pes, "--timeout", 120, python, "-m", "unittest",
                     "discover", "-s", "test", cwd=source, env=environment)
        print(f"{pes} PEs:", tested.stdout[-300:])
        if tested.returncode or tested.stdout.count("OK") != pes:
            return f"its tests fail on {pes} PEs"
    return 0


sys.exit(main())
