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

  logic     ready, valid, head_valid, head_combined, leaves, inserted;
  request_t arrival, head;
  partner_t partner;
  logic [3:0] combined;  // by row; one at a time here
  id_t  [3:0] joined_ids, joining_ids;
  id_t        joined_id, joining_id;

  assign arrival = queue_request(cycle_i);
  assign valid   = arrival.id != "-";
  assign leaves  = head_valid && queue_leaves(cycle_i);

  systolic_queue u_queue (
    .clk_i,
    .rst_ni,
    .ready_o           (ready),
    .valid_i           (valid),
    .request_i         (arrival),
    .wait_buffer_full_i(1'b0),
    .head_valid_o      (head_valid),
    .head_o            (head),
    .head_combined_o   (head_combined),
    .partner_o         (partner),
    .release_i         (leaves),
    .event_inserted_o  (inserted),
    .event_combined_o  (combined),
    .event_joined_id_o (joined_ids),
    .event_joining_id_o(joining_ids)
  );

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
      $display("systolic_queue %0d ready_o=%b valid_i=%b %s %s %s", cycle_i, ready, valid,
               $sformatf("request_i.id:%s request_i.location:%s", letter(valid, arrival.id),
                         letter(valid, id_t'(arrival.location))),
               $sformatf("head_valid_o=%b head_o.id:%s head_o.location:%s head_o.operation.a:%s",
                         head_valid, letter(head_valid, head.id),
                         letter(head_valid, id_t'(head.location)),
                         number(head_valid, head.operation.a)),
               $sformatf("head_combined_o:%s partner_o.id:%s release_i=%b %s",
                         number(head_valid, word_t'(head_combined)),
                         letter(head_valid && head_combined, partner.id), leaves,
                         $sformatf("event_inserted_o=%b event_combined_o:%b %s %s", inserted,
                                   combined, {"event_joining_id_o:", letter(|combined, joining_id)},
                                   {"event_joined_id_o:", letter(|combined, joined_id)})));
    end
  end

endmodule
