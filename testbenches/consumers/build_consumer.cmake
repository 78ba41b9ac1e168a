# SPDX-License-Identifier: Apache-2.0
# Installs the library if WAY is find_package, then configures, builds and runs the project beside
# this file with it.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(options)
if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${LIBRARY_BUILD_DIR} --prefix ${WORK_DIR}/prefix)
  list(APPEND options -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${WORK_DIR}/build -G ${GENERATOR}
    -DWAY=${WAY} -DTRIBUTARY_SOURCE_DIR=${SOURCE_DIR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} ${options})
set(programs consumer)
if(WAY STREQUAL "add_subdirectory")
  list(APPEND programs example)
endif()
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --target ${programs})
foreach(program IN LISTS programs)
  run(${WORK_DIR}/build/${program})
endforeach()
