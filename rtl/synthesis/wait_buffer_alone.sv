// SPDX-License-Identifier: Apache-2.0
// A wait buffer between registers, so that every path runs from register to register.
module wait_buffer_alone
  import tributary_pkg::*;
#(
  parameter int unsigned          Entries     = 8,   // these are wait_buffer's
  parameter logic [FormCount-1:0] Forms       = '1,
  parameter int unsigned          DataWidth   = 64,
  parameter int unsigned          IdWidth     = 48,
  localparam type                 id_t        = logic [IdWidth-1:0],
  localparam type                 word_t      = logic [DataWidth-1:0],
  localparam type                 operation_t = struct packed {
    form_e form;
    word_t a;
    word_t b;
  },
  localparam type                 partner_t   = struct packed {
    id_t        id;
    operation_t operation;
  }
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic     full_o,
  output logic     empty_o,
  input  logic     insert_valid_i,
  input  id_t      insert_first_id_i,
  input  partner_t insert_partner_i,
  input  logic     response_valid_i,
  input  id_t      response_id_i,
  input  word_t    response_value_i,
  output logic     second_valid_o,
  output id_t      second_id_o,
  output word_t    second_value_o
);

  typedef struct packed {
    logic     insert_valid;
    id_t      insert_first_id;
    partner_t insert_partner;
    logic     response_valid;
    id_t      response_id;
    word_t    response_value;
  } in_t;

  typedef struct packed {
    logic  full;
    logic  empty;
    logic  second_valid;
    id_t   second_id;
    word_t second_value;
  } out_t;

  in_t  in_q;
  out_t out_d, out_q;

  always_ff @(posedge clk_i) begin
    in_q <= {insert_valid_i, insert_first_id_i, insert_partner_i,
             response_valid_i, response_id_i, response_value_i};
    out_q <= out_d;
  end

  assign {full_o, empty_o, second_valid_o, second_id_o, second_value_o} = out_q;

  wait_buffer #(
    .Entries  (Entries),
    .Forms    (Forms),
    .id_t     (id_t),
    .word_t   (word_t),
    .partner_t(partner_t)
  ) u_wait_buffer (
    .clk_i,
    .rst_ni,
    .full_o           (out_d.full),
    .empty_o          (out_d.empty),
    .insert_valid_i   (in_q.insert_valid),
    .insert_first_id_i(in_q.insert_first_id),
    .insert_partner_i (in_q.insert_partner),
    .response_valid_i (in_q.response_valid),
    .response_id_i    (in_q.response_id),
    .response_value_i (in_q.response_value),
    .second_valid_o   (out_d.second_valid),
    .second_id_o      (out_d.second_id),
    .second_value_o   (out_d.second_value)
  );

endmodule
