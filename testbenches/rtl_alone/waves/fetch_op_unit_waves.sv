// SPDX-License-Identifier: Apache-2.0
// Fetch-and-adds a of 1 and b of 5 and a load c of one word that holds 100, sent as soon as the
// unit is ready; the network takes no response in cycles 7 and 8.
module fetch_op_unit_waves
  import tributary_pkg::*;
  import waves_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input int unsigned cycle_i
);

  logic                   ready, valid, taken, answers, reads, writes, read_q;
  id_t                    id_d, id_q, back_id;
  form_e                  kind;
  word_t                  addend, value, read_data_q, write_data, word_q;

  assign valid  = ready && rst_ni && id_q <= "c";
  assign id_d   = valid ? id_q + 48'd1 : id_q;
  assign kind   = id_q == "c" ? FormIdentity : FormAdd;
  assign addend = id_q == "a" ? 64'd1 : 64'd5;
  assign taken  = !(cycle_i inside {7, 8});

  // verilator lint_off PINCONNECTEMPTY
  fetch_op_unit #(
    .AddressWidth(1),
    .StatusWidth (1)
  ) u_fetch_op_unit (
    .clk_i,
    .rst_ni,
    .request_ready_o  (ready),
    .request_valid_i  (valid),
    .request_address_i('0),
    .request_form_i   (kind),
    .request_a_i      (addend),
    .request_b_i      ('0),
    .request_id_i     (id_q),
    .response_ready_i (taken),
    .response_valid_o (answers),
    .response_value_o (value),
    .response_id_o    (back_id),
    .response_status_o(),
    .read_valid_o     (reads),
    .read_address_o   (),
    .read_data_i      (read_data_q),
    .write_valid_o    (writes),
    .write_address_o  (),
    .write_data_o     (write_data),
    .idle_o           ()
  );
  // verilator lint_on PINCONNECTEMPTY

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      id_q   <= "a";
      word_q <= 64'd100;
    end else begin
      id_q <= id_d;
      if (writes) word_q <= write_data;
    end
    read_q      <= reads;
    read_data_q <= word_q;
    if (cycle_i inside {[1:14]}) begin
      $display("fetch_op_unit %0d request_ready_o=%b request_valid_i=%b %s %s %s", cycle_i, ready,
               valid,
               $sformatf("request_id_i:%s request_a_i:%s", letter(valid, id_q),
                         number(valid && kind == FormAdd, addend)),
               $sformatf("read_valid_o=%b read_data_i:%s write_valid_o=%b write_data_o:%s", reads,
                         number(read_q, read_data_q), writes, number(writes, write_data)),
               $sformatf("response_ready_i=%b response_valid_o=%b response_id_o:%s %s", taken,
                         answers, letter(answers, back_id),
                         {"response_value_o:", number(answers, value)}));
    end
  end

endmodule
