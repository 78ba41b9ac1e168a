// SPDX-License-Identifier: Apache-2.0
// Labels of signals that mean something only while something else is valid.
package waves_pkg;
  import tributary_pkg::*;

  // An identity is a letter.
  function automatic string letter(logic valid, id_t id);
    return valid ? $sformatf("%c", 8'(id)) : "-";
  endfunction

  function automatic string number(logic valid, word_t value);
    return valid ? $sformatf("%0d", value) : "-";
  endfunction

endpackage
