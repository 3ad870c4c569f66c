"""SystemVerilog: packet_pkg.sv, in lowRISC's style."""
import re
import textwrap

from expression import Language, names
from model import ATTRIBUTES, NOTE, PACKET_STAGES, camel

LIMIT = 120


def comment(text, indent="  "):
    return "\n".join(textwrap.wrap(text, LIMIT - 10, initial_indent=indent + "/// ", subsequent_indent=indent + "/// "))


def folded(statement, indent):
    """In several lines, which begin with `&&`, `||`, `?` or `:`, or behind a comma."""
    statement = re.sub(r" (==|!=|<|<=|>|>=|\+|-|\*|>>|&|=) ", "\u00a0\\1\u00a0", statement)
    statement = re.sub(r"(&&|\|\||[?:]|\breturn|\bif) ", "\\1\u00a0", statement)
    lines = textwrap.wrap(statement, LIMIT, initial_indent=indent, subsequent_indent=indent + "    ",
                          break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines).replace("\u00a0", " ")


def enumeration(name, bits, prefix, entries):
    width = max(len(prefix + camel(entry)) for entry, _, _ in entries)
    lines = [f"  typedef enum logic [{bits - 1}:0] {{"]
    for number, (entry, value, about) in enumerate(entries):
        comma = "," if number < len(entries) - 1 else ""
        note = f"  // {about}" if about else ""
        lines.append(f"    {(prefix + camel(entry)).ljust(width)} = {bits}'d{value}{comma}{note}")
    return "\n".join([*lines, f"  }} {name};"])


def words(form):
    lines = []
    for word in form.words.values():
        lines += ["", comment(word.about), "  typedef struct packed {"]
        for field in reversed(word.fields):
            size = f"[{field.bits - 1}:0] " if field.bits > 1 else ""
            sign = "signed " if field.is_signed else ""
            lines.append(comment(field.about, "    "))
            lines.append(f"    logic {sign}{size}{field.name};")
        lines.append(f"  }} {word.name}_t;")
    return "\n".join(lines)


def values(form):
    found = [enumeration("kind_e", form.fields["kind"].bits, "Kind",
                         [("none", 0, "")] + [(k["name"], k["number"], "") for k in form.kinds])]
    bits = {field: form.fields[field].bits for field in ("stream", "operation", "width")} | {"bye": 8, "right": 3}
    for field, entry in form.values.items():
        found.append(enumeration(f"{field}_e", bits[field], camel(field),
                                 [(e["name"], e["value"], e["about"]) for e in entry["list"]]))
    return "\n\n".join(found)


def kinds(form):
    every = [form.attributes(kind) for kind in form.kinds]
    bits = {name: max(1, max(row[name] for row in every).bit_length()) for name in ATTRIBUTES}
    lines = ["  /// Of a kind, for checks.", "  typedef struct packed {"]
    for name in ATTRIBUTES:
        size = f"[{bits[name] - 1}:0] " if bits[name] > 1 else ""
        lines.append(f"    logic {size}{name};")
    lines += ["  } kind_facts_t;", "", "  function automatic kind_facts_t kind_facts(logic [4:0] kind);",
              "    unique case (kind)"]
    for kind, row in zip(form.kinds, every):
        fields = ", ".join(f"{bits[name]}'d{row[name]}" for name in ATTRIBUTES)
        lines.append(folded(f"Kind{camel(kind['name'])}: return '{{{fields}}};", "      "))
    return "\n".join([*lines, "      default: return '0;", "    endcase", "  endfunction"])


def causes(form):
    lines = [enumeration("action_e", 3, "Action", [(a["name"], i, "") for i, a in enumerate(form.actions)]), "",
             "  /// Why. A nack carries the number.",
             enumeration("verdict_e", 8, "Verdict", [("accepted", 0, "")] +
                         [(c["name"], c["number"], "") for c in form.checks]), "",
             "  function automatic action_e action_of(verdict_e verdict);", "    unique case (verdict)",
             "      VerdictAccepted: return ActionAccept;"]
    for action in form.actions:
        group = [f"Verdict{camel(c['name'])}" for c in form.checks if c["action"] == action["name"]]
        if group and action["name"] != "drop":
            lines.append(folded(f"{', '.join(group)}: return Action{camel(action['name'])};", "      "))
    return "\n".join([*lines, "      default: return ActionDrop;", "    endcase", "  endfunction"])


class Checks:
    """As in cpp.py: the same facts, as one struct, and functions that fill it and look at it."""

    def __init__(self, form):
        self.form = form
        self.language = Language("&&", "||", "!", "!=", "({} ? {} : {})", lambda n: f"64'sd{n}", self.name,
                                 {"has": "has", "has_all": "has_all", "power": "power", "low_bits": "low_bits",
                                  "is_refusal": "is_refusal"}.get)

    @staticmethod
    def name(name):
        # Sums of the table are of 64 bits and signed.
        return f"64'(k.{name[5:]})" if name.startswith("kind_") else f"f.{name}"

    def struct(self, name, about, *stages):
        needed = {n for n in self.form.needed(*stages) if not n.startswith("kind_")}
        sums = [entry["name"] for entry in self.form.sums]
        for entry in self.form.sums:
            if entry["name"] in needed:
                needed |= names(entry["value"])
        if "available" in needed:
            needed.add("kind")
        self.needed = needed
        order = [*self.form.fields, *(f["name"] for f in self.form.facts), *sums, *self.form.derived_names()]
        members = [n for n in dict.fromkeys(order) if n in needed]
        return "\n".join([comment(about), "  typedef struct packed {", *[f"    logic signed [63:0] {n};" for n in members],
                          f"  }} {name};"])

    def take(self, word, source, indent="    "):
        return [f"{indent}f.{field.name} = 64'({source}.{field.name});" for field in self.form.words[word].fields
                if field.name in self.needed]

    def derive(self, *stages):
        return [folded(f"f.{entry['name']} = {self.language.write(entry['value'])};", "    ")
                for entry in self.form.derived if entry["stage"] in stages and entry["name"] in self.needed]

    def test(self, *stages):
        lines = []
        for check in self.form.stage_checks(*stages):
            lines.append(folded(f"if ({self.language.write(check['when'])}) return Verdict{camel(check['name'])};", "    "))
        return lines

    def descriptors(self):
        groups = {}
        for kind in self.form.kinds:
            descriptor = tuple(kind.get("descriptor", []))
            if any(field.name in self.needed for word in descriptor for field in self.form.words[word].fields):
                groups.setdefault(descriptor, []).append(f"Kind{camel(kind['name'])}")
        lines, casts = ["    unique case (f.kind[4:0])"], []
        for descriptor, group in groups.items():
            lines.append(f"      {', '.join(group)}: begin")
            for number, word in enumerate(descriptor):
                taken = self.take(word, f"{word}_v{number}", " " * 8)
                if taken:
                    lines += taken
                    cast = f"    {word}_t {word}_v{number};"
                    if cast not in casts:
                        casts.append(cast)
            lines.append("      end")
        lines += ["      default: ;", "    endcase"]
        # Reading a word as a struct needs a name for it.
        sets = [f"    {c.split()[1][:-1]} = descriptor[{c.split('_v')[-1][:-1]}];" for c in casts]
        return casts, [*sets, *lines]


def functions(form):
    checks = Checks(form)
    lines = [checks.struct("packet_facts_t", "What the checks of a packet look at; 0: the packet has no such field.",
                           *PACKET_STAGES, "receiver"), "",
             comment("Of the first three words, and the fourth if the packet is a fragment, and of its length in bytes."),
             "  function automatic packet_facts_t head_facts(logic [63:0] available, route_t route, place_t place,",
             "                                               meaning_t meaning, part_t part);",
             "    packet_facts_t f;", "    atomic_t atomic;", "    f = '0;", "    atomic = meaning.detail;",
             "    f.available = available;", *checks.take("route", "route"), *checks.take("place", "place"),
             *checks.take("meaning", "meaning"), *checks.take("atomic", "atomic"), "    if (route.fragment) begin",
             *checks.take("part", "part", "      "), "    end", "    return derive_head(f, kind_facts(route.kind));", "  endfunction"]
    derive = ["  function automatic packet_facts_t derive_head(packet_facts_t facts, kind_facts_t k);",
              "    packet_facts_t f;", "    f = facts;", *checks.derive("frame", "head"), "    return f;", "  endfunction", ""]
    at = next(i for i, line in enumerate(lines) if "function automatic packet_facts_t head_facts" in line) - 1
    lines[at:at] = derive
    declarations, statements = checks.descriptors()
    lines += ["", comment("With the words of the descriptor that are no ranges; the first one is number 0."),
              "  function automatic packet_facts_t add_descriptor(packet_facts_t facts, logic [2:0][63:0] descriptor);",
              "    packet_facts_t f;", *declarations, "    f = facts;", *statements, "    return f;", "  endfunction"]
    lines += ["", comment("With one range more; `own` is 0 for kinds that have none."),
              "  function automatic packet_facts_t add_range(packet_facts_t facts, range_t one, own_range_t own);",
              "    packet_facts_t f;", "    f = facts;", *checks.take("range", "one"), *checks.take("own_range", "own")]
    lines += [folded(f"f.{e['name']} = {checks.language.write(e['value'])};", "    ") for e in form.sums]
    lines += ["    return f;", "  endfunction"]
    lines += ["", comment("The first check that fails, of the head alone: may be asked before the descriptor is there."),
              "  function automatic verdict_e check_head(packet_facts_t f);", "    kind_facts_t k;",
              "    k = kind_facts(f.kind[4:0]);", *checks.test("frame", "head"), "    return VerdictAccepted;", "  endfunction"]
    lines += ["", comment("Of the whole packet; its head has passed."),
              "  function automatic verdict_e check_body(packet_facts_t facts);", "    packet_facts_t f;",
              "    kind_facts_t k;", "    f = facts;", "    k = kind_facts(f.kind[4:0]);",
              *checks.derive("body"), *checks.test("body"), "    return VerdictAccepted;", "  endfunction"]
    lines += ["", comment("Of a packet that is legal by itself; what the receiver knows has been added."),
              "  function automatic verdict_e check_receiver(packet_facts_t facts);", "    packet_facts_t f;",
              "    kind_facts_t k;", "    f = facts;", "    k = kind_facts(f.kind[4:0]);",
              *[line for line in checks.derive("body") if "f.width_bytes" in line],
              *checks.derive("receiver"), *checks.test("receiver"), "    return VerdictAccepted;", "  endfunction", ""]
    lines += [checks.struct("datagram_facts_t", "What the checks of a datagram look at.", "datagram", "connection"), "",
              "  function automatic datagram_facts_t opening_facts(logic [63:0] datagram_bytes, opening_t opening,",
              "                                                    numbers_t numbers);", "    datagram_facts_t f;",
              "    f = '0;", "    f.datagram_bytes = datagram_bytes;", *checks.take("opening", "opening"),
              *checks.take("numbers", "numbers"), *checks.derive("datagram"), "    return f;", "  endfunction", "",
              "  function automatic verdict_e check_datagram(datagram_facts_t f);", *checks.test("datagram"),
              "    return VerdictAccepted;", "  endfunction", "",
              comment("Of a datagram that is legal by itself; what the receiver knows has been added."),
              "  function automatic verdict_e check_connection(datagram_facts_t facts);", "    datagram_facts_t f;",
              "    f = facts;", *checks.derive("connection"), *checks.test("connection"),
              "    return VerdictAccepted;", "  endfunction"]
    return "\n".join(lines)


def number(name, entry):
    return f"'h{entry['value']:x}" if name == "magic" else entry["value"]


def write(form):
    constants = "\n".join(f"  localparam int unsigned {camel(name)} = {number(name, entry)};  // {entry['about']}"
                          for name, entry in form.constants.items())
    refusals = sum(1 << number for number in form.refusals())
    return f"""// {NOTE}
//
// The packets of Isthmus: layouts, values, and what a receiver does with each of them. Words have 64
// bits; the first byte on the wire is the lowest one. docs/packet-format.md is the page.
//
// Facts have 64 bits and a sign, so that sums and differences are what they seem; what is not used of
// them is left out by synthesis.

// A package has what all its users need; each leaves some of it unused.
// verilator lint_off UNUSEDPARAM
// verilator lint_off UNUSEDSIGNAL
package packet_pkg;
{constants}

{values(form)}
{words(form)}

{kinds(form)}

{causes(form)}

  function automatic logic has(logic signed [63:0] mask, logic signed [63:0] number);
    return mask[number[5:0]];
  endfunction
  function automatic logic has_all(logic signed [63:0] mask, logic signed [63:0] bits);
    return (mask & bits) == bits;
  endfunction
  function automatic logic signed [63:0] power(logic signed [63:0] number);
    return 64'sd1 << number[5:0];
  endfunction
  function automatic logic signed [63:0] low_bits(logic signed [63:0] value, logic signed [63:0] count);
    return value & (power(count) - 64'sd1);
  endfunction
  /// A bit for each cause that refuses.
  localparam logic [63:0] Refusals = 64'h{refusals:x};
  function automatic logic is_refusal(logic signed [63:0] number);
    return number < 64'sd64 && Refusals[number[5:0]];
  endfunction

{functions(form)}
endpackage
// verilator lint_on UNUSEDPARAM
// verilator lint_on UNUSEDSIGNAL
"""
