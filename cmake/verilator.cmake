# SPDX-License-Identifier: Apache-2.0
# TRIBUTARY_RTL and tributary_verilate(): the RTL of rtl/ as C++ libraries.
set(TRIBUTARY_RTL AUTO CACHE STRING
    "Verilate the RTL for co-simulation: AUTO (where Verilator is found), ON or OFF")
if(NOT TRIBUTARY_RTL MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TRIBUTARY_RTL is ${TRIBUTARY_RTL}; set it to AUTO, ON or OFF")
endif()

set(tributary_has_rtl OFF)
if(NOT TRIBUTARY_RTL STREQUAL "OFF")
  find_package(verilator 5.006 CONFIG QUIET HINTS /usr/share/verilator $ENV{VERILATOR_ROOT})
  if(verilator_FOUND)
    set(tributary_has_rtl ON)
  elseif(TRIBUTARY_RTL STREQUAL "ON")
    message(FATAL_ERROR "TRIBUTARY_RTL is ON, but Verilator 5.006 or later was not found; install "
                        "it (Debian: verilator) or set VERILATOR_ROOT")
  else()
    message(STATUS "No Verilator 5.006 or later (Debian: verilator): co-simulation tests are "
                   "not built")
  endif()
endif()
if(NOT tributary_has_rtl)
  return()
endif()

# The runtime, once for all models: verilate() would compile it into each.
set(verilated_include ${VERILATOR_ROOT}/include)
find_package(Threads REQUIRED)
add_library(tributary_verilated_runtime STATIC ${verilated_include}/verilated.cpp
                                               ${verilated_include}/verilated_threads.cpp)
target_include_directories(tributary_verilated_runtime SYSTEM PUBLIC ${verilated_include}
                                                                     ${verilated_include}/vltstd)
target_compile_definitions(tributary_verilated_runtime PUBLIC VM_COVERAGE=0 VM_TRACE=0
                                                              VM_TRACE_FST=0 VM_TRACE_VCD=0)
target_compile_features(tributary_verilated_runtime PUBLIC cxx_std_17)
target_compile_options(tributary_verilated_runtime PRIVATE -w)
target_link_libraries(tributary_verilated_runtime PUBLIC Threads::Threads)

# tributary_verilate(LIBRARY PREFIX class TOP module SOURCES file... PARAMETERS name=value...)
function(tributary_verilate LIBRARY)
  cmake_parse_arguments(A "" "PREFIX;TOP" "SOURCES;PARAMETERS" ${ARGN})
  add_library(${LIBRARY} STATIC)
  set(arguments --assert -Wall --x-assign unique --x-initial unique)
  foreach(parameter ${A_PARAMETERS})
    list(APPEND arguments -G${parameter})
  endforeach()
  verilate(${LIBRARY} PREFIX ${A_PREFIX} TOP_MODULE ${A_TOP} SOURCES ${A_SOURCES}
           VERILATOR_ARGS ${arguments})
  get_target_property(sources ${LIBRARY} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${VERILATOR_ROOT}/include/")
  set_property(TARGET ${LIBRARY} PROPERTY SOURCES ${sources})
  target_compile_options(${LIBRARY} PRIVATE -w -g0)
  target_link_libraries(${LIBRARY} PUBLIC tributary_verilated_runtime)
endfunction()
