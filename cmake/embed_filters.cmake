# Run by bashcell_embed_filters at build time: writes OUT from the files in FILTERS. Their samples are for the tests and stay
# out of the program.
include(${CMAKE_CURRENT_LIST_DIR}/text_literal.cmake)

# A text, or an array of lines.
function(read_lines json member out)
  string(JSON type TYPE "${json}" ${member})
  if(type STREQUAL STRING)
    string(JSON text GET "${json}" ${member})
  else()
    string(JSON count LENGTH "${json}" ${member})
    math(EXPR last "${count} - 1")
    set(text "")
    foreach(i RANGE ${last})
      string(JSON line GET "${json}" ${member} ${i})
      if(i GREATER 0)
        string(APPEND text "\n")
      endif()
      string(APPEND text "${line}")
    endforeach()
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(entries "")
list(LENGTH FILTERS count)
foreach(path ${FILTERS})
  file(READ "${path}" json)
  string(JSON name GET "${json}" name)
  read_lines("${json}" command commands)
  read_lines("${json}" filter text)
  text_literal("${commands}" commands)
  text_literal("${text}" text)
  string(APPEND entries "    {\"${name}\",${commands},${text}},\n")
endforeach()
file(WRITE "${OUT}" "#pragma once
// Generated from filters/*.json. Edit those.
#include <array>
#include <string_view>

namespace ${NAMESPACE} {

struct FilterText {
  std::string_view name;
  std::string_view commands;  // one a line
  std::string_view text;
};

inline constexpr std::array<FilterText, ${count}> kFilters{{
${entries}}};

}  // namespace ${NAMESPACE}
")
