# SPDX-License-Identifier: Apache-2.0
# Installs the library, the package that find_package(tributary) reads, and the pkg-config modules
# tributary-cores and tributary.
include(CMakePackageConfigHelpers)
include(pkg_config_modules)
set(_tributary_package ${CMAKE_INSTALL_LIBDIR}/cmake/tributary)

# tributary_install(COMPONENT library): its headers, and what there is to link.
macro(tributary_install _component _library)
  get_target_property(_header_sets ${_library} INTERFACE_HEADER_SETS)
  list(TRANSFORM _header_sets REPLACE
       "(.+)" "FILE_SET;\\1;DESTINATION;${CMAKE_INSTALL_INCLUDEDIR}")
  install(TARGETS ${_library} EXPORT tributary-${_component}-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ${_header_sets})
endmacro()

foreach(_component IN ITEMS cores models)
  if(TARGET tributary_${_component})
    tributary_install(${_component} tributary_${_component})
    install(EXPORT tributary-${_component}-targets NAMESPACE tributary::
            DESTINATION ${_tributary_package})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
      # One of our libraries finds the other beside itself.
      set_target_properties(tributary_${_component} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
  endif()
endforeach()

# The RTL, and what a user's project needs to verilate it.
tributary_install(cores tributary_rtl)
set(_tributary_rtl ${CMAKE_INSTALL_DATADIR}/tributary/rtl)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/rtl/ DESTINATION ${_tributary_rtl} FILES_MATCHING
        PATTERN "*.sv" PATTERN "*.f" PATTERN "*.vlt" PATTERN "*.core")

set(_tributary_systemc_version)
set(_tributary_systemc_standard)
if(TARGET tributary_models)
  get_target_property(_tributary_systemc_version tributary::systemc TRIBUTARY_VERSION)
  get_target_property(_tributary_systemc_standard tributary::systemc TRIBUTARY_STANDARD)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tributary-config.cmake.in
                              ${PROJECT_BINARY_DIR}/tributary-config.cmake
                              INSTALL_DESTINATION ${_tributary_package}
                              PATH_VARS _tributary_rtl)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tributary-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tributary-config.cmake
              ${PROJECT_BINARY_DIR}/tributary-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/systemc.cmake
              ${PROJECT_SOURCE_DIR}/cmake/find_verilator.cmake
              ${PROJECT_SOURCE_DIR}/cmake/verilate.cmake
        DESTINATION ${_tributary_package})
tributary_install_pkg_config_modules()
