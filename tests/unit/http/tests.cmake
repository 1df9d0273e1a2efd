find_package(Python3 REQUIRED COMPONENTS Interpreter)
bashcell_unit_test(http
  SOURCES
    command_test.cpp
    curl_client_test.cpp
    failures_test.cpp
    parts_test.cpp
    tls_test.cpp
    upgrade_test.cpp
  LINKS bashcell_http)
target_include_directories(unit_http PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(unit_http PRIVATE
  BASHCELL_TEST_PYTHON="${Python3_EXECUTABLE}"
  BASHCELL_TEST_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/unit/http")
