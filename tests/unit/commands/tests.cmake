bashcell_unit_test(commands SOURCES client_file_test.cpp clients_test.cpp engines_test.cpp generated_texts_test.cpp limit_table_test.cpp LINKS bashcell_commands)
target_include_directories(unit_commands PRIVATE ${PROJECT_SOURCE_DIR}/tests)
