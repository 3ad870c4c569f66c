# Loads from several nodes at once, whose replies come to one node together; and refusals, which come while a reply does, at
# any distance. The program ends with 0, or the number of the check that failed.
.include "xbgas.inc"
#include "self_check.inc"
.option norelax
.globl _start, tohost
.section .text.start
.macro node of, is
    addi t0, t0, 1
    remu t1, t0, s1
    eaddie \of, t1, 1
    la \is, box
.endm
_start:
    la t0, handler
    csrw mtvec, t0
    eaddi s0, e10, 0            # this node
    eaddi s1, e11, 0            # how many
    li s11, 0                   # checks done
    mv t0, s0
    node e12, a2
    node e13, a3
    node e14, a4
    node e15, a5
.set n, 0
.rept 48
    .set o0, n % 16
    .set o1, (n + 5) % 16
    .set o2, (n + 9) % 16
    .set o3, (n + 13) % 16
    eld s3, 8 * o0(a2)
    eld s4, 8 * o1(a3)
    eld s5, 8 * o2(a4)
    eld s6, 8 * o3(a5)
    li t0, o0 + 1
    check s3, t0
    li t0, o1 + 1
    check s4, t0
    li t0, o2 + 1
    check s5, t0
    li t0, o3 + 1
    check s6, t0
    .set n, n + 1
.endr
    # No such node.
    li t0, 1000
    eaddie e16, t0, 0
    la a6, box
    addi s8, a6, 16
    li t1, 42
.set n, 0
.rept 48
    li s9, 0
    li t5, 42
    eld t4, 8(a2)
    .rept n
    nop
    .endr
    eld t5, 16(a6)
    fence
    addi s11, s11, 1
    beqz s9, failed
    check t5, t1
    li t0, 2
    check t4, t0
    .set n, n + 1
.endr
    li s11, 0
    end_of_checks

.balign 4
handler:
    csrw mscratch, t6
    csrr t6, mcause
    addi t6, t6, -5
    bnez t6, failed
    csrr t6, mtval
    bne t6, s8, failed
    addi s9, s9, 1
    csrr t6, mscratch
    mret

    word_of_host
.data
.balign 64
box: .8byte 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
