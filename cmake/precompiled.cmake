# Most of what it takes to compile a file with sanitizers is to read the same headers again. With BASHCELL_PRECOMPILED
# (the dev preset) they are read once. Files include what they use all the same: the release build has none of this.

set(bashcell_precompiled_headers
  <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional> <string> <string_view>
  <thread> <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)

# bashcell_precompiled(NAME LIBRARIES target... HEADERS header...): headers that other targets reuse.
function(bashcell_precompiled name)
  cmake_parse_arguments(arg "" "" "LIBRARIES;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} bashcell_warnings bashcell_host_flags)
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# bashcell_reuse_precompiled(TARGET NAME): TARGET is built with the flags of the host program.
function(bashcell_reuse_precompiled target name)
  if(BASHCELL_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
    # What the headers were read with.
    foreach(library fmt::fmt nlohmann_json::nlohmann_json)
      target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
    endforeach()
  endif()
endfunction()
