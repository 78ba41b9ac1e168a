// SPDX-License-Identifier: Apache-2.0
// Runs the scenario of each page below docs/models/rtl/ once and prints its signals, a line a
// cycle:
//   MODULE CYCLE name=0 name=1 name:label name:-
// A bit follows "=", a label ":"; "-" stands where nothing is valid. Identities are letters.
module waves;

  logic clk_i = 1'b0;
  logic rst_ni = 1'b0;
  int unsigned cycle_i = 0;  // 0 is the cycle of reset
  initial forever #1 clk_i = ~clk_i;

  always_ff @(posedge clk_i) begin
    rst_ni  <= 1'b1;
    cycle_i <= cycle_i + 1;
    if (cycle_i == 24) $finish;
  end

  queue_waves #(.Systolic(1'b0)) u_combining_queue (.clk_i, .rst_ni, .cycle_i);
  queue_waves #(.Systolic(1'b1)) u_systolic_queue (.clk_i, .rst_ni, .cycle_i);
  wait_buffer_waves u_wait_buffer (.clk_i, .rst_ni, .cycle_i);
  reverse_queue_waves u_reverse_queue (.clk_i, .rst_ni, .cycle_i);
  combining_switch_waves u_combining_switch (.clk_i, .rst_ni, .cycle_i);
  fetch_op_unit_waves u_fetch_op_unit (.clk_i, .rst_ni, .cycle_i);

endmodule
