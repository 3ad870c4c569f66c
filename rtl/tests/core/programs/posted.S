# Remote loads and stores that are under way behind their instruction: their registers wait for them, a fence for all,
# a store for the loads in front of it, a load for one that it meets; one that fails traps later, with its address, and
# its register keeps what it had. Other nodes' memory is the neighbour's. The program ends with 0, or the number of
# the check that failed.
.include "xbgas.inc"
#include "self_check.inc"
.option norelax
.globl _start, tohost
.section .text.start
_start:
    la t0, handler
    csrw mtvec, t0
    li t0, 0x888
    csrw mie, t0
    csrsi mstatus, 8            # interrupts come where the test has them
    eaddi s0, e10, 0            # this node
    eaddi s1, e11, 0            # how many
    addi t0, s0, 1
    remu s2, t0, s1             # the neighbour
    eaddie e12, s2, 1           # the namespace of a2
    la a2, box
    li s11, 0                   # checks done


    # More stores than may be under way, then loads of them: a fence is between, as they have no order otherwise.
    li t0, 0x1122334455667788
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    addi t0, t0, 1
    esd t0, 8 * \i(a2)
.endr
    fence
    eld a3, 0(a2)
    eld a4, 8(a2)
    eld a5, 16(a2)
    eld a6, 24(a2)
    eld a7, 32(a2)
    eld s3, 40(a2)
    eld s4, 48(a2)
    eld s5, 56(a2)
    eld s6, 64(a2)
    # Its value is computed with, is a store's data, an address, a jump's target.
    eld s7, 72(a2)
    check s7, t0
    addi t1, t0, -9
    check a3, t1
    addi t1, t1, 1
    check a4, t1
    addi t1, t1, 3
    check a7, t1
    addi t1, t0, -1
    check s6, t1
    # A register that is still to be written is written again: the later one stays.
    eld t2, 0(a2)
    li t2, 5
    li t3, 5
    check t2, t3
    eld t2, 0(a2)
    elbu t2, 8(a2)
    andi t3, a4, 0xff
    check t2, t3
    # Signs and widths; x0 takes what comes.
    li t3, -3
    esd t3, 0(a2)
    fence
    elb t4, 0(a2)
    elhu t5, 0(a2)
    elw x0, 0(a2)
    elw t6, 0(a2)
    check t4, t3
    check t6, t3
    li t1, 0xfffd
    check t5, t1
    # A store is not seen by the load in front of it.
    eld t4, 0(a2)
    esd x0, 0(a2)
    check t4, t3
    fence
    eld t4, 0(a2)
    check t4, x0
    # A load waits for the store in front of it that it meets, and so does a store.
    li t3, 77
    esd t3, 0(a2)
    eld t4, 0(a2)
    check t4, t3
    esd x0, 0(a2)
    esw t3, 4(a2)
    elbu t4, 4(a2)
    check t4, t3
    # An atomic waits for the stores in front of it.
    li t1, 40
    esd t1, 0(a2)
    li t3, 2
    eamoadd.d t4, t3, (a2)
    check t4, t1
    # 0xca0 is 1: nothing is under way when it is read.
    eld t4, 8(a2)
    csrr t5, 0xca0
    li t1, 1
    check t5, t1

    # No such node: the trap comes by the fence at the latest, in front of it or earlier.
    li t0, 1000
    eaddie e14, t0, 0
    la a4, box
    addi s8, a4, 16             # the address of the one that fails, and of another
    mv s7, s8
.macro faults cause, text:vararg
    li s9, 0
    li s10, \cause
    li s6, \cause
    li t5, 42
    \text
    fence
    addi s11, s11, 1
    beqz s9, failed
    li t1, 42
    check t5, t1
.endm
    faults 5, eld t5, 16(a4)
    faults 7, esd t5, 16(a4)
    # Two of them are one trap; what is under way beside them arrives.
    eld t4, 0(a2)
    faults 7, esd t5, 16(a4)
    li t1, 42
    check t4, t1
    # Of two that fail together the first that is answered is told; both registers keep what they had.
    addi s7, a4, 24
.rept 8
    li s9, 0
    li s10, 5
    li s6, 5
    li t4, 43
    li t5, 42
    eld t5, 16(a4)
    eld t4, 24(a4)
    fence
    addi s11, s11, 1
    beqz s9, failed
    li t1, 42
    check t5, t1
    addi t1, t1, 1
    check t4, t1
.endr
    mv s7, s8
    # In front of a call of the system, whose own trap comes behind it.
    li s10, 5
    li s6, 11
    li s9, 0
    eld t5, 16(a4)
    ecall
    li t1, 2
    check s9, t1
    # In front of an instruction that needs the register.
    li t1, 42
    li s6, 5
    li s10, 5
    li s9, 0
    eld t5, 16(a4)
    addi t5, t5, 0
    addi s11, s11, 1
    beqz s9, failed
    check t5, t1
    li s11, 0
    end_of_checks

# Comes back to the instruction in front of which it was taken.
.balign 4
handler:
    csrw mscratch, t6
    csrr t6, mcause
    bltz t6, 3f
    bne t6, s10, failed
    li s10, 11
    beq t6, s10, 2f
    csrr t6, mtval
    beq t6, s7, 1f
    bne t6, s8, failed
1:  addi s9, s9, 1
    mv s10, s6                  # what comes next
3:  csrr t6, mscratch
    mret
2:  csrr t6, mepc
    addi t6, t6, 4
    csrw mepc, t6
    j 1b

    word_of_host
.data
.balign 64
box: .zero 128
