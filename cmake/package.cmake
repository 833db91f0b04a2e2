# SPDX-License-Identifier: Apache-2.0
# This file describes the Debian package that `cpack --config build/CPackConfig.cmake` makes of the installed files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "tileplan maintainers <tileplan@localhost>")
set(CPACK_PACKAGE_DESCRIPTION "An analytical model of the caches ranks schedules in milliseconds and says why.
The package holds the programs, the shared library and its headers, completions and documents.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The package of a program that links the library then depends on this one.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, pkg-config")
include(CPack)
