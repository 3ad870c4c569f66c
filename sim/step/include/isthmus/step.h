/* One hart of the xBGAS machine, stepped an instruction at a time beside a core that is to be
 * checked: the reference of a co-simulation. docs/co-simulation.md tells how it is used.
 *
 * Everything here is plain C, so that it can be called from C++ (step.hpp has classes over it),
 * from Verilator's models and, by the functions that take and give scalars only, by DPI
 * (isthmus_step_pkg.sv). A function that can fail says so by its result, and isthmus_step_error()
 * says why. Objects are not shared between threads; different harts may be used by different
 * threads. */
#ifndef ISTHMUS_STEP_H
#define ISTHMUS_STEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct isthmus_step isthmus_step;                   /* a hart with its memory */
typedef struct isthmus_step_snapshot isthmus_step_snapshot; /* what one was at some time */

/* Why the last call of this thread failed, until the next one does. */
const char* isthmus_step_error(void);

/* -- A hart ------------------------------------------------------------------------------------ */

/* `parameters` are words name=value, separated by blanks; docs/co-simulation.md has their table:
 * "isa=rv32imc_zicsr misaligned=trap reset_pc=0x100 memory=0:0x10000". Null on a mistake in them.
 */
isthmus_step* isthmus_step_create(const char* parameters);
void isthmus_step_destroy(isthmus_step* hart);
/* As after reset: registers, privilege and control registers, not memory. */
void isthmus_step_reset(isthmus_step* hart);

/* Loads an executable and goes to its entry. 0, or -1. */
int isthmus_step_load_elf(isthmus_step* hart, const char* path);
/* Reads and writes memory from outside, decoded instructions included. 0, or -1 where there is
 * none. */
int isthmus_step_read_memory(isthmus_step* hart, uint64_t address, void* data, size_t size);
int isthmus_step_write_memory(isthmus_step* hart, uint64_t address, const void* data, size_t size);
/* The two for DPI: a word of 32 bits, and a device that gives what the core has read. */
int isthmus_step_write_word(isthmus_step* hart, uint64_t address, uint32_t value);
int isthmus_step_map_core_device(isthmus_step* hart, uint64_t start, uint64_t size);
/* What loads from devices without a read function give from now on. The RVFI functions set it
 * themselves, to what the core has read. */
void isthmus_step_inject_load(isthmus_step* hart, uint64_t value);
/* Registers in place of memory, whole pages: the hart's accesses come to these functions, naturally
 * aligned, with the offset from `start`. What they give is what the core has read; without a read
 * function the core's value is taken (isthmus_step_inject_load), without a write function nothing
 * happens. 0, or -1. */
typedef uint64_t (*isthmus_step_device_read)(void* context, uint64_t offset, unsigned size);
typedef void (*isthmus_step_device_write)(void* context, uint64_t offset, unsigned size,
                                          uint64_t value);
int isthmus_step_map_device(isthmus_step* hart, uint64_t start, uint64_t size,
                            isthmus_step_device_read read, isthmus_step_device_write write,
                            void* context);

/* Register files. */
enum { ISTHMUS_STEP_NONE = 0, ISTHMUS_STEP_X = 1, ISTHMUS_STEP_F = 2, ISTHMUS_STEP_E = 3 };
uint64_t isthmus_step_get_register(const isthmus_step* hart, int file, unsigned number);
void isthmus_step_set_register(isthmus_step* hart, int file, unsigned number, uint64_t value);
uint64_t isthmus_step_get_pc(const isthmus_step* hart);
void isthmus_step_set_pc(isthmus_step* hart, uint64_t pc);
/* 0: user, 1: supervisor, 3: machine. */
int isthmus_step_get_privilege(const isthmus_step* hart);
/* -1: another value than those, or one that the hart has not. */
int isthmus_step_set_privilege(isthmus_step* hart, int privilege);
/* As machine mode reads and writes them, counters included: a written mcycle counts on from there.
 * -1: no such register, or (set) it cannot be written. */
int isthmus_step_get_csr(isthmus_step* hart, unsigned number, uint64_t* value);
int isthmus_step_set_csr(isthmus_step* hart, unsigned number, uint64_t value);

/* -- What the world outside does ----------------------------------------------------------------
 */

/* The levels of the interrupt lines, as mip has them: 0x8 software, 0x80 timer, 0x800 external,
 * 0x200 external of supervisor mode; others by the parameter interrupt_bits. */
void isthmus_step_set_interrupts(isthmus_step* hart, uint64_t mip);
/* The core takes this interrupt (3, 7, 11 or a platform's) before its next instruction; with
 * interrupts=told none comes otherwise. -1 if it is not pending, not enabled, or another one goes
 * first. */
int isthmus_step_take_interrupt(isthmus_step* hart, unsigned number);
/* The core takes a non-maskable interrupt before its next instruction: to nmi_vector, with this
 * cause. */
void isthmus_step_take_nmi(isthmus_step* hart, uint64_t cause);
/* What time reads from now on; until the first call it counts instructions. */
void isthmus_step_set_time(isthmus_step* hart, uint64_t time);
/* What the next instruction reads from this CSR (counters, what others than the hart write): once.
 */
void isthmus_step_inject_csr(isthmus_step* hart, unsigned number, uint64_t value);
/* The next instruction cannot be fetched, or its local access does not take place: bus errors of
 * the core. They trap as access faults with their address as tval; an instruction without an access
 * is not touched. */
void isthmus_step_inject_fetch_fault(isthmus_step* hart);
void isthmus_step_inject_access_fault(isthmus_step* hart);
/* What the next remote access of the hart finds: the old value (of 128 bits the upper half in
 * `high`), and for a bulk load the bytes. Several wait in a queue. A store takes one, too: it has
 * been done. Accesses to namespace 0 go to the hart's own memory and take none. */
void isthmus_step_inject_remote(isthmus_step* hart, uint64_t low, uint64_t high);
void isthmus_step_inject_remote_bytes(isthmus_step* hart, const void* bytes, size_t size);
/* Does in the memory of `target` what `hart` waits for, and injects what it finds there: remote
 * accesses between harts of one simulation. -1: it does not wait. */
int isthmus_step_serve_remote(isthmus_step* hart, isthmus_step* target);
/* The next remote access faults, with this address as tval. */
void isthmus_step_inject_remote_fault(isthmus_step* hart, uint64_t address);

/* -- Steps --------------------------------------------------------------------------------------
 */

enum {
    ISTHMUS_STEP_RETIRED = 0,
    ISTHMUS_STEP_TRAPPED = 1, /* the instruction did not complete; the next one is its handler's */
    ISTHMUS_STEP_WAITING = 2  /* for what its remote access finds: inject that, and step again */
};

enum {
    ISTHMUS_STEP_LOAD,
    ISTHMUS_STEP_STORE,
    ISTHMUS_STEP_ATOMIC,
    ISTHMUS_STEP_LOAD_RESERVED,
    ISTHMUS_STEP_STORE_CONDITIONAL,
    ISTHMUS_STEP_BULK_LOAD,
    ISTHMUS_STEP_BULK_STORE
};

typedef struct {
    uint8_t file, number;
    uint64_t value;
} isthmus_step_register;

typedef struct {
    uint16_t number;
    uint64_t value;
} isthmus_step_csr;

/* A local access. One of 1 to 8 bytes; not aligned is one as well. The address is the program's,
 * behind page tables a virtual one. */
typedef struct {
    uint64_t address;
    uint8_t size; /* 0: none */
    uint8_t reads, writes;
    uint64_t read, written;
} isthmus_step_access;

/* A remote access: what goes to the network, and what comes back. */
typedef struct {
    uint8_t kind, size; /* bytes of an element, 1..16 */
    uint64_t name_space, address;
    uint64_t operand[2]; /* of stores and atomics */
    uint64_t compare;    /* what a compare-and-swap wants to find */
    uint64_t local, count;
    uint64_t found[2]; /* what was injected */
} isthmus_step_remote;

/* What an instruction did. Entries of arrays behind their count have no meaning. Values of a 32-bit
 * hart have their upper halves 0; those of 32-bit floating point in wide registers are NaN-boxed.
 */
typedef struct {
    uint64_t order; /* 0, 1, 2 ... */
    uint64_t pc, next_pc;
    uint32_t instruction; /* of a compressed one the upper half is 0 */
    uint8_t length;       /* 2 or 4 bytes; 0: it could not be fetched */
    uint8_t privilege;    /* that it ran with */
    uint8_t trapped;      /* it did not complete, for `cause` */
    uint8_t interrupted;  /* it is the first behind `interrupt`; 2 if that cannot be masked */
    uint64_t cause, tval, interrupt;
    uint8_t source_count, write_count, csr_count, has_remote;
    isthmus_step_register sources[3]; /* what it read; x0 not among them */
    isthmus_step_register writes[2];  /* x0 and e0 are not written */
    /* What it wrote, fflags if it changed them, and what a trap, an interrupt, mret or sret writes.
     */
    isthmus_step_csr csrs[10];
    isthmus_step_access memory;
    isthmus_step_remote remote;
} isthmus_step_record;

/* Executes one instruction, or takes a trap in its place. */
int isthmus_step_step(isthmus_step* hart);
/* At most `count`, as long as they retire or trap: how many did. */
uint64_t isthmus_step_run(isthmus_step* hart, uint64_t count);
/* What the last step did; stays where it is as long as the hart. */
const isthmus_step_record* isthmus_step_last(const isthmus_step* hart);
/* The last record as a line of the commit log that `isthmus sim --log-commits` and Spike write, the
 * registers of control and status that it wrote behind the others, as Spike has them; a trap as
 * "exception". Good until the next call that gives text. */
const char* isthmus_step_line(const isthmus_step* hart);
/* The instruction in words; good until the next call that gives text. */
const char* isthmus_step_disassemble(const isthmus_step* hart, uint32_t instruction, uint64_t pc);

/* -- Comparison ----------------------------------------------------------------------------------
 */

/* What a core says of an instruction, and so what of it is compared. */
enum {
    ISTHMUS_STEP_SAYS_PC = 1,
    ISTHMUS_STEP_SAYS_NEXT_PC = 2, /* not looked at where the instruction trapped */
    ISTHMUS_STEP_SAYS_INSTRUCTION = 4,
    ISTHMUS_STEP_SAYS_PRIVILEGE = 8,
    ISTHMUS_STEP_SAYS_SOURCES = 0x10,
    ISTHMUS_STEP_SAYS_WRITES = 0x20,   /* of registers: all that there are */
    ISTHMUS_STEP_SAYS_CSRS = 0x40,     /* those that are listed have these values now */
    ISTHMUS_STEP_SAYS_ALL_CSRS = 0xc0, /* and no others were written */
    ISTHMUS_STEP_SAYS_TRAP = 0x100,    /* `trapped` and `interrupted` */
    ISTHMUS_STEP_SAYS_CAUSE = 0x200,   /* of what trapped or interrupted */
    ISTHMUS_STEP_SAYS_TVAL = 0x400,
    ISTHMUS_STEP_SAYS_MEMORY = 0x800,
    ISTHMUS_STEP_SAYS_REMOTE = 0x1000 /* what goes to the network */
};
/* Compares the last record with what the core says. 0, or the bits of what differs; then
 * isthmus_step_report() tells it: the instruction, each difference, both states, what came before.
 */
unsigned isthmus_step_compare(isthmus_step* hart, const isthmus_step_record* core, unsigned says);
/* Good until the next comparison of this hart. Empty if all was equal. */
const char* isthmus_step_report(const isthmus_step* hart);

/* The ports of RVFI, the RISC-V Formal Interface, of one retirement; `rvfi_` is left out. */
typedef struct {
    uint64_t order;
    uint32_t insn;
    uint8_t trap, halt, intr, mode, ixl;
    uint8_t rs1_addr, rs2_addr, rd_addr;
    uint64_t rs1_rdata, rs2_rdata, rd_wdata;
    uint64_t pc_rdata, pc_wdata;
    uint64_t mem_addr;
    uint8_t mem_rmask, mem_wmask;
    uint64_t mem_rdata, mem_wdata;
} isthmus_rvfi;
/* Steps the hart and compares. 0: equal; more: bits as above; -1: the hart could not step, since it
 * waits for a remote value, say. With interrupts=told an interrupt that the core has taken (intr,
 * at another pc than the hart's) is taken here, if it may be. */
int isthmus_step_check_rvfi(isthmus_step* hart, const isthmus_rvfi* core);
/* The same in scalars, for DPI. */
int isthmus_step_check_rvfi_port(isthmus_step* hart, uint64_t order, uint32_t insn, uint8_t trap,
                                 uint8_t halt, uint8_t intr, uint8_t mode, uint8_t ixl,
                                 uint8_t rs1_addr, uint8_t rs2_addr, uint64_t rs1_rdata,
                                 uint64_t rs2_rdata, uint8_t rd_addr, uint64_t rd_wdata,
                                 uint64_t pc_rdata, uint64_t pc_wdata, uint64_t mem_addr,
                                 uint8_t mem_rmask, uint8_t mem_wmask, uint64_t mem_rdata,
                                 uint64_t mem_wdata);

/* -- Back to what was ----------------------------------------------------------------------------
 */

/* All of a hart: registers, memory, what was injected and is not used. Devices keep their own
 * state. */
isthmus_step_snapshot* isthmus_step_save(isthmus_step* hart);
/* To the same hart only. A snapshot may be restored any number of times. */
void isthmus_step_restore(isthmus_step* hart, const isthmus_step_snapshot* snapshot);
void isthmus_step_snapshot_destroy(isthmus_step_snapshot* snapshot);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
