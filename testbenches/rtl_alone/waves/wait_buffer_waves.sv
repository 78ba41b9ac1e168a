// SPDX-License-Identifier: Apache-2.0
// A buffer of two entries: b waits for a, then d for c, both behind fetch-and-adds of 10; a third
// response finds no partner.
module wait_buffer_waves
  import tributary_pkg::*;
  import waves_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input int unsigned cycle_i
);

  logic     full, empty, insert, response, second;
  id_t      first_id, response_id, second_id;
  partner_t partner;
  word_t    value, second_value;

  assign insert      = cycle_i inside {1, 3};
  assign first_id    = cycle_i == 1 ? "a" : "c";
  assign partner     = '{
          id: cycle_i == 1 ? "b" : "d",
          operation: '{form: FormAdd, a: 64'd10, b: '0}
      };
  assign response    = cycle_i inside {6, 8, 10};
  assign response_id = cycle_i == 6 ? "a" : cycle_i == 8 ? "e" : "c";
  assign value       = 64'(cycle_i) * 64'd100;

  wait_buffer #(
    .Entries(2)
  ) u_wait_buffer (
    .clk_i,
    .rst_ni,
    .full_o           (full),
    .empty_o          (empty),
    .insert_valid_i   (insert),
    .insert_first_id_i(first_id),
    .insert_partner_i (partner),
    .response_valid_i (response),
    .response_id_i    (response_id),
    .response_value_i (value),
    .second_valid_o   (second),
    .second_id_o      (second_id),
    .second_value_o   (second_value)
  );

  always_ff @(posedge clk_i) begin
    if (cycle_i inside {[1:12]}) begin
      $display("wait_buffer %0d full_o=%b empty_o=%b insert_valid_i=%b %s %s %s", cycle_i, full,
               empty, insert,
               $sformatf("insert_first_id_i:%s insert_partner_i.id:%s %s",
                         letter(insert, first_id), letter(insert, partner.id),
                         {"insert_partner_i.operation.a:", number(insert, partner.operation.a)}),
               $sformatf("response_valid_i=%b response_id_i:%s response_value_i:%s", response,
                         letter(response, response_id), number(response, value)),
               $sformatf("second_valid_o=%b second_id_o:%s second_value_o:%s", second,
                         letter(second, second_id), number(second, second_value)));
    end
  end

endmodule
