"""Writes what programs include: xbgas.inc for the assembler, xbgas.h for C."""

import re

from table import BANNER, by_name, fixed_part, insn_directive, write, xbgas_rows

ABI = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6").split()


def write_assembler(rows, path):
    """Macros for the GNU assembler: one .insn each. See the head of the file it writes."""
    out = [f"# {BANNER}",
           "# xBGAS mnemonics for an unmodified GNU assembler.",
           "#   as xbgas.inc program.s      gcc -Wa,path/xbgas.inc -c program.c      .include \"xbgas.inc\"",
           "# Profile B (specification 2.0.0) unless --defsym XBGAS_PROFILE_A=1 is given before it.",
           "# A memory operand must contain no blanks. ele and ese take a plain number as offset, not %lo().",
           ".ifndef .LxBGAS_included", ".set .LxBGAS_included, 1",
           ".ifdef XBGAS_PROFILE_A", ".set .LxBGAS_a, XBGAS_PROFILE_A", ".else", ".set .LxBGAS_a, 0", ".endif",
           "# Tells the simulator which profile the program is for.",
           '.pushsection .xbgas, "MS", @progbits, 1', ".if .LxBGAS_a", '.asciz "profile a"', ".else",
           '.asciz "profile b"', ".endif", ".popsection"]
    # An address is as long as a register.
    out += ['.pushsection .xbgas.xlen, "e", @progbits', ".LxBGAS_word: .dc.a 0", ".LxBGAS_word_end:", ".popsection",
            ".set .LxBGAS_32, (.LxBGAS_word_end - .LxBGAS_word) == 4"]
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
        lines = where_it_is(forms, lines)
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


def where_it_is(forms, lines):
    """Refused on RV32 if it is RV64's only."""
    if any(form.xlens != 2 for form in forms):
        return lines
    return [".if .LxBGAS_32", f'.error "{forms[0].name} does not exist on RV32"', ".else", *lines, ".endif"]


def write_atomic_macros(out, row):
    """The four orderings of one remote atomic. '(rs1)' needs a form with an offset: imm holds funct7 and rd."""
    opcode, f3 = row.match & 0x7F, fixed_part(row, 12, 3)
    load = "rs2" not in row.asm
    for suffix, bits in (("", 0), (".aq", 2), (".rl", 1), (".aqrl", 3)):
        f7 = (fixed_part(row, 27, 5) << 2) | bits
        name = row.name + suffix
        if load:
            value = (f7 << 5) - (4096 if f7 & 64 else 0)
            out += [f".macro {name} q_rd, q_memory",
                    *where_it_is([row], [f".insn i {opcode:#x}, {f3}, \\q_rd, {value}\\q_memory"]), ".endm"]
        else:
            high = (f7 << 5) - (4096 if f7 & 64 else 0)
            out += [f".macro .LxM_{name} q_imm, q_rs2, q_memory", ".noaltmacro",
                    *where_it_is([row], [f".insn s {opcode:#x}, {f3}, \\q_rs2, \\q_imm\\q_memory"]), ".endm",
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
        # The value as it is: its upper bits are nobody's business, so nobody extends it.
        out.append(f"""/* {names[f"ers{suffix}"][0].text}; the namespace goes through e31. */
static inline void xbgas_ers{suffix}(uint64_t ns, volatile void* address, {kind} value) {{
    __asm__ volatile({set_namespace} {access}
                     :: [ns] "r"(ns), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}}
""")
        access = directive(f"es{suffix}", {"rs2": "%[value]", "memory": "0(t6)"})
        out.append(f"""/* {names[f"es{suffix}"][0].text}; the namespace goes through e31. */
static inline void xbgas_es{suffix}(uint64_t ns, volatile void* address, {kind} value) {{
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile({set_namespace} {access}
                     :: [ns] "r"(ns), [address] "r"(base), [value] "r"(value) : "memory");
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
        # What it wants to find stands in the register of the result.
        compares = name.startswith("eamocas")
        for suffix, bits in (("", 0), ("_aqrl", 3)):
            f7 = (fixed_part(row, 27, 5) << 2) | bits
            word = f'".insn r {opcode:#x}, {f3}, {f7:#x}, %[old], t6, {"x0" if load else "%[value]"}\\n\\t"'
            value = "" if load else f", {kind} compare, {kind} value" if compares else f", {kind} value"
            constraint = "" if load else ', [value] "r"((uint64_t)value)'
            old, result = ("old = (uint64_t)compare", "+&r") if compares else ("old", "=&r")
            out.append(f"""/* {row.text}{"; acquire and release" if bits else ""}. The namespace goes through e31. */
static inline {kind} {function}{suffix}(uint64_t ns, volatile void* address{value}) {{
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t {old};
    __asm__ volatile({set_namespace} {word}
                     : [old] "{result}"(old) : [ns] "r"(ns), [address] "r"(base){constraint} : "memory");
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
    out.append("#ifdef __clang__\n#pragma clang diagnostic pop\n#endif\n"
               "#ifdef __cplusplus\n}\n#endif\n#endif /* XBGAS_H */")
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


POSTED_FORMS = re.compile(r"xbgas_pe_(eamo(?!cas)[a-z]+_[wd]|eb[ls][bhwd])\(")


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
/* Tells the simulator which profile the program is for. */
__asm__(".pushsection .xbgas, \\"MS\\", @progbits, 1\\n"
        ".asciz \\"profile " XBGAS_IN_PROFILE("a", "b") "\\"\\n"
        ".popsection");

/* May be used from the inline functions of other headers. */
#define XBGAS_INLINE extern inline __attribute__((gnu_inline, always_inline))

#ifdef __cplusplus
extern "C" {
#endif

/* Clang warns of C's casts within extern "C", too. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wold-style-cast"
#endif

/* The namespace of PE `pe`. */
static inline uint64_t xbgas_namespace(int pe) { return (uint64_t)pe + 1; }

/* Completes every remote access this hart has issued. */
XBGAS_INLINE void xbgas_fence(void) { __asm__ volatile("fence" ::: "memory"); }
"""
