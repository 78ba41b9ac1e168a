// SPDX-License-Identifier: Apache-2.0
// Labels of signals that mean something only while something else is valid, and the traffic that
// two scenarios share.
package waves_pkg;

  // An identity is a letter.
  function automatic string letter(logic valid, logic [7:0] id);
    return valid ? $sformatf("%c", id) : "-";
  endfunction

  function automatic string number(logic valid, logic [15:0] value);
    return valid ? $sformatf("%0d", value) : "-";
  endfunction

  // What arrives at a combining queue in a cycle, "-" if nothing does: a, b, c and e for the word X,
  // d for Y.
  function automatic logic [7:0] queue_arrival(int unsigned cycle);
    unique case (cycle)
      1:       return "a";
      3:       return "b";
      5:       return "c";
      7:       return "d";
      9:       return "e";
      default: return "-";
    endcase
  endfunction

  function automatic logic [7:0] queue_location(logic [7:0] id);
    return id == "d" ? "Y" : "X";
  endfunction

  // In these cycles the head leaves if there is one.
  function automatic logic queue_leaves(int unsigned cycle);
    return cycle >= 6 && cycle % 4 == 2;
  endfunction

endpackage
