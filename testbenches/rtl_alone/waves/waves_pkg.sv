// SPDX-License-Identifier: Apache-2.0
// Labels of signals that mean something only while something else is valid, and the traffic that
// two scenarios share.
package waves_pkg;
  import tributary_pkg::*;

  // An identity is a letter.
  function automatic string letter(logic valid, id_t id);
    return valid ? $sformatf("%c", 8'(id)) : "-";
  endfunction

  function automatic string number(logic valid, word_t value);
    return valid ? $sformatf("%0d", value) : "-";
  endfunction

  // What arrives at a combining queue in a cycle, "-" if nothing does: a, b, c and e for the word X,
  // d for Y.
  function automatic id_t queue_arrival(int unsigned cycle);
    unique case (cycle)
      1:       return "a";
      3:       return "b";
      5:       return "c";
      7:       return "d";
      9:       return "e";
      default: return "-";
    endcase
  endfunction

  // It adds 1.
  function automatic request_t queue_request(int unsigned cycle);
    id_t id;
    id = queue_arrival(cycle);
    return '{
        location: id == "d" ? "Y" : "X",
        operation: '{form: FormAdd, a: 64'd1, b: '0},
        id: id,
        combinable: 1'b1
    };
  endfunction

  // In these cycles the head leaves if there is one.
  function automatic logic queue_leaves(int unsigned cycle);
    return cycle >= 6 && cycle % 4 == 2;
  endfunction

endpackage
