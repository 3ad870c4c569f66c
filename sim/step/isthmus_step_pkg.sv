// The step interface of the xBGAS machine for a SystemVerilog test bench: DPI imports of isthmus/step.h.
// Link libisthmus-step.so. docs/co-simulation.md has an example and the parameters.
package isthmus_step_pkg;

  // The result of a step.
  localparam int Retired = 0;
  localparam int Trapped = 1;
  localparam int Waiting = 2;

  // Register files.
  localparam int FileX = 1;
  localparam int FileF = 2;
  localparam int FileE = 3;

  import "DPI-C" function string isthmus_step_error();
  import "DPI-C" function chandle isthmus_step_create(input string parameters);
  import "DPI-C" function void isthmus_step_destroy(input chandle hart);
  import "DPI-C" function void isthmus_step_reset(input chandle hart);
  import "DPI-C" function int isthmus_step_load_elf(input chandle hart, input string path);
  import "DPI-C" function int isthmus_step_write_word(input chandle hart, input longint unsigned address,
                                                      input int unsigned value);
  import "DPI-C" function int isthmus_step_map_core_device(input chandle hart, input longint unsigned start,
                                                           input longint unsigned size);
  import "DPI-C" function longint unsigned isthmus_step_get_register(input chandle hart, input int file,
                                                                     input int unsigned number);
  import "DPI-C" function void isthmus_step_set_register(input chandle hart, input int file,
                                                         input int unsigned number, input longint unsigned value);
  import "DPI-C" function longint unsigned isthmus_step_get_pc(input chandle hart);
  import "DPI-C" function void isthmus_step_set_pc(input chandle hart, input longint unsigned pc);
  import "DPI-C" function int isthmus_step_get_csr(input chandle hart, input int unsigned number,
                                                   output longint unsigned value);
  import "DPI-C" function int isthmus_step_set_csr(input chandle hart, input int unsigned number,
                                                   input longint unsigned value);

  import "DPI-C" function void isthmus_step_set_interrupts(input chandle hart, input longint unsigned mip);
  import "DPI-C" function int isthmus_step_take_interrupt(input chandle hart, input int unsigned number);
  import "DPI-C" function void isthmus_step_take_nmi(input chandle hart, input longint unsigned cause);
  import "DPI-C" function void isthmus_step_set_time(input chandle hart, input longint unsigned value);
  import "DPI-C" function void isthmus_step_inject_csr(input chandle hart, input int unsigned number,
                                                       input longint unsigned value);
  import "DPI-C" function void isthmus_step_inject_fetch_fault(input chandle hart);
  import "DPI-C" function void isthmus_step_inject_access_fault(input chandle hart);
  import "DPI-C" function void isthmus_step_inject_load(input chandle hart, input longint unsigned value);
  import "DPI-C" function void isthmus_step_inject_remote(input chandle hart, input longint unsigned low,
                                                          input longint unsigned high);
  import "DPI-C" function void isthmus_step_inject_remote_fault(input chandle hart,
                                                                input longint unsigned address);
  import "DPI-C" function int isthmus_step_serve_remote(input chandle hart, input chandle target);

  import "DPI-C" function int isthmus_step_step(input chandle hart);
  import "DPI-C" function string isthmus_step_line(input chandle hart);
  import "DPI-C" function string isthmus_step_disassemble(input chandle hart, input int unsigned instruction,
                                                          input longint unsigned pc);
  import "DPI-C" function string isthmus_step_report(input chandle hart);
  import "DPI-C" function int isthmus_step_check_rvfi_port(
    input chandle hart, input longint unsigned order, input int unsigned insn, input byte unsigned trap,
    input byte unsigned halt, input byte unsigned intr, input byte unsigned mode, input byte unsigned ixl,
    input byte unsigned rs1_addr, input byte unsigned rs2_addr, input longint unsigned rs1_rdata,
    input longint unsigned rs2_rdata, input byte unsigned rd_addr, input longint unsigned rd_wdata,
    input longint unsigned pc_rdata, input longint unsigned pc_wdata, input longint unsigned mem_addr,
    input byte unsigned mem_rmask, input byte unsigned mem_wmask, input longint unsigned mem_rdata,
    input longint unsigned mem_wdata);

  import "DPI-C" function chandle isthmus_step_save(input chandle hart);
  import "DPI-C" function void isthmus_step_restore(input chandle hart, input chandle snapshot);
  import "DPI-C" function void isthmus_step_snapshot_destroy(input chandle snapshot);

endpackage
