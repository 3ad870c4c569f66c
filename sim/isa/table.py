"""Reads and checks the instruction table, whose own comment explains its notation."""

import re
import tomllib
from dataclasses import dataclass, field

BANNER = "Generated from sim/isa/instructions.toml by sim/isa/generate.py. Change the table, not this file."
SLOTS = {"rd": "rd", "rs1": "rs1", "rs2": "rs2", "rs3": "rs3"}
REGISTER = re.compile(r"^(rd_rs1|[rfe](?:d|s1|s2|s3))('?)$")
IMMEDIATE = re.compile(r"^(u?imm)\[([0-9|:]+)\]$")
KEYWORDS = {"and", "or", "xor", "not"}
WHERE = {None: "always", "imm!=0": "immediate_not_zero", "rd!=0": "rd_not_zero", "rs1!=0": "rs1_not_zero",
         "rs2!=0": "rs2_not_zero", "shamt<xlen": "shift_below_xlen"}
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


def xbgas_rows(rows):
    return [row for row in rows if row.extension.startswith("Xbgas")]


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


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
