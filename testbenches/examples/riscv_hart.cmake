# SPDX-License-Identifier: Apache-2.0
# The example riscv_hart: Unicorn, programs of a cross compiler, and a memory of Accellera's.
if(NOT TARGET riscv_hart)
  tributary_skipped_test(riscv_hart_test examples "it needs Unicorn (libunicorn-dev)")
  return()
endif()
tributary_test(NAME riscv_hart_test SOURCES riscv_hart_test.cpp elf_program_test.cpp
               LIBRARIES riscv_hart LABELS examples)
if(NOT TARGET riscv_machine_parts)
  return()
endif()
if(NOT RISCV_CC)
  tributary_skipped_test(riscv_machine_test examples
                         "it needs riscv64-linux-gnu-gcc (gcc-riscv64-linux-gnu)")
  return()
endif()

# riscv_test(NAME library...): a test NAME_test that runs the example's programs in SystemC.
function(riscv_test name)
  tributary_test(NAME ${name}_test SOURCES ${name}_test.cpp LIBRARIES ${ARGN} LABELS examples
                 SYSTEMC)
  add_dependencies(${name}_test riscv_programs)
  target_compile_definitions(${name}_test PRIVATE RISCV_PROGRAMS_DIR="${RISCV_PROGRAMS_DIR}")
endfunction()
riscv_test(riscv_hart_module riscv_hart_module)
riscv_test(riscv_machine riscv_machine_parts)

tributary_exit_test(NAME riscv_machine_of_no_number LABELS examples STATUS 1
                    PATTERN "HARTS: \"x\"" COMMAND $<TARGET_FILE:riscv_machine> counter.elf x)
tributary_add_to_suite(examples riscv_machine)

# The same C program on threads of this machine.
set(programs ${PROJECT_SOURCE_DIR}/platforms/examples/riscv_hart/programs)
enable_language(C)
find_package(Threads REQUIRED)
add_executable(atomics_native ${programs}/native.c ${programs}/atomics.c)
target_compile_options(atomics_native PRIVATE -std=c11)
target_link_libraries(atomics_native PRIVATE Threads::Threads)
add_dependencies(riscv_machine_test atomics_native)
target_compile_definitions(riscv_machine_test PRIVATE
                           ATOMICS_NATIVE="$<TARGET_FILE:atomics_native>")

# Accellera's AT target of four phases and its memory, as sources in Debian's libsystemc-doc.
find_path(SYSTEMC_EXAMPLES_DIR tlm/common/src/at_target_4_phase.cpp
          PATHS /usr/share/doc/libsystemc/examples)
mark_as_advanced(SYSTEMC_EXAMPLES_DIR)
if(SYSTEMC_EXAMPLES_DIR)
  set(common ${SYSTEMC_EXAMPLES_DIR}/tlm/common)
  add_library(accellera_memory STATIC ${common}/src/at_target_4_phase.cpp ${common}/src/memory.cpp
              ${common}/src/report.cpp)
  # One source of a program defines the switches of its messages, which are off.
  set_source_files_properties(${common}/src/report.cpp PROPERTIES
                              COMPILE_DEFINITIONS REPORT_DEFINE_GLOBALS)
  target_include_directories(accellera_memory SYSTEM PUBLIC ${common}/include)
  target_link_libraries(accellera_memory PUBLIC tributary::models)
  riscv_test(foreign_memory riscv_machine_parts accellera_memory)
else()
  tributary_skipped_test(foreign_memory_test examples
                         "it needs the examples of SystemC (libsystemc-doc)")
endif()
