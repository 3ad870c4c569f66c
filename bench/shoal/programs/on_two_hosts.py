"""Measures packets between two hosts made of namespaces, one PE each, under mpiexec.hydra.

    on_two_hosts.py PROGRAMS TURNS PROTOCOL     in turns PROGRAMS/times and PROGRAMS/bare
    on_two_hosts.py PROGRAMS SECONDS idle       what idle PEs use of a core

`side` says whose a line is. Exit status 77: not possible on this machine, for the reason on the
last line of standard error.
"""

import os
import subprocess
import sys
import tempfile

from hosts import Hosts, Unavailable


def show(words, environment, side):
    done = subprocess.run(words, capture_output=True, text=True, timeout=150,
                          env=dict(os.environ, **environment))
    if done.returncode != 0:
        sys.exit(f"{words[-1]}: exit status {done.returncode}: {done.stderr[-500:]}")
    for line in done.stdout.splitlines():
        print(f"side={side} {line}", flush=True)


def launch(hosts, words):
    """One PE on each host; each one's threads on the processor of its host's number."""
    start = [hosts.shell, hosts.names()[0], "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
             hosts.shell, "-hosts", ",".join(hosts.names()), "-ppn", "1"]
    for number in range(hosts.count):
        start += [":"] * (number > 0)
        start += ["-n", "1", "-env", "ISTHMUS_PROGRESS_PROCESSORS", str(number)] + words
    return start


def main():
    programs, count, protocol = sys.argv[1:]
    settings = {"SHMEM_SYMMETRIC_SIZE": "64M", "ISTHMUS_TRANSPORT": "packet"}
    with tempfile.TemporaryDirectory() as folder, Hosts(2, folder) as hosts:
        times = os.path.join(programs, "times")
        if protocol == "idle":
            return show(launch(hosts, [times, "idle", count]), settings, "ours")
        if protocol == "tcp-bare":  # as the sockets beside it: no hash
            settings["ISTHMUS_PACKET_SEAL"] = "0"
            protocol = "tcp"
        settings["ISTHMUS_PACKET_PROTOCOL"] = protocol
        elsewhere = {"BARE_NAMESPACE": f"/proc/{hosts.anchors[1].pid}/ns/net",
                     "BARE_ADDRESS": "10.77.0.2"}
        for _ in range(int(count)):
            show(launch(hosts, [times]), settings, "ours")
            show([hosts.shell, hosts.names()[0], os.path.join(programs, "bare"), protocol],
                 elsewhere, "bare")


if __name__ == "__main__":
    try:
        main()
    except Unavailable as reason:
        print(reason, file=sys.stderr)
        sys.exit(77)
