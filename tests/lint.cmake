# Style and static analysis; the rules are in .clang-format and .clang-tidy.
find_program(BASHCELL_CLANG_FORMAT clang-format)
find_program(BASHCELL_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)
if(BASHCELL_CLANG_FORMAT)
  add_test(NAME lint.format COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
    -DCLANG_FORMAT=${BASHCELL_CLANG_FORMAT} -P ${PROJECT_SOURCE_DIR}/cmake/check_format.cmake)
  set_tests_properties(lint.format PROPERTIES LABELS lint)
endif()
if(BASHCELL_RUN_CLANG_TIDY)
  # Of all files it would take longer than all other tests; scripts/lint.sh does that by hand. Begun first, and beside the
  # cases, which wait most of their time.
  add_test(NAME lint.tidy COMMAND ${PROJECT_SOURCE_DIR}/scripts/lint.sh --build ${CMAKE_BINARY_DIR} --last 10)
  set_tests_properties(lint.tidy PROPERTIES LABELS lint TIMEOUT 1800 COST 1000)
endif()
