# The filters in filters/, with their samples.
find_program(BASHCELL_PYTHON python3 HINTS /usr/bin)
if(BASHCELL_PYTHON)
  add_test(NAME filters.samples
    COMMAND ${BASHCELL_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/filters/filters_test.py ${PROJECT_SOURCE_DIR}/filters)
  set_tests_properties(filters.samples PROPERTIES LABELS filters TIMEOUT 120)
endif()
