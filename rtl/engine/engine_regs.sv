// Written by rtl/tools/registers.py from rtl/engine/registers.toml.
//
// The engine's register file: a read takes one cycle, a write is done at its edge. Fields come out by
// name; counters hold at their greatest value.
module engine_regs (
  input  logic clk_i,
  input  logic rst_ni,
  output logic  enable_o,
  output logic  expire_o,
  output logic  compact_o,
  output logic  prefetch_enable_o,
  output logic [15:0] node_id_o,
  output logic [31:0] origin_start_lo_o,
  output logic [15:0] origin_start_hi_o,
  output logic [31:0] mask_lo_o,
  output logic [15:0] mask_hi_o,
  output logic [5:0] global_width_o,
  output logic [15:0] timeout_o,
  output logic [3:0] tick_log_o,
  output logic [10:0] origin_quota_o,
  output logic [10:0] target_quota_o,
  output logic [5:0] prefetch_lines_o,
  output logic prefetch_invalidate_write_o,
  output logic  prefetch_invalidate_o,
  output logic release_tag_write_o,
  output logic [9:0] release_tag_o,
  output logic [9:0] node_index_o,
  output logic [31:0] node_base_lo_o,
  output logic node_base_hi_write_o,
  output logic [9:0] node_base_hi_o,
  output logic  node_routable_o,
  output logic [7:0][31:0] interval_first_o,
  output logic [7:0][31:0] interval_last_o,
  output logic [7:0] interval_valid_o,
  output logic [7:0] interval_fixed_o,
  output logic [7:0] interval_prefetch_o,
  output logic [7:0] interval_read_only_o,
  output logic [7:0][3:0] interval_first_hi_o,
  output logic [7:0][3:0] interval_last_hi_o,
  output logic [7:0][3:0] interval_unused_o,
  output logic [7:0][15:0] interval_node_o,
  output logic [3:0][31:0] window_first_o,
  output logic [3:0][31:0] window_last_o,
  output logic [3:0][15:0] window_origin_first_o,
  output logic [3:0][15:0] window_origin_last_o,
  output logic [3:0] window_valid_o,
  output logic [3:0] window_read_o,
  output logic [3:0] window_write_o,
  output logic [3:0] window_atomic_o,
  output logic [3:0][9:0] window_first_hi_o,
  output logic [3:0][9:0] window_last_hi_o,
  output logic [15:0] inverse_node_o,
  output logic [31:0] inverse_offset_lo_o,
  output logic [15:0] inverse_offset_hi_o,
  input  logic [31:0] inverse_addr_lo_i,
  input  logic [15:0] inverse_addr_hi_i,
  output logic [31:0] bulk_local_lo_o,
  output logic [15:0] bulk_local_hi_o,
  output logic [31:0] bulk_global_lo_o,
  output logic [15:0] bulk_global_hi_o,
  output logic [31:0] bulk_length_o,
  output logic [31:0] bulk_notify_lo_o,
  output logic [15:0] bulk_notify_hi_o,
  output logic [31:0] bulk_value_o,
  output logic bulk_start_write_o,
  output logic  bulk_is_get_o,
  output logic  bulk_notify_o,
  input  logic [15:0] bulk_done_i,
  input  logic [14:0] bulk_errors_i,
  input  logic  bulk_busy_i,
  input  logic  ready_i,
  input  logic [10:0] tags_in_use_i,
  input  logic count_rx_malformed_i,
  input  logic count_rx_misrouted_i,
  input  logic count_p_dropped_origin_i,
  input  logic count_np_refused_origin_i,
  input  logic count_np_duplicate_tag_i,
  input  logic count_p_dropped_target_i,
  input  logic count_np_refused_target_i,
  input  logic count_np_over_quota_i,
  input  logic count_origin_timeout_i,
  input  logic count_target_timeout_i,
  input  logic count_late_response_i,
  input  logic count_stray_response_i,
  input  logic count_late_host_i,
  input  logic count_stray_host_i,
  input  logic count_bad_response_i,
  input  logic count_fence_i,
  input  logic count_non_forwarded_i,
  input  logic count_prefetch_hit_i,
  input  logic count_prefetch_issue_i,
  input  logic count_prefetch_waste_i,
  /// Access: an address in bytes, one write or read a cycle.
  input  logic write_i,
  input  logic [8:0] addr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o
);
  logic [6:0] word;
  logic [1:0] unused_addr;
  logic [31:0] rdata_d;
  assign {word, unused_addr} = addr_i;

  logic  enable_q;
  logic  expire_q;
  logic  compact_q;
  logic  prefetch_enable_q;
  logic [15:0] node_id_q;
  logic [31:0] origin_start_lo_q;
  logic [15:0] origin_start_hi_q;
  logic [31:0] mask_lo_q;
  logic [15:0] mask_hi_q;
  logic [5:0] global_width_q;
  logic [15:0] timeout_q;
  logic [3:0] tick_log_q;
  logic [10:0] origin_quota_q;
  logic [10:0] target_quota_q;
  logic [5:0] prefetch_lines_q;
  logic [9:0] node_index_q;
  logic [31:0] node_base_lo_q;
  logic [7:0][31:0] interval_first_q;
  logic [7:0][31:0] interval_last_q;
  logic [7:0] interval_valid_q;
  logic [7:0] interval_fixed_q;
  logic [7:0] interval_prefetch_q;
  logic [7:0] interval_read_only_q;
  logic [7:0][3:0] interval_first_hi_q;
  logic [7:0][3:0] interval_last_hi_q;
  logic [7:0][3:0] interval_unused_q;
  logic [7:0][15:0] interval_node_q;
  logic [3:0][31:0] window_first_q;
  logic [3:0][31:0] window_last_q;
  logic [3:0][15:0] window_origin_first_q;
  logic [3:0][15:0] window_origin_last_q;
  logic [3:0] window_valid_q;
  logic [3:0] window_read_q;
  logic [3:0] window_write_q;
  logic [3:0] window_atomic_q;
  logic [3:0][9:0] window_first_hi_q;
  logic [3:0][9:0] window_last_hi_q;
  logic [15:0] inverse_node_q;
  logic [31:0] inverse_offset_lo_q;
  logic [15:0] inverse_offset_hi_q;
  logic [31:0] bulk_local_lo_q;
  logic [15:0] bulk_local_hi_q;
  logic [31:0] bulk_global_lo_q;
  logic [15:0] bulk_global_hi_q;
  logic [31:0] bulk_length_q;
  logic [31:0] bulk_notify_lo_q;
  logic [15:0] bulk_notify_hi_q;
  logic [31:0] bulk_value_q;
  logic [31:0] count_rx_malformed_q;
  logic [31:0] count_rx_misrouted_q;
  logic [31:0] count_p_dropped_origin_q;
  logic [31:0] count_np_refused_origin_q;
  logic [31:0] count_np_duplicate_tag_q;
  logic [31:0] count_p_dropped_target_q;
  logic [31:0] count_np_refused_target_q;
  logic [31:0] count_np_over_quota_q;
  logic [31:0] count_origin_timeout_q;
  logic [31:0] count_target_timeout_q;
  logic [31:0] count_late_response_q;
  logic [31:0] count_stray_response_q;
  logic [31:0] count_late_host_q;
  logic [31:0] count_stray_host_q;
  logic [31:0] count_bad_response_q;
  logic [31:0] count_fence_q;
  logic [31:0] count_non_forwarded_q;
  logic [31:0] count_prefetch_hit_q;
  logic [31:0] count_prefetch_issue_q;
  logic [31:0] count_prefetch_waste_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q <= '0;
      expire_q <= '0;
      compact_q <= '0;
      prefetch_enable_q <= '0;
      node_id_q <= '0;
      origin_start_lo_q <= '0;
      origin_start_hi_q <= '0;
      mask_lo_q <= '0;
      mask_hi_q <= '0;
      global_width_q <= 6'd48;
      timeout_q <= '0;
      tick_log_q <= '0;
      origin_quota_q <= '0;
      target_quota_q <= '0;
      prefetch_lines_q <= 6'd24;
      node_index_q <= '0;
      node_base_lo_q <= '0;
      interval_first_q <= '0;
      interval_last_q <= '0;
      interval_valid_q <= '0;
      interval_fixed_q <= '0;
      interval_prefetch_q <= '0;
      interval_read_only_q <= '0;
      interval_first_hi_q <= '0;
      interval_last_hi_q <= '0;
      interval_unused_q <= '0;
      interval_node_q <= '0;
      window_first_q <= '0;
      window_last_q <= '0;
      window_origin_first_q <= '0;
      window_origin_last_q <= '0;
      window_valid_q <= '0;
      window_read_q <= '0;
      window_write_q <= '0;
      window_atomic_q <= '0;
      window_first_hi_q <= '0;
      window_last_hi_q <= '0;
      inverse_node_q <= '0;
      inverse_offset_lo_q <= '0;
      inverse_offset_hi_q <= '0;
      bulk_local_lo_q <= '0;
      bulk_local_hi_q <= '0;
      bulk_global_lo_q <= '0;
      bulk_global_hi_q <= '0;
      bulk_length_q <= '0;
      bulk_notify_lo_q <= '0;
      bulk_notify_hi_q <= '0;
      bulk_value_q <= '0;
      count_rx_malformed_q <= '0;
      count_rx_misrouted_q <= '0;
      count_p_dropped_origin_q <= '0;
      count_np_refused_origin_q <= '0;
      count_np_duplicate_tag_q <= '0;
      count_p_dropped_target_q <= '0;
      count_np_refused_target_q <= '0;
      count_np_over_quota_q <= '0;
      count_origin_timeout_q <= '0;
      count_target_timeout_q <= '0;
      count_late_response_q <= '0;
      count_stray_response_q <= '0;
      count_late_host_q <= '0;
      count_stray_host_q <= '0;
      count_bad_response_q <= '0;
      count_fence_q <= '0;
      count_non_forwarded_q <= '0;
      count_prefetch_hit_q <= '0;
      count_prefetch_issue_q <= '0;
      count_prefetch_waste_q <= '0;
    end else begin
      if (write_i && word == 7'd0) enable_q <= wdata_i[0];
      if (write_i && word == 7'd0) expire_q <= wdata_i[1];
      if (write_i && word == 7'd0) compact_q <= wdata_i[2];
      if (write_i && word == 7'd0) prefetch_enable_q <= wdata_i[3];
      if (write_i && word == 7'd1) node_id_q <= wdata_i[15:0];
      if (write_i && word == 7'd2) origin_start_lo_q <= wdata_i[31:0];
      if (write_i && word == 7'd3) origin_start_hi_q <= wdata_i[15:0];
      if (write_i && word == 7'd4) mask_lo_q <= wdata_i[31:0];
      if (write_i && word == 7'd5) mask_hi_q <= wdata_i[15:0];
      if (write_i && word == 7'd6) global_width_q <= wdata_i[5:0];
      if (write_i && word == 7'd7) timeout_q <= wdata_i[15:0];
      if (write_i && word == 7'd8) tick_log_q <= wdata_i[3:0];
      if (write_i && word == 7'd9) origin_quota_q <= wdata_i[10:0];
      if (write_i && word == 7'd10) target_quota_q <= wdata_i[10:0];
      if (write_i && word == 7'd11) prefetch_lines_q <= wdata_i[5:0];
      if (write_i && word == 7'd14) node_index_q <= wdata_i[9:0];
      if (write_i && word == 7'd15) node_base_lo_q <= wdata_i[31:0];
      if (write_i && word >= 7'd17 && word < 7'd25) interval_first_q[3'(word - 7'd17)] <= wdata_i[31:0];
      if (write_i && word >= 7'd25 && word < 7'd33) interval_last_q[3'(word - 7'd25)] <= wdata_i[31:0];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_valid_q[3'(word - 7'd33)] <= wdata_i[0];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_fixed_q[3'(word - 7'd33)] <= wdata_i[1];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_prefetch_q[3'(word - 7'd33)] <= wdata_i[2];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_read_only_q[3'(word - 7'd33)] <= wdata_i[3];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_first_hi_q[3'(word - 7'd33)] <= wdata_i[7:4];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_last_hi_q[3'(word - 7'd33)] <= wdata_i[11:8];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_unused_q[3'(word - 7'd33)] <= wdata_i[15:12];
      if (write_i && word >= 7'd33 && word < 7'd41) interval_node_q[3'(word - 7'd33)] <= wdata_i[31:16];
      if (write_i && word >= 7'd41 && word < 7'd45) window_first_q[2'(word - 7'd41)] <= wdata_i[31:0];
      if (write_i && word >= 7'd45 && word < 7'd49) window_last_q[2'(word - 7'd45)] <= wdata_i[31:0];
      if (write_i && word >= 7'd49 && word < 7'd53) window_origin_first_q[2'(word - 7'd49)] <= wdata_i[15:0];
      if (write_i && word >= 7'd49 && word < 7'd53) window_origin_last_q[2'(word - 7'd49)] <= wdata_i[31:16];
      if (write_i && word >= 7'd53 && word < 7'd57) window_valid_q[2'(word - 7'd53)] <= wdata_i[0];
      if (write_i && word >= 7'd53 && word < 7'd57) window_read_q[2'(word - 7'd53)] <= wdata_i[1];
      if (write_i && word >= 7'd53 && word < 7'd57) window_write_q[2'(word - 7'd53)] <= wdata_i[2];
      if (write_i && word >= 7'd53 && word < 7'd57) window_atomic_q[2'(word - 7'd53)] <= wdata_i[3];
      if (write_i && word >= 7'd53 && word < 7'd57) window_first_hi_q[2'(word - 7'd53)] <= wdata_i[13:4];
      if (write_i && word >= 7'd53 && word < 7'd57) window_last_hi_q[2'(word - 7'd53)] <= wdata_i[23:14];
      if (write_i && word == 7'd57) inverse_node_q <= wdata_i[15:0];
      if (write_i && word == 7'd58) inverse_offset_lo_q <= wdata_i[31:0];
      if (write_i && word == 7'd59) inverse_offset_hi_q <= wdata_i[15:0];
      if (write_i && word == 7'd62) bulk_local_lo_q <= wdata_i[31:0];
      if (write_i && word == 7'd63) bulk_local_hi_q <= wdata_i[15:0];
      if (write_i && word == 7'd64) bulk_global_lo_q <= wdata_i[31:0];
      if (write_i && word == 7'd65) bulk_global_hi_q <= wdata_i[15:0];
      if (write_i && word == 7'd66) bulk_length_q <= wdata_i[31:0];
      if (write_i && word == 7'd67) bulk_notify_lo_q <= wdata_i[31:0];
      if (write_i && word == 7'd68) bulk_notify_hi_q <= wdata_i[15:0];
      if (write_i && word == 7'd69) bulk_value_q <= wdata_i[31:0];
      if (write_i && word == 7'd73) count_rx_malformed_q <= '0;
      else if (count_rx_malformed_i && count_rx_malformed_q != '1) count_rx_malformed_q <= count_rx_malformed_q + 32'd1;
      if (write_i && word == 7'd74) count_rx_misrouted_q <= '0;
      else if (count_rx_misrouted_i && count_rx_misrouted_q != '1) count_rx_misrouted_q <= count_rx_misrouted_q + 32'd1;
      if (write_i && word == 7'd75) count_p_dropped_origin_q <= '0;
      else if (count_p_dropped_origin_i && count_p_dropped_origin_q != '1) count_p_dropped_origin_q <= count_p_dropped_origin_q + 32'd1;
      if (write_i && word == 7'd76) count_np_refused_origin_q <= '0;
      else if (count_np_refused_origin_i && count_np_refused_origin_q != '1) count_np_refused_origin_q <= count_np_refused_origin_q + 32'd1;
      if (write_i && word == 7'd77) count_np_duplicate_tag_q <= '0;
      else if (count_np_duplicate_tag_i && count_np_duplicate_tag_q != '1) count_np_duplicate_tag_q <= count_np_duplicate_tag_q + 32'd1;
      if (write_i && word == 7'd78) count_p_dropped_target_q <= '0;
      else if (count_p_dropped_target_i && count_p_dropped_target_q != '1) count_p_dropped_target_q <= count_p_dropped_target_q + 32'd1;
      if (write_i && word == 7'd79) count_np_refused_target_q <= '0;
      else if (count_np_refused_target_i && count_np_refused_target_q != '1) count_np_refused_target_q <= count_np_refused_target_q + 32'd1;
      if (write_i && word == 7'd80) count_np_over_quota_q <= '0;
      else if (count_np_over_quota_i && count_np_over_quota_q != '1) count_np_over_quota_q <= count_np_over_quota_q + 32'd1;
      if (write_i && word == 7'd81) count_origin_timeout_q <= '0;
      else if (count_origin_timeout_i && count_origin_timeout_q != '1) count_origin_timeout_q <= count_origin_timeout_q + 32'd1;
      if (write_i && word == 7'd82) count_target_timeout_q <= '0;
      else if (count_target_timeout_i && count_target_timeout_q != '1) count_target_timeout_q <= count_target_timeout_q + 32'd1;
      if (write_i && word == 7'd83) count_late_response_q <= '0;
      else if (count_late_response_i && count_late_response_q != '1) count_late_response_q <= count_late_response_q + 32'd1;
      if (write_i && word == 7'd84) count_stray_response_q <= '0;
      else if (count_stray_response_i && count_stray_response_q != '1) count_stray_response_q <= count_stray_response_q + 32'd1;
      if (write_i && word == 7'd85) count_late_host_q <= '0;
      else if (count_late_host_i && count_late_host_q != '1) count_late_host_q <= count_late_host_q + 32'd1;
      if (write_i && word == 7'd86) count_stray_host_q <= '0;
      else if (count_stray_host_i && count_stray_host_q != '1) count_stray_host_q <= count_stray_host_q + 32'd1;
      if (write_i && word == 7'd87) count_bad_response_q <= '0;
      else if (count_bad_response_i && count_bad_response_q != '1) count_bad_response_q <= count_bad_response_q + 32'd1;
      if (write_i && word == 7'd88) count_fence_q <= '0;
      else if (count_fence_i && count_fence_q != '1) count_fence_q <= count_fence_q + 32'd1;
      if (write_i && word == 7'd89) count_non_forwarded_q <= '0;
      else if (count_non_forwarded_i && count_non_forwarded_q != '1) count_non_forwarded_q <= count_non_forwarded_q + 32'd1;
      if (write_i && word == 7'd90) count_prefetch_hit_q <= '0;
      else if (count_prefetch_hit_i && count_prefetch_hit_q != '1) count_prefetch_hit_q <= count_prefetch_hit_q + 32'd1;
      if (write_i && word == 7'd91) count_prefetch_issue_q <= '0;
      else if (count_prefetch_issue_i && count_prefetch_issue_q != '1) count_prefetch_issue_q <= count_prefetch_issue_q + 32'd1;
      if (write_i && word == 7'd92) count_prefetch_waste_q <= '0;
      else if (count_prefetch_waste_i && count_prefetch_waste_q != '1) count_prefetch_waste_q <= count_prefetch_waste_q + 32'd1;
    end
  end

  always_comb begin
    rdata_d = '0;
    if (word == 7'd0) rdata_d[0] = enable_q;
    if (word == 7'd0) rdata_d[1] = expire_q;
    if (word == 7'd0) rdata_d[2] = compact_q;
    if (word == 7'd0) rdata_d[3] = prefetch_enable_q;
    if (word == 7'd1) rdata_d[15:0] = node_id_q;
    if (word == 7'd2) rdata_d[31:0] = origin_start_lo_q;
    if (word == 7'd3) rdata_d[15:0] = origin_start_hi_q;
    if (word == 7'd4) rdata_d[31:0] = mask_lo_q;
    if (word == 7'd5) rdata_d[15:0] = mask_hi_q;
    if (word == 7'd6) rdata_d[5:0] = global_width_q;
    if (word == 7'd7) rdata_d[15:0] = timeout_q;
    if (word == 7'd8) rdata_d[3:0] = tick_log_q;
    if (word == 7'd9) rdata_d[10:0] = origin_quota_q;
    if (word == 7'd10) rdata_d[10:0] = target_quota_q;
    if (word == 7'd11) rdata_d[5:0] = prefetch_lines_q;
    if (word == 7'd14) rdata_d[9:0] = node_index_q;
    if (word == 7'd15) rdata_d[31:0] = node_base_lo_q;
    if (word >= 7'd17 && word < 7'd25) rdata_d[31:0] = interval_first_q[3'(word - 7'd17)];
    if (word >= 7'd25 && word < 7'd33) rdata_d[31:0] = interval_last_q[3'(word - 7'd25)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[0] = interval_valid_q[3'(word - 7'd33)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[1] = interval_fixed_q[3'(word - 7'd33)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[2] = interval_prefetch_q[3'(word - 7'd33)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[3] = interval_read_only_q[3'(word - 7'd33)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[7:4] = interval_first_hi_q[3'(word - 7'd33)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[11:8] = interval_last_hi_q[3'(word - 7'd33)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[15:12] = interval_unused_q[3'(word - 7'd33)];
    if (word >= 7'd33 && word < 7'd41) rdata_d[31:16] = interval_node_q[3'(word - 7'd33)];
    if (word >= 7'd41 && word < 7'd45) rdata_d[31:0] = window_first_q[2'(word - 7'd41)];
    if (word >= 7'd45 && word < 7'd49) rdata_d[31:0] = window_last_q[2'(word - 7'd45)];
    if (word >= 7'd49 && word < 7'd53) rdata_d[15:0] = window_origin_first_q[2'(word - 7'd49)];
    if (word >= 7'd49 && word < 7'd53) rdata_d[31:16] = window_origin_last_q[2'(word - 7'd49)];
    if (word >= 7'd53 && word < 7'd57) rdata_d[0] = window_valid_q[2'(word - 7'd53)];
    if (word >= 7'd53 && word < 7'd57) rdata_d[1] = window_read_q[2'(word - 7'd53)];
    if (word >= 7'd53 && word < 7'd57) rdata_d[2] = window_write_q[2'(word - 7'd53)];
    if (word >= 7'd53 && word < 7'd57) rdata_d[3] = window_atomic_q[2'(word - 7'd53)];
    if (word >= 7'd53 && word < 7'd57) rdata_d[13:4] = window_first_hi_q[2'(word - 7'd53)];
    if (word >= 7'd53 && word < 7'd57) rdata_d[23:14] = window_last_hi_q[2'(word - 7'd53)];
    if (word == 7'd57) rdata_d[15:0] = inverse_node_q;
    if (word == 7'd58) rdata_d[31:0] = inverse_offset_lo_q;
    if (word == 7'd59) rdata_d[15:0] = inverse_offset_hi_q;
    if (word == 7'd60) rdata_d[31:0] = inverse_addr_lo_i;
    if (word == 7'd61) rdata_d[15:0] = inverse_addr_hi_i;
    if (word == 7'd62) rdata_d[31:0] = bulk_local_lo_q;
    if (word == 7'd63) rdata_d[15:0] = bulk_local_hi_q;
    if (word == 7'd64) rdata_d[31:0] = bulk_global_lo_q;
    if (word == 7'd65) rdata_d[15:0] = bulk_global_hi_q;
    if (word == 7'd66) rdata_d[31:0] = bulk_length_q;
    if (word == 7'd67) rdata_d[31:0] = bulk_notify_lo_q;
    if (word == 7'd68) rdata_d[15:0] = bulk_notify_hi_q;
    if (word == 7'd69) rdata_d[31:0] = bulk_value_q;
    if (word == 7'd71) rdata_d[15:0] = bulk_done_i;
    if (word == 7'd71) rdata_d[30:16] = bulk_errors_i;
    if (word == 7'd71) rdata_d[31] = bulk_busy_i;
    if (word == 7'd72) rdata_d[0] = ready_i;
    if (word == 7'd72) rdata_d[11:1] = tags_in_use_i;
    if (word == 7'd73) rdata_d = count_rx_malformed_q;
    if (word == 7'd74) rdata_d = count_rx_misrouted_q;
    if (word == 7'd75) rdata_d = count_p_dropped_origin_q;
    if (word == 7'd76) rdata_d = count_np_refused_origin_q;
    if (word == 7'd77) rdata_d = count_np_duplicate_tag_q;
    if (word == 7'd78) rdata_d = count_p_dropped_target_q;
    if (word == 7'd79) rdata_d = count_np_refused_target_q;
    if (word == 7'd80) rdata_d = count_np_over_quota_q;
    if (word == 7'd81) rdata_d = count_origin_timeout_q;
    if (word == 7'd82) rdata_d = count_target_timeout_q;
    if (word == 7'd83) rdata_d = count_late_response_q;
    if (word == 7'd84) rdata_d = count_stray_response_q;
    if (word == 7'd85) rdata_d = count_late_host_q;
    if (word == 7'd86) rdata_d = count_stray_host_q;
    if (word == 7'd87) rdata_d = count_bad_response_q;
    if (word == 7'd88) rdata_d = count_fence_q;
    if (word == 7'd89) rdata_d = count_non_forwarded_q;
    if (word == 7'd90) rdata_d = count_prefetch_hit_q;
    if (word == 7'd91) rdata_d = count_prefetch_issue_q;
    if (word == 7'd92) rdata_d = count_prefetch_waste_q;
  end
  always_ff @(posedge clk_i) rdata_o <= rdata_d;

  assign enable_o = enable_q;
  assign expire_o = expire_q;
  assign compact_o = compact_q;
  assign prefetch_enable_o = prefetch_enable_q;
  assign node_id_o = node_id_q;
  assign origin_start_lo_o = origin_start_lo_q;
  assign origin_start_hi_o = origin_start_hi_q;
  assign mask_lo_o = mask_lo_q;
  assign mask_hi_o = mask_hi_q;
  assign global_width_o = global_width_q;
  assign timeout_o = timeout_q;
  assign tick_log_o = tick_log_q;
  assign origin_quota_o = origin_quota_q;
  assign target_quota_o = target_quota_q;
  assign prefetch_lines_o = prefetch_lines_q;
  assign prefetch_invalidate_write_o = write_i && word == 7'd12;
  assign prefetch_invalidate_o = wdata_i[0];
  assign release_tag_write_o = write_i && word == 7'd13;
  assign release_tag_o = wdata_i[9:0];
  assign node_index_o = node_index_q;
  assign node_base_lo_o = node_base_lo_q;
  assign node_base_hi_write_o = write_i && word == 7'd16;
  assign node_base_hi_o = wdata_i[9:0];
  assign node_routable_o = wdata_i[10];
  assign interval_first_o = interval_first_q;
  assign interval_last_o = interval_last_q;
  assign interval_valid_o = interval_valid_q;
  assign interval_fixed_o = interval_fixed_q;
  assign interval_prefetch_o = interval_prefetch_q;
  assign interval_read_only_o = interval_read_only_q;
  assign interval_first_hi_o = interval_first_hi_q;
  assign interval_last_hi_o = interval_last_hi_q;
  assign interval_unused_o = interval_unused_q;
  assign interval_node_o = interval_node_q;
  assign window_first_o = window_first_q;
  assign window_last_o = window_last_q;
  assign window_origin_first_o = window_origin_first_q;
  assign window_origin_last_o = window_origin_last_q;
  assign window_valid_o = window_valid_q;
  assign window_read_o = window_read_q;
  assign window_write_o = window_write_q;
  assign window_atomic_o = window_atomic_q;
  assign window_first_hi_o = window_first_hi_q;
  assign window_last_hi_o = window_last_hi_q;
  assign inverse_node_o = inverse_node_q;
  assign inverse_offset_lo_o = inverse_offset_lo_q;
  assign inverse_offset_hi_o = inverse_offset_hi_q;
  assign bulk_local_lo_o = bulk_local_lo_q;
  assign bulk_local_hi_o = bulk_local_hi_q;
  assign bulk_global_lo_o = bulk_global_lo_q;
  assign bulk_global_hi_o = bulk_global_hi_q;
  assign bulk_length_o = bulk_length_q;
  assign bulk_notify_lo_o = bulk_notify_lo_q;
  assign bulk_notify_hi_o = bulk_notify_hi_q;
  assign bulk_value_o = bulk_value_q;
  assign bulk_start_write_o = write_i && word == 7'd70;
  assign bulk_is_get_o = wdata_i[0];
  assign bulk_notify_o = wdata_i[1];
endmodule
