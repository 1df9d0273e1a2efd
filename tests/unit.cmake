# Each folder's list of unit tests is in unit/<folder>/tests.cmake.
foreach(folder base wire supervisor rpc mcp http engine engine_docker sandbox script heal shelf tools config commands)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/unit/${folder}/tests.cmake)
    include(unit/${folder}/tests.cmake)
  endif()
endforeach()
