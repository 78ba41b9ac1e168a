// SPDX-License-Identifier: Apache-2.0
// What each form of operation does to a word, and which forms combine: written anew from the table
// of the operations (docs/models/operations.md), and sharing nothing with apply_unit, compose_unit
// and composes() of tributary_pkg but the codes of the forms. Proofs compare the RTL with it.
package operation_values_pkg;
  import tributary_pkg::*;

  // A word of any width up to 64, in the lowest bits; the others are 0.
  typedef logic [63:0] value_t;

  function automatic value_t lowest_bits(int unsigned width, value_t word);
    return word & ~(~value_t'(0) << width);
  endfunction

  // The number that stands where the two's complement number `word` does in the order of the
  // unsigned ones: the sign bit, inverted, counts upward.
  function automatic value_t rank_of(int unsigned width, value_t word);
    return lowest_bits(width, word ^ (value_t'(1) << (width - 1)));
  endfunction

  // The new word, of `width` bits, that a request makes of the word x.
  function automatic value_t value_after(int unsigned width, form_e form, value_t a, value_t b,
                                         value_t x);
    value_t raised;
    case (form)
      FormIdentity: return x;
      FormConstant: return a;
      FormAdd:      return lowest_bits(width, x + a);
      FormLogic:    return (x & a) ^ b;
      FormClampSigned: begin
        raised = rank_of(width, x) > rank_of(width, a) ? x : a;
        return rank_of(width, raised) < rank_of(width, b) ? raised : b;
      end
      FormClampUnsigned: begin
        raised = x > a ? x : a;
        return raised < b ? raised : b;
      end
      FormCompareAndSwap: return x == a ? b : x;
      default:            return (x & ~b) | (a & b);  // FormMerge
    endcase
  endfunction

  // Which of its operands a form uses: the same table, by columns.
  function automatic logic uses_a(form_e form);
    return form != FormIdentity;
  endfunction

  function automatic logic uses_b(form_e form);
    return !(form inside {FormIdentity, FormConstant, FormAdd});
  endfunction

  // Whether requests of this form combine at all.
  function automatic logic ever_combines(form_e form);
    return form != FormCompareAndSwap && form != FormMerge;
  endfunction

  // Whether a request of form `second` may join a waiting one of form `first`, where the forms of
  // `enabled` take part: the table "Combining two requests", by rows.
  function automatic logic may_join(logic [FormCount-1:0] enabled, form_e first, form_e second);
    if (!enabled[first] || !enabled[second]) return 1'b0;
    if (!ever_combines(first) || !ever_combines(second)) return 1'b0;
    case (first)
      FormIdentity, FormConstant: return 1'b1;
      default: return second == FormIdentity || second == FormConstant || second == first;
    endcase
  endfunction

  // The form of what such a pair sends onward: the entry of that table.
  function automatic form_e form_of_pair(form_e first, form_e second);
    if (first == FormConstant || second == FormConstant) return FormConstant;
    return first == FormIdentity ? second : first;
  endfunction

endpackage
