# SPDX-License-Identifier: Apache-2.0
# This file installs one shared library made of the objects of the folders that tileplan_library()
# has added so far, the public headers, and the files with which find_package(tileplan) and
# pkg-config find them. The headers need the standard library only.
include(CMakePackageConfigHelpers)

get_property(folders GLOBAL PROPERTY TILEPLAN_LIBRARIES)
add_library(tileplan_shared SHARED)
add_library(tileplan::tileplan ALIAS tileplan_shared)
foreach(folder ${folders})
  target_sources(tileplan_shared PRIVATE $<TARGET_OBJECTS:${folder}>)
endforeach()
target_link_libraries(tileplan_shared PRIVATE tileplan_warnings PkgConfig::isl PkgConfig::hwloc NLopt::nlopt Threads::Threads
  OpenMP::OpenMP_CXX PkgConfig::sqlite3 pugixml::pugixml onnx onnx_proto protobuf::libprotobuf)
target_compile_features(tileplan_shared PUBLIC cxx_std_20)
target_include_directories(tileplan_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# Before 1.0 a minor version may change the interface, so the minor version is part of the name of the library.
set_target_properties(tileplan_shared PROPERTIES
  OUTPUT_NAME tileplan EXPORT_NAME tileplan LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# The library exports namespace tileplan only, because its templates of Boost and nlohmann_json must not meet those of the
# program that uses it. Sanitizers leave symbols undefined that the executable provides.
target_link_options(tileplan_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/tileplan.map
  $<$<NOT:$<BOOL:${TILEPLAN_SANITIZE}>>:-Wl,--no-undefined>)
set_target_properties(tileplan_shared PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/tileplan.map)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tileplan)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tileplanConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tileplanConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tileplanConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# The prefix is relative to the .pc file, so that an installed tree can be moved.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tileplan.pc.in ${PROJECT_BINARY_DIR}/tileplan.pc @ONLY)

install(TARGETS tileplan_shared EXPORT tileplan)
install(EXPORT tileplan NAMESPACE tileplan:: FILE tileplanTargets.cmake DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/tileplanConfig.cmake ${PROJECT_BINARY_DIR}/tileplanConfigVersion.cmake
  DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/tileplan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# bench.h declares comparisons with other libraries. The installed library does not contain them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tileplan TYPE INCLUDE FILES_MATCHING PATTERN "*.h" PATTERN bench.h EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md TYPE DOC)
