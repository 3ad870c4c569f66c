#!/usr/bin/env python3
"""Every vector through Wireshark's dissector: fields and cause are those of the vectors.

    dissector_test.py LUA_SCRIPT VECTORS      77: there is no tshark
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

UDP_PORT, TCP_PORT = 4952, 4953
MAGIC = 0x5349
RAW_IP = 101  # link type: frames begin with the IP header


def datagram_around(packet):
    """What no check of a datagram minds: an opening, numbers, and some MAC."""
    return struct.pack("<QQ", MAGIC, 1) + packet + struct.pack("<Q", 0x1122334455667788)


def ip(protocol, payload):
    return struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0, 0x0a000001, 0x0a000002) + payload


def udp(payload):
    return ip(17, struct.pack(">HHHH", 40000, UDP_PORT, 8 + len(payload), 0) + payload)


def tcp(payload, sequence):
    return ip(6, struct.pack(">HHIIBBHHH", 40000, TCP_PORT, sequence, 1, 0x50, 0x18, 65535, 0, 0) + payload)


def capture(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, RAW_IP))
        for number, frame in enumerate(frames):
            file.write(struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame)


def dissect(script, frames, *options):
    """Each frame's layers."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "frames.pcap"
        capture(path, frames)
        done = subprocess.run(["tshark", "-X", f"lua_script:{script}", "-r", path, "-T", "json", "--no-duplicate-keys",
                               "-o", "ip.check_checksum:FALSE", "-o", "tcp.desegment_tcp_streams:TRUE", *options],
                              capture_output=True, text=True, env={"HOME": folder, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    if done.returncode or "Lua" in done.stderr:
        sys.exit(f"tshark: {done.stderr[-2000:]}")
    return [frame["_source"]["layers"] for frame in json.loads(done.stdout)]


def collect(tree, found):
    """All values by their name, wherever in the tree."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, (dict, list)):
                    collect(one, found)
                else:
                    found.setdefault(name, []).append(one)
    elif isinstance(tree, list):
        for one in tree:
            collect(one, found)
    return found


def number(text):
    return int(text, 0)


class Wrong(Exception):
    pass


def demand(condition, what):
    if not condition:
        raise Wrong(what)


def compare(vector, found):
    """What the dissector found in the frame against the vector."""
    causes = found.get("isthmus.cause", [])
    if vector["what"] == "packet":
        demand(causes[0] == "accepted", f"the datagram around it is {causes}")
        causes = causes[1:]
    demand(causes[:1] == [vector["verdict"]], f"{causes}, not {vector['verdict']}")
    for name, value in vector.get("fields", {}).items():
        shown = found.get(f"isthmus.{name}", [])
        if name == "ranges":
            for field in value[0]:
                demand([number(v) for v in found[f"isthmus.{field}"]] == [one[field] for one in value], field)
        elif name == "sacks":
            demand([number(v) for v in found.get("isthmus.received", [])] == value, name)
        elif name == "argument_values":
            demand([number(v) for v in found.get("isthmus.argument", [])] == value, name)
        elif name == "payload":
            demand("".join(shown).replace(":", "") == value, name)
        elif name == "packet_words":
            pass
        elif name == "mac" and vector["what"] == "packet":
            pass
        else:
            demand(number(shown[0]) == value, f"{name} is {shown}, not {value}")


def stream_frames(vectors):
    """Legal packets on one TCP connection, cut where nobody would cut them."""
    chosen = [v for v in vectors if v["what"] == "packet" and v["verdict"] == "accepted"][:120]
    data = b"".join(bytes.fromhex(v["bytes"]) for v in chosen)
    frames, at, size = [], 0, 1
    while at < len(data):
        frames.append(tcp(data[at:at + size], 1 + at))
        at += size
        size = size * 7 % 401 + 1
    return chosen, frames


def main():
    script, path = sys.argv[1:3]
    if not shutil.which("tshark"):
        print("skipped: no tshark: tools/install-packages.sh --test")
        sys.exit(77)
    vectors = json.loads(pathlib.Path(path).read_text())["vectors"]
    frames = []
    for vector in vectors:
        data = bytes.fromhex(vector["bytes"])
        frames.append(udp(datagram_around(data) if vector["what"] == "packet" else data))
    wrong = []
    for vector, layers in zip(vectors, dissect(script, frames, "-d", f"udp.port=={UDP_PORT},isthmus")):
        data = vector["bytes"]
        if vector["what"] == "packet" and (not data or len(data) % 16):
            continue  # not in whole words: the datagram around it is another one
        try:
            compare(vector, collect(layers.get("isthmus", {}), {}))
        except (Wrong, KeyError, IndexError) as error:
            wrong.append(f"{vector['name']}: {error!r}")
    # Known by its first bytes alone.
    first = dissect(script, frames[:1])[0]
    if "isthmus" not in first:
        wrong.append("the heuristic does not know a datagram")
    chosen, pieces = stream_frames(vectors)
    kinds = []
    for layers in dissect(script, pieces, "-d", f"tcp.port=={TCP_PORT},isthmus_stream"):
        found = collect(layers.get("isthmus_stream", {}), {})
        kinds += [number(kind) for kind in found.get("isthmus.kind", [])]
        wrong += [f"on a stream: {cause}" for cause in found.get("isthmus.cause", []) if cause != "accepted"]
    if kinds != [vector["fields"]["kind"] for vector in chosen]:
        wrong.append(f"{len(kinds)} packets on a stream, not the {len(chosen)} that were sent")
    print("\n".join(wrong[:40]) or f"{len(vectors)} vectors, {len(chosen)} packets on a stream")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
