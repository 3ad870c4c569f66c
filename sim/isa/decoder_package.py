#!/usr/bin/env python3
"""The instruction table as a SystemVerilog package: from words to operations, and what each needs of a datapath.

    decoder_package.py TABLE FILE

The file is left alone where it is so already. Only the Python standard library is used.
"""

import pathlib
import re
import sys
import tomllib

from table import BANNER, REGISTER, TableError, load

SIZES = {"b": 0, "h": 1, "w": 2, "d": 3, "e": 3, "q": 4}
ALU = {"add": "Add", "sub": "Sub", "sll": "Sll", "slt": "Slt", "sltu": "Sltu", "xor": "Xor", "srl": "Srl", "sra": "Sra",
       "or": "Or", "and": "And", "mul": "Mul", "mulh": "Mulh", "mulhsu": "Mulhsu", "mulhu": "Mulhu", "div": "Div",
       "divu": "Divu", "rem": "Rem", "remu": "Remu", "min": "Min", "max": "Max", "minu": "Minu", "maxu": "Maxu",
       "swap": "Second", "cas": "CompareSwap", "eq": "Eq", "ne": "Ne", "lt": "Slt", "ge": "Ge", "ltu": "Sltu",
       "geu": "Geu"}
CLASS_WITH_FLOATS = re.compile(r"^fp_(add|multiply|divide|fma|convert|compare|move)$")
# Enumerations: name, prefix, members; the first is 0.
ENUMS = [
    ("file_e", "File", ["None", "X", "F", "E"], "a register file"),
    ("alu_e", "Alu", ["None", "Add", "Sub", "Sll", "Slt", "Sltu", "Xor", "Srl", "Sra", "Or", "And", "Eq", "Ne", "Ge", "Geu",
                      "Mul", "Mulh", "Mulhsu", "Mulhu", "Div", "Divu", "Rem", "Remu", "Second", "Min", "Max", "Minu",
                      "Maxu", "CompareSwap"],
     "what the arithmetic unit does; comparisons give 0 or 1"),
    ("operand_a_e", "A", ["Rs1", "Pc", "Zero"], "its first operand"),
    ("operand_b_e", "B", ["Rs2", "Immediate", "Zero"], "and its second"),
    ("write_back_e", "Back", ["None", "Alu", "Memory", "NextPc", "Csr", "Float", "Status", "Count"],
     "what goes to rd: Status is 0 or 1 of a store-conditional, Count a bulk transfer's"),
    ("csr_e", "Csr", ["None", "Write", "Set", "Clear"], "what becomes of a control and status register"),
    ("space_e", "Space", ["None", "Rs1", "Rs2", "Rs3"], "which e-register is the namespace of a remote access"),
]


def camel(name):
    return "".join(part.capitalize() for part in re.split(r"[._]", name))


def register_bits(item):
    field = f"insn[{item.low + item.width - 1}:{item.low}]"
    return f"{{2'b01, {field}}}" if item.width == 3 else field


def slots(row):
    """Where each slot's number stands in the word."""
    found = {}
    for item in row.fields:
        if m := REGISTER.match(item.name):
            for slot in ("rd", "rs1") if m[1] == "rd_rs1" else [re.sub("^[rfe]", "r", m[1])]:
                found[slot] = register_bits(item)
        elif item.name == "zimm":
            found["rs1"] = register_bits(item)
    for slot in ("rd", "rs1", "rs2"):
        if slot in row.fixed:
            found[slot] = f"5'd{row.fixed[slot]}"
    return found


def immediate_sources(row):
    """Bit of the immediate -> bit of the word; whether it is sign-extended."""
    found, signed = {}, False
    for item in row.fields:
        if item.name in ("imm", "uimm"):
            signed |= item.name == "imm"
            for index, bit in enumerate(item.bits):
                found[bit] = item.low + item.width - 1 - index
        elif item.name == "rm":
            found = {i: item.low + i for i in range(3)}
        elif item.name in ("aq", "rl"):
            found[1 if item.name == "aq" else 0] = item.low
    return found, signed


def immediate(row):
    """The 32 bits, runs of neighbours as slices."""
    found, signed = immediate_sources(row)
    if not found:
        return None
    top, parts, bit = max(found), [], max(found)
    if top < 31:
        parts.append(f"{{{31 - top}{{insn[{found[top]}]}}}}" if signed else f"{31 - top}'b0")
    while bit >= 0:
        if bit not in found:
            low = bit
            while low > 0 and low - 1 not in found:
                low -= 1
            parts.append(f"{bit - low + 1}'b0")
        else:
            low = bit
            while low > 0 and found.get(low - 1) == found[low] - 1:
                low -= 1
            parts.append(f"insn[{found[bit]}]" if low == bit else f"insn[{found[bit]}:{found[low]}]")
        bit = low - 1
    return "{" + ", ".join(parts) + "}"


def condition(row):
    if row.where == "always":
        return None
    if row.where == "immediate_not_zero":
        bits = sorted(immediate_sources(row)[0].values(), reverse=True)
        return f"|(insn & 32'h{sum(1 << bit for bit in bits):x})"
    if row.where == "shift_below_xlen":
        return f"(rv64 | ~insn[{immediate_sources(row)[0][5]}])"
    return f"|{slots(row)[row.where.split('_', maxsplit=1)[0]]}"


def overlaps(a, b):
    common = a.mask & b.mask
    return (a.size == b.size and a.profiles & b.profiles and a.xlens & b.xlens
            and (a.match & common) == (b.match & common))


def hit(index, ordered, bases):
    """When the word is this row's: its fixed bits, what the machine has, and no more specific row's."""
    row, terms = ordered[index], []
    bits = "insn" if row.size == 32 else "insn[15:0]"
    terms.append(f"({bits} & {row.size}'h{row.mask:x}) == {row.size}'h{row.match:x}")
    for name in dict.fromkeys((row.extension, bases[row.base].extension)):
        terms.append(f"extensions[Ext{camel(name)}]")
    if row.xlens != 3:
        terms.append("rv64" if row.xlens == 2 else "~rv64")
    if row.profiles != 3:
        terms.append("profile_b" if row.profiles == 2 else "~profile_b")
    if (where := condition(row)) is not None:
        terms.append(where)
    terms += [f"~hit[{other}]" for other in range(index) if overlaps(ordered[other], row)]
    return " & ".join(f"({term})" if "==" in term else term for term in terms)


def files(row):
    """rd, rs1, rs2, rs3 -> X, F, E."""
    found = {}
    for item in row.fields:
        if (m := REGISTER.match(item.name)) and m[1] != "rd_rs1":
            found["rd" if m[1][1:] == "d" else "r" + m[1][1:]] = m[1][0].replace("r", "x").upper()
    return found


def size_of(name):
    letter = re.sub("u$", "", name)[-1]
    if letter not in SIZES:
        raise TableError(f"{name}: no size is known of its access")
    return SIZES[letter]


def control(row):
    """Field -> value of what a datapath needs; what is left out is 0."""
    name, klass = row.name, row.klass
    # The register fields of fences are reserved.
    where = {} if name in ("fence", "fence.i") else files(row)
    c = {"klass": f"Class{camel(klass)}"}
    for slot, file in where.items():
        c[f"{slot}_file"] = f"File{file}"

    def alu(mnemonic, a="Rs1", b="Rs2"):
        if mnemonic not in ALU:
            raise TableError(f"{name}: no rule says what the arithmetic unit does")
        c.update(alu=f"Alu{ALU[mnemonic]}", operand_a=f"A{a}", operand_b=f"B{b}")

    def access(read, wrote, size, signed=False):
        c.update(mem_read=read, mem_write=wrote, mem_size=size, mem_signed=signed)

    has_immediate = any(item.name in ("imm", "uimm") for item in row.fields)
    if klass in ("alu", "multiply", "divide"):
        c["word"] = name.endswith("w") or name.endswith("uw")
        operation = re.sub("w$", "", name)
        if name == "lui":
            alu("add", "Zero", "Immediate")
        elif name == "auipc":
            alu("add", "Pc", "Immediate")
        elif has_immediate:
            alu({"sltiu": "sltu"}.get(operation, re.sub("i$", "", operation)), "Rs1", "Immediate")
        else:
            alu(operation)
        c["write_back"] = "BackAlu"
    elif klass == "address":
        alu("add", "Rs1", "Immediate")
        c["write_back"] = "BackAlu"
    elif klass in ("load", "fp_load", "remote_load"):
        alu("add", "Rs1", "Immediate" if has_immediate else "Zero")
        access(True, False, size_of(name), klass != "fp_load" and not name.endswith("u"))
        c["write_back"] = "BackMemory"
    elif klass in ("store", "fp_store", "remote_store"):
        alu("add", "Rs1", "Immediate" if has_immediate else "Zero")
        access(False, True, size_of(name))
    elif klass == "branch":
        alu(name[1:])
        c["branch"] = True
    elif klass == "jump":
        alu("add", "Pc", "Immediate")
        c.update(jump=True, write_back="BackNextPc")
    elif klass == "jump_register":
        alu("add", "Rs1", "Immediate")
        c.update(jump=True, write_back="BackNextPc")
    elif klass in ("atomic", "remote_atomic"):
        operation = re.sub("^e?(amo)?", "", name.split(".")[0])
        if operation in ("lr", "sc"):
            c["alu"] = "AluNone"
            access(operation == "lr", operation == "sc", size_of(name), operation == "lr")
            c.update(reserve=operation == "lr", conditional=operation == "sc")
        else:
            alu(operation)
            access(True, True, size_of(name), True)
        c["write_back"] = "BackStatus" if operation == "sc" else "BackMemory"
    elif klass == "bulk":
        access(name[2] == "l", name[2] == "s", size_of(name))
        c.update(bulk=True, write_back="BackCount")
    elif CLASS_WITH_FLOATS.match(klass):
        c["write_back"] = "BackFloat"
    elif name.startswith("csrr"):
        c.update(csr={"w": "CsrWrite", "s": "CsrSet", "c": "CsrClear"}[name[4]], csr_immediate=name.endswith("i"),
                 write_back="BackCsr")
    elif klass not in ("system", "fence"):
        raise TableError(f"{name}: no rule for a datapath of class {klass}")
    if klass.startswith("remote") or klass == "bulk":
        extended = [slot for slot in ("rs1", "rs2", "rs3") if where.get(slot) == "E" and name != "erse"]
        space = "Rs3" if name == "erse" else camel(extended[0]) if extended else "Rs2" if klass == "bulk" else "Rs1"
        c.update(remote=True, space=f"Space{space}")
    return c


CONTROL_FIELDS = [("class_e", "klass"), ("file_e", "rd_file"), ("file_e", "rs1_file"), ("file_e", "rs2_file"),
                  ("file_e", "rs3_file"), ("alu_e", "alu"), ("operand_a_e", "operand_a"), ("operand_b_e", "operand_b"),
                  ("logic", "word"), ("write_back_e", "write_back"), ("logic", "mem_read"), ("logic", "mem_write"),
                  ("logic [2:0]", "mem_size"), ("logic", "mem_signed"), ("logic", "reserve"), ("logic", "conditional"),
                  ("logic", "branch"), ("logic", "jump"), ("csr_e", "csr"), ("logic", "csr_immediate"),
                  ("logic", "remote"), ("logic", "bulk"), ("space_e", "space")]
COMMENTS = {"word": "the result is 32 bits, sign-extended", "mem_size": "of an element: 1 << mem_size bytes",
            "mem_signed": "what is loaded is sign-extended, else zero-extended (or boxed, for floating point)",
            "reserve": "lr, elr", "conditional": "sc, esc", "branch": "taken where the arithmetic unit gives 1",
            "jump": "to its result, without bit 0", "csr_immediate": "the operand is the number rs1 itself",
            "remote": "where the namespace is not 0; the address is of that node", "bulk": "rs1 is the local address"}


def wrapped(begin, between, pieces, end):
    """The pieces in lines of 120."""
    lines, line = [], begin
    for i, piece in enumerate(pieces):
        piece += end if i + 1 == len(pieces) else between
        if len(line) + len(piece) > 120:
            lines.append(line.rstrip())
            line = " " * len(begin)
        line += piece
    return [*lines, line]


def enum(name, prefix, members, comment):
    width = max(1, (len(members) - 1).bit_length())
    lines = [f"  /// {comment[0].upper()}{comment[1:]}.", f"  typedef enum logic [{width - 1}:0] {{"]
    lines += [f"    {prefix}{member} = {width}'d{i}{',' if i + 1 < len(members) else ''}" for i, member in enumerate(members)]
    # So that benches in C++ have the names, too.
    return lines + [f"  }} {name} /*verilator public*/;", ""]


def package(rows, extensions):
    ordered = sorted(rows, key=lambda row: -bin(row.mask).count("1"))
    bases = {}
    for row in rows:
        if row.base == row.name:
            bases.setdefault(row.name, row)
    classes = list(dict.fromkeys(row.klass for row in bases.values()))
    out = [f"// {BANNER.replace('sim/isa/generate.py', 'sim/isa/decoder_package.py')}", "//",
           "// decode() turns a word into an operation, register numbers and an immediate; control() says what the operation",
           "// needs of a datapath. Both are combinational. An atomic's address is rs1; its arithmetic is on what memory had and",
           "// rs2. Immediates of floating point are the rounding mode, of atomics {aq, rl}, of csrr* the register's number.",
           "package xbgas_decode_pkg;", f"  localparam int unsigned NumExtensions = {len(extensions)};"]
    out += [f"  localparam int unsigned Ext{camel(name)} = {i};" for i, (name, _) in enumerate(extensions)] + [""]
    out += enum("op_e", "Op", ["Illegal"] + [camel(name) for name in bases], "every operation, in the order of the table")
    out += enum("class_e", "Class", ["None"] + [camel(name) for name in classes], "what kind of operation it is")
    for entry in ENUMS:
        out += enum(*entry)
    out += ["  typedef struct packed {", "    op_e         op;  // OpIllegal: the machine has no such instruction",
            "    logic        compressed;", "    logic [4:0]  rd, rs1, rs2, rs3;", "    logic [31:0] imm;",
            "  } instruction_t;", "", "  typedef struct packed {"]
    for kind, name in CONTROL_FIELDS:
        out.append(f"    {kind} {name};" + (f"  // {COMMENTS[name]}" if name in COMMENTS else ""))
    out += ["  } control_t;", "",
            "  function automatic instruction_t decode(input logic [31:0] insn, input logic rv64, input logic profile_b,",
            "                                          input logic [NumExtensions-1:0] extensions);",
            f"    logic [{len(ordered) - 1}:0] hit;", "    instruction_t d;"]
    out += [f"    hit[{i}] = {hit(i, ordered, bases)};" for i in range(len(ordered))]
    out += ["    d = '0;", "    d.compressed = insn[1:0] != 2'b11;", "    unique case (1'b1)"]
    out += [f"      hit[{i}]: d.op = Op{camel(row.base)};  // {row.name}" for i, row in enumerate(ordered)]
    out += ["      default: d.op = OpIllegal;", "    endcase"]
    # Where the operands stand is shared by many.
    formats = {}
    for i, row in enumerate(ordered):
        operands = [f"      d.{slot} = {bits};" for slot, bits in slots(row).items()]
        if (value := immediate(row)) is not None:
            operands.append(f"      d.imm = {value};")
        formats.setdefault(tuple(operands), []).append(f"hit[{i}]")
    for operands, hits in formats.items():
        if operands:
            out += [*wrapped("    if (", " | ", hits, ") begin"), *operands, "    end"]
    out += ["    return d;", "  endfunction", "",
            "  function automatic control_t control(input op_e op);", "    control_t c;", "    c = '0;", "    unique case (op)"]
    groups = {}
    for name, row in bases.items():
        text = tuple(f"        c.{key} = {int(value) if isinstance(value, bool) else value};".replace(" = 1;", " = 1'b1;")
                     if key not in ("mem_size",) else f"        c.{key} = 3'd{value};"
                     for key, value in control(row).items() if value is not False)
        groups.setdefault(text, []).append(f"Op{camel(name)}")
    for text, names in groups.items():
        if text:
            out += [*wrapped("      ", ", ", names, ": begin"), *text, "      end"]
    out += ["      default: c = '0;", "    endcase", "    return c;", "  endfunction", "endpackage"]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        text = package(*load(sys.argv[1]))
    except (TableError, tomllib.TOMLDecodeError, KeyError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    path = pathlib.Path(sys.argv[2])
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
