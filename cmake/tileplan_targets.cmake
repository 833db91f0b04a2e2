# SPDX-License-Identifier: Apache-2.0
# One function per kind of target. A library's only public include directory is its own folder, so a folder that is not
# linked cannot be included.

add_library(tileplan_warnings INTERFACE)
target_compile_features(tileplan_warnings INTERFACE cxx_std_20)
target_compile_options(tileplan_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${TILEPLAN_WERROR}>:-Werror>)
if(TILEPLAN_SANITIZE)
  target_compile_options(tileplan_warnings INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(tileplan_warnings INTERFACE -fsanitize=address,undefined)
endif()

function(tileplan_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC tileplan_warnings ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  set_property(GLOBAL APPEND PROPERTY TILEPLAN_LIBRARIES ${name})
endfunction()

# A doctest executable from <name>_test.cpp; LABELS: unit, golden, slow, perf. SERIAL: beside no other test, as it times.
function(tileplan_test name)
  cmake_parse_arguments(ARG "SERIAL" "" "LABELS;LINKS" ${ARGN})
  add_executable(${name}_test ${name}_test.cpp)
  target_link_libraries(${name}_test PRIVATE tileplan_test_main ${ARG_LINKS})
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" RUN_SERIAL ${ARG_SERIAL})
endfunction()

# Unit tests that link the same: tileplan_unit_tests(<name>... LINKS <target>...).
function(tileplan_unit_tests)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  foreach(name ${ARG_UNPARSED_ARGUMENTS})
    tileplan_test(${name} LABELS unit LINKS ${ARG_LINKS})
  endforeach()
endfunction()

# Tests that run the built command line.
function(tileplan_program_tests)
  foreach(name ${ARGN})
    tileplan_test(${name} LABELS slow LINKS tileplan_oracle nlohmann_json::nlohmann_json)
    target_compile_definitions(${name}_test PRIVATE TILEPLAN_PROGRAM="$<TARGET_FILE:tileplan_cli>"
      TILEPLAN_MACHINES="${PROJECT_SOURCE_DIR}/data/machines")
    add_dependencies(${name}_test tileplan_cli tileplan_study)
  endforeach()
endfunction()

# A .cpp that holds data files as text: `const std::vector<EmbeddedFile>& <symbol>()`, declared in embedded.h.
function(tileplan_embed output symbol)
  set(rows "")
  foreach(file ${ARGN})
    file(READ ${file} content)
    get_filename_component(name ${file} NAME)
    string(APPEND rows "    {\"${name}\", R\"embedded(${content})embedded\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Generated from the files of data/ when the project is configured.
#include "embedded.h"
namespace tileplan {
const std::vector<EmbeddedFile>& @symbol@() {
  // Never destroyed: static objects of the caller may use the library when they are.
  static const std::vector<EmbeddedFile>& files = *new std::vector<EmbeddedFile>{
@rows@  };
  return files;
}
}  // namespace tileplan
]])
endfunction()
