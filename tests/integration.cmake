# Cases against the real server in real cells. One test per case id: case.<engine>.<id> runs the case and its variants.
# Docker and Podman are those of scripts/engines.sh; without them these tests are skipped, and say so. One test per kind of
# case for the two ways to a remote engine, case.docker-tls.<KIND> and case.docker-ssh.<KIND>: there the cases as they are
# written; their variants by hand (run_cases.py --engine docker-tls).
find_program(BASHCELL_PYTHON python3 HINTS /usr/bin)
if(NOT BASHCELL_PYTHON)
  message(FATAL_ERROR "The cases need Python 3.11 (Debian: python3). Run scripts/setup.sh.")
endif()
if(TARGET bashcell)
  set(folder ${CMAKE_CURRENT_LIST_DIR}/integration)
  set(runner ${folder}/run_cases.py)
  file(GLOB_RECURSE case_files CONFIGURE_DEPENDS ${folder}/*.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${case_files})
  file(GLOB all_transcripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/transcripts/*/*.jsonl)
  foreach(engine oci docker podman docker-tls docker-ssh)
    set(list base)
    set(extra)
    if(engine MATCHES "-")
      set(list kind)
      set(extra --as-written)
    endif()
    execute_process(COMMAND ${BASHCELL_PYTHON} -B ${runner} --engine ${engine} --list ${list}
      OUTPUT_VARIABLE case_ids RESULT_VARIABLE listed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT listed EQUAL 0)
      message(FATAL_ERROR "${runner} --list failed")
    endif()
    string(REPLACE "\n" ";" case_ids "${case_ids}")
    foreach(id IN LISTS case_ids)
      add_test(NAME case.${engine}.${id}
        COMMAND ${BASHCELL_PYTHON} -B ${runner} --bashcell $<TARGET_FILE:bashcell> --engine ${engine} ${extra} ${id})
      # A variant that hangs ends itself after 150 s (times BASHCELL_TEST_SLOWNESS); this is the last resort.
      set_tests_properties(case.${engine}.${id} PROPERTIES LABELS "case;${engine}" TIMEOUT 900 SKIP_RETURN_CODE 77)
    endforeach()
    add_test(NAME cells.${engine}.transcripts
      COMMAND ${BASHCELL_PYTHON} -B ${folder}/play_transcripts.py $<TARGET_FILE:run_transcript> $<TARGET_FILE:bashcell>
        ${engine} ${all_transcripts})
    set_tests_properties(cells.${engine}.transcripts PROPERTIES LABELS "transcript;${engine}" TIMEOUT 300 SKIP_RETURN_CODE 77)
    add_test(NAME cells.${engine}.rounds
      COMMAND ${BASHCELL_PYTHON} -B ${folder}/rounds_test.py --bashcell $<TARGET_FILE:bashcell> --engine ${engine})
    set_tests_properties(cells.${engine}.rounds PROPERTIES LABELS "rounds;${engine}" TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
endif()
