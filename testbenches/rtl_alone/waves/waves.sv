// SPDX-License-Identifier: Apache-2.0
// Runs the scenario of each page below docs/models/rtl/ once and prints its signals, a line a
// cycle:
//   MODULE CYCLE name=0 name=1 name:label name:-
// A bit follows "=", a label ":"; "-" stands where nothing is valid. Identities are letters.
module waves;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  int unsigned cycle_q = 0;  // 0 is the cycle of reset
  initial forever #1 clk = ~clk;

  always_ff @(posedge clk) begin
    rst_n   <= 1'b1;
    cycle_q <= cycle_q + 1;
    if (cycle_q == 24) $finish;
  end

  combining_queue_waves u_combining_queue (
    .clk_i  (clk),
    .rst_ni (rst_n),
    .cycle_i(cycle_q)
  );
  systolic_queue_waves u_systolic_queue (
    .clk_i  (clk),
    .rst_ni (rst_n),
    .cycle_i(cycle_q)
  );
  wait_buffer_waves u_wait_buffer (
    .clk_i  (clk),
    .rst_ni (rst_n),
    .cycle_i(cycle_q)
  );
  reverse_queue_waves u_reverse_queue (
    .clk_i  (clk),
    .rst_ni (rst_n),
    .cycle_i(cycle_q)
  );
  combining_switch_waves u_combining_switch (
    .clk_i  (clk),
    .rst_ni (rst_n),
    .cycle_i(cycle_q)
  );
  fetch_op_unit_waves u_fetch_op_unit (
    .clk_i  (clk),
    .rst_ni (rst_n),
    .cycle_i(cycle_q)
  );

endmodule
