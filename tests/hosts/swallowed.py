#!/usr/bin/env python3
"""Calls between two hosts that are taken and then swallowed on their way, by swallowed.c: one way, and
the job's result is right; or both ways, and it ends with a line that says how the other PE was tried,
and does not take it for dead.

    swallowed.py PROGRAM PRELOAD     PROGRAM is core_whole_life

Exit status 77: not possible here.
"""

import os
import re
import sys
import time

from hosts import try_on_hosts
from processes import run_to_end

DETECT = 2
SLOW = float(os.environ.get("TEST_SLOWNESS", "1"))
# Of a join: a caller's opening, and its proof behind it; a listener's reply, and its welcome.
OPENING, PROOF, REPLY = 96, 32, 96
TRIED = re.compile(r"PE \d \(host h\d\) cannot be reached: .* swallow it \(SECURITY\.md, \"Packets\"\); \d+ "
                   r"calls? of 10\.77\.0\.\d port \d+, of which \d+ (was|were) taken; none of its own has got "
                   r"through")


def run(hosts, program, preload, setting):
    environment = dict(os.environ, ISTHMUS_SPIN="0", LD_PRELOAD=preload,
                       ISTHMUS_DETECT_SECONDS=str(DETECT), **setting)
    words = [hosts.shell, "h1", "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", hosts.shell,
             "-hosts", "h1,h2", "-ppn", "1", "-n", "2", program, "1"]
    status, output, took = run_to_end(words, environment, 40 * SLOW)
    print(f"{setting}: status {status} after {took:.1f} s\n{output}", flush=True)
    return status, output, took


def try_all(hosts, program, preload):
    wrong = []
    for host in (1, 2):
        for setting in ({"SWALLOWS_SENT": OPENING + PROOF - 1}, {"SWALLOWS_CAME": REPLY}):
            setting = {name: str(bytes) for name, bytes in setting.items()}
            setting["SWALLOWS_OF"] = f"10.77.0.{host}"
            status, output, _ = run(hosts, program, preload, setting)
            if status != 0 or "isthmus" in output:
                wrong.append(f"{setting}: the good way is not taken")
    status, output, took = run(hosts, program, preload, {"SWALLOWS_OF": "all", "SWALLOWS_SENT": "0"})
    lines = [line for line in output.splitlines() if "isthmus: PE" in line]
    # For twice the detection time it is called, and Hydra takes its time.
    if status == 0 or took > (2 * DETECT + DETECT + 5) * SLOW:
        wrong.append("without a good way the job does not end in time")
    # Neither hears of the other's line.
    if not 1 <= len(lines) <= 2 or not all(TRIED.search(line) for line in lines):
        wrong.append("a line does not tell how the other PE was tried")
    return wrong


def main():
    program, preload = map(os.path.abspath, sys.argv[1:])
    return try_on_hosts(2, lambda hosts, _: try_all(hosts, program, preload),
                        "the good way was taken, and where there is none it was told")


if __name__ == "__main__":
    sys.exit(main())
