# SPDX-License-Identifier: Apache-2.0
# Finds SystemC, never downloads it, and makes tributary::systemc of it: the headers as system
# headers, the library, and SC_CPLUSPLUS as the library has it. SystemC puts its version and the C++
# standard it was built with into the name of one symbol, sc_api_version_2_3_4_cxx201703L, which
# every object file that includes <systemc> needs: a user's C++20 alone is a link error. With
# SC_CPLUSPLUS fixed here it is none, and what cannot work becomes a sentence at configure time.
# Part of the installed package too.

# tributary_find_systemc(PROBLEM): PROBLEM is empty and tributary::systemc exists, or PROBLEM says
# why not. Asked in this order: the target SystemC::systemc, find_package(SystemCLanguage),
# pkg-config, SYSTEMC_HOME (variable, else environment). The properties of tributary::systemc
# TRIBUTARY_VERSION ("2.3.4"), TRIBUTARY_STANDARD ("C++17") and TRIBUTARY_ORIGIN say what it is; the
# version is empty where this same build compiles SystemC.
function(tributary_find_systemc problem)
  set(${problem} "" PARENT_SCOPE)
  if(TARGET tributary::systemc)
    return()
  endif()
  _tributary_systemc_locate(target origin)
  if(NOT target)
    set(${problem} "SystemC was not found: no target SystemC::systemc, no CMake package \
SystemCLanguage, no pkg-config module systemc, nothing below SYSTEMC_HOME. On Debian: \
apt-get install libsystemc-dev pkg-config. Elsewhere: add its prefix to CMAKE_PREFIX_PATH or set \
SYSTEMC_HOME." PARENT_SCOPE)
    return()
  endif()

  _tributary_systemc_built_here(${target} built_here)
  if(built_here)
    _tributary_systemc_standard_of_target(${built_here} standard)
    set(version)
  else()
    _tributary_systemc_probe(${target} standard version output)
    if(NOT standard)
      string(STRIP "${output}" output)
      set(${problem} "SystemC was found (${origin}), but a program that does nothing does not \
build with it under any C++ standard. Is it built for this compiler and machine? The compiler's \
last words:\n${output}" PARENT_SCOPE)
      return()
    endif()
  endif()
  _tributary_systemc_name_of_standard(${standard} standard_name)
  _tributary_systemc_user_standard(${target} user_standard)
  if(user_standard AND NOT user_standard STREQUAL standard)
    set(${problem} "SystemC ${version} (${origin}) was built as ${standard_name}, but SC_CPLUSPLUS \
is set to ${user_standard}, so that no program would link with it. Set SC_CPLUSPLUS=${standard}, \
or leave it to tributary::systemc; the C++ standard of your own code is free." PARENT_SCOPE)
    return()
  endif()

  add_library(tributary::systemc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(tributary::systemc INTERFACE ${target})
  target_compile_definitions(tributary::systemc INTERFACE SC_CPLUSPLUS=${standard})
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(directories)
    target_include_directories(tributary::systemc SYSTEM INTERFACE ${directories})
  endif()
  set_target_properties(tributary::systemc PROPERTIES
    TRIBUTARY_VERSION "${version}" TRIBUTARY_STANDARD ${standard_name} TRIBUTARY_ORIGIN "${origin}")
  if(NOT TARGET SystemC::systemc)
    # By the name of SystemC's own package, for other libraries of the same project.
    add_library(SystemC::systemc ALIAS tributary::systemc)
  endif()
  message(STATUS "Tributary uses SystemC ${version} (${origin}), built as ${standard_name}: "
                 "tributary::systemc sets SC_CPLUSPLUS=${standard}")
endfunction()

# Gives the target of SystemC, empty if there is none, and where it is from.
function(_tributary_systemc_locate target origin)
  set(home "${SYSTEMC_HOME}")
  if(NOT home)
    set(home "$ENV{SYSTEMC_HOME}")
  endif()
  if(TARGET SystemC::systemc)
    set(${target} SystemC::systemc PARENT_SCOPE)
    set(${origin} "target SystemC::systemc" PARENT_SCOPE)
    return()
  endif()
  find_package(SystemCLanguage CONFIG QUIET GLOBAL)
  if(TARGET SystemC::systemc)
    set(${target} SystemC::systemc PARENT_SCOPE)
    set(${origin} "${SystemCLanguage_DIR}" PARENT_SCOPE)
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(TRIBUTARY_PC_SYSTEMC QUIET IMPORTED_TARGET GLOBAL systemc)
    if(TARGET PkgConfig::TRIBUTARY_PC_SYSTEMC)
      set(${target} PkgConfig::TRIBUTARY_PC_SYSTEMC PARENT_SCOPE)
      set(${origin} "pkg-config, ${TRIBUTARY_PC_SYSTEMC_PREFIX}" PARENT_SCOPE)
      return()
    endif()
  endif()
  _tributary_systemc_below_home("${home}" found)
  set(${target} ${found} PARENT_SCOPE)
  set(${origin} "SYSTEMC_HOME, ${home}" PARENT_SCOPE)
endfunction()

# An installed SystemC without package files: SYSTEMC_HOME/include and SYSTEMC_HOME/lib-linux64.
function(_tributary_systemc_below_home home target)
  set(${target} "" PARENT_SCOPE)
  if(NOT home)
    return()
  endif()
  find_path(TRIBUTARY_SYSTEMC_INCLUDE_DIR sysc/kernel/sc_ver.h
            PATHS ${home} PATH_SUFFIXES include NO_DEFAULT_PATH)
  find_library(TRIBUTARY_SYSTEMC_LIBRARY systemc
               PATHS ${home} PATH_SUFFIXES lib-linux64 lib64 lib lib-linux lib-linuxaarch64
                                           lib-macosx64 lib-macosxarm64 NO_DEFAULT_PATH)
  mark_as_advanced(TRIBUTARY_SYSTEMC_INCLUDE_DIR TRIBUTARY_SYSTEMC_LIBRARY)
  if(TRIBUTARY_SYSTEMC_INCLUDE_DIR AND TRIBUTARY_SYSTEMC_LIBRARY)
    find_package(Threads QUIET GLOBAL)
    add_library(tributary::systemc_home UNKNOWN IMPORTED GLOBAL)
    set_target_properties(tributary::systemc_home PROPERTIES
      IMPORTED_LOCATION ${TRIBUTARY_SYSTEMC_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${TRIBUTARY_SYSTEMC_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES Threads::Threads)
    set(${target} tributary::systemc_home PARENT_SCOPE)
  endif()
endfunction()

# Gives what this build compiles of a target, which cannot be linked with yet: the target itself or
# what a user's wrapper of it links; empty if nothing.
function(_tributary_systemc_built_here target result)
  set(${result} "" PARENT_SCOPE)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(imported)
    return()
  endif()
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    set(${result} ${target} PARENT_SCOPE)
    return()
  endif()
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  foreach(each IN LISTS linked)
    if(TARGET ${each})
      _tributary_systemc_built_here(${each} found)
      if(found)
        set(${result} ${found} PARENT_SCOPE)
      endif()
    endif()
  endforeach()
endfunction()

# The standard that this build compiles SystemC with, as a value of SC_CPLUSPLUS.
function(_tributary_systemc_standard_of_target target standard)
  get_target_property(year ${target} CXX_STANDARD)
  if(NOT year)
    set(year ${CMAKE_CXX_STANDARD_DEFAULT})
  endif()
  get_target_property(features ${target} COMPILE_FEATURES)
  foreach(candidate 11 14 17 20 23)
    if("cxx_std_${candidate}" IN_LIST features AND candidate GREATER year)
      set(year ${candidate})
    endif()
  endforeach()
  set(value_11 201103L)
  set(value_14 201402L)
  set(value_17 201703L)
  set(value_20 202002L)
  set(value_23 202302L)
  set(${standard} ${value_${year}} PARENT_SCOPE)
endfunction()

# Links a program that does nothing once for each standard until it works, and reads the version
# from it, without running it. Gives the value of SC_CPLUSPLUS, empty if none does; the version; and
# what the compiler said of the last attempt.
function(_tributary_systemc_probe target standard version output)
  get_target_property(imported ${target} IMPORTED)
  set(libraries ${target})
  set(directories)
  if(NOT imported)  # try_compile takes only imported targets; this one is a user's wrapper
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    string(REPLACE "libraries-NOTFOUND" "" libraries "${libraries}")
    string(REPLACE "directories-NOTFOUND" "" directories "${directories}")
  endif()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE EXECUTABLE)
  string(REGEX REPLACE "-D *SC_CPLUSPLUS=[0-9]+L?" "" CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS}")
  set(program ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/tributary_systemc_probe)
  foreach(candidate 201703L 201402L 201103L 202002L 202302L)
    try_compile(linked SOURCE_FROM_CONTENT systemc_probe.cpp [[
      #include <sysc/kernel/sc_ver.h>
      #define TEXT(x) #x
      #define TEXT_OF(x) TEXT(x)
      const char* const tributary_marker = "tributary-systemc["
          TEXT_OF(SC_VERSION_MAJOR) "." TEXT_OF(SC_VERSION_MINOR) "." TEXT_OF(SC_VERSION_PATCH)
          " " TEXT_OF(SC_CPLUSPLUS) "]";
      extern "C" int sc_main(int, char**) { return 0; }  // libsystemc needs one
      int main(int argc, char**) { return tributary_marker[argc]; }
    ]]
      COMPILE_DEFINITIONS -DSC_CPLUSPLUS=${candidate}
      LINK_LIBRARIES ${libraries}
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${directories}"
      CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
      OUTPUT_VARIABLE words
      COPY_FILE ${program} COPY_FILE_ERROR copy_error
      NO_CACHE)
    if(linked)
      file(STRINGS ${program} marker REGEX "tributary-systemc\\[")
      string(REGEX MATCH "tributary-systemc\\[([0-9.]+) ([0-9]+L)\\]" marker "${marker}")
      set(${version} ${CMAKE_MATCH_1} PARENT_SCOPE)
      set(${standard} ${CMAKE_MATCH_2} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${standard} "" PARENT_SCOPE)
  set(${version} "" PARENT_SCOPE)
  set(${output} "${words}" PARENT_SCOPE)
endfunction()

# SC_CPLUSPLUS where the user set it: on the target, for the directory or in the compiler's flags.
function(_tributary_systemc_user_standard target value)
  get_target_property(of_target ${target} INTERFACE_COMPILE_DEFINITIONS)
  get_directory_property(of_directory COMPILE_DEFINITIONS)
  set(all "${of_target};${of_directory};${CMAKE_CXX_FLAGS}")
  set(${value} "" PARENT_SCOPE)
  if(all MATCHES "SC_CPLUSPLUS=([0-9]+L?)")
    set(${value} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

# "C++17" of "201703L"
function(_tributary_systemc_name_of_standard value name)
  string(SUBSTRING ${value} 2 2 year)
  set(${name} "C++${year}" PARENT_SCOPE)
endfunction()
