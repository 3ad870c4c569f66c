#!/usr/bin/env python3
"""What the system denies, and what a program with more rights than its caller takes from that one's
environment: each case ends with a message that names the cause.

    denials.py ISTHMUS DENIED PROGRAM     PROGRAM is core_exits
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ISTHMUS, DENIED, PROGRAM = sys.argv[1:]
problems = []


def check(name, command, text, status, **options):
    environment = dict(os.environ, **options.pop("env", {}))
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment,
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode == 77:
        print(f"{name}: skipped: {done.stderr.strip()}")
    elif not re.search(text, done.stderr) or done.returncode != status:
        problems.append(f"{name}: status {done.returncode}, not {status}; expected: {text}\n"
                        f"{done.stdout}{done.stderr}")
    else:
        print(f"{name}: as expected")


def other_group():
    """One that this process may give a file to and does not run with; None if there is none."""
    if os.geteuid() == 0:
        return 65534
    return next((group for group in os.getgroups() if group != os.getegid()), None)


def run_with_rights(folder):
    group = other_group()
    if group is None:
        print("set-group-ID: skipped: not root, and a member of one group only")
        return
    program = shutil.copy(PROGRAM, os.path.join(folder, "with_rights"))
    os.chown(program, -1, group)
    os.chmod(program, 0o2755)
    check("isthmus run of a program with rights", [ISTHMUS, "run", "-n", "2", program],
          "cannot run .*with_rights: it would run with other rights than yours", 126)
    more = "has more rights than who started it .* and joins no job"
    check("the same behind a shell",
          [ISTHMUS, "run", "-n", "2", "sh", "-c", f"{program} late; exit $?"], more, 1)
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 40)
        check("the same with a job file of its caller", [program],
              more, 1, pass_fds=[file.fileno()],
              env={"ISTHMUS_BOOTSTRAP": f"local:{file.fileno()}:0:2"})
    check("the same with a process manager of its caller", [program], more, 1,
          env={"PMI_RANK": "0", "PMI_FD": "0", "PMI_SIZE": "2"})
    trace = os.path.join(folder, "trace")
    check("files that its caller names", [program], "ISTHMUS_TRACE is ignored: the program has more "
          "rights(.|\n)*", 0, env={"ISTHMUS_TRACE": trace})
    if os.path.exists(trace):
        problems.append("a trace was written")


def run_without_hashes():
    """libsodium is there when the library is built, and not when it runs."""
    module = os.path.join(os.path.dirname(ISTHMUS), "../lib/libisthmus-ofi.so")
    needed = subprocess.run(["ldd", module], capture_output=True, text=True).stdout
    library = re.search(r"libsodium\S* => (\S+)", needed)
    if os.geteuid() != 0 or not shutil.which("unshare") or not library:
        print("no libsodium: skipped: not root, no unshare or no ldd")
        return
    hidden = ["unshare", "-m", "sh", "-c",
              f"mount --bind /dev/null $(readlink -f {library[1]}) || exit 77; "
              f"exec {ISTHMUS} run -n 2 {PROGRAM} late"]
    check("no libsodium, one host", hidden, "", 0)
    check("no libsodium, between hosts", hidden, "the transport between hosts cannot be loaded: "
          ".*libsodium.* \\(it needs libfabric and libsodium: install what is missing", 1,
          env={"ISTHMUS_TRANSPORT": "ofi"})
    check("no libsodium, packets", hidden, "the transport between hosts cannot be loaded: "
          ".*libsodium.* \\(it needs libsodium: install what is missing", 1,
          env={"ISTHMUS_TRANSPORT": "packet"})


def main():
    with tempfile.TemporaryDirectory(dir=os.path.dirname(PROGRAM)) as folder:
        run_with_rights(folder)
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 16)
        check("a job file that is too small", [PROGRAM], "file descriptor \\d+ has 65536 bytes and "
              "is no job of 2 PEs", 1, pass_fds=[file.fileno()],
              env={"ISTHMUS_BOOTSTRAP": f"local:{file.fileno()}:0:2"})
    for call in ("memfd_create", "ftruncate"):
        check(f"no shared memory, alone: {call}", [DENIED, call, PROGRAM],
              "shmem_init: cannot make shared memory: Operation not permitted; the system call "
              "memfd_create or ftruncate is forbidden", 1)
    check("no shared memory, under a process manager", [DENIED, "memfd_create", PROGRAM],
          "start: cannot make shared memory: Operation not permitted; the system call", 1,
          env={"PMI_RANK": "0", "PMI_FD": "0", "PMI_SIZE": "2"})
    check("a limit of file sizes", ["sh", "-c", f"ulimit -f 1000; exec {PROGRAM}"],
          "shmem_init: cannot make shared memory: File too large; the file size limit", 1)
    check("no process", [DENIED, "threads", ISTHMUS, "run", "-n", "2", PROGRAM],
          "isthmus: cannot start a process: Resource temporarily unavailable; raise the limit of "
          "processes", 125)
    check("no signalfd", [DENIED, "signalfd", ISTHMUS, "run", "-n", "2", PROGRAM],
          "isthmus: signalfd: Operation not permitted; the system call is forbidden here", 125)
    if os.path.exists(os.path.join(os.path.dirname(ISTHMUS), "../lib/libisthmus-ofi.so")):
        check("no thread for the transport",
              [ISTHMUS, "run", "-n", "2", DENIED, "threads", PROGRAM],
              "shmem_init: the transport between hosts cannot start: .*needs a thread: raise the "
              "limit of processes", 1, env={"ISTHMUS_TRANSPORT": "ofi"})
        run_without_hashes()
    if os.geteuid() == 0 and shutil.which("unshare"):
        check("no /dev", ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev || exit 77; "
                          f"exec {ISTHMUS} run -n 2 {PROGRAM}"],
              "isthmus: cannot open /dev/null: No such file or directory; is there a /dev", 125)
    else:
        print("no /dev: skipped: not root, or no unshare")
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
