"""C++: format.hpp (numbers and layouts) and checks.hpp (what a receiver does)."""
import textwrap

from expression import Language, names
from model import ATTRIBUTES, NOTE, PACKET_STAGES, camel

HEAD = f"""// {NOTE}
// clang-format off
#pragma once
"""
LIMIT = 98


def wrap(text, indent):
    return "\n".join(textwrap.wrap(text, LIMIT, initial_indent=indent + "// ", subsequent_indent=indent + "// "))


def enumeration(name, base, entries, about):
    lines = [f"// {about}", f"enum class {name} : std::{base} {{"]
    lines += [f"    {entry} = {value},  // {text}" if text else f"    {entry} = {value}," for entry, value, text in entries]
    return "\n".join([*lines, "};"])


def layouts(form):
    """A namespace for each word, with its fields."""
    lines = []
    for word in form.words.values():
        lines += ["", wrap(word.about, ""), f"namespace {word.name}_word {{"]
        for field in word.fields:
            kind = "SignedField" if field.is_signed else "Field"
            lines.append(f"inline constexpr {kind}<{field.low}, {field.bits}> {field.name};  // {field.about}")
        masks = " | ".join(f"{field.name}.mask" for field in word.fields)
        sums = " + ".join(f"{field.name}.bits" for field in word.fields)
        whole = "0xff" if word.bits == 8 else "~std::uint64_t{0}"
        lines.append(f"static_assert(({masks}) == {whole} &&\n              {sums} == {word.bits});")
        lines.append(f"}}  // namespace {word.name}_word")
    return "\n".join(lines)


def values(form):
    """The values of fields that have names."""
    found = [enumeration("Kind", "uint8_t", [(k["name"], k["number"], k["about"]) for k in form.kinds],
                         "What a packet is.")]
    names = {"bye": "Bye"}
    for field, entry in form.values.items():
        if field != "right":
            found.append(enumeration(names.get(field, camel(field)), "uint8_t",
                                     [(e["name"], e["value"], e["about"]) for e in entry["list"]],
                                     entry.get("about", form.fields[field].about if field in form.fields else "")))
    rights = form.values["right"]
    found.append(f"// {rights['about']}\n" + "\n".join(
        f"inline constexpr std::uint8_t k{camel(e['name'])}Right = {e['value']};  // {e['about']}" for e in rights["list"]))
    return "\n\n".join(found)


def kinds(form):
    lines = ["// Of a kind, for checks.", "struct KindFacts {"]
    lines += [f"    std::uint16_t {name};" for name in ATTRIBUTES] + ["};", "", "// By number.",
              f"inline constexpr std::array<KindFacts, {1 << form.fields['kind'].bits}> kKinds{{{{"]
    for number in range(1 << form.fields["kind"].bits):
        kind = form.kind(number)
        values = ", ".join(str(value) for value in form.attributes(kind).values())
        lines.append(f"    {{{values}}},  // {kind['name'] if kind else 'none'}")
    lines += ["}};", "", "constexpr std::string_view name_of(Kind kind) {", "    switch (kind) {"]
    lines += [f'        case Kind::{kind["name"]}: return "{kind["name"]}";' for kind in form.kinds]
    return "\n".join([*lines, "    }", '    return "unknown";', "}"])


def causes(form):
    entries = [("accepted", 0, "legal")] + [(c["name"], c["number"], "") for c in form.checks]
    lines = [enumeration("Action", "uint8_t", [(a["name"], i, "") for i, a in enumerate(form.actions)],
                         "What a receiver does."), "",
             enumeration("Verdict", "uint8_t", entries, "Why. A nack carries the number."), "",
             "constexpr Action action_of(Verdict verdict) {", "    switch (verdict) {",
             "        case Verdict::accepted: return Action::accept;"]
    for action in form.actions:
        group = [c for c in form.checks if c["action"] == action["name"]]
        lines += [f"        case Verdict::{check['name']}:" for check in group]
        if group:
            lines.append(f"            return Action::{action['name']};")
    lines += ["    }", "    return Action::drop;", "}", "", "constexpr std::string_view name_of(Verdict verdict) {",
              "    switch (verdict) {", '        case Verdict::accepted: return "accepted";']
    lines += [f'        case Verdict::{check["name"]}: return "{check["name"]}";' for check in form.checks]
    return "\n".join([*lines, "    }", '    return "unknown";', "}"])


def constants(form):
    return "\n".join(f"inline constexpr std::uint32_t k{camel(name)} = {entry['value']:{'#x' if name == 'magic' else ''}};"
                     f"  // {entry['about']}" for name, entry in form.constants.items())


def format_header(form):
    return f"""{HEAD}
#include <array>
#include <cstdint>
#include <string_view>

#include "packet/field.hpp"

namespace isthmus::packet {{

{constants(form)}

{values(form)}

// ---- words, fields from bit 0 up
{layouts(form)}

// ---- what belongs to which kind

{kinds(form)}

// ---- causes

{causes(form)}

}}  // namespace isthmus::packet
"""


class Checks:
    """The statements of checks.hpp."""

    def __init__(self, form):
        self.form = form
        self.derived = set(form.derived_names())
        self.language = Language("&&", "||", "!", "!=", "({} ? {} : {})", str, self.name, lambda name: name)
        self.sums = [entry["name"] for entry in form.sums]

    @staticmethod
    def name(name):
        return f"kind.{name[5:]}" if name.startswith("kind_") else f"f.{name}"

    def facts(self, struct, about, *stages):
        needed = {name for name in self.form.needed(*stages) if not name.startswith("kind_")}
        for entry in self.form.sums:
            if entry["name"] in needed:
                needed |= names(entry["value"])
        if "available" in needed:
            needed.add("kind")
        self.needed = needed
        order = [*self.form.fields, *(f["name"] for f in self.form.facts), *self.sums,
                 *self.form.derived_names()]
        # A fact may have the name of what it is derived from: once is enough.
        members = [name for name in dict.fromkeys(order) if name in needed]
        signed = "\n".join(f"    std::int64_t {name} = 0;" for name in members)
        return f"// {about}\nstruct {struct} {{\n{signed}\n}};"

    def read(self, word, source, indent="    "):
        used = [field for field in self.form.words[word].fields if field.name in self.needed]
        lines = [f"{indent}f.{field.name} = static_cast<std::int64_t>({word}_word::{field.name}.of({source}));"
                 for field in used]
        return lines

    def derive(self, *stages, indent="    "):
        return [f"{indent}f.{entry['name']} = {self.language.write(entry['value'])};" for entry in self.form.derived
                if entry["stage"] in stages and entry["name"] in self.needed]

    def test(self, *stages, indent="    "):
        return [f"{indent}if ({self.language.write(check['when'])}) return Verdict::{check['name']};"
                for check in self.form.stage_checks(*stages)]

    def descriptors(self):
        """By kind: the fields of its descriptor."""
        groups = {}
        for kind in self.form.kinds:
            words = tuple(kind.get("descriptor", []))
            if any(field.name in self.needed for word in words for field in self.form.words[word].fields):
                groups.setdefault(words, []).append(kind["name"])
        lines = ["    switch (static_cast<Kind>(f.kind)) {"]
        for words, names in groups.items():
            lines += [f"        case Kind::{name}:" for name in names]
            for number, word in enumerate(words):
                lines += self.read(word, f"word(f.head_words + {number})", " " * 12)
            lines.append("            break;")
        return [*lines, "        default: break;", "    }"]

    def ranges(self):
        lines = ["    const auto ranges_at = f.head_words + kind.descriptor_words;",
                 "    for (std::int64_t i = 0; i < kind.ranges * f.detail; ++i) {",
                 "        const auto at = ranges_at + i * kind.range_words;",
                 *self.read("range", "word(at)", " " * 8), "        if (kind.range_words == 2) {",
                 *self.read("own_range", "word(at + 1)", " " * 12), "        }"]
        lines += [f"        f.{entry['name']} = {self.language.write(entry['value'])};" for entry in self.form.sums]
        return [*lines, "    }"]


def checks_header(form):
    checks = Checks(form)
    packet_facts = checks.facts("PacketFacts", "What the checks of a packet look at; 0: the packet has no such field.",
                                *PACKET_STAGES, "receiver")
    body = [packet_facts, "", "// `word(i)` is word i of the packet, of which `f.available` bytes are there; no other is asked for.",
            "template <typename Read>", "constexpr Verdict check_format(PacketFacts& f, const Read& word) {",
            "    if (f.available >= 8) {", *checks.read("route", "word(0)", " " * 8), "    }",
            *checks.derive("frame"), *checks.test("frame"),
            *checks.read("place", "word(1)"), *checks.read("meaning", "word(2)"), *checks.read("atomic", "f.detail"),
            "    const KindFacts& kind = kKinds[static_cast<std::size_t>(f.kind)];",
            "    if (f.fragment == 1 && f.words > 3) {", *checks.read("part", "word(3)", " " * 8), "    }",
            *checks.derive("head"), *checks.test("head"), *checks.descriptors(), *checks.ranges(),
            *checks.derive("body"), *checks.test("body"), "    return Verdict::accepted;", "}", "",
            "// Of a packet that is legal by itself. What the receiver knows has been added to its facts.",
            "constexpr Verdict check_receiver(PacketFacts& f) {",
            "    const KindFacts& kind = kKinds[static_cast<std::size_t>(f.kind)];",
            *checks.derive("receiver"), *checks.test("receiver"), "    return Verdict::accepted;", "}", ""]
    body += [checks.facts("DatagramFacts", "What the checks of a datagram look at.", "datagram", "connection"), "",
             "// Likewise, of a datagram's words.", "template <typename Read>",
             "constexpr Verdict check_datagram(DatagramFacts& f, const Read& word) {",
             "    if (f.datagram_bytes >= 16) {", *checks.read("opening", "word(0)", " " * 8),
             *checks.read("numbers", "word(1)", " " * 8), "    }",
             *checks.derive("datagram"), *checks.test("datagram"), "    return Verdict::accepted;", "}", "",
             "// Of a datagram that is legal by itself.", "constexpr Verdict check_connection(DatagramFacts& f) {",
             *checks.derive("connection"), *checks.test("connection"), "    return Verdict::accepted;", "}"]
    assert max(form.refusals()) < 64
    refusals = sum(1 << number for number in form.refusals())
    return f"""{HEAD}
#include <cstddef>
#include <cstdint>

#include "packet/format.hpp"

namespace isthmus::packet {{

// ---- functions of the table's expressions

constexpr bool has(std::int64_t mask, std::int64_t number) {{
    return (mask >> number & 1) != 0;
}}
constexpr bool has_all(std::int64_t mask, std::int64_t bits) {{
    return (mask & bits) == bits;
}}
constexpr std::int64_t power(std::int64_t number) {{
    return std::int64_t{{1}} << number;
}}
constexpr std::int64_t low_bits(std::int64_t value, std::int64_t count) {{
    return value & (power(count) - 1);
}}
// A bit for each cause that refuses.
inline constexpr std::uint64_t kRefusals = {refusals:#x};
constexpr bool is_refusal(std::int64_t number) {{
    return number >= 0 && number < 64 && (kRefusals >> number & 1) != 0;
}}

// ---- checks, in their order

{chr(10).join(body)}

}}  // namespace isthmus::packet
"""
