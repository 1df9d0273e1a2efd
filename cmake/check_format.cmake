# cmake -DROOT=DIR -DCLANG_FORMAT=PROGRAM -P check_format.cmake: every source is as clang-format would write it.
file(GLOB_RECURSE files ${ROOT}/src/*.h ${ROOT}/src/*.cpp ${ROOT}/tests/*.h ${ROOT}/tests/*.cpp ${ROOT}/bench/*.h
  ${ROOT}/bench/*.cpp)
list(FILTER files EXCLUDE REGEX "/node_modules/")
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${files} RESULT_VARIABLE code ERROR_VARIABLE complaints)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "Run clang-format -i on the files named here:\n${complaints}")
endif()
