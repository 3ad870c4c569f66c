#!/usr/bin/env python3
"""Hostile peers of a job on two hosts made of namespaces; they are on a third one, or, to claim the
address of a PE, on one of the two.

    hostile.py BIN [ATTACK ...] [--connections N]     BIN holds transport_victim, transport_stranger

In each attack the victims put to each other and look at all of their memory. The job must end well
when it is told to, have what it should in its memory, and use 50 MB more at most. An attack that
takes a PE's place on the network, or all that its libfabric can take in, may end the job instead:
soon, and with a message that says so. An attack that has sent nothing is told as wrong, such as those of libfabric's
peers on a job by packets, without ISTHMUS_FABRIC. No attack finds the job's secret in a file.
Exit status 77: not possible here.
"""

import argparse
import collections
import os
import re
import resource
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../transport"))
from hosts import Hosts, Unavailable  # noqa: E402
from processes import is_alive  # noqa: E402
from stranger import ports_of, throw_garbage  # noqa: E402

DETECT = 3
MOST_MEMORY = 50 * 1024  # KB more than before
# By libfabric's own peers (stranger.c), from the third host.
STRANGERS = {"requests": "requests", "wrong-keys": "rma", "over-long": "long 40 4000",
             "longer": "long 20 8000", "unended": "unended 200 25",
             # Each bit of the length that rxm's head tells; of all heads each seventh, so one of each byte.
             "lengths": "heads 448 512 1", "heads": "heads 0 640 7",
             "fetched": "fetched 150",
             # Parts of a message over a PE's own connection; answers to operations that there are, and are not.
             "parts": "kinds 1 2 1", "answers": "kinds 5 2 -1", "unused-answers": "kinds 5 40 -1",
             # A part of a message, and the connection ends: libfabric looks for the rest without end.
             "part": "kinds 1 1 -1"}
# Only if named: who leaves while the others still look may find libfabric without end there (SECURITY.md).
BY_HAND = ("parts",)
# By which the job may be ended.
ENDING = ("unended", "claimed-port", "few-descriptors", "answers", "unused-answers",
          "part")
# The job may have so many descriptors, where they are to be used up.
FEW = 100
# Of these some must have been refused, by count.
REFUSED = ("datagrams", "replay", "requests", "wrong-keys", "over-long", "longer", "lengths", "heads",
           "fetched")
# Of this all that was sent.
WHOLLY_REFUSED = ("lengths",)
# What a message must say if one of these ends the job.
CAUSE = re.compile(r"(is lost: |cannot be reached: |no descriptor is left |libfabric has (?:crashed|mistaken)).*SECURITY\.md")
# What a PE says at its end.
COUNTED = re.compile(r"transport: (\d+) requests? (?:or connections? )?that w")
# What an attacker says that it has done. By libfabric it counts what the other side's has let in.
DONE = re.compile(r"\b(?:sent|begun|connected|replayed)=(\d+)")
# Where a PE's file holds what was exchanged at the start (core/session/gather.cpp).
EXCHANGED_AT, EXCHANGED_BYTES = 1 << 30, 1 << 20


# ---- at the attacker's host

told = collections.Counter()


def tell(what, count):
    """Of what has left this host for a PE: who attacks nobody is found out at home."""
    told[what] += count


def print_told():
    print(" ".join(f"{what}={count}" for what, count in told.items()), flush=True)
    told.clear()


def connect(address, port):
    return socket.create_connection((address, port), timeout=5)


def throw(address, port):
    tell("sent", throw_garbage(address, port))


def truncate(address, port):
    """Connections that end in the middle of what libfabric expects."""
    for length in (1, 4, 7, 8, 15, 63):
        for begin in (b"", b"\x03\x01", b"\x03\x01\x00\x40"):
            with connect(address, port) as connection:
                connection.sendall((begin + bytes(64))[:length])
            tell("sent", length)


def write_slowly(address, port):
    """Many connections that say next to nothing, for some seconds."""
    connections = [connect(address, port) for _ in range(100)]
    for _ in range(8):
        for connection in connections:
            try:
                connection.sendall(b"\x03")
            except OSError:
                continue
            tell("sent", 1)
        time.sleep(0.25)
    for connection in connections:
        connection.close()


def mutate(address, port):
    """Beginnings like those of libfabric's own, changed at random."""
    dice = __import__("random").Random(1)
    for _ in range(300):
        head = bytearray(struct.pack(">BBH", 3, 1, 0) + bytes(60))
        for _ in range(dice.randrange(1, 8)):
            head[dice.randrange(len(head))] = dice.randrange(256)
        try:
            with connect(address, port) as connection:
                connection.sendall(head + bytes(dice.randrange(256) for _ in range(200)))
        except OSError:
            continue
        tell("sent", len(head) + 200)


def connect_often(address, port, count):
    for _ in range(count):
        try:
            with connect(address, port) as connection:
                # Reset, so that no port of ours is kept for a minute.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            time.sleep(0.01)
            continue
        tell("connected", 1)


def stay(address, port, count, seconds=4):
    """Connections that say nothing, all at once; more than the soft limit of descriptors."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    connections = []
    for _ in range(count):
        try:
            connections.append(connect(address, port))
        except OSError:
            break  # nobody takes them any more
    tell("connected", len(connections))
    print_told()
    time.sleep(seconds)


def send_datagrams(address, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for length in (0, 1, 31, 32, 33, 1400) * 50:
            sender.sendto(os.urandom(length), (address, port))
            tell("sent", length)


def replay(seconds):
    """Sends each datagram that leaves this host once more, on the host of a PE."""
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    tap.settimeout(0.1)
    sent = set()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            packet, where = tap.recvfrom(2048)
        except socket.timeout:
            continue
        outgoing = where[2] == socket.PACKET_OUTGOING and where[1] == 0x0800
        # What is longer than a frame is several yet, for the device to cut.
        if not outgoing or packet[9] != socket.IPPROTO_UDP or packet in sent or len(packet) > 1500:
            continue
        sent.add(packet)
        # Without a checksum: the one that is seen here is filled in by the device.
        at = 4 * (packet[0] & 15) + 6
        packet = packet[:at] + bytes(2) + packet[at + 2:]
        sent.add(packet)
        raw.sendto(packet, (socket.inet_ntoa(packet[16:20]), 0))
        tell("replayed", 1)


ATTACKS = {"garbage": throw, "truncated": truncate, "slow-writers": write_slowly,
           "mutated": mutate, "connections": connect_often, "datagrams": send_datagrams,
           "replay": replay, "idle": stay, "few-descriptors": stay}


# ---- at home

def memory(pids):
    most = 0
    for pid in pids:
        with open(f"/proc/{pid}/status") as file:
            most = max(most, int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]))
    return most


def udp_port(pid):
    sockets = set()
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            sockets.update(re.findall(r"socket:\[(\d+)\]", os.readlink(entry.path)))
        except OSError:
            continue
    with open(f"/proc/{pid}/net/udp") as table:
        for line in table.readlines()[1:]:
            words = line.split()
            if words[9] in sockets:
                return int(words[1].split(":")[1], 16)
    return 0


def leaves_secret(pids):
    """Whether anything is left in the PEs' files of what was exchanged at the start."""
    for pid in pids:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            try:
                if not os.readlink(entry.path).startswith("/memfd:isthmus-pe"):
                    continue
                with open(entry.path, "rb") as file:
                    file.seek(EXCHANGED_AT)
                    if any(file.read(EXCHANGED_BYTES)):
                        return True
            except OSError:
                continue
    return False


def may_open_most(pid):
    with open(f"/proc/{pid}/limits") as file:
        soft, hard = re.search(r"Max open files\s+(\d+)\s+(\d+)", file.read()).groups()
    return soft == hard


def attack(name, hosts, arguments, pids, job, go):
    """How much, of what it counts, the attacker says has left for a PE."""
    places = [ports_of(pid) for pid in pids]
    if not all(places):
        print("the PEs listen on", places)
        return 0
    (address, port), (_, other) = (min(place, key=lambda each: each[0] != f"10.77.0.{number}")
                                   for number, place in enumerate(places, 1))
    stranger = os.path.join(arguments.bin, "transport_stranger")
    here = [sys.executable, os.path.abspath(__file__), arguments.bin, "--attack"]
    where = "h3"
    if name in STRANGERS:
        words = [stranger, address, str(port), *STRANGERS[name].split()]
    elif name == "claimed-port":
        where, words = "h2", [stranger, address, str(port), "claim", str(other), "4"]
    elif name == "replay":
        where, words = "h1", here + ["replay", "4"]
    elif name == "connections":
        words = here + [name, address, str(port), str(arguments.connections)]
    elif name == "idle":
        words = here + [name, address, str(port), str(arguments.connections), "4"]
    elif name == "few-descriptors":
        words = here + [name, address, str(port), str(4 * FEW), "25"]
    elif name == "datagrams":
        words = here + [name, address, str(udp_port(pids[0]))]
    else:
        words = here + [name, address, str(port)]
    words = [str(word) for word in words]
    attacker = subprocess.Popen([hosts.shell, where, shlex.join(words)], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)
    if name == "replay":  # PEs ask for signs of life by datagrams when one is silent
        time.sleep(0.5)
        os.kill(pids[1], signal.SIGSTOP)
        time.sleep(0.5 * DETECT)
        os.kill(pids[1], signal.SIGCONT)
    if name in ENDING:  # until the job has ended, or the attacker has
        if go:
            time.sleep(2)
            with open(go, "w"):
                pass
        while job.poll() is None and attacker.poll() is None:
            time.sleep(0.1)
        if attacker.poll() is None:
            os.killpg(attacker.pid, signal.SIGTERM)
    try:
        said = attacker.communicate(timeout=30 + arguments.connections / 500)[0]
    except subprocess.TimeoutExpired:
        os.killpg(attacker.pid, signal.SIGKILL)  # nobody answers it any more
        said = attacker.communicate()[0] + " (ended)"
    said = said.strip()
    print(f"  {said[-200:]}")
    return sum(int(count) for count in DONE.findall(said))


def write_script(folder):
    """Hydra drops what its processes have not handed on yet when a PE ends badly."""
    path = os.path.join(folder, "victim.sh")
    with open(path, "w") as file:
        file.write('#!/bin/sh\nexec "$@" 2>> "$SAID"\n')
    os.chmod(path, 0o755)
    return path


def trial(name, hosts, arguments, folder):
    stop = os.path.join(folder, f"stop-{name}")
    said = os.path.join(folder, f"said-{name}")
    environment = dict(os.environ, ISTHMUS_DETECT_SECONDS=str(DETECT), ISTHMUS_SPIN="0",
                       SHMEM_SYMMETRIC_SIZE="16M", SAID=said)
    words = [hosts.shell, "h1", "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", hosts.shell,
             "-hosts", "h1,h2", "-ppn", "1", "-n", "2", write_script(folder),
             os.path.join(arguments.bin, "transport_victim"), stop]
    go = stop + "-go" if name == "few-descriptors" else None
    if name == "idle":
        words = ["sh", "-c", 'ulimit -Sn 256; exec "$@"', "sh"] + words
    if go:
        words = ["sh", "-c", f"ulimit -n {FEW}; exec \"$@\"", "sh"] + words + [go]
    job = subprocess.Popen(words, env=environment, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    lines = [job.stdout.readline() for _ in range(2)]
    if not all(line.strip().isdigit() for line in lines):
        print(f"{name}: the job does not start: {lines} {job.communicate(timeout=30)}")
        return False
    # In order of PEs: the first is the one on h1.
    pids = sorted((int(line) for line in lines),
                  key=lambda pid: os.readlink(f"/proc/{pid}/ns/net") != hosts.network(1))
    # Where descriptors are to be used up it is before the PEs have connected, to see who lives.
    time.sleep(0 if go else 0.5)
    try:
        before = memory(pids)
    except OSError:
        print(f"{name}: the job has ended: {job.communicate(timeout=30)}")
        return False
    began = time.monotonic()
    careless = leaves_secret(pids) or not all(may_open_most(pid) for pid in pids)
    tried = attack(name, hosts, arguments, pids, job, go)
    after = memory(pids) if job.poll() is None and all(
        os.path.exists(f"/proc/{pid}/status") for pid in pids) else before
    took = time.monotonic() - began
    with open(stop, "w"):
        pass
    try:
        _, err = job.communicate(timeout=4 * DETECT + 10)
        hangs = False
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        _, err = job.communicate()
        hangs = True
    # The process manager may end before them.
    deadline = time.monotonic() + 5
    while not hangs and any(is_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    with open(said) as file:
        err += file.read()
    well = job.returncode == 0 and "stranger" not in err.replace("none of this job", "")
    told = name in ENDING and job.returncode != 0 and CAUSE.search(err)
    refused = sum(int(count) for count in COUNTED.findall(err))
    if name in REFUSED and refused < (tried if name in WHOLLY_REFUSED else 1):
        print(f"  {refused} of {tried} were refused")
        well = False
    if careless:
        print("  what was exchanged at the start is in a file, or descriptors are limited")
    if not (tried or told):
        print("  nothing of the attacker's was sent: this job has no such road (ISTHMUS_FABRIC?)")
        well = False
    good = not hangs and not careless and (well or told) and after - before <= MOST_MEMORY
    print(f"{name}: {'ended well' if well else 'ended with its cause' if told else 'WRONG'}, status "
          f"{job.returncode}, {took:.1f} s, {(after - before) / 1024:+.1f} MB"
          f"{', HANGS' if hangs else ''}", flush=True)
    print("  " + "\n  ".join(err.strip().splitlines()[-6 if good else 0:]))
    return bool(good)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin")
    parser.add_argument("attacks", nargs="*")
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--attack", action="store_true", help="be the attacker: ATTACK ARGUMENT ...")
    arguments = parser.parse_intermixed_args()
    if arguments.attack:
        name, *words = arguments.attacks
        ATTACKS[name](*(int(word) if word.isdigit() else word for word in words))
        print_told()
        return 0
    if not shutil.which("mpiexec.hydra"):
        print("mpiexec.hydra is not installed (tools/install-packages.sh --hosts)")
        return 77
    names = arguments.attacks or [name for name in (*ATTACKS, *STRANGERS, "claimed-port") if name not in BY_HAND]
    try:
        with tempfile.TemporaryDirectory() as folder, Hosts(3, folder) as hosts:
            results = [trial(name, hosts, arguments, folder) for name in names]
    except Unavailable as reason:
        print(reason)
        return 77
    print(f"{sum(results)} of {len(results)} attacks came to nothing")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
