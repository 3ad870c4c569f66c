#!/usr/bin/env python3
"""A job under a process manager of which one process never calls shmem_init: the others say who it is,
and end; soon, where it has ended. And one whose processes come late, but do come; or none of them.

    start_watch.py LAUNCHER PROGRAM LOST FIRST STOPS     LAUNCHER: hydra or mpirun; 77 if it is not installed.
                                                   LOST, FIRST: the programs lost_environment, first_thread;
                                                   STOPS: the library stops_in_exchange
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

COMMANDS = {"hydra": ["mpiexec.hydra"], "mpirun": ["mpirun", "--oversubscribe"]}
SETTINGS = {"ISTHMUS_STALL_SECONDS": "0.5", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(launcher, join_seconds, first, others):
    began = time.monotonic()
    done = subprocess.run(
        COMMANDS[launcher] + ["-n", "1"] + first + [":", "-n", "3"] + others,
        env=dict(os.environ, **SETTINGS, ISTHMUS_JOIN_SECONDS=join_seconds), capture_output=True,
        text=True, timeout=100)
    return done, time.monotonic() - began


# Right jobs of which PE 1 comes late, and whose processes do not show that it will; all at once.
def problems_of_hidden(launcher, program, lost, first_thread):
    late = 'if [ ${PMIX_RANK:-$PMI_RANK} = 1 ]; then sleep 3.5; fi; '
    cases = {"an overwritten environment": [lost, "4"], "a first thread that has ended": [first_thread, "4"]}
    if launcher == "hydra":
        cases["a shell that has exited"] = [
            "sh", "-c", f"if [ $PMI_RANK = 1 ]; then {{ sleep 3.5; {program} 1; }} & exit; fi; exec {program} 1"]
    inside = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run(inside + ["true"], capture_output=True).returncode == 0:
        cases["PID namespaces"] = inside + ["sh", "-c", f"{late}{program} 1; exit $?"]
    jobs = {name: subprocess.Popen(
        COMMANDS[launcher] + ["-n", "2"] + words, text=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL, env=dict(os.environ, **SETTINGS, ISTHMUS_JOIN_SECONDS="60"))
        for name, words in cases.items()}
    problems = []
    waited = "has waited 0.5 s for PE 1 of this host, which has not called it"
    for name, job in jobs.items():
        said = job.communicate(timeout=100)[1]
        if job.returncode != 0 or said.count("isthmus:") != 1 or waited not in said:
            problems.append(f"{name}: status {job.returncode}, {said}")
    return problems


# One has ended beside a first thread that has: who it is can be told all the same.
def problems_of_first_thread(first_thread):
    done, _ = run("hydra", "15", [first_thread], [
        "sh", "-c", f"if [ $PMI_RANK = 2 ]; then exit; fi; exec {first_thread} 60"])
    gone = "waits in vain for PE 2, whose process on this host has ended"
    return [] if done.returncode != 0 and gone in done.stderr else [f"a first thread: {done.returncode}, {done.stderr}"]


# Processes that say they were started as the PE that has ended: one that is older than the job's manager, one
# that another user has left behind, and what the PE has left behind that cannot speak with the manager.
def problems_of_namesakes(program):
    own, managers = socket.socketpair()
    namesake = subprocess.Popen(["sleep", "60"], stdin=own,
                                env=dict(os.environ, PMI_RANK="1", PMI_SIZE="2", PMI_FD="0"))
    time.sleep(0.03)  # the system counts in hundredths of a second
    left = "sleep 20 < /dev/null > /dev/null 2>&1"
    cases = {"an older namesake": [1, "exit"],
             "a namesake that has closed its socket": [1, f'( eval "exec $PMI_FD>&-"; exec {left} ) & exit'],
             "a namesake that is not told its socket": [1, f"env -u PMI_FD {left} & exit"]}
    if os.geteuid() == 0 and shutil.which("setpriv"):
        cases["another user's namesake"] = [
            0, f"setpriv --reuid 65534 --clear-groups {left} & exit"]
    jobs = {name: (ended, subprocess.Popen(
        COMMANDS["hydra"] + ["-n", "2", "sh", "-c", f"if [ $PMI_RANK = {ended} ]; then {does}; fi; exec {program} 1"],
        env=dict(os.environ, **SETTINGS, ISTHMUS_JOIN_SECONDS="15"), text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)) for name, (ended, does) in cases.items()}
    problems = []
    for name, (ended, job) in jobs.items():
        said = job.communicate(timeout=60)[1]
        gone = f"waits in vain for PE {ended}, whose process on this host has ended"
        if job.returncode == 0 or gone not in said:
            problems.append(f"{name}: {job.returncode}, {said}")
    namesake.kill()
    namesake.wait()
    own.close()
    managers.close()
    return problems


# One is stopped before it comes, in a shell or not, or once all have come and do not know each other yet; or it comes
# late, and pauses there; or who looks at the others is, for ever or for a moment. Or one that has come ends in a shell
# that does not; all at once.
def problems_of_stopped(launcher, program, stops):
    rank = "${PMIX_RANK:-$PMI_RANK}"
    stopped = "shmem_init: waits in vain for PE 1, whose process on this host has been stopped for 2 s"
    looker = stopped.replace("PE 1", "PE [02]")
    awaited = "shmem_init: has waited 1.5 s for PE 1 of this host, which has not called it"
    stop = f'if [ {rank} = 1 ]; then kill -STOP $$; fi; exec {program} 1'
    never = f"if [ {rank} = 1 ]; then exec sleep 60; fi; "
    preload = f"LD_PRELOAD={stops}"
    cases = {"stopped": (stop, {}, stopped),
             "stopped in a shell": ('sh -c "$STOP"; exit $?', {"STOP": stop}, stopped),
             "a stopped child": (f"HAS_CHILD=3 {preload} exec {program} 1", {}, None),
             "a stopped looker": (f"{never}LOOKER_STOPS=0 {preload} exec {program} 1", {}, looker)}
    if launcher == "hydra":
        cases |= {
            "a stopped looker in a shell": (
                f"{never}LOOKER_STOPS=0 {preload} {program} 1; exit $?", {}, looker),
            "a looker that pauses": (
                f"if [ $PMI_RANK = 1 ]; then sleep 2.8; fi; LOOKER_STOPS=0.8 {preload} exec {program} 1",
                {"ISTHMUS_STALL_SECONDS": "1.5"}, awaited),
            "killed in a shell": (
                f"{never}if [ $PMI_RANK = 2 ]; then sleep 0.6; exec {program} 1; fi; "
                f"{program} 1 & sleep 2; kill -9 $!; exec sleep 60", {},
                "shmem_init: waits in vain for PE 0, whose process on this host has ended"),
            "stopped in the exchange": (
                f"{preload} exec {program} 1", {},
                "shmem_init: has waited 2 s for PE 1, whose process on this host is stopped"),
            "late": (
                f"if [ $PMI_RANK = 1 ]; then sleep 2.5; fi; {preload} PAUSES=1 exec {program} 1",
                {}, None)}
    jobs = {name: subprocess.Popen(
        COMMANDS[launcher] + ["-n", "3", "sh", "-c", words], text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=dict(os.environ, **(SETTINGS | {"ISTHMUS_STALL_SECONDS": "0", "ISTHMUS_JOIN_SECONDS": "15",
                                            "ISTHMUS_DETECT_SECONDS": "1"} | variables)))
        for name, (words, variables, _) in cases.items()}
    problems = []
    for name, job in jobs.items():
        said = job.communicate(timeout=100)[1]
        line = cases[name][2]
        is_right = said.count("isthmus:") == 1 and re.search(line, said) if line else not said
        if not is_right or (job.returncode == 0) != (line in (None, awaited)):
            problems.append(f"{name}: status {job.returncode}, {said}")
    return problems


# Holds a name as another user, full of callers.
HOLDER = """
import os, socket, sys
os.setuid(65534)
held = socket.socket(socket.AF_UNIX)
held.bind("\\0" + sys.argv[1])
held.listen(0)
callers = []
try:
    while True:
        callers.append(socket.socket(socket.AF_UNIX))
        callers[-1].setblocking(False)
        callers[-1].connect("\\0" + sys.argv[1])
except BlockingIOError:
    print("full", flush=True)
sys.stdin.read()
"""


# The name that would tell that PE 1 has come is another user's: its end is noticed all the same.
def problems_of_held_name(program):
    if os.geteuid() != 0:
        return []
    folder = tempfile.TemporaryDirectory()
    fifo = os.path.join(folder.name, "end")
    os.mkfifo(fifo)
    job = subprocess.Popen(COMMANDS["hydra"] + ["-n", "1", program, "1", ":", "-n", "1", "cat", fifo],
                           env=dict(os.environ, **SETTINGS, ISTHMUS_JOIN_SECONDS="20"), text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    number = None
    while number is None and job.poll() is None:
        with open("/proc/net/unix") as file:
            for found in re.finditer(r"@isthmus-looks-0-(\d+)-0-(\d+)", file.read()):
                with contextlib.suppress(OSError), open(f"/proc/{found[2]}/stat") as stat:
                    if int(stat.read().rpartition(")")[2].split()[1]) == job.pid:
                        number = found[1]
        time.sleep(0.01)
    if number is None:
        return [f"a held name: nobody looks, {job.communicate()[1]}"]
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, f"isthmus-came-0-{number}-1"], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    full = holder.stdout.readline()
    with open(fifo, "w"):
        pass
    said = job.communicate(timeout=100)[1]
    holder.communicate()
    gone = "waits in vain for PE 1, whose process on this host has ended"
    return [] if full and job.returncode != 0 and gone in said else [f"a held name: {job.returncode}, {said}"]


def main():
    launcher, program, lost, first_thread, stops = sys.argv[1:]
    if not shutil.which(COMMANDS[launcher][0]):
        print(f"{COMMANDS[launcher][0]} is not installed")
        return 77
    waited = "shmem_init: has waited 0.5 s for {} of this host, which {} not called it"
    gone = "shmem_init: waits in vain for {}, whose process{} on this host ha{} ended"
    stays = "shmem_init: {} of this host {} not called it within 1.5 s (ISTHMUS_JOIN_SECONDS)"
    one, three = ("PE 0", "has"), ("PEs 1-3", "have")
    ring, sleep = [program, "1"], ["sleep", "60"]
    problems = []
    for name, join, first, others, lines in (
            ("the first has ended", "60", ["true"], ring, (waited.format(*one), gone.format("PE 0", "", "s"))),
            ("all others have ended", "60", ring, ["true"],
             (waited.format(*three), gone.format("PEs 1-3", "es", "ve"))),
            ("the first stays", "1.5", sleep, ring, (waited.format(*one), stays.format(*one))),
            ("all others stay", "1.5", ring, sleep, (waited.format(*three), stays.format(*three)))):
        done, seconds = run(launcher, join, first, others)
        # mpirun sometimes sees by itself that a process has gone without a word, before it is time.
        said = all(done.stderr.count(line) == 1 for line in lines)
        if done.returncode == 0 or not (said or (launcher == "mpirun" and "true" in (*first, *others))):
            problems.append(f"{name}: status {done.returncode}, {done.stderr}")
        if seconds > 20:
            problems.append(f"{name}: ended after {seconds:.1f} s")
    done, _ = run(launcher, "60", ["true"], ["true"])
    if done.returncode != 0 or done.stderr:
        problems.append(f"nobody comes: status {done.returncode}, {done.stderr}")
    # Shells around them.
    late = ["sh", "-c", f"sleep 3; {program} 1; exit $?"]
    ring = ["sh", "-c", f"{program} 1; exit $?"]
    for join_seconds in ("0", "60"):
        done, _ = run(launcher, join_seconds, late, ring)
        if done.returncode != 0 or done.stderr.count(waited.format(*one)) != 1:
            problems.append(f"late, {join_seconds}: status {done.returncode}, {done.stderr}")
    problems += problems_of_stopped(launcher, program, stops)
    problems += problems_of_hidden(launcher, program, lost, first_thread)
    if launcher == "hydra":
        problems += problems_of_held_name(program)
        problems += problems_of_namesakes(program)
        problems += problems_of_first_thread(first_thread)
    print("\n".join(problems) or "ended, or waited, as told")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
