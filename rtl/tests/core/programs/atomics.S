# The A extension: each operation on words and doubles, reservations, traps; on several nodes against the others'
# remote atomics. s11 counts the checks; the program ends with 0, or with the number of the first that failed.
.include "xbgas.inc"
#include "self_check.inc"
.option norelax
.option arch, +a
.globl _start, tohost
.section .text.start
# What memory had comes to the register, extended; memory has \new, and beside it nothing changes.
.macro operation name, old, operand, new
    li t1, \old
    li t2, \operand
    li t3, \new
    sw t1, 0(a0)
    sw s6, 4(a0)
    amo\name\().w t4, t2, (a0)
    check t4, t1
    lw t4, 0(a0)
    check t4, t3
    lw t4, 4(a0)
    check t4, s6
.endm
#if __riscv_xlen == 64
.macro operation_d name, old, operand, new
    li t1, \old
    li t2, \operand
    li t3, \new
    sd t1, 0(a0)
    amo\name\().d t4, t2, (a0)
    check t4, t1
    ld t4, 0(a0)
    check t4, t3
.endm
#endif
# \text traps with \cause and the address in s7, and t5 keeps what it had.
.macro faults cause, text:vararg
    li s10, \cause
    \text
    check s10, x0
    check t5, s6
.endm
_start:
    csrr s0, mhartid
    eaddi s1, e11, 0            # nodes
    la t0, handler
    csrw mtvec, t0
    li s10, 0
    li s11, 0
    li s6, 0x5a5a5a5a
    la a0, word
    csrr t0, misa
    andi t0, t0, 1
    bnez t0, 1f
    check x0, s6
1:
    operation swap, -5, 7, 7
    operation add, 0x7fffffff, 1, -0x80000000
    operation add, -1, 1, 0
    operation xor, 0x0f0f0f0f, -1, -0x0f0f0f10
    operation and, 0x0ff0, -256, 0x0f00
    operation or, 0x0ff0, 0xf, 0x0fff
    operation min, -3, 4, -3
    operation min, 4, -3, -3
    operation max, -3, 4, 4
    operation max, 4, -3, 4
    operation minu, -3, 4, 4
    operation minu, 4, -3, 4
    operation maxu, -3, 4, -3
    operation maxu, 4, -3, -3
    operation min, 2, 2, 2
    # Of the operand only the lower half counts.
#if __riscv_xlen == 64
    li t1, 5
    sw t1, 0(a0)
    li t2, 0x300000004
    amomaxu.w t4, t2, (a0)
    check t4, t1
    lw t4, 0(a0)
    check t4, t1
    operation_d swap, -5, 0x123456789abcdef0, 0x123456789abcdef0
    operation_d add, 0xffffffff, 1, 0x100000000
    operation_d xor, 0x0f0f0f0f0f0f0f0f, -1, -0x0f0f0f0f0f0f0f10
    operation_d and, 0x0ff0000000000ff0, -256, 0x0ff0000000000f00
    operation_d or, 0x0ff0000000000ff0, 0xf, 0x0ff0000000000fff
    operation_d min, -0x100000000, 4, -0x100000000
    operation_d max, 0x80000000, 0x7fffffff, 0x80000000
    operation_d minu, -3, 0x80000000, 0x80000000
    operation_d maxu, 0x80000000, -3, -3
    # The upper word of a double, in its lanes.
    sd s6, 0(a0)
    addi a1, a0, 4
    li t2, 9
    amoadd.w t4, t2, (a1)
    check t4, x0
    ld t4, 0(a0)
    slli t2, t2, 32
    add t2, t2, s6
    check t4, t2
#endif
    # Its own operand, its own address, nowhere.
    li t1, 6
    sw t1, 0(a0)
    amoadd.w t1, t1, (a0)
    li t2, 6
    check t1, t2
    mv t1, a0
    amoswap.w t1, t2, (t1)
    li t2, 12
    check t1, t2
    amoor.w x0, t2, (a0)
    lw t1, 0(a0)
    li t2, 14
    check t1, t2
    # The next one reads and computes with what came.
    amoadd.w t1, t2, (a0)
    amoadd.w t3, t1, (a0)
    add t3, t3, t1
    li t2, 42
    check t3, t2

    # Reservations: one store, of the same word, as long as it stays as it was.
    li t1, 1
    li t2, -9
    sw t2, 0(a0)
    sc.w t3, t2, (a0)           # none
    check t3, t1
    lr.w t4, (a0)
    check t4, t2
    li t5, 77
    sc.w t3, t5, (a0)
    check t3, x0
    lw t4, 0(a0)
    check t4, t5
    sc.w t3, t2, (a0)           # it is used up
    check t3, t1
    lr.w t4, (a0)
    sw t2, 0(a0)                # changed
    sc.w t3, t5, (a0)
    check t3, t1
    lw t4, 0(a0)
    check t4, t2
    addi a1, a0, 8
    sw t2, 0(a1)
    lr.w t4, (a0)
    sc.w t3, t5, (a1)           # of another word that has the same in it, and that is its end
    check t3, t1
    sc.w t3, t5, (a0)
    check t3, t1
    lr.w t4, (a0)
    lr.w t4, (a1)               # the last one counts
    sc.w t3, t5, (a0)
    check t3, t1
    lr.w t4, (a0)
    amoadd.w x0, t1, (a0)
    sc.w t3, t5, (a0)
    check t3, t1
    lw t4, 0(a0)
    addi t2, t2, 1
    check t4, t2
    # A store-conditional right behind its load, its result read at once.
    lr.w t4, (a0)
    sc.w t4, x0, (a0)
    seqz t4, t4
    check t4, t1
#if __riscv_xlen == 64
    li t2, -0x123456789a
    sd t2, 0(a0)
    lr.d t4, (a0)
    check t4, t2
    sc.w t3, x0, (a0)           # of another size
    check t3, t1
    lr.d t4, (a0)
    li t5, 0x600000007
    sc.d t3, t5, (a0)
    check t3, x0
    ld t4, 0(a0)
    check t4, t5
    lr.d t4, (a0)
    sw t1, 4(a0)                # the half that no word of 32 bits at this address has
    sc.d t3, t5, (a0)
    check t3, t1
#endif

    # Traps: precise, with the address; a reservation outlives them.
    mv t5, s6
    addi a1, a0, 2
    mv s7, a1
    sw x0, 0(a0)
    lr.w t4, (a0)
    faults 4, lr.w t5, (a1)
    faults 6, sc.w t5, t1, (a1)
    faults 6, amoadd.w t5, t1, (a1)
    sc.w t3, t1, (a0)
    check t3, x0
#if __riscv_xlen == 64
    addi a1, a0, 4
    mv s7, a1
    faults 4, lr.d t5, (a1)
    faults 6, amoswap.d t5, t1, (a1)
#endif
    li a1, 0x100000             # no memory
    mv s7, a1
    faults 5, lr.w t5, (a1)
    faults 7, amoadd.w t5, t1, (a1)
    sc.w t3, t1, (a1)           # without a reservation it does not come so far
    check t3, t1
    li s10, 0

    # A counter at node 0, which it adds to by both ways, the others by remote atomics: nothing comes between.
    li t0, 100
    bnez s0, 3f
    la a0, counter
1:  amoadd.w x0, t1, (a0)
2:  lr.w t4, (a0)
    addi t4, t4, 1
    sc.w t3, t4, (a0)
    bnez t3, 2b
    addi t0, t0, -1
    bnez t0, 1b
    la a1, arrived
1:  lw t4, 0(a1)
    addi t4, t4, 1
    bne t4, s1, 1b
    fence
    li t0, 100
    mul t4, t0, s1
    add t4, t4, t0
    lw t3, 0(a0)
    check t3, t4
    j done
3:  la a3, counter
    eaddie e13, x0, 1
1:  eamoadd.w x0, t1, (a3)
    addi t0, t0, -1
    bnez t0, 1b
    la a3, arrived
    eamoadd.w x0, t1, (a3)
done:
    li s11, 0
    end_of_checks

    handler_of_one_trap

    word_of_host
.data
.balign 64
word: .zero 64
counter: .8byte 0
arrived: .8byte 0
