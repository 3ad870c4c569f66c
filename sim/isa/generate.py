#!/usr/bin/env python3
"""Turns the instruction table into the files the build and the users need.

    generate.py TABLE --encodings FILE --ops FILE --extract FILE --assembler FILE --header FILE --docs FILE

Only the Python standard library is used. The table's own comment explains its notation.
"""

import argparse
import re
import sys
import tomllib
from dataclasses import dataclass, field

SLOTS = {"rd": "rd", "rs1": "rs1", "rs2": "rs2", "rs3": "rs3"}
REGISTER = re.compile(r"^(rd_rs1|[rfe](?:d|s1|s2|s3))('?)$")
IMMEDIATE = re.compile(r"^(u?imm)\[([0-9|:]+)\]$")
KEYWORDS = {"and", "or", "xor", "not"}
WHERE = {None: "kAlways", "imm!=0": "kImmediateNotZero", "rd!=0": "kRdNotZero", "rs1!=0": "kRs1NotZero",
         "rs2!=0": "kRs2NotZero", "shamt<xlen": "kShiftBelowXlen"}
CLASSES = ("alu", "multiply", "divide", "load", "store", "branch", "jump", "jump_register", "system", "fence",
           "atomic", "fp_add", "fp_multiply", "fp_divide", "fp_fma", "fp_convert", "fp_compare", "fp_move",
           "fp_load", "fp_store", "address", "remote_load", "remote_store", "remote_atomic", "bulk")


class TableError(Exception):
    """A mistake in the table, with the instruction it is in."""


@dataclass
class Field:
    """One operand field: where it stands in the word."""

    name: str
    low: int
    width: int
    bits: list = field(default_factory=list)


@dataclass
class Encoding:
    """One row of the table for one encoding."""

    name: str
    extension: str
    size: int
    mask: int
    match: int
    fields: list
    asm: str
    profiles: int
    xlens: int
    where: str
    base: str
    fixed: dict
    klass: str
    text: str
    pattern: str


def bit_list(spec):
    """'12|10:5' -> [12, 10, 9, 8, 7, 6, 5]"""
    out = []
    for part in spec.split("|"):
        if ":" in part:
            high, low = map(int, part.split(":"))
            out += range(high, low - 1, -1)
        else:
            out.append(int(part))
    return out


def parse_encoding(name, text, compressed):
    """The pattern of one encoding: its fixed bits and its fields."""
    size = 16 if compressed else 32
    position, mask, match, fields = size, 0, 0, []
    for token in text.split():
        if re.fullmatch("[01]+", token):
            position -= len(token)
            mask |= ((1 << len(token)) - 1) << position
            match |= int(token, 2) << position
            continue
        if m := IMMEDIATE.match(token):
            bits = bit_list(m[2])
            position -= len(bits)
            fields.append(Field(m[1], position, len(bits), bits))
            continue
        if m := REGISTER.match(token):
            width = 3 if m[2] else 5
            position -= width
            fields.append(Field(m[1] + m[2], position, width))
            continue
        width = {"zimm": 5, "rm": 3, "aq": 1, "rl": 1}.get(token)
        if width is None:
            raise TableError(f"{name}: unknown field '{token}' in '{text}'")
        position -= width
        fields.append(Field(token, position, width))
    if position:
        raise TableError(f"{name}: '{text}' describes {size - position} bits, not {size}")
    if compressed == ((match & 3) == 3):
        raise TableError(f"{name}: the two lowest bits do not fit its length")
    return size, mask, match, fields


def load(path):
    """All encodings of the table, in its order."""
    with open(path, "rb") as file:
        table = tomllib.load(file)
    rows, extensions = [], []
    for extension in table["extension"]:
        extensions.append((extension["name"], extension["title"]))
        for row in extension["instructions"]:
            name = row["name"]
            known = {"name", "enc", "enc_a", "enc_b", "asm", "class", "xlen", "as", "where", "text"}
            if extra := set(row) - known:
                raise TableError(f"{name}: unknown keys {sorted(extra)}; known are {sorted(known)}")
            forms = [(row[key], bits) for key, bits in (("enc", 3), ("enc_a", 1), ("enc_b", 2)) if key in row]
            if not forms or ("enc" in row and len(forms) > 1):
                raise TableError(f"{name}: give either enc, or enc_a and/or enc_b")
            words = row.get("as", name).split()
            fixed = {key: int(value) for key, value in (word.split("=") for word in words[1:])}
            for pattern, profiles in forms:
                size, mask, match, fields = parse_encoding(name, pattern, "as" in row)
                rows.append(Encoding(name, extension["name"], size, mask, match, fields, row["asm"], profiles,
                                     {None: 3, 32: 1, 64: 2}[row.get("xlen")], WHERE[row.get("where")], words[0],
                                     fixed, row.get("class", ""), row.get("text", ""), pattern))
    bases = {row.name: row for row in rows if row.klass}
    for row in rows:
        if row.base not in bases:
            raise TableError(f"{row.name}: '{row.base}' is not in the table")
        row.klass = bases[row.base].klass
        if row.klass not in CLASSES:
            raise TableError(f"{row.name}: unknown class '{row.klass}'")
    check_overlaps(rows)
    return rows, extensions


def check_overlaps(rows):
    """Two encodings of one machine may share words only where one is strictly more specific."""
    for i, a in enumerate(rows):
        for b in rows[i + 1:]:
            if a.size != b.size or not a.profiles & b.profiles or not a.xlens & b.xlens:
                continue
            common = a.mask & b.mask
            if (a.match & common) != (b.match & common):
                continue
            if a.mask != b.mask and common in (a.mask, b.mask):
                continue
            raise TableError(f"{a.name} and {b.name} have words in common")


def identifier(name):
    """The C++ name of a mnemonic."""
    name = name.replace(".", "_")
    return name + "_" if name in KEYWORDS else name


def camel(name):
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def register_class(name):
    return {"r": "kX", "f": "kF", "e": "kE"}[name[0]]


def slot_of(name):
    """'fs2' -> 'rs2', 'ed' -> 'rd'."""
    return "rd" if name[1:] == "d" else "r" + name[1:]


def classes_of(row):
    """Register file of each slot."""
    found = {"rd": "kNone", "rs1": "kNone", "rs2": "kNone", "rs3": "kNone"}
    for item in row.fields:
        if m := REGISTER.match(item.name):
            for slot in m[1].split("_") if m[1] == "rd_rs1" else [m[1]]:
                found[slot_of(slot)] = register_class(slot)
    return found


def extraction(row):
    """C++ statements that fill the decoded form from the word w."""
    out, immediate = [], []
    for item in row.fields:
        raw = f"((w >> {item.low}) & {(1 << item.width) - 1:#x}u)"
        if m := REGISTER.match(item.name):
            value = f"{raw} + 8" if m[2] else raw
            for slot in ("rd", "rs1") if m[1] == "rd_rs1" else (slot_of(m[1]),):
                out.append(f"d.{slot} = static_cast<std::uint8_t>({value});")
        elif item.name == "zimm":
            out.append(f"d.rs1 = static_cast<std::uint8_t>({raw});")
        elif item.name in ("imm", "uimm"):
            immediate.append(item)
        elif item.name == "rm":
            out.append(f"d.imm = static_cast<std::int32_t>({raw});")
    ordering = {item.name: item for item in row.fields if item.name in ("aq", "rl")}
    if ordering:
        out.append(f"d.imm = static_cast<std::int32_t>((w >> {ordering['rl'].low}) & 3u);")
    if immediate:
        parts, top = [], max(max(item.bits) for item in immediate)
        for item in immediate:
            position, index = item.low + item.width, 0
            while index < item.width:
                run = 1
                while index + run < item.width and item.bits[index + run] == item.bits[index] - run:
                    run += 1
                source, target = position - index - run, item.bits[index] - run + 1
                parts.append(f"(((w >> {source}) & {(1 << run) - 1:#x}u) << {target})")
                index += run
        value = " | ".join(parts)
        if immediate[0].name == "imm" and top < 31:
            shift = 31 - top
            out.append(f"d.imm = static_cast<std::int32_t>(({value}) << {shift}) >> {shift};")
        else:
            out.append(f"d.imm = static_cast<std::int32_t>({value});")
    for key, value in row.fixed.items():
        out.append(f"d.{key} = {value};")
    return "\n        ".join(out)


BANNER = "Generated from sim/isa/instructions.toml by sim/isa/generate.py. Change the table, not this file."


def write_ops(rows, path):
    """ISTHMUS_SIM_OP(identifier, mnemonic, class, rd, rs1, rs2, rs3) for everything with semantics of its own."""
    seen, lines = set(), [f"// {BANNER}"]
    for row in rows:
        if row.base == row.name and row.name not in seen:
            seen.add(row.name)
            files = classes_of(row)
            lines.append(f'ISTHMUS_SIM_OP({identifier(row.name)}, "{row.name}", {camel(row.klass)}, {files["rd"]}, '
                         f'{files["rs1"]}, {files["rs2"]}, {files["rs3"]})')
    lines += [f"// {BANNER}"]
    write(path, lines)


def write_encodings(rows, path, extract_path):
    formats, encodings = {}, [f"// {BANNER}"]
    for row in sorted(rows, key=lambda r: -bin(r.mask).count("1")):
        index = formats.setdefault(extraction(row), len(formats))
        encodings.append(f'ISTHMUS_SIM_ENCODING({row.mask:#x}, {row.match:#x}, {row.size // 8}, '
                         f'{identifier(row.base)}, {index}, {row.xlens}, {row.profiles}, {row.where}, "{row.name}", '
                         f'"{row.asm}", "{row.extension}")')
    write(path, encodings)
    lines = [f"// {BANNER}"]
    for body, index in formats.items():
        lines.append(f"    case {index}:\n        {body}\n        break;" if body else f"    case {index}:\n        break;")
    write(extract_path, lines)


def xbgas_rows(rows):
    return [row for row in rows if row.extension.startswith("Xbgas")]


ABI = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6").split()


def fixed_part(row, low, width):
    """The fixed bits of a field; the caller knows that they are fixed."""
    return (row.match >> low) & ((1 << width) - 1)


def at(row, low):
    """The name of the register field that starts at bit low."""
    return next((item.name for item in row.fields if item.low == low), None)


def insn_directive(row, operand):
    """The .insn line of one encoding; operand(name) gives the text of an operand."""
    opcode, f3 = row.match & 0x7F, fixed_part(row, 12, 3)
    memory = "imm(rs1)" in row.asm
    if row.klass == "bulk":
        return (f".insn r4 {opcode:#x}, {f3}, {fixed_part(row, 25, 2)}, "
                f"{operand('rd')}, {operand('rs1')}, {operand('rs2')}, {operand('rs3')}")
    if memory and at(row, 7) == "imm":
        return f".insn s {opcode:#x}, {f3}, {operand(at(row, 20))}, {operand('memory')}"
    if memory:
        return f".insn i {opcode:#x}, {f3}, {operand(at(row, 7))}, {operand('memory')}"
    if "imm" in row.asm:
        return f".insn i {opcode:#x}, {f3}, {operand(at(row, 7))}, {operand(at(row, 15))}, {operand('imm')}"
    return (f".insn r {opcode:#x}, {f3}, {fixed_part(row, 25, 7):#x}, "
            f"{operand(at(row, 7))}, {operand(at(row, 15))}, {operand(at(row, 20))}")


def by_name(rows):
    found = {}
    for row in rows:
        found.setdefault(row.name, []).append(row)
    return found


def write_assembler(rows, path):
    """Macros for the GNU assembler: one .insn each. See the head of the file it writes."""
    out = [f"# {BANNER}",
           "# xBGAS mnemonics for an unmodified GNU assembler.",
           "#   as xbgas.inc program.s      gcc -Wa,path/xbgas.inc -c program.c      .include \"xbgas.inc\"",
           "# Profile B (specification 2.0.0) unless --defsym XBGAS_PROFILE_A=1 is given before it.",
           "# A memory operand must contain no blanks. ele and ese take a plain number as offset, not %lo().",
           ".ifndef .LxBGAS_included", ".set .LxBGAS_included, 1",
           ".ifdef XBGAS_PROFILE_A", ".set .LxBGAS_a, XBGAS_PROFILE_A", ".else", ".set .LxBGAS_a, 0", ".endif"]
    for index in range(32):
        out.append(f".set .LxE_e{index}, {index}")
        out.append(f".set .LxX_x{index}, {index}")
        out.append(f".set .LxX_{ABI[index]}, {index}")
    out.append(".set .LxX_fp, 8")
    for name, forms in by_name(xbgas_rows(rows)).items():
        if forms[0].klass == "remote_atomic":
            write_atomic_macros(out, forms[0])
            continue
        operands = [part.strip() for part in forms[0].asm.split(",")]
        memory = "imm(rs1)" in operands
        arguments = ["memory" if part == "imm(rs1)" else part for part in operands]
        extended = [part for part in arguments if part.startswith("e")]
        lines = []

        def operand(part):
            if part in extended:
                return f"x\\q_{part}"
            return f"\\q_{part}"

        a = next((row for row in forms if row.profiles & 1), None)
        b = next((row for row in forms if row.profiles & 2), None)
        if a is b:
            lines.append(insn_directive(a, operand))
        else:
            wrong = f'.error "{name} does not exist in this xBGAS profile"'
            lines += [".if .LxBGAS_a", insn_directive(a, operand) if a else wrong, ".else",
                      insn_directive(b, operand) if b else wrong, ".endif"]
        parameters = ", ".join(f"q_{part}" for part in arguments)
        if not extended:
            out += [f".macro {name} {parameters}", *lines, ".endm"]
            continue
        # The outer macro turns eN into N; the inner one puts the x-register of that index into the field.
        values = ", ".join(f"%.LxE_\\q_{part}" if part in extended else f"\\q_{part}" for part in arguments)
        out += [f".macro .LxM_{name} {parameters}", ".noaltmacro", *lines, ".endm",
                f".macro {name} {parameters}", ".altmacro", f".LxM_{name} {values}", ".noaltmacro", ".endm"]
        del memory
    for name, real in (("movebe", "eaddi"), ("moveeb", "eaddie"), ("moveee", "eaddix")):
        out += [f".macro {name} q_d, q_s", f"{real} \\q_d, \\q_s, 0", ".endm"]
    out.append(".endif")
    write(path, out)


def write_atomic_macros(out, row):
    """The four orderings of one remote atomic. '(rs1)' needs a form with an offset: imm holds funct7 and rd."""
    opcode, f3 = row.match & 0x7F, fixed_part(row, 12, 3)
    load = "rs2" not in row.asm
    for suffix, bits in (("", 0), (".aq", 2), (".rl", 1), (".aqrl", 3)):
        f7 = (fixed_part(row, 27, 5) << 2) | bits
        name = row.name + suffix
        if load:
            value = (f7 << 5) - (4096 if f7 & 64 else 0)
            out += [f".macro {name} q_rd, q_memory", f".insn i {opcode:#x}, {f3}, \\q_rd, {value}\\q_memory", ".endm"]
        else:
            high = (f7 << 5) - (4096 if f7 & 64 else 0)
            out += [f".macro .LxM_{name} q_imm, q_rs2, q_memory", ".noaltmacro",
                    f".insn s {opcode:#x}, {f3}, \\q_rs2, \\q_imm\\q_memory", ".endm",
                    f".macro {name} q_rd, q_rs2, q_memory", ".altmacro",
                    f".LxM_{name} %({high}+.LxX_\\q_rd), \\q_rs2, \\q_memory", ".noaltmacro", ".endm"]


C_TYPES = {"b": "int8_t", "h": "int16_t", "w": "int32_t", "d": "int64_t", "bu": "uint8_t", "hu": "uint16_t"}


def write_header(rows, path):
    """C intrinsics; each holds its instruction words, so no assembler include is needed."""
    names = by_name(xbgas_rows(rows))
    out = ["/* clang-format off */", f"/* {BANNER} */", HEADER_TOP]

    def directive(name, mapping):
        forms = names[name]
        a = next((row for row in forms if row.profiles & 1), None)
        b = next((row for row in forms if row.profiles & 2), None)
        text = [insn_directive(row, lambda part: mapping[part]) if row else "" for row in (a, b)]
        if text[0] == text[1]:
            return f'"{text[0]}\\n\\t"'
        return f'XBGAS_IN_PROFILE("{text[0]}\\n\\t", "{text[1]}\\n\\t")'

    out.append(f"""/* Copy a value into e-register `number` (a literal), or out of it. */
#define XBGAS_WRITE_E(number, value) \\
    __asm__ volatile({directive("eaddie", {"ed": 'x" #number "', "rs1": "%0", "imm": "0"})} ::"r"((uint64_t)(value)))
#define XBGAS_READ_E(number)                                              \\
    __extension__({{                                                       \\
        uint64_t xbgas_value_;                                            \\
        __asm__ volatile({directive("eaddi", {"es1": 'x" #number "', "rd": "%0", "imm": "0"})} : "=r"(xbgas_value_)); \\
        xbgas_value_;                                                     \\
    }})
""")
    set_namespace = directive("eaddie", {"ed": "x31", "rs1": "%[ns]", "imm": "0"})
    for suffix, kind in C_TYPES.items():
        for name, base in ((f"erl{suffix}", "raw"), (f"el{suffix}", "immediate")):
            text = "\n".join(f" * {line}" for line in [
                f"{names[name][0].text}; the namespace goes through e31. Returns the value."])
            access = directive(name, {"rd": "%[value]", "rs1": "%[address]", "es2": "x31", "memory": "0(t6)"})
            pin = ' __asm__("t6")' if base == "immediate" else ""
            constraint = '[address] "r"(base)'
            out.append(f"""/*{text[2:]} */
static inline {kind} xbgas_{name}(uint64_t ns, const volatile void* address) {{
    register uint64_t base{pin} = (uint64_t)address;
    uint64_t value;
    __asm__ volatile({set_namespace} {access}
                     : [value] "=&r"(value) : [ns] "r"(ns), {constraint} : "memory");
    return ({kind})value;
}}
""" if pin else f"""/*{text[2:]} */
static inline {kind} xbgas_{name}(uint64_t ns, const volatile void* address) {{
    uint64_t value;
    __asm__ volatile({set_namespace} {access}
                     : [value] "=r"(value) : [ns] "r"(ns), [address] "r"((uint64_t)address) : "memory");
    return ({kind})value;
}}
""")
    for suffix in ("b", "h", "w", "d"):
        kind = C_TYPES[suffix]
        access = directive(f"ers{suffix}", {"rs2": "%[value]", "rs1": "%[address]", "es3": "x31"})
        out.append(f"""/* {names[f"ers{suffix}"][0].text}; the namespace goes through e31. */
static inline void xbgas_ers{suffix}(uint64_t ns, volatile void* address, {kind} value) {{
    __asm__ volatile({set_namespace} {access}
                     :: [ns] "r"(ns), [address] "r"((uint64_t)address), [value] "r"((uint64_t)value) : "memory");
}}
""")
        access = directive(f"es{suffix}", {"rs2": "%[value]", "memory": "0(t6)"})
        out.append(f"""/* {names[f"es{suffix}"][0].text}; the namespace goes through e31. */
static inline void xbgas_es{suffix}(uint64_t ns, volatile void* address, {kind} value) {{
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile({set_namespace} {access}
                     :: [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}}
""")
    for name, forms in names.items():
        row = forms[0]
        if row.klass != "remote_atomic":
            continue
        kind = "int64_t" if name.endswith(".d") else "int32_t"
        function = "xbgas_" + name.replace(".", "_")
        opcode, f3 = row.match & 0x7F, fixed_part(row, 12, 3)
        load = "rs2" not in row.asm
        for suffix, bits in (("", 0), ("_aqrl", 3)):
            f7 = (fixed_part(row, 27, 5) << 2) | bits
            word = f'".insn r {opcode:#x}, {f3}, {f7:#x}, %[old], t6, {"x0" if load else "%[value]"}\\n\\t"'
            value = "" if load else f", {kind} value"
            constraint = "" if load else ', [value] "r"((uint64_t)value)'
            out.append(f"""/* {row.text}{"; acquire and release" if bits else ""}. The namespace goes through e31. */
static inline {kind} {function}{suffix}(uint64_t ns, volatile void* address{value}) {{
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile({set_namespace} {word}
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base){constraint} : "memory");
    return ({kind})old;
}}
""")
    for name, forms in names.items():
        row = forms[0]
        if row.klass != "bulk":
            continue
        load = name.startswith("ebl")
        local, remote = ("", "const ") if load else ("const ", "")
        word = directive(name, {"rd": "%[done]", "rs1": "%[local]", "rs2": "t6", "rs3": "%[count]"})
        out.append(f"""/* {row.text}. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_{name}({local}void* local, uint64_t ns, {remote}volatile void* remote, uint64_t count) {{
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile({set_namespace} {word}
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}}
""")
    out += [for_pe(text) for text in out if PE_FORMS.search(text)]
    out += [posted(text) for text in out if POSTED_FORMS.search(text)]
    out.append("#ifdef __cplusplus\n}\n#endif\n#endif /* XBGAS_H */")
    write(path, out)


# Accesses that a library of PEs is made of: they take the PE, and the instruction that names the namespace adds one.
PE_FORMS = re.compile(r"xbgas_(er[ls][bhwd]u?|elr_[wd]|esc_[wd]|eamo[a-z]+_[wd]|eb[ls][bhwd])\(")


def for_pe(text):
    """The same function for PE `pe`, whose namespace is pe + 1 by convention."""
    function = PE_FORMS.search(text)[1]
    text = text.replace("static inline ", "XBGAS_INLINE ")
    text = re.sub(r"^/\*.*?\*/\n", f"/* xbgas_{function} at PE `pe`, one instruction less. */\n", text, flags=re.S)
    for before, after in ((f"xbgas_{function}(", f"xbgas_pe_{function}("), ("uint64_t ns", "int pe"),
                          ("%[ns], 0", "%[pe], 1"), ('[ns] "r"(ns)', '[pe] "r"((long)pe)')):
        text = text.replace(before, after)
    return text


POSTED_FORMS = re.compile(r"xbgas_pe_(eamo[a-z]+_[wd]|eb[ls][bhwd])\(")


def posted(text):
    """The same function without its result: x0 is the destination, so nothing waits."""
    function = POSTED_FORMS.search(text)[1]
    text = re.sub(r"^/\*.*?\*/\n", f"/* xbgas_pe_{function} without a result: complete behind the next "
                  "xbgas_fence(). */\n", text, flags=re.S)
    text = re.sub(r"XBGAS_INLINE \w+ xbgas_pe_", "XBGAS_INLINE void xbgas_pe_post_", text)
    text = re.sub(r"    uint64_t (old|done);\n", "", text)
    text = re.sub(r"    return [^\n]*\n", "", text)
    text = re.sub(r'\[(old|done)\] "=&r"\(\w+\)', "", text)
    return re.sub(r"%\[(old|done)\]", "x0", text)


HEADER_TOP = """/*
 * xBGAS intrinsics for C and C++ on RV64, GCC, with an unmodified assembler.
 *
 * A remote address is (namespace, address). Namespace 0 is the own memory; PE p is namespace p + 1 by convention.
 * Profile B (specification 2.0.0) is emitted unless XBGAS_PROFILE_A is defined.
 * Every access clobbers e31, and those with a base register in their name t6 as well; no other e-register changes.
 * Accesses are unordered among themselves; xbgas_fence() completes all that were issued before it.
 * An unmapped namespace or address traps (load access fault 5, store access fault 7).
 */
#ifndef XBGAS_H
#define XBGAS_H

#include <stdint.h>

#ifdef XBGAS_PROFILE_A
#define XBGAS_IN_PROFILE(a, b) a
#else
#define XBGAS_IN_PROFILE(a, b) b
#endif

/* May be used from the inline functions of other headers. */
#define XBGAS_INLINE extern inline __attribute__((gnu_inline, always_inline))

#ifdef __cplusplus
extern "C" {
#endif

/* The namespace of PE `pe`. */
static inline uint64_t xbgas_namespace(int pe) { return (uint64_t)pe + 1; }

/* Completes every remote access this hart has issued. */
XBGAS_INLINE void xbgas_fence(void) { __asm__ volatile("fence" ::: "memory"); }
"""


def write_docs(rows, extensions, path):
    names = by_name(rows)
    out = ["# The instructions of the xBGAS machine", "", f"<!-- {BANNER} -->", "",
           "The machine executes RV64GC (and RV32GC) and the xBGAS extension. Two incompatible encodings of xBGAS were",
           "published; the machine knows both. Profile **B** (specification 2.0.0) is the default, profile **A**",
           "(specification 0.0.7 and its GNU toolchain) is a switch: `isthmus-sim --profile a`, `-DXBGAS_PROFILE_A` for",
           "`xbgas.h`, `--defsym XBGAS_PROFILE_A=1` for the assembler include.", "",
           "## Reading the tables", "",
           "An encoding is written from bit 31 down: fixed bits, `rd rs1 rs2 rs3` x-registers, `ed es1 es2 es3`",
           "e-registers, `imm[..]` the bits of the immediate at that place. {n, a} is the global address with namespace n",
           "and local part a. Immediates are sign-extended; the sum is XLEN bits wide and does not carry into the",
           "namespace. Loads narrower than XLEN extend their sign unless their name ends in u.", "",
           "## Rules that hold for all of them", "",
           "* Namespace 0 is the own memory. Namespace p + 1 is node p, the own node included.",
           "* e0 reads as zero; writes to it are dropped.",
           "* A namespace that maps to no node raises load access fault (5) or store access fault (7), with the local",
           "  part of the address in `mtval`; so does an address the target does not have.",
           "* Misaligned remote loads and stores work. Misaligned atomics raise address misaligned (4 or 6).",
           "* Remote accesses are unordered among themselves; `fence` completes those issued before it.",
           "* Bulk transfers write the number of elements to x[rd]. CSR 0xCA0 is non-zero when none is outstanding.",
           "* The specification's exception for e0..e9 as address is off unless `--strict-e` is given.",
           "* elq and esq need RV64 and exist in profile A only. RV32 has none of the 64-bit and e-register transfers.",
           ""]
    for extension, title in extensions:
        if not extension.startswith("Xbgas"):
            continue
        out += [f"## {title}", "", "| instruction | meaning | encoding |", "|---|---|---|"]
        for name, forms in names.items():
            if forms[0].extension != extension:
                continue
            cells = []
            for row in forms:
                label = {1: "A: ", 2: "B: ", 3: ""}[row.profiles]
                cells.append(f"{label}`{row.pattern.replace('|', chr(92) + '|')}`")
            meaning = forms[0].text + (" (RV64)" if forms[0].xlens == 2 else "")
            out.append(f"| `{name} {forms[0].asm}` | {meaning} | {'<br>'.join(cells)} |")
        out.append("")
    out += ["Pseudo-instructions: `movebe rd, es` = `eaddi rd, es, 0`; `moveeb ed, rs` = `eaddie ed, rs, 0`;",
            "`moveee ed, es` = `eaddix ed, es, 0`. Remote atomics take the suffixes `.aq`, `.rl` and `.aqrl`.", "",
            "## The base instructions", "", "| extension | instructions |", "|---|---|"]
    for extension, title in extensions:
        if not extension.startswith("Xbgas"):
            listed = ", ".join(f"`{name}`" for name, forms in names.items() if forms[0].extension == extension)
            out.append(f"| {extension}: {title.lower()} | {listed} |")
    out += ["", "Privileged: machine and user mode; no supervisor mode, no virtual memory, no physical memory protection.",
            "Not in the table: the opcode 0x6b atomics of the 2019 assembler (`funct3` 6 and 7), which clash in name with",
            "the ones above, and the 2017 compiler's encodings."]
    write(path, out)


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table")
    for name in ("encodings", "ops", "extract", "assembler", "header", "docs"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    try:
        rows, extensions = load(arguments.table)
    except (TableError, tomllib.TOMLDecodeError, KeyError) as error:
        sys.exit(f"{arguments.table}: {error}")
    write_ops(rows, arguments.ops)
    write_encodings(rows, arguments.encodings, arguments.extract)
    write_assembler(rows, arguments.assembler)
    write_header(rows, arguments.header)
    write_docs(rows, extensions, arguments.docs)


if __name__ == "__main__":
    main()
