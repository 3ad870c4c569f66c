"""Measures between hosts made of namespaces, two of 2 PEs each, under mpiexec.hydra.

    on_hosts.py PROGRAMS TURNS WORD...          prints what the programs print
    on_hosts.py PROGRAMS TURNS startup PES...   with so many PEs, on 4 hosts

In turns: PROGRAMS/hosts with the words as arguments, and PROGRAMS/bare, one process on each host.
Exit status 77: not possible on this machine, for the reason on the last line of standard error.
"""

import os
import subprocess
import sys
import tempfile
import time

from hosts import Hosts, Unavailable

PES = 4


def show(words, environment):
    done = subprocess.run(words, capture_output=True, text=True, timeout=100,
                          env=dict(os.environ, **environment))
    if done.returncode != 0:
        sys.exit(f"{words[-1]}: exit status {done.returncode}: {done.stderr[-500:]}")
    print(done.stdout, end="", flush=True)


def launch(hosts, pes, words):
    return [hosts.shell, hosts.names()[0], "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
            hosts.shell, "-hosts", ",".join(hosts.names()), "-ppn", str(pes // hosts.count), "-n",
            str(pes)] + words


def measure_startup(programs, turns, numbers):
    with tempfile.TemporaryDirectory() as folder, Hosts(4, folder) as hosts:
        for _ in range(turns):
            for pes in numbers:
                began = time.monotonic()
                show(launch(hosts, pes, [os.path.join(programs, "startup")]),
                     {"ISTHMUS_SPIN": "0", "SHMEM_SYMMETRIC_SIZE": "16M"})
                print(f"op=job pes={pes} job_ms={1e3 * (time.monotonic() - began):.0f}", flush=True)


def main():
    programs, turns, *words = sys.argv[1:]
    if words[0] == "startup":
        return measure_startup(programs, int(turns), [int(pes) for pes in words[1:]])
    with tempfile.TemporaryDirectory() as folder, Hosts(2, folder) as hosts:
        first, second = hosts.names()
        # The hosts share this machine's processors: who waits gives way.
        settings = {"ISTHMUS_SPIN": "0", "SHMEM_SYMMETRIC_SIZE": "64M"}
        ours = launch(hosts, PES, [os.path.join(programs, "hosts")] + words)
        bare = [hosts.shell, first, os.path.join(programs, "bare"), "round_trip"]
        for _ in range(int(turns)):
            show(ours, settings)
            show(bare, {"BARE_NAMESPACE": f"/proc/{hosts.anchors[1].pid}/ns/net"})


if __name__ == "__main__":
    try:
        main()
    except Unavailable as reason:
        print(reason, file=sys.stderr)
        sys.exit(77)
