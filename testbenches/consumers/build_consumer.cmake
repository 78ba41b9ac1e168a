# SPDX-License-Identifier: Apache-2.0
# Configures, builds and runs a project; see consumer() in CMakeLists.txt.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR} ${INSTALL_TO})
set(configure ${CMAKE_COMMAND} -S ${PROJECT} -B ${WORK_DIR} -G ${GENERATOR}
    -DWAY=${WAY} -DCOMPONENT=${COMPONENT} -DEXAMPLE=${EXAMPLE} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DTRIBUTARY_SOURCE_DIR=${SOURCE_DIR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} ${OPTIONS})
if(REFUSED)
  execute_process(COMMAND ${configure} RESULT_VARIABLE result ERROR_VARIABLE message)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")  # CMake breaks lines
  if(result EQUAL 0 OR NOT message MATCHES "${REFUSED}")
    message(FATAL_ERROR "exit status ${result}, where a refusal was expected with the words "
                        "'${REFUSED}'. CMake said:\n${message}")
  endif()
  return()
endif()
if(SAYS)
  execute_process(COMMAND ${configure} OUTPUT_VARIABLE message COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  if(NOT message MATCHES "${SAYS}")
    message(FATAL_ERROR "the words '${SAYS}' were expected. CMake said:\n${message}")
  endif()
  return()
endif()

run(${configure})
set(programs ${PROGRAM})
if(EXAMPLE)
  list(APPEND programs example)
endif()
run(${CMAKE_COMMAND} --build ${WORK_DIR} --parallel 2 --target ${programs})
foreach(program IN LISTS programs)
  run(${WORK_DIR}/${program})
endforeach()
if(INSTALL_TO)
  run(${CMAKE_COMMAND} --install ${WORK_DIR} --prefix ${INSTALL_TO})
endif()
