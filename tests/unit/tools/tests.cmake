bashcell_unit_test(tools
  SOURCES audit_test.cpp bash_request_test.cpp filters_test.cpp render_test.cpp reply_text_test.cpp script_test.cpp
  LINKS bashcell_tools)
target_compile_definitions(unit_tools PRIVATE SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
