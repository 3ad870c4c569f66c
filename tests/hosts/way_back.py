#!/usr/bin/env python3
"""Jobs by hydra from a host whose name the others do not know, as that of a laptop.

    way_back.py ISTHMUS PROGRAM
"""

import subprocess
import sys

from hosts import try_on_hosts


def start(hosts, folder, isthmus, names, program):
    """From h1, which calls itself laptop, and alone knows that name, at the address of Debian."""
    table = f"{folder}/hosts-of-laptop"
    with open(f"{folder}/hosts") as known, open(table, "w") as file:
        file.write(known.read() + "127.0.1.1 laptop\n")
    command = (f"mount --bind {table} /etc/hosts && hostname laptop && HYDRA_LAUNCHER_EXEC={hosts.shell} "
               f"exec timeout 30 {isthmus} run --launcher hydra --hosts {names} -n 2 {program}")
    return subprocess.run([hosts.shell, "h1", f"exec unshare --uts --mount sh -c '{command}'"],
                          capture_output=True, text=True)


def work(hosts, folder):
    wrong = []
    for names in ("h2,h3", "laptop,h2"):
        done = start(hosts, folder, sys.argv[1], names, sys.argv[2])
        if done.returncode != 0 or "unable to get host address" in done.stderr:
            wrong.append(f"--hosts {names}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return wrong


sys.exit(try_on_hosts(3, work, "hosts find back to one whose name they do not know"))
