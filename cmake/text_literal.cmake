# For the scripts that write headers at build time.

# C++ for `text`, as adjacent raw string literals of a few KB, each on a line of its own: a compiler may refuse one literal
# over 64 KiB.
function(text_literal text out)
  set(literal "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND literal "\n    R\"__text__(${piece})__text__\"")
    math(EXPR at "${at} + 8000")
  endwhile()
  if(length EQUAL 0)
    set(literal "\"\"")
  endif()
  set(${out} "${literal}" PARENT_SCOPE)
endfunction()
