// SPDX-License-Identifier: Apache-2.0
// For simulation only: how full each part of a switch is, beside its ports. Bound to every queue and
// wait buffer; a verilated model shows the two counts by name (models/tributary/rtl/switch_probe.h).
module occupancy_probe (
  input logic [15:0] entries_i,  // a combined request is one entry
  input logic [15:0] combined_i  // of these, combined requests
);

  logic [15:0] entries /* verilator public_flat_rd */;
  logic [15:0] combined /* verilator public_flat_rd */;

  assign entries  = entries_i;
  assign combined = combined_i;

endmodule

bind combining_queue occupancy_probe u_probe (
  .entries_i (16'($countones(used_q))),
  .combined_i(16'(combined_q))
);

bind systolic_queue occupancy_probe u_probe (
  .entries_i (16'(size_q)),
  .combined_i(16'(combined_q))
);

bind wait_buffer occupancy_probe u_probe (
  .entries_i (16'($countones(used_q))),
  .combined_i('0)
);

bind reverse_queue occupancy_probe u_probe (
  .entries_i (16'(size_q)),
  .combined_i('0)
);
