// SPDX-License-Identifier: Apache-2.0
// Applies an operation to a word: the arithmetic of memory, and of decombining.
module apply_unit
  import tributary_pkg::*;
#(
  parameter int unsigned          DataWidth = 64,  // of a word
  // Forms that are built; any other leaves the word as it is.
  parameter logic [FormCount-1:0] Forms     = '1
) (
  input  form_e                form_i,
  input  logic [DataWidth-1:0] a_i,
  input  logic [DataWidth-1:0] b_i,
  input  logic [DataWidth-1:0] word_i,
  output logic [DataWidth-1:0] word_o
);

  logic [DataWidth-1:0] raised_signed, raised_unsigned;

  always_comb begin
    raised_signed = $signed(word_i) < $signed(a_i) ? a_i : word_i;
    raised_unsigned = word_i < a_i ? a_i : word_i;
    word_o = word_i;
    unique case (form_i)
      FormIdentity: word_o = word_i;
      FormConstant: if (Forms[FormConstant]) word_o = a_i;
      FormAdd: if (Forms[FormAdd]) word_o = word_i + a_i;
      FormLogic: if (Forms[FormLogic]) word_o = (word_i & a_i) ^ b_i;
      FormClampSigned:
      if (Forms[FormClampSigned]) begin
        word_o = $signed(raised_signed) > $signed(b_i) ? b_i : raised_signed;
      end
      FormClampUnsigned:
      if (Forms[FormClampUnsigned]) word_o = raised_unsigned > b_i ? b_i : raised_unsigned;
      FormCompareAndSwap: if (Forms[FormCompareAndSwap]) word_o = word_i == a_i ? b_i : word_i;
      FormMerge: if (Forms[FormMerge]) word_o = (word_i & ~b_i) | (a_i & b_i);
    endcase
  end

endmodule
