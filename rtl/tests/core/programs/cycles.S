# Leaves what it reads from the cycle counter, which the gates and the simulator alone do not count alike.
.option norelax
.globl _start, tohost
.section .text.start
_start:
    la t0, result
    li t2, 1000
1:  addi t2, t2, -1
    bnez t2, 1b
    rdcycle t1
    ori t1, t1, 1
    slli t1, t1, 1
    sd t1, 0(t0)
    la t0, tohost
    li t1, 1
    sd t1, 0(t0)
1:  j 1b
.section .tohost, "aw"
.balign 64
tohost: .8byte 0
.data
.balign 8
result: .8byte 0
