"""Slurm on the hosts of hosts.py: its controller on h1, a daemon on each. A context manager."""

import os
import shutil
import subprocess
import time

from hosts import Unavailable

TOOLS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "sinfo")
PLACES = "/usr/sbin:/usr/bin:/sbin:/bin"


class Slurm:
    def __init__(self, hosts, processors):
        self.hosts = hosts
        self.processors = processors
        self.folder = os.path.join(hosts.folder, "slurm")
        self.daemons = []

    def __enter__(self):
        for tool in TOOLS:
            if shutil.which(tool, path=PLACES) is None:
                raise Unavailable(f"{tool} is not installed (tools/install-packages.sh --hosts)")
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def environment(self):
        """What its commands need."""
        return dict(os.environ, SLURM_CONF=self.path("slurm.conf"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self):
        # munged insists on folders that nobody else can write, up to the root.
        os.mkdir(self.folder, 0o755)
        os.mkdir(self.path("munge"), 0o755)
        key = os.open(self.path("munge/key"), os.O_WRONLY | os.O_CREAT, 0o400)
        os.write(key, os.urandom(1024))
        os.close(key)
        with open(self.path("slurm.conf"), "w") as file:
            file.write(self.configuration())
        munge = self.path("munge")
        self.daemon("munged", None, "munged", "--foreground", "--force", f"--key-file={munge}/key",
                    f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                    f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_for("munged", lambda: os.path.exists(f"{munge}/socket"))
        names = self.hosts.names()
        self.daemon("slurmctld", names[0], "slurmctld", "-D", "-c", "-f", self.path("slurm.conf"))
        for name in names:
            self.daemon(f"slurmd.{name}", name, "slurmd", "-D", "-N", name, "-f",
                        self.path("slurm.conf"))
        self.wait_for("the daemons", self.all_idle)

    def daemon(self, name, host, *words):
        words = (shutil.which(words[0], path=PLACES),) + words[1:]
        if host:
            words = (self.hosts.shell, host, "exec " + " ".join(words))
        with open(self.path(f"{name}.out"), "w") as output:
            self.daemons.append((name, subprocess.Popen(words, stdin=subprocess.DEVNULL,
                                                        stdout=output, stderr=output,
                                                        env=self.environment())))

    def all_idle(self):
        done = subprocess.run([self.hosts.shell, self.hosts.names()[0], "sinfo -h -o %T:%D"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              env=self.environment())
        return done.stdout.split() == [f"idle:{self.hosts.count}"]

    def wait_for(self, what, ready):
        deadline = time.monotonic() + 60
        while not ready():
            for name, daemon in self.daemons:
                if daemon.poll() is not None:
                    raise Unavailable(f"Slurm does not start here: {self.last_words(name)}")
            if time.monotonic() > deadline:
                raise Unavailable(f"Slurm: {what} do not come up: "
                                  f"{self.last_words(self.daemons[-1][0])}")
            time.sleep(0.1)

    def last_words(self, name):
        with open(self.path(f"{name}.out")) as file:
            return f"{name}: " + " ".join(file.read().split("\n")[-4:])

    def configuration(self):
        names = self.hosts.names()
        nodes = "\n".join(
            f"NodeName={name} NodeAddr=10.77.0.{number} CPUs={self.processors} RealMemory=500"
            for number, name in enumerate(names, 1))
        return f"""
ClusterName=test
SlurmctldHost={names[0]}(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.path("munge/socket")}
CredType=cred/munge
SlurmctldPort=46817
SlurmdPort=46818
StateSaveLocation={self.path("state")}
SlurmdSpoolDir={self.path("spool.%n")}
SlurmctldPidFile={self.path("slurmctld.pid")}
SlurmdPidFile={self.path("slurmd.%n.pid")}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
TmpFS=/dev/shm
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

    def __exit__(self, *_):
        for _, daemon in reversed(self.daemons):
            daemon.terminate()
        for _, daemon in reversed(self.daemons):
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
