"""`isthmus run --cluster`: one program on descriptions of many shapes, from outside.

    cluster_run.py ISTHMUS PROGRAM PROTOCOL COUNT...    so many kernels on each node, all on this machine
    cluster_run.py ISTHMUS PROGRAM refusals
"""

import json
import os
import subprocess
import sys
import tempfile

ISTHMUS, PROGRAM, PROTOCOL = sys.argv[1:4]


def run(text, *words):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cluster.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([ISTHMUS, "run", "--cluster", path, "--timeout", "100", *words], text=True,
                              capture_output=True, timeout=110, stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout, done.stderr.replace(path, "FILE")


def nodes(counts):
    first = 0
    for number, count in enumerate(counts):
        yield {"name": f"n{number}", "kernels": list(range(first, first + count))}
        first += count


def check(what, wanted):
    if what != wanted:
        sys.exit(f"{what!r} is not {wanted!r}")


def refusals():
    two = json.dumps({"nodes": list(nodes([1, 1]))})
    check(run("{\n\"nodes\": [{\"name\": \"board\", \"type\": \"hardware\", \"kernels\": [0]}]}", PROGRAM),
          (2, "", "isthmus run: FILE:2: nodes[0].type: node board is hardware, and hardware nodes cannot be started "
                  "yet (isthmus run --help explains)\n"))
    check(run(two, "-n", "2", PROGRAM),
          (2, "", "isthmus run: --cluster and -n exclude each other: the description says which kernels run where "
                  "(isthmus run --help explains)\n"))
    done = subprocess.run([ISTHMUS, "run", "--cluster", "/nowhere/c.json", PROGRAM], capture_output=True, text=True,
                          check=False)
    check((done.returncode, done.stderr),
          (2, "isthmus run: /nowhere/c.json: No such file or directory (isthmus run --help explains)\n"))
    check(run(two, "--dry-run", "true", "7"),
          (0, "node n0 (localhost): kernel 0\nnode n1 (localhost): kernel 1\nbetween nodes: packets by tcp\n"
              "2 PEs on this host, by isthmus run itself: true 7\noptions: --timeout 100\n"
              "variables: ISTHMUS_PACKET_PROTOCOL=tcp ISTHMUS_TRANSPORT=auto,packet:0-1 ISTHMUS_NODES=1,1\n", ""))
    check(run(two, "sh", "-c", "echo $ISTHMUS_NODES $ISTHMUS_TRANSPORT $ISTHMUS_PACKET_PROTOCOL")[1],
          2 * "1,1 auto,packet:0-1 tcp\n")


if PROTOCOL == "refusals":
    refusals()
else:
    description = {"protocol": PROTOCOL, "nodes": list(nodes(int(count) for count in sys.argv[4:]))}
    code, output, errors = run(json.dumps(description), *PROGRAM.split())
    sys.stdout.write(output)
    sys.stderr.write(errors)
    sys.exit(code)
