// SPDX-License-Identifier: Apache-2.0
// A coupled switch: fetch-and-adds a of 1 and b of 2 from input 0 to one word behind output 0. They
// combine while the output is not ready; the response yields both answers.
module combining_switch_waves
  import tributary_pkg::*;
  import waves_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input int unsigned cycle_i
);

  localparam int unsigned ElementWidth = 2;
  localparam int unsigned IdWidth      = 8 + ElementWidth;

  logic       [1:0][1:0]         ready;
  logic                          valid, next_ready, arrives;
  logic              [7:0]       letter_in;
  logic             [15:0]       addend;
  logic       [1:0]              out_valid, back_ready, back_valid, combined, decombined, held;
  logic       [1:0][15:0]        out_a, back_value;
  logic       [1:0][IdWidth-1:0] out_id, back_id, second_id;

  assign valid      = cycle_i inside {1, 3};
  assign letter_in  = cycle_i == 1 ? "a" : "b";
  assign addend     = cycle_i == 1 ? 16'd1 : 16'd2;
  assign next_ready = cycle_i >= 5;
  assign arrives    = cycle_i == 9;

  // verilator lint_off PINCONNECTEMPTY
  // verilator lint_off PINMISSING
  combining_switch #(
    .Coupled      (1),
    .DataWidth    (16),
    .AddressWidth (2),
    .ModuleWidth  (2),
    .SequenceWidth(8),
    .ElementWidth (ElementWidth),
    .StatusWidth  (1)
  ) u_switch (
    .clk_i,
    .rst_ni,
    .route_bit_i         ('0),
    .request_ready_o     (ready),
    .request_valid_i     ({1'b0, valid}),
    .request_location_i  ('0),
    .request_form_i      ({FormAdd, FormAdd}),
    .request_a_i         ({16'd0, addend}),
    .request_b_i         ('0),
    .request_id_i        ({IdWidth'(0), letter_in, ElementWidth'(0)}),
    .request_combinable_i('1),
    .request_ready_i     ({2'b00, next_ready, next_ready}),
    .request_valid_o     (out_valid),
    .request_location_o  (),
    .request_form_o      (),
    .request_a_o         (out_a),
    .request_b_o         (),
    .request_id_o        (out_id),
    .request_combinable_o(),
    .response_ready_o    (back_ready),
    .response_valid_i    ({1'b0, arrives}),
    .response_value_i    ({16'd0, 16'd50}),
    .response_id_i       ({IdWidth'(0), 8'("a"), ElementWidth'(0)}),
    .response_status_i   ('0),
    .response_ready_i    ('1),
    .response_valid_o    (back_valid),
    .response_value_o    (back_value),
    .response_id_o       (back_id),
    .response_status_o   (),
    .idle_o              (),
    .event_combined_o    (combined),
    .event_held_o        (held),
    .event_decombined_o  (decombined),
    .event_second_id_o   (second_id)
  );
  // verilator lint_on PINMISSING
  // verilator lint_on PINCONNECTEMPTY

  function automatic string name_of(logic is_valid, logic [IdWidth-1:0] id);
    return letter(is_valid, id[IdWidth-1:ElementWidth]);
  endfunction

  always_ff @(posedge clk_i) begin
    if (cycle_i inside {[1:14]}) begin
      $display("combining_switch %0d %s %s %s %s", cycle_i,
               $sformatf("request_ready_o[0][0]=%b request_valid_i[0]=%b request_id_i[0]:%s %s",
                         ready[0][0], valid, letter(valid, letter_in),
                         $sformatf("request_a_i[0]:%s event_combined_o[0]=%b",
                                   number(valid, addend), combined[0])),
               $sformatf("request_ready_i[0][0]=%b request_valid_o[0]=%b request_id_o[0]:%s %s",
                         next_ready, out_valid[0], name_of(out_valid[0], out_id[0]),
                         $sformatf("request_a_o[0]:%s event_held_o[0]=%b",
                                   number(out_valid[0], out_a[0]), held[0])),
               $sformatf("response_ready_o[0]=%b response_valid_i[0]=%b response_id_i[0]:%s %s",
                         back_ready[0], arrives, letter(arrives, "a"),
                         $sformatf("response_value_i[0]:%s event_decombined_o[0]=%b %s",
                                   number(arrives, 50), decombined[0],
                                   {"event_second_id_o[0]:", name_of(decombined[0],
                                                                     second_id[0])})),
               $sformatf("response_valid_o[0]=%b response_id_o[0]:%s response_value_o[0]:%s",
                         back_valid[0], name_of(back_valid[0], back_id[0]),
                         number(back_valid[0], back_value[0])));
    end
  end

endmodule
