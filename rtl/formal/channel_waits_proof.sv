// No channel waits for another in a circle: two engines and their hosts as queues and what the head of each
// waits for. Waits are taken stronger than they are (a packet that may not pass waits for every posted one
// beside it), and what a head needs is chosen by an adversary when it comes to the head. Proved: as long as
// anything is under way, something can move; and tags in use are the requests that hosts have.
//
// Of hosts only this is asked: they take posted packets and responses always, and requests when there is
// room for the answer. With `Broken` set posted packets wait for responses, and the proof must fail.
module channel_waits_proof #(
  /// Places of a queue, tags of a target, slots of its atomic unit.
  parameter int unsigned Depth = 2,
  parameter int unsigned Tags = 2,
  parameter int unsigned Slots = 1,
  parameter bit Broken = 1'b0
) (
  input logic       clk_i,
  /// What moves, of which engine; what the adversary says of the next heads.
  input logic [4:0] move_i,
  input logic       node_i,
  input logic [1:0] kind_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  typedef logic [2:0] level_t;
  // From the host, from the network, to the host: posted, non-posted, responses.
  level_t hp_q [2], hn_q [2], hr_q [2];
  level_t np_q [2], nn_q [2], nr_q [2];
  level_t ip_q [2], in_q [2], ir_q [2];
  // The host's open requests, by who waits: another node, the atomic unit, the bulk unit.
  level_t remote_q [2], atomic_q [2], bulk_q [2];
  level_t tags_q [2];
  level_t back_q [2], answer_q [2];  // of the atomic unit: writes back and answers that wait
  // What the head of a queue is.
  logic [1:0] hn_kind_q [2], hr_kind_q [2], nn_kind_q [2], nr_kind_q [2];

  localparam logic [1:0] Plain = 2'd0, Atomic = 2'd1, Bulk = 2'd2, Refused = 2'd3;

  typedef enum logic [4:0] {
    HostPosts, HostAsks, PostedOut, RequestOut, RequestBack, ResponseOut, ResponseAtomic, ResponseBulk,
    PostedIn, RequestIn, RequestAtomic, RequestRefused, ResponseIn, ResponseData, ResponseTaken, BulkReads, BulkFetches,
    WriteBack, AnswerOut, HostTakesPosted, HostTakesRequest, HostTakesResponse, Moves
  } move_e;

  // What can move. The first two and those of the bulk unit bring something new and do not count.
  logic [1:0][int'(Moves)-1:0] can;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      can[i] = '0;
      can[i][HostPosts]   = hp_q[i] < 3'(Depth);
      can[i][HostAsks]    = hn_q[i] < 3'(Depth);
      can[i][PostedOut]   = hp_q[i] != '0 && np_q[1-i] < 3'(Depth) && (!Broken || hr_q[i] == '0);
      // A request waits for the posted ones beside it; one that is answered here for its answer's room.
      can[i][RequestOut]  = hn_q[i] != '0 && hp_q[i] == '0 && hn_kind_q[i] != Refused && nn_q[1-i] < 3'(Depth);
      can[i][RequestBack] = hn_q[i] != '0 && hp_q[i] == '0 && hn_kind_q[i] == Refused && ir_q[i] < 3'(Depth);
      // A response of the host goes to the network, to the atomic unit, or becomes posted data.
      can[i][ResponseOut]    = hr_q[i] != '0 && hp_q[i] == '0 && hr_kind_q[i] == Plain && nr_q[1-i] < 3'(Depth);
      can[i][ResponseAtomic] = hr_q[i] != '0 && hp_q[i] == '0 && hr_kind_q[i] == Atomic;
      can[i][ResponseBulk]   = hr_q[i] != '0 && hp_q[i] == '0 && hr_kind_q[i] == Bulk && np_q[1-i] < 3'(Depth);
      can[i][PostedIn]       = np_q[i] != '0 && ip_q[i] < 3'(Depth);
      // Of the network: a tag and room at the host; any of them may wait for the lock of an atomic.
      can[i][RequestIn]      = nn_q[i] != '0 && np_q[i] == '0 && nn_kind_q[i] inside {Plain, Bulk} &&
                               tags_q[i] < 3'(Tags) && in_q[i] < 3'(Depth) &&
                               (nn_kind_q[i] == Plain || atomic_q[i] + back_q[i] == '0);
      can[i][RequestAtomic]  = nn_q[i] != '0 && np_q[i] == '0 && nn_kind_q[i] == Atomic && tags_q[i] < 3'(Tags) &&
                               in_q[i] < 3'(Depth) && atomic_q[i] + back_q[i] == '0 &&
                               atomic_q[i] + back_q[i] + answer_q[i] < 3'(Slots);
      can[i][RequestRefused] = nn_q[i] != '0 && np_q[i] == '0 && nn_kind_q[i] == Refused && nr_q[1-i] < 3'(Depth);
      // For the host, posted data of a bulk transfer, or one that is always taken.
      can[i][ResponseIn]     = nr_q[i] != '0 && np_q[i] == '0 && nr_kind_q[i] == Plain && ir_q[i] < 3'(Depth);
      can[i][ResponseData]   = nr_q[i] != '0 && np_q[i] == '0 && nr_kind_q[i] == Bulk && ip_q[i] < 3'(Depth);
      can[i][ResponseTaken]  = nr_q[i] != '0 && np_q[i] == '0 && nr_kind_q[i] inside {Atomic, Refused};
      can[i][BulkReads]      = tags_q[i] < 3'(Tags) && in_q[i] < 3'(Depth);
      can[i][BulkFetches]    = nn_q[1-i] < 3'(Depth);
      can[i][WriteBack]      = back_q[i] != '0 && ip_q[i] < 3'(Depth);
      can[i][AnswerOut]      = answer_q[i] != '0 && nr_q[1-i] < 3'(Depth);
      can[i][HostTakesPosted]   = ip_q[i] != '0;
      can[i][HostTakesRequest]  = in_q[i] != '0 && hr_q[i] < 3'(Depth);
      can[i][HostTakesResponse] = ir_q[i] != '0;
    end
  end

  // The adversary says who waits for the response at the head: somebody who does.
  function automatic logic [1:0] waiter(logic [1:0] wish, level_t remote, level_t atomic, level_t bulk);
    if (wish == Atomic && atomic != '0) return Atomic;
    if (wish == Bulk && bulk != '0) return Bulk;
    if (remote != '0) return Plain;
    return atomic != '0 ? Atomic : Bulk;
  endfunction

  logic moves, by [2], of [2];
  assign moves = int'(move_i) < int'(Moves) && can[node_i][move_i];
  for (genvar i = 0; i < 2; i++) begin : gen_node
    assign by[i] = moves && node_i == 1'(i);  // this engine moves
    assign of[i] = moves && node_i != 1'(i);  // the other one

    function automatic logic is(move_e m);
      return by[i] && move_i == 5'(m);
    endfunction
    function automatic logic other(move_e m);
      return of[i] && move_i == 5'(m);
    endfunction
    level_t remote_d, atomic_d, bulk_d;
    assign remote_d = remote_q[i] + 3'(is(RequestIn)) - 3'(is(ResponseOut));
    assign atomic_d = atomic_q[i] + 3'(is(RequestAtomic)) - 3'(is(ResponseAtomic));
    assign bulk_d   = bulk_q[i] + 3'(is(BulkReads)) - 3'(is(ResponseBulk));

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        hp_q[i] <= '0; hn_q[i] <= '0; hr_q[i] <= '0; np_q[i] <= '0; nn_q[i] <= '0; nr_q[i] <= '0;
        ip_q[i] <= '0; in_q[i] <= '0; ir_q[i] <= '0; remote_q[i] <= '0; atomic_q[i] <= '0; bulk_q[i] <= '0;
        tags_q[i] <= '0; back_q[i] <= '0; answer_q[i] <= '0;
        hn_kind_q[i] <= Plain; hr_kind_q[i] <= Plain; nn_kind_q[i] <= Plain; nr_kind_q[i] <= Plain;
      end else begin
        hp_q[i] <= hp_q[i] + 3'(is(HostPosts)) - 3'(is(PostedOut));
        hn_q[i] <= hn_q[i] + 3'(is(HostAsks)) - 3'(is(RequestOut) || is(RequestBack));
        hr_q[i] <= hr_q[i] + 3'(is(HostTakesRequest)) - 3'(is(ResponseOut) || is(ResponseAtomic) || is(ResponseBulk));
        np_q[i] <= np_q[i] + 3'(other(PostedOut) || other(ResponseBulk)) - 3'(is(PostedIn));
        nn_q[i] <= nn_q[i] + 3'(other(RequestOut) || other(BulkFetches)) -
                   3'(is(RequestIn) || is(RequestAtomic) || is(RequestRefused));
        nr_q[i] <= nr_q[i] + 3'(other(ResponseOut) || other(RequestRefused) || other(AnswerOut)) -
                   3'(is(ResponseIn) || is(ResponseData) || is(ResponseTaken));
        ip_q[i] <= ip_q[i] + 3'(is(PostedIn) || is(ResponseData) || is(WriteBack)) - 3'(is(HostTakesPosted));
        in_q[i] <= in_q[i] + 3'(is(RequestIn) || is(RequestAtomic) || is(BulkReads)) - 3'(is(HostTakesRequest));
        ir_q[i] <= ir_q[i] + 3'(is(ResponseIn) || is(RequestBack)) - 3'(is(HostTakesResponse));
        tags_q[i] <= tags_q[i] + 3'(is(RequestIn) || is(RequestAtomic) || is(BulkReads)) -
                     3'(is(ResponseOut) || is(ResponseAtomic) || is(ResponseBulk));
        remote_q[i] <= remote_d;
        atomic_q[i] <= atomic_d;
        bulk_q[i]   <= bulk_d;
        back_q[i]   <= back_q[i] + 3'(is(ResponseAtomic)) - 3'(is(WriteBack));
        answer_q[i] <= answer_q[i] + 3'(is(WriteBack)) - 3'(is(AnswerOut));
        // A new head: what it needs is said anew.
        if (hn_q[i] == '0 || is(RequestOut) || is(RequestBack)) hn_kind_q[i] <= kind_i;
        if (hr_q[i] == '0 || is(ResponseOut) || is(ResponseAtomic) || is(ResponseBulk)) begin
          hr_kind_q[i] <= waiter(kind_i, remote_d, atomic_d, bulk_d);
        end
        if (nn_q[i] == '0 || is(RequestIn) || is(RequestAtomic) || is(RequestRefused)) nn_kind_q[i] <= kind_i;
        if (nr_q[i] == '0 || is(ResponseIn) || is(ResponseData) || is(ResponseTaken)) nr_kind_q[i] <= kind_i;
      end
    end
  end

  logic [1:0] busy, progress;
  logic [int'(Moves)-1:0] news;
  always_comb begin
    news = '0;
    news[HostPosts]   = 1'b1;
    news[HostAsks]    = 1'b1;
    news[BulkReads]   = 1'b1;
    news[BulkFetches] = 1'b1;
    for (int unsigned i = 0; i < 2; i++) begin
      busy[i] = hp_q[i] != '0 || hn_q[i] != '0 || hr_q[i] != '0 || np_q[i] != '0 || nn_q[i] != '0 || nr_q[i] != '0 ||
                ip_q[i] != '0 || in_q[i] != '0 || ir_q[i] != '0 || back_q[i] != '0 || answer_q[i] != '0;
      progress[i] = (can[i] & ~news) != '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int unsigned i = 0; i < 2; i++) begin
        assert (tags_q[i] == in_q[i] + hr_q[i]);
        assert (tags_q[i] == remote_q[i] + atomic_q[i] + bulk_q[i]);
        assert (atomic_q[i] + back_q[i] + answer_q[i] <= 3'(Slots));
      end
      assert (busy == '0 || progress != '0);
    end
  end
endmodule
