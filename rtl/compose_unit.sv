// SPDX-License-Identifier: Apache-2.0
// Composes two operations into the one that a combined request carries onward.
//
// Precondition: composes(first, second). Identity is neutral on either side; a constant after any
// form is that constant, and a constant before one is what the form makes of it; two of the same
// form make a third of it.
module compose_unit
  import tributary_pkg::*;
#(
  parameter logic [FormCount-1:0] Forms       = '1,                         // that are built
  parameter type                  operation_t = tributary_pkg::operation_t  // of a request
) (
  input  operation_t first_i,
  input  operation_t second_i,
  output operation_t composed_o
);

  localparam int unsigned DataWidth = $bits(first_i.a);

  // The second operation on the first's operands: a constant made by it, a sum, a mask, the bounds
  // of a clamp.
  logic [DataWidth-1:0] second_of_a, second_of_b;

  apply_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_apply_to_a (
    .form_i(second_i.form),
    .a_i   (second_i.a),
    .b_i   (second_i.b),
    .word_i(first_i.a),
    .word_o(second_of_a)
  );

  apply_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms & ~(FormCount'(1'b1) << FormAdd))
  ) u_apply_to_b (
    .form_i(second_i.form),
    .a_i   (second_i.a),
    .b_i   (second_i.b),
    .word_i(first_i.b),
    .word_o(second_of_b)
  );

  always_comb begin
    composed_o = '{form: first_i.form, a: second_of_a, b: second_of_b};
    if (second_i.form == FormIdentity) begin
      composed_o = first_i;
    end else if (first_i.form == FormIdentity || second_i.form == FormConstant) begin
      composed_o = second_i;
    end else if (first_i.form == FormConstant) begin
      composed_o.b = '0;
    end else if (Forms[FormLogic] && first_i.form == FormLogic) begin
      composed_o.a = first_i.a & second_i.a;
    end
  end

endmodule
