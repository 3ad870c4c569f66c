#!/usr/bin/env python3
"""Layers and rooms of src/: each includes, and each object refers to, only what is below it.

Usage: src.py SOURCE_FOLDER FILE_WITH_THE_LIBRARY'S_OBJECTS
"""
import os
import pathlib
import re
import subprocess
import sys

# From the ground up; src/README.md shows the same table, top down. A new room is a line here.
ROOMS = ["base", "packet", "transport", "core/job", "core/copy", "core/wait", "core/reach", "core/teams",
         "core/segments", "core/queues", "core/aggregation", "bootstrap", "core/session",
         "message", "api/kernel", "api/gasnet", "api/isthmus", "api/shmem"]
# Beside them, and what they may include of the others.
FACTS = ["core/job/job_layout.hpp", "core/job/heap_size.hpp", "core/job/window.hpp", "core/job/end_times.hpp",
         "core/job/crash_reporter.hpp"]
BESIDE = {"api/profile": ["base"], "transport/ofi": ["base", "transport"],
          "transport/loop": ["base", "transport"],
          "transport/packet": ["base", "packet", "transport"],
          "launch": ["base", "bootstrap"] + FACTS,
          "tools": ["base", "launch", "transport"] + FACTS}
FACES = {"api/gasnet", "api/isthmus", "api/kernel", "api/shmem"}  # siblings: none uses another
KNOT = 3  # objects that call each other in a circle, at most
# Near or far is chosen in core/reach (operation.hpp, blocks.hpp). Who calls the far half by itself,
# and why; the faces' shortest ways test the window and know it then.
FAR_CALLS = re.compile(r"far::(?:put|get|put_nbi|get_nbi|fetch_atomic|post_atomic|put_signal|tell|begin_get|"
                       r"count_up|put_word|put_express|put_otherwise|put_otherwise_on|get_word|fetch_word|"
                       r"is_taken|put_again)\b|\.put_short\(")
CHOOSES = {
    "api/shmem/rma.cpp": "counted: 16 and 24 instructions from entry to the road's call",
    "api/shmem/atomics.cpp": "counted: 45 instructions and the seal to the road's call",
    "api/gasnet/transfer.cpp": "counted: a put_nbi goes to the road's call; gets with handles are left under way",
    "api/gasnet/exit.cpp": "who ends counts itself at PE 0 and waits for no answer of it, for it may hold the road's lock",
    "api/isthmus/operation.cpp": "counted: a put goes to the road's call with what the view has ready",
    "api/isthmus/symmetric.cpp": "counted: 20 instructions for x[1] = y; a get with an event is left under way if far",
    "api/isthmus/gather.cpp": "counted: many reads are begun at far PEs before one is waited for",
    "core/segments/far_segment.cpp": "a view says whether its segment is far; near ones are inlined in programs",
    "core/segments/arena.cpp": "one word of a far PE's arena, of which nothing is mapped here",
    "core/queues/far_queue.cpp": "the far end of a queue: QueueProducer chooses",
    "core/queues/far_ring.cpp": "the far end of an aggregator's ring: Aggregator chooses, once a ring",
    "message/far_post.cpp": "messages to other hosts: Target says where a PE is",
    "message/fetch.cpp": "gets whose answers are messages are left under way if far",
    "message/envelope.cpp": "counts of completion go by tell(), which no quiet waits for",
    "core/aggregation/waves.cpp": "between the first PEs of hosts, which are far from each other",
    "core/session/departure.cpp": "between the first PEs of hosts, which are far from each other",
    "core/session/told_wait.cpp": "of PEs of other hosts; those of this one show what they do",
}
# (file, what it includes) or (object, object): why. There should be next to none.
EXCEPTIONS = {}


def room_of(path):
    """The room that a file or object lies in, by its path in src/; None: it is not of src/."""
    rooms = sorted([*ROOMS, *BESIDE], key=len, reverse=True)
    return next((room for room in rooms if path.startswith(room + "/")), None)


def may_use(user, path):
    used = room_of(path)
    if used == user:
        return True
    if user in BESIDE:
        return any(path == part or path.startswith(part + "/") for part in BESIDE[user]) and (
            used not in BESIDE or used in BESIDE[user])
    if used in BESIDE or {user, used} <= FACES:
        return False
    return ROOMS.index(used) < ROOMS.index(user)


def upward_includes(src):
    for file in sorted([*src.rglob("*.hpp"), *src.rglob("*.cpp"), *src.rglob("*.inl")]):
        name = str(file.relative_to(src))
        assert room_of(name), f"src/{name} lies in no room of the table in {__file__}"
        for included in re.findall(r'^#include "(.*)"', file.read_text(), re.MULTILINE):
            if room_of(included) and not may_use(room_of(name), included):
                yield name, included


def far_calls(src):
    """Files outside core/reach that choose near or far by themselves."""
    for file in sorted([*(src / "api").rglob("*.?pp"), *(src / "core").rglob("*.?pp"),
                        *(src / "message").rglob("*.?pp")]):
        name = str(file.relative_to(src))
        if not name.startswith("core/reach/") and FAR_CALLS.search(file.read_text()):
            yield name


def read_objects(paths):
    """What each object defines, weak symbols aside, and what it refers to, by path in src/."""
    defines, refers = {}, {}
    for path in paths:
        # .../src/CMakeFiles/TARGET.dir/core/job/job.cpp.o, where a list from a generator expression
        # may have "./" in between
        name = os.path.normpath(re.sub(r".*\.dir/", "", path))[:-2]
        assert room_of(name), f"{path} lies in no room"
        out = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
        symbols = [line.split()[-2:] for line in out.splitlines()]
        refers[name] = {symbol for kind, symbol in symbols if kind == "U"}
        defines.update({symbol: name for kind, symbol in symbols if kind in "TDBRSG"})
    return {name: {(defines[symbol], symbol) for symbol in used
                   if defines.get(symbol, name) != name} for name, used in refers.items()}


def knots(graph):
    """Strongly connected components, Tarjan's way."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            found.append(stack[stack.index(node):])
            del stack[stack.index(node):]

    for node in graph:
        if node not in index:
            visit(node)
    return found


def main():
    src = pathlib.Path(sys.argv[1])
    wrong = [f"src/{name} includes {included}, which is above it"
             for name, included in upward_includes(src) if (name, included) not in EXCEPTIONS]
    objects = read_objects(pathlib.Path(sys.argv[2]).read_text().split())
    assert len(objects) > 80, f"only {len(objects)} objects: is the library built?"
    wrong += [f"{name} refers to {symbol} of {other}, which is above it"
              for name, used in objects.items() for other, symbol in sorted(used)
              if not may_use(room_of(name), other) and (name, other) not in EXCEPTIONS]
    graph = {name: {other for other, _ in used} for name, used in objects.items()}
    wrong += [f"{len(knot)} objects call each other in a circle: {', '.join(sorted(knot))}"
              for knot in knots(graph) if len(knot) > KNOT]
    shown = re.findall(r"^\| `([\w/]+)/` \|", (src / "README.md").read_text(), re.MULTILINE)
    if [room for room in shown if room in ROOMS] != ROOMS[::-1]:
        wrong.append(f"src/README.md shows the rooms {shown}; they are {ROOMS[::-1]}, from the top")
    wrong += [f"the exception {pair} is one no more: take it out" for pair in EXCEPTIONS
              if not (src / pair[0]).exists()]
    chooses = set(far_calls(src))
    wrong += [f"src/{name} calls the far half by itself: use core/reach/operation.hpp, or give the reason here"
              for name in sorted(chooses - set(CHOOSES))]
    wrong += [f"src/{name} does not choose near or far any more: take it out"
              for name in sorted(set(CHOOSES) - chooses)]
    print("\n".join(wrong) or f"{len(objects)} objects in {len(ROOMS)} rooms")
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    sys.exit(main())
