# SPDX-License-Identifier: Apache-2.0
# The fetch-and-phi unit beside the memory module of the models: the paper's, one at the lower ends
# of the axes, and one whose pipeline is shorter than its latency.
set(built paper swift long)
set(paper Interval=4 Latency=2 PipelineSlots=16 LinkCycles=2)
set(swift Interval=1 Latency=1 PipelineSlots=2 LinkCycles=1)
set(long Interval=2 Latency=38 PipelineSlots=3 LinkCycles=3)

# fetch_op_variants.h: each variant's model class, with its parameters as constants.
set(text "// The fetch-and-phi units that were verilated.\n#pragma once\n#include <cstdint>\n")
set(names "")
set(libraries "")
foreach(variant ${built})
  tributary_verilate(tributary_fetch_op_unit_${variant} PREFIX verilated_fetch_op_unit_${variant}
                     TOP fetch_op_unit PARAMETERS ${${variant}}
                     SOURCES ${rtl}/tributary_pkg.sv ${rtl}/apply_unit.sv ${rtl}/fetch_op_unit.sv)
  string(APPEND text "#include <verilated_fetch_op_unit_${variant}.h>\n"
                     "struct fetch_op_unit_${variant} {\n"
                     "  using model = verilated_fetch_op_unit_${variant};\n"
                     "  static constexpr const char* name = \"${variant}\";\n")
  foreach(parameter ${${variant}})
    string(REPLACE "=" " = " constant ${parameter})
    string(APPEND text "  static constexpr std::uint32_t ${constant};\n")
  endforeach()
  string(APPEND text "};\n")
  list(APPEND names fetch_op_unit_${variant})
  list(APPEND libraries tributary_fetch_op_unit_${variant})
endforeach()
string(REPLACE ";" ", " names "${names}")
string(APPEND text "#define TRIBUTARY_FETCH_OP_VARIANTS ${names}\n")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/fetch_op_variants.h CONTENT "${text}" @ONLY)

tributary_test(NAME fetch_op_unit_cosim_test SOURCES fetch_op_unit_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support ${libraries})
target_include_directories(fetch_op_unit_cosim_test PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
