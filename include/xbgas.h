/* clang-format off */
/* Generated from sim/isa/instructions.toml by sim/isa/generate.py. Change the table, not this file. */
/*
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
__asm__(".pushsection .xbgas, \"MS\", @progbits, 1\n"
        ".asciz \"profile " XBGAS_IN_PROFILE("a", "b") "\"\n"
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

/* Copy a value into e-register `number` (a literal), or out of it. */
#define XBGAS_WRITE_E(number, value) \
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x" #number ", %0, 0\n\t", ".insn i 0x7b, 5, x" #number ", %0, 0\n\t") ::"r"((uint64_t)(value)))
#define XBGAS_READ_E(number)                                              \
    __extension__({                                                       \
        uint64_t xbgas_value_;                                            \
        __asm__ volatile(".insn i 0x7b, 6, %0, x" #number ", 0\n\t" : "=r"(xbgas_value_)); \
        xbgas_value_;                                                     \
    })

/* x[rd] = signed byte at {e[es2], x[rs1]}; the namespace goes through e31. Returns the value. */
static inline int8_t xbgas_erlb(uint64_t ns, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x33, 0, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [ns] "r"(ns), [address] "r"((uint64_t)address) : "memory");
    return (int8_t)value;
}

/* x[rd] = signed byte at {e[rs1], x[rs1] + imm}; the namespace goes through e31. Returns the value. */
static inline int8_t xbgas_elb(uint64_t ns, const volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn i 0x77, 0, %[value], 0(t6)\n\t"
                     : [value] "=&r"(value) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int8_t)value;
}

/* x[rd] = signed 16 bits at {e[es2], x[rs1]}; the namespace goes through e31. Returns the value. */
static inline int16_t xbgas_erlh(uint64_t ns, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x33, 1, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [ns] "r"(ns), [address] "r"((uint64_t)address) : "memory");
    return (int16_t)value;
}

/* x[rd] = signed 16 bits at {e[rs1], x[rs1] + imm}; the namespace goes through e31. Returns the value. */
static inline int16_t xbgas_elh(uint64_t ns, const volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn i 0x77, 1, %[value], 0(t6)\n\t"
                     : [value] "=&r"(value) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int16_t)value;
}

/* x[rd] = signed 32 bits at {e[es2], x[rs1]}; the namespace goes through e31. Returns the value. */
static inline int32_t xbgas_erlw(uint64_t ns, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x33, 2, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [ns] "r"(ns), [address] "r"((uint64_t)address) : "memory");
    return (int32_t)value;
}

/* x[rd] = signed 32 bits at {e[rs1], x[rs1] + imm}; the namespace goes through e31. Returns the value. */
static inline int32_t xbgas_elw(uint64_t ns, const volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn i 0x77, 2, %[value], 0(t6)\n\t"
                     : [value] "=&r"(value) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int32_t)value;
}

/* x[rd] = 64 bits at {e[es2], x[rs1]}; the namespace goes through e31. Returns the value. */
static inline int64_t xbgas_erld(uint64_t ns, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x33, 3, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [ns] "r"(ns), [address] "r"((uint64_t)address) : "memory");
    return (int64_t)value;
}

/* x[rd] = 64 bits at {e[rs1], x[rs1] + imm}; the namespace goes through e31. Returns the value. */
static inline int64_t xbgas_eld(uint64_t ns, const volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn i 0x77, 3, %[value], 0(t6)\n\t"
                     : [value] "=&r"(value) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int64_t)value;
}

/* x[rd] = unsigned byte at {e[es2], x[rs1]}; the namespace goes through e31. Returns the value. */
static inline uint8_t xbgas_erlbu(uint64_t ns, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x33, 4, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [ns] "r"(ns), [address] "r"((uint64_t)address) : "memory");
    return (uint8_t)value;
}

/* x[rd] = unsigned byte at {e[rs1], x[rs1] + imm}; the namespace goes through e31. Returns the value. */
static inline uint8_t xbgas_elbu(uint64_t ns, const volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn i 0x77, 4, %[value], 0(t6)\n\t"
                     : [value] "=&r"(value) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (uint8_t)value;
}

/* x[rd] = unsigned 16 bits at {e[es2], x[rs1]}; the namespace goes through e31. Returns the value. */
static inline uint16_t xbgas_erlhu(uint64_t ns, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x33, 5, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [ns] "r"(ns), [address] "r"((uint64_t)address) : "memory");
    return (uint16_t)value;
}

/* x[rd] = unsigned 16 bits at {e[rs1], x[rs1] + imm}; the namespace goes through e31. Returns the value. */
static inline uint16_t xbgas_elhu(uint64_t ns, const volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn i 0x77, 5, %[value], 0(t6)\n\t"
                     : [value] "=&r"(value) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (uint16_t)value;
}

/* 8 bits at {e[es3], x[rs1]} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_ersb(uint64_t ns, volatile void* address, int8_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 0, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 0, 0x22, x31, %[value], %[address]\n\t")
                     :: [ns] "r"(ns), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* 8 bits at {e[rs1], x[rs1] + imm} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_esb(uint64_t ns, volatile void* address, int8_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn s 0x7b, 0, %[value], 0(t6)\n\t"
                     :: [ns] "r"(ns), [address] "r"(base), [value] "r"(value) : "memory");
}

/* 16 bits at {e[es3], x[rs1]} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_ersh(uint64_t ns, volatile void* address, int16_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 1, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 1, 0x22, x31, %[value], %[address]\n\t")
                     :: [ns] "r"(ns), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* 16 bits at {e[rs1], x[rs1] + imm} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_esh(uint64_t ns, volatile void* address, int16_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn s 0x7b, 1, %[value], 0(t6)\n\t"
                     :: [ns] "r"(ns), [address] "r"(base), [value] "r"(value) : "memory");
}

/* 32 bits at {e[es3], x[rs1]} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_ersw(uint64_t ns, volatile void* address, int32_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 2, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 2, 0x22, x31, %[value], %[address]\n\t")
                     :: [ns] "r"(ns), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* 32 bits at {e[rs1], x[rs1] + imm} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_esw(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn s 0x7b, 2, %[value], 0(t6)\n\t"
                     :: [ns] "r"(ns), [address] "r"(base), [value] "r"(value) : "memory");
}

/* 64 bits at {e[es3], x[rs1]} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_ersd(uint64_t ns, volatile void* address, int64_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 3, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 3, 0x22, x31, %[value], %[address]\n\t")
                     :: [ns] "r"(ns), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* 64 bits at {e[rs1], x[rs1] + imm} = x[rs2]; the namespace goes through e31. */
static inline void xbgas_esd(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn s 0x7b, 3, %[value], 0(t6)\n\t"
                     :: [ns] "r"(ns), [address] "r"(base), [value] "r"(value) : "memory");
}

/* x[rd] = signed 32 bits at {e[rs1], x[rs1]}, and reserve them. The namespace goes through e31. */
static inline int32_t xbgas_elr_w(uint64_t ns, volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x8, %[old], t6, x0\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int32_t)old;
}

/* x[rd] = signed 32 bits at {e[rs1], x[rs1]}, and reserve them; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_elr_w_aqrl(uint64_t ns, volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0xb, %[old], t6, x0\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int32_t)old;
}

/* if still reserved, 32 bits at {e[rs1], x[rs1]} = x[rs2] and x[rd] = 0, else x[rd] = 1. The namespace goes through e31. */
static inline int32_t xbgas_esc_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0xc, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* if still reserved, 32 bits at {e[rs1], x[rs1]} = x[rs2] and x[rd] = 0, else x[rd] = 1; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_esc_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0xf, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* x[rd] = old 32 bits at {e[rs1], x[rs1]}; new = x[rs2]. The namespace goes through e31. */
static inline int32_t xbgas_eamoswap_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x4, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* x[rd] = old 32 bits at {e[rs1], x[rs1]}; new = x[rs2]; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamoswap_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x7, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old + x[rs2]. The namespace goes through e31. */
static inline int32_t xbgas_eamoadd_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x0, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old + x[rs2]; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamoadd_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x3, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old ^ x[rs2]. The namespace goes through e31. */
static inline int32_t xbgas_eamoxor_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x10, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old ^ x[rs2]; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamoxor_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x13, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old & x[rs2]. The namespace goes through e31. */
static inline int32_t xbgas_eamoand_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x30, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old & x[rs2]; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamoand_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x33, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old or x[rs2]. The namespace goes through e31. */
static inline int32_t xbgas_eamoor_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x20, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with new = old or x[rs2]; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamoor_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x23, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the signed minimum. The namespace goes through e31. */
static inline int32_t xbgas_eamomin_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x40, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the signed minimum; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamomin_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x43, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the signed maximum. The namespace goes through e31. */
static inline int32_t xbgas_eamomax_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x50, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the signed maximum; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamomax_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x53, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the unsigned minimum. The namespace goes through e31. */
static inline int32_t xbgas_eamominu_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x60, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the unsigned minimum; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamominu_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x63, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the unsigned maximum. The namespace goes through e31. */
static inline int32_t xbgas_eamomaxu_w(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x70, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* the same with the unsigned maximum; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamomaxu_w_aqrl(uint64_t ns, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x73, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* x[rd] = old 32 bits at {e[rs1], x[rs1]}; new = x[rs2] if they equal the low half of what x[rd] was, else old. The namespace goes through e31. */
static inline int32_t xbgas_eamocas_w(uint64_t ns, volatile void* address, int32_t compare, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old = (uint64_t)compare;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x14, %[old], t6, %[value]\n\t"
                     : [old] "+&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* x[rd] = old 32 bits at {e[rs1], x[rs1]}; new = x[rs2] if they equal the low half of what x[rd] was, else old; acquire and release. The namespace goes through e31. */
static inline int32_t xbgas_eamocas_w_aqrl(uint64_t ns, volatile void* address, int32_t compare, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old = (uint64_t)compare;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 2, 0x17, %[old], t6, %[value]\n\t"
                     : [old] "+&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* as elr.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_elr_d(uint64_t ns, volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x8, %[old], t6, x0\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int64_t)old;
}

/* as elr.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_elr_d_aqrl(uint64_t ns, volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0xb, %[old], t6, x0\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base) : "memory");
    return (int64_t)old;
}

/* as esc.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_esc_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0xc, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as esc.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_esc_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0xf, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoswap.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamoswap_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x4, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoswap.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamoswap_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x7, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoadd.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamoadd_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x0, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoadd.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamoadd_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x3, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoxor.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamoxor_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x10, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoxor.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamoxor_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x13, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoand.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamoand_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x30, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoand.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamoand_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x33, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoor.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamoor_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x20, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamoor.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamoor_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x23, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamomin.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamomin_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x40, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamomin.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamomin_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x43, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamomax.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamomax_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x50, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamomax.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamomax_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x53, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamominu.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamominu_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x60, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamominu.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamominu_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x63, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamomaxu.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamomaxu_d(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x70, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamomaxu.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamomaxu_d_aqrl(uint64_t ns, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x73, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamocas.w, 64 bits. The namespace goes through e31. */
static inline int64_t xbgas_eamocas_d(uint64_t ns, volatile void* address, int64_t compare, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old = (uint64_t)compare;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x14, %[old], t6, %[value]\n\t"
                     : [old] "+&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* as eamocas.w, 64 bits; acquire and release. The namespace goes through e31. */
static inline int64_t xbgas_eamocas_d_aqrl(uint64_t ns, volatile void* address, int64_t compare, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old = (uint64_t)compare;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r 0x6b, 3, 0x17, %[old], t6, %[value]\n\t"
                     : [old] "+&r"(old) : [ns] "r"(ns), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* x[rs3] bytes from {e[rs2], x[rs2]} to the local x[rs1]; x[rd] = x[rs3] when they are there. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_eblb(void* local, uint64_t ns, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 0, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* the same, 16-bit elements. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_eblh(void* local, uint64_t ns, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 1, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* the same, 32-bit elements. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_eblw(void* local, uint64_t ns, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 2, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* the same, 64-bit elements. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_ebld(void* local, uint64_t ns, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 3, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* x[rs3] bytes from the local x[rs1] to {e[rs2], x[rs2]}; x[rd] = x[rs3] when they are there. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_ebsb(const void* local, uint64_t ns, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 0, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* the same, 16-bit elements. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_ebsh(const void* local, uint64_t ns, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 1, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* the same, 32-bit elements. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_ebsw(const void* local, uint64_t ns, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 2, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* the same, 64-bit elements. Returns the number of elements. The namespace goes through e31. */
static inline uint64_t xbgas_ebsd(const void* local, uint64_t ns, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[ns], 0\n\t", ".insn i 0x7b, 5, x31, %[ns], 0\n\t") ".insn r4 0x5b, 3, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [ns] "r"(ns), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_erlb at PE `pe`, one instruction less. */
XBGAS_INLINE int8_t xbgas_pe_erlb(int pe, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x33, 0, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [pe] "r"((long)pe), [address] "r"((uint64_t)address) : "memory");
    return (int8_t)value;
}

/* xbgas_erlh at PE `pe`, one instruction less. */
XBGAS_INLINE int16_t xbgas_pe_erlh(int pe, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x33, 1, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [pe] "r"((long)pe), [address] "r"((uint64_t)address) : "memory");
    return (int16_t)value;
}

/* xbgas_erlw at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_erlw(int pe, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x33, 2, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [pe] "r"((long)pe), [address] "r"((uint64_t)address) : "memory");
    return (int32_t)value;
}

/* xbgas_erld at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_erld(int pe, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x33, 3, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [pe] "r"((long)pe), [address] "r"((uint64_t)address) : "memory");
    return (int64_t)value;
}

/* xbgas_erlbu at PE `pe`, one instruction less. */
XBGAS_INLINE uint8_t xbgas_pe_erlbu(int pe, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x33, 4, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [pe] "r"((long)pe), [address] "r"((uint64_t)address) : "memory");
    return (uint8_t)value;
}

/* xbgas_erlhu at PE `pe`, one instruction less. */
XBGAS_INLINE uint16_t xbgas_pe_erlhu(int pe, const volatile void* address) {
    uint64_t value;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x33, 5, 0x55, %[value], %[address], x31\n\t"
                     : [value] "=r"(value) : [pe] "r"((long)pe), [address] "r"((uint64_t)address) : "memory");
    return (uint16_t)value;
}

/* xbgas_ersb at PE `pe`, one instruction less. */
XBGAS_INLINE void xbgas_pe_ersb(int pe, volatile void* address, int8_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 0, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 0, 0x22, x31, %[value], %[address]\n\t")
                     :: [pe] "r"((long)pe), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* xbgas_ersh at PE `pe`, one instruction less. */
XBGAS_INLINE void xbgas_pe_ersh(int pe, volatile void* address, int16_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 1, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 1, 0x22, x31, %[value], %[address]\n\t")
                     :: [pe] "r"((long)pe), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* xbgas_ersw at PE `pe`, one instruction less. */
XBGAS_INLINE void xbgas_pe_ersw(int pe, volatile void* address, int32_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 2, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 2, 0x22, x31, %[value], %[address]\n\t")
                     :: [pe] "r"((long)pe), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* xbgas_ersd at PE `pe`, one instruction less. */
XBGAS_INLINE void xbgas_pe_ersd(int pe, volatile void* address, int64_t value) {
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") XBGAS_IN_PROFILE(".insn r 0x33, 3, 0x22, %[value], %[address], x31\n\t", ".insn r 0x33, 3, 0x22, x31, %[value], %[address]\n\t")
                     :: [pe] "r"((long)pe), [address] "r"((uint64_t)address), [value] "r"(value) : "memory");
}

/* xbgas_elr_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_elr_w(int pe, volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x8, %[old], t6, x0\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base) : "memory");
    return (int32_t)old;
}

/* xbgas_esc_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_esc_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0xc, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamoswap_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamoswap_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x4, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamoadd_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamoadd_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x0, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamoxor_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamoxor_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x10, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamoand_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamoand_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x30, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamoor_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamoor_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x20, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamomin_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamomin_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x40, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamomax_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamomax_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x50, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamominu_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamominu_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x60, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamomaxu_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamomaxu_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x70, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_eamocas_w at PE `pe`, one instruction less. */
XBGAS_INLINE int32_t xbgas_pe_eamocas_w(int pe, volatile void* address, int32_t compare, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old = (uint64_t)compare;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x14, %[old], t6, %[value]\n\t"
                     : [old] "+&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int32_t)old;
}

/* xbgas_elr_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_elr_d(int pe, volatile void* address) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x8, %[old], t6, x0\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base) : "memory");
    return (int64_t)old;
}

/* xbgas_esc_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_esc_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0xc, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamoswap_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamoswap_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x4, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamoadd_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamoadd_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x0, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamoxor_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamoxor_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x10, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamoand_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamoand_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x30, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamoor_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamoor_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x20, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamomin_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamomin_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x40, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamomax_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamomax_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x50, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamominu_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamominu_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x60, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamomaxu_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamomaxu_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x70, %[old], t6, %[value]\n\t"
                     : [old] "=&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eamocas_d at PE `pe`, one instruction less. */
XBGAS_INLINE int64_t xbgas_pe_eamocas_d(int pe, volatile void* address, int64_t compare, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    uint64_t old = (uint64_t)compare;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x14, %[old], t6, %[value]\n\t"
                     : [old] "+&r"(old) : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
    return (int64_t)old;
}

/* xbgas_eblb at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_eblb(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 0, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_eblh at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_eblh(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 1, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_eblw at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_eblw(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 2, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_ebld at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_ebld(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 3, 3, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_ebsb at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_ebsb(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 0, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_ebsh at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_ebsh(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 1, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_ebsw at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_ebsw(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 2, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_ebsd at PE `pe`, one instruction less. */
XBGAS_INLINE uint64_t xbgas_pe_ebsd(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    uint64_t done;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 3, 2, %[done], %[local], t6, %[count]\n\t"
                     : [done] "=&r"(done)
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
    return done;
}

/* xbgas_pe_eamoswap_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoswap_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x4, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoadd_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoadd_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x0, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoxor_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoxor_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x10, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoand_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoand_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x30, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoor_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoor_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x20, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamomin_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamomin_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x40, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamomax_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamomax_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x50, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamominu_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamominu_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x60, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamomaxu_w without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamomaxu_w(int pe, volatile void* address, int32_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 2, 0x70, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoswap_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoswap_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x4, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoadd_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoadd_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x0, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoxor_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoxor_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x10, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoand_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoand_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x30, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamoor_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamoor_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x20, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamomin_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamomin_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x40, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamomax_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamomax_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x50, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamominu_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamominu_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x60, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eamomaxu_d without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eamomaxu_d(int pe, volatile void* address, int64_t value) {
    register uint64_t base __asm__("t6") = (uint64_t)address;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r 0x6b, 3, 0x70, x0, t6, %[value]\n\t"
                     :  : [pe] "r"((long)pe), [address] "r"(base), [value] "r"((uint64_t)value) : "memory");
}

/* xbgas_pe_eblb without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eblb(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 0, 3, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

/* xbgas_pe_eblh without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eblh(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 1, 3, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

/* xbgas_pe_eblw without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_eblw(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 2, 3, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

/* xbgas_pe_ebld without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_ebld(void* local, int pe, const volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 3, 3, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

/* xbgas_pe_ebsb without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_ebsb(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 0, 2, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

/* xbgas_pe_ebsh without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_ebsh(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 1, 2, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

/* xbgas_pe_ebsw without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_ebsw(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 2, 2, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

/* xbgas_pe_ebsd without a result: complete behind the next xbgas_fence(). */
XBGAS_INLINE void xbgas_pe_post_ebsd(const void* local, int pe, volatile void* remote, uint64_t count) {
    register uint64_t base __asm__("t6") = (uint64_t)remote;
    __asm__ volatile(XBGAS_IN_PROFILE(".insn i 0x7b, 7, x31, %[pe], 1\n\t", ".insn i 0x7b, 5, x31, %[pe], 1\n\t") ".insn r4 0x5b, 3, 2, x0, %[local], t6, %[count]\n\t"
                     : 
                     : [pe] "r"((long)pe), [local] "r"((uint64_t)local), [remote] "r"(base), [count] "r"(count)
                     : "memory");
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif
#ifdef __cplusplus
}
#endif
#endif /* XBGAS_H */
