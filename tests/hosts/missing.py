#!/usr/bin/env python3
"""PEs that end before shmem_init, on two hosts made of namespaces: where another PE of their host waits,
that one notices it; else the bounds of a start hold, and the line is said. If nobody comes the job ends
well.

    missing.py LAUNCHER PROGRAM     LAUNCHER: hydra or mpirun; PROGRAM is core_whole_life
    missing.py ISTHMUS PROGRAM      by `isthmus run`, which notices an end by itself: one that does not come

Exit status 77: not possible here.
"""

import os
import re
import sys

from hosts import try_on_hosts
from processes import run_to_end

SLOW = float(os.environ.get("TEST_SLOWNESS", "1"))
STALL, JOIN = 1, 4
SECOND = r"isthmus: PE [02] \(host h[12]\): shmem_init: waits in vain for PE [13], whose process on this host has ended"
WAITS = rf"isthmus: PE 0 \(host h1\): shmem_init: has waited {STALL} s for PE 1 of another host, which has not called it"
GIVEN_UP = rf"isthmus: PE 0 \(host h1\): shmem_init: PE 1 of another host has not called it within {JOIN} s"


def run(hosts, launcher, program, each, leavers, join, leave="sleep 0.2; exit 0"):
    environment = dict(os.environ, ISTHMUS_SPIN="0", ISTHMUS_STALL_SECONDS=str(STALL),
                       ISTHMUS_JOIN_SECONDS=str(join), ISTHMUS_REMOTE_SHELL=hosts.shell)
    count = str(each * hosts.count)
    # Hydra itself may die, by SIGPIPE, if all end while it still starts them.
    script = f'case " {leavers} " in *" ${{PMIX_RANK:-$PMI_RANK}} "*) {leave};; esac; exec {program} 1'
    words = [hosts.shell, "h1"]
    if launcher == "hydra":
        words += ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", hosts.shell, "-hosts", "h1,h2",
                  "-ppn", str(each), "-n", count, os.path.join(hosts.folder, "leave")]
    elif launcher != "mpirun":
        words += [launcher, "run", "--launcher", "ssh", "--hosts", f"h1:{each},h2:{each}",
                  os.path.join(hosts.folder, "leave")]
    else:
        words += ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "plm_rsh_agent",
                  hosts.shell, "-H", f"h1:{each},h2:{each}", "-n", count, os.path.join(hosts.folder, "leave")]
    with open(words[-1], "w") as file:
        file.write(f"#!/bin/sh\n{script}\n")
    os.chmod(words[-1], 0o755)
    status, output, took = run_to_end(words, environment, 30 * SLOW)
    print(f"{each} a host, PEs {leavers} leave: status {status} after {took:.1f} s\n{output}", flush=True)
    return status, output


# One that stays away is named by who waits on its host.
def try_own(hosts, isthmus, program):
    status, output = run(hosts, isthmus, program, 2, "3", JOIN, "exec sleep 30")
    waits = rf"isthmus: PE 2 \(host h2\): shmem_init: has waited {STALL} s for PE 3 of this host, which has not called it"
    # The other host, which cannot, lets it speak.
    given_up = rf"isthmus: PE 2 \(host h2\): shmem_init: PE 3 of this host has not called it within {JOIN} s"
    told = len(re.findall(waits, output)) == len(re.findall(given_up, output)) == output.count(" called it within ") == 1
    return [] if status != 0 and told else ["a PE that stays away is not named by who waits on its host"]


def try_all(hosts, launcher, program):
    wrong = []
    status, output = run(hosts, launcher, program, 2, "3", 60)
    # mpirun sometimes sees it by itself.
    ours = output.count("waits in vain")
    if status == 0 or not (len(re.findall(SECOND, output)) == ours == 1 or
                           (launcher == "mpirun" and ours == 0 and "improperly" in output)):
        wrong.append("a PE that has ended is not noticed by its host's other one")
    status, output = run(hosts, launcher, program, 1, "1", JOIN)
    if status == 0 or len(re.findall(WAITS, output)) != 1 or len(re.findall(GIVEN_UP, output)) != 1:
        wrong.append("a PE that has ended alone on its host: the bounds of the start do not hold")
    status, output = run(hosts, launcher, program, 1, "0 1", JOIN)
    if status != 0 or "isthmus" in output:
        wrong.append("a job of which nobody comes does not end well")
    return wrong


def main():
    launcher, program = sys.argv[1], os.path.abspath(sys.argv[2])
    if os.path.isabs(launcher):
        return try_on_hosts(2, lambda hosts, _: try_own(hosts, launcher, program), "told, and ended", "sh")
    return try_on_hosts(2, lambda hosts, _: try_all(hosts, launcher, program), "noticed, or told, and ended",
                        {"hydra": "mpiexec.hydra", "mpirun": "mpirun.openmpi"}[launcher])


if __name__ == "__main__":
    sys.exit(main())
