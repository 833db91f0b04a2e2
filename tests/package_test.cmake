# SPDX-License-Identifier: Apache-2.0
# This test makes the Debian package, and checks its dependencies, files and licence texts. It
# unpacks the package below WORK, and runs the program and the bash completions there. Without
# dpkg-shlibdeps, it is skipped.
#   cmake -DROOT=<source tree> -DBUILD=<build folder> -DWORK=<scratch folder> -P package_test.cmake
cmake_minimum_required(VERSION 3.25)

find_program(shlibdeps dpkg-shlibdeps)
if(NOT shlibdeps)
  message(STATUS "skipped: there is no dpkg-shlibdeps (package dpkg-dev)")
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)

function(expect pattern)
  if(NOT out MATCHES "${pattern}")
    message(FATAL_ERROR "'${pattern}' is not in:\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
find_program(cpack cpack REQUIRED)
run(${cpack} --config ${BUILD}/CPackConfig.cmake -B ${WORK})
file(GLOB package ${WORK}/*.deb)

message(STATUS "the package lists what it needs, and where its files go")
run(dpkg-deb --field ${package} Depends)
expect("libc6 .*libhwloc15 .*libisl23 .*libnlopt0 ")
run(dpkg-deb --contents ${package})
foreach(path bin/tileplan bin/tileplan-study include/tileplan/tileplan.h lib/libtileplan.so.0.1 lib/pkgconfig/tileplan.pc
    lib/cmake/tileplan/tileplanConfig.cmake share/man/man1/tileplan.1 share/bash-completion/completions/tileplan
    share/zsh/vendor-completions/_tileplan share/doc/tileplan/copyright share/doc/tileplan/CHANGES.md
    share/doc/tileplan/docs/tutorials/call-it.md share/doc/tileplan/data/candidates.schema.json
    share/doc/tileplan/docs/notebooks/call-it.ipynb share/doc/tileplan/include share/tileplan/machines/epyc-7282.json
    share/tileplan/tools/metaschedule_replay.py)
  expect(" [^\n]*\\./usr/${path}( -> [^\n]*)?\n")
endforeach()

message(STATUS "the unpacked program runs, and completes its verbs")
run(dpkg-deb --extract ${package} ${WORK}/root)
set(usr ${WORK}/root/usr)
run(${usr}/bin/tileplan plan m64n64k64 --machine xeon-gold-6130)
expect("V\\(n\\)|V\\(j\\)")
run(${usr}/bin/tileplan study --help)
file(WRITE ${WORK}/complete "source ${usr}/share/bash-completion/completions/tileplan
COMP_WORDS=(${usr}/bin/tileplan can) COMP_CWORD=1
_tileplan && echo \"$COMPREPLY\"
COMP_WORDS=(${usr}/bin/tileplan plan --veri) COMP_CWORD=2
_tileplan && echo \"$COMPREPLY\"
")
run(bash ${WORK}/complete)
expect("^candidates\n--verify\n")
file(READ ${usr}/share/man/man1/tileplan.1 out)
expect("\n\\.SH PLAN\n.*\\\\-\\\\-verify")

message(STATUS "the copyright file has the text of each licence that it names")
file(READ ${usr}/share/doc/tileplan/copyright out)
expect("^Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n")
string(REGEX MATCHALL "\nLicense: [^\n]+" licences "${out}")
list(REMOVE_DUPLICATES licences)
foreach(licence ${licences})
  expect("${licence}\n [A-Z]")
endforeach()
file(REMOVE_RECURSE ${WORK})
