// SPDX-License-Identifier: Apache-2.0
// The traffic of combining_queue_waves.sv in the systolic microarchitecture.
module systolic_queue_waves
  import tributary_pkg::*;
  import waves_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input int unsigned cycle_i
);

  logic              ready, valid, head_valid, head_combined, leaves, inserted;
  logic        [7:0] location, id, head_location, head_id, partner_id;
  logic       [15:0] head_a;
  logic        [3:0] combined;  // by row; one at a time here
  logic [3:0]  [7:0] joined_ids, joining_ids;
  logic        [7:0] joined_id, joining_id;

  assign id       = queue_arrival(cycle_i);
  assign valid    = id != "-";
  assign location = queue_location(id);
  assign leaves   = head_valid && queue_leaves(cycle_i);

  // verilator lint_off PINCONNECTEMPTY
  systolic_queue #(
    .Slots        (4),
    .LocationWidth(8),
    .DataWidth    (16),
    .IdWidth      (8)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .ready_o           (ready),
    .valid_i           (valid),
    .location_i        (location),
    .form_i            (FormAdd),
    .a_i               (16'd1),
    .b_i               (16'd0),
    .id_i              (id),
    .combinable_i      (1'b1),
    .wait_buffer_full_i(1'b0),
    .head_valid_o      (head_valid),
    .head_location_o   (head_location),
    .head_form_o       (),
    .head_a_o          (head_a),
    .head_b_o          (),
    .head_id_o         (head_id),
    .head_combinable_o (),
    .head_combined_o   (head_combined),
    .partner_id_o      (partner_id),
    .partner_form_o    (),
    .partner_a_o       (),
    .partner_b_o       (),
    .release_i         (leaves),
    .event_inserted_o  (inserted),
    .event_combined_o  (combined),
    .event_joined_id_o (joined_ids),
    .event_joining_id_o(joining_ids)
  );
  // verilator lint_on PINCONNECTEMPTY

  always_comb begin
    joined_id  = '0;
    joining_id = '0;
    for (int unsigned row = 0; row < 4; row++) begin
      if (combined[row]) begin
        joined_id  = joined_ids[row];
        joining_id = joining_ids[row];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (cycle_i inside {[1:18]}) begin
      $display("systolic_queue %0d ready_o=%b valid_i=%b id_i:%s location_i:%s %s %s", cycle_i,
               ready, valid, letter(valid, id), letter(valid, location),
               $sformatf("head_valid_o=%b head_id_o:%s head_location_o:%s head_a_o:%s", head_valid,
                         letter(head_valid, head_id), letter(head_valid, head_location),
                         number(head_valid, head_a)),
               $sformatf("head_combined_o:%s partner_id_o:%s release_i=%b %s",
                         number(head_valid, 16'(head_combined)),
                         letter(head_valid && head_combined, partner_id), leaves,
                         $sformatf("event_inserted_o=%b event_combined_o:%b %s %s", inserted,
                                   combined, {"event_joining_id_o:", letter(|combined, joining_id)},
                                   {"event_joined_id_o:", letter(|combined, joined_id)})));
    end
  end

endmodule
