# SPDX-License-Identifier: Apache-2.0
# Where systemc.cmake looks, and in which order: each kind of SystemC is offered together with those
# that are asked after it, and must win.
file(REMOVE_RECURSE ${WORK_DIR})
set(stand_in ${CMAKE_CURRENT_LIST_DIR}/systemc_stand_in)
file(WRITE ${WORK_DIR}/package/lib/cmake/SystemCLanguage/SystemCLanguageConfig.cmake
     "add_library(SystemC::systemc INTERFACE IMPORTED)\n"
     "target_include_directories(SystemC::systemc INTERFACE ${stand_in})\n")
file(WRITE ${WORK_DIR}/modules/systemc.pc
     "prefix=/stand_in\nName: SystemC\nDescription: stand-in\nVersion: 7.0.0\n"
     "Cflags: -I${stand_in}\n")
file(COPY ${stand_in}/ DESTINATION ${WORK_DIR}/home/include)
file(WRITE ${WORK_DIR}/home/lib-linux64/libsystemc.a "!<arch>\n")  # an empty archive

set(ENV{CMAKE_PREFIX_PATH} "")  # where another SystemC may lie, of ./dev test --systemc
set(ENV{SYSTEMC_HOME} ${WORK_DIR}/home)
set(ENV{PKG_CONFIG_PATH} ${WORK_DIR}/modules)

# expect(WORDS option...): the finder's status line has these words.
function(expect words)
  file(REMOVE_RECURSE ${WORK_DIR}/build)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/finder -B ${WORK_DIR}/build
            -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DTRIBUTARY_SOURCE_DIR=${SOURCE_DIR}
            "-DCMAKE_CXX_FLAGS=-DSTAND_IN_MAJOR=7 -DSTAND_IN_STANDARD=202002L" ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR NOT output MATCHES "${words}")
    message(FATAL_ERROR "with '${ARGN}', '${words}' was expected of the finder:\n${output}")
  endif()
endfunction()

set(of_package -DCMAKE_PREFIX_PATH=${WORK_DIR}/package)
set(no_modules -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON)
set(as_cxx20 "built as C..20: tributary::systemc sets SC_CPLUSPLUS=202002L")
expect("7.0.0 .target SystemC::systemc., ${as_cxx20}" -DOFFER=imported ${of_package})
expect("7.0.0 .target SystemC::systemc., ${as_cxx20}" -DOFFER=wrapper ${of_package})
expect(".target SystemC::systemc., ${as_cxx20}" -DOFFER=built ${of_package})
expect(".target SystemC::systemc., ${as_cxx20}" -DOFFER=wrapper_of_built ${of_package})
expect("7.0.0 .*SystemCLanguage., ${as_cxx20}" ${of_package})
expect("7.0.0 .pkg-config, /stand_in., ${as_cxx20}")
expect("7.0.0 .SYSTEMC_HOME, ${WORK_DIR}/home., ${as_cxx20}" ${no_modules})
set(ENV{SYSTEMC_HOME})
expect("problem: SystemC was not found" ${no_modules})
