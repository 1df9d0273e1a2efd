# What `cmake --install` copies beside the programs, and the Debian package: scripts/build.sh && cpack -G DEB (in build/release).

set(bashcell_documents README.md CONTRIBUTING.md CHANGELOG.md LICENSE)
install(FILES ${bashcell_documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")

# Texts that the program makes of its own options, so that they never go stale.
set(bashcell_texts ${CMAKE_BINARY_DIR}/texts)
file(MAKE_DIRECTORY ${bashcell_texts})
add_custom_command(
  OUTPUT ${bashcell_texts}/bashcell.1.gz ${bashcell_texts}/bashcell ${bashcell_texts}/_bashcell ${bashcell_texts}/bashcell.fish
  COMMAND $<TARGET_FILE:bashcell> manual > bashcell.1
  COMMAND gzip -9nf bashcell.1
  COMMAND $<TARGET_FILE:bashcell> completion bash > bashcell
  COMMAND $<TARGET_FILE:bashcell> completion zsh > _bashcell
  COMMAND $<TARGET_FILE:bashcell> completion fish > bashcell.fish
  DEPENDS bashcell WORKING_DIRECTORY ${bashcell_texts} VERBATIM)
add_custom_target(bashcell_texts ALL DEPENDS ${bashcell_texts}/bashcell.1.gz)
install(FILES ${bashcell_texts}/bashcell.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${bashcell_texts}/bashcell DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${bashcell_texts}/_bashcell DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${bashcell_texts}/bashcell.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# What Debian's policy wants in doc/: only in the package.
set(bashcell_debian_doc share/doc/${PROJECT_NAME})
install(FILES LICENSE DESTINATION ${bashcell_debian_doc} RENAME copyright COMPONENT debian EXCLUDE_FROM_ALL)
# Debian's zsh looks for what packages bring here.
install(FILES ${bashcell_texts}/_bashcell DESTINATION share/zsh/vendor-completions COMPONENT debian EXCLUDE_FROM_ALL)
install(CODE "
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DCHANGES=${PROJECT_SOURCE_DIR}/CHANGELOG.md
      -DOUT=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${bashcell_debian_doc}/changelog
      -P ${PROJECT_SOURCE_DIR}/cmake/debian_changelog.cmake
    RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR \"The changelog of the package could not be made.\")
  endif()" COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_VENDOR "bashcell authors")
set(CPACK_PACKAGE_CONTACT "bashcell authors <authors@bashcell.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "one MCP tool, bash, in a hardened container")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${CMAKE_BINARY_DIR};${PROJECT_NAME};ALL;/;${CMAKE_BINARY_DIR};${PROJECT_NAME};debian;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # bashcell_0.1.0_amd64.deb
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"bashcell is a Model Context Protocol server with a single tool, bash, of
about 100 tokens. Each script of a language model runs in a persistent,
hardened container without a network, and its output is trimmed inside that
container before it costs a token.
.
It needs no daemon and no image: crun or runc runs this machine's own
programs, read-only. With a Docker or Podman engine it can use an image.")
# What the programs are linked with is found by dpkg-shlibdeps. A runtime is a dependency, so that the first call works.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_check.cmake)  # CPack itself would go on without it
set(CPACK_DEBIAN_PACKAGE_DEPENDS "crun | runc")
# libcurl is loaded only to talk to an engine or to a model (src/http/curl_library.cpp); newer Debians call it libcurl4t64.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4 | libcurl4t64, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "passt | slirp4netns, docker.io | podman")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
