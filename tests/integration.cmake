# Cases against the real server in real cells. One test per case id: case.<engine>.<id> runs the case and its variants.
find_program(BASHCELL_PYTHON python3 HINTS /usr/bin)
if(NOT BASHCELL_PYTHON)
  message(FATAL_ERROR "The cases need Python 3.11 (Debian: python3). Run scripts/setup.sh.")
endif()
if(TARGET bashcell)
  set(runner ${CMAKE_CURRENT_LIST_DIR}/integration/run_cases.py)
  execute_process(COMMAND ${BASHCELL_PYTHON} -B ${runner} --list
    OUTPUT_VARIABLE case_ids RESULT_VARIABLE listed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT listed EQUAL 0)
    message(FATAL_ERROR "${runner} --list failed")
  endif()
  file(GLOB_RECURSE case_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/integration/*.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${case_files})
  string(REPLACE "\n" ";" case_ids "${case_ids}")
  foreach(engine oci)
    foreach(id IN LISTS case_ids)
      add_test(NAME case.${engine}.${id}
        COMMAND ${BASHCELL_PYTHON} -B ${runner} --bashcell $<TARGET_FILE:bashcell> --engine ${engine} ${id})
      # A variant that hangs ends itself after 150 s (times BASHCELL_TEST_SLOWNESS); this is the last resort.
      set_tests_properties(case.${engine}.${id} PROPERTIES LABELS "case;${engine}" TIMEOUT 900 SKIP_RETURN_CODE 77)
    endforeach()
  endforeach()
endif()
