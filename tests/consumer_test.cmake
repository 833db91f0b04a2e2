# SPDX-License-Identifier: Apache-2.0
# This test installs the library below WORK, builds and runs a program with it, found by CMake and by pkg-config, and runs
# the commands and programs of README.md and docs/.
#   cmake -DROOT=<source tree> -DBUILD=<build folder> -DWORK=<scratch folder> -DCXX=<compiler> -DGENERATOR=<as the build>
#     -P consumer_test.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\nended with ${status}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# The installed tree is moved, because no file may point to where it was built or first installed.
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
set(prefix ${WORK}/moved)
file(RENAME ${WORK}/first ${prefix})

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

message(STATUS "the library exports nothing but namespace tileplan")
find_program(nm nm REQUIRED)
file(GLOB library ${lib_dir}/libtileplan.so)
run(${nm} --dynamic --defined-only --demangle ${library})
string(REGEX REPLACE "[^\n]* (tileplan::|(typeinfo|typeinfo name|vtable) for tileplan::)[^\n]*\n" "" others "${out}")
if(NOT others STREQUAL "")
  message(FATAL_ERROR "also exported:\n${others}")
endif()
file(REMOVE_RECURSE ${WORK})
