# Start of the programs in C: a stack, main, and its result to tohost. A trap that nobody expects ends
# the program with 64 + its cause.
.option norelax
.globl _start, tohost
.section .text.start
_start:
    la sp, stack_end
    la t0, unexpected
    csrw mtvec, t0
    call main
    slli a0, a0, 1
    ori a0, a0, 1
finish:
    la t0, tohost
#if __riscv_xlen == 64
    sd a0, 0(t0)
#else
    sw a0, 0(t0)
#endif
1:  j 1b
.balign 4
unexpected:
    csrr a0, mcause
    addi a0, a0, 64
    slli a0, a0, 1
    ori a0, a0, 1
    j finish

.section .tohost, "aw"
.balign 64
tohost: .8byte 0

.bss
.balign 16
stack: .zero 8192
stack_end:
