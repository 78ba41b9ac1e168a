// SPDX-License-Identifier: Apache-2.0
// Fetch-and-adds of 1 to the words X (a, b, c, e) and Y (d); the head leaves every fourth cycle.
module combining_queue_waves
  import tributary_pkg::*;
  import waves_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input int unsigned cycle_i
);

  logic     ready, valid, head_valid, head_combined, leaves, inserted, combined;
  request_t arrival, head;
  partner_t partner;
  id_t      joined_id;

  assign arrival = queue_request(cycle_i);
  assign valid   = arrival.id != "-";
  assign leaves  = head_valid && queue_leaves(cycle_i);

  combining_queue u_queue (
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
    .event_joined_id_o (joined_id)
  );

  always_ff @(posedge clk_i) begin
    if (cycle_i inside {[1:18]}) begin
      $display("combining_queue %0d ready_o=%b valid_i=%b %s %s %s", cycle_i, ready, valid,
               $sformatf("request_i.id:%s request_i.location:%s", letter(valid, arrival.id),
                         letter(valid, id_t'(arrival.location))),
               $sformatf("head_valid_o=%b head_o.id:%s head_o.location:%s head_o.operation.a:%s",
                         head_valid, letter(head_valid, head.id),
                         letter(head_valid, id_t'(head.location)),
                         number(head_valid, head.operation.a)),
               $sformatf("head_combined_o:%s partner_o.id:%s release_i=%b %s",
                         number(head_valid, word_t'(head_combined)),
                         letter(head_valid && head_combined, partner.id), leaves,
                         $sformatf("event_inserted_o=%b event_combined_o=%b event_joined_id_o:%s",
                                   inserted, combined, letter(combined, joined_id))));
    end
  end

endmodule
