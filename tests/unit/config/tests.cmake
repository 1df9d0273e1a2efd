bashcell_unit_test(config
  SOURCES config_test.cpp config_commands_test.cpp config_filters_test.cpp config_paths_test.cpp options_table_test.cpp texts_test.cpp
  LINKS bashcell_config)
target_include_directories(unit_config PRIVATE unit/config ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(unit_config PRIVATE SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
