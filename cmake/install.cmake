# SPDX-License-Identifier: Apache-2.0
# Installs tributary::cores and the package that find_package(tributary) reads.
include(CMakePackageConfigHelpers)
set(_tributary_package ${CMAKE_INSTALL_LIBDIR}/cmake/tributary)

install(TARGETS tributary_cores EXPORT tributary-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILE_SET tables DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tributary-targets NAMESPACE tributary:: DESTINATION ${_tributary_package})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tributary-config.cmake.in
                              ${PROJECT_BINARY_DIR}/tributary-config.cmake
                              INSTALL_DESTINATION ${_tributary_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tributary-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tributary-config.cmake
              ${PROJECT_BINARY_DIR}/tributary-config-version.cmake
        DESTINATION ${_tributary_package})
