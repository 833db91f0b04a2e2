# SPDX-License-Identifier: Apache-2.0
# These tests are CMake scripts, tests/<name>_test.cmake, which check the tree, ./run, the installed files and
# the Debian package.
function(tileplan_script_test name label)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
    -DWORK=${CMAKE_CURRENT_BINARY_DIR}/${name} -DCXX=${CMAKE_CXX_COMPILER} -DGENERATOR=${CMAKE_GENERATOR}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/${name}_test.cmake)
  set_tests_properties(${name} PROPERTIES LABELS ${label})
endfunction()

tileplan_script_test(layout unit)
tileplan_script_test(layout_catches unit)
tileplan_script_test(run_script unit)
tileplan_script_test(consumer slow)
tileplan_script_test(package slow)
set_tests_properties(package PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
