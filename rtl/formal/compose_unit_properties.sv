// SPDX-License-Identifier: Apache-2.0
// Properties of the arithmetic of combining, compose_unit and apply_unit: for every form, every
// pair and triple of forms, all operands and a free word.
//
// Both units are combinational, so a proof of one step holds for ever. Words of 3 bits have all
// that the forms can tell apart: a sign, a carry into it and out of it, an order with both ends and
// a middle. Nothing is proven here of wider words; the lockstep with the cores compares the units
// at 64 bits. Triples are left out above 4 bits: they follow from the pairs.
module compose_unit_properties
  import tributary_pkg::*;
  import operation_values_pkg::*;
#(
  parameter int unsigned          DataWidth = 3,
  parameter logic [FormCount-1:0] Forms     = '1  // that are built
) (
  input logic clk_i,

  // Three requests to one word, and the word.
  input form_e                first_form_i,
  input logic [DataWidth-1:0] first_a_i,
  input logic [DataWidth-1:0] first_b_i,
  input form_e                second_form_i,
  input logic [DataWidth-1:0] second_a_i,
  input logic [DataWidth-1:0] second_b_i,
  input form_e                third_form_i,
  input logic [DataWidth-1:0] third_a_i,
  input logic [DataWidth-1:0] third_b_i,
  input logic [DataWidth-1:0] word_i
);

  typedef logic [DataWidth-1:0] word_t;

  function automatic word_t value(form_e form, word_t a, word_t b, word_t x);
    return word_t'(value_after(DataWidth, form, value_t'(a), value_t'(b), value_t'(x)));
  endfunction

  word_t word_after_first;

  apply_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_apply (
    .form_i(first_form_i),
    .a_i   (first_a_i),
    .b_i   (first_b_i),
    .word_i(word_i),
    .word_o(word_after_first)
  );

  form_e first_two_form, last_two_form, left_form, right_form;
  word_t first_two_a, first_two_b, last_two_a, last_two_b, left_a, left_b, right_a, right_b;

  compose_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_dut (
    .first_form_i (first_form_i),
    .first_a_i    (first_a_i),
    .first_b_i    (first_b_i),
    .second_form_i(second_form_i),
    .second_a_i   (second_a_i),
    .second_b_i   (second_b_i),
    .form_o       (first_two_form),
    .a_o          (first_two_a),
    .b_o          (first_two_b)
  );

  compose_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_last_two (
    .first_form_i (second_form_i),
    .first_a_i    (second_a_i),
    .first_b_i    (second_b_i),
    .second_form_i(third_form_i),
    .second_a_i   (third_a_i),
    .second_b_i   (third_b_i),
    .form_o       (last_two_form),
    .a_o          (last_two_a),
    .b_o          (last_two_b)
  );

  compose_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_left (
    .first_form_i (first_two_form),
    .first_a_i    (first_two_a),
    .first_b_i    (first_two_b),
    .second_form_i(third_form_i),
    .second_a_i   (third_a_i),
    .second_b_i   (third_b_i),
    .form_o       (left_form),
    .a_o          (left_a),
    .b_o          (left_b)
  );

  compose_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_right (
    .first_form_i (first_form_i),
    .first_a_i    (first_a_i),
    .first_b_i    (first_b_i),
    .second_form_i(last_two_form),
    .second_a_i   (last_two_a),
    .second_b_i   (last_two_b),
    .form_o       (right_form),
    .a_o          (right_a),
    .b_o          (right_b)
  );

  // Every pair by itself, with its forms as constants: of wide words a solver then sees sums beside
  // sums, and no choice between forms.
  logic [FormCount-1:0][FormCount-1:0] pair_right;

  for (genvar f = 0; f < FormCount; f++) begin : gen_first
    for (genvar s = 0; s < FormCount; s++) begin : gen_second
      localparam form_e First  = form_e'(f);
      localparam form_e Second = form_e'(s);

      if (may_join(Forms, First, Second)) begin : gen_pair
        form_e form;
        word_t a, b;

        compose_unit #(
          .DataWidth(DataWidth),
          .Forms    (Forms)
        ) u_pair (
          .first_form_i (First),
          .first_a_i    (first_a_i),
          .first_b_i    (first_b_i),
          .second_form_i(Second),
          .second_a_i   (second_a_i),
          .second_b_i   (second_b_i),
          .form_o       (form),
          .a_o          (a),
          .b_o          (b)
        );

        assign pair_right[f][s] = value(form, a, b, word_i) ==
                                  value(Second, second_a_i, second_b_i,
                                        value(First, first_a_i, first_b_i, word_i));
      end else begin : gen_no_pair
        assign pair_right[f][s] = 1'b1;
      end
    end
  end

  // What a form does not use of its operands is 0.
  function automatic logic unused_is_zero(form_e form, word_t a, word_t b);
    return (uses_a(form) || a == '0) && (uses_b(form) || b == '0);
  endfunction

  // Which of the compositions are asked for. What a constant absorbs need not compose with what
  // came before it, so one order of three may be possible and the other not.
  logic pair, left, right;
  assign pair  = may_join(Forms, first_form_i, second_form_i);
  assign left  = pair && may_join(Forms, first_two_form, third_form_i);
  assign right = may_join(Forms, second_form_i, third_form_i) &&
                 may_join(Forms, first_form_i, last_two_form);

  always_ff @(posedge clk_i) begin
    // A form that is built makes of a word what the table says, and any other leaves it as it is.
    form_applied: assert (word_after_first == (Forms[first_form_i] ?
                          value(first_form_i, first_a_i, first_b_i, word_i) : word_i));

    // Two requests compose in the RTL exactly where the table says so.
    pairs_of_the_table: assert (composes(Forms, first_form_i, second_form_i) == pair);

    // The composed operation does to any word what the first and then the second do.
    second_after_first: assert (&pair_right);

    // The composed operation is of the form that the table gives for the two.
    form_of_the_pair: assert (!pair ||
                              first_two_form == form_of_pair(first_form_i, second_form_i));

    // Operands that a form does not use stay 0: if they are in two requests that compose, they are
    // in what the two send onward.
    unused_operands_zero: assert (!pair ||
                                  !unused_is_zero(first_form_i, first_a_i, first_b_i) ||
                                  !unused_is_zero(second_form_i, second_a_i, second_b_i) ||
                                  unused_is_zero(first_two_form, first_two_a, first_two_b));

    // Three requests that can be composed in either order of pairing do the same to any word.
    associative: assert (DataWidth > 4 || !(left && right) ||
                         value(left_form, left_a, left_b, word_i) ==
                         value(right_form, right_a, right_b, word_i));

    // Two requests of one form compose, neither an identity nor a constant.
    reached_same_form: cover (pair && first_form_i == second_form_i &&
                              !(first_form_i inside {FormIdentity, FormConstant}));
    // A constant comes after another form.
    reached_constant_last: cover (pair && first_form_i != FormConstant &&
                                  second_form_i == FormConstant);
    // A constant comes before another form.
    reached_constant_first: cover (pair && first_form_i == FormConstant &&
                                   !(second_form_i inside {FormIdentity, FormConstant}));
    // Two requests do not compose though each combines with others.
    reached_no_pair: cover (!pair && may_join(Forms, first_form_i, first_form_i) &&
                            may_join(Forms, second_form_i, second_form_i));
    // Three requests compose in both orders of pairing, and change the word.
    reached_three: cover (left && right &&
                          value(left_form, left_a, left_b, word_i) != word_i);
    // Three requests compose in one order of pairing only.
    reached_one_order: cover (left && !right);
  end

endmodule
