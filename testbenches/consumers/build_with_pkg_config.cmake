# SPDX-License-Identifier: Apache-2.0
# Compiles a program with what pkg-config says of MODULE, installed in LIBDIR, and runs it.
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(ENV{PKG_CONFIG_PATH} ${LIBDIR}/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${MODULE}
                OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
set(program models)
if(MODULE STREQUAL "tributary-cores")
  set(program cores)
endif()
execute_process(COMMAND ${LAUNCHER} ${COMPILER} -std=c++${STANDARD}
                        ${CMAKE_CURRENT_LIST_DIR}/project/${program}.cpp -o ${WORK_DIR}/consumer
                        ${flags} -Wl,-rpath,${LIBDIR}
                COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK_DIR}/consumer COMMAND_ERROR_IS_FATAL ANY)

# Another SystemC is refused before anything is compiled, if pkg-config knows SystemC.
file(READ ${LIBDIR}/pkgconfig/${MODULE}.pc module)
if(module MATCHES "Requires:[^\n]*systemc")
  file(WRITE ${WORK_DIR}/systemc.pc "Name: SystemC\nDescription: another\nVersion: 9.0.0\n")
  set(ENV{PKG_CONFIG_PATH} ${WORK_DIR}:${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --print-errors --exists ${MODULE}
                  RESULT_VARIABLE result ERROR_VARIABLE message)
  if(result EQUAL 0 OR NOT message MATCHES "systemc")
    message(FATAL_ERROR "pkg-config accepts SystemC 9.0.0: '${message}'")
  endif()
endif()
