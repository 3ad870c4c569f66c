"""docs/packet-format.md: every field, and what a receiver does with every illegal value."""
from model import NOTE


def cell(text):
    return text.replace("|", "\\|")


def word_table(form, word):
    lines = [f"### `{word.name}`", "", word.about, "", "| bits | field | meaning |", "|---|---|---|"]
    for field in word.fields:
        bits = f"{field.low + field.bits - 1}:{field.low}" if field.bits > 1 else str(field.low)
        sign = ", signed" if field.is_signed else ""
        lines.append(f"| {bits} | `{field.name}`{sign} | {cell(field.about)} |")
    return [*lines, ""]


def kind_table(form):
    lines = ["| number | kind | streams | flags | place | handler, arguments | `detail` | descriptor | payload | answer |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for kind in form.kinds:
        place = {"memory": f"memory, right to {kind.get('rights')}", "answer": "of an open get",
                 "copy": "of what was refused"}.get(kind.get("place"), "")
        handler = ", ".join(name for name in ("handler", "arguments") if kind.get(name))
        descriptor = ", ".join(f"`{name}`" for name in kind.get("descriptor", []))
        if "ranges" in kind:
            each = ", ".join(f"`{name}`" for name in kind["ranges"])
            descriptor += f"{'; ' if descriptor else ''}each range: {each}"
        detail = kind.get("detail", "")
        if "operations" in kind and len(kind["operations"]) < 8:
            detail += ": " + ", ".join(kind["operations"])
        if "widths" in kind and len(kind["widths"]) < 3:
            detail += "; " + ", ".join(kind["widths"])
        lines.append(f"| {kind['number']} | `{kind['name']}` | {', '.join(kind['streams'])} | "
                     f"{', '.join(kind.get('flags', []))} | {place} | {handler} | {detail} | {descriptor} | "
                     f"{kind.get('payload', '')} | {kind.get('answer', '')} |")
    return lines


def value_tables(form):
    lines = []
    for field, entry in form.values.items():
        lines += [f"### `{field}`", ""]
        if "about" in entry:
            lines += [entry["about"], ""]
        lines += ["| value | name | meaning |", "|---|---|---|"]
        lines += [f"| {e['value']} | `{e['name']}` | {cell(e['about'])} |" for e in entry["list"]]
        lines.append("")
    return lines


def check_table(form, *stages):
    lines = ["| number | cause | holds when | action | |", "|---|---|---|---|---|"]
    for check in form.checks:
        if check["stage"] in stages:
            when = f"`{cell(check['when'])}`" if "when" in check else ""
            lines.append(f"| {check['number']} | `{check['name']}` | {when} | {check['action']} | {cell(check['about'])} |")
    return [*lines, ""]


def name_table(form, *stages):
    lines = ["| name | value | |", "|---|---|---|"]
    for fact in form.facts:
        if fact["stage"] in stages:
            lines.append(f"| `{fact['name']}` | known | {cell(fact['about'])} |")
    for entry in form.derived:
        if entry["stage"] in stages:
            lines.append(f"| `{entry['name']}` | `{cell(entry['value'])}` | {cell(entry['about'])} |")
    return [*lines, ""]


def write(form):
    out = ["# Packet format", "", f"{NOTE} [packets.md](packets.md) says what it is for and why it is so.", "",
           "Words have 64 bits, and the lowest byte comes first. Bits are counted from the lowest.", "",
           "## A packet", "",
           "`route`, `place`, `meaning`; `part`, if it is a fragment; the words of the kind's descriptor; its ranges;",
           "arguments, two a word and the first one low, the last one alone with zeroes above it; payload, filled up with",
           "zeroes to a whole word. Receivers do not look at what fills up.", ""]
    for word in form.words.values():
        if word.of in ("packet", "fragment"):
            out += word_table(form, word)
    out += ["## Kinds", "", *kind_table(form), "",
            "`acknowledge` and `fence` are for requests alone, but for the heartbeat's. What a kind does not have is 0.", ""]
    out += [f"* `{kind['name']}`: {kind['about']}" for kind in form.kinds]
    out += ["", "## `detail` of atomics", ""]
    out += word_table(form, form.words["atomic"])
    out += ["## Values", "", *value_tables(form)]
    out += ["## Words of descriptors", ""]
    for word in form.words.values():
        if word.of == "descriptor":
            out += word_table(form, word)
    out += ["## A datagram", "",
            "`opening`, `numbers`; `times`, if `timed`; words `sack`; packets; `mac`. On a stream there are only packets.", ""]
    for word in form.words.values():
        if word.of == "datagram":
            out += word_table(form, word)
    out += ["## Limits", "", "| | value | |", "|---|---|---|"]
    out += [f"| `{name}` | {entry['value']:{'#x' if name == 'magic' else ''}} | {entry['about']} |"
            for name, entry in form.constants.items()]
    out += ["", "## What a receiver does", "", "| action | |", "|---|---|"]
    out += [f"| {action['name']} | {action['about']} |" for action in form.actions]
    out += ["", "Checks are made in the order of these tables. The first one that holds is the cause.",
            "`has(mask, n)`: bit n is set; `has_all(mask, bits)`: all are; `power(n)`: 2 to the n; `low_bits(v, n)`: the lowest n",
            "bits; `is_refusal(n)`: n is the number of a cause whose action is refuse; `//`: division without remainder.", "",
            "### A packet by itself", "", *check_table(form, "frame", "head", "body"),
            "Names in these checks that are no fields; `kind_...` is what the table of kinds says.", "",
            *name_table(form, "frame", "head", "body"),
            "| sum over the ranges | value | |", "|---|---|---|",
            *[f"| `{e['name']}` | `{cell(e['value'])}` | {e['about']} |" for e in form.sums], "",
            "### A packet at its receiver", "", *check_table(form, "receiver", "program"), *name_table(form, "receiver"),
            "### A datagram by itself", "", *check_table(form, "datagram"), *name_table(form, "datagram"),
            "### A datagram on its connection", "", *check_table(form, "connection"), *name_table(form, "connection")]
    return "\n".join(out).rstrip() + "\n"
