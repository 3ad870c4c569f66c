"""Measures between hosts made of namespaces, two of them, under mpiexec.hydra.

    on_hosts.py PROGRAMS TURNS barrier          of 2 PEs each; prints what the programs print
    on_hosts.py PROGRAMS TURNS times            of 1 PE each
    on_hosts.py PROGRAMS TURNS messages         of 1 PE each, beside a bare TCP connection, too
    on_hosts.py PROGRAMS TURNS startup PES...   with so many PEs, on 4 hosts

In turns ours and PROGRAMS/bare, one process on each host; `side` says whose a line is.
Exit status 77: not possible on this machine, for the reason on the last line of standard error.
"""

import os
import subprocess
import sys
import tempfile
import time

from hosts import Hosts, Unavailable



def show(words, environment, side="ours"):
    done = subprocess.run(words, capture_output=True, text=True, timeout=100,
                          env=dict(os.environ, **environment))
    if done.returncode != 0:
        sys.exit(f"{words[-1]}: exit status {done.returncode}: {done.stderr[-500:]}")
    for line in done.stdout.splitlines():
        print(f"side={side} {line}", flush=True)


def launch(hosts, pes, words):
    return [hosts.shell, hosts.names()[0], "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
            hosts.shell, "-hosts", ",".join(hosts.names()), "-ppn", str(pes // hosts.count), "-n",
            str(pes)] + words


def launch_each(hosts, program, setting, *arguments):
    """One PE on each host, with the host's number as the value of the setting."""
    words = launch(hosts, hosts.count, [])[:-2]
    for number in range(hosts.count):
        words += [":"] * (number > 0) + ["-n", "1", "-env", setting, str(number), program, *arguments]
    return words


def measure_startup(programs, turns, numbers):
    with tempfile.TemporaryDirectory() as folder, Hosts(4, folder) as hosts:
        for _ in range(turns):
            for pes in numbers:
                began = time.monotonic()
                show(launch(hosts, pes, [os.path.join(programs, "startup")]),
                     {"ISTHMUS_SPIN": "0", "SHMEM_SYMMETRIC_SIZE": "16M"})
                print(f"op=job pes={pes} job_ms={1e3 * (time.monotonic() - began):.0f}", flush=True)


def choose_congestion_control(hosts):
    """One that has no clock of its own: others wait on these hosts for times that differ from run
    to run by more than what is compared."""
    for name in hosts.names():
        subprocess.run([hosts.shell, name,
                        "echo reno > /proc/sys/net/ipv4/tcp_congestion_control"], check=False)


def main():
    programs, turns, *words = sys.argv[1:]
    if words[0] == "startup":
        return measure_startup(programs, int(turns), [int(pes) for pes in words[1:]])
    settings = {"SHMEM_SYMMETRIC_SIZE": "64M"}
    if words[0] == "barrier":
        # The hosts share this machine's processors: who waits gives way.
        settings["ISTHMUS_SPIN"] = "0"
    with tempfile.TemporaryDirectory() as folder, Hosts(2, folder) as hosts:
        choose_congestion_control(hosts)
        elsewhere = {"BARE_NAMESPACE": f"/proc/{hosts.anchors[1].pid}/ns/net"}
        if words[0] == "barrier":
            ours = launch(hosts, 4, [os.path.join(programs, "hosts"), "barrier"])
            alone = ["round_trip"]
        elif words[0] == "messages":
            ours = launch_each(hosts, os.path.join(programs, "message_times"),
                               "ISTHMUS_PROGRESS_PROCESSORS", "far")
            alone = ["round_trip"]
        else:
            # One processor each, for the threads that serve others, too.
            ours = launch_each(hosts, os.path.join(programs, "times"),
                               "ISTHMUS_PROGRESS_PROCESSORS")
            alone = ["rma", "atomic"]
        for _ in range(int(turns)):
            show(ours, settings)
            if words[0] != "barrier":
                show(ours, dict(settings, ISTHMUS_TRANSPORT="ofi"), "ours_by_ofi")
            if words[0] == "messages":
                show([hosts.shell, hosts.names()[0], os.path.join(programs, "bare_tcp")], elsewhere,
                     "bare_tcp")
            if words[0] == "times":
                show([os.path.join(programs, "hash")], {}, "hash")
            for what in alone:
                show([hosts.shell, hosts.names()[0], os.path.join(programs, "bare"), what],
                     elsewhere, "bare")


if __name__ == "__main__":
    try:
        main()
    except Unavailable as reason:
        print(reason, file=sys.stderr)
        sys.exit(77)
