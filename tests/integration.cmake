# Cases against the real server in real cells. One test per case id: case.<engine>.<id> runs the case and its variants.
# Docker and Podman are those of scripts/engines.sh; without them these tests are skipped, and say so.
#
# What is one code behind every engine is not tried again with each: Docker and Podman have the variants of those kinds only
# that the engine itself decides; the two ways to a remote engine have one test per kind, with the cases as they are
# written, TLS without what is about the client's side, and ssh those kinds only in which its stream carries something
# else. All of it by hand: run_cases.py --engine docker-ssh.
set(kinds_of_the_engine RUNTIME LIMIT KILL SEC)
set(kinds_of_the_client PROTO SELFCHECK)
set(kinds_of_the_stream STDIN OUTPUT KILL CANCEL LIMIT RUNTIME STDIO BADINPUT)
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
      set(extra --variants-of none)
    elseif(NOT engine STREQUAL oci)
      string(REPLACE ";" "," extra "${kinds_of_the_engine}")
      set(extra --variants-of ${extra})
    endif()
    execute_process(COMMAND ${BASHCELL_PYTHON} -B ${runner} --engine ${engine} --list ${list}
      OUTPUT_VARIABLE case_ids RESULT_VARIABLE listed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT listed EQUAL 0)
      message(FATAL_ERROR "${runner} --list failed")
    endif()
    string(REPLACE "\n" ";" case_ids "${case_ids}")
    if(engine STREQUAL docker-tls)
      list(REMOVE_ITEM case_ids ${kinds_of_the_client})
    elseif(engine STREQUAL docker-ssh)
      set(case_ids ${kinds_of_the_stream})
    endif()
    foreach(id IN LISTS case_ids)
      add_test(NAME case.${engine}.${id}
        COMMAND ${BASHCELL_PYTHON} -B ${runner} --bashcell $<TARGET_FILE:bashcell> --engine ${engine} ${extra} ${id})
      # A variant that hangs ends itself after 150 s (times BASHCELL_TEST_SLOWNESS); this is the last resort.
      set_tests_properties(case.${engine}.${id} PROPERTIES LABELS "case;${engine}" TIMEOUT 900 SKIP_RETURN_CODE 77)
    endforeach()
    if(engine STREQUAL docker-ssh)
      continue()
    endif()
    add_test(NAME cells.${engine}.transcripts
      COMMAND ${BASHCELL_PYTHON} -B ${folder}/play_transcripts.py $<TARGET_FILE:run_transcript> $<TARGET_FILE:bashcell>
        ${engine} ${all_transcripts})
    set_tests_properties(cells.${engine}.transcripts PROPERTIES LABELS "transcript;${engine}" TIMEOUT 300 SKIP_RETURN_CODE 77)
    add_test(NAME cells.${engine}.rounds
      COMMAND ${BASHCELL_PYTHON} -B ${folder}/rounds_test.py --bashcell $<TARGET_FILE:bashcell> --engine ${engine})
    set_tests_properties(cells.${engine}.rounds PROPERTIES LABELS "rounds;${engine}" TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
endif()
