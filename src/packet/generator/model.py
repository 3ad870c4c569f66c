"""Reads format.toml and checks that it makes sense; what follows from it for every writer."""
import pathlib
import tomllib

import expression

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "format.toml"
NOTE = "Written by src/packet/generator/generate.py from src/packet/format.toml."

PACKET_STAGES = ("frame", "head", "body")  # what decides about a packet's format
STAGES = (*PACKET_STAGES, "receiver", "program", "datagram", "connection")
FLAGS = ("fragment", "acknowledge", "fence")
PLACES = ("", "memory", "answer", "copy")
DETAILS = ("", "ranges", "atomic", "reason", "bye")
PAYLOADS = ("", "any", "some")
KIND_KEYS = {"name", "number", "streams", "flags", "place", "rights", "handler", "arguments", "detail",
             "operations", "widths", "descriptor", "ranges", "payload", "queued", "answer", "answers", "about"}
# Of a kind, for checks; generated tables have them in this order.
ATTRIBUTES = ("known", "streams", "may_fragment", "may_acknowledge", "may_fence", "arguments", "handler",
              "detail", "place", "rights", "descriptor_words", "range_words", "ranges", "blocks", "extent",
              "atomic", "operations", "widths", "payload", "queued", "answers")


class FormatError(Exception):
    """Something in the table is wrong."""


class Field:
    def __init__(self, entry, word, low):
        self.name, self.bits, self.about = entry["name"], entry["bits"], entry["about"]
        self.is_signed = entry.get("signed", False)
        self.word, self.low = word, low

    @property
    def mask(self):
        return (1 << self.bits) - 1

    def of(self, word):
        raw = word >> self.low & self.mask
        return raw - (1 << self.bits) if self.is_signed and raw >> (self.bits - 1) else raw


class Word:
    def __init__(self, entry):
        self.name, self.of, self.about = entry["name"], entry["of"], entry["about"]
        self.fields, low = [], 0
        for field in entry["fields"]:
            self.fields.append(Field(field, self, low))
            low += field["bits"]
        self.bits = low
        if low != (8 if self.of == "detail" else 64):
            raise FormatError(f"the fields of {self.name} have {low} bits")


class Format:
    def __init__(self, path=SOURCE):
        table = tomllib.loads(path.read_text())
        self.words = {entry["name"]: Word(entry) for entry in table["word"]}
        self.fields = {}
        for word in self.words.values():
            for field in word.fields:
                if field.name in self.fields:
                    raise FormatError(f"two fields are called {field.name}")
                self.fields[field.name] = field
        self.constants = table["constants"]
        self.values = {entry["field"]: entry for entry in table["values"]}
        self.kinds = table["kind"]
        self.actions = table["action"]
        self.facts, self.derived, self.sums = table["fact"], table["derived"], table["sum"]
        self.checks = table["check"]
        self._check_kinds()
        self._check_checks()

    # ---- kinds

    def value(self, field, name):
        return next(entry["value"] for entry in self.values[field]["list"] if entry["name"] == name)

    def mask(self, field, names):
        return sum(1 << self.value(field, name) for name in names)

    def attributes(self, kind):
        """Of a kind, as numbers; None: of a number that no kind has."""
        if kind is None:
            return dict.fromkeys(ATTRIBUTES, 0)
        descriptor, flags = kind.get("descriptor", []), kind.get("flags", [])
        values = {
            "known": 1, "streams": self.mask("stream", kind["streams"]),
            "arguments": int(kind.get("arguments", False)), "handler": int(kind.get("handler", False)),
            "detail": DETAILS.index(kind.get("detail", "")), "place": PLACES.index(kind.get("place", "")),
            "rights": self.value("right", kind["rights"]) if "rights" in kind else 0,
            "descriptor_words": len(descriptor), "range_words": len(kind.get("ranges", [])),
            "ranges": int("ranges" in kind), "blocks": int("blocks" in descriptor),
            "extent": 0 if "extent" not in descriptor else 1 if "own_place" in descriptor else 2,
            "atomic": 2 if "signal" in descriptor else int(kind.get("detail") == "atomic"),
            "operations": self.mask("operation", kind.get("operations", [])),
            "widths": self.mask("width", kind.get("widths", [])),
            "payload": PAYLOADS.index(kind.get("payload", "")), "queued": int(kind.get("queued", False)),
            "answers": int(kind.get("answers", False)),
        }
        values.update({f"may_{flag}": int(flag in flags) for flag in FLAGS})
        return {name: values[name] for name in ATTRIBUTES}

    def kind(self, number):
        return next((kind for kind in self.kinds if kind["number"] == number), None)

    def kind_named(self, name):
        return next(kind for kind in self.kinds if kind["name"] == name)

    def _check_kinds(self):
        if len({kind["number"] for kind in self.kinds}) != len(self.kinds):
            raise FormatError("two kinds have one number")
        for kind in self.kinds:
            unknown = set(kind) - KIND_KEYS
            if unknown:
                raise FormatError(f"{kind['name']}: unknown keys {sorted(unknown)}")
            if not 0 < kind["number"] < 32:
                raise FormatError(f"{kind['name']}: numbers are 1 to 31")
            for word in [*kind.get("descriptor", []), *kind.get("ranges", [])]:
                if self.words[word].of != "descriptor":
                    raise FormatError(f"{kind['name']}: {word} is no word of a descriptor")
            self.attributes(kind)

    # ---- checks

    def stage_checks(self, *stages):
        return [check for stage in stages for check in self.checks if check["stage"] == stage and "when" in check]

    def refusals(self):
        return [check["number"] for check in self.checks if check["action"] == "refuse"]

    def is_refusal(self, number):
        return number in self.refusals()

    def derived_names(self):
        return [entry["name"] for entry in self.derived]

    def needed(self, *stages):
        """Names that the checks of these stages use, and what is derived for them in turn."""
        derived = {entry["name"]: entry["value"] for entry in self.derived}
        found, left = set(), set()
        for check in self.stage_checks(*stages):
            left |= expression.names(check["when"])
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left |= expression.names(derived[name]) if name in derived else set()
        return found

    def known_names(self):
        return ({*self.fields, *self.derived_names(), *(fact["name"] for fact in self.facts),
                 *(entry["name"] for entry in self.sums)} | {f"kind_{name}" for name in ATTRIBUTES})

    def _check_checks(self):
        known, numbers = self.known_names(), set()
        actions = {action["name"] for action in self.actions}
        for check in self.checks:
            if check["number"] in numbers:
                raise FormatError(f"{check['name']}: its number is taken")
            numbers.add(check["number"])
            if check["stage"] not in STAGES or check["action"] not in actions:
                raise FormatError(f"{check['name']}: unknown stage or action")
            strange = expression.names(check.get("when", "0")) - known
            if strange:
                raise FormatError(f"{check['name']}: unknown names {sorted(strange)}")
            if "when" in check and not check.get("examples"):
                raise FormatError(f"{check['name']}: no example")
        for entry in [*self.derived, *self.sums]:
            strange = expression.names(entry["value"]) - known
            if strange:
                raise FormatError(f"{entry['name']}: unknown names {sorted(strange)}")


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
