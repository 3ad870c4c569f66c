#!/usr/bin/env python3
"""Writes what follows from registers.toml: the SystemVerilog register file, the C++ constants, the
page. `--write` writes the files; without it the command fails if one of them is not up to date."""
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "rtl/engine/registers.toml"
ACCESSES = {"rw": "read, write", "ro": "read", "wo": "write", "counter": "read, write clears"}
NOTE = "Written by rtl/tools/registers.py from rtl/engine/registers.toml."


def load():
    registers, offset = tomllib.loads(SOURCE.read_text())["register"], 0
    for register in registers:
        unknown = set(register) - {"name", "about", "access", "count", "fields"}
        if unknown:
            sys.exit(f"registers.py: {register['name']}: unknown keys {unknown}")
        register.setdefault("access", "rw")
        register.setdefault("count", 1)
        if register["access"] == "counter":
            register["fields"] = [{"name": register["name"], "bits": 32}]
        if register["access"] not in ACCESSES:
            sys.exit(f"registers.py: {register['name']}: access is one of {', '.join(ACCESSES)}")
        register["offset"] = offset
        offset += 4 * register["count"]
        low = 0
        for field in register["fields"]:
            field["low"] = low
            low += field["bits"]
        if low > 32:
            sys.exit(f"registers.py: {register['name']}: {low} bits do not fit into 32")
    return registers, offset


def width(bits, count=1):
    outer = f"[{count - 1}:0]" if count > 1 else ""
    inner = f"[{bits - 1}:0]" if bits > 1 else ""
    return f"{outer}{inner}"


def system_verilog(registers, size):
    address = (size - 1).bit_length()
    ports, declare, store, read, assigns = [], [], [], [], []
    for r in registers:
        count, access = r["count"], r["access"]
        word = r["offset"] // 4
        many = count > 1
        index = f"addr_i[{(count - 1).bit_length() + 1}:2] - {(count - 1).bit_length()}'d{word % count}" if many else ""
        if many and count & (count - 1):
            sys.exit(f"registers.py: {r['name']}: count must be a power of two")
        hit = (f"word >= {address - 2}'d{word} && word < {address - 2}'d{word + count}" if many
               else f"word == {address - 2}'d{word}")
        index_bits = (count - 1).bit_length()
        index = f"{index_bits}'(word - {address - 2}'d{word})" if many else ""
        if access == "wo":
            ports.append(f"  output logic {r['name']}_write_o,")
            assigns.append(f"  assign {r['name']}_write_o = write_i && {hit};")
        for f in r["fields"]:
            name, bits, low = f["name"], f["bits"], f["low"]
            part = f"[{low + bits - 1}:{low}]" if bits > 1 else f"[{low}]"
            if access == "rw":
                ports.append(f"  output logic {width(bits, count)} {name}_o,")
                declare.append(f"  logic {width(bits, count)} {name}_q;")
                assigns.append(f"  assign {name}_o = {name}_q;")
                reset = "'0" if not f.get("reset") else f"{bits}'d{f['reset']}"
                target = f"{name}_q[{index}]" if many else f"{name}_q"
                store.append((f"{name}_q <= {reset};", f"if (write_i && {hit}) {target} <= wdata_i{part};"))
                read.append((hit, part, target))
            elif access == "ro":
                ports.append(f"  input  logic {width(bits)} {name}_i,")
                read.append((hit, part, f"{name}_i"))
            elif access == "wo":
                ports.append(f"  output logic {width(bits)} {name}_o,")
                assigns.append(f"  assign {name}_o = wdata_i{part};")
            else:
                ports.append(f"  input  logic {name}_i,")
                declare.append(f"  logic [31:0] {name}_q;")
                store.append((f"{name}_q <= '0;",
                              f"if (write_i && {hit}) {name}_q <= '0;\n"
                              f"      else if ({name}_i && {name}_q != '1) {name}_q <= {name}_q + 32'd1;"))
                read.append((hit, "", f"{name}_q"))
    nl = "\n"
    reads = nl.join(f"    if ({hit}) rdata_d{part} = {value};" for hit, part, value in read)
    return f"""// {NOTE}
//
// The engine's register file: a read takes one cycle, a write is done at its edge. Fields come out by
// name; counters hold at their greatest value.
module engine_regs (
  input  logic clk_i,
  input  logic rst_ni,
{nl.join(ports)}
  /// Access: an address in bytes, one write or read a cycle.
  input  logic write_i,
  input  logic [{address - 1}:0] addr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o
);
  logic [{address - 3}:0] word;
  logic [1:0] unused_addr;
  logic [31:0] rdata_d;
  assign {{word, unused_addr}} = addr_i;

{nl.join(declare)}

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
{nl.join("      " + reset for reset, _ in store)}
    end else begin
{nl.join("      " + change for _, change in store)}
    end
  end

  always_comb begin
    rdata_d = '0;
{reads}
  end
  always_ff @(posedge clk_i) rdata_o <= rdata_d;

{nl.join(assigns)}
endmodule
"""


def header(registers, _):
    lines = [f"inline constexpr std::uint32_t k{''.join(p.title() for p in r['name'].split('_'))} = "
             f"0x{r['offset']:03x};" for r in registers]
    return (f"// {NOTE}\n#pragma once\n\n#include <cstdint>\n\nnamespace isthmus::rtl::registers {{\n\n"
            + "\n".join(lines) + "\n\n}  // namespace isthmus::rtl::registers\n")


def page(registers, _):
    lines = ["# Registers of the HyperTransport engine", "",
             f"{NOTE} Words of 32 bits; what a row does not name reads as zero. See [the engine](engine.md).",
             "", "| offset | register | access | bits | field | meaning |", "|---|---|---|---|---|---|"]
    for r in registers:
        offset = f"0x{r['offset']:03x}" + (f" + 4 i, i < {r['count']}" if r["count"] > 1 else "")
        for n, f in enumerate(r["fields"]):
            bits = f"{f['low'] + f['bits'] - 1}:{f['low']}" if f["bits"] > 1 else str(f["low"])
            about = f.get("about", "") if len(r["fields"]) > 1 else r["about"]
            if n == 0 and len(r["fields"]) > 1:
                about = f"{r['about']} {about}".strip()
            reset = f" Reset: {f['reset']}." if f.get("reset") else ""
            lead = f"{offset} | `{r['name']}` | {ACCESSES[r['access']]}" if n == 0 else " | | "
            lines.append(f"| {lead} | {bits} | `{f['name']}` | {about}{reset} |")
    return "\n".join(lines) + "\n"


def main():
    registers, size = load()
    stale = []
    for path, make in (("rtl/engine/engine_regs.sv", system_verilog),
                       ("rtl/tests/engine_registers.hpp", header),
                       ("docs/engine-registers.md", page)):
        text, file = make(registers, size), ROOT / path
        if "--write" in sys.argv:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(path)
    if stale:
        sys.exit(f"registers.py: not up to date: {', '.join(stale)}; run rtl/tools/registers.py --write")


if __name__ == "__main__":
    main()
