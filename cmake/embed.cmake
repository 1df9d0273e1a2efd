# bashcell_embed(TARGET HEADER NAMESPACE symbol=file...)
# Generates HEADER (included as "embedded/HEADER") with each file's text as a constexpr std::string_view, so that
# prompts/ and schemas/ stay the one source of every text and the program needs no data files at run time.
function(bashcell_embed target header namespace)
  set(out_dir ${CMAKE_BINARY_DIR}/embedded_${target})
  set(out ${out_dir}/embedded/${header})
  set(files "")
  set(pairs "")
  foreach(pair ${ARGN})
    string(REGEX MATCH "^([^=]+)=(.+)$" _ ${pair})
    list(APPEND files ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2})
    list(APPEND pairs "${CMAKE_MATCH_1}=${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2}")
  endforeach()
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${namespace} "-DPAIRS=${pairs}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_run.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_run.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${out_dir})
endfunction()

# bashcell_embed_filters(TARGET HEADER NAMESPACE): HEADER with an array kFilters of what is in filters/*.json.
function(bashcell_embed_filters target header namespace)
  set(out_dir ${CMAKE_BINARY_DIR}/embedded_${target})
  set(out ${out_dir}/embedded/${header})
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/filters/*.json)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${namespace} "-DFILTERS=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_filters.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_filters.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${out_dir})
endfunction()
