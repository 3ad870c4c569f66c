# Without an operating system: each node writes a letter into its neighbour's memory, waits for its
# own and prints it.
#
#   riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext-segment=0x80000000 -I INCLUDE bare.S -o bare
#   isthmus sim bare -n 4
.include "xbgas.inc"
.globl _start, tohost
_start:
    eaddi t1, e10, 0            # at reset: the node's number
    eaddi t2, e11, 0            # and how many there are
    addi t3, t1, 1
    remu t3, t3, t2             # my neighbour
    eaddie e20, t3, 1           # its namespace: number + 1
    la a1, box                  # the same address on every node
    addi a2, t1, 'A'
    ersd a2, a1, e20            # a2 -> e20:a1
    fence                       # it has arrived
2:  ld a3, 0(a1)
    beqz a3, 2b
    li t4, 0x0101000000000000   # device 1, command 1: print a character
    or a3, a3, t4
    la t5, tohost
    sd a3, 0(t5)
3:  ld t6, 0(t5)
    bnez t6, 3b
    li t6, 1                    # odd: the end, with the code t6 >> 1
    sd t6, 0(t5)
4:  j 4b

.data
.balign 8
box: .8byte 0
tohost: .8byte 0
