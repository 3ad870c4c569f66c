"""A job over libfabric's provider shm that ends badly leaves none of that provider's files.

    leftovers.py ISTHMUS PROGRAM exit|kill

PROGRAM is core_exits. exit: a PE exits early; kill: one is killed with SIGKILL while the other computes.
"""

import os
import re
import signal
import subprocess
import sys
import time


def files():
    return {name for name in os.listdir("/dev/shm") if re.fullmatch(r"\d+:\d+:\d+", name)}


def main():
    isthmus, program, how = sys.argv[1:]
    environment = dict(os.environ, ISTHMUS_TRANSPORT="ofi", ISTHMUS_FABRIC="shm")
    before = files()
    case = "exit_early" if how == "exit" else "late"  # which takes 1.5 s
    job = subprocess.Popen([isthmus, "run", "-n", "2", program, case], env=environment, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    made = set()
    while how == "kill" and len(made) < 2 and job.poll() is None:
        time.sleep(0.01)
        made = files() - before
    if how == "kill":
        os.kill(int(min(made).split(":")[0]), signal.SIGKILL)
    _, said = job.communicate(timeout=30)
    print(said, end="")
    if job.returncode == 0:
        sys.exit("the job should have ended badly")
    left = files() - before
    if left:
        sys.exit(f"left behind: {sorted(left)}")


if __name__ == "__main__":
    main()
