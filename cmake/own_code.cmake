# SPDX-License-Identifier: Apache-2.0
# What every target of our own code is compiled with, and no user of the library.
add_library(tributary_warnings INTERFACE)
target_compile_options(tributary_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<BOOL:${TRIBUTARY_WARNINGS_AS_ERRORS}>:-Werror>
  # g++ documents false alarms of this one under sanitizers.
  $<$<AND:$<BOOL:${TRIBUTARY_SANITIZE}>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)

# tributary_own_code(TARGET): C++17 without extensions, our warnings, and no fused multiply-add,
# so that every compiler and build type computes the same numbers.
function(tributary_own_code target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tributary_warnings>)
endfunction()

# tributary_runs_once(FILE...): sources of the folder that a run of their program needs once, and the
# optimiser longest: those with CLI11.
function(tributary_runs_once)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                              COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()

# tributary_precompile(TARGET [header...]): where TRIBUTARY_PRECOMPILE is on, the sources find these
# and the standard library's usual headers parsed. A file that forgets to include one of another
# library is found by includes_test. One that forgets a header of the project fails in the build that
# verifies headers: that one precompiles none of them but systemc.h, whose names includes_test knows.
function(tributary_precompile target)
  if(CMAKE_VERIFY_INTERFACE_HEADER_SETS)
    set(systemc ${ARGN})
    list(FILTER systemc INCLUDE REGEX "^<tributary/systemc/systemc[.]h>$")
    list(FILTER ARGN EXCLUDE REGEX "^<(tributary|flash)/")
    list(APPEND ARGN ${systemc})
  endif()
  if(TRIBUTARY_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <functional> <map> <memory> <optional> <sstream> <string> <utility>
      <vector> ${ARGN})
    # Else clang refuses one that ccache kept, if a header was only touched since.
    target_compile_options(${target} PRIVATE
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
