"""Hosts for tests, made of namespaces: each has its own address, host name and /dev/shm.

They hang on a bridge in a namespace of its own. Processes enter a host by `nsenter` (the wrapper
that `Hosts.shell` names, which launchers take for ssh). The pid namespace and the file system are
shared, so whoever decides "same host" by process numbers or files is fooled, as a test should.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from switch import NoTap, Switch


# Nobody listens there, which only who is reached can say.
REACH = """
import socket, sys, time
end = time.monotonic() + 20
for address in sys.argv[1:]:
    while time.monotonic() < end:
        try:
            socket.create_connection((address, 9), timeout=1).close()
            break
        except ConnectionRefusedError:
            break
        except OSError:
            time.sleep(0.05)
    else:
        sys.exit(f"{address} is not reached")
"""


CLONE_NEWNET = 0x40000000


def is_reached(address):
    """Nobody listens there; its kernel says so as soon as it is reached."""
    try:
        socket.create_connection((address, 9), timeout=0.05).close()
    except ConnectionRefusedError:
        return True
    except OSError:
        time.sleep(0.01)
        return False
    return True


class Unavailable(Exception):
    """This machine does not let us make namespaces; the text says why."""


def need():
    if os.geteuid() != 0:
        raise Unavailable("namespaces for hosts need root")
    for tool in ("ip", "nsenter", "unshare", "mount"):
        if shutil.which(tool) is None:
            raise Unavailable(f"{tool} is not installed (tools/install-packages.sh --hosts)")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable(f"`{' '.join(words)}` fails: {done.stderr.strip()}")


def try_on_hosts(count, work, well, launcher="mpiexec.hydra"):
    """A test's exit status: of what `work`, given hosts and a folder, says is wrong, a line each."""
    if not shutil.which(launcher):
        print(f"{launcher} is not installed (tools/install-packages.sh --hosts)")
        return 77
    try:
        with tempfile.TemporaryDirectory() as folder, Hosts(count, folder) as hosts:
            wrong = work(hosts, folder)
    except Unavailable as reason:
        print(reason)
        return 77
    print("\n".join(wrong) or well)
    return 1 if wrong else 0


class Hosts:
    """`count` hosts h1, h2 ... with addresses 10.77.0.1, ...; a context manager.

    With a `link` (switch.py) they hang on a switch in user space instead of a bridge."""

    def __init__(self, count, folder, link=None):
        self.count = count
        self.folder = folder
        self.link = link
        self.switch = None
        self.tag = f"i{os.getpid() % 100000}"
        self.anchors = []
        self.spaces = []
        self.shell = os.path.join(folder, "on-host")

    def __enter__(self):
        need()
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make(self):
        for number in range(1, self.count + 1):
            run("ip", "netns", "add", self.space(number))
            self.spaces.append(self.space(number))
        if self.link:
            self.make_slow_network()
        else:
            self.make_network()
        table = os.path.join(self.folder, "hosts")
        with open(table, "w") as file:
            file.write("127.0.0.1 localhost\n")
            for number in range(1, self.count + 1):
                file.write(f"10.77.0.{number} h{number}\n")
        for number in range(1, self.count + 1):
            self.make_host(number, table)
        with open(self.shell, "w") as file:
            file.write(self.wrapper())
        os.chmod(self.shell, 0o755)

    def space(self, number):
        return f"{self.tag}h{number}"

    def make_network(self):
        bridge = f"{self.tag}sw"
        run("ip", "netns", "add", bridge)
        self.spaces.append(bridge)
        run("ip", "-n", bridge, "link", "add", "br0", "type", "bridge")
        run("ip", "-n", bridge, "link", "set", "br0", "up")
        for number in range(1, self.count + 1):
            port = f"{self.tag}p{number}"
            run("ip", "link", "add", f"e{number}", "netns", self.space(number), "type", "veth",
                "peer", "name", port, "netns", bridge)
            run("ip", "-n", bridge, "link", "set", port, "master", "br0", "up")

    def make_slow_network(self):
        spaces = [self.space(number) for number in range(1, self.count + 1)]
        try:
            self.switch = Switch(spaces, self.link)
        except NoTap as reason:
            raise Unavailable(f"no network whose links can be slow: {reason}") from reason
        self.switch.start()

    def make_host(self, number, table):
        space = self.space(number)
        run("ip", "-n", space, "addr", "add", f"10.77.0.{number}/24", "dev", f"e{number}")
        run("ip", "-n", space, "link", "set", f"e{number}", "up")
        run("ip", "-n", space, "link", "set", "lo", "up")
        ready = os.path.join(self.folder, f"ready{number}")
        script = (f"hostname h{number} && mount -t tmpfs -o size=2g,mode=1777 tmpfs /dev/shm && "
                  f"mount --bind {table} /etc/hosts && touch {ready} && exec sleep infinity")
        anchor = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{space}", "unshare", "--uts", "--ipc", "--mount", "sh",
             "-c", script], stderr=subprocess.PIPE, text=True)
        self.anchors.append(anchor)
        for _ in range(500):
            if os.path.exists(ready):
                return
            if anchor.poll() is not None:
                raise Unavailable(f"host h{number}: {anchor.stderr.read().strip()}")
            time.sleep(0.01)
        raise Unavailable(f"host h{number} does not come up")

    def wrapper(self):
        """Takes ssh's options, a host and a command."""
        cases = "\n".join(f"    h{i + 1}) anchor={anchor.pid} ;;"
                          for i, anchor in enumerate(self.anchors))
        return f"""#!/bin/sh
while :; do
    case $1 in
        -l|-p|-o) shift 2 ;;
        -*) shift ;;
        *) break ;;
    esac
done
case $1 in
{cases}
    *) echo "no host $1" >&2; exit 1 ;;
esac
shift
exec nsenter -t $anchor --net --uts --ipc --mount --wdns="$PWD" /bin/sh -c "$*"
"""

    def network(self, number):
        """What /proc/PID/ns/net says of the processes of this host."""
        return os.readlink(f"/proc/{self.anchors[number - 1].pid}/ns/net")

    def shared_files(self):
        """What lies in /dev/shm of the hosts, each of which has its own: by host and name."""
        return {(number, name) for number, anchor in enumerate(self.anchors, 1)
                for name in os.listdir(f"/proc/{anchor.pid}/root/dev/shm")}

    def names(self):
        return [f"h{number}" for number in range(1, self.count + 1)]

    def drop(self, number, *kinds):
        """The host drops what comes and is one of these."""
        rule = ("ip", "-n", self.space(number), "rule")
        run(*rule, "add", "pref", "100", "lookup", "local")
        run(*rule, "del", "pref", "0")
        for kind in kinds:
            run(*rule, "add", "pref", "1", *kind, "blackhole")

    def cut_connections(self, number, other):
        """The host drops what comes by TCP from the other one; datagrams pass."""
        self.drop(number, ("from", f"10.77.0.{other}", "ipproto", "tcp"))

    def cut_packets(self, number):
        """The host drops the datagrams of packets, which come to ports that take connections as well;
        signs of life pass."""
        with open(f"/proc/{self.anchors[number - 1].pid}/net/tcp") as table:
            sockets = [line.split() for line in table.read().splitlines()[1:]]
        ports = {int(words[1].split(":")[1], 16) for words in sockets if words[3] == "0A"}
        self.drop(number, *(("ipproto", "udp", "dport", str(port)) for port in ports))

    def join_connections(self, number):
        run("ip", "-n", self.space(number), "rule", "del", "pref", "1")

    def cut_off(self, number):
        """Takes the host off the network."""
        if self.switch:
            self.switch.cut.add(number - 1)
            return
        run("ip", "-n", f"{self.tag}sw", "link", "set", f"{self.tag}p{number}", "down")

    def await_links(self):
        """Behind a cut: until all hosts reach each other. The kernel keeps for seconds that one could
        not be reached, and brings a link up when it finds the time."""
        for number in range(1, self.count + 1):
            subprocess.run(["ip", "-n", self.space(number), "neigh", "flush", "dev", f"e{number}"],
                           capture_output=True)
        for number in range(1, self.count + 1):
            others = [f"10.77.0.{other}" for other in range(1, self.count + 1) if other != number]
            run("nsenter", f"--net=/run/netns/{self.space(number)}", sys.executable, "-c", REACH,
                *others)

    def reached_again(self, number):
        """When this host, joined again, reaches all others, on the clock time.monotonic()."""
        def reach():
            with open(f"/run/netns/{self.space(number)}") as space:
                if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), CLONE_NEWNET) != 0:
                    return
            for other in range(1, self.count + 1):
                while other != number and not is_reached(f"10.77.0.{other}"):
                    pass
            times.append(time.monotonic())

        times = []
        thread = threading.Thread(target=reach, daemon=True)  # only it is in that network
        thread.start()
        thread.join(20)
        return times[0] if times else float("inf")

    def join(self, number):
        if self.switch:
            self.switch.cut.discard(number - 1)
            return
        run("ip", "-n", f"{self.tag}sw", "link", "set", f"{self.tag}p{number}", "up")

    def __exit__(self, *_):
        for anchor in self.anchors:
            anchor.send_signal(signal.SIGKILL)
            anchor.wait()
        if self.switch:
            self.switch.close()
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], capture_output=True)
