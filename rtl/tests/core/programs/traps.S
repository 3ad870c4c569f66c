# Each trap of the core by intent, in machine and in user mode, and what user mode may not do. s0 counts
# what came as expected; the program ends with 0 if that is all.
#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#else
#define STORE sw
#define LOAD lw
#endif
.option norelax
.globl _start, tohost
.section .text.start
_start:
    la t0, handler
    csrw mtvec, t0
    li s0, 0
    li a0, 0
    li s1, 0                # what the handler goes on with: 0 behind the instruction, else there
.macro expect cause
    li s2, \cause
    bne s3, s2, wrong
    addi s0, s0, 1
    li s3, -1
.endm
    li s3, -1
    ecall
    expect 11
    ebreak
    expect 3
    .4byte 0xffffffff
    expect 2
    .2byte 0
    expect 2
    csrr t1, 0x123
    expect 2
    csrw 0xf14, t1
    expect 2
    la t1, data
    lw t2, 1(t1)
    expect 4
    lh t2, 1(t1)
    expect 4
    sw t2, 2(t1)
    expect 6
    li t1, 0x100000
    lw t2, 0(t1)
    expect 5
    sb t2, 3(t1)
    expect 7
    la s1, 1f
    jr t1                   # no memory there
1:  expect 1
    csrr t2, mtval
    bne t1, t2, wrong
    li s1, 0
    # The second half of an instruction behind the end of memory.
    li t1, 0x40800000
    slli t1, t1, 1
    li t2, 0x13
    sh t2, -2(t1)
    fence.i
    la s1, 1f
    jr -2(t1)
1:  expect 1
    csrr t2, mtval
    bne t1, t2, wrong
    li t1, 0x100000
    li s1, 0
    # Only the first of two traps in a row: a store that fails, and what stands behind it has not happened.
    li t3, 7
    la s1, 1f
    sw t3, 0(t1)
    li t3, 8
1:  expect 7
    li s1, 0
    addi t3, t3, -7
    bnez t3, wrong
    # Code that is written is what runs behind fence.i, however near it is.
    lla t0, new
    lw t0, 0(t0)
    lla t1, old
    li t2, -1
    div t2, t2, t0          # meanwhile fetch gets ahead
    sw t0, 0(t1)
    fence.i
.balign 4
.option push
.option norvc
old:
    addi t2, x0, 1
.option pop
    addi t2, t2, -7
    bnez t2, wrong
    # User mode.
    la t0, user
    csrw mepc, t0
    li t0, 0x1800
    csrc mstatus, t0
    csrw mcounteren, x0
    mret
user:
    ecall
    expect 8
    csrr t1, mscratch
    expect 2
    mret
    expect 2
    csrr t1, instret
    expect 2
    lw t2, 1(sp)
    expect 4
    wfi
    li s1, 0
    li a0, 1                # ask the handler for machine mode
    ecall
    expect 8
    csrr t1, mstatus        # may be read again
    li t1, -1
    csrw mcounteren, t1
    li t1, 20
    bne s0, t1, wrong
    # Counters.
    csrw minstret, x0
    nop
    csrr t1, minstret
    addi t1, t1, -1
    bnez t1, wrong
    li a0, 1
    j finish
.balign 4
.option push
.option norvc
new:
    addi t2, x0, 7
.option pop
wrong:
    slli a0, s0, 1
    ori a0, a0, 1
    bnez s0, finish
    li a0, 255
finish:
    la t0, tohost
    STORE a0, 0(t0)
1:  j 1b
.balign 4
handler:
    STORE t0, save, t6
    csrr s3, mcause
    csrr t0, mepc
    bnez s1, 2f
    lhu t6, 0(t0)
    andi t6, t6, 3
    addi t6, t6, -3
    addi t0, t0, 2
    bnez t6, 1f
    addi t0, t0, 2
1:  csrw mepc, t0
    li t6, 8
    bne s3, t6, 3f
    li t6, 1
    bne a0, t6, 3f
    li t6, 0x1800
    csrs mstatus, t6
3:  LOAD t0, save
    mret
2:  csrw mepc, s1
    j 3b

.section .tohost, "aw"
.balign 64
tohost: .8byte 0
.data
.balign 16
data: .8byte 0, 0
save: .8byte 0
