// SPDX-License-Identifier: Apache-2.0
// Composes two operations into the one that a combined request carries onward.
//
// Precondition: composes(first, second). Identity is neutral on either side; a constant after any
// form is that constant, and a constant before one is what the form makes of it; two of the same
// form make a third of it.
module compose_unit
  import tributary_pkg::*;
#(
  parameter int unsigned          DataWidth = 64,  // of a word
  parameter logic [FormCount-1:0] Forms     = '1   // that are built
) (
  input  form_e                first_form_i,
  input  logic [DataWidth-1:0] first_a_i,
  input  logic [DataWidth-1:0] first_b_i,
  input  form_e                second_form_i,
  input  logic [DataWidth-1:0] second_a_i,
  input  logic [DataWidth-1:0] second_b_i,
  output form_e                form_o,
  output logic [DataWidth-1:0] a_o,
  output logic [DataWidth-1:0] b_o
);

  // The second operation on the first's operands: a constant made by it, a sum, a mask, the bounds
  // of a clamp.
  logic [DataWidth-1:0] second_of_a, second_of_b;

  apply_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_apply_to_a (
    .form_i(second_form_i),
    .a_i   (second_a_i),
    .b_i   (second_b_i),
    .word_i(first_a_i),
    .word_o(second_of_a)
  );

  apply_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms & ~(FormCount'(1'b1) << FormAdd))
  ) u_apply_to_b (
    .form_i(second_form_i),
    .a_i   (second_a_i),
    .b_i   (second_b_i),
    .word_i(first_b_i),
    .word_o(second_of_b)
  );

  always_comb begin
    form_o = first_form_i;
    a_o    = second_of_a;
    b_o    = second_of_b;
    if (second_form_i == FormIdentity) begin
      a_o = first_a_i;
      b_o = first_b_i;
    end else if (first_form_i == FormIdentity || second_form_i == FormConstant) begin
      form_o = second_form_i;
      a_o    = second_a_i;
      b_o    = second_b_i;
    end else if (first_form_i == FormConstant) begin
      b_o = '0;
    end else if (Forms[FormLogic] && first_form_i == FormLogic) begin
      a_o = first_a_i & second_a_i;
    end
  end

endmodule
