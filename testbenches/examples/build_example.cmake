# SPDX-License-Identifier: Apache-2.0
# Configures and builds the example at SOURCE_DIR against the package in PREFIX, and runs it.
function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK_DIR} COMMAND_ECHO STDOUT
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK_DIR} --parallel 2)

if(NOT EXISTS ${WORK_DIR}/riscv_machine)
  cmake_path(GET SOURCE_DIR FILENAME program)
  run(${WORK_DIR}/${program} ${ARGUMENTS})
elseif(EXISTS ${WORK_DIR}/counter.elf)
  run(${WORK_DIR}/riscv_machine counter.elf 8)
  run(${WORK_DIR}/riscv_machine counter.elf 8 alias)
  run(${WORK_DIR}/riscv_machine lock.elf 4 loosely_timed)
endif()
