# Nodes that work in each other's memory by each instruction of xBGAS that a core has: a ring of puts and
# gets of each width, atomics of all at node 0, a barrier of them, what address management does, and
# faults where no namespace is. e10 and e11 are the node and their number. A profile's encodings come by
# the include file. The program ends with 0, or the number of the check that failed.
.include "xbgas.inc"
#include "self_check.inc"
.option norelax
.globl _start, tohost
.section .text.start
_start:
    la t0, handler
    csrw mtvec, t0
    eaddi s0, e10, 0            # this node
    eaddi s1, e11, 0            # how many
    addi t0, s0, 1
    remu s2, t0, s1             # the neighbour
    eaddie e20, s2, 1           # its namespace
    li s11, 0                   # checks done


    # Address management.
    eaddie e21, s2, -5
    eaddix e22, e21, 7
    eaddi t0, e22, -1
    addi t1, s2, 1
    check t0, t1
    eaddie e0, s2, 9            # e0 stays 0
    eaddi t0, e0, 3
    li t1, 3
    check t0, t1

    # Puts of each width into the neighbour's box, by register and by offset.
    la a0, box
    li t0, 0x5a
    add t0, t0, s0
    ersb t0, a0, e20
    la a1, box
    eaddie e11, s2, 1           # the namespace of a1
    li t1, 0x1234
    add t1, t1, s0
    esh t1, 2(a1)
    li t2, 0x70000001
    add t2, t2, s0
    esw t2, 4(a1)
#if __riscv_xlen == 64
    li t3, 0x0123456789abcdef
    add t3, t3, s0
    addi a2, a1, 8
    ersd t3, a2, e20
    eaddie e23, t3, 0
    addi a2, a1, 16
    erse e23, a2, e20
#else
    li t3, 0x89abcdef
    add t3, t3, s0
    addi a2, a1, 8
    ersw t3, a2, e20
#endif
    call barrier

    # What the neighbour's box has, read from there: this node has put it. Signs as well.
    lbu t4, 0(a1)
    elbu a4, 0(a1)
    check a4, t0
    elh a4, 2(a1)
    check a4, t1
    erlw a4, a1, e20
    elw a4, 4(a1)
    check a4, t2
    addi a2, a1, 8
#if __riscv_xlen == 64
    erld a4, a2, e20
    check a4, t3
    addi a2, a1, 16
    erle e24, a2, e20
    eaddi a4, e24, 0
    check a4, t3
    la a3, box                  # local words of extended registers
    ese e24, 32(a3)
    ld a4, 32(a3)
    check a4, t3
    ele e25, 32(a3)
    eaddi a4, e25, 0
    check a4, t3
    addi a2, a1, 12
    erlw a4, a2, e20
    srai a5, t3, 32
    check a4, a5
#else
    erlw a4, a2, e20
    check a4, t3
#endif
    erlb a4, a2, e20
    addi a2, a1, 11
    erlbu a5, a2, e20
    # Namespace 0 is the own memory.
    eaddie e12, x0, 0
    la a2, scratch
    li t0, -77
    esh t0, 2(a2)
    lh a4, 2(a2)
    check a4, t0
    elhu a4, 2(a2)
    li t1, 0xffff
    and t1, t1, t0
    check a4, t1

    # All count at node 0, by add, by a loop of compare-and-swap, by a loop of reservations.
    la a3, counter
    eaddie e13, x0, 1
    li t0, 1
    eamoadd.w t1, t0, (a3)
1:  elw t1, 0(a3)
    addi t2, t1, 1
    mv t3, t1
    eamocas.w t3, t2, (a3)
    bne t3, t1, 1b
1:  elr.w t1, (a3)
    addi t2, t1, 1
    esc.w t3, t2, (a3)
    bnez t3, 1b
    addi a3, a3, 8
    eaddie e13, x0, 1
    sll t2, t0, s0
    eamoor.w t1, t2, (a3)
    eamomax.w t1, s0, (a3)
    eamoxor.w t1, x0, (a3)
    call barrier
    la a3, counter
    elw t1, 0(a3)
    slli t2, s1, 1
    add t2, t2, s1
    check t1, t2
    esc.w t3, t2, (a3)          # nothing is reserved any more
    li t2, 1
    check t3, t2

    # A reservation of a negative word holds once, also where the word stays as it was.
    la a3, scratch
    eaddie e13, s0, 1
    li t2, -9
    sw t2, 0(a3)
    elr.w t1, (a3)
    check t1, t2
    esc.w t3, t2, (a3)
    check t3, x0
    esc.w t3, t2, (a3)
    li t1, 1
    check t3, t1

    # Node 0 stores to a word that the others add to: nothing comes between what they read and write.
    la a3, contended
    eaddie e13, x0, 1
    li t0, 12
    bnez s0, 2f
    li t0, 200
1:  sw t0, 0(a3)
    addi t0, t0, -1
    bnez t0, 1b
2:  eamoadd.w x0, t0, (a3)
    addi t0, t0, -1
    bgtz t0, 2b
    call barrier

    # No such node: a precise trap, with the address, and nothing written.
.macro faults cause, text:vararg
    li s10, \cause
    \text
    check s10, x0
.endm
    li t1, 42
    li t5, 42
    li t0, 1000
    eaddie e14, t0, 0
    la a4, box
    addi s7, a4, 4
    faults 5, elw t5, 4(a4)
    faults 7, esw t5, 4(a4)
    mv s7, a4
    faults 7, eamoadd.w t5, t1, (a4)
    faults 5, elr.w t5, (a4)
#if __riscv_xlen == 64
    eaddie e25, t1, 0
    faults 5, erle e25, a4, e14
    eaddi t2, e25, 0
    check t2, t1
#endif
    # Atomics are aligned, on other nodes as well.
    eaddie e14, x0, 1
    addi a4, a4, 2
    mv s7, a4
    faults 6, eamoadd.w t5, t1, (a4)
    faults 4, elr.w t5, (a4)
    faults 6, esc.w t5, t1, (a4)
    # Other accesses need it only of the own memory.
    elw a5, 0(a4)
    eaddie e14, x0, 0
    addi s7, a4, 4
    faults 4, elw t5, 4(a4)
    faults 6, esw t5, 4(a4)
    # No memory at an address of the own node.
    li a4, 0xffffc
    li s7, 0x100000
    faults 5, elw t5, 4(a4)
    faults 7, esw t5, 4(a4)
    addi a4, a4, 4
    faults 7, eamoadd.w t5, t1, (a4)
    faults 5, elr.w t5, (a4)
    check t5, t1
    li s10, 0
    check s10, x0
    li s11, 0
    call barrier
    end_of_checks

# Arrive at node 0, wait for its round.
barrier:
    la a5, arrived
    eaddie e15, x0, 1
    addi s3, s3, 1              # rounds
    li a6, 1
    eamoadd.w x0, a6, (a5)
    mul a7, s3, s1
1:  elw a6, 0(a5)
    bltu a6, a7, 1b
    fence
    ret

    handler_of_one_trap

    word_of_host
.data
.balign 64
box: .zero 64
scratch: .8byte 0
counter: .8byte 0, 0
arrived: .8byte 0
contended: .8byte 0
