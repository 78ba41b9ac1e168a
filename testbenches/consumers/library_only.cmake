# SPDX-License-Identifier: Apache-2.0
# Configures as docs/using-the-library.md says for the library only: no machine, no test and nothing
# of Verilator is left to build.
set(page ${SOURCE_DIR}/docs/using-the-library.md)
file(READ ${page} text)
if(NOT text MATCHES "\ncmake -S [.] -B build -G Ninja ([^\n]*-DTRIBUTARY_BUILD_PLATFORMS=OFF[^\n]*)\n")
  message(FATAL_ERROR "${page} has no command that configures the library only")
endif()
separate_arguments(options UNIX_COMMAND "${CMAKE_MATCH_1}")
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G ${GENERATOR}
                        -DCMAKE_CXX_COMPILER=${COMPILER} ${options}
                COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR} --target help
                OUTPUT_VARIABLE targets COMMAND_ERROR_IS_FATAL ANY)
if(NOT targets MATCHES "libtributary_cores[.]a")
  message(FATAL_ERROR "the library is no target:\n${targets}")
endif()
if(targets MATCHES "([^\n]*(verilat|[Vv]erilog|tributary_platforms|_tests?:)[^\n]*)\n")
  message(FATAL_ERROR "with '${options}' this is built in addition: ${CMAKE_MATCH_1}")
endif()
