#!/usr/bin/env python3
"""Turns the instruction table into the files the build and the users need.

    generate.py TABLE --encodings FILE --ops FILE --extensions FILE --extract FILE --assembler FILE --header FILE --docs FILE

Only the Python standard library is used.
"""

import argparse
import sys
import tomllib

from program_headers import write_assembler, write_header
from table import BANNER, KEYWORDS, REGISTER, TableError, by_name, load, write


def identifier(name):
    """The C++ name of a mnemonic."""
    name = name.replace(".", "_")
    return name + "_" if name in KEYWORDS else name


def register_class(name):
    return {"r": "x", "f": "f", "e": "e"}[name[0]]


def slot_of(name):
    """'fs2' -> 'rs2', 'ed' -> 'rd'."""
    return "rd" if name[1:] == "d" else "r" + name[1:]


def classes_of(row):
    """Register file of each slot."""
    found = {"rd": "none", "rs1": "none", "rs2": "none", "rs3": "none"}
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


def write_ops(rows, path):
    """ISTHMUS_SIM_OP(identifier, mnemonic, class, rd, rs1, rs2, rs3) for everything with semantics of its own."""
    seen, lines = set(), [f"// {BANNER}"]
    for row in rows:
        if row.base == row.name and row.name not in seen:
            seen.add(row.name)
            files = classes_of(row)
            lines.append(f'ISTHMUS_SIM_OP({identifier(row.name)}, "{row.name}", {row.klass}, {files["rd"]}, '
                         f'{files["rs1"]}, {files["rs2"]}, {files["rs3"]})')
    lines += [f"// {BANNER}"]
    write(path, lines)


def write_extensions(extensions, path):
    """ISTHMUS_SIM_EXTENSION(name) for every extension, in the order of the table."""
    write(path, [f"// {BANNER}"] + [f"ISTHMUS_SIM_EXTENSION({name})" for name, _ in extensions])


def needs(row, rows):
    """A compressed instruction is there with its own extension and that of what it stands for."""
    base = next(other for other in rows if other.name == row.base)
    return " | ".join(f"bit(Extension::{name})" for name in dict.fromkeys((row.extension, base.extension)))


def write_encodings(rows, path, extract_path):
    formats, encodings = {}, [f"// {BANNER}"]
    for row in sorted(rows, key=lambda r: -bin(r.mask).count("1")):
        index = formats.setdefault(extraction(row), len(formats))
        encodings.append(f'ISTHMUS_SIM_ENCODING({row.mask:#x}, {row.match:#x}, {row.size // 8}, '
                         f'{identifier(row.base)}, {index}, {row.xlens}, {row.profiles}, {row.where}, "{row.name}", '
                         f'"{row.asm}", "{row.extension}", {needs(row, rows)})')
    write(path, encodings)
    lines = [f"// {BANNER}"]
    for body, index in formats.items():
        lines.append(f"    case {index}:\n        {body}\n        break;" if body else f"    case {index}:\n        break;")
    write(extract_path, lines)


def write_docs(rows, extensions, path):
    names = by_name(rows)
    out = ["# The instructions of the xBGAS machine", "", f"<!-- {BANNER} -->", "",
           "The machine executes RV64GC (and RV32GC) and the xBGAS extension. Two incompatible encodings of xBGAS were",
           "published; the machine knows both. Profile **B** (specification 2.0.0) is the default, profile **A**",
           "(specification 0.0.7 and its GNU toolchain) is a switch: `-DXBGAS_PROFILE_A` for `xbgas.h`,",
           "`--defsym XBGAS_PROFILE_A=1` for the assembler include. Both leave a section `.xbgas` that tells the",
           "simulator; `isthmus sim --profile a` or `b` is for programs that include neither.", "",
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
           "* Remote accesses are unordered among themselves; `fence` completes those issued before it. So does a remote",
           "  atomic with `.rl` before it goes out; what follows one with `.aq` begins when the atomic is complete.",
           "* Bulk transfers write the number of elements to x[rd]. With x0 for rd the hart goes on at once, as it does",
           "  behind a store; CSR 0xCA0 is 0 while such an operation of the hart is outstanding, and 1 when none is.",
           "* A bulk transfer that cannot be finished moves all bytes before the first that cannot be moved and none behind",
           "  it; that one's address is in `mtval`. In time the whole is refused before anything is moved.",
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
    out += ["", "Privileged: machine, supervisor and user mode, Sv39 (Sv32 on RV32); no hypervisor, no physical memory protection.",
            "Not in the table: the opcode 0x6b atomics of the 2019 assembler (`funct3` 6 and 7), which clash in name with",
            "the ones above, and the 2017 compiler's encodings."]
    write(path, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table")
    for name in ("encodings", "ops", "extensions", "extract", "assembler", "header", "docs"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    try:
        rows, extensions = load(arguments.table)
    except (TableError, tomllib.TOMLDecodeError, KeyError) as error:
        sys.exit(f"{arguments.table}: {error}")
    write_ops(rows, arguments.ops)
    write_extensions(extensions, arguments.extensions)
    write_encodings(rows, arguments.encodings, arguments.extract)
    write_assembler(rows, arguments.assembler)
    write_header(rows, arguments.header)
    write_docs(rows, extensions, arguments.docs)


if __name__ == "__main__":
    main()
