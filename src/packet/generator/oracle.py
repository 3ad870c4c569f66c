"""The format in Python: makes packets and datagrams, and says what a receiver does with them.

The vectors come from here. Speed is no aim; being plain is.
"""
import expression

# A receiver for which every example of a legal packet is right.
RECEIVER = {"source_known": 1, "destination_here": 1, "segment_limit": 65536, "segment_rights": 7,
            "signal_limit": 65536, "signal_rights": 7, "handler_known": 1, "token_open": 1, "asked_segment": 3,
            "asked_first": 0, "asked_end": 65536, "payload_limit": 32768, "room": 512, "credits_seen": 0,
            "credits_owed": 100}
CONNECTION = {"connection_known": 1, "mac_right": 1, "number_seen": 0, "expected_here": 5000,
              "unacknowledged": 700, "in_flight": 10}
KEY = bytes(range(16))


def to_bytes(words):
    return b"".join(word.to_bytes(8, "little") for word in words)


def to_words(data):
    return [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data) - len(data) % 8, 8)]


def siphash_2_4(key, words):
    """SipHash-2-4 of whole words."""
    mask = (1 << 64) - 1
    k0, k1 = to_words(key)
    v = [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573]

    def turn(value, by):
        return (value << by | value >> (64 - by)) & mask

    def rounds(count):
        for _ in range(count):
            v[0] = v[0] + v[1] & mask
            v[2] = v[2] + v[3] & mask
            v[1], v[3] = turn(v[1], 13) ^ v[0], turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[2], v[0] = v[2] + v[1] & mask, v[0] + v[3] & mask
            v[1], v[3] = turn(v[1], 17) ^ v[2], turn(v[3], 21) ^ v[0]
            v[2] = turn(v[2], 32)

    for word in [*words, (8 * len(words) & 0xff) << 56]:
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xff
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


class Oracle:
    def __init__(self, form):
        self.form = form

    # ---- making

    def word(self, name, values):
        """One word of the fields that are given; the others are 0."""
        return sum((values.get(field.name, 0) & field.mask) << field.low for field in self.form.words[name].fields)

    def packet(self, kind, values, arguments=(), payload=b"", ranges=(), over=None):
        """Words of a packet: `values` are fields, `over` those that are set against the rules."""
        over = over or {}
        values = dict(values, kind=kind["number"], arguments=len(arguments), pad=-len(payload) % 8)
        if kind.get("detail") == "atomic":
            values["detail"] = self.word("atomic", {**values, **over})
        if "ranges" in kind:
            values["detail"] = len(ranges)
        fragment = [self.word("part", {**values, **over})] if values.get("fragment") else []
        body = [self.word(name, {**values, **over}) for name in kind.get("descriptor", [])]
        for number, one in enumerate(ranges):
            # What is set against the rules is set in the last one.
            last = over if number == len(ranges) - 1 else {}
            body += [self.word(name, {**one, **last}) for name in kind["ranges"]]
        pairs = [*arguments, 0][:len(arguments) + len(arguments) % 2]
        body += [pairs[i] | pairs[i + 1] << 32 for i in range(0, len(pairs), 2)]
        body += to_words(payload + bytes(-len(payload) % 8))
        values["last_word"] = 3 + len(fragment) + len(body) - 1
        values.update(over)
        return [self.word(name, values) for name in ("route", "place", "meaning")] + fragment + body

    def datagram(self, values, sacks=(), packets=(), key=KEY, high=0):
        values = dict(values)
        values.setdefault("magic", self.form.constants["magic"]["value"])
        values.setdefault("sack_words", len(sacks))
        words = [self.word("opening", values), self.word("numbers", values)]
        if values.get("timed"):
            words.append(self.word("times", values))
        words += [*sacks, *packets]
        return [*words, siphash_2_4(key, [*words, high if packets else 0])]

    # ---- reading

    def facts(self, data, known, *stages):
        """What the checks of these stages name: of the bytes, and what is `known` beside."""
        form = self.form
        words = to_words(data)
        values = dict.fromkeys(form.known_names(), 0) | known

        def read(name, word):
            values.update({field.name: field.of(word) for field in form.words[name].fields})

        if stages[-1] in ("datagram", "connection"):
            self._read_datagram(words, values, read)
        else:
            for name, word in zip(("route", "place", "meaning"), words):
                read(name, word)
            self._read_kind(words, values, read)
        for entry in form.derived:
            values[entry["name"]] = expression.evaluate(entry["value"], values, form.is_refusal)
        return values

    def _read_kind(self, words, values, read):
        form = self.form
        kind = form.kind(values["kind"])
        values.update({f"kind_{name}": value for name, value in form.attributes(kind).items()})
        at = 3
        read("atomic", values["detail"])
        if values["fragment"] and at < len(words):
            read("part", words[at])
        at += values["fragment"]
        if kind is None:
            return
        for name in kind.get("descriptor", []):
            if at < len(words):
                read(name, words[at])
            at += 1
        for _ in range(values["detail"] if "ranges" in kind else 0):
            for name in kind["ranges"]:
                if at < len(words):
                    read(name, words[at])
                at += 1
            values.update({entry["name"]: expression.evaluate(entry["value"], values, form.is_refusal)
                           for entry in form.sums})

    def _read_datagram(self, words, values, read):
        for name, word in zip(("opening", "numbers"), words):
            read(name, word)
        at = 2
        if values["timed"] and at < len(words):
            read("times", words[at])
        at += values["timed"]
        sacks = words[at:at + values["sack_words"]]
        bits = sum(word << 64 * i for i, word in enumerate(sacks))
        values["sack_end"] = bits.bit_length() + 1 if bits else 0

    def verdict(self, data, known, *stages):
        """The cause, or "accepted"."""
        name = "datagram_bytes" if stages[-1] in ("datagram", "connection") else "available"
        values = self.facts(data, {**known, name: len(data)}, *stages)
        for check in self.form.stage_checks(*stages):
            if expression.evaluate(check["when"], values, self.form.is_refusal):
                return check["name"]
        return "accepted"
