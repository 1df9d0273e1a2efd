# Missing images, with engines of the test's own and Debian's docker-registry on loopback.
if(TARGET bashcell AND BASHCELL_PYTHON)
  foreach(engine docker podman)
    add_test(NAME pull.${engine}
      COMMAND ${BASHCELL_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/integration/pull_test.py $<TARGET_FILE:bashcell> ${engine})
    set_tests_properties(pull.${engine} PROPERTIES LABELS "pull;${engine}" TIMEOUT 600 SKIP_RETURN_CODE 77)
  endforeach()
endif()
