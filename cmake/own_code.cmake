# SPDX-License-Identifier: Apache-2.0
# What every target of our own code is compiled with, and no user of the library.
add_library(tributary_warnings INTERFACE)
target_compile_options(tributary_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion
  # Where files are united, g++ takes the anonymous name space of one for that of the next.
  $<IF:$<AND:$<BOOL:${TRIBUTARY_UNITY}>,$<CXX_COMPILER_ID:GNU>>,-Wshadow=local;-Wno-subobject-linkage,-Wshadow>
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

# Of cereal, what sim/state_archive.h includes.
set(tributary_archive_headers
  <cereal/archives/portable_binary.hpp> <cereal/types/array.hpp> <cereal/types/deque.hpp>
  <cereal/types/map.hpp> <cereal/types/optional.hpp> <cereal/types/string.hpp>
  <cereal/types/utility.hpp> <cereal/types/vector.hpp>)

# tributary_precompile(TARGET [header...]): where TRIBUTARY_PRECOMPILE is on, the sources find these
# and the standard library's usual headers parsed. A file that forgets to include one of them is found
# by includes_test, which knows the names of other libraries, and of systemc.h. No other header of the
# project is precompiled for the library, so that the compiler finds who forgets one.
function(tributary_precompile target)
  if(TRIBUTARY_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <functional> <map> <memory> <optional> <sstream> <string> <utility>
      <vector> ${ARGN})
    # Else clang refuses one that ccache kept, if a header was only touched since.
    target_compile_options(${target} PRIVATE
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

# tributary_unite(TARGET): where TRIBUTARY_UNITY is on, up to ten sources of a folder are compiled as
# one. For after all sources of the target, in the folder where they are named. What two files of a
# folder have in anonymous name spaces needs different names; the other builds compile each alone, so
# that they find who forgets a header.
function(tributary_unite target)
  if(NOT TRIBUTARY_UNITY)
    return()
  endif()
  set(most 10)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND folders "${folder}")
    list(APPEND "sources_of_${folder}" ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH "sources_of_${folder}" count)
    if(count EQUAL 1)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" name)
    math(EXPR groups "(${count} + ${most} - 1) / ${most}")
    set(index 0)
    foreach(source IN LISTS "sources_of_${folder}")
      math(EXPR group "${index} * ${groups} / ${count}")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${name}_${group})
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
