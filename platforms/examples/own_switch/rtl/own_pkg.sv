// SPDX-License-Identifier: Apache-2.0
// What travels through the example's own switch; widths as those of the models.
package own_pkg;

  parameter int unsigned WordWidth = 64;
  parameter int unsigned IdWidth   = 48;

  parameter logic [2:0] Load = 3'd0;
  parameter logic [2:0] Add  = 3'd2;

  typedef struct packed {
    logic [15:0]          module_number;
    logic [47:0]          word;
    logic [2:0]           form;
    logic [WordWidth-1:0] a;
    logic [WordWidth-1:0] b;
    logic [IdWidth-1:0]   id;
    logic                 combinable;
  } request_t;

  // What comes back for the second request of a pair is the first's value and an addend.
  typedef struct packed {
    logic [IdWidth-1:0]   first;
    logic [IdWidth-1:0]   second;
    logic [WordWidth-1:0] addend;
  } pair_t;

  typedef struct packed {
    logic [7:0]           status;
    logic [WordWidth-1:0] value;
    logic [IdWidth-1:0]   id;
  } response_t;

  // A word plus what a request adds to it; a load adds nothing.
  function automatic logic [WordWidth-1:0] addend_of(logic [2:0] form, logic [WordWidth-1:0] a);
    return form == Add ? a : '0;
  endfunction

endpackage
