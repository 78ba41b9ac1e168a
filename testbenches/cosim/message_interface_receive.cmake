# SPDX-License-Identifier: Apache-2.0
# The receive engine of the message interface beside its core: the paper's, and one that is so small
# that pages end within messages and translations are always too few.
set(paper Counters=16 Translations=64 PageBytes=4096 PacketBytes=32 MemoryWidth=40)
set(small Counters=3 Translations=2 PageBytes=16 PacketBytes=40 MemoryWidth=16)

# receive_engine_variants.h: each variant's model class, with its parameters as constants.
set(text "// The receive engines that were verilated.\n#pragma once\n#include <cstdint>\n")
set(names "")
set(libraries "")
foreach(variant paper small)
  set(name message_interface_receive_${variant})
  tributary_verilate(tributary_${name} PREFIX verilated_${name} TOP message_interface_receive
                     PARAMETERS ${${variant}}
                     SOURCES ${rtl}/message_interface_pkg.sv ${rtl}/message_interface_receive.sv
                             ${CMAKE_CURRENT_SOURCE_DIR}/message_interface_receive.vlt)
  string(APPEND text "#include <verilated_${name}.h>\nstruct receive_engine_${variant} {\n"
                     "  using model = verilated_${name};\n"
                     "  static constexpr const char* name = \"${variant}\";\n")
  foreach(parameter ${${variant}})
    string(REPLACE "=" " = " constant ${parameter})
    string(APPEND text "  static constexpr std::uint32_t ${constant};\n")
  endforeach()
  string(APPEND text "};\n")
  list(APPEND names receive_engine_${variant})
  list(APPEND libraries tributary_${name})
endforeach()
string(REPLACE ";" ", " names "${names}")
string(APPEND text "#define TRIBUTARY_RECEIVE_ENGINE_VARIANTS ${names}\n")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/receive_engine_variants.h CONTENT "${text}" @ONLY)

tributary_test(NAME message_interface_receive_cosim_test
               SOURCES message_interface_receive_cosim_test.cpp LABELS cosim
               LIBRARIES tributary_test_support ${libraries})
target_include_directories(message_interface_receive_cosim_test PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
