# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed, unless the user chose a launcher.
find_program(TRIBUTARY_CCACHE ccache)
mark_as_advanced(TRIBUTARY_CCACHE)
if(TRIBUTARY_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TRIBUTARY_CCACHE})
  if(TRIBUTARY_PRECOMPILE)
    # Without this ccache takes nothing that uses a precompiled header. Depending on what the compiler
    # says it has read, ccache does not preprocess each file first. A file of its own, since tests
    # hand the launcher on as one word.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_BINARY_DIR}/ccache_of_precompiled)
    file(WRITE ${CMAKE_CXX_COMPILER_LAUNCHER} "#!/bin/sh\n"
         "CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros exec '${TRIBUTARY_CCACHE}' \"$@\"\n")
    file(CHMOD ${CMAKE_CXX_COMPILER_LAUNCHER} PERMISSIONS
         OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endif()
