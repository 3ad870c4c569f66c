// The register file as the engine's modules want it: one configuration, tables and commands.
module engine_config
  import engine_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  /// Access by software.
  input  logic        reg_write_i,
  input  logic [8:0]  reg_addr_i,
  input  logic [31:0] reg_wdata_i,
  output logic [31:0] reg_rdata_o,
  output config_t     config_o,
  /// One event of a kind a cycle.
  input  events_t     events_i,
  input  logic        ready_i,
  input  logic [HostTagW:0] tags_in_use_i,
  /// Node table.
  output logic        table_wr_o,
  output logic [NodeIdxW-1:0] table_node_o,
  output logic        table_routable_o,
  output logic [AddrW-7:0] table_base_o,
  /// Way back of the translation.
  output logic [NodeW-1:0] inverse_node_o,
  output logic [AddrW-1:0] inverse_offset_o,
  input  logic [AddrW-1:0] inverse_addr_i,
  /// Commands.
  output logic        prefetch_invalidate_o,
  output logic        release_valid_o,
  output logic [HostTagW-1:0] release_tag_o,
  output logic        bulk_start_o,
  output logic        bulk_is_get_o,
  output logic        bulk_notify_o,
  output logic [AddrW-1:0] bulk_local_o,
  output logic [AddrW-1:0] bulk_global_o,
  output logic [31:0] bulk_length_o,
  output logic [AddrW-1:0] bulk_notify_addr_o,
  output logic [31:0] bulk_value_o,
  input  logic        bulk_busy_i,
  input  logic [15:0] bulk_done_i,
  input  logic [15:0] bulk_errors_i
);
  logic  enable;
  logic  expire;
  logic  compact;
  logic  prefetch_enable;
  logic [15:0] node_id;
  logic [31:0] origin_start_lo;
  logic [15:0] origin_start_hi;
  logic [31:0] mask_lo;
  logic [15:0] mask_hi;
  logic [5:0] global_width;
  logic [15:0] timeout;
  logic [3:0] tick_log;
  logic [10:0] origin_quota;
  logic [10:0] target_quota;
  logic [5:0] prefetch_lines;
  logic prefetch_invalidate_write;
  logic  prefetch_invalidate;
  logic release_tag_write;
  logic [9:0] release_tag;
  logic [9:0] node_index;
  logic [31:0] node_base_lo;
  logic node_base_hi_write;
  logic [9:0] node_base_hi;
  logic  node_routable;
  logic [7:0][31:0] interval_first;
  logic [7:0][31:0] interval_last;
  logic [7:0] interval_valid;
  logic [7:0] interval_fixed;
  logic [7:0] interval_prefetch;
  logic [7:0] interval_read_only;
  logic [7:0][3:0] interval_first_hi;
  logic [7:0][3:0] interval_last_hi;
  logic [7:0][3:0] interval_unused;
  logic [7:0][15:0] interval_node;
  logic [3:0][31:0] window_first;
  logic [3:0][31:0] window_last;
  logic [3:0][15:0] window_origin_first;
  logic [3:0][15:0] window_origin_last;
  logic [3:0] window_valid;
  logic [3:0] window_read;
  logic [3:0] window_write;
  logic [3:0] window_atomic;
  logic [3:0][9:0] window_first_hi;
  logic [3:0][9:0] window_last_hi;
  logic [15:0] inverse_node;
  logic [31:0] inverse_offset_lo;
  logic [15:0] inverse_offset_hi;
  logic [31:0] inverse_addr_lo;
  logic [15:0] inverse_addr_hi;
  logic [31:0] bulk_local_lo;
  logic [15:0] bulk_local_hi;
  logic [31:0] bulk_global_lo;
  logic [15:0] bulk_global_hi;
  logic [31:0] bulk_length;
  logic [31:0] bulk_notify_lo;
  logic [15:0] bulk_notify_hi;
  logic [31:0] bulk_value;
  logic bulk_start_write;
  logic  bulk_is_get;
  logic  bulk_notify;
  logic [15:0] bulk_done;
  logic [14:0] bulk_errors;
  logic  bulk_busy;
  logic  ready;
  logic [10:0] tags_in_use;
  logic unused;
  assign unused = ^{prefetch_invalidate, interval_unused, bulk_errors_i[15]};

  engine_regs u_regs (
    .clk_i, .rst_ni,
    .enable_o(enable),
    .expire_o(expire),
    .compact_o(compact),
    .prefetch_enable_o(prefetch_enable),
    .node_id_o(node_id),
    .origin_start_lo_o(origin_start_lo),
    .origin_start_hi_o(origin_start_hi),
    .mask_lo_o(mask_lo),
    .mask_hi_o(mask_hi),
    .global_width_o(global_width),
    .timeout_o(timeout),
    .tick_log_o(tick_log),
    .origin_quota_o(origin_quota),
    .target_quota_o(target_quota),
    .prefetch_lines_o(prefetch_lines),
    .prefetch_invalidate_write_o(prefetch_invalidate_write),
    .prefetch_invalidate_o(prefetch_invalidate),
    .release_tag_write_o(release_tag_write),
    .release_tag_o(release_tag),
    .node_index_o(node_index),
    .node_base_lo_o(node_base_lo),
    .node_base_hi_write_o(node_base_hi_write),
    .node_base_hi_o(node_base_hi),
    .node_routable_o(node_routable),
    .interval_first_o(interval_first),
    .interval_last_o(interval_last),
    .interval_valid_o(interval_valid),
    .interval_fixed_o(interval_fixed),
    .interval_prefetch_o(interval_prefetch),
    .interval_read_only_o(interval_read_only),
    .interval_first_hi_o(interval_first_hi),
    .interval_last_hi_o(interval_last_hi),
    .interval_unused_o(interval_unused),
    .interval_node_o(interval_node),
    .window_first_o(window_first),
    .window_last_o(window_last),
    .window_origin_first_o(window_origin_first),
    .window_origin_last_o(window_origin_last),
    .window_valid_o(window_valid),
    .window_read_o(window_read),
    .window_write_o(window_write),
    .window_atomic_o(window_atomic),
    .window_first_hi_o(window_first_hi),
    .window_last_hi_o(window_last_hi),
    .inverse_node_o(inverse_node),
    .inverse_offset_lo_o(inverse_offset_lo),
    .inverse_offset_hi_o(inverse_offset_hi),
    .inverse_addr_lo_i(inverse_addr_lo),
    .inverse_addr_hi_i(inverse_addr_hi),
    .bulk_local_lo_o(bulk_local_lo),
    .bulk_local_hi_o(bulk_local_hi),
    .bulk_global_lo_o(bulk_global_lo),
    .bulk_global_hi_o(bulk_global_hi),
    .bulk_length_o(bulk_length),
    .bulk_notify_lo_o(bulk_notify_lo),
    .bulk_notify_hi_o(bulk_notify_hi),
    .bulk_value_o(bulk_value),
    .bulk_start_write_o(bulk_start_write),
    .bulk_is_get_o(bulk_is_get),
    .bulk_notify_o(bulk_notify),
    .bulk_done_i(bulk_done),
    .bulk_errors_i(bulk_errors),
    .bulk_busy_i(bulk_busy),
    .ready_i(ready),
    .tags_in_use_i(tags_in_use),
    .count_rx_malformed_i(events_i.rx_malformed),
    .count_rx_misrouted_i(events_i.rx_misrouted),
    .count_p_dropped_origin_i(events_i.origin.p_dropped_origin),
    .count_np_refused_origin_i(events_i.origin.np_refused_origin),
    .count_np_duplicate_tag_i(events_i.origin.np_duplicate_tag),
    .count_p_dropped_target_i(events_i.target.p_dropped_target),
    .count_np_refused_target_i(events_i.target.np_refused_target),
    .count_np_over_quota_i(events_i.target.np_over_quota),
    .count_origin_timeout_i(events_i.origin.origin_timeout),
    .count_target_timeout_i(events_i.target.target_timeout),
    .count_late_response_i(events_i.origin.late_response),
    .count_stray_response_i(events_i.origin.stray_response),
    .count_late_host_i(events_i.target.late_host),
    .count_stray_host_i(events_i.target.stray_host),
    .count_bad_response_i(events_i.origin.bad_response || events_i.target.bad_response),
    .count_fence_i(events_i.origin.fence),
    .count_non_forwarded_i(events_i.origin.non_forwarded),
    .count_prefetch_hit_i(events_i.origin.prefetch_hit),
    .count_prefetch_issue_i(events_i.origin.prefetch_issue),
    .count_prefetch_waste_i(events_i.origin.prefetch_waste),
    .write_i(reg_write_i), .addr_i(reg_addr_i), .wdata_i(reg_wdata_i), .rdata_o(reg_rdata_o)
  );

  always_comb begin
    config_o = '0;
    config_o.enable          = enable;
    config_o.expire          = expire;
    config_o.compact         = compact;
    config_o.node_id         = node_id;
    config_o.origin_start    = {origin_start_hi, origin_start_lo};
    config_o.mask            = {mask_hi, mask_lo};
    config_o.global_width    = global_width;
    config_o.timeout         = timeout;
    config_o.tick_log        = tick_log;
    config_o.origin_quota    = origin_quota;
    config_o.target_quota    = target_quota;
    config_o.prefetch_enable = prefetch_enable;
    config_o.prefetch_lines  = prefetch_lines;
    for (int unsigned i = 0; i < NumIntervals; i++) begin
      config_o.interval[i] = '{
        valid: interval_valid[i], fixed: interval_fixed[i], prefetch: interval_prefetch[i],
        read_only: interval_read_only[i], node: interval_node[i],
        first: {interval_first_hi[i], interval_first[i]}, last: {interval_last_hi[i], interval_last[i]}
      };
    end
    for (int unsigned i = 0; i < NumWindows; i++) begin
      config_o.window[i] = '{
        valid: window_valid[i], read: window_read[i], write: window_write[i], atomic: window_atomic[i],
        origin_first: window_origin_first[i], origin_last: window_origin_last[i],
        first: {window_first_hi[i], window_first[i]}, last: {window_last_hi[i], window_last[i]}
      };
    end
  end

  assign table_wr_o       = node_base_hi_write;
  assign table_node_o     = node_index;
  assign table_routable_o = node_routable;
  assign table_base_o     = {node_base_hi, node_base_lo};
  assign inverse_node_o   = inverse_node;
  assign inverse_offset_o = {inverse_offset_hi, inverse_offset_lo};
  assign {inverse_addr_hi, inverse_addr_lo} = inverse_addr_i;
  assign prefetch_invalidate_o = prefetch_invalidate_write;
  assign release_valid_o  = release_tag_write;
  assign release_tag_o    = release_tag;
  assign bulk_start_o     = bulk_start_write;
  assign bulk_is_get_o    = bulk_is_get;
  assign bulk_notify_o    = bulk_notify;
  assign bulk_local_o     = {bulk_local_hi, bulk_local_lo};
  assign bulk_global_o    = {bulk_global_hi, bulk_global_lo};
  assign bulk_length_o    = bulk_length;
  assign bulk_notify_addr_o = {bulk_notify_hi, bulk_notify_lo};
  assign bulk_value_o     = bulk_value;
  assign bulk_done        = bulk_done_i;
  assign bulk_errors      = bulk_errors_i[14:0];
  assign bulk_busy        = bulk_busy_i;
  assign ready            = ready_i;
  assign tags_in_use      = tags_in_use_i;
endmodule
