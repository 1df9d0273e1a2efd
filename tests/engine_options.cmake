# What options make of the engines: which one is chosen, what doctor says, and --network.
if(TARGET bashcell AND BASHCELL_PYTHON)
  foreach(engine oci docker podman)
    foreach(kind choice network)
      if(kind STREQUAL choice AND engine STREQUAL oci)
        continue()  # tests/commands
      endif()
      add_test(NAME ${kind}.${engine}.all
        COMMAND ${BASHCELL_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/integration/${kind}_test.py $<TARGET_FILE:bashcell> ${engine})
      set_tests_properties(${kind}.${engine}.all PROPERTIES LABELS "${kind};${engine}" TIMEOUT 600 SKIP_RETURN_CODE 77)
    endforeach()
  endforeach()
endif()
