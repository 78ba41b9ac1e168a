// SPDX-License-Identifier: Apache-2.0
// The operations of the machine, as models/tributary/memory/operation_forms.def has them; a
// test compares the two.
package tributary_pkg;

  // How a request changes the word x that it addresses, with operand words a and b.
  typedef enum logic [2:0] {
    FormIdentity       = 3'd0,  // x
    FormConstant       = 3'd1,  // a
    FormAdd            = 3'd2,  // x + a
    FormLogic          = 3'd3,  // (x & a) ^ b
    FormClampSigned    = 3'd4,  // min(max(x, a), b), two's complement
    FormClampUnsigned  = 3'd5,  // min(max(x, a), b), unsigned
    FormCompareAndSwap = 3'd6,  // b if x = a, else x
    FormMerge          = 3'd7   // (x & ~b) | (a & b)
  } form_e;

  parameter int unsigned FormCount = 8;

  // Forms that can combine at all, one bit each.
  parameter logic [FormCount-1:0] CombiningForms = 8'b0011_1111;

  // Whether a request of form `second` may combine with a waiting one of form `first`, when only
  // the forms in `enabled` take part.
  function automatic logic composes(logic [FormCount-1:0] enabled, form_e first, form_e second);
    logic [FormCount-1:0] forms;
    logic neutral;
    forms = enabled & CombiningForms;
    neutral = first inside {FormIdentity, FormConstant} ||
              second inside {FormIdentity, FormConstant};
    return forms[first] && forms[second] && (first == second || neutral);
  endfunction

  // What travels, in the widths of the models. A block takes these types as parameters and knows
  // them by their fields; combining_switch makes its own from its widths.
  typedef logic [63:0] word_t;
  typedef logic [47:0] id_t;  // sequence number and processing element

  typedef struct packed {
    form_e form;
    word_t a;
    word_t b;
  } operation_t;

  typedef struct packed {
    logic [63:0] location;    // module and word address
    operation_t  operation;
    id_t         id;
    logic        combinable;
  } request_t;

  // What the wait buffer keeps of a pair: the second request's identity, the first's operation.
  typedef struct packed {
    id_t        id;
    operation_t operation;
  } partner_t;

  typedef struct packed {
    logic [7:0] status;
    word_t      value;
    id_t        id;
  } response_t;

endpackage
