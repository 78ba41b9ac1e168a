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

  logic      [1:0][1:0] ready;
  logic                 valid, next_ready, arrives;
  request_t             asked;
  request_t  [1:0]      leaving;
  response_t            answer;
  response_t [1:0]      back, second;
  logic      [1:0]      out_valid, back_ready, back_valid, combined, decombined, held;

  // The letter of an identity stands above the number of the element.
  localparam int unsigned ElementWidth = 16;

  assign valid      = cycle_i inside {1, 3};
  assign asked      = '{
          location: '0,
          operation: '{form: FormAdd, a: cycle_i == 1 ? 64'd1 : 64'd2, b: '0},
          id: (cycle_i == 1 ? 48'("a") : 48'("b")) << ElementWidth,
          combinable: 1'b1
      };
  assign answer     = '{status: '0, value: 64'd50, id: 48'("a") << ElementWidth};
  assign next_ready = cycle_i >= 5;
  assign arrives    = cycle_i == 9;

  // verilator lint_off PINCONNECTEMPTY
  // verilator lint_off PINMISSING
  combining_switch #(
    .Coupled(1)
  ) u_switch (
    .clk_i,
    .rst_ni,
    .route_bit_i       ('0),
    .request_ready_o   (ready),
    .request_valid_i   ({1'b0, valid}),
    .request_i         ({asked, asked}),
    .request_ready_i   ({2'b00, next_ready, next_ready}),
    .request_valid_o   (out_valid),
    .request_o         (leaving),
    .response_ready_o  (back_ready),
    .response_valid_i  ({1'b0, arrives}),
    .response_i        ({answer, answer}),
    .response_ready_i  ('1),
    .response_valid_o  (back_valid),
    .response_o        (back),
    .idle_o            (),
    .event_combined_o  (combined),
    .event_held_o      (held),
    .event_decombined_o(decombined),
    .event_second_o    (second)
  );
  // verilator lint_on PINMISSING
  // verilator lint_on PINCONNECTEMPTY

  function automatic string name_of(logic is_valid, id_t id);
    return letter(is_valid, id >> ElementWidth);
  endfunction

  always_ff @(posedge clk_i) begin
    if (cycle_i inside {[1:14]}) begin
      $display("combining_switch %0d %s %s %s %s", cycle_i,
               $sformatf("request_ready_o[0][0]=%b request_valid_i[0]=%b request_i[0].id:%s %s",
                         ready[0][0], valid, name_of(valid, asked.id),
                         $sformatf("request_i[0].operation.a:%s event_combined_o[0]=%b",
                                   number(valid, asked.operation.a), combined[0])),
               $sformatf("request_ready_i[0][0]=%b request_valid_o[0]=%b request_o[0].id:%s %s",
                         next_ready, out_valid[0], name_of(out_valid[0], leaving[0].id),
                         $sformatf("request_o[0].operation.a:%s event_held_o[0]=%b",
                                   number(out_valid[0], leaving[0].operation.a), held[0])),
               $sformatf("response_ready_o[0]=%b response_valid_i[0]=%b response_i[0].id:%s %s",
                         back_ready[0], arrives, name_of(arrives, answer.id),
                         $sformatf("response_i[0].value:%s event_decombined_o[0]=%b %s",
                                   number(arrives, answer.value), decombined[0],
                                   {"event_second_o[0].id:", name_of(decombined[0],
                                                                     second[0].id)})),
               $sformatf("response_valid_o[0]=%b response_o[0].id:%s response_o[0].value:%s",
                         back_valid[0], name_of(back_valid[0], back[0].id),
                         number(back_valid[0], back[0].value)));
    end
  end

endmodule
