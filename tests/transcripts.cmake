# One test per transcript, played against the server with a cell that is a plain process.
add_executable(run_transcript transcripts/run_transcript.cpp)
target_link_libraries(run_transcript PRIVATE bashcell_rpc bashcell_warnings bashcell_host_flags)

if(TARGET server_under_test)
  file(GLOB transcripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/transcripts/*/*.jsonl)
  foreach(file ${transcripts})
    get_filename_component(name ${file} NAME_WE)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(area ${folder} NAME)
    add_test(NAME transcript.${area}.${name}
      COMMAND run_transcript --server $<TARGET_FILE:server_under_test> ${file})
    set_tests_properties(transcript.${area}.${name} PROPERTIES LABELS transcript SKIP_RETURN_CODE 77)
  endforeach()
endif()
