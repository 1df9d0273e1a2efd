# The official MCP clients against the real server and real cells: tests/clients/.
set(clients_dir ${CMAKE_BINARY_DIR}/clients)
find_program(BASHCELL_NODE node)
if(NOT BASHCELL_NODE)
  set(BASHCELL_NODE node CACHE FILEPATH "Node.js, for the client tests" FORCE)  # missing: the tests fail and say so
endif()

add_test(NAME client.install
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/clients -DBUILD=${clients_dir}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/clients/install.cmake)
set_tests_properties(client.install PROPERTIES LABELS client FIXTURES_SETUP client_packages TIMEOUT 300)

function(bashcell_client_test name script)
  add_test(NAME client.${name} COMMAND ${BASHCELL_NODE} ${clients_dir}/${script} ${ARGN})
  set_tests_properties(client.${name} PROPERTIES
    LABELS client
    FIXTURES_REQUIRED client_packages
    ENVIRONMENT BASHCELL_UNDER_TEST=${CMAKE_BINARY_DIR}/bin/bashcell
    TIMEOUT 120)
endfunction()

foreach(kind legacy auto pinned v1)
  bashcell_client_test(${kind} client_test.mjs ${kind})
endforeach()
bashcell_client_test(schema schema_test.mjs)
bashcell_client_test(tokens tokens_test.mjs)
bashcell_client_test(examples examples_test.mjs)
set_property(TEST client.examples APPEND PROPERTY ENVIRONMENT EXAMPLES=${PROJECT_SOURCE_DIR}/examples)
bashcell_client_test(conformance conformance_test.mjs)
file(GLOB all_transcripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/transcripts/*/*.jsonl)
bashcell_client_test(transcripts transcripts_test.mjs $<TARGET_FILE:run_transcript> $<TARGET_FILE:server_under_test> ${all_transcripts})
