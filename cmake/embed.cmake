# _bashcell_generate(TARGET HEADER SCRIPT FILES ARGUMENT...)
# Has cmake/SCRIPT write HEADER (included as "embedded/HEADER") at build time, from the files in the list FILES.
function(_bashcell_generate target header script files)
  set(out_dir ${CMAKE_BINARY_DIR}/embedded_${target})
  set(out ${out_dir}/embedded/${header})
  set(script ${PROJECT_SOURCE_DIR}/cmake/${script})
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} ${ARGN} -P ${script}
    DEPENDS ${files} ${script} ${PROJECT_SOURCE_DIR}/cmake/text_literal.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${out_dir})
endfunction()

# bashcell_embed(TARGET HEADER NAMESPACE symbol=file...)
# Generates HEADER (included as "embedded/HEADER") with each file's text as a constexpr std::string_view, so that
# prompts/ and schemas/ stay the one source of every text and the program needs no data files at run time.
function(bashcell_embed target header namespace)
  set(files "")
  set(pairs "")
  foreach(pair ${ARGN})
    string(REGEX MATCH "^([^=]+)=(.+)$" _ ${pair})
    list(APPEND files ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2})
    list(APPEND pairs "${CMAKE_MATCH_1}=${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2}")
  endforeach()
  list(JOIN pairs "\\;" pairs)
  _bashcell_generate(${target} ${header} embed_run.cmake "${files}" -DNAMESPACE=${namespace} "-DPAIRS=${pairs}")
endfunction()

# bashcell_embed_filters(TARGET HEADER NAMESPACE): HEADER with an array kFilters of what is in filters/*.json.
function(bashcell_embed_filters target header namespace)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/filters/*.json)
  list(JOIN files "\\;" joined)
  _bashcell_generate(${target} ${header} embed_filters.cmake "${files}" -DNAMESPACE=${namespace} "-DFILTERS=${joined}")
endfunction()
