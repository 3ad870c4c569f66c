/* Boots with Sv39, without an operating system: machine mode delegates to a kernel in supervisor
 * mode, whose page tables have it where it is, and which runs a user's program. That touches pages
 * which are mapped on demand, runs code at one address in several places (hot enough to be
 * translated by the simulator), and reaches the next node's memory by xBGAS. */
#include <stdint.h>

typedef uint64_t u64;
enum {
    kV = 1,
    kR = 2,
    kW = 4,
    kX = 8,
    kU = 16,
    kG = 32,
    kA = 64,
    kD = 128,
    kUser = kV | kR | kW | kX | kU | kA | kD
};
enum { kCode = 0x10000, kShared = 0x30000, kHeap = 0x40000, kPlugin = 0x60000 };

volatile u64 tohost __attribute__((aligned(4096)));
static u64 roots[2][512] __attribute__((aligned(4096)));
static u64 tables[2][2][512] __attribute__((aligned(4096)));
static u64 shared[512] __attribute__((aligned(4096)));
static u64 heap[32][512] __attribute__((aligned(4096)));
extern char user_page[], plugin_1[], plugin_2[], plugin_3[], user_end[];
static u64 pages, refused, mapped_plugin;

#define READ(name)                                     \
    ({                                                 \
        u64 v;                                         \
        __asm__ volatile("csrr %0, " #name : "=r"(v)); \
        v;                                             \
    })
#define WRITE(name, value) __asm__ volatile("csrw " #name ", %0" ::"r"((u64)(value)) : "memory")

static void map(unsigned space, u64 address, const void* frame, u64 bits) {
    tables[space][1][address >> 12 & 511] = (u64)frame >> 12 << 10 | bits;
}

static void leave(u64 code) {
    for (;;)
        tohost = code << 1 | 1;
}

struct Frame {
    u64 x[32], pc;
};

void handle(struct Frame* frame) {
    const u64 cause = READ(scause), address = READ(stval);
    if (cause == 8) {
        frame->pc += 4;
        switch (frame->x[17]) {
            case 1: frame->x[10] += 1; break;
            case 2: /* the plugin is another one from now on */
                ++mapped_plugin;
                map(0, kPlugin, plugin_2, kUser);
                __asm__ volatile("sfence.vma %0" ::"r"((u64)kPlugin) : "memory");
                break;
            case 3: /* the other address space, by its own number: no fence */
                WRITE(satp, 8ull << 60 | frame->x[10] << 44 | (u64)roots[frame->x[10]] >> 12);
                break;
            case 93:
                leave(frame->x[10] != 0 ? frame->x[10] : pages != 20 ? 90 : refused != 1 ? 91 : 0);
        }
    } else if (cause == 15 && address >= kHeap && address < kHeap + 32 * 4096) {
        map(0, address, heap[pages++], kV | kR | kW | kU | kA | kD);
        __asm__ volatile("sfence.vma" ::: "memory");
    } else if (cause == 5) { /* another node has refused: its kernel is not the user's */
        ++refused;
        frame->pc += 4;
    } else {
        leave(100 + cause);
    }
}

void boot(void) {
    for (unsigned space = 0; space < 2; ++space) {
        roots[space][2] = (u64)0x80000000 >> 12 << 10 | kV | kR | kW | kX | kG | kA |
                          kD; /* the kernel: a gigabyte */
        roots[space][0] = (u64)tables[space][0] >> 12 << 10 | kV;
        tables[space][0][0] = (u64)tables[space][1] >> 12 << 10 | kV;
        map(space, kCode, user_page, kV | kR | kX | kU | kA);
        map(space, kShared, shared, kV | kR | kW | kU | kA | kD);
        map(space, kPlugin, space ? plugin_3 : plugin_1, kUser);
    }
    WRITE(medeleg, 0xb3ff);
    extern char enter[];
    WRITE(stvec, enter);
    WRITE(satp, 8ull << 60 | (u64)roots[0] >> 12);
    __asm__ volatile("sfence.vma" ::: "memory");
    WRITE(mstatus, 1 << 11 | 1 << 18); /* to supervisor mode, which may look at users' pages */
    extern char start_user[];
    WRITE(mepc, start_user);
    __asm__ volatile("mret");
}

__asm__(
    ".include \"xbgas.inc\"\n"
    ".section .text.start, \"ax\"\n"
    ".globl _start\n_start:\n"
    "    la sp, stack_top\n"
    "    j boot\n"
    ".text\n"
    "start_user:\n"
    "    la t0, frame\n    csrw sscratch, t0\n"
    "    li t0, 0x100\n    csrc sstatus, t0\n"
    "    li t0, 0x10000\n    csrw sepc, t0\n    sret\n"
    ".balign 4\nenter:\n"
    "    csrrw x31, sscratch, x31\n"
    "    .macro save n\n    sd x\\n, 8*\\n(x31)\n    .endm\n"
    "    .macro load n\n    ld x\\n, 8*\\n(x31)\n    .endm\n"
    "    .irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n "
    "   save \\n\n    .endr\n"
    "    csrr t0, sepc\n    sd t0, 256(x31)\n"
    "    csrr t0, sscratch\n    sd t0, 248(x31)\n"
    "    mv a0, x31\n    csrw sscratch, x31\n"
    "    la sp, stack_top\n    call handle\n"
    "    la x31, frame\n"
    "    ld t0, 256(x31)\n    csrw sepc, t0\n"
    "    .irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n "
    "   load \\n\n    .endr\n"
    "    ld x31, 248(x31)\n    sret\n"
    ".bss\n.balign 16\nframe: .zero 264\n.balign 16\n    .zero 4096\nstack_top:\n"
    ".section .user, \"ax\"\n"
    ".balign 4096\nuser_page:\n"
    /* twenty pages, mapped as they are touched; what was stored is there */
    "    li s1, 0x40000\n    li s2, 20\n    li s4, 4096\n"
    "1:  sd s2, 8(s1)\n    add s1, s1, s4\n    addi s2, s2, -1\n    bnez s2, 1b\n"
    "    li s1, 0x40000\n    li s2, 20\n    li s3, 0\n"
    "1:  ld t0, 8(s1)\n    add s3, s3, t0\n    add s1, s1, s4\n    addi s2, s2, -1\n    bnez s2, "
    "1b\n"
    "    li a0, 1\n    li t0, 210\n    bne s3, t0, fail\n"
    /* the kernel answers */
    "    li a7, 1\n    li a0, 41\n    ecall\n    li t0, 42\n    mv t1, a0\n    li a0, 2\n    bne "
    "t1, t0, fail\n"
    /* the plugin, until it is hot; then another one in its place, then the one of another address
       space */
    "    li s5, 1\n    call run\n    li a7, 2\n    ecall\n    li s5, 2\n    call run\n"
    "    li a7, 3\n    li a0, 1\n    ecall\n    li s5, 3\n    call run\n"
    "    li a7, 3\n    li a0, 0\n    ecall\n    li s5, 2\n    call run\n"
    "    li a7, 3\n    li a0, 1\n    ecall\n    li s5, 3\n    call run\n"
    "    li a7, 3\n    li a0, 0\n    ecall\n"
    /* a word of this node to the next one's page, by its own address there */
    "    eaddi t0, e10, 0\n    eaddi t1, e11, 0\n    addi t2, t0, 1\n    remu t2, t2, t1\n    addi "
    "t2, t2, 1\n"
    "    li s6, 0x30008\n    addi t3, t0, 100\n    eaddie e22, t2, 0\n    esd t3, 0(s6)\n    "
    "fence\n"
    "2:  ld t4, 0(s6)\n    bnez t4, 3f\n    .4byte 0x0100000f\n    j 2b\n"
    "3:  add t5, t0, t1\n    addi t5, t5, -1\n    remu t5, t5, t1\n    addi t5, t5, 100\n    li "
    "a0, 4\n    bne t4, t5, fail\n"
    /* and back: what has been written there */
    "    eld t4, 0(s6)\n    li a0, 5\n    bne t4, t3, fail\n"
    /* a bulk transfer into two pages of its own, from the next node's */
    "    li s7, 0x40ff8\n    li t6, 0x30000\n    eaddie e31, t2, 0\n    li s8, 4\n"
    "    ebld s9, s7, t6, s8\n    fence\n"
    "    ld t4, 8(s7)\n    li a0, 6\n    bne t4, t3, fail\n"
    /* its kernel's memory is not to be had */
    "    li s6, 1\n    slli s6, s6, 31\n    eaddie e22, t2, 0\n    li t4, 77\n    eld t4, 0(s6)\n"
    "    li t5, 77\n    li a0, 7\n    bne t4, t5, fail\n"
    "    li a0, 0\n"
    "fail: li a7, 93\n    ecall\n"
    "run: li s1, 0x60000\n    li s2, 14000\n    mv s10, ra\n"
    "1:  jalr s1\n    mv t1, a0\n    li a0, 3\n    bne t1, s5, fail\n    addi s2, s2, -1\n    bnez "
    "s2, 1b\n    jr s10\n"
    ".balign 4096\nplugin_1: li a0, 1\n    ret\n"
    ".balign 4096\nplugin_2: li a0, 2\n    ret\n"
    ".balign 4096\nplugin_3: li a0, 3\n    ret\n"
    ".balign 4096\nuser_end:\n.text\n");
