// SPDX-License-Identifier: Apache-2.0
// What the reverse queue promises: first in, first out, up to four at once, and ready exactly while
// four find room (cycle contract, rule 7).
//
// One response is followed from its arrival on; which one is free, so what holds for it holds for
// each. The queue moves responses and never looks into them, so 3 bits tell any two apart that it
// could confuse, and 5 slots, the fewest that are allowed, have room for four, and for one that
// waits. The ring of 5 slots has one row, that of 8 or 9 has two.
//
// With ArrivalRegisters, what was sent in one cycle arrives in the next, as behind the registers of
// the switch.
module reverse_queue_properties #(
  parameter int unsigned Slots            = 5,
  parameter int unsigned Width            = 3,
  parameter int unsigned ArrivalRegisters = 0,
  localparam type        response_t       = logic [Width-1:0]
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic      [3:0] valid_i,
  input response_t [3:0] response_i,
  input logic            release_i,

  // In a cycle in which `follow_i` is set, the arrival of this number is followed from then on.
  input logic       follow_i,
  input logic [1:0] which_i
);

  localparam int unsigned CountWidth = $clog2(Slots + 9);
  typedef logic [CountWidth-1:0] count_t;

  logic      ready, head_valid;
  response_t head;

  reverse_queue #(
    .Slots     (Slots),
    .response_t(response_t)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ready_o     (ready),
    .coming_i    (ArrivalRegisters != 0 ? valid_i : '0),
    .valid_i,
    .response_i,
    .head_valid_o(head_valid),
    .head_o      (head),
    .release_i
  );

  // Reset in the first cycle, and never again.
  logic init_q = 1'b0;
  always_ff @(posedge clk_i) init_q <= 1'b1;
  always_comb if (!init_q) assume (!rst_ni);
  always_comb if (init_q) assume (rst_ni);

  // What is inside by the harness's own count, arrivals less departures.
  count_t inside_q, left, arriving, earlier;
  assign left     = inside_q - count_t'(release_i);
  assign arriving = count_t'(valid_i[0]) + count_t'(valid_i[1]) + count_t'(valid_i[2]) +
                    count_t'(valid_i[3]);

  // What the queue keeps room for besides four: arrivals that were sent in the cycle before.
  count_t coming;
  assign coming = ArrivalRegisters != 0 ? arriving : '0;

  // Whether what arrives now could be sent: by the ready bit of this cycle, or of the one before.
  logic ready_before_q, sendable;
  always_ff @(posedge clk_i) ready_before_q <= rst_ni && ready;
  assign sendable = ArrivalRegisters != 0 ? ready_before_q : ready;

  // Arrivals of this cycle that go before the one that may be followed.
  always_comb begin
    earlier = '0;
    for (int unsigned n = 0; n < 4; n++) begin
      if (n < 32'(which_i)) earlier = earlier + count_t'(valid_i[n]);
    end
  end

  // The response that is followed, and how many are before it.
  logic      followed_q;
  response_t response_q;
  count_t    ahead_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q   <= '0;
      followed_q <= 1'b0;
      response_q <= '0;
      ahead_q    <= '0;
    end else begin
      inside_q <= left + arriving;
      if (!followed_q && follow_i && valid_i[which_i]) begin
        followed_q <= 1'b1;
        response_q <= response_i[which_i];
        ahead_q    <= left + earlier;
      end else if (followed_q && release_i) begin
        followed_q <= ahead_q != '0;
        ahead_q    <= ahead_q - count_t'(1);
      end
    end
  end

  // Others were before the followed response; something has been inside.
  logic waited_q, used_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waited_q <= 1'b0;
      used_q   <= 1'b0;
    end else begin
      waited_q <= waited_q || (followed_q && ahead_q != '0);
      used_q   <= used_q || inside_q != '0;
    end
  end

  // The responses in the order in which they leave: the head, then the ring from the place of its
  // oldest on. And the place that is written next, which lies behind them all.
  localparam int unsigned Banks  = 4;
  localparam int unsigned Places = Banks * ((Slots - 1 + Banks - 1) / Banks);
  response_t [Slots-1:0]  line;
  logic      [Places-1:0] next, behind;

  assign line[0] = u_dut.head_q;
  for (genvar e = 1; e < Slots; e++) begin : gen_line
    always_comb begin
      line[e] = '0;
      for (int unsigned p = 0; p < Places; p++) begin
        if (u_dut.read_q[p]) begin
          line[e] |= u_dut.ring_q[(p+e-1)%Places/Banks][(p+e-1)%Banks];
        end
      end
    end
  end
  always_comb begin
    behind = u_dut.read_q;
    for (int unsigned e = 1; e < Slots; e++) begin
      if (count_t'(e) < inside_q) behind = {behind[Places-2:0], behind[Places-1]};
    end
    for (int unsigned p = 0; p < Places; p++) begin
      next[p] = u_dut.row_q[p/Banks] && u_dut.bank_q[p%Banks];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Responses arrive only while the queue is ready; those out of registers, if it was in the
      // cycle before.
      env_arrives_when_ready: assume (valid_i == '0 || sendable);
      // A response is taken only if there is one.
      env_takes_what_is_there: assume (!release_i || inside_q != '0);

      // A response waits at the head exactly while more have arrived than have left.
      nothing_lost: assert (head_valid == (inside_q != '0));
      // A response comes to the head unchanged, once all that arrived before it have left and no
      // other.
      in_order: assert (!followed_q || ahead_q != '0 || head == response_q);
      // There are never more responses inside than slots.
      occupancy_in_bounds: assert (inside_q <= count_t'(Slots));
      // Ready exactly while four more find room, besides those that arrive out of registers.
      ready_for_four: assert (ready == (inside_q + count_t'(4) + coming <= count_t'(Slots)));

      // The queue's count is the harness's.
      helper_count: assert (u_dut.size_q == inside_q);
      // What is followed is inside.
      helper_inside: assert (!followed_q || ahead_q < inside_q);
      // What is followed lies at its place in the order.
      helper_place: assert (!followed_q || line[ahead_q] == response_q);
      // The ring is read at one place.
      helper_read_at_one: assert ($onehot(u_dut.read_q));
      // The ring is written behind the last of its responses.
      helper_written_behind: assert ($onehot(u_dut.bank_q) && $onehot(u_dut.row_q) &&
                                     next == behind);

      // Four arrive in one cycle.
      reached_four_at_once: cover (&valid_i);
      // Every slot is taken.
      reached_full: cover (inside_q == count_t'(Slots));
      // The queue is not ready although a slot is free.
      reached_room_for_fewer: cover (!ready && inside_q != count_t'(Slots));
      // The followed response is at the head and leaves, after others that were before it.
      reached_followed_leaves: cover (followed_q && ahead_q == '0 && release_i && waited_q);
      // The queue is empty again.
      reached_empty_again: cover (inside_q == '0 && used_q);
    end
  end

  if (ArrivalRegisters != 0) begin : gen_registers
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // What could be sent in the cycle before finds room.
        helper_room_kept: assert (!ready_before_q || inside_q + count_t'(4) <= count_t'(Slots));

        // Four arrive while the queue is not ready any more.
        reached_four_unready: cover (&valid_i && !ready);
      end
    end
  end

endmodule
