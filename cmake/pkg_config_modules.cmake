# SPDX-License-Identifier: Apache-2.0
# The pkg-config modules: tributary-cores, and tributary, which is the models with it. Both find
# their prefix from where they lie, so that an installation may be moved.

# tributary_install_pkg_config_modules(): makes the files when CMake generates.
function(tributary_install_pkg_config_modules)
  set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  _tributary_pc_directory(${CMAKE_INSTALL_INCLUDEDIR} includedir)
  _tributary_pc_directory(${CMAKE_INSTALL_LIBDIR} libdir)
  set(prefix ${CMAKE_INSTALL_PREFIX})
  if(NOT IS_ABSOLUTE ${folder})
    file(RELATIVE_PATH up /${folder} /)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(prefix "\${pcfiledir}/${up}")
  endif()

  set(name tributary-cores)
  set(description "${PROJECT_DESCRIPTION}")
  set(library tributary_cores)
  set(cflags)
  # A static library leaves its own libraries for the user's program to link.
  set(requires)
  set(more_libraries)
  if(NOT BUILD_SHARED_LIBS)
    set(requires "fmt zlib libzstd")
    set(more_libraries " -lboost_context -pthread")
  endif()
  _tributary_pc_write(${folder})

  if(TARGET tributary_models)
    set(name tributary)
    set(description "SystemC modules and TLM-2.0 sockets of tributary-cores")
    set(library tributary_models)
    _tributary_pc_systemc()
    set(requires "tributary-cores = ${PROJECT_VERSION}${requires}")
    _tributary_pc_write(${folder})
  endif()
endfunction()

function(_tributary_pc_directory directory result)
  if(NOT IS_ABSOLUTE ${directory})
    set(directory "\${prefix}/${directory}")
  endif()
  set(${result} ${directory} PARENT_SCOPE)
endfunction()

macro(_tributary_pc_write folder)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/module.pc.in ${PROJECT_BINARY_DIR}/${name}.pc.in @ONLY)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${name}.pc INPUT ${PROJECT_BINARY_DIR}/${name}.pc.in
       TARGET tributary_cores)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${folder})
endmacro()

# SystemC as a pkg-config module of just the version that the library was built with; where it has
# none, by the place of its headers and library.
macro(_tributary_pc_systemc)
  get_target_property(target tributary::systemc INTERFACE_LINK_LIBRARIES)
  get_target_property(version tributary::systemc TRIBUTARY_VERSION)
  get_target_property(definitions tributary::systemc INTERFACE_COMPILE_DEFINITIONS)
  get_target_property(type ${target} TYPE)
  set(cflags " -D${definitions}")
  set(requires)
  set(more_libraries)
  if(target STREQUAL "PkgConfig::TRIBUTARY_PC_SYSTEMC")
    set(requires ", systemc = ${version}")
  elseif(NOT type STREQUAL "INTERFACE_LIBRARY")
    set(directories "$<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>")
    string(APPEND cflags "$<$<BOOL:${directories}>: -I$<JOIN:${directories}, -I>>")
    set(more_libraries " $<TARGET_LINKER_FILE:${target}>")
  endif()
endmacro()
