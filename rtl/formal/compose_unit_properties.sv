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
  parameter int unsigned          DataWidth   = 3,
  parameter logic [FormCount-1:0] Forms       = '1,  // that are built
  localparam type                 word_t      = logic [DataWidth-1:0],
  localparam type                 operation_t = struct packed {
    form_e form;
    word_t a;
    word_t b;
  }
) (
  input logic clk_i,

  // Three requests to one word, and the word.
  input operation_t first_i,
  input operation_t second_i,
  input operation_t third_i,
  input word_t      word_i
);

  function automatic word_t value(operation_t operation, word_t x);
    return word_t'(value_after(DataWidth, operation.form, value_t'(operation.a),
                               value_t'(operation.b), value_t'(x)));
  endfunction

  word_t word_after_first;

  apply_unit #(
    .DataWidth(DataWidth),
    .Forms    (Forms)
  ) u_apply (
    .form_i(first_i.form),
    .a_i   (first_i.a),
    .b_i   (first_i.b),
    .word_i(word_i),
    .word_o(word_after_first)
  );

  operation_t first_two, last_two, left_three, right_three;

  compose_unit #(
    .Forms      (Forms),
    .operation_t(operation_t)
  ) u_dut (
    .first_i   (first_i),
    .second_i  (second_i),
    .composed_o(first_two)
  );

  compose_unit #(
    .Forms      (Forms),
    .operation_t(operation_t)
  ) u_last_two (
    .first_i   (second_i),
    .second_i  (third_i),
    .composed_o(last_two)
  );

  compose_unit #(
    .Forms      (Forms),
    .operation_t(operation_t)
  ) u_left (
    .first_i   (first_two),
    .second_i  (third_i),
    .composed_o(left_three)
  );

  compose_unit #(
    .Forms      (Forms),
    .operation_t(operation_t)
  ) u_right (
    .first_i   (first_i),
    .second_i  (last_two),
    .composed_o(right_three)
  );

  // Every pair by itself, with its forms as constants: of wide words a solver then sees sums beside
  // sums, and no choice between forms.
  logic [FormCount-1:0][FormCount-1:0] pair_right;

  for (genvar f = 0; f < FormCount; f++) begin : gen_first
    for (genvar s = 0; s < FormCount; s++) begin : gen_second
      localparam form_e First  = form_e'(f);
      localparam form_e Second = form_e'(s);

      if (may_join(Forms, First, Second)) begin : gen_pair
        operation_t first, second, composed;
        assign first  = '{form: First, a: first_i.a, b: first_i.b};
        assign second = '{form: Second, a: second_i.a, b: second_i.b};

        compose_unit #(
          .Forms      (Forms),
          .operation_t(operation_t)
        ) u_pair (
          .first_i   (first),
          .second_i  (second),
          .composed_o(composed)
        );

        assign pair_right[f][s] = value(composed, word_i) == value(second, value(first, word_i));
      end else begin : gen_no_pair
        assign pair_right[f][s] = 1'b1;
      end
    end
  end

  // What a form does not use of its operands is 0.
  function automatic logic unused_is_zero(operation_t operation);
    return (uses_a(operation.form) || operation.a == '0) &&
           (uses_b(operation.form) || operation.b == '0);
  endfunction

  // Which of the compositions are asked for. What a constant absorbs need not compose with what
  // came before it, so one order of three may be possible and the other not.
  logic pair, left, right;
  assign pair  = may_join(Forms, first_i.form, second_i.form);
  assign left  = pair && may_join(Forms, first_two.form, third_i.form);
  assign right = may_join(Forms, second_i.form, third_i.form) &&
                 may_join(Forms, first_i.form, last_two.form);

  always_ff @(posedge clk_i) begin
    // A form that is built makes of a word what the table says, and any other leaves it as it is.
    form_applied: assert (word_after_first == (Forms[first_i.form] ?
                          value(first_i, word_i) : word_i));

    // Two requests compose in the RTL exactly where the table says so.
    pairs_of_the_table: assert (composes(Forms, first_i.form, second_i.form) == pair);

    // The composed operation does to any word what the first and then the second do.
    second_after_first: assert (&pair_right);

    // The composed operation is of the form that the table gives for the two.
    form_of_the_pair: assert (!pair ||
                              first_two.form == form_of_pair(first_i.form, second_i.form));

    // Operands that a form does not use stay 0: if they are in two requests that compose, they are
    // in what the two send onward.
    unused_operands_zero: assert (!pair ||
                                  !unused_is_zero(first_i) ||
                                  !unused_is_zero(second_i) ||
                                  unused_is_zero(first_two));

    // Three requests that can be composed in either order of pairing do the same to any word.
    associative: assert (DataWidth > 4 || !(left && right) ||
                         value(left_three, word_i) ==
                         value(right_three, word_i));

    // Two requests of one form compose, neither an identity nor a constant.
    reached_same_form: cover (pair && first_i.form == second_i.form &&
                              !(first_i.form inside {FormIdentity, FormConstant}));
    // A constant comes after another form.
    reached_constant_last: cover (pair && first_i.form != FormConstant &&
                                  second_i.form == FormConstant);
    // A constant comes before another form.
    reached_constant_first: cover (pair && first_i.form == FormConstant &&
                                   !(second_i.form inside {FormIdentity, FormConstant}));
    // Two requests do not compose though each combines with others.
    reached_no_pair: cover (!pair && may_join(Forms, first_i.form, first_i.form) &&
                            may_join(Forms, second_i.form, second_i.form));
    // Three requests compose in both orders of pairing, and change the word.
    reached_three: cover (left && right &&
                          value(left_three, word_i) != word_i);
    // Three requests compose in one order of pairing only.
    reached_one_order: cover (left && !right);
  end

endmodule
