#!/usr/bin/env python3
"""The system lets the processes of one user have as many files under way as `ulimit -n` says. A job of
a process manager starts all the same, however little room there is, and says so if there never is any.

    files_under_way.py PROGRAM     77 if mpiexec.hydra or setpriv is not installed
"""

import array
import os
import shutil
import socket
import subprocess
import sys

LIMIT = 128  # of the PEs


def as_ordinary_user():
    """Of its own: what is under way is counted by user. Who is not root is one already."""
    if os.geteuid() != 0:
        return []
    number = 100000 + os.getpid()
    return ["setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups",
            "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]


def send_files(count):
    """Sends so many files that nobody receives, and says so; they are under way until its end."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    while count > 0:
        now = min(count, 250)
        ends[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * now))])
        count -= now
    print("sent", flush=True)
    sys.stdin.read()


def run(before, program, pes, under_way, environment, kind=""):
    with open(__file__) as script:  # which that user need not be able to read
        me = [sys.executable, "-I", "-c", script.read(), "send", str(under_way)]
    holder = subprocess.Popen(before + me, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if holder.stdout.readline() != "sent\n":
            raise RuntimeError("no files could be sent")
        limited = ["sh", "-c", f'ulimit {kind} -n {LIMIT}; exec "$0"', program]
        return subprocess.run(before + ["mpiexec.hydra", "-n", str(pes)] + limited, text=True, cwd="/",
                              capture_output=True, timeout=60, env=dict(os.environ, **environment))
    finally:
        holder.communicate()


def main():
    program = sys.argv[1]
    before = as_ordinary_user()
    for tool in ["mpiexec.hydra"] + before[:1]:
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            return 77
    if subprocess.run(before + ["test", "-x", program]).returncode != 0:
        print("skipped: another user cannot reach the build folder")
        return 77
    small = {"SHMEM_SYMMETRIC_SIZE": "1M"}
    problems = []
    # 12 files through room for one: each has to wait.
    few = run(before, program, 4, LIMIT, small)
    if few.returncode != 0 or few.stderr:
        problems.append(f"room for one: status {few.returncode}: {few.stdout}{few.stderr}")
    soft = run(before, program, 4, LIMIT + 1, small, "-S")
    if soft.returncode != 0 or soft.stderr:
        problems.append(f"no room below the soft limit: {soft.stdout}{soft.stderr}")
    none = run(before, program, 2, LIMIT + 1, dict(small, ISTHMUS_DETECT_SECONDS="1"))
    if none.returncode == 0 or "on this host, but its memory cannot be had: sendmsg: " not in none.stderr \
            or "; raise the limit of open files (ulimit -n)\n" not in none.stderr:
        problems.append(f"no room: status {none.returncode}: {none.stdout}{none.stderr}")
    print("\n".join(problems) or "room for one file: started; for none: told")
    return 1 if problems else 0


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send_files(int(sys.argv[2]))
    else:
        sys.exit(main())
