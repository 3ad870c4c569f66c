// The engine for a system on a chip: AXI4 towards CPU and memory, AXI4-Lite for the registers, the
// network's link as it is.
module axi_engine
  import ht_pkg::*;
  import engine_pkg::*;
#(
  parameter int unsigned IdW = 4,
  parameter int unsigned PostedInFlight = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [GenW-1:0]  incarnation_i,

  /// AXI4 subordinate: global addresses.
  input  logic             s_axi_awvalid,
  output logic             s_axi_awready,
  input  logic [IdW-1:0]   s_axi_awid,
  input  logic [AddrW-1:0] s_axi_awaddr,
  input  logic [7:0]       s_axi_awlen,
  input  logic [2:0]       s_axi_awsize,
  input  logic [1:0]       s_axi_awburst,
  input  logic [3:0]       s_axi_awcache,
  input  logic             s_axi_wvalid,
  output logic             s_axi_wready,
  input  logic [63:0]      s_axi_wdata,
  input  logic [7:0]       s_axi_wstrb,
  input  logic             s_axi_wlast,
  output logic             s_axi_bvalid,
  input  logic             s_axi_bready,
  output logic [IdW-1:0]   s_axi_bid,
  output logic [1:0]       s_axi_bresp,
  input  logic             s_axi_arvalid,
  output logic             s_axi_arready,
  input  logic [IdW-1:0]   s_axi_arid,
  input  logic [AddrW-1:0] s_axi_araddr,
  input  logic [7:0]       s_axi_arlen,
  input  logic [2:0]       s_axi_arsize,
  input  logic [1:0]       s_axi_arburst,
  output logic             s_axi_rvalid,
  input  logic             s_axi_rready,
  output logic [IdW-1:0]   s_axi_rid,
  output logic [63:0]      s_axi_rdata,
  output logic [1:0]       s_axi_rresp,
  output logic             s_axi_rlast,
  /// AXI4 master: the own memory.
  output logic             m_axi_awvalid,
  input  logic             m_axi_awready,
  output logic [0:0]       m_axi_awid,
  output logic [AddrW-1:0] m_axi_awaddr,
  output logic [7:0]       m_axi_awlen,
  output logic [2:0]       m_axi_awsize,
  output logic [1:0]       m_axi_awburst,
  output logic             m_axi_wvalid,
  input  logic             m_axi_wready,
  output logic [63:0]      m_axi_wdata,
  output logic [7:0]       m_axi_wstrb,
  output logic             m_axi_wlast,
  input  logic             m_axi_bvalid,
  output logic             m_axi_bready,
  input  logic [0:0]       m_axi_bid,
  input  logic [1:0]       m_axi_bresp,
  output logic             m_axi_arvalid,
  input  logic             m_axi_arready,
  output logic [0:0]       m_axi_arid,
  output logic [AddrW-1:0] m_axi_araddr,
  output logic [7:0]       m_axi_arlen,
  output logic [2:0]       m_axi_arsize,
  output logic [1:0]       m_axi_arburst,
  input  logic             m_axi_rvalid,
  output logic             m_axi_rready,
  input  logic [0:0]       m_axi_rid,
  input  logic [63:0]      m_axi_rdata,
  input  logic [1:0]       m_axi_rresp,
  input  logic             m_axi_rlast,
  output logic             posted_error_o,

  /// AXI4-Lite subordinate: registers.
  input  logic             s_axil_awvalid,
  output logic             s_axil_awready,
  input  logic [8:0]       s_axil_awaddr,
  input  logic             s_axil_wvalid,
  output logic             s_axil_wready,
  input  logic [31:0]      s_axil_wdata,
  input  logic [3:0]       s_axil_wstrb,
  output logic             s_axil_bvalid,
  input  logic             s_axil_bready,
  output logic [1:0]       s_axil_bresp,
  input  logic             s_axil_arvalid,
  output logic             s_axil_arready,
  input  logic [8:0]       s_axil_araddr,
  output logic             s_axil_rvalid,
  input  logic             s_axil_rready,
  output logic [31:0]      s_axil_rdata,
  output logic [1:0]       s_axil_rresp,

  /// Link to the network and back.
  output logic             net_tx_valid_o,
  output logic [31:0]      net_tx_data_o,
  output logic [1:0]       net_tx_vc_o,
  output logic             net_tx_sop_o,
  output logic             net_tx_eop_o,
  input  logic [NumVc-1:0] net_tx_credit_i,
  input  logic             net_rx_valid_i,
  input  logic [31:0]      net_rx_data_i,
  input  logic [1:0]       net_rx_vc_i,
  input  logic             net_rx_sop_i,
  input  logic             net_rx_eop_i,
  output logic [NumVc-1:0] net_rx_credit_o
);
  logic [NumVc-1:0]           to_cmd_valid, to_data_valid, to_cmd_credit, to_data_credit;
  logic [NumVc-1:0]           from_cmd_valid, from_data_valid, from_cmd_credit, from_data_credit;
  logic [NumVc-1:0][CmdW-1:0] to_cmd, from_cmd;
  logic [NumVc-1:0][63:0]     to_data, from_data;
  logic                       reg_write;
  logic [8:0]                 reg_addr;
  logic [31:0]                reg_wdata, reg_rdata;

  axi_shim #(.IdW(IdW), .PostedInFlight(PostedInFlight)) u_shim (
    .clk_i, .rst_ni,
    .s_axi_awvalid, .s_axi_awready, .s_axi_awid, .s_axi_awaddr, .s_axi_awlen, .s_axi_awsize, .s_axi_awburst,
    .s_axi_awcache, .s_axi_wvalid, .s_axi_wready, .s_axi_wdata, .s_axi_wstrb, .s_axi_wlast, .s_axi_bvalid,
    .s_axi_bready, .s_axi_bid, .s_axi_bresp, .s_axi_arvalid, .s_axi_arready, .s_axi_arid, .s_axi_araddr,
    .s_axi_arlen, .s_axi_arsize, .s_axi_arburst, .s_axi_rvalid, .s_axi_rready, .s_axi_rid, .s_axi_rdata,
    .s_axi_rresp, .s_axi_rlast, .m_axi_awvalid, .m_axi_awready, .m_axi_awid, .m_axi_awaddr, .m_axi_awlen,
    .m_axi_awsize, .m_axi_awburst, .m_axi_wvalid, .m_axi_wready, .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast,
    .m_axi_bvalid, .m_axi_bready, .m_axi_bid, .m_axi_bresp, .m_axi_arvalid, .m_axi_arready, .m_axi_arid,
    .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst, .m_axi_rvalid, .m_axi_rready, .m_axi_rid,
    .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
    .posted_error_o,
    .tx_cmd_valid_o(to_cmd_valid), .tx_cmd_o(to_cmd), .tx_data_valid_o(to_data_valid), .tx_data_o(to_data),
    .tx_cmd_credit_i(to_cmd_credit), .tx_data_credit_i(to_data_credit),
    .rx_cmd_valid_i(from_cmd_valid), .rx_cmd_i(from_cmd), .rx_data_valid_i(from_data_valid),
    .rx_data_i(from_data), .rx_cmd_credit_o(from_cmd_credit), .rx_data_credit_o(from_data_credit)
  );
  axi_lite_regs u_regs (
    .clk_i, .rst_ni,
    .aw_valid_i(s_axil_awvalid), .aw_ready_o(s_axil_awready), .aw_addr_i(s_axil_awaddr),
    .w_valid_i(s_axil_wvalid), .w_ready_o(s_axil_wready), .w_data_i(s_axil_wdata), .w_strb_i(s_axil_wstrb),
    .b_valid_o(s_axil_bvalid), .b_ready_i(s_axil_bready), .b_resp_o(s_axil_bresp),
    .ar_valid_i(s_axil_arvalid), .ar_ready_o(s_axil_arready), .ar_addr_i(s_axil_araddr),
    .r_valid_o(s_axil_rvalid), .r_ready_i(s_axil_rready), .r_data_o(s_axil_rdata), .r_resp_o(s_axil_rresp),
    .reg_write_o(reg_write), .reg_addr_o(reg_addr), .reg_wdata_o(reg_wdata), .reg_rdata_i(reg_rdata)
  );
  ht_engine u_engine (
    .clk_i, .rst_ni, .incarnation_i,
    .host_rx_cmd_valid_i(to_cmd_valid), .host_rx_cmd_i(to_cmd), .host_rx_data_valid_i(to_data_valid),
    .host_rx_data_i(to_data), .host_rx_cmd_credit_o(to_cmd_credit), .host_rx_data_credit_o(to_data_credit),
    .host_tx_cmd_valid_o(from_cmd_valid), .host_tx_cmd_o(from_cmd), .host_tx_data_valid_o(from_data_valid),
    .host_tx_data_o(from_data), .host_tx_cmd_credit_i(from_cmd_credit), .host_tx_data_credit_i(from_data_credit),
    .net_tx_valid_o, .net_tx_data_o, .net_tx_vc_o, .net_tx_sop_o, .net_tx_eop_o, .net_tx_credit_i,
    .net_rx_valid_i, .net_rx_data_i, .net_rx_vc_i, .net_rx_sop_i, .net_rx_eop_i, .net_rx_credit_o,
    .reg_write_i(reg_write), .reg_addr_i(reg_addr), .reg_wdata_i(reg_wdata), .reg_rdata_o(reg_rdata)
  );
endmodule
