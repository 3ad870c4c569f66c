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
    # Libraries of a road load what they find in the environment (FI_PROVIDER_PATH).
    check("a road that its caller names", [program], "ISTHMUS_TRANSPORT is ignored: the program has more rights(.|\n)*", 0,
          env={"ISTHMUS_TRANSPORT": "ofi", "ISTHMUS_DELAY": "1"})
    if os.path.exists(trace):
        problems.append("a trace was written")


FORBIDDEN = " Operation not permitted; the system call is forbidden here"


def run_packets():
    """What a road needs of the system beside memory for files: calls, and room for a thread."""
    packets = {"ISTHMUS_TRANSPORT": "packet", "ISTHMUS_DETECT_SECONDS": "1", "SHMEM_SYMMETRIC_SIZE": "1M"}

    def start(*words):
        return [ISTHMUS, "run", "-n", "2", "--timeout", "40", *words]
    for call in ("accept4", "getpeername", "epoll_wait"):
        check(f"packets: {call}", start(DENIED, call, PROGRAM, "late"), f"shmem_init: transport: packet: {call}:"
              + FORBIDDEN, 1, env=packets)
    for call, text in (("accept4", "packet: accept4: "), ("getpeername", "(cannot be reached|the connection failed): ")):
        check(f"packets: no memory for {call}", start(DENIED, call + "-memory", PROGRAM, "late"),
              text + "Cannot allocate memory", 1, env=packets)
    check("packets: connect", start(DENIED, "connect", PROGRAM, "late"),
          "cannot be reached: Operation not permitted; connect, sendto, sendmsg, recvfrom or recvmsg is forbidden here", 1, env=packets)
    # At once, however long a PE that does not answer is waited for.
    check("packets: sendmsg", start(DENIED, "sendmsg", PROGRAM, "late"), "shmem_init: transport: packet: sendmsg:"
          + FORBIDDEN, 1, env=dict(packets, ISTHMUS_DETECT_SECONDS="100"))
    # By two of them the system tells this host's addresses, too.
    for call in ("recvfrom", "recvmsg", "sendto"):
        check(f"packets: {call}", start(DENIED, call, PROGRAM, "late"),
              f"(getifaddrs|{call}).*: Operation not permitted;.* forbidden here", 1,
              env=dict(packets, ISTHMUS_DETECT_SECONDS="100"))
    for call in ("sendmmsg", "recvmmsg"):
        check(f"packets: {call}", start(DENIED, call, PROGRAM, "late"), f"shmem_init: transport: packet: {call}:"
              + FORBIDDEN, 1, env=dict(packets, ISTHMUS_PACKET_PROTOCOL="udp"))
    check("packets: getrandom", start(DENIED, "getrandom", PROGRAM, "late"),
          "shmem_init: the system gives no random numbers: getrandom:" + FORBIDDEN, 1, env=packets)
    check("packets: socket", start(DENIED, "socket", PROGRAM, "late"), "\\(getifaddrs\\): Operation not permitted; "
          "a socket of netlink, or what is said by it, is forbidden here", 1, env=packets)
    check("packets: clone3", start(DENIED, "clone3", PROGRAM, "late"), "cannot start: Operation not permitted; it "
          "needs a thread: the system call clone3 or clone is forbidden here", 1, env=packets)
    # By the limit of data: in front of the thread, and for it.
    check("little data", start("sh", "-c", f"ulimit -d 2000; exec {PROGRAM} late"), "raise the limit of data "
          "\\(ulimit -d\\)", 1, env=packets)
    check("no data for a stack", start("sh", "-c", f"ulimit -d 7000; exec {PROGRAM} late"), "needs a thread, and "
          "there is no room for its stack: raise the limit of data \\(ulimit -d\\)", 1, env=packets)
    check("no address space for a stack", start("sh", "-c", "ulimit -s 3000000 || exit 77; ulimit -v 2000000; "
                                                f"exec {PROGRAM} late"),
          "needs a thread, and there is no room for its stack: raise the limit of address space "
          "\\(ulimit -v\\), or lower that of stacks \\(ulimit -s\\)", 1, env=packets)
    if shutil.which("mpiexec.hydra"):
        for call in ("accept4", "fcntl"):
            check(f"{call} on one host", ["mpiexec.hydra", "-n", "2", DENIED, call, PROGRAM, "late"],
                  f"the PEs of this host cannot hand over their memory: {call}:" + FORBIDDEN, 1)
        check("getsockopt on one host", ["mpiexec.hydra", "-n", "2", DENIED, "getsockopt", PROGRAM, "late"],
              f"^isthmus: [^\n]*getsockopt:{FORBIDDEN}[^\n]*\n$", 1)
        # Who is to speak is found all the same.
        for files in (14, 16, 18, 20, 22, 24):
            check(f"{files} files under a process manager", ["mpiexec.hydra", "-n", "4", "sh", "-c",
                                                             f"ulimit -n {files}; exec {PROGRAM} late"],
                  "^isthmus: PE . [^\n]*raise the limit of open files \\(ulimit -n\\)\n$", 1)
        run_sockets()
        run_few_files()
        # Of who calls; the cause comes first.
        check("getsockopt of a PE", ["mpiexec.hydra", "-n", "2", "sh", "-c",
                                     f"[ $PMI_RANK = 0 ] || exec {DENIED} getsockopt {PROGRAM} late; exec {PROGRAM} late"],
              f"shmem_init: getsockopt:{FORBIDDEN}.*: so the kernel does not say who has PE 0's socket on this host", 1)


def run_few_files():
    """Where libfabric finds no descriptor more, the way out is the same as elsewhere."""
    if not os.path.exists(os.path.join(os.path.dirname(ISTHMUS), "../lib/libisthmus-ofi.so")):
        return
    for files in range(17, 30, 3):
        said = subprocess.run(["mpiexec.hydra", "-n", "2", "sh", "-c", f"ulimit -n {files}; exec {PROGRAM} late"],
                              capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, ISTHMUS_TRANSPORT="ofi", ISTHMUS_DETECT_SECONDS="5")).stderr
        if not re.search("raise the limit of open files \\(ulimit -n\\)\n", said) or "Too many open files (" in said:
            problems.append(f"{files} files by libfabric: {said}")


def run_sockets():
    """What the PEs of a host need to find each other: one line, whoever has started them."""
    with tempfile.TemporaryDirectory() as folder:
        shell = os.path.join(folder, "shell")
        with open(shell, "w") as file:
            file.write('#!/bin/sh\nshift\nexec sh -c "$*"\n')
        os.chmod(shell, 0o755)
        remote = {"ISTHMUS_REMOTE_SHELL": shell}
        ssh = [ISTHMUS, "run", "--launcher", "ssh", "--hosts", "a:1,b:1"]
        hydra = ["mpiexec.hydra", "-n", "2"]
        for start in (hydra, ssh):
            for call in ("socket", "bind", "listen"):
                check(f"{call}, by {start[0]}", start + [DENIED, call, PROGRAM, "late"],
                      "^isthmus: PE . \\([^)]*\\): shmem_init: cannot open a socket for this host: "
                      f"{call}:{FORBIDDEN} [^\n]*\n$", 1, env=remote)
            check(f"pwrite64, by {start[0]}", start + [DENIED, "pwrite64", PROGRAM, "late"],
                  "^isthmus: PE . \\([^)]*\\): shmem_init: the program's static data: cannot copy it to shared memory: "
                  f"pwrite64:{FORBIDDEN} [^\n]*\n$", 1, env=remote)
            # At one PE, before it has spoken with the manager: who waits for it says nothing more.
            for call, text in (("memfd_create", "start: cannot make shared memory:"), ("getppid", "shmem_init: getppid:")):
                at_one = f"[ $PMI_RANK = 0 ] || exec {DENIED} {call} {PROGRAM} late; exec {PROGRAM} late"
                check(f"{call} at one PE, by {start[0]}", start + ["sh", "-c", at_one],
                      f"^isthmus: PE 1 \\([^)]*\\): {text}{FORBIDDEN.partition(';')[0]}; [^\n]*\n$", 1, env=remote)
            # The size of memory is known without it.
            check(f"sysinfo at one PE, by {start[0]}", start + ["sh", "-c", at_one.replace(call, "sysinfo")], "PE 1 exits\n", 0,
                  env=remote)
        # By which its own manager is told why, too.
        check("sendmsg, over ssh", ssh + [DENIED, "sendmsg", PROGRAM, "late"],
              f"^isthmus: PE . \\([^)]*\\): shmem_init: [^\n]*sendmsg:{FORBIDDEN} [^\n]*\n$", 1, env=remote)


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
    check("a limit of file sizes in a PE", [ISTHMUS, "run", "-n", "2", "sh", "-c", f"ulimit -f 0; exec {PROGRAM}"],
          "^isthmus: PE . .*: start: cannot make shared memory: File too large; the file size limit", 1)
    if shutil.which("mpiexec.hydra"):
        check("a limit of file sizes under a process manager", ["mpiexec.hydra", "-n", "2", "sh", "-c",
                                                                f"ulimit -f 0; exec {PROGRAM}"],
              "^isthmus: PE . [^\n]*: start: cannot make shared memory: File too large; the file size limit [^\n]*\n$", 1)
    small = "stacks may have 16 KiB, and 32 are needed; raise the limit of stacks \\(ulimit -s\\)"
    # In an environment that leaves room for a program's own start.
    little = ["env", "-i", "sh", "-c"]
    check("a small stack", little + [f"ulimit -s 16; exec {ISTHMUS} run -n 2 {PROGRAM}"], f"^isthmus: {small}", 125)
    check("a small stack in a PE", little + [f"{ISTHMUS} run -n 2 sh -c 'ulimit -s 16; exec {PROGRAM}'"],
          f"^isthmus: PE . .*: shmem_init: {small}", 1)
    check("no process", [DENIED, "threads", ISTHMUS, "run", "-n", "2", PROGRAM],
          "isthmus: cannot start a process: Resource temporarily unavailable; raise the limit of "
          "processes", 125)
    for call in ("fcntl", "wait4", "rt_sigprocmask", "rt_sigtimedwait", "poll"):
        check(f"no {call}", [DENIED, call, ISTHMUS, "run", "-n", "2", PROGRAM],
              f"^isthmus: {call}: Operation not permitted; the system call is forbidden here [^\n]*\n$", 125)
    for call in ("getpid", "getppid", "gettid", "getuid", "geteuid", "getegid"):
        check(f"no {call}", [DENIED, call, ISTHMUS, "run", "-n", "2", PROGRAM], f"^isthmus: {call}:{FORBIDDEN} [^\n]*\n$", 125)
        check(f"no {call}, alone", [DENIED, call, PROGRAM], f"shmem_init: {call}:{FORBIDDEN}", 1)
    check("no geteuid in a PE", [ISTHMUS, "run", "-n", "2", DENIED, "geteuid", PROGRAM],
          f"^isthmus: PE . .*: shmem_init: geteuid:{FORBIDDEN}", 1)
    if shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(ISTHMUS), "../lib/libisthmus-pmix.so")):
        check("no thread for PMIx", ["mpirun", "--oversubscribe", "-n", "2", DENIED, "threads", PROGRAM, "late"],
              "PMIx_Init: .*; it needs a thread: raise the limit of processes", 1,
              env={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    check("no signalfd", [DENIED, "signalfd", ISTHMUS, "run", "-n", "2", PROGRAM],
          "isthmus: signalfd: Operation not permitted; the system call is forbidden here", 125)
    if os.path.exists(os.path.join(os.path.dirname(ISTHMUS), "../lib/libisthmus-ofi.so")):
        check("no thread for the transport",
              [ISTHMUS, "run", "-n", "2", DENIED, "threads", PROGRAM],
              "shmem_init: the transport between hosts cannot start: .*needs a thread: raise the "
              "limit of processes", 1, env={"ISTHMUS_TRANSPORT": "ofi"})
        run_without_hashes()
    if os.path.exists(os.path.join(os.path.dirname(ISTHMUS), "../lib/libisthmus-packet.so")):
        run_packets()
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
