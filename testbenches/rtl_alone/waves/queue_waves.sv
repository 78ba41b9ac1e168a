// SPDX-License-Identifier: Apache-2.0
// The same traffic into a queue of either microarchitecture: fetch-and-adds of 1 to the words X (a,
// b, c, e) and Y (d); the head leaves every fourth cycle.
module queue_waves
  import tributary_pkg::*;
  import waves_pkg::*;
#(
  parameter bit Systolic = 1'b0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input int unsigned cycle_i
);

  localparam int unsigned Rows = Systolic ? 4 : 1;  // that may combine; one at a time here
  logic ready, valid, head_valid, head_combined, leaves, inserted;
  request_t arrival, head;
  partner_t partner;
  logic [Rows-1:0] combined;
  id_t [Rows-1:0] joined_ids, joining_ids;
  id_t joined_id, joining_id;
  string events;

  always_comb begin
    arrival = '{
        location: "X",
        operation: '{form: FormAdd, a: 64'd1, b: '0},
        id: "-",
        combinable: 1'b1
    };
    unique case (cycle_i)
      1:       arrival.id = "a";
      3:       arrival.id = "b";
      5:       arrival.id = "c";
      7:       arrival.id = "d";
      9:       arrival.id = "e";
      default: ;
    endcase
    if (arrival.id == "d") arrival.location = "Y";
  end
  assign valid  = arrival.id != "-";
  assign leaves = head_valid && cycle_i >= 6 && cycle_i % 4 == 2;

  if (Systolic) begin : gen_systolic
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
  end else begin : gen_parallel
    combining_queue u_queue (
      .clk_i,
      .rst_ni,
      .ready_o           (ready),
      .coming_i          ('0),
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
      .event_joined_id_o (joined_ids)
    );
    assign joining_ids = '0;
  end

  always_comb begin
    joined_id  = '0;
    joining_id = '0;
    for (int unsigned row = 0; row < Rows; row++) begin
      if (combined[row]) begin
        joined_id  = joined_ids[row];
        joining_id = joining_ids[row];
      end
    end
    events = {"event_joined_id_o:", letter(|combined, joined_id)};
    if (Systolic) begin
      events = {"event_joining_id_o:", letter(|combined, joining_id), " ", events};
    end
  end

  always_ff @(posedge clk_i) begin
    if (cycle_i inside {[1:18]}) begin
      $display("%s %0d ready_o=%b valid_i=%b %s %s %s",
               Systolic ? "systolic_queue" : "combining_queue", cycle_i, ready, valid,
               $sformatf("request_i.id:%s request_i.location:%s", letter(valid, arrival.id),
                         letter(valid, id_t'(arrival.location))),
               $sformatf("head_valid_o=%b head_o.id:%s head_o.location:%s head_o.operation.a:%s",
                         head_valid, letter(head_valid, head.id),
                         letter(head_valid, id_t'(head.location)),
                         number(head_valid, head.operation.a)),
               $sformatf("head_combined_o:%s partner_o.id:%s release_i=%b event_inserted_o=%b %s",
                         number(head_valid, word_t'(head_combined)),
                         letter(head_valid && head_combined, partner.id), leaves, inserted,
                         $sformatf("event_combined_o%s%b %s", Systolic ? ":" : "=", combined,
                                   events)));
    end
  end

endmodule
