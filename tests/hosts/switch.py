"""A network for hosts.py whose links are slow, lossy or cut, or worse: a switch in user space.

Each host has a TAP device; the switch reads frames from them and hands each on when it is due.
Kernels in which tests run often have no netem. The figures are those of each host's link, both
ways: a frame between two hosts crosses two.
"""

import collections
import ctypes
import fcntl
import heapq
import os
import random
import selectors
import struct
import threading
import time

TUNSETIFF = 0x400454CA
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000
CLONE_NEWNET = 0x40000000

# `changed` of TCP: in frames with so much, so that launchers' few words pass.
LONG = 256
# seconds one way, share of frames, bits a second (0: no limit), bytes that wait for a limited link;
# shares of frames that come twice, come late (up to 5 ms) and have a bit changed; and the protocol of
# IP that all shares are of (0: any)
Link = collections.namedtuple("Link", "delay loss rate queue twice late changed only",
                              defaults=(0.0, 0.0, 0, 65536, 0.0, 0.0, 0.0, 0))
LATE = 0.005
TCP = 6
UDP = 17


class NoTap(Exception):
    """This machine has no TAP devices for us; the text says why."""


def open_tap(space, name):
    """The device `name` in the network namespace `space`. Moves the calling thread there."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{space}") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
            raise NoTap(f"setns: {os.strerror(ctypes.get_errno())}")
    try:
        tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    except OSError as problem:
        raise NoTap(f"/dev/net/tun: {problem.strerror}") from problem
    return tap


class Switch(threading.Thread):
    """Joins the namespaces `spaces`, the n-th one's device named `e<n + 1>`."""

    def __init__(self, spaces, link, chance=1):
        super().__init__(daemon=True)
        self.link = link
        self.cut = set()  # numbers of hosts, from 0
        self.random = random.Random(chance)
        self.frames = self.lost = self.worse = 0
        self.taps = []
        self.learned = {}  # by address: the number of its host
        self.due = []  # (time, order, tap, frame)
        self.free_at = {}  # by (host, direction): when its link is idle
        self.stopping = False
        problem = []

        def make():  # in a thread of its own, which the namespaces keep
            try:
                for number, space in enumerate(spaces):
                    self.taps.append(open_tap(space, f"e{number + 1}"))
            except NoTap as reason:
                problem.append(reason)

        maker = threading.Thread(target=make)
        maker.start()
        maker.join()
        if problem:
            self.close()
            raise problem[0]

    def run(self):
        selector = selectors.DefaultSelector()
        for number, tap in enumerate(self.taps):
            selector.register(tap, selectors.EVENT_READ, number)
        while not self.stopping:
            wait = self.due[0][0] - time.monotonic() if self.due else 0.05
            for key, _ in selector.select(max(0.0, min(wait, 0.05))):
                self.take(key.data)
            self.hand_on()
        selector.close()

    def take(self, sender):
        for _ in range(64):
            try:
                frame = os.read(self.taps[sender], 65536)
            except OSError:
                return
            self.learned[frame[6:12]] = sender
            receiver = self.learned.get(frame[:6])
            if receiver is None or frame[0] & 1:
                receivers = [n for n in range(len(self.taps)) if n != sender]
            else:
                receivers = [receiver]
            for number in receivers:
                self.send(sender, number, frame)

    def send(self, sender, receiver, frame):
        self.frames += 1
        is_meant = not self.link.only or frame[12:14] == b"\x08\x00" and frame[23] == self.link.only
        if self.cut & {sender, receiver} or is_meant and self.random.random() < self.link.loss:
            self.lost += 1
            return
        now = time.monotonic()
        if is_meant and self.random.random() < self.link.changed:
            frame = self.change(frame)
        if is_meant and self.random.random() < self.link.late:
            self.worse += 1
            now += self.random.random() * LATE
        if is_meant and self.random.random() < self.link.twice:
            self.worse += 1
            heapq.heappush(self.due, (now + LATE * self.random.random(), self.frames + 0.5, receiver,
                                      frame))
        if self.link.rate:
            seconds = len(frame) * 8 / self.link.rate
            for way in ((sender, "out"), (receiver, "in")):
                begin = max(now, self.free_at.get(way, 0))
                if (begin - now) * self.link.rate / 8 > self.link.queue:
                    self.lost += 1  # the queue is full
                    return
                self.free_at[way] = now = begin + seconds
        heapq.heappush(self.due, (now + self.link.delay, self.frames, receiver, frame))

    def change(self, frame):
        """A bit of what a datagram, or a long frame of TCP, carries. Its checksum is right, or there
        is none, so that it gets as far as it can."""
        begin = 14 + 4 * (frame[14] & 15)
        if frame[12:14] != b"\x08\x00" or len(frame) <= begin + 20:
            return frame
        changed = bytearray(frame)
        if frame[23] == UDP:
            changed[begin + 6:begin + 8] = bytes(2)
            contents = begin + 8
        else:
            contents = begin + 4 * (frame[begin + 12] >> 4)
            if frame[23] != TCP or len(frame) - contents < LONG:
                return frame
        self.worse += 1
        place = self.random.randrange(contents, len(frame))
        changed[place] ^= 1 << self.random.randrange(8)
        if frame[23] == TCP:
            self.mend_checksum(changed, frame, begin, place)
        return bytes(changed)

    @staticmethod
    def mend_checksum(changed, frame, begin, place):
        """As RFC 1624 does it: the sum of what has changed alone."""
        first = place - (place - begin) % 2
        word = [int.from_bytes((bytes(each) + b"\0")[first:first + 2], "big") for each in (frame, changed)]
        total = (~int.from_bytes(frame[begin + 16:begin + 18], "big") & 0xffff) + (~word[0] & 0xffff) + word[1]
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        changed[begin + 16:begin + 18] = (~total & 0xffff).to_bytes(2, "big")

    def hand_on(self):
        now = time.monotonic()
        while self.due and self.due[0][0] <= now:
            _, _, receiver, frame = heapq.heappop(self.due)
            if receiver in self.cut:
                continue
            try:
                os.write(self.taps[receiver], frame)
            except OSError:
                self.lost += 1

    def close(self):
        self.stopping = True
        if self.is_alive():
            self.join()
        for tap in self.taps:
            os.close(tap)
        self.taps = []
