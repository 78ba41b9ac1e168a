# SPDX-License-Identifier: Apache-2.0
# Whole networks in RTL, each one verilated model. They are compiled without optimisation, which
# takes two thirds of the time; the rest of them comes with TRIBUTARY_RTL_VARIANTS=all.
set(compared_options ${TRIBUTARY_VERILATED_OPTIONS})
set(TRIBUTARY_VERILATED_OPTIONS -O0)
# As wide as the tests' requests need.
set(widths AddressWidth=8 ModuleWidth=4 ElementWidth=4 SequenceWidth=16)
set(networks "")
macro(_network NAME)
  tributary_verilate_network(${NAME} ${ARGN})
  list(APPEND networks ${NAME})
endmacro()
# With coverage a switch is ten times as much C++, and the small network has every line of the RTL.
if(NOT TRIBUTARY_RTL_COVERAGE)
  _network(of_8 STAGES 3 PARAMETERS Slots=3 AdaptiveLimit=2 WaitBufferEntries=3 ReverseSlots=5
                                    Forms=5 ${widths})
endif()
_network(of_4_dual STAGES 2 PARAMETERS DualInput=1 Coupled=1 Ordered=1 SumAtExit=1 Slots=3
                                       WaitBufferEntries=2 LinkCycles=1 ReverseSlots=5 ${widths})
if(TRIBUTARY_RTL_VARIANTS STREQUAL "all")
  _network(of_2 STAGES 1 PARAMETERS Coupled=1 WaitBufferEntries=2 ${widths})
  _network(of_4_systolic STAGES 2 PARAMETERS Microarchitecture=1 AdaptiveLimit=2
                                             WaitBufferEntries=3 ${widths})
  _network(of_4_registers STAGES 2 PARAMETERS ArrivalRegisters=1 DualInput=1 Coupled=1
                                              WaitBufferEntries=3 ReverseSlots=10 ${widths})
  _network(of_4_gradual STAGES 2 PARAMETERS AdaptiveLimit=1 Gradual=1 Slots=6 ${widths})
  _network(of_16 STAGES 4 PARAMETERS AdaptiveLimit=2 WaitBufferEntries=8)
endif()

# A copy of the RTL with a seeded fault, which must be found: before the second column two lines are
# swapped.
set(network ${rtl}/omega_network.sv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${network})
file(READ ${network} text)
set(sound "In1  = j + Half;")
string(FIND "${text}" "${sound}" first)
string(FIND "${text}" "${sound}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "rtl/omega_network.sv has \"${sound}\" not exactly once; choose another fault "
                      "in testbenches/cosim/omega_network.cmake")
endif()
string(REPLACE "${sound}" "In1  = s == 1 ? (j ^ 1) + Half : j + Half;" text "${text}")
set(faulty_network ${CMAKE_CURRENT_BINARY_DIR}/omega_network.sv)
file(CONFIGURE OUTPUT ${faulty_network} CONTENT "${text}" @ONLY)
set(faulty_network_sources ${tributary_rtl_sources})
list(TRANSFORM faulty_network_sources REPLACE "^.*/omega_network[.]sv$" ${faulty_network})
tributary_verilate_network(faulty STAGES 2 SOURCES ${faulty_network_sources}
  PARAMETERS Forms=0 Slots=1 WaitBufferEntries=1 LinkCycles=1 ReverseSlots=5 ${widths})
set(TRIBUTARY_VERILATED_OPTIONS ${compared_options})

set(libraries tributary_network_faulty)
set(designs "#pragma once\n")
foreach(name ${networks})
  list(APPEND libraries tributary_network_${name})
  string(APPEND designs "#include <network_${name}.h>\n")
endforeach()
list(TRANSFORM networks PREPEND network_ OUTPUT_VARIABLE structures)
list(JOIN structures ", " structures)
string(APPEND designs "#include <gtest/gtest.h>\nusing built_networks = ::testing::Types<${structures}>;\n")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/networks/built_networks.h CONTENT "${designs}" @ONLY)
tributary_test(NAME omega_network_cosim_test SOURCES omega_network_cosim_test.cpp LABELS cosim
               TIMEOUT 300 LIBRARIES tributary_test_support ${libraries})
target_include_directories(omega_network_cosim_test PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/networks)
