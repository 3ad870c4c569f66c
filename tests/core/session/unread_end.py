#!/usr/bin/env python3
"""A PE ends its job under a process manager that has stopped, so that nobody reads what it says: it waits
for that once, and not again on its way out.

    unread_end.py ACTOR     ACTOR is launch_actor
"""

import os
import socket
import subprocess
import sys

ANSWERS = {"init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
           "get_maxes": "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024",
           "get_my_kvsname": "cmd=my_kvsname kvsname=unread"}
# Of the thread that ends the job: one a look at the reader, 250 in all, and few more.
MOST_SWITCHES = 380


def main():
    own, theirs = socket.socketpair()
    unread, errors = os.pipe()
    job = subprocess.Popen([sys.argv[1], "hello"], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stderr=errors,
                           env=dict(os.environ, PMI_FD=str(theirs.fileno()), PMI_RANK="0", PMI_SIZE="2"))
    theirs.close()
    os.close(errors)
    lines = own.makefile("rw")
    for line in lines:
        command = line.split()[0].partition("=")[2]
        if command not in ANSWERS:
            break
        lines.write(ANSWERS[command] + "\n")
        lines.flush()
    lines.close()
    own.close()
    os.waitid(os.P_PID, job.pid, os.WEXITED | os.WNOWAIT)  # its counts are there until it is waited for
    with open(f"/proc/{job.pid}/task/{job.pid}/status") as file:
        switches = next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
    job.wait()
    said = os.read(unread, 65536).decode()
    print(f"status {job.returncode}, {switches} switches, {said}")
    is_right = job.returncode == 1 and said.count("isthmus:") == 1 and "closed the connection" in said
    return 0 if is_right and switches <= MOST_SWITCHES else 1


if __name__ == "__main__":
    sys.exit(main())
