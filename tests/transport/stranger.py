"""Strangers at the ports of a running job: garbage, and libfabric spoken with a wrong secret.

The job must go on, keep its memory, and say that it refuses requests, at its end how many.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time


def ports_of(pid):
    """TCP ports on which the process listens: (address, port)."""
    sockets = set()
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry.path))
        except OSError:
            continue
        if match:
            sockets.add(match[1])
    found = []
    with open(f"/proc/{pid}/net/tcp") as table:
        for line in table.readlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in sockets:
                host, port = words[1].split(":")
                address = socket.inet_ntoa(bytes.fromhex(host)[::-1])
                found.append(("127.0.0.1" if address == "0.0.0.0" else address, int(port, 16)))
    return found


def throw_garbage(address, port):
    """Returns how many bytes the other side's system has taken."""
    sent = 0
    for garbage in (b"", b"GET / HTTP/1.0\r\n\r\n", bytes(64), os.urandom(5000), b"\xff" * 300):
        with socket.create_connection((address, port), timeout=5) as connection:
            try:
                connection.sendall(garbage)
                sent += len(garbage)
                time.sleep(0.05)
            except OSError:
                pass
    return sent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isthmus", required=True)
    parser.add_argument("--victim", required=True)
    parser.add_argument("--stranger", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stop = os.path.join(folder, "stop")
        environment = dict(os.environ, ISTHMUS_TRANSPORT="ofi", SHMEM_SYMMETRIC_SIZE="16M",
                           ISTHMUS_FABRIC="tcp;ofi_rxm")
        job = subprocess.Popen([arguments.isthmus, "run", "-n", "2", "--timeout", "60",
                                arguments.victim, stop], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment)
        pids = [int(job.stdout.readline()) for _ in range(2)]
        ports = [place for pid in pids for place in ports_of(pid)]
        if len(ports) < 2:
            print("the PEs listen on", ports)
        sent = fitting = 0
        for address, port in ports:
            throw_garbage(address, port)
            for extra in (["requests"], ["rma"]):
                done = subprocess.run([arguments.stranger, address, str(port)] + extra,
                                      capture_output=True, text=True, timeout=30)
                print(address, port, extra, done.stdout.strip(), done.stderr.strip())
                found = re.search(r"sent=(\d+) fitting=(\d+)", done.stdout)
                if found:
                    sent += int(found[1])
                    fitting += int(found[2])
        alive = job.poll() is None
        open(stop, "w").close()
        out, err = job.communicate(timeout=60)
    print("job: status", job.returncode, "alive before the end:", alive)
    print(err)
    refused = sum(int(count) for count in re.findall(r"transport: (\d+) requests? (?:or connections? )?that w", err))
    print(f"{sent} requests sent, {fitting} of them short, {refused} refused")
    told = "has come to this PE's port and is refused" in err
    counted = told and 0 < fitting <= refused <= sent
    return 0 if alive and job.returncode == 0 and counted else 1


if __name__ == "__main__":
    sys.exit(main())
