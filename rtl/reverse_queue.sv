// SPDX-License-Identifier: Apache-2.0
// The reverse queue of a processor-side port: first in, first out, responses only. Up to four enter
// in one cycle: from each of two ports a response and its decombined second half. Cycle contract,
// rule 7; the model is models/tributary/network/omega/reverse_queue.h.
module reverse_queue #(
  parameter int unsigned Slots      = 16,  // 5 at least: the four of one cycle, and one that waits
  parameter type         response_t = tributary_pkg::response_t  // as on a link
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Registered: room for four.
  output logic            ready_o,
  // In the order of their numbers; any of them may be left out.
  input  logic      [3:0] valid_i,
  input  response_t [3:0] response_i,

  output logic            head_valid_o,
  output response_t       head_o,
  input  logic            release_i
);

  localparam int unsigned CountWidth = $clog2(Slots + 1);
  typedef logic [CountWidth-1:0] count_t;

  response_t [Slots-1:0] responses_d, responses_q;
  count_t                size_d, size_q;

  assign ready_o      = size_q <= count_t'(Slots - 4);
  assign head_valid_o = size_q != '0;
  assign head_o       = responses_q[0];

  always_comb begin
    responses_d = responses_q;
    size_d      = size_q;
    if (release_i) begin
      for (int unsigned i = 0; i + 1 < Slots; i++) responses_d[i] = responses_q[i+1];
      size_d = size_q - count_t'(1);
    end
    for (int unsigned n = 0; n < 4; n++) begin
      if (valid_i[n]) begin
        for (int unsigned i = 0; i < Slots; i++) begin
          if (count_t'(i) == size_d) responses_d[i] = response_i[n];
        end
        size_d = size_d + count_t'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) size_q <= '0;
    else size_q <= size_d;
    responses_q <= responses_d;
  end

  // With fewer it may lock up; what the switch of the model allows.
  if (Slots < 5 || Slots > 4096) begin : gen_bad_slots
    $fatal(1, "Slots: %0d responses is out of range (allowed: 5 to 4096 responses)", Slots);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      arrival_when_ready: assert (valid_i == '0 || ready_o)
      else $error("reverse_queue: a response arrives while the queue is not ready");
      release_when_valid: assert (!release_i || head_valid_o)
      else $error("reverse_queue: the head is released from an empty queue");
    end
  end

`ifndef SYNTHESIS
  // Cover points: what tests must have met.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_arrives: cover (valid_i == 4'b0001);
      four_arrive: cover (&valid_i);
      second_half_alone: cover (valid_i == 4'b1000);
      arrives_into_empty: cover (|valid_i && size_q == '0);
      arrives_as_head_leaves: cover (|valid_i && release_i);
      not_ready: cover (!ready_o);
      full: cover (size_q == count_t'(Slots));
      emptied: cover (release_i && size_d == '0);
    end
  end
`endif

endmodule
