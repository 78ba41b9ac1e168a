# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed, unless the user chose a launcher.
find_program(TRIBUTARY_CCACHE ccache)
mark_as_advanced(TRIBUTARY_CCACHE)
if(TRIBUTARY_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TRIBUTARY_CCACHE})
  if(TRIBUTARY_PRECOMPILE)
    # Without this ccache takes nothing that uses a precompiled header.
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endif()
