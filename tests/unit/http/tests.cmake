bashcell_unit_test(http SOURCES curl_client_test.cpp LINKS bashcell_http)
target_include_directories(unit_http PRIVATE ${PROJECT_SOURCE_DIR}/tests)
