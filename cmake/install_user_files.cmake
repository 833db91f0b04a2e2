# SPDX-License-Identifier: Apache-2.0
# This file installs the man page, completions, documents, machine files and tools.

# Pages keep their places relative to each other, because they link to each other and to the headers.
install(FILES CHANGES.md CONTRIBUTING.md cmake/copyright TYPE DOC)
install(DIRECTORY docs TYPE DOC FILES_MATCHING PATTERN "*.md" PATTERN "*.ipynb")
install(DIRECTORY apps/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}/apps FILES_MATCHING PATTERN "*.cpp")
file(RELATIVE_PATH headers /${CMAKE_INSTALL_DOCDIR} /${CMAKE_INSTALL_INCLUDEDIR})
file(CREATE_LINK ${headers} ${PROJECT_BINARY_DIR}/link_to_headers SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/link_to_headers RENAME include TYPE DOC)
install(DIRECTORY data/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/tileplan FILES_MATCHING PATTERN "*.json")
install(FILES data/candidates.md data/candidates.schema.json DESTINATION ${CMAKE_INSTALL_DOCDIR}/data)
install(FILES data/results/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/data/results)
install(FILES models/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/models)
install(PROGRAMS tools/metaschedule_replay.py tools/metaschedule_tune.py tools/iree_replay.py tools/inductor_replay.py
  tools/xtc_replay.py tools/zigzag_replay.py tools/fleet_simulation.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tileplan/tools)

install(FILES data/completions/tileplan.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME tileplan)
# Debian's zsh looks for the completions of packages, whose prefix is /usr, in a folder of their own.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"/usr$\" AND EXISTS /etc/debian_version)
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${PROJECT_SOURCE_DIR}/data/completions/_tileplan\"
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")")

# The help texts of the programs become their man page. A build without Python has none.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(man_page ${PROJECT_BINARY_DIR}/tileplan.1)
  set(cli_docs ${PROJECT_SOURCE_DIR}/tools/cli_docs.py)
  add_custom_command(OUTPUT ${man_page} DEPENDS tileplan_cli tileplan_study ${cli_docs} VERBATIM
    COMMAND Python3::Interpreter ${cli_docs} $<TARGET_FILE:tileplan_cli> man > ${man_page})
  add_custom_target(tileplan_man ALL DEPENDS ${man_page})
  add_dependencies(tileplan_programs tileplan_man)
  install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
