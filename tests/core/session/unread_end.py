#!/usr/bin/env python3
"""A PE ends its job under a process manager that has stopped, so that nobody reads what it says: it waits
for that once, and not again on its way out. And under one that falls silent: it says so and ends by itself, and
is not killed for having waited for itself.

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


def begin(errors, **settings):
    """A PE, and this end of its connection to the manager."""
    own, theirs = socket.socketpair()
    job = subprocess.Popen([sys.argv[1], "hello"], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stderr=errors,
                           env=dict(os.environ, PMI_FD=str(theirs.fileno()), PMI_RANK="0", PMI_SIZE="2", **settings))
    theirs.close()
    return job, own


def ends_by_itself():
    job, own = begin(subprocess.PIPE, ISTHMUS_DETECT_SECONDS="0.25")
    said = job.communicate()[1].decode()
    own.close()
    print(f"silent: status {job.returncode}, {said}")
    return job.returncode == 1 and said.count("isthmus:") == 1 and "has not answered for 0.5 s" in said


def waits_once():
    unread, errors = os.pipe()
    job, own = begin(errors)
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
    return is_right and switches <= MOST_SWITCHES


def main():
    results = [waits_once(), ends_by_itself()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
