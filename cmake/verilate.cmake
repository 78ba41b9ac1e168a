# SPDX-License-Identifier: Apache-2.0
# tributary_verilate(), tributary_verilate_switch(), tributary_verilate_network(): RTL as C++
# libraries, with one runtime for all.
# Users have them by find_package(tributary COMPONENTS rtl), or, where the sources are a part of
# their project, by include(${tributary_SOURCE_DIR}/cmake/verilate.cmake).
#   TRIBUTARY_RTL_TRACE     with waveforms (FST), slower
#   TRIBUTARY_VERILATED_OPTIONS  of the compiler, for Verilator's C++
#   TRIBUTARY_RTL_COVERAGE  with line, toggle and functional coverage, much slower
#   TRIBUTARY_SANITIZE      of the library's own builds: such C++ is compiled without sanitizers
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/find_verilator.cmake)
tributary_find_verilator(_problem)
if(_problem)
  message(FATAL_ERROR "${_problem}")
endif()
find_package(Threads REQUIRED)
option(TRIBUTARY_RTL_TRACE "Verilate with waveforms (FST)" OFF)
option(TRIBUTARY_RTL_COVERAGE "Verilate with coverage" OFF)

# The RTL: of the sources, or as the package says. In the cache, as are the lists below: every folder
# of a project may call the functions.
if(NOT TRIBUTARY_RTL_DIR)
  set(TRIBUTARY_RTL_DIR ${CMAKE_CURRENT_LIST_DIR}/../rtl)
endif()
set(TRIBUTARY_RTL_DIR ${TRIBUTARY_RTL_DIR} CACHE INTERNAL "")
# The order of compilation.
file(STRINGS ${TRIBUTARY_RTL_DIR}/tributary.f tributary_rtl_sources REGEX "\\.sv$")
list(TRANSFORM tributary_rtl_sources PREPEND ${TRIBUTARY_RTL_DIR}/)
set(tributary_rtl_sources ${tributary_rtl_sources} CACHE INTERNAL "")
# Shows what the parts of a switch hold; for simulation, after the sources.
file(STRINGS ${TRIBUTARY_RTL_DIR}/probe/probe.f tributary_probe_sources REGEX "\\.(sv|vlt)$")
list(TRANSFORM tributary_probe_sources PREPEND ${TRIBUTARY_RTL_DIR}/probe/)
set(tributary_probe_sources ${tributary_probe_sources} CACHE INTERNAL "")

# The runtime, once for all models: verilate() would compile it into each.
set(_verilated ${VERILATOR_ROOT}/include)
set(_runtime ${_verilated}/verilated.cpp ${_verilated}/verilated_threads.cpp)
# clang without optimisation calls libatomic for what g++ decides while it compiles.
set(_runtime_libraries Threads::Threads $<$<CXX_COMPILER_ID:Clang>:atomic>)
if(TRIBUTARY_RTL_COVERAGE)
  list(APPEND _runtime ${_verilated}/verilated_cov.cpp)
endif()
if(TRIBUTARY_RTL_TRACE)
  find_package(ZLIB REQUIRED)
  list(APPEND _runtime ${_verilated}/verilated_fst_c.cpp)
  list(APPEND _runtime_libraries ZLIB::ZLIB)
endif()
add_library(tributary_verilated_runtime STATIC ${_runtime})
target_include_directories(tributary_verilated_runtime SYSTEM PUBLIC ${_verilated}
                                                                     ${_verilated}/vltstd)
target_compile_definitions(tributary_verilated_runtime PUBLIC
  VM_COVERAGE=$<BOOL:${TRIBUTARY_RTL_COVERAGE}> VM_TRACE=$<BOOL:${TRIBUTARY_RTL_TRACE}>
  VM_TRACE_FST=$<BOOL:${TRIBUTARY_RTL_TRACE}> VM_TRACE_VCD=0
  VL_TIME_CONTEXT)  # no sc_time_stamp of Verilator's own beside SystemC's
target_compile_features(tributary_verilated_runtime PUBLIC cxx_std_17)
# Verilator's C++ masks its indices; with sanitizers, or optimised for them, it would compile for a
# minute longer.
set(_tributary_verilated_sanitizing "$<$<BOOL:${TRIBUTARY_SANITIZE}>:-fno-sanitize=all;-O0>"
    CACHE INTERNAL "")
target_compile_options(tributary_verilated_runtime PRIVATE -w ${_tributary_verilated_sanitizing})
target_link_libraries(tributary_verilated_runtime PUBLIC ${_runtime_libraries})

# tributary_verilate(LIBRARY PREFIX class TOP module SOURCES file... [PARAMETERS name=value...]
#                    [VERILATOR_ARGS argument...])
# A static library with Verilator's class, assertions on.
function(tributary_verilate LIBRARY)
  cmake_parse_arguments(A "" "PREFIX;TOP" "SOURCES;PARAMETERS;VERILATOR_ARGS" ${ARGN})
  if(A_UNPARSED_ARGUMENTS OR NOT A_PREFIX OR NOT A_TOP OR NOT A_SOURCES)
    message(FATAL_ERROR "tributary_verilate(${LIBRARY}) needs PREFIX, TOP and SOURCES; it does not "
                        "know '${A_UNPARSED_ARGUMENTS}'")
  endif()
  add_library(${LIBRARY} STATIC)
  set(arguments --assert -Wall --x-assign unique --x-initial unique ${A_VERILATOR_ARGS})
  foreach(parameter ${A_PARAMETERS})
    # A set of forms is eight bits, not an integer.
    if(parameter MATCHES "^Forms=(.+)$")
      math(EXPR forms "${CMAKE_MATCH_1}")
      set(parameter "Forms=8'd${forms}")
    endif()
    list(APPEND arguments -G${parameter})
  endforeach()
  set(extras)
  if(TRIBUTARY_RTL_TRACE)
    list(APPEND extras TRACE_FST TRACE_STRUCTS)
    list(APPEND arguments --trace-max-width 0 --trace-max-array 0)  # leave nothing out
  endif()
  if(TRIBUTARY_RTL_COVERAGE)
    list(APPEND extras COVERAGE)
  endif()
  verilate(${LIBRARY} ${extras} PREFIX ${A_PREFIX} TOP_MODULE ${A_TOP} SOURCES ${A_SOURCES}
           VERILATOR_ARGS ${arguments})
  get_target_property(sources ${LIBRARY} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${VERILATOR_ROOT}/include/")
  set_property(TARGET ${LIBRARY} PROPERTY SOURCES ${sources})
  # Many small files, whose headers would take most of the time.
  set_target_properties(${LIBRARY} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  target_compile_options(${LIBRARY} PRIVATE
    -w -g0 ${_tributary_verilated_sanitizing} ${TRIBUTARY_VERILATED_OPTIONS})
  target_link_libraries(${LIBRARY} PUBLIC tributary_verilated_runtime)
endfunction()

# Gives the library tributary_KIND_NAME a header <KIND_NAME.h> with `struct KIND_NAME`: the model that
# was verilated, the parameters of its switches as name=value, and in between other members.
function(_tributary_design KIND NAME MEMBERS)
  set(assignments "")
  foreach(parameter ${ARGN})
    string(REPLACE "=" " = " assignment ${parameter})
    string(APPEND assignments "    p.${assignment};\n")
  endforeach()
  set(design ${KIND}_${NAME})
  set(library tributary_${design})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${library}_design)
  file(CONFIGURE OUTPUT ${folder}/${design}.h @ONLY CONTENT
"// The design that was verilated as ${library}.
#pragma once
#include <tributary/rtl/switch_parameters.h>
#include <tributary/rtl/verilator_runtime.h>
#include <verilated_${design}.h>
struct ${design} {
  using model = verilated_${design};
  static constexpr const char* name = \"${NAME}\";
${MEMBERS}  static constexpr tributary::switch_parameters parameters = [] {
    tributary::switch_parameters p;
${assignments}    return p;
  }();
};
")
  target_include_directories(${library} PUBLIC ${folder})
  target_link_libraries(${library} PUBLIC tributary::rtl)
endfunction()

# tributary_verilate_switch(NAME [TOP module] [SOURCES file...] [PARAMETERS name=value...]
#                           [OTHER_PARAMETERS name=value...] [VERILATOR_ARGS argument...])
# A switch with these parameters of combining_switch, as the library tributary_switch_NAME and a
# header <switch_NAME.h> with `struct switch_NAME`, the Design of tributary::verilated_switch.
# SOURCES default to the project's RTL, TOP to combining_switch; another module must have its ports.
# The project's RTL has the probe of rtl/probe, by which the model shows its state.
# OTHER_PARAMETERS are those of such a module that combining_switch does not have; warnings of
# Verilator are errors, of which VERILATOR_ARGS may take some out (-Wno-WIDTH).
function(tributary_verilate_switch NAME)
  cmake_parse_arguments(A "" "TOP" "SOURCES;PARAMETERS;OTHER_PARAMETERS;VERILATOR_ARGS" ${ARGN})
  if(A_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tributary_verilate_switch(${NAME}) does not know '${A_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT A_TOP)
    set(A_TOP combining_switch)
  endif()
  if(NOT A_SOURCES)
    set(A_SOURCES ${tributary_rtl_sources} ${tributary_probe_sources})
  endif()
  set(library tributary_switch_${NAME})
  tributary_verilate(${library} PREFIX verilated_switch_${NAME} TOP ${A_TOP} SOURCES ${A_SOURCES}
                     PARAMETERS ${A_PARAMETERS} ${A_OTHER_PARAMETERS}
                     VERILATOR_ARGS ${A_VERILATOR_ARGS})
  _tributary_design(switch ${NAME} "" ${A_PARAMETERS})
endfunction()

# tributary_verilate_network(NAME STAGES number [SOURCES file...] [PARAMETERS name=value...]
#                            [VERILATOR_ARGS argument...])
# A whole omega network of 2^STAGES elements as one model, whose switches have these parameters of
# combining_switch: the library tributary_network_NAME and a header <network_NAME.h> with `struct
# network_NAME`, the Design of tributary::verilated_network. SOURCES default to the project's RTL. A
# switch is two megabytes of C++ or more and compiles for seconds, and no two share it.
function(tributary_verilate_network NAME)
  cmake_parse_arguments(A "" "STAGES" "SOURCES;PARAMETERS;VERILATOR_ARGS" ${ARGN})
  if(A_UNPARSED_ARGUMENTS OR NOT A_STAGES)
    message(FATAL_ERROR "tributary_verilate_network(${NAME}) needs STAGES; it does not know "
                        "'${A_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT A_SOURCES)
    set(A_SOURCES ${tributary_rtl_sources})
  endif()
  set(library tributary_network_${NAME})
  tributary_verilate(${library} PREFIX verilated_network_${NAME} TOP omega_network
                     SOURCES ${A_SOURCES} PARAMETERS Stages=${A_STAGES} ${A_PARAMETERS}
                     VERILATOR_ARGS ${A_VERILATOR_ARGS})
  _tributary_design(network ${NAME} "  static constexpr unsigned stages = ${A_STAGES};\n" ${A_PARAMETERS})
endfunction()
