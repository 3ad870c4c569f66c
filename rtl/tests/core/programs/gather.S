# A gather: 256 words of the neighbour's memory, one in 64 bytes, eight loads and then their sum. Its cycles say how
# many remote loads overlap. Ends with 0 if the sum is what it should be.
.include "xbgas.inc"
.option norelax
.globl _start, tohost
.section .text.start
_start:
    eaddi s0, e10, 0
    eaddi s1, e11, 0
    addi t0, s0, 1
    remu s2, t0, s1
    eaddie e12, s2, 1           # the namespace of a2
    la a2, table
    li s3, 32
    li s4, 0
1:  eld t0, 0(a2)
    eld t1, 64(a2)
    eld t2, 128(a2)
    eld t3, 192(a2)
    eld t4, 256(a2)
    eld t5, 320(a2)
    eld t6, 384(a2)
    eld a3, 448(a2)
    add s4, s4, t0
    add s4, s4, t1
    add s4, s4, t2
    add s4, s4, t3
    add s4, s4, t4
    add s4, s4, t5
    add s4, s4, t6
    add s4, s4, a3
    addi a2, a2, 512
    addi s3, s3, -1
    bnez s3, 1b
    li t0, 32640                # 0 + 1 + ... + 255
    sub a0, s4, t0
    snez a0, a0
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
    sw a0, 0(t0)
1:  j 1b
.section .tohost, "aw"
.balign 64
tohost: .8byte 0
.data
.balign 64
table:
.set i, 0
.rept 256
    .8byte i
    .zero 56
    .set i, i + 1
.endr
