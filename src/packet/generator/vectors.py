"""The vectors: packets and datagrams as bytes, and what a receiver does with each."""
import json

import oracle as o
from model import FLAGS, NOTE, FormatError

PACKET = ("frame", "head", "body")


def pattern(count):
    return bytes((7 * i + 1) & 0xff for i in range(count))


class Vectors:
    def __init__(self, form):
        self.form, self.oracle = form, o.Oracle(form)
        self.lines, self.names = [], set()

    # ---- legal packets

    def sample(self, kind, over=None, arguments=0, payload=None, fragment=False, count=None, **values):
        """A legal packet of this kind, but for what `over` sets."""
        form, attributes = self.form, self.form.attributes(kind)
        ranges, blocks = attributes["ranges"], attributes["blocks"]
        fields = {"destination": 1, "source": 2, "stream": form.value("stream", kind["streams"][0]), "credits": 7,
                  "token": 0x01020304}
        if attributes["place"]:
            fields.update(segment=3, offset=0 if ranges else 4096)
        if attributes["handler"]:
            fields["handler"] = 130
        if kind.get("detail") == "reason":
            fields["detail"] = next(c["number"] for c in form.checks if c["name"] == "out_of_bounds")
        if attributes["atomic"]:
            fields.update(operation=form.value("operation", kind["operations"][0]),
                          width=form.value("width", kind["widths"][-1]))
        fields.update(own_offset=0 if ranges else 512, own_segment=9, last_asked=99, stride=-24, block=8, count=3,
                      own_stride=8, signal_offset=64, signal_segment=2, operand=0x1122334455667788,
                      compare=0x99aabbccddeeff00, value=0x8877665544332211, state=42)
        fields.update(values)
        count = 2 if count is None else count
        entries = [{"range_offset": 1024 + 100 * i, "range_bytes": 5 + i % 7, "own_range_offset": 300 + 16 * i}
                   for i in range(count if ranges else 0)]
        if payload is None:
            payload = 0
            if attributes["payload"]:
                payload = (sum(one["range_bytes"] for one in entries) if ranges else
                           fields["block"] * fields["count"] if blocks else 24)
        if fragment:
            fields.update(fragment=1, last_byte=99999, part_offset=32)
        return self.oracle.packet(kind, fields, [0xa0000001 + i for i in range(arguments)], pattern(payload),
                                  entries, over)

    def legal(self):
        form = self.form
        for kind in form.kinds:
            attributes, name = form.attributes(kind), kind["name"]
            self.packet(name, self.sample(kind))
            for stream in kind["streams"][1:]:
                self.packet(f"{name} {stream}", self.sample(kind, stream=form.value("stream", stream)))
            for flag in kind.get("flags", []):
                words = (self.sample(kind, fragment=True) if flag == "fragment" else self.sample(kind, **{flag: 1}))
                self.packet(f"{name} {flag}", words)
            if attributes["arguments"]:
                for count in (1, 2, 3, 31, 32):
                    self.packet(f"{name} {count} arguments", self.sample(kind, arguments=count))
            if attributes["payload"] and not attributes["blocks"] and not attributes["ranges"]:
                for count in (0, *range(1, 10), 64) if attributes["payload"] == 1 else (*range(1, 10), 64):
                    self.packet(f"{name} {count} bytes", self.sample(kind, payload=count))
            if attributes["blocks"]:
                for stride, block, count in ((24, 8, 3), (0, 1, 1), (-8, 3, 5), (100, 7, 9), (1, 64, 2)):
                    self.packet(f"{name} {count} blocks of {block} at {stride}",
                                self.sample(kind, stride=stride, block=block, count=count, own_stride=-stride))
            if attributes["ranges"]:
                for count in (1, 3, 255) if name == "put_ranges" else (1, 3):
                    self.packet(f"{name} {count} ranges", self.sample(kind, count=count))
            for operation in kind.get("operations", []):
                for width in kind["widths"]:
                    self.packet(f"{name} {operation} {width}", self.sample(
                        kind, operation=form.value("operation", operation), width=form.value("width", width)))
            if attributes["detail"] == 3:
                for number in form.refusals():
                    self.packet(f"{name} {number}", self.sample(kind, detail=number))
            if attributes["detail"] == 4:
                for entry in form.values["bye"]["list"]:
                    self.packet(f"{name} {entry['name']}", self.sample(kind, detail=entry["value"]))
            if attributes["extent"]:
                most = 0xffffffff if attributes["extent"] == 1 else 8 * 4093 - 1
                for last in (0, most):
                    self.packet(f"{name} of {last + 1} bytes", self.sample(kind, last_asked=last),
                                known={"segment_limit": 1 << 48})
        # The ends of the fields, and the last bytes of a segment.
        put = form.kind_named("put")
        self.packet("put at the greatest numbers", self.sample(put, destination=0xffff, source=0xffff, handler=255,
                    token=0xffffffff, credits=100, segment=0xffff, offset=(1 << 48) - 25),
                    known={"segment_limit": (1 << 48) - 1})
        self.packet("put of the whole message", self.sample(put, over={"last_byte": 23, "part_offset": 0}, fragment=True))
        self.packet("put of the last byte of 2^32", self.sample(
            put, over={"last_byte": 0xffffffff, "part_offset": 0xffffffff}, fragment=True, payload=1))
        self.packet("put to the end of the message", self.sample(put, over={"last_byte": 55}, fragment=True))
        get = form.kind_named("get")
        self.packet("get to the end of the segment", self.sample(get, offset=65528, last_asked=7))
        self.packet("put to the end of the segment", self.sample(put, offset=65536 - 24))
        self.packet("credits that wrap around", self.sample(form.kind_named("credit"), credits=3),
                    known={"credits_seen": 65530, "credits_owed": 9})
        self.packet("credits of a packet that was overtaken", self.sample(form.kind_named("short_message")),
                    known={"credits_seen": 8, "credits_owed": 0})

    # ---- packets that are not

    def every_kind(self, what, kind):
        """(name, words) of all ways in which a packet of this kind can be wrong in this respect."""
        form, attributes = self.form, self.form.attributes(kind)
        streams = form.values["stream"]["list"]
        if what == "stream":
            return [(entry["name"], self.sample(kind, {"stream": entry["value"]}))
                    for entry in streams if entry["name"] not in kind["streams"]]
        if what == "flags":
            found = []
            for stream in kind["streams"]:
                number = form.value("stream", stream)
                wrong = {flag for flag in FLAGS if flag not in kind.get("flags", [])} | {"reserved_flag"}
                wrong |= {"acknowledge", "fence"} if stream == "reply" else set()
                found += [(f"{stream} {flag}", self.sample(kind, {flag: 1}, stream=number)) for flag in sorted(wrong)]
            return found
        if what == "arguments" and not attributes["arguments"]:
            return [("1", self.sample(kind, {"arguments": 1})), ("32", self.sample(kind, {"arguments": 32}))]
        if what == "short":
            words = self.sample(kind, payload=0)
            if attributes["arguments"]:
                return [("arguments", self.sample(kind, {"arguments": 31}, payload=0))]
            return [("descriptor", self._shortened(words))] if len(words) > 3 else []
        if what == "payload" and not attributes["payload"]:
            words = self.sample(kind) + [0]
            return [("", [words[0] + (1 << form.fields["last_word"].low), *words[1:]])]
        if what == "place" and not attributes["place"]:
            return [("offset", self.sample(kind, {"offset": 1})), ("segment", self.sample(kind, {"segment": 0x8000}))]
        if what == "handler" and not attributes["handler"]:
            return [("1", self.sample(kind, {"handler": 1})), ("128", self.sample(kind, {"handler": 128}))]
        if what == "detail" and not attributes["detail"]:
            return [("1", self.sample(kind, {"detail": 1})), ("128", self.sample(kind, {"detail": 128}))]
        if what == "reason" and attributes["detail"] in (3, 4):
            legal = form.refusals() if attributes["detail"] == 3 else [e["value"] for e in form.values["bye"]["list"]]
            return [(str(number), self.sample(kind, {"detail": number})) for number in range(256) if number not in legal]
        return []

    def _shortened(self, words):
        return [words[0] - (1 << self.form.fields["last_word"].low), *words[1:-1]]

    def illegal(self):
        for check in self.form.checks:
            for example in check.get("examples", []):
                if example.get("datagram"):
                    self.wrong_datagram(check, example)
                elif "every_kind" in example:
                    for kind in self.form.kinds:
                        for name, words in self.every_kind(example["every_kind"], kind):
                            self.packet(f"{check['name']}: {kind['name']} {name}".strip(), words, check=check)
                else:
                    self.wrong_packet(check, example)

    def wrong_packet(self, check, example):
        kind = self.form.kind_named(example["kind"])
        for over in self.settings(example):
            words = self.sample(kind, over, payload=example.get("payload"), fragment=example.get("fragment", False))
            known = example.get("receiver", {})
            rest = {**({"bytes": example["payload"]} if "payload" in example else {}), **over, **known,
                    **({"cut": example["cut"]} if "cut" in example else {})}
            text = " ".join(f"{name} {value}" for name, value in rest.items())
            self.packet(f"{check['name']}: {kind['name']} {text}".strip(), words, check=check, known=known,
                        cut=example.get("cut", 0))

    @staticmethod
    def settings(example):
        if "each" in example:
            each = example["each"]
            return [{each["field"]: value} for value in range(each["from"], each["to"] + 1)]
        return [example.get("set", {})]

    # ---- datagrams

    def datagram_words(self, over=None, sacks=(), packets=None, **values):
        if packets is None:
            packets = self.sample(self.form.kind_named("put")) + self.sample(self.form.kind_named("ack"))
        fields = {"connection": 77, "number": 5000, "expected": 703, "sent": 111, "echo": 222, **values, **(over or {})}
        return self.oracle.datagram(fields, sacks, packets)

    def datagrams(self):
        self.datagram("datagram", self.datagram_words())
        self.datagram("datagram without packets", self.datagram_words(packets=[]))
        self.datagram("datagram with times", self.datagram_words(timed=1))
        for count in range(1, 5):
            self.datagram(f"datagram with {count} sack", self.datagram_words(timed=count % 2, sacks=[5, 0, 0, 0][:count]))
        self.datagram("datagram without packets, seen", self.datagram_words(packets=[]), known={"number_seen": 1})
        self.datagram("datagram at the window's end", self.datagram_words(number=5256))
        self.datagram("datagram with an old acknowledgement", self.datagram_words(expected=699))
        self.datagram("datagram that acknowledges all", self.datagram_words(expected=710))
        self.datagram("datagram whose numbers wrap around", self.datagram_words(number=2, expected=1),
                      known={"expected_here": 0xffffffff, "unacknowledged": 0xfffffffe, "in_flight": 3})

    def wrong_datagram(self, check, example):
        for over in self.settings(example):
            known = example.get("receiver", {})
            sacks = [1] if check["name"] == "wrong_sack" else []
            if "length" in example:
                words = self.datagram_words(over, packets=[])
                words = (words + [0] * 8)[:example["length"] // 8]
            else:
                words = self.datagram_words(over, sacks=sacks)
            text = " ".join(f"{name} {value}" for name, value in {**over, **known, "cut": example.get("cut", 0)}.items())
            self.datagram(f"{check['name']}: {text}", words, check=check, known=known, cut=example.get("cut", 0))

    # ---- lines

    def packet(self, name, words, check=None, known=None, cut=0):
        data = o.to_bytes(words)
        data = data[:len(data) - cut]
        known = known or {}
        verdict = self.oracle.verdict(data, {}, *PACKET)
        receiver = self.oracle.verdict(data, {**o.RECEIVER, **known}, "receiver") if verdict == "accepted" else None
        self.add("packet", name, data, verdict, receiver, known, check)

    def datagram(self, name, words, check=None, known=None, cut=0):
        data = o.to_bytes(words)
        data = data[:len(data) - cut]
        known = known or {}
        verdict = self.oracle.verdict(data, {}, "datagram")
        receiver = (self.oracle.verdict(data, {**o.CONNECTION, **known}, "connection")
                    if verdict == "accepted" else None)
        self.add("datagram", name, data, verdict, receiver, known, check)

    def add(self, what, name, data, verdict, receiver, known, check):
        if name in self.names:
            raise FormatError(f"two vectors are called {name}")
        self.names.add(name)
        last = receiver if verdict == "accepted" else verdict
        if last != (check["name"] if check else "accepted"):
            raise FormatError(f"the example {name} is {last}")
        line = {"name": name, "what": what, "bytes": data.hex(), "verdict": verdict}
        if receiver is not None:
            line["receiver_verdict"] = receiver
        if known:
            line["known"] = known
        if verdict == "accepted":
            line["fields"] = self.fields(what, data)
        self.lines.append(line)

    def fields(self, what, data):
        """Of an accepted one: each field that it has, by name; of ranges a list."""
        form, words = self.form, o.to_words(data)
        found = {}

        def read(name, word):
            for field in form.words[name].fields:
                found[field.name] = field.of(word)

        if what == "datagram":
            read("opening", words[0])
            read("numbers", words[1])
            if found["timed"]:
                read("times", words[2])
            first = 2 + found["timed"]
            found["sacks"] = words[first:first + found["sack_words"]]
            found["packet_words"] = len(words) - first - found["sack_words"] - 1
            found["mac"] = words[-1]
            return found
        for name, word in zip(("route", "place", "meaning"), words):
            read(name, word)
        at = 3
        if found["fragment"]:
            read("part", words[at])
            at += 1
        kind = form.kind(found["kind"])
        if kind.get("detail") == "atomic":
            read("atomic", found["detail"])
        for name in kind.get("descriptor", []):
            read(name, words[at])
            at += 1
        count = found["detail"] if "ranges" in kind else 0
        if count:
            found["ranges"] = []
            for _ in range(count):
                one = {}
                for name in kind["ranges"]:
                    one.update({field.name: field.of(words[at]) for field in form.words[name].fields})
                    at += 1
                found["ranges"].append(one)
        halves = [half for word in words[at:at + (found["arguments"] + 1) // 2]
                  for half in (word & 0xffffffff, word >> 32)]
        found["argument_values"] = halves[:found["arguments"]]
        at += (found["arguments"] + 1) // 2
        payload = o.to_bytes(words[at:])
        found["payload"] = payload[:len(payload) - found["pad"]].hex()
        return found


def write(form):
    vectors = Vectors(form)
    vectors.legal()
    vectors.illegal()
    vectors.datagrams()
    wanting = {check["name"] for check in form.checks if "when" in check} - {
        line["receiver_verdict"] if line["verdict"] == "accepted" else line["verdict"] for line in vectors.lines}
    if wanting:
        raise FormatError(f"no vector for {sorted(wanting)}")
    head = {"note": NOTE, "receiver": o.RECEIVER, "connection": o.CONNECTION, "key": o.KEY.hex(),
            "kinds": {kind["name"]: kind["number"] for kind in form.kinds},
            "causes": {check["name"]: [check["number"], check["action"]] for check in form.checks}}
    # One vector a line.
    return (json.dumps(head, separators=(",", ":"))[:-1] + ',"vectors":[\n' +
            ",\n".join(json.dumps(line, separators=(",", ":")) for line in vectors.lines) + "\n]}\n")
