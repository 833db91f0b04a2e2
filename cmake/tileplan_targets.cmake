# SPDX-License-Identifier: Apache-2.0
# This file has one function per kind of target, and one that embeds data files. The only public include directory of a
# library is its own folder, so that a folder can be included only if it is linked.

add_library(tileplan_warnings INTERFACE)
target_compile_features(tileplan_warnings INTERFACE cxx_std_20)
target_compile_options(tileplan_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${TILEPLAN_WERROR}>:-Werror>)
if(TILEPLAN_SANITIZE)
  set(sanitizers address,undefined)
  if(TILEPLAN_SANITIZE STREQUAL thread)
    set(sanitizers thread)
  endif()
  target_compile_options(tileplan_warnings INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer -O1 -g1)
  target_link_options(tileplan_warnings INTERFACE -fsanitize=${sanitizers})
endif()
if(TILEPLAN_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "TILEPLAN_FUZZ needs Clang, not ${CMAKE_CXX_COMPILER_ID}")
endif()

# Adds the library of a folder. A folder whose speed does not matter, because it reads and writes text, is LIGHT: it is
# optimised less and compiled in less time. With TILEPLAN_UNITY, a compiler reads several files at once, and their headers only once. Files
# of a SEPARATE folder are compiled one by one, because they have local functions of the same names. With TILEPLAN_FUZZ, the branches of
# LIGHT folders and of those that are PARSING are counted for libFuzzer. The others stay as fast as in the tests with sanitizers.
function(tileplan_library name)
  cmake_parse_arguments(ARG "LIGHT;SEPARATE;PARSING" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  if(NOT ARG_SEPARATE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${TILEPLAN_UNITY})
  endif()
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC tileplan_warnings ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  if(ARG_LIGHT)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(TILEPLAN_FUZZ AND (ARG_LIGHT OR ARG_PARSING))
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEPLAN_LIBRARIES ${name})
endfunction()

# Adds a doctest executable from <name>_test.cpp. One of LABELS is unit, golden, slow or perf. The label threads marks tests that
# CI also runs with ThreadSanitizer, host marks tests whose results depend on the host, and program marks tests that run the command
# line. Golden tests compare with files in tests/golden. SERIAL tests measure times, so ctest runs no other test beside them.
function(tileplan_test name)
  cmake_parse_arguments(ARG "SERIAL" "" "LABELS;LINKS" ${ARGN})
  add_executable(${name}_test ${name}_test.cpp)
  target_link_libraries(${name}_test PRIVATE tileplan_test_main ${ARG_LINKS})
  if("golden" IN_LIST ARG_LABELS)
    target_compile_definitions(${name}_test PRIVATE TILEPLAN_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
  endif()
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" RUN_SERIAL ${ARG_SERIAL})
  if("unit" IN_LIST ARG_LABELS OR "program" IN_LIST ARG_LABELS)
    add_dependencies(sanitized_tests ${name}_test)
  endif()
endfunction()

# Adds <name>_test.cpp of this folder as unit tests: tileplan_unit_tests(<name>... [HOST] LINKS <target>...). HOST adds the label host.
# One executable holds the unit tests of a folder, because linking takes long with sanitizers. Each test of ctest runs the
# test cases of one file, and fails if the file has none.
function(tileplan_unit_tests)
  cmake_parse_arguments(ARG "HOST" "" "LINKS" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE / _ group ${folder}_tests)
  if(NOT TARGET ${group})
    add_executable(${group})
    target_link_libraries(${group} PRIVATE tileplan_test_main)
    add_dependencies(sanitized_tests ${group})
  endif()
  target_link_libraries(${group} PRIVATE ${ARG_LINKS})
  set(labels unit)
  if(ARG_HOST)
    list(APPEND labels host)
  endif()
  foreach(name ${ARG_UNPARSED_ARGUMENTS})
    target_sources(${group} PRIVATE ${name}_test.cpp)
    add_test(NAME ${name} COMMAND ${group} --source-file=*/${name}_test.cpp)
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" FAIL_REGULAR_EXPRESSION "test cases: +0 ")
  endforeach()
endfunction()

# Adds tests that run the built command line: tileplan_program_tests(<label> <name>...).
function(tileplan_program_tests label)
  foreach(name ${ARGN})
    tileplan_test(${name} LABELS ${label} program LINKS tileplan_oracle nlohmann_json::nlohmann_json)
    target_compile_definitions(${name}_test PRIVATE TILEPLAN_PROGRAM="$<TARGET_FILE:tileplan_cli>"
      TILEPLAN_MACHINES="${PROJECT_SOURCE_DIR}/data/machines")
    add_dependencies(${name}_test tileplan_cli tileplan_study)
  endforeach()
endfunction()

# Writes a .cpp that defines the function <symbol>(), which returns the names and texts of the given data files (embedded.h).
function(tileplan_embed output symbol)
  set(rows "")
  foreach(file ${ARGN})
    file(READ ${file} content)
    get_filename_component(name ${file} NAME)
    string(APPEND rows "    {\"${name}\", R\"embedded(${content})embedded\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// CMake generated this file from data/ when the project was configured.
#include "embedded.h"
namespace tileplan {
const std::vector<EmbeddedFile>& @symbol@() {
  // The list is never destroyed, because objects with static lifetime may use it when they are destroyed.
  static const std::vector<EmbeddedFile>& files = *new std::vector<EmbeddedFile>{
@rows@  };
  return files;
}
}  // namespace tileplan
]])
endfunction()
