// SPDX-License-Identifier: Apache-2.0
// A wait buffer between registers, so that every path runs from register to register.
module wait_buffer_alone
  import tributary_pkg::*;
#(
  parameter int unsigned          Entries   = 8,   // these are wait_buffer's
  parameter logic [FormCount-1:0] Forms     = '1,
  parameter int unsigned          DataWidth = 64,
  parameter int unsigned          IdWidth   = 48
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic                 full_o,
  output logic                 empty_o,
  input  logic                 insert_valid_i,
  input  logic [IdWidth-1:0]   insert_first_id_i,
  input  logic [IdWidth-1:0]   insert_second_id_i,
  input  form_e                insert_form_i,
  input  logic [DataWidth-1:0] insert_a_i,
  input  logic [DataWidth-1:0] insert_b_i,
  input  logic                 response_valid_i,
  input  logic [IdWidth-1:0]   response_id_i,
  input  logic [DataWidth-1:0] response_value_i,
  output logic                 second_valid_o,
  output logic [IdWidth-1:0]   second_id_o,
  output logic [DataWidth-1:0] second_value_o
);

  typedef struct packed {
    logic                 insert_valid;
    logic [IdWidth-1:0]   insert_first_id;
    logic [IdWidth-1:0]   insert_second_id;
    form_e                insert_form;
    logic [DataWidth-1:0] insert_a;
    logic [DataWidth-1:0] insert_b;
    logic                 response_valid;
    logic [IdWidth-1:0]   response_id;
    logic [DataWidth-1:0] response_value;
  } in_t;

  typedef struct packed {
    logic                 full;
    logic                 empty;
    logic                 second_valid;
    logic [IdWidth-1:0]   second_id;
    logic [DataWidth-1:0] second_value;
  } out_t;

  in_t  in_q;
  out_t out_d, out_q;

  always_ff @(posedge clk_i) begin
    in_q <= '{
        insert_valid: insert_valid_i,
        insert_first_id: insert_first_id_i,
        insert_second_id: insert_second_id_i,
        insert_form: insert_form_i,
        insert_a: insert_a_i,
        insert_b: insert_b_i,
        response_valid: response_valid_i,
        response_id: response_id_i,
        response_value: response_value_i
    };
    out_q <= out_d;
  end

  assign full_o         = out_q.full;
  assign empty_o        = out_q.empty;
  assign second_valid_o = out_q.second_valid;
  assign second_id_o    = out_q.second_id;
  assign second_value_o = out_q.second_value;

  wait_buffer #(
    .Entries  (Entries),
    .Forms    (Forms),
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth)
  ) u_wait_buffer (
    .clk_i,
    .rst_ni,
    .full_o            (out_d.full),
    .empty_o           (out_d.empty),
    .insert_valid_i    (in_q.insert_valid),
    .insert_first_id_i (in_q.insert_first_id),
    .insert_second_id_i(in_q.insert_second_id),
    .insert_form_i     (in_q.insert_form),
    .insert_a_i        (in_q.insert_a),
    .insert_b_i        (in_q.insert_b),
    .response_valid_i  (in_q.response_valid),
    .response_id_i     (in_q.response_id),
    .response_value_i  (in_q.response_value),
    .second_valid_o    (out_d.second_valid),
    .second_id_o       (out_d.second_id),
    .second_value_o    (out_d.second_value)
  );

endmodule
