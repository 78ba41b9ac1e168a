# SPDX-License-Identifier: Apache-2.0
# Core and RTL side by side, and the program that repeats such a run with a waveform.
add_library(tributary_lockstep STATIC divergence.cpp)
tributary_own_code(tributary_lockstep)
target_include_directories(tributary_lockstep PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(tributary_lockstep PUBLIC tributary_test_support tributary::switch_variants
                      PRIVATE fmt::fmt)
# Where the build with waveforms is: this one, or that of the preset.
set(replay_build ${PROJECT_SOURCE_DIR}/build/rtl-trace)
if(TRIBUTARY_RTL_TRACE)
  set(replay_build ${PROJECT_BINARY_DIR})
endif()
list(JOIN TRIBUTARY_RTL_VARIANTS "," variants)
target_compile_definitions(tributary_lockstep PRIVATE
  TRIBUTARY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TRIBUTARY_BINARY_DIR="${PROJECT_BINARY_DIR}"
  TRIBUTARY_REPLAY_BUILD="${replay_build}" TRIBUTARY_VARIANTS="${variants}")

if(NOT TRIBUTARY_RTL_TRACE)
  foreach(name divergence_test platform_waveform_test)
    tributary_skipped_test(${name} waveform "it needs TRIBUTARY_RTL_TRACE, as the preset rtl-trace has")
  endforeach()
  return()
endif()

# A copy of the RTL with a seeded fault, which core and RTL must be found to differ by.
set(sound "(Coupled != 0 || i != 0)")
set(queue ${rtl}/combining_queue.sv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${queue})
file(READ ${queue} text)
string(FIND "${text}" "${sound}" first)
string(FIND "${text}" "${sound}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "rtl/combining_queue.sv has \"${sound}\" not exactly once; choose another "
                      "fault in testbenches/cosim/lockstep.cmake")
endif()
string(REPLACE "${sound}" "(Coupled != 0 || stays[i])" text "${text}")
set(faulty_queue ${CMAKE_CURRENT_BINARY_DIR}/combining_queue.sv)
file(CONFIGURE OUTPUT ${faulty_queue} CONTENT "${text}" @ONLY)
set(faulty_sources ${tributary_rtl_sources} ${tributary_probe_sources})
list(TRANSFORM faulty_sources REPLACE "^.*/combining_queue[.]sv$" ${faulty_queue})
tributary_verilate_switch(faulty SOURCES ${faulty_sources} PARAMETERS AdaptiveLimit=2)

add_executable(switch_replay switch_replay.cpp)
tributary_own_code(switch_replay)
target_compile_definitions(switch_replay PRIVATE TRIBUTARY_WITH_FAULTY_SWITCH)
target_link_libraries(switch_replay PRIVATE tributary_lockstep tributary_switch_faulty fmt::fmt)

tributary_test(NAME divergence_test SOURCES divergence_test.cpp waveform_file.cpp LABELS waveform
               TIMEOUT 300 LIBRARIES tributary_lockstep tributary_switch_faulty)
add_dependencies(divergence_test switch_replay)
if(TARGET tributary AND TARGET tributary::models)
  tributary_test(NAME platform_waveform_test
                 SOURCES platform_waveform_test.cpp waveform_file.cpp ../cli/program_fixture.cpp
                 LABELS waveform LIBRARIES tributary_test_support tributary::rtl
                                           tributary_verilated_runtime USES_PROGRAM)
endif()
