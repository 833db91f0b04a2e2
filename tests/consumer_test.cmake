# SPDX-License-Identifier: Apache-2.0
# This test installs the library below WORK. It builds and runs a program that finds the library by
# CMake and by pkg-config, and runs the commands and programs of README.md and docs/. It also checks
# the links of the installed pages, that the public headers declare each exported function, and that
# the library exports each free function that they declare and do not define.
#   cmake -DROOT=<source tree> -DBUILD=<build folder> -DWORK=<scratch folder> -DCXX=<compiler> -DGENERATOR=<as the build>
#     -P consumer_test.cmake
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)

# The installed tree is moved before it is used, because no file may contain the path where it was
# built or first installed.
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
set(prefix ${WORK}/moved)
file(RENAME ${WORK}/first ${prefix})

message(STATUS "the installed pages link to installed files")
run(python3 ${ROOT}/tests/links_test.py ${prefix})
message(STATUS "${out}")

message(STATUS "find_package(tileplan)")
run(${CMAKE_COMMAND} -S ${ROOT}/tests/consumer -B ${WORK}/consumer -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer)
message(STATUS "${out}")

message(STATUS "pkg-config tileplan")
file(GLOB_RECURSE pc ${prefix}/*/tileplan.pc)
get_filename_component(pc_dir ${pc} DIRECTORY)
get_filename_component(lib_dir ${pc_dir} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
run(pkg-config --cflags --libs tileplan)
separate_arguments(flags UNIX_COMMAND "${out}")
run(${CXX} -std=c++20 -O2 ${ROOT}/tests/consumer/consumer.cpp -o ${WORK}/by_pkg_config ${flags})
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${lib_dir} ${WORK}/by_pkg_config)

message(STATUS "the commands and programs of README.md and docs/")
run(python3 ${ROOT}/tests/docs_test.py ${prefix}/bin/tileplan ${ROOT} ${prefix})
message(STATUS "${out}")

message(STATUS "the installed programs")
run(${prefix}/bin/tileplan --version)
message(STATUS "${out}")
run(${prefix}/bin/tileplan study --help)

message(STATUS "the library exports what the public headers declare, and nothing else")
set(headers "")
file(GLOB paths ${ROOT}/include/tileplan/*.h)
list(FILTER paths EXCLUDE REGEX "/bench\\.h$")  # The header bench.h is not installed.
foreach(path ${paths})
  file(READ ${path} header)
  string(REGEX REPLACE "//[^\n]*" "" header "${header}")
  if(header MATCHES "\nnamespace tileplan ")
    message(FATAL_ERROR "${path}: opens namespace tileplan without TILEPLAN_PUBLIC")
  endif()
  string(APPEND headers "${header}")
endforeach()

find_program(nm nm REQUIRED)
run(${nm} --dynamic --defined-only --demangle ${lib_dir}/libtileplan.so)
string(REGEX REPLACE "\\[abi:cxx11\\]" "" out "${out}")
# A program catches an Error of the library by its typeinfo, so the library must export it.
foreach(kind "typeinfo" "typeinfo name" "vtable")
  string(REGEX REPLACE "[^\n]* ${kind} for tileplan::Error\n" "" others "${out}")
  if(others STREQUAL out)
    message(FATAL_ERROR "not exported: ${kind} for tileplan::Error")
  endif()
  set(out "${others}")
endforeach()

# In a symbol, the word before a parenthesis is the function's name. The words before it are
# namespaces or classes.
string(REGEX MATCHALL "[^\n]+" symbols "${out}")
list(LENGTH symbols functions)
set(exported "")
foreach(symbol ${symbols})
  string(REGEX REPLACE "^[0-9a-f]+ [A-Za-z] ([^(]+).*" "\\1" name "${symbol}")
  string(REPLACE "::" ";" names "${name}")
  list(POP_FRONT names first)
  list(POP_BACK names last)
  list(APPEND exported ${last})
  set(is_declared TRUE)
  foreach(class ${names})
    if(NOT headers MATCHES "(class|struct) ${class} ")
      set(is_declared FALSE)
    endif()
  endforeach()
  if(NOT first STREQUAL tileplan OR NOT is_declared OR NOT headers MATCHES "[^A-Za-z0-9_]${last}\\(")
    message(FATAL_ERROR "exported, but no public header declares it: ${symbol}")
  endif()
endforeach()

string(REGEX MATCHALL "\n[A-Za-z][^\n(;{}=]* [a-z_]+\\(" declarations "${headers}")
foreach(declaration ${declarations})
  string(REGEX REPLACE ".* ([a-z_]+)\\($" "\\1" name "${declaration}")
  if(NOT name IN_LIST exported AND NOT declaration MATCHES "\n(inline|constexpr|template) ")
    message(FATAL_ERROR "declared, but not exported: ${name}")
  endif()
endforeach()
list(LENGTH declarations free_functions)
message(STATUS "${functions} functions, ${free_functions} of them outside classes")
if(free_functions LESS 40)
  message(FATAL_ERROR "this test finds too few declarations to compare with")
endif()
file(REMOVE_RECURSE ${WORK})
