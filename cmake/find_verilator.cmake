# SPDX-License-Identifier: Apache-2.0
# tributary_find_verilator(PROBLEM): finds Verilator and its function verilate(), and sets PROBLEM to
# an empty text, or to a sentence that says why not.
function(tributary_find_verilator problem)
  find_package(verilator 5.006 CONFIG QUIET HINTS /usr/share/verilator $ENV{VERILATOR_ROOT})
  if(verilator_FOUND)
    set(${problem} "" PARENT_SCOPE)
  else()
    set(${problem} "Co-simulation needs Verilator 5.006 or later, which was not found. On Debian: \
apt-get install verilator. Elsewhere: install it and set VERILATOR_ROOT." PARENT_SCOPE)
  endif()
endfunction()
