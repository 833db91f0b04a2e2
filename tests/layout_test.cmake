# SPDX-License-Identifier: Apache-2.0
# This test checks the source tree below ROOT: sizes, first lines, forbidden words, how comments
# open, that a folder includes only its own headers and those of the folders before it, that apps
# and python include only public headers and their own, that no two private units include each
# other, that names of private headers and of types in headers are unique, and that the folders of
# tests mirror those of the sources.
#   cmake -DROOT=<source tree> -P layout_test.cmake

cmake_minimum_required(VERSION 3.25)

# A folder may include its own headers and those of the folders before it.
set(folder_order include/tileplan src/base src/text src/machine src/polyhedral models src/search/tilings src/search/exact
  src/search/bounds src/search/expand src/search/winograd src/search src/lower src/jit src/emit_c src/reference src/measure src/calibrate src/plan
  src/graph src/exchange src/records src/network src/emit_network src/report src/peers src/strategies src/studies apps python tests)
set(max_lines_cpp 400)
set(max_lines_h 200)
set(max_lines_root_cmake 119)
set(max_lines_folder_cmake 39)

# A comment that begins with one of these words is usually no sentence. layout_catches_test.cmake
# sets its own limit.
set(fragment "//+!?<? *(Of|What|Those|That|The same|Nothing of)[ ,]")
if(NOT DEFINED max_fragments)
  set(max_fragments 0)
endif()

# Each item is a pair such as "models/a - models/b", whose files may include each other. A name in
# it stands for a header and its source file. layout_catches_test.cmake sets its own pairs.
if(NOT DEFINED allowed_knots)
  set(allowed_knots)
endif()

# These folders of tests have no folder of sources with the same name.
set(test_folders adversary support oracle golden random_conv emitted_speed cachegrind clients consumer kills fuzz)

# forbid(RULE IN EXCEPT PATTERN WHY) adds a rule. check_rules() then reports files whose path
# matches IN but not EXCEPT, and whose code contains PATTERN. The rule `leftovers` also searches
# comments.
function(forbid rule in except pattern why)
  set(rules ${rules} ${rule} PARENT_SCOPE)
  foreach(part in except pattern why)
    set(${rule}_${part} "${${part}}" PARENT_SCOPE)
  endforeach()
endfunction()
set(all "^")
set(none "^$")
set(library "^(include|src|models)/")
set(word "(^|[^A-Za-z0-9_])")
forbid(leftovers ${all} ${none} "#if 0|${word}(TODO|FIXME)" "what is left to do belongs in the issue list")
forbid(exits ${library} [=[^src/(base/check\.h|studies/main\.cpp)$]=] "${word}((exit|abort|assert) *\\(|std::cout|catch *\\(\\.\\.\\.\\))"
  "the library throws Error or uses TILEPLAN_CHECK, and does not print")
forbid(environment ${library} [=[^src/(base/trace|machine/machine_cache)\.cpp$]=] getenv
  "the library reads TILEPLAN_TRACE and where the cache folder is, in one place each")
# Tests are excepted, because they compare results with isl.
forbid(raw_isl ${all} [=[^(src/polyhedral/isl_raw\.|tests/)]=] "${word}isl_[a-z_]+ *[(*]" "raw isl calls stay in isl_raw.cpp")
forbid(isl ${all} [=[^(src/polyhedral|tests)/]=] "<isl/" "isl stays in src/polyhedral")
forbid(approx "^tests/" [=[^tests/support/close_to\.h$]=] "doctest::Approx" "close_to() compares times in microseconds too")
forbid(nlopt ${all} [=[^src/search/bounds/relax\.cpp$]=] "<nlopt" "NLopt stays in relax.cpp")

function(report text)
  set_property(GLOBAL APPEND_STRING PROPERTY problems "  ${text}\n")
endfunction()

function(count_lines out content)
  string(REGEX REPLACE "[^\n]" "" newlines "${content}")
  string(LENGTH "${newlines}" count)
  set(${out} ${count} PARENT_SCOPE)
endfunction()

function(check_size file content limit)
  count_lines(lines "${content}")
  if(lines GREATER limit)
    report("${file}: ${lines} lines; at most ${limit}")
  endif()
endfunction()

function(check_first_lines file content comment)
  if(NOT content MATCHES "^(#![^\n]*\n)?${comment} SPDX-License-Identifier: Apache-2\\.0\n${comment} [^\n]")
    report("${file}: does not start with the SPDX line and a line that says what the file is for")
  endif()
endfunction()

function(check_rules file content)
  string(REGEX REPLACE "//[^\n]*" "" code "${content}")
  foreach(rule ${rules})
    if(NOT file MATCHES "${${rule}_in}" OR file MATCHES "${${rule}_except}")
      continue()
    endif()
    set(text "${code}")
    if(rule STREQUAL leftovers)
      set(text "${content}")
    endif()
    if(text MATCHES "${${rule}_pattern}")
      string(STRIP "${CMAKE_MATCH_0}" found)
      report("${file}: '${found}': ${${rule}_why}")
    endif()
  endforeach()
endfunction()

function(check_includes file folder content)
  list(FIND folder_order ${folder} place)
  string(REGEX MATCHALL "#include [<\"][^>\"\n]+" includes "${content}")
  foreach(include ${includes})
    string(REGEX REPLACE "#include [<\"]" "" name ${include})
    if(include MATCHES "#include \"tileplan/")
      set(owner 0)
    elseif(DEFINED place_of_${name})
      set(owner ${place_of_${name}})
    elseif(folder STREQUAL include/tileplan AND NOT include MATCHES "<[a-z_]+$")
      report("${file}: includes ${name}; public headers include the standard library only")
      continue()
    else()
      continue()
    endif()
    if(owner GREATER place)
      list(GET folder_order ${owner} from)
      report("${file}: includes ${name} of ${from}; that folder comes after ${folder}")
    endif()
    if(folder MATCHES "^(apps|python)$" AND NOT include MATCHES "#include \"tileplan/" AND NOT folder_of_${name} MATCHES "^${folder}")
      report("${file}: includes ${name} of ${folder_of_${name}}; ${folder} includes public headers and its own")
    endif()
    check_knot(${file} ${name})
  endforeach()
endfunction()

# Records that the unit of `file`, a header and its source file, includes the private header `name`.
# Lists the two units as a knot when an earlier call recorded the opposite. Ignores files of tests.
function(check_knot file name)
  string(REGEX REPLACE "\\.[a-z]+$" "" unit ${file})
  string(REGEX REPLACE "\\.h$" "" other "${folder_of_${name}}/${name}")
  if(file MATCHES "^tests/" OR unit STREQUAL other OR NOT DEFINED folder_of_${name})
    return()
  endif()
  set_property(GLOBAL PROPERTY "arrow ${unit} ${other}" TRUE)
  get_property(is_knot GLOBAL PROPERTY "arrow ${other} ${unit}")
  if(is_knot)
    set(pair ${unit} ${other})
    list(SORT pair)
    list(JOIN pair " - " pair)
    set_property(GLOBAL APPEND PROPERTY knots ${pair})
  endif()
endfunction()

function(check_fragments file content)
  string(REGEX MATCHALL "(^|\n)[ \t]*${fragment}" found "${content}")
  list(LENGTH found count)
  if(count GREATER 0)
    set_property(GLOBAL APPEND PROPERTY fragments "${file} (${count})")
    get_property(total GLOBAL PROPERTY fragment_count)
    math(EXPR total "${total} + ${count}")
    set_property(GLOBAL PROPERTY fragment_count ${total})
  endif()
endfunction()

function(check_mirror file folder)
  if(folder MATCHES "^tests/([^/]+)(.*)" AND NOT CMAKE_MATCH_1 IN_LIST test_folders)
    set(mirrored ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    if(NOT IS_DIRECTORY ${ROOT}/src/${mirrored} AND NOT IS_DIRECTORY ${ROOT}/${mirrored})
      report("${file}: tests mirror the sources, and there is no folder src/${mirrored}")
    endif()
  endif()
endfunction()

file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/include/*.h ${ROOT}/src/*.h ${ROOT}/src/*.cpp ${ROOT}/models/*.h
  ${ROOT}/models/*.cpp ${ROOT}/apps/*.h ${ROOT}/apps/*.cpp ${ROOT}/python/*.h ${ROOT}/python/*.cpp ${ROOT}/tests/*.h
  ${ROOT}/tests/*.cpp)
# The loop finds the folder of each header that is neither public nor of a test. The name of the
# header alone must determine this folder.
foreach(file ${sources})
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME)
  list(FIND folder_order ${folder} place)
  if(file MATCHES "\\.h$" AND NOT folder MATCHES "^(include/tileplan|tests/.*)$")
    if(DEFINED place_of_${name})
      report("${file}: another folder has a ${name} too")
    endif()
    set(place_of_${name} ${place})
    set(folder_of_${name} ${folder})
  endif()
endforeach()

# The code of these folders can be linked into one program. The linker would take two types with one
# name as the same type.
foreach(file ${sources})
  if(NOT file MATCHES "^(include|src|models)/.*\\.h$")
    continue()
  endif()
  file(STRINGS ${ROOT}/${file} types REGEX "^(struct|class|enum class|union) [A-Za-z]+[^;]*$")
  foreach(line ${types})
    string(REGEX REPLACE "^(struct|class|enum class|union) ([A-Za-z:]+).*" "\\2" type "${line}")
    if(DEFINED home_of_${type})
      report("${file}: ${home_of_${type}} has a ${type} too")
    endif()
    set(home_of_${type} ${file})
  endforeach()
endforeach()

foreach(file ${sources})
  get_filename_component(folder ${file} DIRECTORY)
  check_mirror(${file} ${folder})
  string(REGEX REPLACE "^(tests|apps)/.*" "\\1" folder ${folder})
  file(READ ${ROOT}/${file} content)
  if(NOT folder IN_LIST folder_order)
    report("${file}: ${folder} has no place in the order of folders (tests/layout_test.cmake)")
    continue()
  endif()
  string(REGEX MATCH "[a-z]+$" extension ${file})
  check_size(${file} "${content}" ${max_lines_${extension}})
  check_first_lines(${file} "${content}" "//")
  check_rules(${file} "${content}")
  check_includes(${file} ${folder} "${content}")
  check_fragments(${file} "${content}")
endforeach()

get_property(knots GLOBAL PROPERTY knots)
list(REMOVE_DUPLICATES knots)
foreach(pair ${knots})
  if(NOT pair IN_LIST allowed_knots)
    report("${pair}: each includes the other; what both need belongs in a header of its own")
  endif()
endforeach()
foreach(pair ${allowed_knots})
  if(NOT pair IN_LIST knots)
    report("${pair}: no longer a knot; take it off allowed_knots")
  endif()
endforeach()

get_property(fragment_count GLOBAL PROPERTY fragment_count)
get_property(fragments GLOBAL PROPERTY fragments)
if(fragment_count GREATER max_fragments)
  list(JOIN fragments ", " fragments)
  report("${fragment_count} comments open with a word that no sentence opens with; at most ${max_fragments}: ${fragments}")
endif()

file(GLOB scripts RELATIVE ${ROOT} ${ROOT}/run ${ROOT}/.ci/run ${ROOT}/cmake/*.cmake ${ROOT}/tests/*.cmake)
foreach(file ${scripts})
  file(READ ${ROOT}/${file} content)
  check_first_lines(${file} "${content}" "#")
endforeach()

file(GLOB_RECURSE lists RELATIVE ${ROOT} ${ROOT}/include/CMakeLists.txt ${ROOT}/src/CMakeLists.txt
  ${ROOT}/models/CMakeLists.txt ${ROOT}/apps/CMakeLists.txt ${ROOT}/python/CMakeLists.txt ${ROOT}/tests/CMakeLists.txt)
foreach(file CMakeLists.txt ${lists})
  file(READ ${ROOT}/${file} content)
  if(file STREQUAL CMakeLists.txt)
    check_size(${file} "${content}" ${max_lines_root_cmake})
  else()
    check_size(${file} "${content}" ${max_lines_folder_cmake})
  endif()
endforeach()

file(GLOB_RECURSE tables RELATIVE ${ROOT} ${ROOT}/data/*.csv)
foreach(file ${tables})
  file(READ ${ROOT}/${file} first LIMIT 2)
  if(NOT first MATCHES "^#")
    report("${file}: does not start with a comment that says where, when and how it was obtained")
  endif()
endforeach()

get_property(problems GLOBAL PROPERTY problems)
list(LENGTH sources checked)
if(problems)
  message(FATAL_ERROR "layout:\n${problems}")
endif()
message(STATUS "layout: ${checked} source files in order")
