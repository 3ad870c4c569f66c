// What the node sends: each flit of a class comes out once, in order, the next cycle; the packets of a
// channel are whole, and of the channel's class; no channel holds more than its credits; and who has a
// flit waits only for credits or for the other class. For any flits, gaps and credits given back.
module noc_injector_proof
  import noc_pkg::*;
(
  input logic        clk_i,
  input logic  [1:0] valid_i,
  input flit_t [1:0] flit_i,
  input logic  [1:0] next_i,
  input logic        credit_i,
  input logic  [1:0] credit_channel_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic  [1:0]      ready, offer, channel, inside_q, waited_q;
  logic             valid, credit;
  flit_t            flit;
  logic  [3:0][1:0] held_q;    // in the router, by channel
  logic  [3:0]      open_q;    // a packet's tail is still to come, by channel
  logic  [1:0]      ready_q, free;
  logic  [1:0][3:0] mark_q;

  for (genvar k = 0; k < 2; k++) begin : gen_class
    assign offer[k] = valid_i[k] && flit_i[k].head != inside_q[k];
    assign free[k]  = held_q[2*k] + 2'(valid && channel == 2'(2*k)) != 2'd2 &&
                      held_q[2*k+1] + 2'(valid && channel == 2'(2*k+1)) != 2'd2;
  end
  assign credit = credit_i && held_q[credit_channel_i] != '0;
  noc_injector #(.PerClass(2), .Depth(2)) u_injector (
    .clk_i, .rst_ni, .valid_i(offer), .ready_o(ready), .flit_i, .next_i,
    .valid_o(valid), .channel_o(channel), .flit_o(flit), .credit_valid_i(credit), .credit_channel_i
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= '0; open_q <= '0; inside_q <= '0; ready_q <= '0; mark_q <= '0; waited_q <= '0;
    end else begin
      ready_q <= ready;
      for (int k = 0; k < 2; k++) begin
        mark_q[k] <= {flit_i[k].head, flit_i[k].tail, flit_i[k].data[31], flit_i[k].data[0]};
        if (ready[k]) inside_q[k] <= !flit_i[k].tail;
        waited_q[k] <= offer[k] && free[k] && !ready[k];
      end
      for (int c = 0; c < 4; c++) begin
        held_q[c] <= held_q[c] + 2'(valid && channel == 2'(c)) - 2'(credit && credit_channel_i == 2'(c));
      end
      if (valid) open_q[channel] <= !flit.tail;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (ready != 2'b11 && (ready & ~offer) == '0);
      assert (valid == (ready_q != '0));
      assert (!valid || ready_q[channel[1]]);
      assert (!valid || {flit.head, flit.tail, flit.data[31], flit.data[0]} == mark_q[channel[1]]);
      assert (!valid || flit.head != open_q[channel]);
      assert (!valid || held_q[channel] != 2'd2);
    end
  end
  for (genvar k = 0; k < 2; k++) begin : gen_turns
    // Passed over with both of its channels free: then the other class went, and it goes now.
    always_ff @(posedge clk_i) begin
      if (rst_ni) assert (!waited_q[k] || (ready_q[1-k] && (!offer[k] || !free[k] || ready[k])));
    end
  end
endmodule
