// What the modules of the core share: privileges, causes, what a retirement says.
package rv_core_pkg;
  /// Privilege, as mstatus.MPP has it.
  typedef enum logic [1:0] {
    PrivUser    = 2'd0,
    PrivMachine = 2'd3
  } priv_e;

  /// Causes of exceptions, as mcause has them.
  typedef enum logic [3:0] {
    CauseFetchMisaligned = 4'd0,
    CauseFetchFault      = 4'd1,
    CauseIllegal         = 4'd2,
    CauseBreakpoint      = 4'd3,
    CauseLoadMisaligned  = 4'd4,
    CauseLoadFault       = 4'd5,
    CauseStoreMisaligned = 4'd6,
    CauseStoreFault      = 4'd7,
    CauseUserCall        = 4'd8,
    CauseMachineCall     = 4'd11
  } cause_e;

  /// Interrupt lines; their numbers are those of mip and mcause.
  typedef struct packed {
    logic external_irq;  // 11
    logic timer_irq;     // 7
    logic software_irq;  // 3
  } irq_t;

  /// The control and status registers that hold something, for the trace. Of 32 bits the upper half is 0.
  typedef struct packed {
    logic [63:0] mstatus;
    logic [63:0] mie;
    logic [63:0] mtvec;
    logic [63:0] mcounteren;
    logic [63:0] mscratch;
    logic [63:0] mepc;
    logic [63:0] mcause;
    logic [63:0] mtval;
  } csr_state_t;

  /// What a remote access is.
  typedef enum logic [2:0] {
    RemoteLoad             = 3'd0,
    RemoteStore            = 3'd1,
    RemoteAtomic           = 3'd2,
    RemoteLoadReserved     = 3'd3,
    RemoteStoreConditional = 3'd4
  } remote_kind_e;

  /// A register that was read or written: none, or one of a file (xbgas_decode_pkg::file_e).
  typedef struct packed {
    logic [1:0]  file;
    logic [4:0]  number;
    logic [63:0] value;
  } register_trace_t;

  /// What the xBGAS unit did, for the trace; good with its result.
  typedef struct packed {
    register_trace_t [1:0] e_read;
    register_trace_t       e_write;
    // The local access.
    logic                  local_access;
    logic                  local_write;
    logic [1:0]            local_size;
    logic [63:0]           local_address;
    logic [63:0]           local_data;
    // There was a remote one; the port says which.
    logic                  remote;
    // It is under way; its register is written later.
    logic                  posted;
  } unit_trace_t;

  /// One retirement or trap: the ports of RVFI (the RISC-V Formal Interface), and behind them what it has none for.
  typedef struct packed {
    logic        valid;
    logic [63:0] order;
    logic [31:0] insn;
    logic        trap;
    logic        halt;
    logic        intr;
    logic [1:0]  mode;
    logic [1:0]  ixl;
    logic [4:0]  rs1_addr;
    logic [4:0]  rs2_addr;
    logic [63:0] rs1_rdata;
    logic [63:0] rs2_rdata;
    logic [4:0]  rd_addr;
    logic [63:0] rd_wdata;
    logic [63:0] pc_rdata;
    logic [63:0] pc_wdata;
    logic [63:0] mem_addr;
    logic [7:0]  mem_rmask;
    logic [7:0]  mem_wmask;
    logic [63:0] mem_rdata;
    logic [63:0] mem_wdata;
    // The third register that an offloaded instruction may read.
    logic [4:0]  rs3_addr;
    logic [63:0] rs3_rdata;
    // Cause of a trap and its mtval; with intr number of the interrupt.
    logic [3:0]  cause;
    logic [63:0] tval;
    logic [3:0]  irq_number;
    // The interrupt lines, as the instruction (with intr: the interrupt) saw them.
    irq_t        irq;
    // In front of it the trap of a posted access was taken, which it is the handler of.
    logic        late;
    logic [3:0]  late_cause;
    logic [63:0] late_tval;
    // Control and status registers behind it.
    csr_state_t  csr;
    unit_trace_t unit;
  } rvfi_t;
endpackage
