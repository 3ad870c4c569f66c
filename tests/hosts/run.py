"""Runs the OpenSHMEM programs on hosts made of namespaces (hosts.py), under a launcher.

Exit status 77: not possible on this machine, for the reason printed.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from hosts import Hosts, Unavailable
from processes import is_alive
from slurm import Slurm
from switch import Link, TCP, UDP


ISTHMUS = "isthmus"  # the path of the tool


def command(launcher, hosts, pes, words, layout=None):
    program = " ".join(words)
    each = pes // hosts.count
    names = hosts.names()
    if layout and launcher == "ssh":
        places = ",".join(f"{name}:{count}" for name, count in zip(names, layout))
        return [hosts.shell, names[0], ISTHMUS, "run", "--launcher", "ssh", "--hosts", places, program]
    if layout:  # hydra goes round until all PEs have a place
        names = [f"{name}:{count}" for name, count in zip(names, layout)]
        return [hosts.shell, hosts.names()[0], "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
                hosts.shell, "-hosts", ",".join(names), "-n", str(pes), program]
    start = [hosts.shell, names[0]]
    if launcher.startswith("srun"):  # srun-pmix, srun-pmi2
        return start + ["srun", f"--mpi={launcher[5:]}", "-N", str(hosts.count), "-n", str(pes),
                        "--ntasks-per-node", str(each), program]
    if launcher == "hydra":
        return start + ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", hosts.shell, "-hosts",
                        ",".join(names), "-ppn", str(each), "-n", str(pes), program]
    places = ",".join(f"{name}:{each}" for name in names)
    if launcher == "ssh":  # isthmus run itself
        return start + [ISTHMUS, "run", "--launcher", "ssh", "--hosts", places, program]
    if launcher == "prterun":
        return start + ["prterun", "--allow-run-as-root", "--map-by", "slot:oversubscribe", "--host",
                        places, "-n", str(pes), program]
    return start + ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca",
                    "plm_rsh_agent", hosts.shell, "-H", places, "-n", str(pes), program]


def run_by_handover(arguments, hosts, words, environment):
    """By `isthmus run --hosts`, or within an allocation of Slurm: it becomes the launcher."""
    names = hosts.names()
    each = arguments.pes // hosts.count
    line = [os.path.join(arguments.bin, "isthmus"), "run"]
    if arguments.launcher == "salloc":
        line = ["salloc", "-Q", "-N", str(hosts.count), "-n", str(arguments.pes),
                "--ntasks-per-node", str(each)] + line + words
    else:
        line += ["--launcher", arguments.launcher,
                 "--hosts", ",".join(f"{name}:{each}" for name in names)] + words
    environment = dict(environment, HYDRA_LAUNCHER="ssh", HYDRA_LAUNCHER_EXEC=hosts.shell,
                       OMPI_MCA_plm_rsh_agent=hosts.shell)
    return subprocess.run([hosts.shell, names[0], shlex.join(line)], capture_output=True,
                          text=True, timeout=200, env=environment)


def run_handover(arguments, hosts):
    """What the user said reaches the PEs of both hosts, and the exit status comes back."""
    need_launcher(arguments.launcher)
    show = ["sh", "-c", "echo $(hostname) $GIVEN $ISTHMUS_SPIN $(pwd)"]
    environment = dict(os.environ, ISTHMUS_SPIN="7")
    done = run_by_handover(arguments, hosts, ["--env", "GIVEN=two words", "--wdir", "/"] + show,
                           environment)
    each = arguments.pes // hosts.count
    # Hydra puts words together as they come, not line by line.
    if done.returncode != 0 or any(done.stdout.count(f"{name} two words 7 /") != each
                                   for name in hosts.names()):
        print("the PEs print", done.stdout, done.stderr, "status", done.returncode)
        return 1
    if arguments.launcher != "salloc":  # srun counts in minutes, and is not asked
        began = time.monotonic()
        done = run_by_handover(arguments, hosts, ["--timeout", "2", "sleep", "20"], environment)
        if done.returncode == 0 or time.monotonic() - began > 15:
            print("--timeout: status", done.returncode, "after", time.monotonic() - began, "s")
            return 1
    # Not at once: Hydra's mpiexec dies of SIGPIPE if all end while it still starts them.
    done = run_by_handover(arguments, hosts, ["sh", "-c", "sleep 0.5; exit 9"], environment)
    if done.returncode != 9:
        print("exit status", done.returncode, "and not 9:", done.stdout, done.stderr)
        return 1
    program = os.path.join(arguments.bin, "shmem_basics")
    done = run_by_handover(arguments, hosts, [program],
                           dict(environment, TEST_HOST_PES=str(each), ISTHMUS_SPIN="0"))
    if done.returncode != 0:
        print("basics:", done.stdout[-2000:], done.stderr[-2000:])
    return done.returncode


# Where tools/install-packages.sh puts it. It has Open MPI's own mpirun beside it, so it is asked last.
PRRTE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
                     "isthmus/prrte/bin")


def prepare_prterun(hosts):
    os.environ["PATH"] += os.pathsep + PRRTE
    need_launcher("prterun")
    # A Python package knows no folder of its own.
    daemon = os.path.join(os.path.dirname(os.path.realpath(shutil.which("prterun"))), "prted")
    os.environ.update(PRTE_MCA_plm_ssh_agent=hosts.shell, PRTE_MCA_prte_launch_agent=daemon)


def need_launcher(launcher):
    if launcher == "ssh":
        return
    tool = {"hydra": "mpiexec.hydra", "mpirun": "mpirun.openmpi", "prterun": "prterun",
            "salloc": "salloc"}.get(launcher, "srun")
    if shutil.which(tool) is None:
        raise Unavailable(f"{tool} is not installed (tools/install-packages.sh --hosts)")


def run_programs(arguments, hosts):
    need_launcher(arguments.launcher)
    failed = 0
    for name in arguments.programs:
        name, *words = name.split()
        whole = name.startswith(("core_", "native_", "gasnet_"))
        program = os.path.join(arguments.bin, name if whole else f"shmem_{name}")
        words = command(arguments.launcher, hosts, arguments.pes, [program, *words],
                        arguments.layout)
        began = time.monotonic()
        environment = dict(os.environ, TEST_HOST_PES=str(arguments.pes // hosts.count),
                           ISTHMUS_STALL_SECONDS="10",
                           ISTHMUS_SPIN="0")  # the hosts share this machine's cores
        done = subprocess.run(words, capture_output=True, text=True, timeout=200, env=environment)
        took = time.monotonic() - began
        print(f"{name}: exit status {done.returncode}, {took:.1f} s", flush=True)
        missing = arguments.each is not None and done.stdout.count(arguments.each) != arguments.pes
        lines = re.findall(r"isthmus: PE \d.*", done.stdout + done.stderr)
        told = arguments.status == 0 or len(lines) == 1
        if done.returncode != arguments.status or missing or not told:
            print(done.stdout[-2000:], done.stderr[-14000:])
            failed += 1
    return failed


DETECT_SECONDS = 3
# What the program did: a routine that waits, or what was waited for in a short operation.
LOST = re.compile(r"PE \d \(host (?P<by>h\d)\): (?P<operation>(?:shmemx?|isthmus)_\w+|"
                  r"(?:an? [a-z, ]+|outside of waits) \(last noted call: \w+\)): "
                  r"PE (?P<pe>\d) \(host (?P<whom>h\d)\) is lost")


def start_marked(arguments, hosts, words):
    """A job, and the names of the files in which its PEs write their process numbers."""
    need_launcher(arguments.launcher)
    mark = os.path.join(hosts.folder, "pe")
    environment = dict(os.environ, ISTHMUS_DETECT_SECONDS=str(DETECT_SECONDS), RING_MARK=mark,
                       ISTHMUS_SPIN="0")
    job = subprocess.Popen(command(arguments.launcher, hosts, arguments.pes, words), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, env=environment,
                           start_new_session=True)
    return job, mark


def await_marks(job, mark, pes=4):
    deadline = time.monotonic() + 60
    while not all(os.path.exists(f"{mark}{pe}") for pe in range(pes)):
        if time.monotonic() > deadline or job.poll() is not None:
            print("the job does not start:", job.communicate(timeout=5)[0])
            return False
        time.sleep(0.05)
    return True


def end(job, seconds):
    """Its output, whether it ends by itself or not."""
    try:
        return job.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        return job.communicate()[0]


# Each direction of a frame's way; see switch.py.
LINKS = {
    "slow": Link(delay=0.020, loss=0.02, rate=1_000_000),
    "short-cut": Link(delay=0.001, rate=20_000_000),
    # Of datagrams, by which packets may go: the launcher's connections are not what is tested.
    "loses-1": Link(delay=0.0002, loss=0.01, only=UDP),
    "loses-5": Link(delay=0.0002, loss=0.05, only=UDP),
    "loses-20": Link(delay=0.0002, loss=0.20, only=UDP),
    "bad": Link(delay=0.0002, loss=0.05, twice=0.05, late=0.1, changed=0.02, only=UDP),
}


def run_link(arguments, hosts):
    """All that is sent arrives over a link that is slow and lossy, or cut for less time than it
    takes to give a host up, and nobody is given up."""
    program = os.path.join(arguments.bin, "transport_slow")
    rounds = 1 if arguments.link == "slow" else 12
    began = time.monotonic()
    job, mark = start_marked(arguments, hosts, [program, str(rounds)])
    cut = 0.7 * DETECT_SECONDS if arguments.link == "short-cut" else 0
    if cut:
        if not await_marks(job, mark):
            return 1
        time.sleep(0.5)
        hosts.cut_off(2)
        time.sleep(cut)
        hosts.join(2)
    output = end(job, 120)
    took = time.monotonic() - began
    print(f"{arguments.link}: exit status {job.returncode} after {took:.1f} s; "
          f"{hosts.switch.frames} frames, {hosts.switch.lost} of them lost, {hosts.switch.worse} doubled, "
          "late or changed")
    held = f"{rounds} rounds held" in output and job.returncode == 0
    if not held or "is lost" in output or took < cut:
        print(output[-3000:])
        return 1
    return 0


def run_fault(arguments, hosts):
    """A PE is killed, its host cut off, or what its connections carry is changed, while all are in a
    ring of gets, or whatever else."""
    name, *words = (arguments.programs or ["transport_ring"])[0].split()
    job, mark = start_marked(arguments, hosts, [os.path.join(arguments.bin, name), *words])
    stopped = None
    try:
        if not await_marks(job, mark, arguments.pes):
            return 1
        time.sleep(0.5)
        began = time.monotonic()
        if arguments.fault.startswith("killed"):
            with open(f"{mark}3") as file:
                process = int(file.read())
            if arguments.fault == "killed-unheard":  # its launcher's part hears of it behind the others' lines
                with open(f"/proc/{process}/stat") as file:
                    stopped = int(file.read().rpartition(")")[2].split()[1])
                os.kill(stopped, signal.SIGSTOP)
            os.kill(process, signal.SIGKILL)
        elif arguments.fault == "connections":
            hosts.cut_connections(2, 1)
        elif arguments.fault == "packets":
            hosts.cut_packets(2)
        elif arguments.fault == "changed":
            hosts.switch.link = Link(changed=0.05, only=TCP)
        else:
            hosts.cut_off(2)
        pids = []
        for pe in (0, 1):
            with open(f"{mark}{pe}") as file:
                pids.append(int(file.read()))
        # The PEs of the host that is left must end by themselves; the launcher may wait for the
        # other half of its own.
        limit = DETECT_SECONDS * {"connections": 3, "packets": 5}.get(arguments.fault, 1) + 2
        # One that has ended counts, though its parent, which talks to the other half, has not seen it.
        while any(is_alive(pid) for pid in pids):
            if time.monotonic() - began > limit:
                print(f"PEs 0 and 1 still run {limit} s after the fault")
                return 1
            time.sleep(0.05)
        took = time.monotonic() - began
        print(f"{arguments.fault}: the job ended after {took:.1f} s")
    finally:
        if stopped:
            os.kill(stopped, signal.SIGCONT)
        if arguments.fault == "cut-off":
            hosts.join(2)
        if arguments.fault in ("connections", "packets"):
            hosts.join_connections(2)
        output = end(job, 10)
        print(output[-3000:])
    if arguments.fault == "changed":
        print(f"{hosts.switch.worse} frames were changed")
        told = "is lost: the connection failed: what comes from its connection is not what it has sent" in output
        if hosts.switch.worse == 0 or job.returncode == 0 or " is wrong\n" in output or not told:
            print("nobody says so, or a PE has seen what was changed")
            return 1
    if arguments.fault == "packets" and not re.search(
            r"do not get through: a firewall has to let UDP pass to 10\.77\.0\.\d port \d+ and to 10\.", output):
        print("nobody says what a firewall has to let pass")
        return 1
    if arguments.fault == "killed-unheard" and took < 1.5:
        print("a launcher that tells of every end is not waited for")
        return 1
    told = "PE 3 (host h2): killed by SIGKILL" in output and job.returncode == 128 + signal.SIGKILL
    if arguments.launcher == "ssh" and arguments.fault.startswith("killed") and not told:
        print(f"status {job.returncode}: the launcher does not say what has ended PE 3")
        return 1
    # Process managers that see a process go may be first; Slurm's PMI-2 lets the others wait.
    speaks = arguments.fault != "killed" or arguments.launcher == "srun-pmi2"
    lost = list(LOST.finditer(output))
    operations = [found["operation"] for found in lost]
    # A host that ends because of the one that was cut off is not the one to blame.
    blamed = [found[0] for found in lost if "h2" not in (found["by"], found["whom"])]
    if arguments.fault.startswith("killed"):  # nor are the others of its host, which the process manager ends
        blamed = [found[0] for found in lost if found["pe"] != "3"]
    if arguments.fault in ("cut-off", "killed", "killed-unheard") and blamed:
        print("the wrong one is blamed:", blamed)
        return 1
    if speaks and not operations:
        print("no message names the PE that was lost, its host and the operation")
        return 1
    wrong = [name for name in operations if not re.match(arguments.operation, name)]
    if wrong:
        print(f"not {arguments.operation}: {wrong}")
        return 1
    return 0


# A case of core_exits, what is printed (None: nothing of ours), the exit status.
EXITS = [
    ("end_with_long_status", None, 255),
    ("quick_exit_with_long_status", "PE 1 (host h2): has called quick_exit before shmem_finalize", 44),
    ("mistake_behind_end", None, 9),
    ("exit_behind_end", None, 9),
    ("exit_early", "shmem_barrier_all: waits in vain for PE 1, which has exited", 1),
    ("main_thread_ends", "shmem_barrier_all: waits in vain for PE 1, which has exited", 1),
    ("main_thread_ends_first", "PE 0 has worked on", 0),
    ("exit_before_one_barrier", "shmem_barrier_all: waits in vain for PE 1, which has exited", 1),
    ("exit_before_collective", "shmem_long_sum_reduce: waits in vain for PE 1, which has exited", 1),
    ("exit_with_lock", "shmem_set_lock: waits in vain for PE 1, which has exited", 1),
    ("finalize_early", "shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize",
     1),
    ("leave_before_aggregator_finish",
     "isthmus_aggregator_finish: waits in vain for PE 1, which has called isthmus_finalize", 1),
    ("exit_before_aggregator_finish",
     "isthmus_aggregator_finish: waits in vain for PE 1, which has exited", 1),
    ("inner_finalize_early",
     "shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize", 1),
    ("native_first_inner_finalize_early",
     "shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize", 1),
    ("native_first_exit_before_aggregator_finish",
     "isthmus_aggregator_finish: waits in vain for PE 1, which has exited", 1),
    ("exit_before_last_barrier", "isthmus_barrier: waits in vain for PE 1, which has exited", 1),
    ("native_first_thread_ends",
     "isthmus_barrier: waits in vain for PE 1, which has called shmem_finalize", 1),
    ("inner_finalize_late", "PE 1 finalised", 0),
    ("late", "PE 1 exits", 0),
    ("puts_to_who_has_exited", "PE 0 counted", 0),
    ("status", "PE 1 (host h2): exited with status 3 before shmem_finalize; last noted call", 3),
]


def run_exits(arguments, hosts):
    """PEs that leave early, each on its own host; who waits for one learns of it."""
    need_launcher(arguments.launcher)
    # A name as the library's own threads have: it must not take the program for one of them.
    program = shutil.copy(os.path.join(arguments.bin, "core_exits"),
                          os.path.join(hosts.folder, "isthmus-exits"))
    environment = dict(os.environ, ISTHMUS_DETECT_SECONDS="10", ISTHMUS_SPIN="0")
    failed = 0
    for case, text, status in EXITS:
        began = time.monotonic()
        done = subprocess.run(
            command(arguments.launcher, hosts, hosts.count, [program, case]), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
            env=environment)
        took = time.monotonic() - began
        good = (text in done.stdout if text else "isthmus: " not in done.stdout) and took < 10
        # With PMI-2 srun returns the status of what it killed.
        if arguments.launcher == "srun-pmi2" and status != 0:
            good = good and done.returncode != 0
        else:
            good = good and done.returncode == status
        print(f"{case}: exit status {done.returncode}, {took:.1f} s", flush=True)
        if not good:
            print(f"expected: {text}, status {status}\n{done.stdout[-3000:]}")
            failed += 1
    return failed


# Ways out on which no handler runs, and how they are told.
LEAVES = [("exit_at_once", "exited with status 0 before shmem_finalize; last noted call shmem_barrier_all"),
          ("exit_quickly", "has called quick_exit before shmem_finalize; last noted call shmem_barrier_all")]


def run_leaves(arguments, hosts):
    """A PE that leaves without a word is named in one line, by whichever host it is on: also where the
    process manager ends the others of its host at once, whom alone those of other hosts know."""
    need_launcher(arguments.launcher)
    program = os.path.join(arguments.bin, "core_exits")
    failed = 0
    whole = command(arguments.launcher, hosts, arguments.pes, [program])
    alone = [hosts.shell, "h1", "mpiexec.hydra", "-n", str(arguments.pes), program]
    for start in [whole, alone] if arguments.launcher == "hydra" else [whole]:
        cases = [(leaver, LEAVES[number % len(LEAVES)]) for number, leaver in enumerate([1, 3, 2])]
        if start is whole and arguments.launcher == "hydra":
            # On the second host, whose part of the manager reads and does nothing else.
            cases.append((3, ("exit_before_slow_reader", LEAVES[0][1])))
            cases.append((3, ("exit_behind_much_output", LEAVES[0][1])))
        if arguments.launcher == "mpirun":
            cases.append((3, ("crash_in_thread", "SIGSEGV, write to address 0x8")))
        if arguments.launcher == "ssh":  # which tells what each has died of
            cases = [(3, ("raise_itself", "killed by SIGSEGV"))]
        if hosts.count > 2:  # those of the third one learn it from others than the leaver
            cases = [(3, ("kill_itself", "is lost")), (0, ("kill_itself", "is lost")),
                     (0, ("raise_itself", "killed by SIGSEGV"))]
        for leaver, (case, text) in cases:
            began = time.monotonic()
            done = subprocess.run(start + [case], text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                                  env=dict(os.environ, ISTHMUS_SPIN="0", TEST_LEAVER=str(leaver)))
            lines = re.findall(r"isthmus: PE (\d) \(host h\d\): (.*)", done.stdout)
            print(f"{case} of PE {leaver}: status {done.returncode}, {time.monotonic() - began:.1f} s, {lines}",
                  flush=True)
            if case == "kill_itself":  # it says nothing itself, and the process manager may be first
                good = all(f"PE {leaver} (host " in line and text in line for _, line in lines)
            else:
                good = len(lines) == 1 and lines[0][0] == str(leaver) and text in lines[0][1]
            if done.returncode == 0 or not good:
                print(done.stdout[-3000:])
                failed += 1
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--launcher", default="hydra",
                        choices=["hydra", "mpirun", "prterun", "srun-pmix", "srun-pmi2", "salloc", "ssh"])
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--pes", type=int, default=4)
    parser.add_argument("--layout", type=lambda text: [int(count) for count in text.split(",")],
                        help="PEs of each host in turn, as 3,1,2; more PEs begin again (hydra)")
    parser.add_argument("--fault", choices=["killed", "killed-unheard", "cut-off", "connections", "packets", "changed"])
    parser.add_argument("--operation", default="", help="what the message of a fault names: a regex")
    parser.add_argument("--link", choices=LINKS, help="4 PEs over such links")
    parser.add_argument("--exits", action="store_true", help="PEs that leave early")
    parser.add_argument("--leaves", action="store_true", help="PEs that leave without a word")
    parser.add_argument("--handover", action="store_true", help="by isthmus run --hosts")
    parser.add_argument("--status", type=int, default=0, help="of the programs; another than 0 is told in one line")
    parser.add_argument("--each", help="what each PE of the programs prints once")
    parser.add_argument("programs", nargs="*",
                        help="NAME is shmem_NAME; core_NAME, native_NAME are whole; arguments may "
                        "follow")
    arguments = parser.parse_args()
    global ISTHMUS
    ISTHMUS = os.path.join(os.path.abspath(arguments.bin), "isthmus")
    try:
        link = Link() if arguments.fault == "changed" else LINKS.get(arguments.link)
        with tempfile.TemporaryDirectory() as folder, \
                Hosts(arguments.hosts, folder, link) as hosts:
            work = run_fault if arguments.fault else run_link if link else \
                run_leaves if arguments.leaves else \
                run_exits if arguments.exits else run_handover if arguments.handover else \
                run_programs
            if arguments.launcher == "prterun":
                prepare_prterun(hosts)
            if arguments.launcher == "ssh":
                os.environ["ISTHMUS_REMOTE_SHELL"] = hosts.shell
            if arguments.launcher in ("hydra", "mpirun", "prterun", "ssh"):
                failed = work(arguments, hosts)
            else:
                with Slurm(hosts, arguments.pes) as slurm:
                    os.environ.update(slurm.environment())
                    failed = work(arguments, hosts)
    except Unavailable as reason:
        print(f"skipped: {reason}")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
