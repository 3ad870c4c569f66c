#!/usr/bin/env python3
"""The rooms of the xBGAS machine: which may include which.

The lowest room comes first. A room includes itself, what its row names, and nothing else of this
repository; what it names must stand above it in the table, so that the order has no circle. Tests
and their folders mirror the rooms.
"""
import argparse
import pathlib
import re
import sys

ROOMS = {
    "isa": set(),
    "machine": set(),
    "statistics": set(),
    "memory": {"machine"},
    "network": {"isa", "machine", "statistics"},
    "hart": {"isa"},
    "linux": {"isa", "hart"},
    "debug": {"isa", "hart"},
    "step": {"isa", "hart"},
    "scale": {"isa", "hart"},
    "timing": {"isa", "machine", "statistics", "memory", "network", "hart"},
    "report": {"machine", "statistics", "network", "timing"},
    "tool": {"isa", "machine", "network", "hart", "linux", "debug", "scale", "timing", "report"},
}
# Not rooms of the simulator: compiled for the machine that it simulates.
GUEST = {"runtime"}
# (file, what it includes): why it may.
EXCEPTIONS = {
    ("sim/scale/shmem_spread.cpp", "shmem.h"): "one simulation in several processes is a job of the library",
}
# Headers that cost a second or more to include: only these files may, so that most units build quickly.
EXPENSIVE = {
    "sim/hart/execute.hpp": {
        "sim/hart/execute.cpp", "sim/hart/commit_log.cpp", "sim/hart/communication.cpp",
        "sim/debug/watch.cpp", "sim/timing/hart_view.cpp", "sim/step/loop.cpp",
    },
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def includes(file):
    return INCLUDE.findall(file.read_text(encoding="utf-8"))


def room_of(path):
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "sim" else None


def check_order():
    seen = set()
    for room, below in ROOMS.items():
        for other in sorted(below - seen):
            yield f"the table of rooms: {room} may include {other}, which does not stand below it"
        seen.add(room)


def check_includes(source):
    used = set()
    for folder in sorted(p.name for p in (source / "sim").iterdir() if p.is_dir()):
        if folder not in ROOMS and folder not in GUEST and folder != "__pycache__":
            yield f"sim/{folder} is no room of the table in tests/layers/sim.py"
    for room, below in ROOMS.items():
        for file in sorted((source / "sim" / room).glob("**/*.?pp")):
            name = file.relative_to(source).as_posix()
            for included in includes(file):
                if (name, included) in EXCEPTIONS:
                    used.add((name, included))
                    continue
                if included in EXPENSIVE and name not in EXPENSIVE[included]:
                    yield f"{name} includes {included}, which is expensive: its row names who may"
                target = room_of(included)
                own = included.startswith(("base/", "core/", "api/", "launch/", "transport/", "shmem", "isthmus.h"))
                if own or (target is not None and target != room and target not in below):
                    yield f"{name} includes {included}, but {room} may include only: " \
                          f"{', '.join(sorted(below)) or 'nothing'}"
    for left in sorted(set(EXCEPTIONS) - used):
        yield f"the exception {left} is not needed any more"


def check_tests(source):
    helpers = {"programs"}
    for folder in sorted(p.name for p in (source / "tests/sim").iterdir() if p.is_dir()):
        if folder not in ROOMS and folder not in GUEST and folder not in helpers and folder != "__pycache__":
            yield f"tests/sim/{folder} mirrors no room of sim/"
    for file in sorted((source / "tests/sim").glob("*_test.cpp")):
        yield f"{file.relative_to(source)} lies in no room's folder"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    source = parser.parse_args().source
    broken = [*check_order(), *check_includes(source), *check_tests(source)]
    for line in broken:
        print(line)
    print(f"{len(ROOMS)} rooms, {len(EXCEPTIONS)} exceptions: {'broken' if broken else 'in order'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
