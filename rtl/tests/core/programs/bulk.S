# Blocks between the memories of nodes: each width in both directions, from and to every offset of a word, of no element
# and of many; over the end of memory on either side, where the trap names the first byte that is not there, what comes
# before it has been moved and nothing else; and once more from the beginning where the handler has mended the address.
# e10 and e11 are the node and their number; memory is 16 MB. The program ends with 0, or the number of the check that
# failed.
.include "xbgas.inc"
#include "self_check.inc"
.option norelax
.globl _start, tohost
.equ memory_end, 0x81000000
.section .text.start
_start:
    la t0, handler
    csrw mtvec, t0
    eaddi s0, e10, 0            # this node
    eaddi s1, e11, 0            # how many
    addi t0, s0, 1
    remu s2, t0, s1             # the neighbour
    li s11, 0                   # checks done
    li s9, 0                    # the handler skips what traps

# Registers of bulk transfers: a1 the remote address in namespace e11, a2 the local one, a3 the count.
.macro neighbour
    eaddie e11, s2, 1
.endm

    # The own box: byte i is 3 i + node.
    la a2, source
    li t1, 256
    mv t2, s0
1:  sb t2, 0(a2)
    addi a2, a2, 1
    addi t2, t2, 3
    addi t1, t1, -1
    bnez t1, 1b
    call barrier

    # Gets and puts of 0 to 24 bytes with every offset of both sides, into a box that is 0x55 around them.
    li s3, 0                    # remote offset
outer:
    li s4, 0                    # local offset
inner:
    li s5, 0                    # bytes
lengths:
    call clear
    la a1, source
    add a1, a1, s3
    la a2, box
    add a2, a2, s4
    mv a3, s5
    neighbour
    li a5, -1
    eblb a5, a2, a1, a3
    check a5, s5
    mv a6, s2                   # whose bytes
    call compare
    # And out of the own source into the neighbour's sink, and back.
    la a2, source
    add a2, a2, s4
    la a1, sink
    add a1, a1, s3
    ebsb a5, a2, a1, a3
    check a5, s5
    call clear
    la a2, box
    add a2, a2, s4
    eblb a5, a2, a1, a3
    mv a6, s0
    mv t5, s3
    mv s3, s4
    call compare
    mv s3, t5
    addi s5, s5, 3
    li t0, 27
    bne s5, t0, lengths
    addi s4, s4, 3
    li t0, 9
    bne s4, t0, inner
    addi s3, s3, 5
    li t0, 15
    bne s3, t0, outer

    # Wider elements are so many bytes.
.macro wide size, load, store
    call clear
    la a1, source+1
    la a2, box+2
    li a3, 24 / \size
    \load a5, a2, a1, a3
    li t0, 24 / \size
    check a5, t0
    li s3, 1
    li s4, 2
    li s5, 24
    mv a6, s2
    call compare
    la a2, source+3
    la a1, sink+1
    \store x0, a2, a1, a3
    fence
    call clear
    la a2, box+4
    \load a5, a2, a1, a3
    li s3, 3
    li s4, 4
    mv a6, s0
    call compare
.endm
    wide 2, eblh, ebsh
    wide 4, eblw, ebsw
    wide 8, ebld, ebsd

    # The own memory, by namespace 0.
    call clear
    eaddie e11, x0, 0
    la a1, source+5
    la a2, box+1
    li a3, 20
    eblb a5, a2, a1, a3
    li s3, 5
    li s4, 1
    li s5, 20
    mv a6, s0
    call compare

    # Over the end. The last 21 bytes of memory are 7 i + 1 of the node.
    li a2, memory_end - 21
    li t2, 1
1:  sb t2, 0(a2)
    addi t2, t2, 7
    addi a2, a2, 1
    li t0, memory_end
    bne a2, t0, 1b
    call barrier
    li s8, memory_end           # what mtval is to be
.macro faults cause, text:vararg
    li s10, \cause
    \text
    check s10, x0
.endm
    neighbour
    call clear
    li a1, memory_end - 21
    la a2, box+3
    li a3, 40
    li a5, 77
    faults 5, eblb a5, a2, a1, a3
    li t0, 77
    check a5, t0
    lbu t1, 20(a2)              # the last one, and the one behind it
    li t0, 141
    check t1, t0
    lbu t1, 21(a2)
    li t0, 0x55
    check t1, t0
    li a3, 10
    faults 5, eblw a5, a2, a1, a3
    # The own side ends: of a load it is written, of a store read.
    mv t4, a1
    la a1, source
    li a2, memory_end - 13
    li a3, 3
    faults 7, ebld a5, a2, a1, a3
    lbu t1, 12(a2)
    addi t0, s2, 36
    andi t0, t0, 255
    check t1, t0
    la a1, sink
    li a4, 9
    faults 5, ebsh a5, a2, a1, a4
    lbu t1, 12(a2)
    elbu t2, 12(a1)
    check t1, t2
    mv a1, t4
    la a2, source
    faults 7, ebsw a5, a2, a1, a4
    # No such node, and more bytes than there are numbers.
    mv s8, a1
    li t0, 1000
    eaddie e11, t0, 0
    li a3, 4
    faults 5, eblb a5, a2, a1, a3
    faults 7, ebsb a5, a2, a1, a3
#if __riscv_xlen == 64
    neighbour
    li a3, 1
    slli a3, a3, 61
    faults 5, ebld a5, a2, a1, a3
    faults 7, ebsd a5, a2, a1, a3
#endif
    call barrier

    # The handler takes the block further down, and it goes on from its beginning.
    neighbour
    call clear
    li s8, memory_end
    li a1, memory_end - 21
    la a2, box
    li a3, 24
    li s9, 1
    li s10, 5
    eblb a5, a2, a1, a3
    check s10, x0
    check a5, a3
    li s3, 2
    li s4, 0
    li s5, 24
    mv a6, s2
    call compare
    li s11, 0
    call barrier
    end_of_checks

# 64 bytes of 0x55.
clear:
    la t0, box
    li t1, 0x55555555
    li t2, 16
1:  sw t1, 0(t0)
    addi t0, t0, 4
    addi t2, t2, -1
    bnez t2, 1b
    ret

# box + s4 has s5 bytes of node a6's source + s3, and 0x55 on both sides.
compare:
    la t0, box
    li t1, 0
1:  lbu t2, 0(t0)
    li t3, 0x55
    bltu t1, s4, 2f
    sub t4, t1, s4
    bgeu t4, s5, 2f
    add t4, t4, s3
    slli t3, t4, 1
    add t3, t3, t4
    add t3, t3, a6
    andi t3, t3, 255
2:  bne t2, t3, failed
    addi t0, t0, 1
    addi t1, t1, 1
    li t2, 64
    bne t1, t2, 1b
    addi s11, s11, 1
    ret

barrier:
    la a5, arrived
    eaddie e15, x0, 1
    addi s7, s7, 1              # rounds
    li a6, 1
    eamoadd.w x0, a6, (a5)
    mul a7, s7, s1
1:  elw a6, 0(a5)
    bltu a6, a7, 1b
    ret

.balign 4
handler:
    csrr t3, mcause
    addi s11, s11, 1
    bne t3, s10, failed
    csrr t3, mtval
    bne t3, s8, failed
    li s10, 0
    la t3, source+2             # where s9 is set the instruction is done again
    bnez s9, 1f
    csrr t3, mepc
    addi t3, t3, 4
    csrw mepc, t3
    mret
1:  mv a1, t3
    mret

    word_of_host
.data
.balign 64
box: .zero 64
sink: .zero 64
source: .zero 256
arrived: .8byte 0
