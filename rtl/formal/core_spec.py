#!/usr/bin/env python3
"""What the integer instructions of a group mean, as a SystemVerilog package that proofs of a retire port import.

    core_spec.py TABLE ISA GROUP FILE

ISA is 32 or 64, with an a behind it if the core has the A extension.

GROUP is one of GROUPS below, or `order`, `registers`, `csrs` or `alive`: no instruction has a meaning, what holds of all of them is
proved.

Words, registers and immediates come from the instruction table, but not by way of the generator of the decoder: every
bit of an immediate stands here by itself, and no control signal is known. The meanings are written below. Products and
quotients are stand-ins (rv_mul and rv_div are, too, in these proofs): they hold who computes with what, not how.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sim/isa"))
from table import BANNER, REGISTER, load  # noqa: E402

# One proof each: a solver has less to tell apart. Compressed instructions are in the group of what they stand for.
GROUPS = {
    "arithmetic": lambda row: row.klass == "alu" and row.base[:2] not in ("sl", "sr") or row.base.startswith("slt"),
    "shifts": lambda row: row.klass == "alu" and row.base[:2] in ("sl", "sr") and not row.base.startswith("slt"),
    "jumps": lambda row: row.klass in ("jump", "jump_register", "branch"),
    "memory": lambda row: row.klass in ("load", "store"),
    "products": lambda row: row.klass in ("multiply", "divide"),
    "system": lambda row: row.klass in ("system", "fence"),
    "atomics": lambda row: row.klass == "atomic",
    "illegal": lambda row: False,
}
EXTENSIONS = ("I", "Zifencei", "Zicsr", "Privileged", "M", "C")
SIZES = {"b": 0, "h": 1, "w": 2, "d": 3}
# a and b are the registers, imm the immediate, sh the amount of a shift; signed() as in SystemVerilog.
VALUES = {
    "lui": "imm", "auipc": "pc + imm", "jal": "sequel", "jalr": "sequel",
    "addi": "a + imm", "slti": "word_t'($signed(a) < $signed(imm))", "sltiu": "word_t'(a < imm)",
    "xori": "a ^ imm", "ori": "a | imm", "andi": "a & imm",
    "slli": "a << imm_sh", "srli": "a >> imm_sh", "srai": "word_t'($signed(a) >>> imm_sh)",
    "add": "a + b", "sub": "a - b", "sll": "a << b_sh", "slt": "word_t'($signed(a) < $signed(b))",
    "sltu": "word_t'(a < b)", "xor": "a ^ b", "srl": "a >> b_sh", "sra": "word_t'($signed(a) >>> b_sh)",
    "or": "a | b", "and": "a & b",
    "addiw": "of_word(a[31:0] + imm[31:0])", "slliw": "of_word(a[31:0] << imm[4:0])",
    "srliw": "of_word(a[31:0] >> imm[4:0])", "sraiw": "of_word(32'($signed(a[31:0]) >>> imm[4:0]))",
    "addw": "of_word(a[31:0] + b[31:0])", "subw": "of_word(a[31:0] - b[31:0])",
    "sllw": "of_word(a[31:0] << b[4:0])", "srlw": "of_word(a[31:0] >> b[4:0])",
    "sraw": "of_word(32'($signed(a[31:0]) >>> b[4:0]))",
}
TAKEN = {"beq": "a == b", "bne": "a != b", "blt": "$signed(a) < $signed(b)", "bge": "$signed(a) >= $signed(b)",
         "bltu": "a < b", "bgeu": "a >= b"}
# The operation of an atomic, and what it leaves of what it has found (a) and its operand (b), both with their sign.
LEFT = {"swap": ("Second", "b"), "add": ("Add", "a + b"), "xor": ("Xor", "a ^ b"), "and": ("And", "a & b"), "or": ("Or", "a | b"),
        "min": ("Min", "$signed(a) < $signed(b) ? a : b"), "max": ("Max", "$signed(a) > $signed(b) ? a : b"),
        "minu": ("Minu", "a < b ? a : b"), "maxu": ("Maxu", "a > b ? a : b")}
# Their register fields are reserved.
READ_NOTHING = ("fence", "fence.i")

HEAD = """// {banner}
package core_spec_pkg;
  import xbgas_decode_pkg::*;

  localparam int unsigned Xlen = {xlen};
  typedef logic [Xlen-1:0] word_t;

  /// Whether this is a proof of what holds of all instructions.
  localparam bit OrderProof     = 1'b{order};
  localparam bit RegistersProof = 1'b{registers};
  localparam bit CsrsProof      = 1'b{csrs};
  localparam bit AtomicsProof   = 1'b{atomics};
  localparam bit AliveProof     = 1'b{alive};
  localparam bit HasA           = 1'b{has_a};

  typedef enum logic [3:0] {{
    Plain,   // a result, or nothing
    Load,
    Store,
    Csr,     // may trap; what it reads is not said
    System,  // where it goes on is not said
    Call,
    Break,
    Amo,
    Conditional,
    Illegal
  }} kind_e;

  /// Registers that are not read or written are 0.
  typedef struct packed {{
    logic       here;  // the group has a meaning for it
    kind_e      kind;
    logic [4:0] rs1;
    logic [4:0] rs2;
    logic [4:0] rd;
    logic       immediate;
    word_t      imm;
    word_t      value;
    word_t      next_pc;
    word_t      address;
    logic [1:0] size;
    logic       with_sign;
    alu_e       amo;
  }} meaning_t;

  function automatic word_t of_word(input logic [31:0] value);
    return word_t'($signed(value));
  endfunction

  /// What stands for a product or quotient.
  function automatic word_t stand_in(input alu_e alu, input logic word, input word_t a, input word_t b);
    return (a ^ {{b[Xlen-2:0], b[Xlen-1]}}) + word_t'({{word, alu}});
  endfunction

  /// A register behind a load of what stands at the address, lowest byte first.
  function automatic word_t loaded(input logic [1:0] size, input logic with_sign, input logic [63:0] raw);
    unique case (size)
      2'd0:    return with_sign ? word_t'($signed(raw[7:0])) : word_t'(raw[7:0]);
      2'd1:    return with_sign ? word_t'($signed(raw[15:0])) : word_t'(raw[15:0]);
      2'd2:    return with_sign ? word_t'($signed(raw[31:0])) : word_t'(raw[31:0]);
      default: return word_t'(raw);
    endcase
  endfunction

  /// What an atomic operation leaves in memory.
  function automatic word_t left(input meaning_t m, input word_t found, input word_t operand);
    word_t a, b;
    a = m.size == 2'd2 ? of_word(found[31:0]) : found;
    b = m.size == 2'd2 ? of_word(operand[31:0]) : operand;
    unique case (m.amo)
{left}
      default: return '0;
    endcase
  endfunction

  function automatic logic misaligned(input meaning_t m);
    return (m.address & word_t'((1 << m.size) - 1)) != '0;
  endfunction

  function automatic meaning_t meaning(input logic [31:0] insn, input word_t pc, input word_t a, input word_t b);
    meaning_t m;
    word_t    imm, sequel;
    logic [$clog2(Xlen)-1:0] imm_sh, b_sh;
    logic [{rows}:0] hit;
    logic [6:0]      base;
    logic [{bits}:0] row;
    m         = '0;
    m.kind    = Illegal;
    imm       = '0;
    b_sh      = b[$clog2(Xlen)-1:0];
    sequel    = pc + (insn[1:0] == 2'b11 ? word_t'(4) : word_t'(2));
    m.next_pc = sequel;
    hit       = '0;
    row       = '0;
    base      = '0;"""


def register(item):
    field = f"insn[{item.low + item.width - 1}:{item.low}]"
    return f"{{2'b01, {field}}}" if item.width == 3 else field


def operands(row):
    """Slot -> number of the register, and the bits of the immediate with the word's bit that each is."""
    slots, bits, signed = {}, {}, False
    for item in row.fields:
        if m := REGISTER.match(item.name):
            for slot in ("rd", "rs1") if m[1] == "rd_rs1" else [m[1]]:
                slots[slot] = register(item)
        elif item.name in ("imm", "uimm"):
            signed |= item.name == "imm"
            for place, bit in enumerate(item.bits):
                bits[bit] = item.low + item.width - 1 - place
    for slot, number in row.fixed.items():
        if slot in ("rd", "rs1", "rs2"):
            slots[slot] = f"5'd{number}"
        elif slot == "imm":
            bits = {i: None for i in range(32) if number >> i & 1}
    if not bits:
        return slots, None
    top, one_by_one = max(bits), []
    for i in range(31, -1, -1):
        source = bits.get(i, bits[top] if i > top and signed else -1)
        one_by_one.append("1'b1" if source is None else "1'b0" if source < 0 else f"insn[{source}]")
    return slots, f"word_t'($signed({{{', '.join(one_by_one)}}}))"


def condition(row, xlen):
    bits = "insn" if row.size == 32 else "insn[15:0]"
    text = f"({bits} & {row.size}'h{row.mask:x}) == {row.size}'h{row.match:x}"
    slots, imm = operands(row)
    if row.where == "immediate_not_zero":
        text += f" && {imm} != '0"
    elif row.where == "shift_below_xlen":
        text += f" && {imm} < word_t'({xlen})"
    elif row.where != "always":
        text += f" && {slots[row.where.split('_', maxsplit=1)[0]]} != '0"
    return text


def overlap(a, b):
    common = a.mask & b.mask
    return a.size == b.size and (a.match & common) == (b.match & common)


def fields(row, base, number):
    """Its kind, registers, immediate, and the number of the instruction that it stands for."""
    slots, imm = operands(row)
    name, reads = row.base, {}
    for item in base.fields:
        if (m := REGISTER.match(item.name)) and base.name not in READ_NOTHING:
            reads[m[1]] = slots.get(m[1], "5'd0")
    out = ["m.here = 1'b1;", f"base = 7'd{number};"]
    out += [f"m.{slot} = {reads[slot]};" for slot in ("rs1", "rs2") if slot in reads]
    if "rd" in reads and row.klass not in ("fence",):
        out.append(f"m.rd = {reads['rd']};")
    if imm:
        out += [f"imm = {imm};", "m.immediate = 1'b1;"]
    kind = "Plain"
    if row.klass in ("load", "store"):
        kind = row.klass.capitalize()
        out += [f"m.size = 2'd{SIZES[name[1]]};", f"m.with_sign = 1'b{int(not name.endswith('u'))};"]
    elif row.klass == "atomic":
        operation, width = name.removeprefix("amo").split(".")
        kind = {"lr": "Load", "sc": "Conditional"}.get(operation, "Amo")
        out += [f"m.size = 2'd{SIZES[width]};", "m.with_sign = 1'b1;"]
        if kind == "Amo":
            out.append(f"m.amo = Alu{LEFT[operation][0]};")
    elif name.startswith("csrr"):
        kind = "Csr"
    elif name in ("ecall", "ebreak"):
        kind = "Call" if name == "ecall" else "Break"
    elif name in ("mret", "wfi"):
        kind = "System"
    return [f"m.kind = {kind};", *out]


def effect(base):
    """What it computes of pc, registers and immediate."""
    name = base.name
    if base.klass in ("load", "store"):
        return ["m.address = a + imm;"]
    if base.klass == "atomic":
        return ["m.address = a;"]
    if base.klass == "branch":
        return [f"if ({TAKEN[name]}) m.next_pc = pc + imm;"]
    if base.klass in ("multiply", "divide"):
        word = int(name.endswith("w"))
        operation = name[:-1] if word else name
        return [f"m.value = stand_in(Alu{operation.capitalize()}, 1'b{word}, a, b);"]
    if name in VALUES:
        out = [f"m.value = {VALUES[name]};"]
        if name == "jal":
            out.append("m.next_pc = pc + imm;")
        elif name == "jalr":
            out.append("m.next_pc = (a + imm) & ~word_t'(1);")
        return out
    if base.klass not in ("fence", "system"):
        sys.exit(f"core_spec.py: nothing says what {name} means")
    return []


def package(rows, isa, group):
    xlen = int(isa.removesuffix("a"))
    extensions = EXTENSIONS + (("A",) if isa.endswith("a") else ())
    bases = {row.name: row for row in rows if row.size == 32}
    known = [row for row in rows if row.extension in extensions and bases[row.base].extension in extensions
             and row.xlens & (1 if xlen == 32 else 2)]
    known.sort(key=lambda row: -row.mask.bit_count())
    head = HEAD.format(banner=BANNER.replace("sim/isa/generate.py", "rtl/formal/core_spec.py"), xlen=xlen, rows=len(known),
                       bits=len(known).bit_length() - 1, order=int(group == "order"),
                       registers=int(group == "registers"), csrs=int(group == "csrs"),
                       atomics=int(group == "atomics"), alive=int(group == "alive"), has_a=int(isa.endswith("a")),
                       left="\n".join(f"      Alu{alu}: return {value};" for alu, value in LEFT.values()))
    # Which row it is, once, and then one choice among all: a chain of them is too deep for the tools.
    out = [head]
    for i, row in enumerate(known, 1):
        others = "".join(f" && !hit[{j}]" for j, other in enumerate(known[:i - 1], 1) if overlap(other, row))
        out.append(f"    hit[{i}] = {condition(row, xlen)}{others};  // {row.name}")
    for bit in range(len(known).bit_length()):
        among = [f"hit[{i}]" for i in range(1, len(known) + 1) if i >> bit & 1]
        out.append(f"    row[{bit}] = {' | '.join(among)};")
    if group == "illegal":
        out.append("    m.here = hit == '0;")
    numbers = {}
    out.append("    unique case (row)")
    for i, row in enumerate(known, 1):
        if group not in GROUPS or not GROUPS[group](row):
            continue
        number = numbers.setdefault(row.base, len(numbers) + 1)
        out.append(f"      {i}: begin  // {row.name}")
        out += [f"        {line}" for line in fields(row, bases[row.base], number)]
        out.append("      end")
    # An adder for each instruction, not for each of its forms.
    out += ["      default: ;", "    endcase", "    m.imm  = imm;", "    imm_sh = imm[$clog2(Xlen)-1:0];", "    unique case (base)"]
    for name, number in numbers.items():
        if lines := effect(bases[name]):
            out.append(f"      {number}: begin  // {name}")
            out += [f"        {line}" for line in lines]
            out.append("      end")
    out += ["      default: ;", "    endcase", "    return m;", "  endfunction", "endpackage"]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 5 or sys.argv[3] not in ("order", "registers", "csrs", "alive", *GROUPS):
        sys.exit(__doc__)
    Path(sys.argv[4]).write_text(package(load(sys.argv[1])[0], sys.argv[2], sys.argv[3]), encoding="utf-8")


if __name__ == "__main__":
    main()
